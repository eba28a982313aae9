"""The sightings once some boxes and plugs are taken for others: what is still to be explained."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from fabricgen.blueprint.models import make_natural_key
from fabricgen.verify.cabling import PlannedCabling
from fabricgen.verify.sightings import SeenPorts
from fabricgen.wiring.arrays import Flags, Ints

NOWHERE = -2
"""In place of the number of a port that no plan and no dump has yet."""


class Gain(NamedTuple):
    """What a change makes of links: how many more are right, in how many rows, and how many unseen ones may break.

    `links` and `rows` are those after less those before, and may be below 0; a row of cables.csv has the jumpers that
    lie side by side, and stands for one plug. `unseen` counts links of which nothing is known, so that they may be as
    planned now.
    `right` and `wrong` count the links concerned that are seen, as they are after the change, `broken` those that are
    right only before it; of the `tiers` that are planned at their other ends, those of right ones are `witnesses`.
    """

    links: int
    rows: int
    unseen: int
    right: int
    wrong: int
    broken: int
    witnesses: int
    tiers: int


class SeenTopology:
    """Ports and what they see, under the names that they are taken for.

    The planned links of a port never change: `port ^ 1` is where it should lead. What changes is what is seen there:
    to take box A for box B moves what A's ports see to the ports of B, and so on round the ring.

    Columns, one entry a port (planned ones first, then spare ones from `first_spare` on; the last entries are room for
    more of these): `mate` and `towards` int32 as in `SeenPorts`; bool `empty`, a port that surely holds no plug that
    works, and `odd`, one that sees a stranger or that contradicts another; `device` and `name`, int32 as in
    PlannedCabling.
    Bool, one entry a device: `is_whole`, all that it sees is known; `speaks`, it has a dump of its own.
    """

    def __init__(self, cabling: PlannedCabling, seen_ports: SeenPorts) -> None:
        """What was seen, as it was seen."""
        self.cabling = cabling
        self.first_spare = cabling.ports
        self.size = len(seen_ports.mate)
        self.mate: Ints = seen_ports.mate.copy()
        self.towards: Ints = seen_ports.towards.copy()
        self._sees_devices = bool((seen_ports.towards >= 0).any())  # no exchange adds to these
        self.empty: Flags = (
            ((seen_ports.dumped & ~seen_ports.doubtful) | seen_ports.down)
            & (seen_ports.mate < 0)
            & (seen_ports.towards < 0)
        )
        self.odd: Flags = np.zeros(self.size, dtype=bool)
        odd = [stranger.port for stranger in seen_ports.strangers]
        for conflict in seen_ports.conflicts:
            # what another port agrees on with its mate is not in doubt because of a third one
            odd += [conflict.port] + [port for port in (conflict.sees,) if port >= 0 and self.mate[port] < 0]
        self.odd[odd] = True
        self.empty[odd] = False
        unsure = ~(seen_ports.dumped & ~seen_ports.doubtful)[: self.first_spare]
        self.is_whole: Flags = np.bincount(cabling.device[unsure], minlength=len(cabling.device_names)) == 0
        speaks = (
            np.bincount(cabling.device[seen_ports.dumped[: self.first_spare]], minlength=len(cabling.device_names)) > 0
        )
        self.speaks: Flags = speaks
        # names of ports as numbers, those of the plan first; nobody asks for them where no port is spare. A spare port
        # of a planned name has its number, so that names compare as numbers on exchanged boxes.
        self._texts = (
            {str(text): code for code, text in enumerate(cabling.port_texts.tolist())} if seen_ports.spare else {}
        )
        self.names: list[str] = [spare.port for spare in seen_ports.spare]
        codes = [self._texts.setdefault(spare.port, len(self._texts)) for spare in seen_ports.spare]
        self.device: Ints = np.r_[cabling.device, np.array([s.device for s in seen_ports.spare], dtype=np.int32)]
        self.name: Ints = np.r_[cabling.name, np.array(codes, dtype=np.int32)]
        self._spare_of: dict[int, list[int]] = defaultdict(list)
        for number, spare in enumerate(seen_ports.spare, cabling.ports):
            self._spare_of[spare.device].append(number)
        self._by_name: dict[int, dict[int, int]] = {}
        self.fronts = Fronts(cabling)
        self._alike: dict[tuple[int, int], bool] = {}

    def copy(self) -> SeenTopology:
        """A topology that can be changed without changing this one."""
        duplicate = copy(self)
        # what a change writes to. All else depends on the plan alone, or only grows by what is true of every copy, and
        # is shared.
        for column in ("mate", "towards", "empty", "odd", "device", "name", "names", "speaks"):
            setattr(duplicate, column, getattr(self, column).copy())
        duplicate._spare_of = defaultdict(list, {device: list(ports) for device, ports in self._spare_of.items()})
        duplicate._by_name = {}
        return duplicate

    def locate_port(self, port: int) -> tuple[int, str]:
        """(Device, name of the port there.)"""
        name = self.cabling.port_text(port) if port < self.first_spare else self.names[port - self.first_spare]
        return int(self.device[port]), name

    def list_ports(self, device: int) -> list[int]:
        """The planned and the spare ports of a device."""
        return [*self.cabling.list_device_ports(device).tolist(), *self._spare_of.get(device, ())]

    def port_at(self, device: int, name: int) -> int:
        """The port of a name on a device, or NOWHERE."""
        if device not in self._by_name:
            self._by_name[device] = {int(self.name[port]): port for port in self.list_ports(device)}
        return self._by_name[device].get(name, NOWHERE)

    def add_port(self, device: int, name: int, text: str) -> int:
        """A spare port that was not known so far."""
        if self.size == len(self.mate):
            # room for as many spare ports again: columns are copied a few times, however many ports are added one by
            # one
            more = max(64, len(self.mate) - self.first_spare)
            for column, blank in (("mate", -1), ("towards", -1), ("device", -1), ("name", -1)):
                setattr(self, column, np.r_[getattr(self, column), np.full(more, blank, dtype=np.int32)])
            for column in ("empty", "odd"):
                setattr(self, column, np.r_[getattr(self, column), np.zeros(more, dtype=bool)])
        port = self.size
        self.size += 1
        self.device[port], self.name[port] = device, name
        self.names.append(text)
        self._spare_of[device].append(port)
        if device in self._by_name:
            self._by_name[device][name] = port
        return port

    def joins_right(self, port: int, mate: int) -> bool:
        """Whether two joined ports are as planned, or swapped with others that nothing is lost by.

        Those are between the same two devices, and at one of these the two ports are configured alike.
        """
        # spare ports are numbered as they come: the `^ 1` of one is another spare port that has nothing to do with it
        if mate == port ^ 1:
            return port < self.first_spare
        if port >= self.first_spare or mate >= self.first_spare or port < 0 or mate < 0:
            return False
        device = self.device
        # `port ^ 1` is the other end of the planned link of a port
        parallel = device[port ^ 1] == device[mate] and device[mate ^ 1] == device[port]
        return bool(parallel) and self._is_alike(port, mate)

    def _is_alike(self, port: int, mate: int) -> bool:
        # whether two parallel links may be swapped without harm, as both have the same configuration; kept by pair
        # either port may be asked first
        key = min(port, mate), max(port, mate)
        if key not in self._alike:
            cabling = self.cabling
            self._alike[key] = cabling.are_alike(port ^ 1, mate) or cabling.are_alike(mate ^ 1, port)
        return self._alike[key]

    def find_wrong_ports(self) -> Ints:
        """The ports that see another one than they should, as `joins_right`; int64."""
        mate = self.mate[: self.size]
        port = np.flatnonzero(mate >= 0)
        # `port ^ 1` is the other end of a planned link; from `first_spare` on there are spare ports, of no planned link
        port = port[(mate[port] != port ^ 1) | (port >= self.first_spare)]
        sees = mate[port]
        both_planned = (port < self.first_spare) & (sees < self.first_spare)
        near, far = port[both_planned], sees[both_planned]
        # the planned far devices are those that are seen, if by another of their ports
        right = (self.device[near ^ 1] == self.device[far]) & (self.device[far ^ 1] == self.device[near])
        parallel = np.flatnonzero(right)
        # few links are parallel: only for these are configurations compared, one by one
        right[parallel] = [
            self._is_alike(*pair) for pair in zip(*(e[parallel].tolist() for e in (near, far)), strict=True)
        ]
        wrong: Flags = np.ones(len(port), dtype=bool)
        wrong[both_planned] = ~right
        wrong_ports: Ints = port[wrong]
        return wrong_ports

    def is_unseen(self, port: int) -> bool:
        """Whether nothing is known of the planned link at a port: it may be as planned."""
        pair = (port, port ^ 1)
        if any(self.mate[p] >= 0 or self.towards[p] >= 0 or self.odd[p] for p in pair):
            return False
        return not any(self.empty[p] for p in pair)

    def has_state(self, port: int, now: int) -> bool:
        """Whether anything is known of a port that has to be kept when it is taken for another."""
        if self.mate[port] >= 0 or self.towards[port] >= 0:
            return True
        return now != NOWHERE and bool(self.empty[port] or self.odd[port])

    def list_ports_looking_at(self, devices: Mapping[int, int]) -> list[int]:
        """The ports that see one of some devices, at a port there that is not known."""
        if not devices or not self._sees_devices:
            return []
        ports: list[int] = np.flatnonzero(np.isin(self.towards[: self.size], list(devices))).tolist()
        return ports

    def measure_gain(self, taken_for: Mapping[int, int], touched: Sequence[int], devices: Mapping[int, int]) -> Gain:
        """What it would be worth to take ports, and `devices`, for others; `touched` are all ports this concerns.

        `taken_for` maps ports, `devices` rows of devices; ports that see one of these without a port there count too.
        """
        right, before, unseen, wrong, broken, far = [], [], set(), 0, 0, set()
        for port in dict.fromkeys([*touched, *self.list_ports_looking_at(devices)]):
            # a spare port that was added to another copy of this topology: here nobody knows of it
            if port >= self.size:
                continue
            mate, now, sees = int(self.mate[port]), taken_for.get(port, port), int(self.towards[port])
            if mate >= 0:
                # both ends are taken for others: the link was counted at its lower port
                if mate in taken_for and mate < port:
                    continue
                was, will = self.joins_right(port, mate), self.joins_right(now, taken_for.get(mate, mate))
                sees = int(self.device[mate])
            elif sees >= 0:
                was, will = self.is_planned_at(port, sees), self.is_planned_at(now, devices.get(sees, sees))
            else:
                # `port >> 1` is the link, so that one whose ends both belong to the ring counts once
                if port < self.first_spare and self.is_unseen(port):
                    unseen.add(port >> 1)
                continue
            if was:
                before.append(port)
                broken += not will
            if will:
                right.append(now)
                far |= {int(self.device[port]), sees} - devices.keys()
            wrong += not will
        # what is right then, less what is right now: an exchange that only swaps faults gains nothing
        links, rows = len(right) - len(before), self._count_rows(right) - self._count_rows(before)
        # spare ports, from `first_spare` on, have no planned far end
        planned = {int(self.device[port ^ 1]) for port in touched if port < self.first_spare}
        witnesses, tiers = (len({self.cabling.read_device("tier", d) for d in devices}) for devices in (far, planned))
        return Gain(links, rows, len(unseen), len(right), wrong, broken, witnesses, tiers)

    def keeps_pairs(self, devices: Collection[int]) -> bool:
        """Whether some devices have links, none to a device that is not planned, nor more than are planned."""
        for device in devices:
            seen_links: Counter[int] = Counter()
            for port in self.list_ports(device):
                mate, sees = int(self.mate[port]), int(self.towards[port])
                if mate >= 0 or sees >= 0:
                    seen_links[int(self.device[mate]) if mate >= 0 else sees] += 1
            planned = Counter(self.device[self.cabling.list_device_ports(device) ^ 1].tolist())
            # `Counter` drops what is not more than planned
            if not seen_links or seen_links - planned:
                return False
        return True

    def is_planned_at(self, port: int, sees: int) -> bool:
        """Whether a port should see some device."""
        return bool(0 <= port < self.first_spare and sees == self.device[port ^ 1])

    def _count_rows(self, ports: Sequence[int]) -> int:
        """How many rows of cables.csv some ports are of: both jumpers from one cage to one other count once."""
        return len({int(self.cabling.row[port >> 1]) for port in ports})

    def renumber_ports(self, taken_for: Mapping[int, int], touched: Sequence[int], devices: Mapping[int, int]) -> None:
        """Take ports, and `devices`, for others: what `touched` ports see moves to those that they are taken for."""
        for port in self.list_ports_looking_at(devices):
            self.towards[port] = devices[int(self.towards[port])]
        # the right side is read whole before anything is written, so that rings of any length may be turned in place
        self.speaks[list(devices.values())] = self.speaks[list(devices)]
        # all states are read before the first is written: in a ring each port overwrites the next one
        states = [
            (taken_for[p], int(self.mate[p]), int(self.towards[p]), bool(self.empty[p]), bool(self.odd[p]))
            for p in touched
            if p in taken_for
        ]
        for column, blank in ((self.mate, -1), (self.towards, -1), (self.empty, False), (self.odd, False)):
            column[list(touched)] = blank
        for port, mate, towards, empty, odd in states:
            self.towards[port], self.empty[port], self.odd[port] = towards, empty, odd
            if mate >= 0:
                sees = taken_for.get(mate, mate)
                # the far end may be no port of the ring, and has to see the new number, too
                self.mate[port], self.mate[sees] = sees, port


# The cage and the connector of ports that no plan uses, read off how the planned ports of the same device are called.
# Most systems number ports by cage: `Ethernet33/1`, `swp33s0`, `33/1` have it in their name, and SONiC counts lanes,
# so that `Ethernet256` and `Ethernet264` are neighbouring cages. What fits neither is not known.

MOST_ALIKE = 256
"""Devices of one model that are looked at, a bound on time: those of a model are cabled much alike."""
_NUMBERED = re.compile(r"(.*?)(\d{1,9})")


class CageConnector(NamedTuple):
    """A cage, and the connector of it (`33/2`; the cage again where it has one), as printed on the front."""

    cage: str
    connector: str


Front = Mapping[str, CageConnector]
"""The sockets behind planned ports, by the names of these."""


@dataclass
class Fronts:
    """Looks up sockets by device (row of devices) and name of a port; what was found is kept."""

    cabling: PlannedCabling
    _named: dict[int, Front] = field(default_factory=dict)
    _by_model: dict[tuple[int, int], Front] = field(default_factory=dict)

    def find_socket(self, device: int, name: str, plug: int = -1) -> CageConnector:
        """The socket behind a port of a device; empty texts where it is not known.

        `plug` is a planned port of the plug that is in it, which takes as much of this cage as of its own.
        """
        for front in (self._list_planned_sockets(device), self._list_sockets_of_model(device)):
            if name in front:
                return front[name]
            if cage_lane := _find_lane_by_name(front, name) or _find_lane_by_number(front, name):
                return CageConnector(cage_lane.cage, cage_lane.cage + self._find_connector(front, cage_lane.lane, plug))
        return CageConnector("", "")

    def _find_connector(self, front: Front, lane: str | int, plug: int) -> str:
        """What follows the cage in the connector at a lane of it: `/2`, or nothing."""
        if plug >= 0:
            home, cage = self._list_planned_sockets(int(self.cabling.device[plug])), self.cabling.find_cage(plug)
            if self.cabling.connector_text(plug) == cage:
                return ""
            beside = {name: socket for name, socket in home.items() if socket.cage == cage}
            if suffix := _list_connectors(home, beside).get(lane):
                return suffix
        return _list_connectors(front, front).get(lane, "")

    def _list_planned_sockets(self, device: int) -> Front:
        # the sockets of a device's planned ports, by name of the port
        if device not in self._named:
            cabling = self.cabling
            self._named[device] = {
                cabling.port_text(port): CageConnector(cabling.find_cage(port), cabling.connector_text(port))
                for port in cabling.list_device_ports(device).tolist()
            }
        return self._named[device]

    def _list_sockets_of_model(self, device: int) -> Front:
        """The sockets of planned ports of other devices of the model and NOS, which have more of them in use."""
        columns = [self.cabling.devices[name].codes for name in ("model", "nos")]
        key = int(columns[0][device]), int(columns[1][device])
        if key not in self._by_model:
            alike = np.flatnonzero((columns[0] == key[0]) & (columns[1] == key[1]))[:MOST_ALIKE]
            fronts = map(self._list_planned_sockets, alike.tolist())
            self._by_model[key] = {name: socket for front in fronts for name, socket in front.items()}
        return self._by_model[key]


class _CageLane(NamedTuple):
    """A cage, and which of its ports: what its name ends with, or its number within the cage."""

    cage: str
    lane: str | int


def _list_connectors(front: Front, ports: Front) -> dict[str | int, str]:
    """What follows the cage in the connector at each lane, of some ports of a front."""
    suffixes: dict[str | int, str] = {}
    for name, socket in ports.items():
        if cage_lane := _find_lane_by_name(front, name) or _find_lane_by_number(front, name):
            # a cable that fills its cage has no connector, "": any that names one tells more
            suffixes[cage_lane.lane] = max(suffixes.get(cage_lane.lane, ""), socket.connector.removeprefix(socket.cage))
    if any(suffixes.values()):
        for nth, lane in enumerate(sorted(suffixes, key=lambda lane_name: make_natural_key(str(lane_name))), start=1):
            suffixes[lane] = suffixes[lane] or f"/{nth}"  # planned in a cable that fills its cage alone
    return suffixes


def _find_lane_by_name(front: Front, name: str) -> _CageLane | None:
    """The place of a port whose cage stands in its name, as it does in all that are planned and begin alike."""
    head = _read_head(name)
    suffixes = set()
    for planned_name, socket in front.items():
        if _read_head(planned_name) == head:
            suffix = planned_name[len(head) + len(socket.cage) :]
            # `Ethernet8` of cage 2 does not begin with `Ethernet2`, and a name that goes on with a digit does so by
            # chance: lanes are counted, and no name holds its cage
            if not planned_name.startswith(head + socket.cage) or suffix[:1].isdigit():
                return None
            suffixes.add(suffix)
    # the longest ending first: `swp1s0` ends as ports of whole cages do, too
    for suffix in sorted(suffixes, key=lambda suffix_text: (-len(suffix_text), suffix_text)):
        cage = name[len(head) : len(name) - len(suffix)]
        if name.endswith(suffix) and re.fullmatch(r"\d{1,9}(/\d{1,9})*", cage):
            return _CageLane(cage, suffix)
    return None


def _read_head(name: str) -> str:
    """What stands before the first digit of a name."""
    letters = re.match(r"\D*", name)
    return letters[0] if letters else ""


def _find_lane_by_number(front: Front, name: str) -> _CageLane | None:
    """The place of a port whose number counts lanes or ports over the front, by the planned cages on both its sides, or
    by the nearest two.
    """
    parsed_name = _NUMBERED.fullmatch(name)
    firsts: dict[int, int] = {}
    for planned_name, socket in front.items():
        parsed = _NUMBERED.fullmatch(planned_name)
        if parsed and parsed_name and parsed[1] == parsed_name[1] and socket.cage.isdigit():
            cage = int(socket.cage)
            firsts[cage] = min(int(parsed[2]), firsts.get(cage, int(parsed[2])))
    if not parsed_name or len(firsts) < 2:
        return None
    number, numbered_cages = int(parsed_name[2]), sorted(firsts.items())
    spans = list(pairwise(numbered_cages))
    # a number beyond the last planned cage goes on as the last two cages do
    (low_cage, low_number), (high_cage, high_number) = next((span for span in spans if number < span[1][1]), spans[-1])
    # cages between two planned ones must take a whole number of lanes each, or ports of various widths lie between
    step, rest = divmod(high_number - low_number, high_cage - low_cage)
    if rest or step < 1:
        return None
    cages, lane = divmod(number - low_number, step)
    return _CageLane(str(low_cage + cages), lane) if low_cage + cages > 0 else None

"""The sightings with some boxes and plugs taken for others, so that the rest can be explained."""

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
"""Stands in place of the number of a port that neither the plan nor any dump has yet."""


class Gain(NamedTuple):
    """What a change would do to links: how many more are right, in how many rows, and how many unseen ones may break.

    `links` and `rows` are differences (right after the change less right before it) and may be negative. A row of
    cables.csv has the jumpers that lie side by side, and counts as one plug. `unseen` counts the links about which
    nothing is known, so that they may be as planned now. Of the links concerned that are seen, `right` and `wrong`
    count those that are right or wrong after the change, and `broken` those that are right only before it. `tiers` is
    the number of tiers planned at their other ends, and `witnesses` the number of these tiers that have a right link.
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
    """Ports and what they see, with boxes and plugs taken for others.

    The planned links of a port never change: `port ^ 1` is the port that it should be joined to. What changes is what
    is seen: if box A is taken for box B, what A's ports see is moved to the ports of B.

    Columns by port (planned ports first, then spare ones from `first_spare` on; `size` ports are used, the entries
    behind them are reserve): `joined_to` and `towards`, int32, as in `SeenPorts`; `empty`, bool: the port certainly
    holds no working plug; `odd`, bool: it sees a stranger, or dumps contradict each other about it; `device` and
    `name`, int32, as in PlannedCabling. Columns by device, bool: `is_whole`, all that its ports see is known; `speaks`,
    it has a dump of its own.
    """

    def __init__(self, cabling: PlannedCabling, seen_ports: SeenPorts) -> None:
        """Start with what was seen, unchanged."""
        self.cabling = cabling
        self.first_spare = cabling.ports
        self.size = len(seen_ports.joined_to)
        self.joined_to: Ints = seen_ports.joined_to.copy()
        self.towards: Ints = seen_ports.towards.copy()
        self._sees_devices = bool((seen_ports.towards >= 0).any())  # an exchange moves these sightings, and adds none
        self.empty: Flags = (
            ((seen_ports.dumped & ~seen_ports.doubtful) | seen_ports.down)
            & (seen_ports.joined_to < 0)
            & (seen_ports.towards < 0)
        )
        self.odd: Flags = np.zeros(self.size, dtype=bool)
        odd = [stranger.port for stranger in seen_ports.strangers]
        for conflict in seen_ports.conflicts:
            # if both ends of a cable agree, they are not in doubt because of what a third port sees
            odd += [conflict.port] + [port for port in (conflict.sees,) if port >= 0 and self.joined_to[port] < 0]
        self.odd[odd] = True
        self.empty[odd] = False
        unsure = ~(seen_ports.dumped & ~seen_ports.doubtful)[: self.first_spare]
        self.is_whole: Flags = np.bincount(cabling.device[unsure], minlength=len(cabling.device_names)) == 0
        self.speaks: Flags = (
            np.bincount(cabling.device[seen_ports.dumped[: self.first_spare]], minlength=len(cabling.device_names)) > 0
        )
        # names of ports as numbers, planned names first; they are needed only if there are spare ports. A spare port
        # with a planned name has the number of that name, so that names on exchanged boxes compare as numbers.
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
        """Return a topology that can be changed without changing this one."""
        duplicate = copy(self)
        # only columns that a change writes to are copied. All else is shared: it depends on the plan alone, or is a
        # cache of facts that hold for every copy.
        for column in ("joined_to", "towards", "empty", "odd", "device", "name", "names", "is_whole", "speaks"):
            setattr(duplicate, column, getattr(self, column).copy())
        duplicate._spare_of = defaultdict(list, {device: list(ports) for device, ports in self._spare_of.items()})
        duplicate._by_name = {}
        return duplicate

    def locate_port(self, port: int) -> tuple[int, str]:
        """Return the device of a port (row of devices), and the name of the port there."""
        name = self.cabling.port_text(port) if port < self.first_spare else self.names[port - self.first_spare]
        return int(self.device[port]), name

    def list_ports(self, device: int) -> list[int]:
        """Return the planned and the spare ports of a device."""
        return [*self.cabling.list_device_ports(device).tolist(), *self._spare_of.get(device, ())]

    def port_at(self, device: int, name: int) -> int:
        """Return the port with a name (number, as in the column `name`) on a device; NOWHERE if it has none."""
        if device not in self._by_name:
            self._by_name[device] = {int(self.name[port]): port for port in self.list_ports(device)}
        return self._by_name[device].get(name, NOWHERE)

    def add_port(self, device: int, name: int, text: str) -> int:
        """Add a spare port that was not known so far, and return its number; `name` is the number of `text`."""
        if self.size == len(self.joined_to):
            # the number of spare ports is doubled, so that columns are seldom copied
            reserve = max(64, len(self.joined_to) - self.first_spare)
            for column, blank in (("joined_to", -1), ("towards", -1), ("device", -1), ("name", -1)):
                setattr(self, column, np.r_[getattr(self, column), np.full(reserve, blank, dtype=np.int32)])
            for column in ("empty", "odd"):
                setattr(self, column, np.r_[getattr(self, column), np.zeros(reserve, dtype=bool)])
        port = self.size
        self.size += 1
        self.device[port], self.name[port] = device, name
        self.names.append(text)
        self._spare_of[device].append(port)
        if device in self._by_name:
            self._by_name[device][name] = port
        return port

    def joins_right(self, port: int, far_port: int) -> bool:
        """Whether two joined ports are as planned, or a harmless swap of parallel links.

        A swap is harmless if the links are between the same two devices, and the two ports at one of these devices have
        the same configuration.
        """
        # the plan has no link at a spare port: the number `port ^ 1` is some other spare port
        if far_port == port ^ 1:
            return port < self.first_spare
        if port >= self.first_spare or far_port >= self.first_spare or port < 0 or far_port < 0:
            return False
        device = self.device
        # `port ^ 1` is the other end of the planned link of a port
        parallel = device[port ^ 1] == device[far_port] and device[far_port ^ 1] == device[port]
        return bool(parallel) and self._is_harmless_swap(port, far_port)

    def _is_harmless_swap(self, port: int, far_port: int) -> bool:
        # whether two ports of parallel links may be joined without harm, as the ports at one end have the same
        # configuration; cached by pair, as either port may come first
        key = min(port, far_port), max(port, far_port)
        if key not in self._alike:
            cabling = self.cabling
            self._alike[key] = cabling.are_alike(port ^ 1, far_port) or cabling.are_alike(far_port ^ 1, port)
        return self._alike[key]

    def find_wrong_ports(self) -> Ints:
        """Return the ports (int64) that are joined to another port than planned, unless the swap is harmless.

        It is harmless if parallel links between the same two devices are swapped whose ports are configured alike, as
        `joins_right` decides for a single port.
        """
        joined_to = self.joined_to[: self.size]
        port = np.flatnonzero(joined_to >= 0)
        # `port ^ 1` is the other end of a planned link; spare ports, from `first_spare` on, have no planned link
        port = port[(joined_to[port] != port ^ 1) | (port >= self.first_spare)]
        seen_ports = joined_to[port]
        both_planned = (port < self.first_spare) & (seen_ports < self.first_spare)
        planned_ports, far_ports = port[both_planned], seen_ports[both_planned]
        # both devices are as planned, only the ports are others
        is_right = (self.device[planned_ports ^ 1] == self.device[far_ports]) & (
            self.device[far_ports ^ 1] == self.device[planned_ports]
        )
        parallel_rows = np.flatnonzero(is_right)
        # few links are parallel: only for these are configurations compared, one by one
        is_right[parallel_rows] = [
            self._is_harmless_swap(*pair)
            for pair in zip(*(column[parallel_rows].tolist() for column in (planned_ports, far_ports)), strict=True)
        ]
        is_wrong: Flags = np.ones(len(port), dtype=bool)
        is_wrong[both_planned] = ~is_right
        wrong_ports: Ints = port[is_wrong]
        return wrong_ports

    def is_unseen(self, port: int) -> bool:
        """Whether nothing is known about the planned link at a port, so that it may be as planned."""
        pair = (port, port ^ 1)
        if any(self.joined_to[p] >= 0 or self.towards[p] >= 0 or self.odd[p] for p in pair):
            return False
        return not any(self.empty[p] for p in pair)

    def has_state(self, port: int, now: int) -> bool:
        """Whether anything is known about `port` that must move to `now`, the port that it is taken for.

        If `now` is NOWHERE, a port that only is empty or odd need not be moved.
        """
        if self.joined_to[port] >= 0 or self.towards[port] >= 0:
            return True
        return now != NOWHERE and bool(self.empty[port] or self.odd[port])

    def list_ports_looking_at(self, devices: Mapping[int, int]) -> list[int]:
        """Return the ports that see one of these devices without knowing the far port."""
        if not devices or not self._sees_devices:
            return []
        ports: list[int] = np.flatnonzero(np.isin(self.towards[: self.size], list(devices))).tolist()
        return ports

    def measure_gain(self, taken_for: Mapping[int, int], touched: Sequence[int], devices: Mapping[int, int]) -> Gain:
        """Measure what it would gain to take ports and devices for others.

        `taken_for` maps ports, and `devices` rows of devices, to those that they are taken for. `touched` are all ports
        concerned; ports that see one of the devices without knowing the far port are counted as well.
        """
        right_after, right_before, unseen, wrong, broken, far = [], [], set(), 0, 0, set()
        for port in dict.fromkeys([*touched, *self.list_ports_looking_at(devices)]):
            # a spare port that was added to another copy of this topology is not known here
            if port >= self.size:
                continue
            far_port, now, sees = int(self.joined_to[port]), taken_for.get(port, port), int(self.towards[port])
            if far_port >= 0:
                # both ends are taken for others: the link was counted at its lower port
                if far_port in taken_for and far_port < port:
                    continue
                was_right = self.joins_right(port, far_port)
                is_right = self.joins_right(now, taken_for.get(far_port, far_port))
                sees = int(self.device[far_port])
            elif sees >= 0:
                was_right, is_right = self.is_planned_at(port, sees), self.is_planned_at(now, devices.get(sees, sees))
            else:
                # `port >> 1` is the link, so that one whose ends both belong to the ring counts once
                if port < self.first_spare and self.is_unseen(port):
                    unseen.add(port >> 1)
                continue
            if was_right:
                right_before.append(port)
                broken += not is_right
            if is_right:
                right_after.append(now)
                far |= {int(self.device[port]), sees} - devices.keys()
            wrong += not is_right
        # right links after the change less right links before it: an exchange that only swaps faults gains nothing
        links, rows = (
            len(right_after) - len(right_before),
            self._count_rows(right_after) - self._count_rows(right_before),
        )
        # spare ports, from `first_spare` on, have no planned far end. Links among the devices themselves count for
        # neither: they are as right before an exchange as after it
        planned = {int(self.device[port ^ 1]) for port in touched if port < self.first_spare} - devices.keys()
        witnesses, tiers = (len({self.cabling.read_device("tier", d) for d in devices}) for devices in (far, planned))
        return Gain(links, rows, len(unseen), len(right_after), wrong, broken, witnesses, tiers)

    def keeps_pairs(self, devices: Collection[int]) -> bool:
        """Whether each of these devices has links, and to no other device more links than are planned."""
        for device in devices:
            seen_links: Counter[int] = Counter()
            for port in self.list_ports(device):
                far_port, sees = int(self.joined_to[port]), int(self.towards[port])
                if far_port >= 0 or sees >= 0:
                    seen_links[int(self.device[far_port]) if far_port >= 0 else sees] += 1
            planned = Counter(self.device[self.cabling.list_device_ports(device) ^ 1].tolist())
            # the difference of Counters keeps only devices with more links than planned
            if not seen_links or seen_links - planned:
                return False
        return True

    def is_planned_at(self, port: int, sees: int) -> bool:
        """Whether the plan joins a port to the device `sees`; False for a spare port."""
        return bool(0 <= port < self.first_spare and sees == self.device[port ^ 1])

    def _count_rows(self, ports: Sequence[int]) -> int:
        """Count the rows of cables.csv that some ports belong to: two jumpers from one cage to one other count once."""
        return len({int(self.cabling.row[port >> 1]) for port in ports})

    def renumber_ports(self, taken_for: Mapping[int, int], touched: Sequence[int], devices: Mapping[int, int]) -> None:
        """Take ports and devices for others, in place (arguments as for `measure_gain`).

        What `touched` ports see is moved to the ports that they are taken for.
        """
        for port in self.list_ports_looking_at(devices):
            self.towards[port] = devices[int(self.towards[port])]
        # what is known of a box by its dump goes with it. numpy reads the right side before it writes, so that rings of
        # any length can be turned in place
        for flags in (self.is_whole, self.speaks):
            flags[list(devices.values())] = flags[list(devices)]
        # all states are read before the first is written: in a ring each port overwrites the next one
        states = [
            (taken_for[p], int(self.joined_to[p]), int(self.towards[p]), bool(self.empty[p]), bool(self.odd[p]))
            for p in touched
            if p in taken_for
        ]
        for column, blank in ((self.joined_to, -1), (self.towards, -1), (self.empty, False), (self.odd, False)):
            column[list(touched)] = blank
        for port, far_port, towards, empty, odd in states:
            self.towards[port], self.empty[port], self.odd[port] = towards, empty, odd
            if far_port >= 0:
                new_far_port = taken_for.get(far_port, far_port)
                # the far port may be outside the ring, and has to be joined to the new number as well
                self.joined_to[port], self.joined_to[new_far_port] = new_far_port, port


# The cage and the connector of ports that the plan does not use, inferred from the names of planned ports of the same
# device. Most systems number ports by cage: `Ethernet33/1`, `swp33s0`, `33/1` have the cage in their name. SONiC counts
# lanes: `Ethernet256` and `Ethernet264` are neighbouring cages. If a name fits neither, its cage is not known.

MOST_ALIKE = 256
"""The most devices of one model that are searched, to bound time: devices of a model are cabled much alike."""
_NUMBERED = re.compile(r"(.*?)(\d{1,9})")


class CageConnector(NamedTuple):
    """A cage and a connector of it as printed on the front: `33` and `33/2`, or `33` twice if it has one connector."""

    cage: str
    connector: str


Front = Mapping[str, CageConnector]
"""The sockets of planned ports, by name of the port."""


@dataclass
class Fronts:
    """Looks up sockets by device (row of devices) and name of a port; results are cached."""

    cabling: PlannedCabling
    _named: dict[int, Front] = field(default_factory=dict)
    _by_model: dict[tuple[int, int], Front] = field(default_factory=dict)

    def find_socket(self, device: int, name: str, plug: int = -1) -> CageConnector:
        """Find the socket of a port of a device; its texts are "" if it is not known.

        `plug` is a planned port of the plug that sits in the socket (-1: not known). The plug takes as much of this
        cage as of the cage that it is planned in: all of it, or one connector.
        """
        for front in (self._list_planned_sockets(device), self._list_sockets_of_model(device)):
            if name in front:
                return front[name]
            if cage_lane := _find_lane_by_name(front, name) or _find_lane_by_number(front, name):
                suffix = self._find_connector_suffix(front, cage_lane.lane, plug)
                return CageConnector(cage_lane.cage, cage_lane.cage + suffix)
        return CageConnector("", "")

    def _find_connector_suffix(self, front: Front, lane: str | int, plug: int) -> str:
        """Return what follows the cage in the name of the connector at a lane: `/2`, or "" for the whole cage."""
        if plug >= 0:
            home, cage = self._list_planned_sockets(int(self.cabling.device[plug])), self.cabling.find_cage(plug)
            if self.cabling.connector_text(plug) == cage:
                return ""
            of_cage = {name: socket for name, socket in home.items() if socket.cage == cage}
            if suffix := _list_connector_suffixes(home, of_cage).get(lane):
                return suffix
        return _list_connector_suffixes(front, front).get(lane, "")

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
        """Return the sockets of planned ports of all devices of the same model and NOS, which use more of the ports."""
        columns = [self.cabling.devices[name].codes for name in ("model", "nos")]
        model_and_nos = int(columns[0][device]), int(columns[1][device])
        if model_and_nos not in self._by_model:
            devices_alike = np.flatnonzero((columns[0] == model_and_nos[0]) & (columns[1] == model_and_nos[1]))[
                :MOST_ALIKE
            ]
            fronts = map(self._list_planned_sockets, devices_alike.tolist())
            self._by_model[model_and_nos] = {name: socket for front in fronts for name, socket in front.items()}
        return self._by_model[model_and_nos]


class _CageLane(NamedTuple):
    """A cage, and which of its ports: the end of the port's name, or the number of the port within the cage."""

    cage: str
    lane: str | int


def _list_connector_suffixes(front: Front, ports: Front) -> dict[str | int, str]:
    """Return, by lane, what follows the cage in the name of the connector, read off some `ports` of a front."""
    suffixes: dict[str | int, str] = {}
    for name, socket in ports.items():
        if cage_lane := _find_lane_by_name(front, name) or _find_lane_by_number(front, name):
            # a cable that fills its cage names no connector (""): a cable that names one tells more
            suffixes[cage_lane.lane] = max(suffixes.get(cage_lane.lane, ""), socket.connector.removeprefix(socket.cage))
    if any(suffixes.values()):
        for nth, lane in enumerate(sorted(suffixes, key=lambda lane_name: make_natural_key(str(lane_name))), start=1):
            suffixes[lane] = suffixes[lane] or f"/{nth}"  # a lane that only cables filling their cage use
    return suffixes


def _find_lane_by_name(front: Front, name: str) -> _CageLane | None:
    """Find the cage and lane of a port from its name, if all planned names that begin alike contain their cage."""
    head = _read_head(name)
    suffixes = set()
    for planned_name, socket in front.items():
        if _read_head(planned_name) == head:
            suffix = planned_name[len(head) + len(socket.cage) :]
            # `Ethernet8` of cage 2 does not begin with `Ethernet2`; and if a digit follows, as in `Ethernet24` of cage
            # 2, it begins so by chance. Then lanes are counted, and names do not contain their cage.
            if not planned_name.startswith(head + socket.cage) or suffix[:1].isdigit():
                return None
            suffixes.add(suffix)
    # the longest ending first: a port of a whole cage ends with "", and so does any name
    for suffix in sorted(suffixes, key=lambda suffix_text: (-len(suffix_text), suffix_text)):
        cage = name[len(head) : len(name) - len(suffix)]
        if name.endswith(suffix) and re.fullmatch(r"\d{1,9}(/\d{1,9})*", cage):
            return _CageLane(cage, suffix)
    return None


def _read_head(name: str) -> str:
    """Return what stands before the first digit of a name."""
    letters = re.match(r"\D*", name)
    return letters[0] if letters else ""


def _find_lane_by_number(front: Front, name: str) -> _CageLane | None:
    """Find the cage and lane of a port whose number counts lanes or ports over the front.

    The cage is interpolated between the planned cages on both sides of the port, or extrapolated from the last two.
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
    step, remainder = divmod(high_number - low_number, high_cage - low_cage)
    if remainder or step < 1:
        return None
    cages, lane = divmod(number - low_number, step)
    return _CageLane(str(low_cage + cages), lane) if low_cage + cages > 0 else None

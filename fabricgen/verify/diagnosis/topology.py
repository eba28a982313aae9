"""The sightings with some boxes and plugs taken for others, so that the rest can be explained."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from copy import copy
from typing import NamedTuple

import numpy as np

from fabricgen.verify.cabling import PlannedCabling
from fabricgen.verify.diagnosis.fronts import Fronts
from fabricgen.verify.sightings import SeenPorts
from fabricgen.wiring.arrays import Flags, Ints, Ints64

NOWHERE = -2
"""Stands in place of the number of a port that neither the plan nor any dump has yet.

It is `-1 ^ 1` as well: the planned far end of nobody (-1 in `joined_to`) is no port either.
"""


class Gain(NamedTuple):
    """What a change would do to links: how many more are right, in how many rows, and how many unseen ones may break.

    `links` and `cable_rows` are differences (right after the change less right before it) and may be negative. A row
    of cables.csv has the jumpers that lie side by side, and counts as one plug. `unseen` counts the links about which
    nothing is known, so that they may be as planned now. Of the links concerned that are seen, `right` and `wrong`
    count those that are right or wrong after the change, and `broken` those that are right only before it. `tiers` is
    the number of tiers planned at their other ends, and `witnesses` the number of tiers at whose devices a link is
    right after the change; devices that are exchanged count for neither.
    """

    links: int
    cable_rows: int
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
    behind them are reserve): `joined_to` and `towards`, int32, as in `SeenPorts`; `surely_silent`, bool: the port
    certainly holds no working plug; `odd`, bool: it sees a stranger, or dumps contradict each other about it; `device`
    and `name`, int32, as in PlannedCabling. Columns by device, bool: `is_whole`, all that its ports see is known;
    `speaks`, it has a dump of its own. `device` and `name` stay with the port; the other columns go along with what is
    taken for something else.
    """

    def __init__(self, cabling: PlannedCabling, seen_ports: SeenPorts) -> None:
        """Start with what was seen, unchanged."""
        self.cabling = cabling
        self.first_spare = cabling.ports
        self.size = len(seen_ports.joined_to)
        self.joined_to: Ints = seen_ports.joined_to.copy()
        self.towards: Ints = seen_ports.towards.copy()
        self._sees_devices = bool((seen_ports.towards >= 0).any())  # an exchange moves these sightings, and adds none
        self.surely_silent: Flags = (
            ((seen_ports.dumped & ~seen_ports.doubtful) | seen_ports.down)
            & (seen_ports.joined_to < 0)
            & (seen_ports.towards < 0)
        )
        self.odd: Flags = np.zeros(self.size, dtype=bool)
        odd = [
            *(stranger.port for stranger in seen_ports.strangers),
            *(conflict.port for conflict in seen_ports.conflicts),
            # if both ends of a cable agree, they are not in doubt because of what a third port sees
            *(seen_port for _, seen_port, *_ in seen_ports.conflicts if seen_port >= 0 > self.joined_to[seen_port]),
        ]
        self.odd[odd] = True
        self.surely_silent[odd] = False
        unsure_ports, dumped_ports = (
            np.bincount(cabling.device[flags[: self.first_spare]], minlength=len(cabling.device_names))
            for flags in (~seen_ports.dumped | seen_ports.doubtful, seen_ports.dumped)
        )
        self.is_whole: Flags = unsure_ports == 0
        self.speaks: Flags = dumped_ports > 0
        # names of ports as numbers, planned names first; they are needed only if there are spare ports. A spare port
        # with a planned name has the number of that name, so that names on exchanged boxes compare as numbers.
        code_of_name = (
            {str(text): code for code, text in enumerate(cabling.port_texts.tolist())} if seen_ports.spare else {}
        )
        self.names: list[str] = [spare.port for spare in seen_ports.spare]
        codes = [code_of_name.setdefault(spare.port, len(code_of_name)) for spare in seen_ports.spare]
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
        for column in ("joined_to", "towards", "surely_silent", "odd", "device", "name", "names", "is_whole", "speaks"):
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
            for column in ("surely_silent", "odd"):
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

    def find_wrong_ports(self) -> Ints64:
        """Return the ports (int64, sorted) that are joined to another port than planned, unless the swap is harmless.

        It is harmless if parallel links between the same two devices are swapped whose ports are configured alike, as
        `joins_right` decides for a single port.
        """
        joined_to = self.joined_to[: self.size]
        port = np.flatnonzero(joined_to >= 0)
        # `port ^ 1` is the other end of a planned link; spare ports, from `first_spare` on, have no planned link
        port = port[(joined_to[port] != port ^ 1) | (port >= self.first_spare)]
        joined_ports = joined_to[port]
        both_planned = (port < self.first_spare) & (joined_ports < self.first_spare)
        planned_ports, far_ports = port[both_planned], joined_ports[both_planned]
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
        wrong_ports: Ints64 = port[is_wrong]
        return wrong_ports

    def is_unseen(self, port: int) -> bool:
        """Whether nothing is known about the planned link at a port, so that it may be as planned."""
        pair = (port, port ^ 1)
        if any(self.joined_to[p] >= 0 or self.towards[p] >= 0 or self.odd[p] for p in pair):
            return False
        return not any(self.surely_silent[p] for p in pair)

    def has_state(self, port: int, now: int) -> bool:
        """Whether anything is known about `port` that must move to `now`, the port that it is taken for.

        If `now` is NOWHERE, a port that only is silent or odd need not be moved.
        """
        if self.joined_to[port] >= 0 or self.towards[port] >= 0:
            return True
        return now != NOWHERE and bool(self.surely_silent[port] or self.odd[port])

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
            far_port, now, seen_device = int(self.joined_to[port]), taken_for.get(port, port), int(self.towards[port])
            if far_port >= 0:
                # both ends are taken for others: the link was counted at its lower port
                if far_port in taken_for and far_port < port:
                    continue
                was_right = self.joins_right(port, far_port)
                is_right = self.joins_right(now, taken_for.get(far_port, far_port))
                seen_device = int(self.device[far_port])
            elif seen_device >= 0:
                was_right, is_right = (
                    self.is_planned_at(port, seen_device),
                    self.is_planned_at(now, devices.get(seen_device, seen_device)),
                )
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
                far |= {int(self.device[port]), seen_device} - devices.keys()
            wrong += not is_right
        # right links after the change less right links before it: an exchange that only swaps faults gains nothing
        links, cable_rows = (
            len(right_after) - len(right_before),
            self._count_cable_rows(right_after) - self._count_cable_rows(right_before),
        )
        # spare ports, from `first_spare` on, have no planned far end. Links among the devices themselves count for
        # neither: they are as right before an exchange as after it
        planned = {int(self.device[port ^ 1]) for port in touched if port < self.first_spare} - devices.keys()
        witnesses, tiers = (len({self.cabling.read_device("tier", d) for d in devices}) for devices in (far, planned))
        return Gain(links, cable_rows, len(unseen), len(right_after), wrong, broken, witnesses, tiers)

    def has_no_excess_links(self, devices: Collection[int]) -> bool:
        """Whether each of these devices has links, and to no other device more links than are planned."""
        for device in devices:
            seen_links: Counter[int] = Counter()
            for port in self.list_ports(device):
                far_port, seen_device = int(self.joined_to[port]), int(self.towards[port])
                if far_port >= 0 or seen_device >= 0:
                    seen_links[int(self.device[far_port]) if far_port >= 0 else seen_device] += 1
            planned = Counter(self.device[self.cabling.list_device_ports(device) ^ 1].tolist())
            # the difference of Counters keeps only devices with more links than planned
            if not seen_links or seen_links - planned:
                return False
        return True

    def is_planned_at(self, port: int, seen_device: int) -> bool:
        """Whether the plan joins a port to this device; False for a spare port and for NOWHERE."""
        return bool(0 <= port < self.first_spare and seen_device == self.device[port ^ 1])

    def _count_cable_rows(self, ports: Sequence[int]) -> int:
        """Count the rows of cables.csv that some ports belong to: two jumpers from one cage to one other count once."""
        return len({int(self.cabling.row[port >> 1]) for port in ports})

    def apply_mapping(self, taken_for: Mapping[int, int], touched: Sequence[int], devices: Mapping[int, int]) -> None:
        """Take ports and devices for others, in place (arguments as for `measure_gain`).

        What `touched` ports see is moved to the ports that they are taken for; of a
        touched port that no other port is taken for, nothing is known then.
        """
        for port in self.list_ports_looking_at(devices):
            self.towards[port] = devices[int(self.towards[port])]
        # what is known of a box by its dump goes with it. numpy reads the right side before it writes, so that rings of
        # any length can be turned in place
        for flags in (self.is_whole, self.speaks):
            flags[list(devices.values())] = flags[list(devices)]
        # all states are read before the first is written: in a ring each port overwrites the next one
        states = [
            (taken_for[p], int(self.joined_to[p]), int(self.towards[p]), bool(self.surely_silent[p]), bool(self.odd[p]))
            for p in touched
            if p in taken_for
        ]
        for column, blank in ((self.joined_to, -1), (self.towards, -1), (self.surely_silent, False), (self.odd, False)):
            column[list(touched)] = blank
        for port, far_port, towards, silent, odd in states:
            self.towards[port], self.surely_silent[port], self.odd[port] = towards, silent, odd
            if far_port >= 0:
                new_far_port = taken_for.get(far_port, far_port)
                # the far port may be outside the ring, and has to be joined to the new number as well
                self.joined_to[port], self.joined_to[new_far_port] = new_far_port, port

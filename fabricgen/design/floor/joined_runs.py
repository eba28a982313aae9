"""Which runs of devices share network racks: those of less than half a rack join their neighbours, and a lock keeps
who stands where.

Failure domains stay apart: parts that a tier is split into, planes, and two fabrics on the same NICs of nodes never
come into one rack because of it. Switches that are plugged from one side come first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from fabricgen.catalog.models import NodeProfile, RackProfile, SwitchProfile
from fabricgen.design.floor.network_runs import EXTRAS, PART, NetworkRun, choose_lane
from fabricgen.design.floor.rack_space import make_network_units
from fabricgen.design.floor.unit_racks import STRIDE
from fabricgen.kernel.intervals import Allocations, Intervals, list_numbers

SN5600_OPTIC_W = 18
"""What a transceiver of 800 Gb/s may draw in a cage of SN5600, W (docs.nvidia.com/networking/display/sn5000,
Data Interfaces)."""

Spot = tuple[int, int]
"""Rack of a run of racks, from 0, and lowest rack unit."""

Key = tuple[int, str]
"""Hall, and lock key of a run of devices or of racks."""


class RackLimits(NamedTuple):
    """The type of network racks, and the W that devices of several runs in one may draw at most, with optics."""

    kind: RackProfile
    watts: float


class StackedDevice(NamedTuple):
    """Rack units of a device, W of it and its optics, and kg; 0 where nobody says."""

    height: int
    watts: float = 0
    kg: float = 0


def make_device(profile: NodeProfile | SwitchProfile, rack: RackProfile) -> StackedDevice:
    """A device as far as racks have limits for it. Half of what it draws is for its optics; where the racks have a
    limit of power, no less than optics in all of its cages may draw, so that they keep to it.
    """
    watts = profile.power_w.planning_w or 0
    optics = watts / 2
    if rack.power_kw and isinstance(profile, SwitchProfile) and not profile.power_w.max_with_optics:
        optics = max(optics, _sum_optics(profile))
    return StackedDevice(profile.rack_units, watts + optics, profile.weight_kg or 0)


def _sum_optics(profile: SwitchProfile) -> float:
    """What optics in all cages of a switch may draw, W: by its maker, else as in cages of SN5600 of as many Gb/s."""
    return sum(
        group.count * (group.optic_w or group.lanes * group.lane_gbps * SN5600_OPTIC_W / 800)
        for group in profile.cages
        if group.form_factor != "RJ45"
    )


class RunContent(NamedTuple):
    """The devices of a run, those of reserved units included, in the order in which they are stacked.

    `fabric` are the fabric and the NICs of nodes that it serves; `aisle` is the one that ports of switches face, ""
    where nobody says. `joins`: it may stand in racks of another run, `hosts`: its racks may take others; `small`: it
    has less than half a rack; `grows`: more units may bring it more devices, as its count is derived.
    """

    run: NetworkRun
    devices: Sequence[StackedDevice]
    hung: bool
    fabric: tuple[str, str]
    aisle: str
    joins: bool
    hosts: bool
    small: bool
    grows: bool


class SharedRacks:
    """Network racks side by side while runs of devices fill them."""

    def __init__(self, hall: int, holder: str, limits: RackLimits) -> None:
        self.hall, self.holder, self._limits = hall, holder, limits
        self.contents: list[RunContent] = []
        self.spots: dict[str, list[Spot]] = {}
        """Where each device of a run stands, by the lock key of the run; of extra devices, where they came first."""
        self.free = [make_network_units(limits.kind)]

    @property
    def key(self) -> Key:
        """Its hall and its key in the lock."""
        return self.hall, self.holder

    def keep_allocations(self, content: RunContent | None, intervals: Intervals) -> bool:
        """Keep the rack units that a lock has for a run; says whether the run, if it is still there, goes on in
        them.
        """
        numbers = [divmod(n, STRIDE) for n in list_numbers(intervals)]
        for rack, u in numbers:
            self._open_racks(rack)
            self.free[rack - 1].take_units(u, 1)
        if content is None:
            return False
        holder = content.run.holder
        if holder != self.holder and not (content.joins and self._goes_with(content)):
            return False
        self.contents.append(content)
        # which of the extra devices stands where is kept by their sets; their power and load count for the first rack
        extras = holder == EXTRAS
        self.spots[holder] = (
            [(numbers[0][0] - 1, 0)] * len(content.devices) if extras else _list_spots(numbers, content)
        )
        return True

    def stack_rest(self, content: RunContent) -> None:
        """Give devices of a run that have no place yet the next ones behind those that have, in further racks too."""
        spots = self.spots.setdefault(content.run.holder, [])
        rack, end = spots[-1] if spots else (0, 0)
        end += content.devices[0].height - 1 if end and not content.hung else 0
        for device in content.devices[len(spots) :]:
            u = self.free[rack].find_next(end, device.height, hung=content.hung)
            while u is None and rack < len(self.free):
                rack += 1
                self._open_racks(rack + 1)
                u = self.free[rack].find_next(0, device.height, hung=content.hung)
            u = self.free[rack].take_units(u or 1, device.height)
            end = u if content.hung else u + device.height - 1
            spots.append((rack, u))

    def fill_first(self, content: RunContent) -> None:
        """Stack a run in these racks, which are its own."""
        if content.hosts or self.contents:
            self.stack_rest(content)
        self.contents.append(content)

    def faces_only(self, aisle: str) -> bool:
        """Whether ports of all switches here face an aisle, as far as anybody says."""
        return not aisle or {content.aisle for content in self.contents} <= {aisle, ""}

    def take_in(self, content: RunContent) -> bool:
        """Stack a run in the first rack that has room, power and load for all of it; says whether there is one."""
        if not any(other.hosts for other in self.contents) or not self._goes_with(content):
            return False
        for rack in range(len(self.free)):
            bottoms = self._stack_in(rack, content)
            if bottoms and self._can_carry(rack, content.devices):
                for u, device in zip(bottoms, content.devices, strict=True):
                    self.free[rack].take_units(u, device.height)
                self.spots[content.run.holder] = [(rack, u) for u in bottoms]
                self.contents.append(content)
                return True
        return False

    def _open_racks(self, count: int) -> None:
        while len(self.free) < count:
            self.free.append(make_network_units(self._limits.kind))

    def _stack_in(self, rack: int, content: RunContent) -> list[int]:
        """The rack units of all devices of a run in one rack; empty where it has no room for them.

        From the other end of the rack where its first run may grow, so that this moves nobody as long as there is room.
        """
        hung = not self.contents[0].hung if self.contents[0].grows else content.hung
        bottoms: list[int] = []
        end = 0
        for device in content.devices:
            u = self.free[rack].find_next(end, device.height, hung=hung)
            if u is None:
                return []
            bottoms.append(u)
            end = u if hung else u + device.height - 1
        # the first of a tier is at the side from which the rack is filled
        return bottoms if hung == content.hung or content.run.holder == EXTRAS else bottoms[::-1]

    def _goes_with(self, content: RunContent) -> bool:
        """Whether the loss of a rack with a run takes nothing that stands in for what is there."""
        run, (name, nics) = content.run, content.fabric
        # the parts of what is split stand in different rows, and these go by who was first
        split = PART in run.holder or run.plane >= 0
        if run.hall != self.hall or (split and choose_lane(run.holder) != choose_lane(self.holder)):
            return False
        return all(
            other.run.at_ends == run.at_ends
            and (other.run.plane == run.plane or -1 in (other.run.plane, run.plane))
            and (other.fabric[0] == name or other.fabric[1] != nics)
            for other in self.contents
        )

    def _can_carry(self, rack: int, devices: Iterable[StackedDevice]) -> bool:
        """Whether a rack may draw and carry further devices beside those that it has."""
        there = [
            device
            for content in self.contents
            for (number, _), device in zip(self.spots.get(content.run.holder, ()), content.devices, strict=False)
            if number == rack
        ]
        watts, kg = (sum(column) for column in zip(*((d.watts, d.kg) for d in (*there, *devices)), strict=True))
        load = self._limits.kind.load_kg
        return watts <= self._limits.watts and (load is None or kg <= load)


def join_runs(
    contents: Sequence[RunContent], kept: Mapping[Key, Allocations], limits: RackLimits
) -> tuple[SharedRacks, ...]:
    """The runs of racks for some runs of devices; `kept` are the rack units of those that share, as a lock has them.

    Extra devices come last: what else shares racks with them hangs above them.
    """
    shared, by_key = dict[Key, SharedRacks](), {content.run.key: content for content in contents}
    placed: set[Key] = set()
    for (hall, holder), allocations in kept.items():
        racks = shared[hall, holder] = SharedRacks(hall, holder, limits)
        # the run that they are called after first: the others go with it
        for name in sorted(allocations, key=lambda name: (name != holder, name)):
            if racks.keep_allocations(by_key.get((hall, name)), allocations[name]):
                placed.add((hall, name))
        for content in racks.contents:
            racks.stack_rest(content)
    new = [content for content in contents if content.run.key not in placed]
    for content in sorted(new, key=lambda c: (c.small, c.run.holder == EXTRAS)):
        key = content.run.key
        # those that are plugged from the same side first: the sort is stable
        nearest = sorted(shared.values(), key=lambda racks: not racks.faces_only(content.aisle))
        if content.joins and content.small and any(racks.take_in(content) for racks in nearest):
            continue
        # the racks that are called after it may be there, with others whose places a lock has
        racks = shared.setdefault(key, SharedRacks(*key, limits))
        racks.fill_first(content)
    order = {content.run.key: number for number, content in enumerate(contents)}
    live = (racks for racks in shared.values() if racks.contents)
    return tuple(sorted(live, key=lambda racks: min(order[c.run.key] for c in _list_first(racks))))


def _list_first(racks: SharedRacks) -> Sequence[RunContent]:
    """The run by which racks are called, or all that are left where it is gone."""
    return [c for c in racks.contents if c.run.holder == racks.holder] or racks.contents


def _list_spots(numbers: Sequence[tuple[int, int]], content: RunContent) -> list[Spot]:
    """Where the devices of a run stand by all rack units that they take; empty where these are of other devices."""
    height = content.devices[0].height
    starts = numbers[::height]
    if [(rack, u + i) for rack, u in starts for i in range(height)] != list(numbers):
        return []
    spots = [(rack - 1, u) for rack, u in starts]
    return sorted(spots, key=lambda spot: (spot[0], -spot[1] if content.hung else spot[1]))

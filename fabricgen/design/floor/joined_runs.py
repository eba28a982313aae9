"""Which runs of devices share network racks: runs of less than half a rack join their neighbours, and a lock keeps who
stands where. A run of devices is the switches of a tier in one hall (of one plane, or one part of a split tier), extra
devices, or scale-up trays; a run of racks is the racks side by side that one or several of these fill.

Failure domains stay apart: parts that a tier is split into, planes, and two fabrics on the same NICs of nodes never
share a rack because of it. Runs join first with runs whose ports face the same aisle.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from fabricgen.blueprint.beside.sized import Step
from fabricgen.catalog.models import NodeProfile, RackProfile, SwitchProfile
from fabricgen.design.floor.network_runs import EXTRAS, PART, NetworkRun, choose_lane
from fabricgen.design.floor.rack_space import make_network_units
from fabricgen.design.floor.unit_racks import STRIDE
from fabricgen.kernel.intervals import Allocations, Intervals, list_numbers

SN5600_OPTIC_W = 18
"""What a transceiver of 800 Gb/s may draw in a cage of SN5600, W (docs.nvidia.com/networking/display/sn5000,
Data Interfaces)."""

RunPosition = tuple[int, int]
"""Number of a rack in its run of racks, from 0, and lowest rack unit of a device in it."""

Key = tuple[int, str]
"""Index of a hall, and lock key of a run of devices or of racks in it."""


class RackLimits(NamedTuple):
    """The type of network racks, and how much devices of several runs in one rack may draw together with their optics,
    W.
    """

    kind: RackProfile
    watts: float


class StackedDevice(NamedTuple):
    """Height of a device in rack units, what it and its optics draw, W, and its weight, kg; 0 for a figure that is not
    known.
    """

    height: int
    watts: float = 0
    kg: float = 0


def make_device(profile: NodeProfile | SwitchProfile, rack: RackProfile) -> StackedDevice:
    """Return height, power with optics, and weight of a device in a rack of a type.

    Optics are taken to draw half of what the device draws. In racks with a limit of power (`power_kw`), a switch's
    optics are taken to draw at least what optics in all of its cages may draw; this does not apply if the power that
    the profile states includes optics.
    """
    watts = profile.power_w.planning_w or 0
    optics = watts / 2
    if rack.power_kw and isinstance(profile, SwitchProfile) and not profile.power_w.max_with_optics:
        optics = max(optics, _sum_optics(profile))
    return StackedDevice(profile.rack_units, watts + optics, profile.weight_kg or 0)


def _sum_optics(profile: SwitchProfile) -> float:
    """Return what optics in all cages of a switch may draw, W: as its maker states, else as much for each Gb/s as
    optics in cages of SN5600.
    """
    return sum(
        group.count * (group.optic_w or group.lanes * group.lane_gbps * SN5600_OPTIC_W / 800)
        for group in profile.cages
        if group.form_factor != "RJ45"
    )


class RunContent(NamedTuple):
    """The devices of a run, including those of reserved units, in the order in which they are stacked."""

    run: NetworkRun
    devices: Sequence[StackedDevice]
    hung: bool
    """Whether they are stacked from the top down."""
    fabric: tuple[str, str]
    """The fabric, and the role of the NICs of nodes that it serves."""
    aisle: str
    """The aisle that ports of its switches face, "" if it is not known."""
    joins: bool
    """Whether it may stand in racks of another run."""
    hosts: bool
    """Whether its racks may take in other runs."""
    small: bool
    """Whether it fills less than half a rack."""
    grows: bool
    """Whether more units may bring it more devices, as its count is derived."""


class SharedRacks:
    """A run of network racks side by side, while runs of devices fill it."""

    def __init__(self, hall: int, holder: str, limits: RackLimits) -> None:
        self.hall, self.holder, self._limits = hall, holder, limits
        self.contents: list[RunContent] = []
        self.positions: dict[str, list[RunPosition]] = {}
        """For each run of devices, by lock key, where each device stands. For extra devices that the lock has it is
        the rack of the first one only, with rack unit 0.
        """
        self.free = [make_network_units(limits.kind)]
        """For each rack, its free rack units."""

    @property
    def key(self) -> Key:
        """Its hall and its lock key."""
        return self.hall, self.holder

    def keep_allocations(self, content: RunContent | None, intervals: Intervals) -> None:
        """Take the rack units that a lock has for a run of devices, and add the run if it may stay in these racks.

        Each number in `intervals` is `STRIDE` times the rack, from 1, plus the rack unit. `content` is None for a run
        that is gone. The rack units stay taken even if no run is added. If they do not fit the height of the run's
        devices, the run is added without positions.
        """
        racks_and_units = [divmod(n, STRIDE) for n in list_numbers(intervals)]
        for rack, u in racks_and_units:
            self._open_racks(rack)
            self.free[rack - 1].take_units(u, 1)
        if content is None:
            return
        holder = content.run.holder
        if holder != self.holder and not (content.joins and self._can_share_with(content)):
            return
        self.contents.append(content)
        # where each extra device stands is kept by its set; here all of their power and load counts for one rack
        is_extra_devices = holder == EXTRAS
        # the lock counts racks from 1, positions from 0
        self.positions[holder] = (
            [(racks_and_units[0][0] - 1, 0)] * len(content.devices)
            if is_extra_devices
            else _find_positions_of_run(racks_and_units, content)
        )

    def stack_remaining(self, content: RunContent) -> None:
        """Stack the devices of a run that have no position yet behind those that have one, opening further racks if
        needed.
        """
        positions = self.positions.setdefault(content.run.holder, [])
        rack, end = positions[-1] if positions else (0, 0)
        end += content.devices[0].height - 1 if end and not content.hung else 0
        for device in content.devices[len(positions) :]:
            u = self.free[rack].find_next(end, device.height, hung=content.hung)
            while u is None:
                rack += 1
                is_last = rack >= len(self.free)
                self._open_racks(rack + 1)
                u = self.free[rack].find_next(0, device.height, hung=content.hung)
                if is_last and u is None:  # higher than an empty rack: it stands from unit 1, and a rule tells
                    u = 1
            u = self.free[rack].take_units(u, device.height)
            end = u if content.hung else u + device.height - 1
            positions.append((rack, u))

    def stack_own_run(self, content: RunContent) -> None:
        """Add the run of devices that the racks are named after, and stack its devices. They are not stacked here if
        the run is alone in the racks and takes in no other run: then `RunPlaces` computes where they stand.
        """
        if content.hosts or self.contents:
            self.stack_remaining(content)
        self.contents.append(content)

    def faces_one_aisle(self, aisle: str) -> bool:
        """Whether all ports in these racks face one aisle if a run joins whose ports face `aisle`. Runs whose aisle is
        not known ("") do not count.
        """
        return not aisle or {content.aisle for content in self.contents} <= {aisle, ""}

    def stack_joining_run(self, content: RunContent) -> bool:
        """Stack a run in the first rack that has room, power and load for all of its devices, and return whether a rack
        has.

        No rack has if none of the runs in these racks takes in others, or if a run in them must stay apart from this
        one.
        """
        if not any(member.hosts for member in self.contents) or not self._can_share_with(content):
            return False
        for rack in range(len(self.free)):
            bottoms = self._find_units_in_rack(rack, content)
            if bottoms and self._can_carry(rack, content.devices):
                for u, device in zip(bottoms, content.devices, strict=True):
                    self.free[rack].take_units(u, device.height)
                self.positions[content.run.holder] = [(rack, u) for u in bottoms]
                self.contents.append(content)
                return True
        return False

    def _open_racks(self, count: int) -> None:
        while len(self.free) < count:
            self.free.append(make_network_units(self._limits.kind))

    def _find_units_in_rack(self, rack: int, content: RunContent) -> list[int]:
        """Return the lowest rack unit of every device of a run if all of them are stacked in one rack; empty if they do
        not fit.

        If the first run of the racks may grow, the new run is stacked from the other end of the rack, so that growth of
        the first moves nothing as long as there is room.
        """
        hung = not self.contents[0].hung if self.contents[0].grows else content.hung
        bottoms = list(self.free[rack].list_stacked((device.height for device in content.devices), hung=hung))
        if len(bottoms) < len(content.devices):
            return []
        # the first switch of a tier stands at the end of the rack from which its run is filled
        return bottoms if hung == content.hung or content.run.holder == EXTRAS else bottoms[::-1]

    def _can_share_with(self, content: RunContent) -> bool:
        """Whether a run may share these racks. It may not if the loss of a rack would take the run together with what
        stands in for it: a run of another lane (`choose_lane`) or plane, or of another fabric on the same NICs. Nor may
        runs of different halls, or a run at row ends and one in network rows.
        """
        run, (name, nics) = content.run, content.fabric
        # racks stand in the row of the lane of the run that was first in them
        split = PART in run.holder or run.plane >= 0
        if run.hall != self.hall or (split and choose_lane(run.holder) != choose_lane(self.holder)):
            return False
        return all(
            member.run.at_ends == run.at_ends
            and (member.run.plane == run.plane or -1 in (member.run.plane, run.plane))
            and (member_fabric == name or member_nics != nics)
            for member in self.contents
            for member_fabric, member_nics in (member.fabric,)
        )

    def _can_carry(self, rack: int, devices: Iterable[StackedDevice]) -> bool:
        """Whether a rack stays within its limits of power and load with further devices."""
        devices_in_rack = [
            device
            for content in self.contents
            for (number, _), device in zip(self.positions.get(content.run.holder, ()), content.devices, strict=False)
            if number == rack
        ]
        watts, kg = (
            sum(column) for column in zip(*((d.watts, d.kg) for d in (*devices_in_rack, *devices)), strict=True)
        )
        load = self._limits.kind.load_kg
        return watts <= self._limits.watts and (load is None or kg <= load)


def join_runs(
    contents: Sequence[RunContent], units_in_lock: Mapping[Key, Allocations], limits: RackLimits
) -> tuple[SharedRacks, ...]:
    """Place runs of devices in runs of racks: keep those that a lock has together, then add the new ones.

    `units_in_lock` has the rack units of the runs of devices that share racks, by run of racks. New runs that fill half
    a rack or more are placed before smaller ones, each in the order of `contents`, but extra devices last. A smaller
    run that may join others goes into the first racks with room for it, those whose ports face the same aisle first;
    any other run gets racks named after it.

    Returns the runs of racks that hold devices, in the order of `contents` of the runs that they are named after. If
    that run is gone, the first run that is left in the racks counts.
    """
    shared = _keep_locked_runs(contents, units_in_lock, limits)
    kept_keys = {content.run.key for racks in shared.values() for content in racks.contents}
    new_contents = [content for content in contents if content.run.key not in kept_keys]
    # False sorts before True; the sort is stable
    for content in sorted(new_contents, key=lambda c: (c.small, c.run.holder == EXTRAS)):
        # racks whose ports face the same aisle first
        best_first = sorted(shared.values(), key=lambda racks: not racks.faces_one_aisle(content.aisle))
        if content.joins and content.small and any(racks.stack_joining_run(content) for racks in best_first):
            continue
        # racks with its lock key may exist already, with other runs that the lock has in them
        shared.setdefault(content.run.key, SharedRacks(*content.run.key, limits)).stack_own_run(content)
    rank_of_run = {content.run.key: rank for rank, content in enumerate(contents)}
    in_use = (racks for racks in shared.values() if racks.contents)
    return tuple(sorted(in_use, key=lambda racks: min(rank_of_run[c.run.key] for c in _list_naming_runs(racks))))


def _keep_locked_runs(
    contents: Sequence[RunContent], units_in_lock: Mapping[Key, Allocations], limits: RackLimits
) -> dict[Key, SharedRacks]:
    """Return the runs of racks that a lock has, with the runs of devices that may stay in them; devices that these runs
    gained are stacked behind the others.
    """
    shared, content_by_key = dict[Key, SharedRacks](), {content.run.key: content for content in contents}
    for (hall, rack_holder), allocations in units_in_lock.items():
        racks = shared[hall, rack_holder] = SharedRacks(hall, rack_holder, limits)
        # the run of devices that the racks are named after comes first: the others must be able to share with it
        for holder in sorted(allocations, key=lambda holder: (holder != rack_holder, holder)):
            racks.keep_allocations(content_by_key.get((hall, holder)), allocations[holder])
        for content in racks.contents:
            racks.stack_remaining(content)
    return shared


def _list_naming_runs(racks: SharedRacks) -> Sequence[RunContent]:
    """Return the run of devices that the racks are named after; if it is gone, all runs that are left in them."""
    return [c for c in racks.contents if c.run.holder == racks.holder] or racks.contents


def _find_positions_of_run(racks_and_units: Sequence[tuple[int, int]], content: RunContent) -> list[RunPosition]:
    """Return where the devices of a run stand, (rack from 0, lowest rack unit), in the order in which they are stacked;
    empty if the rack units in the lock are not those of devices of this height.

    `racks_and_units` are (rack from 1, rack unit) of all rack units that the lock has for the run.
    """
    height = content.devices[0].height
    bottoms = racks_and_units[::height]
    if [(rack, u + i) for rack, u in bottoms for i in range(height)] != list(racks_and_units):
        return []
    positions = [(rack - 1, u) for rack, u in bottoms]
    return sorted(positions, key=lambda position: (position[0], -position[1] if content.hung else position[1]))


# The order in which switches of a tier fill a run of shared racks.
# Growth moves no switch that is already there. Switches are addressed by group number (counting reserved groups) and
# number in the group. The lock has a history of how many groups and switches there were, which says which came first.
# Within a step of growth the first switch of every group comes before the second of any; if groups belong to units,
# switches go group after group. All expressions work on ints and on int arrays.


def choose(condition: bool, if_true: Any, if_false: Any) -> Any:
    """Return `if_true` or `if_false` as `numpy.where` does, for single values."""
    return if_true if condition else if_false


class RunOrder(NamedTuple):
    """The order in which the switches of a tier are stacked in one of its `parts` runs; `part` is the number of that
    run, from 0. The switches of each group are dealt to the runs in turn. If a group has fewer switches than there are
    runs, each group begins one run further than the one before.

    `steps` says how the tier grew: how many groups it had at each step, and how many switches each of them. With
    `by_group` the switches of a group follow one another, else the switches of one number do.
    """

    steps: tuple[Step, ...]
    by_group: bool
    part: int
    parts: int

    def compute_position(self, group: Any, number: Any, where: Any) -> Any:
        """Return the position of a switch in its run, from 0, by its group and its number in the group; takes ints or
        int arrays.

        `where(condition, if_true, if_false)` is `numpy.where`, or `choose` for ints. If the tier is split over several
        runs, the switch must be one of this run.
        """
        # groups with fewer switches than parts cannot be divided: whole groups are dealt to the parts in turn
        whole_groups = self.steps[-1].switches < self.parts
        if whole_groups:
            group = group // self.parts
        else:
            number = number // self.parts
        steps = [self._cut_to_part(step, whole_groups=whole_groups) for step in self.steps]
        position: Any = 0
        outer, inner = (group, number) if self.by_group else (number, group)
        # Switches form a rectangle of `outer` rows and `inner` columns. Each step of growth adds a frame around it:
        # positions of the rectangle before stay. New columns of old rows are numbered first, then whole new rows.
        for earlier_step, later_step in zip([Step(0, 0), *steps], steps, strict=False):
            (old_rows, old_columns), (_, new_columns) = (
                (step.groups, step.switches) if self.by_group else (step.switches, step.groups)
                for step in (earlier_step, later_step)
            )
            start = earlier_step.groups * earlier_step.switches
            in_old_row = start + outer * (new_columns - old_columns) + (inner - old_columns)
            in_new_row = start + old_rows * (new_columns - old_columns) + (outer - old_rows) * new_columns + inner
            is_new = (group >= earlier_step.groups) | (number >= earlier_step.switches)
            position = where(is_new, where(outer < old_rows, in_old_row, in_new_row), position)
        return position

    @property
    def places(self) -> int:
        """How many positions the run has."""
        last_step = self._cut_to_part(self.steps[-1], whole_groups=self.steps[-1].switches < self.parts)
        return last_step.groups * last_step.switches

    def _cut_to_part(self, step: Step, *, whole_groups: bool) -> Step:
        """Return a step of the tier's growth as it was for this run: how many groups it had, and how many switches of
        each.
        """
        if whole_groups:
            return Step(-(-step.groups // self.parts), step.switches)
        # how many numbers below `switches` are `part` modulo `parts`
        return Step(step.groups, (step.switches - self.part + self.parts - 1) // self.parts)

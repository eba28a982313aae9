"""Failure domains: the switches, and the units whose nodes, that fail with a rack, a row of racks or a power feed.

A node rack fails with its nodes, which then need no network: a switch on top of that rack is no loss to others. Units
of a part of the cluster are alike, and so are their network racks: one of these units stands for all.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from fabricgen.blueprint.dimensions import WHOLE, find_noun
from fabricgen.design.fabric_model import TierDesign, TierKey
from fabricgen.design.floor.floor_plan import FloorPlan, RackPosition, RackRun, SwitchIndex
from fabricgen.design.floor.network_runs import stands_in_run
from fabricgen.design.layout import Layout
from fabricgen.design.model import Design
from fabricgen.design.shape import is_part_of_unit, list_units_of_place
from fabricgen.kernel.grouping import Key, group_pairs


class FailureDomain(NamedTuple):
    """Switches that fail together, by tier, and the scalable units whose nodes fail with them."""

    name: str
    switches: Mapping[TierKey, Sequence[SwitchIndex]]
    units: frozenset[int] = frozenset()

    def takes_nodes(self, layout: Layout, scope: str, place: int) -> bool:
        """Whether all nodes of a place fail as well; `layout` is that of the tier that serves the place, given by its
        scope and its number there.
        """
        if not self.units:
            return False
        return all(layout.cluster_units[unit] in self.units for unit in list_units_of_place(layout, scope, place))


class _NetworkRack(NamedTuple):
    """A network rack: name, position, and its switches by tier."""

    name: str
    position: RackPosition
    switches: Mapping[TierKey, Sequence[SwitchIndex]]


def list_rack_failures(_design: Design, floor: FloorPlan) -> Iterator[FailureDomain]:
    """Yield a failure domain for every network rack: the racks of one unit of each part of the cluster, and all shared
    ones.
    """
    units = [floor.plan_of_unit.index(part) for part in range(len(floor.plans))]
    for rack in (
        *(rack for unit in units for rack in _list_unit_racks(floor, unit)),
        *_list_racks_of_runs(floor, floor.runs),
    ):
        yield FailureDomain(rack.name, rack.switches)


def list_row_failures(design: Design, floor: FloorPlan) -> Iterator[FailureDomain]:
    """Yield a failure domain for every row that has network racks."""
    rows = _group_racks(design, floor, lambda position: (position.site, position.hall, position.row))
    for _, (racks, units) in sorted(rows.items()):
        if racks:
            yield _make_failure_domain(name_row(design, floor, racks[0].position), racks, units)


def name_row(design: Design, floor: FloorPlan, position: RackPosition) -> str:
    """Return the row of a position in words: `network row 2 of hall1`."""
    sites, hall = design.layout.sites, floor.halls[position.hall].name
    where = f" of {hall}" if design.loaded.blueprint.floor.halls else ""
    where = where or (f" at {sites[position.site]}" if len(sites) > 1 else "")
    kind = "network row" if floor.is_in_network_row(position) else "row"
    return f"{kind} {abs(position.row + (position.row >= 0))}{where}"


def list_feed_failures(design: Design, floor: FloorPlan) -> Iterator[FailureDomain]:
    """Yield a failure domain for every power feed that is the only feed of some rack."""
    if design.loaded.blueprint.floor.cords > 1:
        return
    for feeds, (racks, units) in sorted(_group_racks(design, floor, floor.feeds_of).items()):
        if feeds:
            yield _make_failure_domain(f"feed {feeds[0]}", racks, units)


def list_feeds_in_use(design: Design, floor: FloorPlan) -> frozenset[str]:
    """Return the power feeds that racks of nodes or switches are on; the search stops once all feeds have been seen."""
    all_feeds, feeds_in_use = frozenset(design.loaded.blueprint.floor.feeds), set[str]()
    units = range(design.layout.units)
    node_positions = (position for unit in units for position in _list_node_racks(floor, unit))
    unit_positions = (rack.position for unit in units for rack in _list_unit_racks(floor, unit))
    for position in chain(
        node_positions, unit_positions, (rack.position for rack in _list_racks_of_runs(floor, floor.runs))
    ):
        feeds_in_use.update(floor.feeds_of(position))
        if feeds_in_use == all_feeds:
            break
    return frozenset(feeds_in_use)


def _group_racks(
    design: Design, floor: FloorPlan, find_key: Callable[[RackPosition], Key]
) -> dict[Key, tuple[list[_NetworkRack], frozenset[int]]]:
    """Return (network racks, units all of whose nodes are there) by row or feed; `find_key` returns the row or feed
    of a position.
    """
    row_or_feed_by_unit = (
        {find_key(position) for position in _list_node_racks(floor, unit)} for unit in range(design.layout.units)
    )
    # a unit fails whole with the row or feed that all of its node racks are in or on
    units = group_pairs(
        (row_or_feed, unit)
        for unit, rows_or_feeds in enumerate(row_or_feed_by_unit)
        if len(rows_or_feeds) == 1
        for row_or_feed in rows_or_feeds
    )
    racks_of_units = (rack for unit in range(design.layout.units) for rack in _list_unit_racks(floor, unit))
    all_racks = chain(racks_of_units, _list_racks_of_runs(floor, floor.runs))
    racks = group_pairs((find_key(rack.position), rack) for rack in all_racks)
    return {
        row_or_feed: (racks.get(row_or_feed, []), frozenset(units.get(row_or_feed, ())))
        for row_or_feed in {*racks, *units}
    }


def _make_failure_domain(name: str, racks: Iterable[_NetworkRack], units: frozenset[int]) -> FailureDomain:
    """Return the switches of racks, by tier, and the units that fail with them, as one failure domain."""
    switches = group_pairs(
        (key, switch)
        for rack in racks
        for key, switches_of_tier in rack.switches.items()
        for switch in switches_of_tier
    )
    return FailureDomain(name, switches, units)


def _list_unit_racks(floor: FloorPlan, unit: int) -> Iterator[_NetworkRack]:
    """Yield the racks of a unit whose loss takes switches, each with its position and its switches, numbered in the
    cluster.
    """
    unit_number = floor.unit_in_part[unit]
    for rack, switches in floor.list_unit_racks_at_risk(unit):
        switches_by_tier = group_pairs(
            # (group, number in the group)
            (tier.key, (unit_number * tier.groups // tier.layout.units + number // tier.count, number % tier.count))
            for tier, number in switches
        )
        yield _NetworkRack(floor.name_unit_rack(unit, rack), floor.locate_unit_rack(unit, rack), switches_by_tier)


def _list_node_racks(floor: FloorPlan, unit: int) -> Iterator[RackPosition]:
    """Return where the node racks of a unit stand."""
    return (floor.locate_unit_rack(unit, rack) for rack in range(floor.find_plan(unit).kind.racks))


def _list_racks_of_runs(floor: FloorPlan, runs: Iterable[RackRun]) -> Iterator[_NetworkRack]:
    """Yield the racks of runs of network racks that hold switches, with the switches in each."""
    for run in runs:
        for position, switches in enumerate(floor.list_switches_by_rack(run)):
            if switches:
                yield _NetworkRack(
                    floor.name_shared_rack(run, position), floor.locate_run_rack(run, position), switches
                )


class SharedFailure(NamedTuple):
    """All switches of a tier that serve some nodes stand in one rack or on one feed, which these nodes do not share."""

    switches: int
    """How many these are."""
    where: str
    """The rack or feed, by name."""
    of: str
    """What the switches serve, in words: ` of a unit`, ` of a pod`, or "" for all nodes."""


def find_shared_rack(design: Design, floor: FloorPlan, tier: TierDesign) -> SharedFailure | None:
    """Return the network rack that holds all switches of a tier for some place; None if there is none, or if places
    have one switch only.
    """
    # if no rack can hold so many switches, nothing has to be placed
    if tier.per_place * tier.profile.rack_units > max(part.kind.node_rack.units for part in tier.layout.parts):
        return None
    # the number of the place is not needed: -1 stands for none
    return next(_find_shared_failures(design, floor, tier, range(1), lambda rack: rack.name), (None, -1))[0]


def find_shared_feed(design: Design, floor: FloorPlan, tier: TierDesign) -> SharedFailure | None:
    """Return the power feed of all switches of a tier for some place, if some nodes of the place are not on it; else
    None.
    """
    settings, layout = design.loaded.blueprint.floor, tier.layout
    if settings.cords > 1 or not settings.feeds:
        return None
    units = range(layout.units)
    for failure, place in _find_shared_failures(
        design, floor, tier, units, lambda rack: floor.feeds_of(rack.position)[0]
    ):
        cluster_units = (layout.cluster_units[unit] for unit in list_units_of_place(layout, tier.scope, place))
        positions = (position for unit in cluster_units for position in _list_node_racks(floor, unit))
        if any(floor.feeds_of(position)[0] != failure.where for position in positions):
            return failure
    return None


def _find_shared_failures(
    design: Design, floor: FloorPlan, tier: TierDesign, units: Iterable[int], find_key: Callable[[_NetworkRack], str]
) -> Iterator[tuple[SharedFailure, int]]:
    """Yield (shared rack or feed, place) for each place whose switches of a tier are all in one rack or on one feed.

    Places are in order. `find_key` returns the name of a rack, or of its feed. Of racks within units, only those of
    `units` of the tier's layout are examined. Yields nothing for places of one switch and for places within a unit.
    """
    scope, place_count = tier.scope, tier.places
    switches_per_place, groups_per_place = tier.switches // place_count, tier.groups // place_count
    # a single switch has no other to stand in for it, wherever it stands
    if switches_per_place == 1 or is_part_of_unit(scope):
        return
    in_units = not stands_in_run(design, tier)
    runs = (
        ()
        if in_units
        else [run for run in floor.runs if any(devices.tier and devices.tier.key == tier.key for devices in run.runs)]
    )
    racks_of_units = (
        rack for unit in units if in_units for rack in _list_unit_racks(floor, tier.layout.cluster_units[unit])
    )
    racks_or_feeds_of_place = group_pairs(
        (place, find_key(rack))
        for rack in (*racks_of_units, *_list_racks_of_runs(floor, runs))
        for place in {group // groups_per_place for group, _ in rack.switches.get(tier.key, ())}
    )
    served_text = "" if scope == WHOLE else f" of a {find_noun(scope).rpartition(' ')[2]}"
    for place, racks_or_feeds in sorted(racks_or_feeds_of_place.items()):
        if len(set(racks_or_feeds)) == 1:
            yield SharedFailure(switches_per_place, racks_or_feeds[0], served_text), place

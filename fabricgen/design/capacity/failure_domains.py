"""Failure domains: the switches, and the units whose nodes, that a rack, a row of racks or a power feed takes with it.

A node rack fails with its nodes, which then need no network: a switch on top of that rack is no loss to others. Units
of a part of the cluster are alike, and so are their network racks: one of these units stands for all.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple, TypeVar

from fabricgen.blueprint.dimensions import WHOLE, find_noun
from fabricgen.design.fabric_model import TierDesign, TierKey
from fabricgen.design.floor.floor_plan import FloorPlan, RackPosition, RackRun, SwitchIndex
from fabricgen.design.floor.network_runs import stands_in_run
from fabricgen.design.layout import Layout
from fabricgen.design.model import Design
from fabricgen.design.shape import is_part_of_unit, list_units_of_place


@dataclass(frozen=True, slots=True)
class FailureDomain:
    """Switches that fail together, by tier, and the scalable units whose nodes fail with them."""

    name: str
    switches: Mapping[TierKey, Sequence[SwitchIndex]]
    units: frozenset[int] = field(default_factory=frozenset)

    def takes_nodes(self, layout: Layout, scope: str, place: int) -> bool:
        """Whether all nodes of a place fail as well; `layout` is that of the tier that serves the place."""
        if not self.units:
            return False
        return all(layout.cluster_units[unit] in self.units for unit in list_units_of_place(layout, scope, place))


class _NetworkRack(NamedTuple):
    """A network rack: name, position, and its switches by tier."""

    name: str
    spot: RackPosition
    switches: Mapping[TierKey, Sequence[SwitchIndex]]


def list_rack_failures(_design: Design, floor: FloorPlan) -> Iterator[FailureDomain]:
    """A failure domain for every network rack: those of one unit of each part of the cluster, and all shared ones."""
    units = [floor.plan_of_unit.index(part) for part in range(len(floor.plans))]
    for rack in (*(rack for unit in units for rack in _list_unit_racks(floor, unit)), *_list_shared_racks(floor)):
        yield FailureDomain(rack.name, rack.switches)


def list_row_failures(design: Design, floor: FloorPlan) -> Iterator[FailureDomain]:
    """A failure domain for every row that has network racks."""
    rows = _group_by_share(design, floor, lambda spot: (spot.site, spot.hall, spot.row))
    for _, (racks, units) in sorted(rows.items()):
        if racks:
            yield _make_failure_domain(name_row(design, floor, racks[0].spot), racks, units)


def name_row(design: Design, floor: FloorPlan, spot: RackPosition) -> str:
    """The row of a position in words: `network row 2 of hall1`."""
    sites, hall = design.layout.sites, floor.halls[spot.hall].name
    where = f" of {hall}" if design.loaded.blueprint.floor.halls else ""
    where = where or (f" at {sites[spot.site]}" if len(sites) > 1 else "")
    kind = "network row" if floor.is_in_network_row(spot) else "row"
    return f"{kind} {abs(spot.row + (spot.row >= 0))}{where}"


def list_feed_failures(design: Design, floor: FloorPlan) -> Iterator[FailureDomain]:
    """A failure domain for every power feed that is the only feed of some rack."""
    if design.loaded.blueprint.floor.cords > 1:
        return
    for feeds, (racks, units) in sorted(_group_by_share(design, floor, floor.feeds_of).items()):
        if feeds:
            yield _make_failure_domain(f"feed {feeds[0]}", racks, units)


def list_feeds_in_use(design: Design, floor: FloorPlan) -> frozenset[str]:
    """The power feeds that racks of nodes or switches are on; looks no further once all have been met."""
    all_feeds, met = frozenset(design.loaded.blueprint.floor.feeds), set[str]()
    units = range(design.layout.units)
    of_nodes = (spot for unit in units for spot in _list_node_racks(floor, unit))
    of_units = (rack.spot for unit in units for rack in _list_unit_racks(floor, unit))
    for spot in chain(of_nodes, of_units, (rack.spot for rack in _list_shared_racks(floor))):
        met.update(floor.feeds_of(spot))
        if met == all_feeds:
            break
    return frozenset(met)


Key = TypeVar("Key", bound=Hashable)


def _group_by_share(
    design: Design, floor: FloorPlan, share: Callable[[RackPosition], Key]
) -> dict[Key, tuple[list[_NetworkRack], frozenset[int]]]:
    """By shared row or feed: the network racks on it, and the units all of whose nodes are on it."""
    racks: dict[Key, list[_NetworkRack]] = {}
    units: dict[Key, set[int]] = {}
    for unit in range(design.layout.units):
        nodes = {share(spot) for spot in _list_node_racks(floor, unit)}
        if len(nodes) == 1:
            units.setdefault(nodes.pop(), set()).add(unit)
        for rack in _list_unit_racks(floor, unit):
            racks.setdefault(share(rack.spot), []).append(rack)
    for rack in _list_shared_racks(floor):
        racks.setdefault(share(rack.spot), []).append(rack)
    return {key: (racks.get(key, []), frozenset(units.get(key, ()))) for key in {*racks, *units}}


def _make_failure_domain(name: str, racks: Iterable[_NetworkRack], units: frozenset[int]) -> FailureDomain:
    # the switches of some racks, by tier, and the units that fail with them, under one name
    switches: dict[TierKey, list[SwitchIndex]] = {}
    for rack in racks:
        for key, indexes in rack.switches.items():
            switches.setdefault(key, []).extend(indexes)
    return FailureDomain(name, switches, units)


def _list_unit_racks(floor: FloorPlan, unit: int) -> Iterator[_NetworkRack]:
    """The racks of a unit that hold switches, each with its place and its switches by tier, numbered in the cluster."""
    unit_number = floor.unit_in_part[unit]
    for number, switches in floor.list_unit_racks_at_risk(unit):
        held: dict[TierKey, list[SwitchIndex]] = {}
        for tier, ordinal in switches:
            group, index = divmod(ordinal, tier.count)
            held.setdefault(tier.key, []).append((unit_number * tier.groups // tier.layout.units + group, index))
        yield _NetworkRack(floor.name_unit_rack(unit, number), floor.locate_unit_rack(unit, number), held)


def _list_node_racks(floor: FloorPlan, unit: int) -> Iterator[RackPosition]:
    """Where the node racks of a unit stand."""
    return (floor.locate_unit_rack(unit, rack) for rack in range(floor.find_plan(unit).kind.racks))


def _list_shared_racks(floor: FloorPlan) -> Iterator[_NetworkRack]:
    """All shared network racks that hold switches."""
    yield from _list_racks_of_runs(floor, floor.runs)


def _list_racks_of_runs(floor: FloorPlan, runs: Iterable[RackRun]) -> Iterator[_NetworkRack]:
    # the racks of some runs of network racks that hold switches, with what stands in each
    for run in runs:
        for position, switches in enumerate(floor.list_switches_by_rack(run)):
            if switches:
                yield _NetworkRack(
                    floor.name_shared_rack(run, position), floor.locate_run_rack(run, position), switches
                )


class SharedFailure(NamedTuple):
    """All switches of a tier that serve some nodes stand in one rack or on one feed, which these nodes do not share."""

    switches: int
    where: str
    of: str
    """What the switches serve, in words: ` of a unit`, ` of a pod`, or "" for all nodes."""


def find_shared_rack(design: Design, floor: FloorPlan, tier: TierDesign) -> SharedFailure | None:
    """The network rack that holds all switches of a tier for some place; None if there is none or the place has one
    switch only.
    """
    # no rack holds so many: nothing has to be placed to know that
    if tier.per_place * tier.profile.rack_units > max(part.kind.node_rack.units for part in tier.layout.parts):
        return None
    return next(_find_shared_failures(design, floor, tier, range(1), lambda rack: rack.name), (None, -1))[0]


def find_shared_feed(design: Design, floor: FloorPlan, tier: TierDesign) -> SharedFailure | None:
    """The power feed of all switches of a tier for some place, if some of its nodes are not on it; else None."""
    settings, layout = design.loaded.blueprint.floor, tier.layout
    if settings.cords > 1 or not settings.feeds:
        return None
    units = range(layout.units)
    for failure, place in _find_shared_failures(design, floor, tier, units, lambda rack: floor.feeds_of(rack.spot)[0]):
        cluster_units = (layout.cluster_units[unit] for unit in list_units_of_place(layout, tier.scope, place))
        spots = (spot for unit in cluster_units for spot in _list_node_racks(floor, unit))
        if any(floor.feeds_of(spot)[0] != failure.where for spot in spots):
            return failure
    return None


def _find_shared_failures(
    design: Design, floor: FloorPlan, tier: TierDesign, units: Iterable[int], share: Callable[[_NetworkRack], str]
) -> Iterator[tuple[SharedFailure, int]]:
    """Places whose switches of a tier all share a rack or feed, in order; only `units` of its layout are looked at."""
    scope, places = tier.scope, tier.places
    switches_per_place, groups_per_place = tier.switches // places, tier.groups // places
    # one switch has none to stand in for it, wherever it stands
    if switches_per_place == 1 or is_part_of_unit(scope):
        return
    in_units = not stands_in_run(design, tier)
    runs = () if in_units else [r for r in floor.runs if any(d.tier and d.tier.key == tier.key for d in r.runs)]
    racks_of_units = (
        rack for unit in units if in_units for rack in _list_unit_racks(floor, tier.layout.cluster_units[unit])
    )
    shared: dict[int, set[str]] = {}
    for rack in (*racks_of_units, *_list_racks_of_runs(floor, runs)):
        shared_name = share(rack)
        for place in {group // groups_per_place for group, _ in rack.switches.get(tier.key, ())}:
            shared.setdefault(place, set()).add(shared_name)
    words = "" if scope == WHOLE else f" of a {find_noun(scope).rpartition(' ')[2]}"
    for place, shared_by in sorted(shared.items()):
        if len(shared_by) == 1:
            yield SharedFailure(switches_per_place, next(iter(shared_by)), words), place

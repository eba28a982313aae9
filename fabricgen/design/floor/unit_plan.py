"""What stands in the racks of the units of one part of the cluster: all these units are alike."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.models import SwitchProfile
from fabricgen.design.fabric_model import FabricDesign, TierKey
from fabricgen.design.floor.network_runs import count_racks_of_tier, find_stand, stands_in_run
from fabricgen.design.floor.run_places import rack_unit_intervals
from fabricgen.design.floor.unit_kind import UnitKind
from fabricgen.design.floor.unit_racks import (
    NodeRack,
    RackFixture,
    UnitSpot,
    UnitStack,
    UnitTier,
    fill_node_rack,
    stack_unit_switches,
)
from fabricgen.design.floor.usual_floor import is_filled_from_top
from fabricgen.design.layout import ClusterPart, Layout
from fabricgen.design.management.managed import TRAY_TIER
from fabricgen.design.model import Design
from fabricgen.design.scale_up.model import ScaleUpDesign
from fabricgen.kernel.diagnostics import Path, fault
from fabricgen.kernel.intervals import Allocations

RACKED = "racked"
"""Kind of lock entry: positions of switches in the racks of a unit."""


class UnitPlan:
    """The racks of a unit of a part, node racks before network racks, and what stands in them."""

    def __init__(self, design: Design, part: ClusterPart) -> None:
        self._design, self.part = design, part
        self.layout: Layout = design.layout.of_part(part.name)
        self.lock_kind = RACKED + part.suffix
        self._held = design.layout.lock.find_allocations(self.lock_kind)

    @property
    def kind(self) -> UnitKind:
        """What the units hold."""
        return self.part.kind

    @cached_property
    def tiers(self) -> tuple[UnitTier, ...]:
        """The tiers whose switches stand in the racks of each unit."""
        tiers = []
        for tier in self._design.tiers:
            if not stands_in_run(self._design, tier) and tier.layout.has_part(self.part):
                stand = find_stand(self._design, tier)
                tiers.append(
                    UnitTier(tier, stand, tier.switches // tier.layout.units, count_racks_of_tier(self._design, tier))
                )
        return tuple(tiers)

    @cached_property
    def stack(self) -> UnitStack:
        """The network racks of a unit and the switches in them."""
        hung = is_filled_from_top(self._design.loaded.blueprint.floor, self.layout.lock)
        return stack_unit_switches(self.tiers, self.layout.network_rack, self._held, hung=hung)

    @cached_property
    def node_rack(self) -> NodeRack:
        """What stands at which rack unit of a node rack; raises InputError for what does not fit."""
        kind = self.kind
        beside = [
            RackFixture(s.name, s.profile.id, s.profile.rack_units, s.per_rack) for s in kind.node_sets if s.per_rack
        ]
        for domain in self._design.scale_up:
            groups = domain.places.groups.get(kind.name, ())
            if domain.trays and domain.tray_scope == "rack" and groups:
                tray = self._design.catalog.switch(domain.profile.tray)
                # the trays of a domain are spread over its racks: the domain with the fewest has most in each
                racks = min(len({node // kind.nodes_per_rack for node in nodes}) for nodes in groups)
                beside.append(
                    RackFixture(name_trays(domain.name), "tray", tray.rack_units, -(-domain.trays_each // racks))
                )
        return fill_node_rack(kind, beside, self.tiers, self._held)

    @cached_property
    def spots(self) -> Mapping[TierKey, tuple[UnitSpot, ...]]:
        """(rack of the unit, rack unit) of every switch of a unit by tier, in their order."""
        nodes, spots = self.kind.racks, {}
        for t in self.tiers:
            if t.stand.startswith("rack"):
                spots[t.tier.key] = t.list_switch_positions(nodes, self.node_rack.switches[t.tier.key])
            else:
                spots[t.tier.key] = tuple((nodes + rack, u) for rack, u in self.stack.spots[t.tier.key])
        return spots

    @property
    def racks(self) -> int:
        """Racks of a unit: those of its nodes, then its network racks."""
        return self.kind.racks + self.stack.racks

    def list_lock_entries(self) -> Allocations:
        """What a lock keeps of it, including what is gone."""
        return {
            **self._held,
            **{t.holder: rack_unit_intervals(self._list_kept_spots(t), t.height, 0) for t in self.tiers},
        }

    def _list_kept_spots(self, t: UnitTier) -> tuple[UnitSpot, ...]:
        """Positions of a tier's switches in a unit as the lock numbers racks: 0 for every node rack, which are alike
        and are told once, then network racks from 1.
        """
        if t.stand.startswith("rack"):
            return tuple((0, u) for u in self.node_rack.switches[t.tier.key])
        return tuple((rack - self.kind.racks + 1, u) for rack, u in self.spots[t.tier.key])


def name_trays(domain: str) -> str:
    """The name under which a domain's switch trays are listed among the rack fixtures."""
    return f"{domain} {TRAY_TIER}"


# Whether devices fit in their racks by height; from the design alone, so that it is quick at any size.


def check_racks(
    layout: Layout, catalog: Catalog, fabrics: Iterable[FabricDesign], scale_up: Iterable[ScaleUpDesign]
) -> None:
    """Raise InputError (FG601) for devices higher than a rack, and where nodes and fixtures together exceed a node
    rack.
    """
    fabrics, domains = tuple(fabrics), tuple(scale_up)
    highest = max(layout.kinds, key=lambda kind: kind.node_rack.units)
    units = highest.node_rack.units
    for model, height, path in _list_heights(catalog, fabrics, domains):
        if height > units:
            raise fault(
                "FG601",
                f"{model} is {height} U high, a rack has {units} U",
                path=path,
                hint=f"{'.'.join(map(str, highest.racks_path))}.units: {height} or more",
            )
    for part in layout.parts:
        kind, needed = part.kind, _sum_node_rack_units(part, catalog, fabrics, domains)
        units = kind.node_rack.units - len(kind.node_rack.reserved_units)
        if needed > units:
            raise fault(
                "FG601",
                f"a node rack holds {needed} U of nodes, trays and switches, and has {units} U",
                path=kind.racks_path,
                hint="lower `nodes_per_rack`, raise `units`, or group rack switches per su",
            )


def _list_heights(
    catalog: Catalog, fabrics: Iterable[FabricDesign], scale_up: Iterable[ScaleUpDesign]
) -> Iterator[tuple[str, int, Path]]:
    """(model, rack units, path in the blueprint) of switches, extra devices and scale-up trays."""
    for fabric in fabrics:
        for tier in fabric.tiers:
            yield tier.profile.id, tier.profile.rack_units, (*tier.path, "switch")
        for extra in fabric.extras:
            yield extra.attachment.profile.id, extra.attachment.profile.rack_units, (*extra.path, "device")
    for domain in scale_up:
        if domain.trays_each:
            tray = catalog.switch(domain.profile.tray)
            yield tray.id, tray.rack_units, domain.path


def _sum_node_rack_units(
    part: ClusterPart, catalog: Catalog, fabrics: Iterable[FabricDesign], scale_up: Iterable[ScaleUpDesign]
) -> int:
    """Rack units needed in the fullest node rack of a part of the cluster: a slot of the tallest node for each node,
    and the fixtures beside them.
    """
    kind = part.kind
    nodes = kind.nodes_per_rack * max(s.profile.rack_units for s in kind.node_sets if not s.per_rack)
    shared = sum(s.per_rack * s.profile.rack_units for s in kind.node_sets)
    switches = sum(
        switch.rack_units * count for switch, count in list_devices_beside_nodes(part, catalog, fabrics, scale_up)
    )
    return nodes + shared + switches


def list_devices_beside_nodes(
    part: ClusterPart, catalog: Catalog, fabrics: Iterable[FabricDesign], scale_up: Iterable[ScaleUpDesign]
) -> Iterator[tuple[SwitchProfile, int]]:
    """(profile, how many) of switches and scale-up trays that stand in every node rack of a part of the cluster."""
    for fabric in fabrics:
        for tier in fabric.tiers:
            if tier.scope == "rack" and tier.layout.has_part(part):
                yield tier.profile, tier.per_place
    for domain in scale_up:
        if domain.per == "rack" and domain.trays_each and part.kind.name in domain.places.groups:
            yield catalog.switch(domain.profile.tray), -(-domain.trays_each // domain.places.racks)

"""What stands in the racks of the units of one part of the cluster; all these units have the same racks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.models import SwitchProfile
from fabricgen.design.fabric_model import FabricDesign, TierKey
from fabricgen.design.floor.network_runs import count_racks_of_tier, find_stand, stands_in_run
from fabricgen.design.floor.run_places import make_rack_unit_intervals
from fabricgen.design.floor.unit_kind import UnitKind
from fabricgen.design.floor.unit_racks import (
    NodeRack,
    RackFixture,
    UnitPosition,
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
    """The racks of a unit of a part, node racks before network racks, and the devices in them."""

    def __init__(self, design: Design, part: ClusterPart) -> None:
        self._design, self.part = design, part
        self.layout: Layout = design.layout.of_part(part.name)
        self.lock_kind = RACKED + part.suffix
        self._held = design.layout.lock.find_allocations(self.lock_kind)

    @property
    def kind(self) -> UnitKind:
        """The kind of the units."""
        return self.part.kind

    @cached_property
    def tiers(self) -> tuple[UnitTier, ...]:
        """The tiers whose switches stand in the racks of each unit."""
        design = self._design
        return tuple(
            UnitTier(
                tier, find_stand(design, tier), tier.switches // tier.layout.units, count_racks_of_tier(design, tier)
            )
            for tier in design.tiers
            if not stands_in_run(design, tier) and tier.layout.has_part(self.part)
        )

    @cached_property
    def stack(self) -> UnitStack:
        """The network racks of a unit and the switches in them."""
        hung = is_filled_from_top(self._design.loaded.blueprint.floor, self.layout.lock)
        return stack_unit_switches(self.tiers, self.layout.network_rack, self._held, hung=hung)

    @cached_property
    def node_rack(self) -> NodeRack:
        """What stands at which rack unit of a node rack; raises InputError (FG601) if a device does not fit."""
        kind = self.kind
        fixtures = [
            RackFixture(s.name, s.profile.id, s.profile.rack_units, s.per_rack) for s in kind.node_sets if s.per_rack
        ]
        for domain in self._design.scale_up:
            groups = domain.places.groups.get(kind.name, ())
            if domain.trays and domain.tray_scope == "rack" and groups:
                tray = self._design.catalog.switch(domain.profile.tray)
                # the trays of a domain are spread over its racks: the domain with the fewest racks has the most in each
                racks = min(len({node // kind.nodes_per_rack for node in nodes}) for nodes in groups)
                fixtures.append(
                    RackFixture(name_trays(domain.name), "tray", tray.rack_units, -(-domain.trays_each // racks))
                )
        return fill_node_rack(kind, fixtures, self.tiers, self._held)

    @cached_property
    def positions(self) -> Mapping[TierKey, tuple[UnitPosition, ...]]:
        """For each tier, the (rack of the unit, rack unit) of every switch of a unit, in the switches' order."""
        node_racks = self.kind.racks
        return {
            t.tier.key: t.list_switch_positions(node_racks, self.node_rack.switches[t.tier.key])
            if t.stand.startswith("rack")
            else tuple((node_racks + rack, u) for rack, u in self.stack.positions[t.tier.key])
            for t in self.tiers
        }

    @property
    def racks(self) -> int:
        """How many racks a unit has: node racks and network racks."""
        return self.kind.racks + self.stack.racks

    def list_lock_entries(self) -> Allocations:
        """Return what a lock keeps of the plan, by tier (`compute leaf`), including entries of tiers that are gone."""
        return {
            **self._held,
            **{t.holder: make_rack_unit_intervals(self._list_kept_positions(t), t.height, 0) for t in self.tiers},
        }

    def _list_kept_positions(self, t: UnitTier) -> tuple[UnitPosition, ...]:
        """Return the positions of a tier's switches in a unit with racks as the lock numbers them.

        Rack 0 stands for every node rack, as these are alike; network racks count from 1.
        """
        if t.stand.startswith("rack"):
            return tuple((0, u) for u in self.node_rack.switches[t.tier.key])
        return tuple((rack - self.kind.racks + 1, u) for rack, u in self.positions[t.tier.key])


def name_trays(domain: str) -> str:
    """Return the name under which a domain's switch trays are listed among the fixtures of a node rack."""
    return f"{domain} {TRAY_TIER}"


# Whether devices fit in their racks by height; from the design alone, so that it is quick at any size.


def check_racks(
    layout: Layout, catalog: Catalog, fabrics: Iterable[FabricDesign], scale_up: Iterable[ScaleUpDesign]
) -> None:
    """Raise InputError (FG601) for a device higher than a rack, and if the nodes and fixtures of a node rack need more
    rack units than it has.
    """
    fabrics, domains = tuple(fabrics), tuple(scale_up)
    tallest_kind = max(layout.kinds, key=lambda kind: kind.node_rack.units)
    units = tallest_kind.node_rack.units
    for model, height, path in _list_heights(catalog, fabrics, domains):
        if height > units:
            raise fault(
                "FG601",
                f"{model} is {height} U high, a rack has {units} U",
                path=path,
                hint=f"{'.'.join(map(str, tallest_kind.racks_path))}.units: {height} or more",
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
    """Yield (model, rack units, path in the blueprint) of every tier's switch, extra device and scale-up tray."""
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
    """Return the rack units that the fullest node rack of a part of the cluster needs: one slot of the tallest node's
    height for each node, and the devices beside the nodes.
    """
    kind = part.kind
    node_units = kind.nodes_per_rack * max(s.profile.rack_units for s in kind.node_sets if not s.per_rack)
    shelf_units = sum(s.per_rack * s.profile.rack_units for s in kind.node_sets)
    switch_units = sum(
        switch.rack_units * count for switch, count in list_devices_beside_nodes(part, catalog, fabrics, scale_up)
    )
    return node_units + shelf_units + switch_units


def list_devices_beside_nodes(
    part: ClusterPart, catalog: Catalog, fabrics: Iterable[FabricDesign], scale_up: Iterable[ScaleUpDesign]
) -> Iterator[tuple[SwitchProfile, int]]:
    """Yield (profile, how many) of the switches and scale-up trays that stand in every node rack of a part of the
    cluster.
    """
    for fabric in fabrics:
        for tier in fabric.tiers:
            if tier.scope == "rack" and tier.layout.has_part(part):
                yield tier.profile, tier.per_place
    for domain in scale_up:
        if domain.per == "rack" and domain.trays_each and part.kind.name in domain.places.groups:
            yield catalog.switch(domain.profile.tray), -(-domain.trays_each // domain.places.racks)

"""Whether devices fit in their racks by height; from the design alone, so that it is quick at any size."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.models import SwitchProfile
from fabricgen.design.fabric_model import FabricDesign
from fabricgen.design.layout import Layout, Part
from fabricgen.design.scale_up.model import ScaleUpDesign
from fabricgen.kernel.diagnostics import Path, fault


def check_racks(
    layout: Layout, catalog: Catalog, fabrics: Iterable[FabricDesign], scale_up: Iterable[ScaleUpDesign]
) -> None:
    """Raise InputError (FG601) for devices higher than a rack, and where nodes and fixtures together exceed a node
    rack.
    """
    fabrics, domains = tuple(fabrics), tuple(scale_up)
    highest = max(layout.kinds, key=lambda kind: kind.node_rack.units)
    units = highest.node_rack.units
    for model, height, path in _heights(catalog, fabrics, domains):
        if height > units:
            raise fault(
                "FG601",
                f"{model} is {height} U high, a rack has {units} U",
                path=path,
                hint=f"{'.'.join(map(str, highest.racks_path))}.units: {height} or more",
            )
    for part in layout.parts:
        kind, needed = part.kind, _node_rack_units(part, catalog, fabrics, domains)
        units = kind.node_rack.units - len(kind.node_rack.reserved_units)
        if needed > units:
            raise fault(
                "FG601",
                f"a node rack holds {needed} U of nodes, trays and switches, and has {units} U",
                path=kind.racks_path,
                hint="lower `nodes_per_rack`, raise `units`, or group rack switches per su",
            )


def _heights(
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


def _node_rack_units(
    part: Part, catalog: Catalog, fabrics: Iterable[FabricDesign], scale_up: Iterable[ScaleUpDesign]
) -> int:
    """Rack units needed in the fullest node rack of a part of the cluster: a slot of the tallest node for each node,
    and the fixtures beside them.
    """
    kind = part.kind
    nodes = kind.nodes_per_rack * max(s.profile.rack_units for s in kind.node_sets if not s.per_rack)
    shared = sum(s.per_rack * s.profile.rack_units for s in kind.node_sets)
    switches = sum(switch.rack_units * count for switch, count in beside_nodes(part, catalog, fabrics, scale_up))
    return nodes + shared + switches


def beside_nodes(
    part: Part, catalog: Catalog, fabrics: Iterable[FabricDesign], scale_up: Iterable[ScaleUpDesign]
) -> Iterator[tuple[SwitchProfile, int]]:
    """(profile, how many) of switches and scale-up trays that stand in every node rack of a part of the cluster."""
    for fabric in fabrics:
        for tier in fabric.tiers:
            if tier.scope == "rack" and tier.layout.has(part):
                yield tier.profile, tier.per_place
    for domain in scale_up:
        if domain.per == "rack" and domain.trays_each and part.kind.name in domain.places.groups:
            yield catalog.switch(domain.profile.tray), -(-domain.trays_each // domain.places.racks)

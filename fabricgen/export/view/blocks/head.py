"""What is few: fabrics, classes of devices, kinds of links."""

from __future__ import annotations

from typing import Any

from fabricgen.catalog.models import NodeProfile
from fabricgen.design.model import Design
from fabricgen.export.palette import cluster_swatches
from fabricgen.export.view.layout import CELL_GAP, CELL_H, CELL_W
from fabricgen.export.view.places import LEVEL_NAMES
from fabricgen.export.view.source import PageSource
from fabricgen.wiring.tables import EXTRA, NODE, SWITCH, TRAY, DeviceClass

KINDS = {NODE: "node", EXTRA: "extra", SWITCH: "switch", TRAY: "tray"}


def block(source: PageSource) -> dict[str, Any]:
    """What is few: fabrics, classes of devices, and kinds of links."""
    design, plan = source.cluster.design, source.cluster.plan
    swatches = cluster_swatches(source.cluster)
    protocols = {fabric.name: fabric for fabric in design.fabrics}
    return {
        "name": design.loaded.blueprint.name,
        "description": design.loaded.blueprint.description,
        "levels": LEVEL_NAMES,
        "cell": [CELL_W, CELL_H, CELL_GAP],
        "fabrics": [
            {
                "name": name,
                "fill": swatch.fill,
                "ink": swatch.ink,
                "code": swatch.code,
                "protocol": protocols[name].protocol if name in protocols else "scale-up",
                "planes": protocols[name].planes if name in protocols else 1,
                "rails": protocols[name].rails if name in protocols else 0,
            }
            for name, swatch in swatches.items()
        ],
        "classes": [
            {
                "kind": KINDS[cls.kind],
                "fabric": cls.fabric,
                "tier": cls.tier,
                "label": cls.label,
                "model": cls.profile.id,
                "nos": cls.nos,
                "first": cls.first,
                "count": cls.count,
                "accelerators": _accelerators(cls),
                "domain": _domain(cls, design),
            }
            for cls in plan.devices.classes
        ],
        "scale_up": [
            {"name": one.name, "per": one.per, "accelerators": one.size.accelerators, "domains": one.domains}
            for one in design.scale_up
        ],
        "segments": [
            {"fabric": s.fabric, "lower": s.lower, "upper": s.upper, "gbps": float(s.speed_gbps)}
            for s in plan.links.segments
        ],
        "oversubscription": [
            {"fabric": tier.fabric, "tier": tier.name, "ratio": round(float(tier.oversubscription), 4)}
            for tier in design.tiers
            if tier.oversubscription is not None
        ],
    }


def _accelerators(cls: DeviceClass) -> int:
    """Accelerators of one device; 0 for what has none."""
    own = cls.profile.accelerators if isinstance(cls.profile, NodeProfile) else None
    return own.count if own else 0


def _domain(cls: DeviceClass, design: Design) -> str:
    """The scale-up domain that a device is of; "" for none."""
    if not isinstance(cls.profile, NodeProfile):
        return ""
    known = (cls.profile.scale_up, *cls.profile.scale_up_too)
    return next((one.name for one in design.scale_up if one.profile.id in known), "")

"""The short lists: fabrics, classes of devices, scale-up domains, kinds of links."""

from __future__ import annotations

from typing import Any

from fabricgen.export.palette import choose_cluster_swatches
from fabricgen.export.view.boxes import LEVEL_NAMES, list_oversubscription
from fabricgen.export.view.layout import BAR, BAR_SHARE, CELL_GAP, CELL_H, CELL_W
from fabricgen.export.view.source import PageSource, count_accelerators, find_domain
from fabricgen.wiring.tables import EXTRA, NODE, SWITCH, TRAY

KINDS = {NODE: "node", EXTRA: "extra", SWITCH: "switch", TRAY: "tray"}


def block(source: PageSource) -> dict[str, Any]:
    """Return the name of the cluster, its fabrics, device classes, scale-up domains, kinds of links and
    oversubscription.
    """
    design, plan = source.cluster.design, source.cluster.plan
    swatches = choose_cluster_swatches(source.cluster)
    ratios = {t.key: round(float(t.oversubscription), 4) for t in design.tiers if t.oversubscription is not None}
    protocols = {fabric.name: fabric for fabric in design.fabrics}
    return {
        "name": design.loaded.blueprint.name,
        "description": design.loaded.blueprint.description,
        "levels": LEVEL_NAMES,
        "cell": [CELL_W, CELL_H, CELL_GAP],
        "bar": BAR * BAR_SHARE,
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
                "accelerators": count_accelerators(cls),
                "ratio": ratios.get(cls.key, 0) if cls.kind == SWITCH else 0,
                "domain": domain.name if (domain := find_domain(cls, design)) else "",
            }
            for cls in plan.devices.classes
        ],
        "scale_up": [
            {
                "name": scale_up.name,
                "per": scale_up.per,
                "accelerators": scale_up.size.accelerators,
                "domains": scale_up.domains,
            }
            for scale_up in design.scale_up
        ],
        "segments": [
            {"fabric": s.fabric, "lower": s.lower, "upper": s.upper, "gbps": float(s.speed_gbps)}
            for s in plan.links.segments
        ],
        "oversubscription": [
            [min(classes), max(classes), ratio] for classes, ratio in list_oversubscription(source.cluster).items()
        ],
    }

"""The figures of a cluster: what `show` prints and `build` writes to summary.json, findings apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from fabricgen.catalog.models import NodeProfile
from fabricgen.design.capacity.counts import link_counts
from fabricgen.design.capacity.reserved import reserved_ports
from fabricgen.design.capacity.uneven import UnevenLanding, uneven_landings
from fabricgen.design.fabric_model import FabricDesign, TierDesign
from fabricgen.design.model import Design
from fabricgen.design.scale_across import site_oversubscription, spans_of
from fabricgen.design.tenants.stated import tenant_figures


def summary(design: Design) -> dict[str, Any]:
    """The figures of summary.json (docs/outputs.md), without findings.

    Speeds are in Gb/s, ratios are downlink over uplink bandwidth, power is W at each device's maximum without optics.
    """
    return {
        "blueprint": design.loaded.blueprint.name,
        "nodes": design.layout.nodes,
        **({"spare_nodes": len(design.layout.spare)} if design.layout.spare else {}),
        "accelerators": accelerators(design),
        **({"tenants": tenant_figures(design)} if design.tenants else {}),
        "fabrics": {fabric.name: _fabric(design, fabric) for fabric in design.fabrics},
        "scale_up": {
            s.name: {
                "domains": s.domains,
                "accelerators": s.accelerators,
                "switches": s.switches,
                "links": s.links,
                "gbps_per_accelerator": whole(s.gbps_per_accelerator),
            }
            for s in design.scale_up
        },
        "power_w": whole(power_w(design)),
    }


def _fabric(design: Design, fabric: FabricDesign) -> dict[str, Any]:
    counts = link_counts(design, fabric)
    switches: Counter[str] = Counter()
    for tier in fabric.tiers:
        switches[tier.name] += tier.switches
    return {
        "switches": dict(switches),
        "links": {c.key: c.links for c in counts},
        "cables": {c.key: c.cables for c in counts},
        "oversubscription": {name: round(float(ratio), 4) for name, ratio in _worst(fabric.tiers).items()},
        "planes": fabric.planes,
        "rails": fabric.rails,
        **_uneven(design, fabric),
        **_across(design, fabric),
        **_reserved(design, fabric),
        **_parts(fabric),
    }


def _worst(tiers: Sequence[TierDesign]) -> dict[str, Fraction]:
    """The oversubscription of some tiers by name, of several of one name the highest; the top has none."""
    found: dict[str, Fraction] = {}
    for tier in tiers:
        if tier.oversubscription is not None:
            found[tier.name] = max(found.get(tier.name, tier.oversubscription), tier.oversubscription)
    return found


def _parts(fabric: FabricDesign) -> dict[str, Any]:
    """Switches and oversubscription of the tiers that each part of the cluster has of its own, by part; empty where the
    cluster is one.
    """
    own: dict[str, list[TierDesign]] = {}
    for tier in fabric.tiers:
        if tier.layout.cluster is not None:
            own.setdefault(tier.part, []).append(tier)
    found = {
        part: {
            "switches": {tier.name: tier.switches for tier in tiers},
            "oversubscription": {name: round(float(ratio), 4) for name, ratio in _worst(tiers).items()},
        }
        for part, tiers in own.items()
    }
    return {"parts": found} if found else {}


def _reserved(design: Design, fabric: FabricDesign) -> dict[str, Any]:
    """Ports of each switch that are kept for a purpose, by tier and purpose; empty where none are."""
    found: dict[str, dict[str, list[str]]] = {}
    for tier in fabric.tiers:
        for port in reserved_ports(design, tier):
            place = tier.profile.cage_label(port.cage) + (f"/{port.sub + 1}" if port.ways > 1 else "")
            found.setdefault(tier.name, {}).setdefault(port.purpose, []).append(place)
    return {"reserved_ports": found} if found else {}


def _uneven(design: Design, fabric: FabricDesign) -> dict[str, Any]:
    """What uplinks that land unequally cost, by tier; empty where none do."""
    worst: dict[str, UnevenLanding] = {}
    for landing in uneven_landings(design, fabric):
        worst[landing.lower.name] = max(worst.get(landing.lower.name, landing), landing, key=lambda one: one.cost)
    found = {
        landing.lower.name: {
            "links": [landing.fewest, landing.fewest + 1],
            "cost": round(float(landing.cost), 4),
            "oversubscription": round(float(landing.oversubscription), 4),
        }
        for landing in worst.values()
    }
    return {"uneven": found} if found else {}


def _across(design: Design, fabric: FabricDesign) -> dict[str, Any]:
    """Spans between sites, and the oversubscription of each site; empty for a fabric without spans."""
    spans = spans_of(design, fabric)
    if not spans:
        return {}
    return {
        "spans": {
            figures.span.name: {
                "sites": list(figures.sites),
                "km": whole(figures.span.km),
                "links": figures.links,
                "gbps": figures.gbps,
                "fibre_pairs": figures.span.fibre_pairs,
                "latency_us": whole(figures.latency_us),
            }
            for _, figures in spans
        },
        "site_oversubscription": {
            site: round(float(ratio), 4) for site, ratio in site_oversubscription(design, fabric).items()
        },
    }


def accelerators(design: Design) -> int:
    """Accelerators in the nodes that are present and not spare."""
    layout = design.layout
    return sum(s.profile.accelerators.count * layout.in_use(s) for s in layout.node_sets if s.profile.accelerators)


def power_w(design: Design) -> float:
    """Maximum power of all devices, W; devices of others and profiles without a figure count as 0."""
    layout = design.layout
    total = sum(_draw(s.profile) * layout.present(s) for s in layout.node_sets)
    total += sum(_draw(p) * len(names) for p, names, _ in design.extra_devices.values())
    total += sum((t.profile.power_w.planning_w or 0) * t.switches for f in design.fabrics for t in f.tiers)
    for scale_up in design.scale_up:
        if scale_up.trays:
            tray = design.catalog.switch(scale_up.profile.tray)
            total += (tray.power_w.planning_w or 0) * scale_up.trays
    return total


def _draw(profile: NodeProfile) -> float:
    return 0 if profile.external else profile.power_w.planning_w or 0


def whole(number: float) -> int | float:
    """A number as an int where that is exact."""
    return int(number) if float(number).is_integer() else round(number, 3)

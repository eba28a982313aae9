"""The figures of a cluster: what `show` prints and `build` writes to summary.json, findings apart."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from fabricgen.catalog.models import NodeProfile
from fabricgen.design.capacity.counts import count_links
from fabricgen.design.capacity.reserved import list_reserved_ports
from fabricgen.design.capacity.uneven import find_uneven_landings
from fabricgen.design.fabric_model import FabricDesign, TierDesign
from fabricgen.design.inside.derived import count_node_ports, is_derived
from fabricgen.design.inside.meshes import list_sizes
from fabricgen.design.inside.scale_across import compute_site_oversubscription, list_spans
from fabricgen.design.model import Design
from fabricgen.design.tenants.stated import count_tenant_figures
from fabricgen.kernel.grouping import group_pairs, sum_pairs


def summarize_design(design: Design) -> dict[str, Any]:
    """Return the figures of summary.json (docs/outputs.md), without findings.

    Speeds are in Gb/s, ratios are downlink over uplink bandwidth, power is W at each device's maximum without optics.
    """
    return {
        "blueprint": design.loaded.blueprint.name,
        "nodes": design.layout.nodes,
        **({"spare_nodes": len(design.layout.spare)} if design.layout.spare else {}),
        "accelerators": count_accelerators(design),
        **({"tenants": count_tenant_figures(design)} if design.tenants else {}),
        "fabrics": {fabric.name: _summarize_fabric(design, fabric) for fabric in design.fabrics},
        "scale_up": {
            s.name: {
                "domains": s.domains,
                "accelerators": s.accelerators,
                "switches": s.switches,
                "links": s.links,
                **({"cables": s.links // s.profile.links_per_cage} if s.below and not s.profile.backplane else {}),
                "gbps_per_accelerator": round_number(s.gbps_per_accelerator),
            }
            for s in design.scale_up
        },
        "power_w": round_number(sum_power(design)),
    }


def _summarize_fabric(design: Design, fabric: FabricDesign) -> dict[str, Any]:
    """Return the figures of a fabric, with the keys of summary.json."""
    counts = count_links(design, fabric)
    return {
        "switches": dict(sum_pairs((tier.name, tier.switches) for tier in fabric.tiers)),
        "links": {c.key: c.links for c in counts},
        "cables": {c.key: c.cables for c in counts},
        "oversubscription": {name: round(float(ratio), 4) for name, ratio in _find_worst_ratios(fabric.tiers).items()},
        "planes": fabric.planes,
        "rails": fabric.rails,
        **_summarize_uneven(design, fabric),
        **_summarize_derived(design, fabric),
        **_summarize_spans(design, fabric),
        **_list_reserved_ports(design, fabric),
        **_summarize_parts(fabric),
    }


def _find_worst_ratios(tiers: Sequence[TierDesign]) -> dict[str, Fraction]:
    """Return the oversubscription of tiers by name, the highest if several tiers have one name; the top tier has
    none.
    """
    ratios = group_pairs((tier.name, ratio) for tier in tiers if (ratio := tier.oversubscription) is not None)
    return {name: max(ratios_of_name) for name, ratios_of_name in ratios.items()}


def _summarize_parts(fabric: FabricDesign) -> dict[str, Any]:
    """Return the switches and oversubscription of the tiers of each part of the cluster, by part; empty if the cluster
    has one part.
    """
    tiers_by_part = group_pairs((tier.part, tier) for tier in fabric.tiers if tier.layout.cluster is not None)
    figures = {
        part: {
            "switches": {tier.name: tier.switches for tier in tiers_of_part},
            "oversubscription": {
                name: round(float(ratio), 4) for name, ratio in _find_worst_ratios(tiers_of_part).items()
            },
        }
        for part, tiers_of_part in tiers_by_part.items()
    }
    return {"parts": figures} if figures else {}


def _list_reserved_ports(design: Design, fabric: FabricDesign) -> dict[str, Any]:
    """Return the ports of each switch that are kept for a purpose, by tier and purpose; empty if there are none."""
    ports_by_tier: dict[str, dict[str, list[str]]] = {}
    for tier in fabric.tiers:
        for port in list_reserved_ports(design, tier):
            port_label = tier.profile.cage_label(port.cage) + (f"/{port.sub + 1}" if port.ways > 1 else "")
            ports_by_tier.setdefault(tier.name, {}).setdefault(port.purpose, []).append(port_label)
    return {"reserved_ports": ports_by_tier} if ports_by_tier else {}


def _summarize_uneven(design: Design, fabric: FabricDesign) -> dict[str, Any]:
    """Return what uplinks that land unequally cost, by tier; empty if no tier has any."""
    landings = group_pairs((landing.lower.name, landing) for landing in find_uneven_landings(design, fabric))
    worst = [max(landings_of_name, key=lambda landing: landing.cost) for landings_of_name in landings.values()]
    figures = {
        landing.lower.name: {
            "links": [landing.fewest, landing.fewest + 1],
            "cost": round(float(landing.cost), 4),
            "oversubscription": round(float(landing.oversubscription), 4),
        }
        for landing in worst
    }
    return {"uneven": figures} if figures else {}


def _summarize_derived(design: Design, fabric: FabricDesign) -> dict[str, Any]:
    """Return the figures of dragonfly groups whose size was derived, by tier, under `derived_groups`; empty if there
    are none.

    They are the routers of a group, the node ports and the global links of a router (a = 2p = 2h if balanced), the
    links of every two groups, how many groups there are, and how many these links allow.
    """
    figures: dict[str, dict[str, int]] = {}
    for tier in fabric.tiers:
        stated = design.loaded.blueprint.fabrics[tier.fabric].tiers[tier.name].mesh
        for mesh in tier.meshes:
            if is_derived(stated[mesh.dimension]):
                node_ports = count_node_ports(design, tier)
                group_count = max(size.numbers for size in list_sizes(tier, mesh))
                figures[tier.name] = {
                    "routers": tier.count,
                    "node_ports": node_ports,
                    "global_links": mesh.run.count,
                    "links": mesh.links,
                    "groups": group_count,
                    "most_groups": tier.count * node_ports // mesh.links + 1,
                }
    return {"derived_groups": figures} if figures else {}


def _summarize_spans(design: Design, fabric: FabricDesign) -> dict[str, Any]:
    """Return the spans between sites, and the oversubscription of each site; empty for a fabric without spans."""
    spans = list_spans(design, fabric)
    if not spans:
        return {}
    return {
        "spans": {
            figures.span.name: {
                "sites": list(figures.sites),
                "km": round_number(figures.span.km),
                "links": figures.links,
                "gbps": figures.gbps,
                "fibre_pairs": figures.span.fibre_pairs,
                "latency_us": round_number(figures.latency_us),
            }
            for _, figures in spans
        },
        "site_oversubscription": {
            site: round(float(ratio), 4) for site, ratio in compute_site_oversubscription(design, fabric).items()
        },
    }


def count_accelerators(design: Design) -> int:
    """Return the accelerators of the nodes that are present and not spare."""
    layout = design.layout
    return sum(
        s.profile.accelerators.count * layout.count_in_use(s) for s in layout.node_sets if s.profile.accelerators
    )


def sum_power(design: Design) -> float:
    """Return the maximum power of all devices, W; devices that others own, and profiles without a figure, count as
    0.
    """
    layout = design.layout
    total = sum(_find_draw(s.profile) * layout.count_present(s) for s in layout.node_sets)
    total += sum(_find_draw(p) * len(names) for p, names, _ in design.extra_devices.values())
    total += sum((t.profile.power_w.planning_w or 0) * t.switches for f in design.fabrics for t in f.tiers)
    for scale_up in design.scale_up:
        if scale_up.trays:
            tray = design.catalog.switch(scale_up.profile.tray)
            total += (tray.power_w.planning_w or 0) * scale_up.trays
    return total


def _find_draw(profile: NodeProfile) -> float:
    return 0 if profile.external else profile.power_w.planning_w or 0


def round_number(number: float) -> int | float:
    """Return a number as an int if that is exact, else rounded to three decimals."""
    return int(number) if float(number).is_integer() else round(number, 3)

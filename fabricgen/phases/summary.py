"""The figures of a cluster at a phase, counted over what exists, and lines on what a lab leaves out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from fabricgen.catalog.models import NodeProfile
from fabricgen.cluster import AtPhase, Cluster
from fabricgen.design.fabric_model import FabricDesign, TierDesign
from fabricgen.design.phase_selection import Selection
from fabricgen.design.scale_up.model import ScaleUpDesign
from fabricgen.design.summary import round_number, summarize_design
from fabricgen.wiring.arrays import Flags, Floats
from fabricgen.wiring.tables import EXTRA, NODE, SWITCH, DeviceClass, DeviceTable, WiringPlan


def summarize_phase(cluster: Cluster) -> dict[str, Any]:
    """Return the figures of summary.json for a cluster at a phase, with the name of the phase as `phase`."""
    assert cluster.phase  # noqa: S101 - callers know that it is at one
    design, name = cluster.design, cluster.phase.name
    figures, selection = summarize_design(design), cluster.phase.selection
    layout = design.layout
    sets = {s.path: s for s in layout.node_sets if not s.per_rack}
    nodes = [c for c in cluster.plan.devices.classes if c.kind == NODE and c.path in sets]
    devices = cluster.plan.devices
    # which of the spare nodes exist, by (unit, node in it)
    rows = [row for cls in nodes for row in range(cls.first, cls.first + cls.count)] if layout.spare else []
    present = set(zip(devices.unit[rows].tolist(), devices.node[rows].tolist(), strict=True))
    spare = [slot for slot in layout.spare if (layout.unit_index(slot), slot.node - 1) in present]
    # nodes of each set that are no spares
    used = {c.path: c.count - layout.count_slots_of_set(sets[c.path], spare) for c in nodes}
    fabrics = [f for f in design.fabrics if f.name in selection.fabrics]
    return {
        "blueprint": figures["blueprint"],
        "phase": name,
        "nodes": sum(cls.count for cls in nodes),
        **({"spare_nodes": len(spare)} if spare else {}),
        "accelerators": sum(used[cls.path] * _count_accelerators(cls) for cls in nodes),
        "fabrics": {f.name: _summarize_fabric(cluster, f, selection, figures["fabrics"][f.name]) for f in fabrics},
        "scale_up": {s.name: _summarize_scale_up(cluster, s, figures["scale_up"][s.name]) for s in design.scale_up},
        "power_w": round_number(sum(cls.count * _find_draw_w(cls) for cls in cluster.plan.devices.classes)),
    }


def _count_accelerators(cls: DeviceClass) -> int:
    """Return how many accelerators a device of a class has."""
    profile = cls.profile
    return profile.accelerators.count if isinstance(profile, NodeProfile) and profile.accelerators else 0


def _find_draw_w(cls: DeviceClass) -> float:
    """Return what a device of a class is planned to draw, W; 0 if it is somebody else's, or nobody says."""
    external = isinstance(cls.profile, NodeProfile) and cls.profile.external
    return 0 if external else cls.profile.power_w.planning_w or 0


def _summarize_fabric(
    cluster: Cluster, fabric: FabricDesign, selection: Selection, whole_figures: dict[str, Any]
) -> dict[str, Any]:
    """Return the figures of a fabric: those of the whole, with counts at the phase in place of the counts that
    differ.
    """
    assert cluster.phase  # noqa: S101 - as above
    sites = {pod.site for pod in cluster.design.layout.pods if pod.first_su in selection.units}
    fabric_figures = whole_figures | {
        **_summarize_tiers(cluster, fabric.tiers),
        "links": _count_cabling(cluster.plan, fabric, of_cables=False),
        "cables": _count_cabling(cluster.plan, fabric, of_cables=True),
        "planes": len(selection.planes[fabric.name] or range(fabric.planes)),
        "rails": len(selection.rails[fabric.name] or range(fabric.rails)),
    }
    if any(selection.switches[tier.key] < tier.count for tier in cluster.design.tiers):
        fabric_figures.pop("uneven", None)  # it is about links that are spread unequally over all switches of a tier
    if "parts" in fabric_figures:
        parts = {
            name: [t for t in fabric.tiers if t.layout.cluster and t.part == name] for name in fabric_figures["parts"]
        }
        figures = {name: _summarize_tiers(cluster, tiers) for name, tiers in parts.items()}
        fabric_figures["parts"] = {name: of_part for name, of_part in figures.items() if of_part["switches"]}
    if "spans" in fabric_figures:
        fabric_figures["spans"] = {
            name: s for name, s in fabric_figures["spans"].items() if sites.issuperset(s["sites"])
        }
        fabric_figures["site_oversubscription"] = {
            site: ratio
            for site, ratio in fabric_figures["site_oversubscription"].items()
            if any(site in span["sites"] for span in fabric_figures["spans"].values())
        }
    return fabric_figures


def _summarize_tiers(cluster: Cluster, tiers: Sequence[TierDesign]) -> dict[str, Any]:
    """Return the number of switches, and the worst oversubscription, of the tiers of each name."""
    counts = {c.key: c.count for c in cluster.plan.devices.classes if c.kind == SWITCH}
    switches, ratios = Counter[str](), dict[str, float]()
    for tier in tiers:
        switches[tier.name] += counts[tier.key]
        ratio = _find_ratio(cluster, tier) if tier.oversubscription and counts[tier.key] else None
        if ratio is not None:
            ratios[tier.name] = max(ratio, ratios.get(tier.name, ratio))
    return {"switches": {name: count for name, count in switches.items() if count}, "oversubscription": ratios}


def _count_cabling(plan: WiringPlan, fabric: FabricDesign, *, of_cables: bool) -> dict[str, int]:
    """Return how many links or cables a fabric has by pair of tiers, such as `node-leaf`.

    A cable counts for the tiers of its first link.
    """
    links = plan.links
    segment = links.segment[plan.cables.end_link[plan.cables.find_first_rows()]] if of_cables else links.segment
    counts: dict[str, int] = {}
    for link_segment, count in zip(
        links.segments, np.bincount(segment, minlength=len(links.segments)).tolist(), strict=True
    ):
        if link_segment.fabric == fabric.name and (count or counts.get(link_segment.key)):
            counts[link_segment.key] = counts.get(link_segment.key, 0) + count
    return counts


def _find_ratio(cluster: Cluster, tier: TierDesign) -> float | None:
    """Return the oversubscription of a tier at the phase; None without uplinks.

    It is that of the whole cluster, scaled by how the ratio of the worst switch changes.
    """
    assert cluster.phase  # noqa: S101 - as above
    assert tier.oversubscription  # noqa: S101 - callers have asked
    phase_ratio, whole_ratio = _find_worst_ratio(cluster.plan, tier), _find_worst_ratio(cluster.phase.whole.plan, tier)
    factor = 1 if phase_ratio == whole_ratio else phase_ratio / whole_ratio if whole_ratio else 0
    return round(float(tier.oversubscription) * factor, 4) if factor else None


def _find_worst_ratio(plan: WiringPlan, tier: TierDesign) -> float:
    """Return the largest ratio of downlink to uplink bandwidth that a switch of a tier has; 0 without uplinks.

    In a tier without a tier above, links between its switches (spans) are its uplinks.
    """
    cls, links = plan.devices.find_tier(tier.key), plan.links
    speed: Floats = np.array([s.speed_gbps for s in links.segments], dtype=np.float64)[links.segment]
    low_class, high_class = (plan.devices.device_class[column] for column in (links.a_device, links.b_device))
    tier_class, size = plan.devices.device_class[cls.first] if cls.count else -1, len(plan.devices)
    is_lower, is_upper = low_class == tier_class, high_class == tier_class
    # Gb/s of links to each switch of the tier from below, from other tiers
    down = np.bincount(links.b_device, weights=speed * (is_upper & ~is_lower), minlength=size)[cls.rows]
    # links of a switch's management port are in segments from `node`, and are no uplinks
    managed = np.array([s.key.startswith("node-") for s in links.segments], dtype=bool)[links.segment]
    climbs, spans = is_lower & ~is_upper & ~managed, is_lower & is_upper
    up = np.bincount(links.a_device, weights=speed * climbs, minlength=size)
    # a span is an uplink of both its switches
    for column in () if tier.up else (links.a_device, links.b_device):
        up += np.bincount(column, weights=speed * spans, minlength=size)
    up = up[cls.rows]
    return float(np.max(down[up > 0] / up[up > 0], initial=0))


_SCALED = ("domains", "accelerators", "switches", "links", "cables")
"""Figures that are proportional to the number of scale-up domains."""


def _summarize_scale_up(cluster: Cluster, scale_up: ScaleUpDesign, figures: dict[str, Any]) -> dict[str, Any]:
    """Return the figures of scale-up domains at the phase: those of the whole cluster, scaled to the domains with
    nodes.

    A domain larger than a unit counts as a whole as soon as one of its nodes exists.
    """
    assert cluster.phase  # noqa: S101 - as above
    plan, before = cluster.plan.devices, cluster.phase.whole.plan.devices
    layout, groups = cluster.design.layout, scale_up.places.groups
    paths = {s.path for s in layout.node_sets if s.unit in groups}
    labels = [i for i, cls in enumerate(before.classes) if cls.path in paths and _count_accelerators(cls)]
    groups_of_pod = [len(groups.get(kind.name, ())) for kind in layout.kind_of_pod]

    def count_held(column: str, table: DeviceTable) -> int:
        """Count the domains with nodes in a device table. `column` is `pod` or `unit`, the place that domains are in.

        A pod has one domain; a unit has one for each group of its nodes that forms a domain.
        """
        rows = np.isin(table.device_class, labels)
        places, first_rows = np.unique(getattr(table, column)[rows], return_index=True)
        return len(places) if column == "pod" else int(np.array(groups_of_pod)[table.pod[rows][first_rows]].sum())

    if scale_up.per in ("pod", "cluster"):
        part, total = (count_held("pod", plan), count_held("pod", before)) if scale_up.per == "pod" else (1, 1)
    elif scale_up.per == "node":
        part, total = (int(np.isin(t.device_class, labels).sum()) for t in (plan, before))
    elif scale_up.per == "rack":
        part, total = (_count_rack_domains(table, labels, scale_up.places.racks) for table in (plan, before))
    else:
        part, total = count_held("unit", plan), count_held("unit", before)
    scaled = {key: figures[key] * part // max(1, total) for key in _SCALED if key in figures}
    return figures | scaled


def _count_rack_domains(devices: DeviceTable, labels: list[int], racks: int) -> int:
    """Return how many scale-up domains, of `racks` adjacent racks of a unit each, have nodes of some classes.

    `labels` are the indexes of these classes in the device table.
    """
    rows = np.isin(devices.device_class, labels)
    domain = devices.rack_in_unit[rows] // racks
    return len(np.unique(devices.unit[rows].astype(np.int64) * (int(domain.max(initial=0)) + 1) + domain))


def describe_left_out(cluster: Cluster) -> tuple[str, ...]:
    """Return lines, with numbers, that say how a lab differs from its cluster; () for a cluster that is no lab.

    A lab keeps the names, ports and addresses of the whole cluster, so that a switch that keeps all its links keeps its
    configuration.
    """
    return tuple(_list_left_out(cluster, cluster.phase)) if cluster.phase and cluster.phase.lab else ()


def _list_left_out(cluster: Cluster, phase: AtPhase) -> Iterator[str]:
    """Yield lines that say how many pods, units, nodes, switches and links of the whole cluster are left."""
    layout, whole_plan = cluster.design.layout, phase.whole.plan
    units = {pod.name: range(pod.first_su, pod.first_su + pod.su) for pod in layout.pods}
    kept_units = {name: len(phase.selection.units.intersection(unit_range)) for name, unit_range in units.items()}
    kept_pods = [name for name, count in kept_units.items() if count]
    if len(kept_pods) < len(kept_units):
        yield f"pods: {len(kept_pods)} of {len(kept_units):,} ({', '.join(kept_pods)}); others are like these"
    if fewer := [
        f"{name} {kept_units[name]} of {len(units[name])}" for name in kept_pods if kept_units[name] < len(units[name])
    ]:
        yield f"units: {', '.join(fewer)}"
    per_rack = {nodes.path for nodes in layout.node_sets if nodes.per_rack}
    present, total = (
        sum(cls.count for cls in plan.devices.classes if cls.kind == NODE and cls.path not in per_rack)
        for plan in (cluster.plan, whole_plan)
    )
    if present < total:
        yield f"nodes: {present:,} of {total:,}"
    tiers = [
        (lab, whole)
        for lab, whole in zip(cluster.plan.devices.classes, whole_plan.devices.classes, strict=True)
        if whole.kind == SWITCH
    ]
    lab_count, whole_count = (sum(cls.count for cls in column) for column in zip(*tiers, strict=True))
    words = [f"{whole.key.text} {lab.count} of {whole.count}" for lab, whole in tiers if lab.count < whole.count]
    yield f"switches: {lab_count:,} of {whole_count:,}" + (f" ({', '.join(words)})" if words else "")
    yield from _describe_links(cluster, phase)


def _describe_links(cluster: Cluster, phase: AtPhase) -> Iterator[str]:
    """Yield lines about the links that are left, switches with fewer links, and extra devices without links."""
    # the links of each device of the lab: in the lab, and in the whole cluster
    lab_counts, whole_counts = _count_links(cluster), _count_links(phase.whole)[phase.devices]
    classes = cluster.plan.devices.classes
    yield f"links: {len(cluster.plan.links):,} of {len(phase.whole.plan.links):,}"
    fewer: Flags = lab_counts < whole_counts
    words, unchanged, total = [], 0, 0
    for cls in classes:
        if cls.kind == SWITCH and cls.count:
            lacking = int(fewer[cls.rows].sum())
            unchanged, total = unchanged + cls.count - lacking, total + cls.count
            words += [f"{cls.key.text} {lacking}"] if lacking else []
    yield f"configurations of the whole: {unchanged:,} of {total:,} switches" + (
        f"; with fewer ports in use: {', '.join(words)}" if words else ""
    )
    for cls in classes:
        unlinked = int(((lab_counts[cls.rows] == 0) & (whole_counts[cls.rows] > 0)).sum()) if cls.kind == EXTRA else 0
        if unlinked:
            yield f"{cls.label}: {unlinked} of {cls.count} have no link left; keep more switches of the tiers above"


def _count_links(cluster: Cluster) -> np.ndarray:
    """Return the number of links of each device; int64."""
    links, size = cluster.plan.links, len(cluster.names)
    return np.bincount(links.a_device, minlength=size) + np.bincount(links.b_device, minlength=size)

"""Lines that say what a lab leaves out of its cluster."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fabricgen.cluster import AtPhase, Cluster
from fabricgen.wiring.arrays import Flags
from fabricgen.wiring.tables import EXTRA, NODE, SWITCH


def left_out(cluster: Cluster) -> tuple[str, ...]:
    """Return lines, with numbers, that say how a lab differs from its cluster; () for a cluster that is no lab.

    A lab keeps the names, ports and addresses of the whole cluster, so that a switch that keeps all its links keeps its
    configuration.
    """
    return tuple(_describe_left_out(cluster, cluster.phase)) if cluster.phase and cluster.phase.lab else ()


def _describe_left_out(cluster: Cluster, phase: AtPhase) -> Iterator[str]:
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

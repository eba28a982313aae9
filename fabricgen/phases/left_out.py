"""What a lab leaves out of its cluster, in words."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fabricgen.cluster import AtPhase, Cluster
from fabricgen.wiring.arrays import Flags
from fabricgen.wiring.tables import EXTRA, NODE, SWITCH


def left_out(cluster: Cluster) -> tuple[str, ...]:
    """How a lab differs from its cluster, a line each, with numbers; () for a cluster that is no lab.

    What it keeps has the names, ports and addresses of the whole: a switch that keeps all its links keeps its
    configuration.
    """
    return tuple(_told(cluster, cluster.phase)) if cluster.phase and cluster.phase.lab else ()


def _told(cluster: Cluster, phase: AtPhase) -> Iterator[str]:
    layout, whole = cluster.design.layout, phase.whole.plan
    units = {pod.name: range(pod.first_su, pod.first_su + pod.su) for pod in layout.pods}
    kept = {name: len(phase.selection.units.intersection(of)) for name, of in units.items()}
    some = [name for name, count in kept.items() if count]
    if len(some) < len(kept):
        yield f"pods: {len(some)} of {len(kept):,} ({', '.join(some)}); others are like these"
    if fewer := [f"{name} {kept[name]} of {len(units[name])}" for name in some if kept[name] < len(units[name])]:
        yield f"units: {', '.join(fewer)}"
    beside = {nodes.path for nodes in layout.node_sets if nodes.per_rack}
    there, total = (
        sum(cls.count for cls in plan.devices.classes if cls.kind == NODE and cls.path not in beside)
        for plan in (cluster.plan, whole)
    )
    if there < total:
        yield f"nodes: {there:,} of {total:,}"
    tiers = [
        (now, then)
        for now, then in zip(cluster.plan.devices.classes, whole.devices.classes, strict=True)
        if then.kind == SWITCH
    ]
    counts = [sum(cls.count for cls in column) for column in zip(*tiers, strict=True)]
    words = [f"{then.key.text} {now.count} of {then.count}" for now, then in tiers if now.count < then.count]
    yield f"switches: {counts[0]:,} of {counts[1]:,}" + (f" ({', '.join(words)})" if words else "")
    yield from _links(cluster, phase)


def _links(cluster: Cluster, phase: AtPhase) -> Iterator[str]:
    """Links that are there, switches that lack some of theirs, and extra devices that have none left."""
    before, now = (_linked(plan_of) for plan_of in (phase.whole, cluster))
    then = before[phase.devices]
    classes = cluster.plan.devices.classes
    yield f"links: {len(cluster.plan.links):,} of {len(phase.whole.plan.links):,}"
    fewer: Flags = now < then
    words, same, all_ = [], 0, 0
    for cls in classes:
        if cls.kind == SWITCH and cls.count:
            lacking = int(fewer[cls.rows].sum())
            same, all_ = same + cls.count - lacking, all_ + cls.count
            words += [f"{cls.key.text} {lacking}"] if lacking else []
    yield f"configurations of the whole: {same:,} of {all_:,} switches" + (
        f"; with fewer ports in use: {', '.join(words)}" if words else ""
    )
    for cls in classes:
        alone = int(((now[cls.rows] == 0) & (then[cls.rows] > 0)).sum()) if cls.kind == EXTRA else 0
        if alone:
            yield f"{cls.label}: {alone} of {cls.count} have no link left; keep more switches of the tiers above"


def _linked(cluster: Cluster) -> np.ndarray:
    """How many links each device has; int64."""
    links, size = cluster.plan.links, len(cluster.names)
    return np.bincount(links.a_device, minlength=size) + np.bincount(links.b_device, minlength=size)

"""summary.json: every count of the cluster."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator

import numpy as np

from fabricgen.cluster import Cluster
from fabricgen.design.summary import summarize_design
from fabricgen.export.table import ExportContext, File
from fabricgen.phases.summary import describe_left_out, summarize_phase

ON_REQUEST = False
TELLS_FINDINGS = True


def files(cluster: Cluster, context: ExportContext) -> Iterator[File]:
    """Yield summary.json. Its counts come from the design and agree with the wiring plan.

    Cables are corrected here: one that fills a twin-port cage has two connectors at an end, and the design, which knows
    no lengths, counts a cable for each connector.
    """
    figures = summarize_phase(cluster) if cluster.phase else summarize_design(cluster.design)
    if differs := describe_left_out(cluster):
        figures["differs"] = list(differs)
    for (fabric, key), fewer in () if cluster.phase else _count_merged_cables(cluster).items():
        figures["fabrics"][fabric]["cables"][key] -= fewer
    yield "summary.json", (json.dumps(figures | {"findings": dict(context.findings())}, indent=2) + "\n").encode()


def rows(cluster: Cluster) -> int:
    """Return the work of writing summary.json, counted in rows of links.csv: about one for each fabric."""
    return len(cluster.design.fabrics)


def _count_merged_cables(cluster: Cluster) -> dict[tuple[str, str], int]:
    """Return, by fabric and pair of tiers, how many fewer cables there are than connectors that they plug into."""
    cables, links = cluster.plan.cables, cluster.plan.links
    rows = np.flatnonzero(cables.connectors > 1)
    segment = np.zeros(len(cables), dtype=np.int32)
    segment[cables.end_cable] = links.segment[cables.end_link]
    fewer = np.bincount(segment[rows], weights=cables.connectors[rows] - 1, minlength=len(links.segments))
    merged = Counter[tuple[str, str]]()
    for link_segment, count in zip(links.segments, fewer.tolist(), strict=True):
        merged[link_segment.fabric, link_segment.key] += round(count)
    # + leaves out the pairs of tiers whose count is 0
    return +merged

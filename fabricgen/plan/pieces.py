"""Cables as they are ordered: into how many far ends each splits, and how many lanes it has at its common end."""

from __future__ import annotations

from typing import Any

import numpy as np

from fabricgen.plan.assemblies import connectors_in_cage
from fabricgen.plan.end_numbers import hangs_on_lower
from fabricgen.plan.tables import Ints, LinkTable, Segment, Wide

_MOST_CODES = 1 << 22
"""Combinations that a table is made of, rather than a sorted list: 64 MB."""


def combinations(*columns: Any) -> tuple[Wide, Wide]:
    """(a row of each distinct combination of numbers, the combination of every row); columns of one length.

    Combinations ascend, the first column before the next.
    """
    code, size = np.zeros(len(columns[0]), dtype=np.int64), 1
    for column in columns:
        small = column.dtype.kind in "iub" and column.min(initial=0) >= 0 and column.max(initial=0) < _MOST_CODES
        values, place = (None, column) if small else np.unique(column, return_inverse=True)
        width = int(column.max(initial=0)) + 1 if values is None else len(values)
        code, size = code * width + place, size * width
        if size > _MOST_CODES:
            known, code = np.unique(code, return_inverse=True)
            size = len(known)
    row = np.full(size, -1, dtype=np.int64)
    row[code[::-1]] = np.arange(len(code), dtype=np.int64)[::-1]
    there = np.flatnonzero(row >= 0)
    number = np.zeros(size, dtype=np.int64)
    number[there] = np.arange(len(there), dtype=np.int64)
    return row[there], number[code]


def far_ends(links: LinkTable, end_cable: Ints, end_link: Ints, end_links: Ints, cables: int) -> Ints:
    """Into how many far ends each cable splits; 1 for a straight one. A spare leg of a breakout counts.

    Where one end takes several links of a split cage, as a DGX does those of a switch, it is straight.
    """
    ends = np.bincount(end_cable, minlength=cables).astype(np.int32)
    shared = [1 if hangs_on_lower(s) else s.b.per_connector for s in links.segments]
    np.maximum.at(ends, end_cable, np.array(shared, dtype=np.int32)[links.segment[end_link]] // end_links)
    return ends


def link_lanes(links: LinkTable) -> Ints:
    """Electrical lanes of one link of each segment, int32."""
    return np.array([-int(-s.speed_gbps // s.lane_gbps) for s in links.segments], dtype=np.int32)


def lanes(links: LinkTable, end_cable: Ints, end_link: Ints, end_links: Ints, cables: int) -> Ints:
    """Electrical lanes of each cable at its common end, those of spare legs too."""
    wired = np.bincount(end_cable, weights=end_links, minlength=cables)
    count = np.zeros(cables)
    count[end_cable] = link_lanes(links)[links.segment[end_link]]
    whole: Ints = (count * np.maximum(wired, far_ends(links, end_cable, end_link, end_links, cables))).astype(np.int32)
    return whole


def common_end_is_lower(segment: Segment, connectors: int) -> bool:
    """Whether the common end of cables of a segment is their lower one.

    A cable that fills several connectors of a twin-port cage hangs on that cage, whatever else does.
    """
    return connectors_in_cage(segment.a) > 1 if connectors > 1 else hangs_on_lower(segment)

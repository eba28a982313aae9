"""Cables as assemblies: into how many far ends each splits, and how many lanes it has at its common end."""

from __future__ import annotations

from typing import Any

import numpy as np

from fabricgen.plan.end_numbers import hangs_on_lower
from fabricgen.plan.tables import Ints, LinkTable, Wide


def combinations(*columns: Any) -> tuple[Wide, Wide]:
    """(a row of each distinct combination of numbers, the combination of every row); columns of one length."""
    code = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        values, place = np.unique(column, return_inverse=True)
        _, code = np.unique(code * len(values) + place, return_inverse=True)
    _, first = np.unique(code, return_index=True)
    return first, code


def far_ends(links: LinkTable, end_cable: Ints, end_link: Ints, cables: int) -> Ints:
    """Into how many far ends each cable splits; 1 for a straight one. A spare leg of a breakout counts."""
    ends = np.bincount(end_cable, minlength=cables).astype(np.int32)
    shared = [1 if hangs_on_lower(s) else s.b.per_connector for s in links.segments]
    np.maximum.at(ends, end_cable, np.array(shared, dtype=np.int32)[links.segment[end_link]])
    return ends


def lanes(links: LinkTable, end_cable: Ints, end_link: Ints, end_links: Ints, cables: int) -> Ints:
    """Electrical lanes of each cable at its common end, those of spare legs too."""
    wired = np.bincount(end_cable, weights=end_links, minlength=cables)
    each = np.array([-(-s.speed_gbps // s.lane_gbps) for s in links.segments])
    count = np.zeros(cables)
    count[end_cable] = each[links.segment[end_link]]
    whole: Ints = (count * np.maximum(wired, far_ends(links, end_cable, end_link, cables))).astype(np.int32)
    return whole

"""How wide cables are: into how many far ends each splits, and how many electrical lanes it carries."""

from __future__ import annotations

import numpy as np

from fabricgen.plan.end_numbers import hangs_on_lower
from fabricgen.plan.tables import Ints, LinkTable


def splits_of(links: LinkTable, end_cable: Ints, end_link: Ints, end_links: Ints, cables: int) -> Ints:
    """Into how many far ends each cable splits; 1 for a straight one. A spare leg of a breakout counts.

    Where one end takes several links of a split cage, as a DGX does those of a switch, it is straight.
    """
    splits = np.bincount(end_cable, minlength=cables).astype(np.int32)
    shared = [1 if hangs_on_lower(s) else s.b.per_connector for s in links.segments]
    at_cage = np.array(shared, dtype=np.int32)[links.segment[end_link]]
    np.maximum.at(splits, end_cable, at_cage // end_links)
    return splits


def link_lanes(links: LinkTable) -> Ints:
    """Electrical lanes of one link of each segment."""
    return np.array([-int(-s.speed_gbps // s.lane_gbps) for s in links.segments], dtype=np.int32)


def lanes_of(links: LinkTable, end_cable: Ints, end_link: Ints, end_links: Ints, splits: Ints) -> Ints:
    """Electrical lanes of each cable at its common end, those of spare legs too."""
    wired = np.bincount(end_cable, weights=end_links, minlength=len(splits))
    lanes = np.zeros(len(splits), dtype=np.int32)
    lanes[end_cable] = link_lanes(links)[links.segment[end_link]]
    whole: Ints = (lanes * np.maximum(wired, splits)).astype(np.int32)
    return whole

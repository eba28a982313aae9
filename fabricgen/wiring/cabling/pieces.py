"""Far ends and lanes of cables, by which they are ordered."""

from __future__ import annotations

import numpy as np

from fabricgen.wiring.cabling.assemblies import connectors_in_cage
from fabricgen.wiring.cabling.end_numbers import hangs_on_lower
from fabricgen.wiring.tables import CableTable, Flags, Ints, Ints64, LinkTable, Segment


def link_lanes(links: LinkTable) -> Ints:
    """Electrical lanes of one link of each segment, int32."""
    return np.array([s.lanes for s in links.segments], dtype=np.int32)


def splits(links: LinkTable, end_cable: Ints, end_link: Ints | Ints64, end_links: Ints, cables: int) -> Ints:
    """The number of far ends of each cable, int32, as in `widths`."""
    far_ends = np.bincount(end_cable, minlength=cables).astype(np.int32)
    shared = [1 if hangs_on_lower(s) else s.b.per_connector for s in links.segments]
    if max(shared, default=1) > 1:  # else the least that there may be
        np.maximum.at(far_ends, end_cable, np.array(shared, dtype=np.int32)[links.segment[end_link]] // end_links)
    return far_ends


def widths(
    links: LinkTable, end_cable: Ints, end_link: Ints | Ints64, end_links: Ints, cables: int
) -> tuple[Ints, Ints]:
    """(number of far ends of each cable, electrical lanes at its common end), int32, from columns of end rows.

    A straight cable has 1 far end; unused legs of a breakout count. A cable whose far end takes several links of a
    split cage, as at a DGX, is straight.
    """
    far_ends = splits(links, end_cable, end_link, end_links, cables)
    wired = np.bincount(end_cable, weights=end_links, minlength=cables)
    each = np.zeros(cables, dtype=np.int32)
    each[end_cable] = link_lanes(links)[links.segment[end_link]]
    return far_ends, (each * np.maximum(wired, far_ends)).astype(np.int32)


def common_end_is_lower(segment: Segment, connectors: int) -> bool:
    """Whether the common end of cables of a segment is their lower one.

    A cable that fills several connectors of a twin-port cage hangs on that cage, whatever else does.
    """
    return connectors_in_cage(segment.a) > 1 if connectors > 1 else hangs_on_lower(segment)


def common_ends(links: LinkTable, cables: CableTable) -> Flags:
    """Whether the common end of each cable, which a breakout has in one cage, is its lower (a) one; bool."""
    segment = links.segment[cables.end_link[cables.first_rows()]]
    single, whole = (
        np.array([common_end_is_lower(s, connectors) for s in links.segments], dtype=bool)[segment]
        for connectors in (1, 2)
    )
    return np.where(cables.connectors > 1, whole, single)

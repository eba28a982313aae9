"""Far ends and lanes of cables, by which they are ordered, and which end of a cable is the common one."""

from __future__ import annotations

import numpy as np

from fabricgen.wiring.arrays import Flags, Ints, Ints64
from fabricgen.wiring.cabling.assemblies import count_connectors
from fabricgen.wiring.cabling.end_numbers import hangs_on_lower_end
from fabricgen.wiring.tables import CableTable, LinkTable, Segment


def count_link_lanes(links: LinkTable) -> Ints:
    """Return how many electrical lanes a link of each segment has, int32."""
    return np.array([s.lanes for s in links.segments], dtype=np.int32)


def count_far_ends(
    links: LinkTable, end_cable: Ints, end_link: Ints | Ints64, end_links: Ints, connectors: Ints
) -> Ints:
    """Return the number of far ends of each cable, int32; arguments are as in `count_ends_and_lanes`.

    A breakout with its common end above has all its far ends, whether a device is on each of them or not; one with its
    common end below has those in use.
    """
    far_ends = np.bincount(end_cable, minlength=len(connectors)).astype(np.int32)
    upper_links = _count_links_split_above(links, end_cable, end_link, connectors)
    if upper_links.any():
        # a leg whose row has several links is one far end for all of them
        np.maximum.at(far_ends, end_cable, upper_links[end_cable] // end_links)
    return far_ends


def _count_links_split_above(links: LinkTable, end_cable: Ints, end_link: Ints | Ints64, connectors: Ints) -> Ints:
    """Return how many links each cable with its common end above splits into there, used or not; int32, 0 for others.

    A cable that fills several connectors of a cage splits into the links of all of these.
    """
    links_of_connector = [0 if hangs_on_lower_end(s) else s.b.links_per_connector for s in links.segments]
    if not any(links_of_connector):
        return np.zeros(len(connectors), dtype=np.int32)
    segment = _find_segments(links, end_cable, end_link, len(connectors))
    split_links = connectors * np.array(links_of_connector, dtype=np.int32)[segment]
    return np.where(_are_lower(links, segment, connectors), 0, split_links).astype(np.int32)


def count_ends_and_lanes(
    links: LinkTable, end_cable: Ints, end_link: Ints | Ints64, end_links: Ints, connectors: Ints
) -> tuple[Ints, Ints]:
    """Return (number of far ends of each cable, electrical lanes at its common end), int32.

    `end_cable`, `end_link` and `end_links` are columns of end rows: cable, one of the row's links, and their number.
    `connectors` has an entry for each cable: how many connectors of a cage it fills. A straight cable has 1 far end,
    even if it carries several links, as to a DGX; unused legs of a breakout with its common end above count, and so do
    their lanes.
    """
    far_ends = count_far_ends(links, end_cable, end_link, end_links, connectors)
    # `bincount` with weights adds them: the links of all end rows of a cable
    link_count = np.bincount(end_cable, weights=end_links, minlength=len(connectors))
    lanes_of_link = count_link_lanes(links)[_find_segments(links, end_cable, end_link, len(connectors))]
    # an unused leg has lanes, too
    return far_ends, (lanes_of_link * np.maximum(link_count, far_ends)).astype(np.int32)


def _find_segments(links: LinkTable, end_cable: Ints, end_link: Ints | Ints64, cables: int) -> Ints:
    """Return the segment of the last end row of each cable, int32, as `CableEnds.find_segments` does."""
    segment = np.zeros(cables, dtype=np.int32)
    # of several rows of a cable the last one stays
    segment[end_cable] = links.segment[end_link]
    return segment


def is_common_end_lower(segment: Segment, connectors: int) -> bool:
    """Whether the common end of a cable, the one from which a breakout splits, is its lower (a) end.

    `segment` is that of the links it carries, `connectors` how many connectors of one cage it fills.
    """
    if connectors > 1:
        # it fills a twin-port cage, and that cage is its common end: the lower one if it is such a cage
        return count_connectors(segment.a) > 1
    return hangs_on_lower_end(segment)


def are_common_ends_lower(links: LinkTable, cables: CableTable) -> Flags:
    """Whether the common end of each cable, which a breakout has in one cage, is its lower (a) one; bool."""
    return _are_lower(links, links.segment[cables.end_link[cables.find_first_rows()]], cables.connectors)


def _are_lower(links: LinkTable, segment: Ints, connectors: Ints) -> Flags:
    """Whether the common end of cables, given by their segment and the connectors that they fill, is the lower one."""
    # 1 and 2 stand for "fills one connector" and "fills several", of which each segment is judged once
    by_connector, by_cage = (
        np.array([is_common_end_lower(s, filled) for s in links.segments], dtype=bool)[segment] for filled in (1, 2)
    )
    return np.where(connectors > 1, by_cage, by_connector)

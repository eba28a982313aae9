"""What product lists offer: the media that may be taken for each kind of link, and the lengths that can be ordered."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from fabricgen.catalog.models import CableProfile
from fabricgen.design.model import Design
from fabricgen.plan.assemblies import combinations, far_ends, lanes
from fabricgen.plan.end_kinds import end_kind
from fabricgen.plan.end_numbers import Ends, hangs_on_lower
from fabricgen.plan.shelf import Shelf, Wanted
from fabricgen.plan.tables import Floats, Ints, LinkTable, Offer, Segment


def shelf_of(design: Design) -> Shelf | None:
    """The product lists that a blueprint orders from; None where it names none.

    Raises InputError where there is no such list, or one names a medium that the catalogue lacks.
    """
    names = design.loaded.blueprint.cabling.products
    lists = (design.catalog.products(name, ("cabling", "products", i)) for i, name in enumerate(names))
    return Shelf(tuple(lists)) if names else None


def with_offers(segment: Segment, shelf: Shelf, media: Iterable[CableProfile]) -> Segment:
    """A segment with the media that the lists sell for its ends; as it is where they sell none of those allowed."""
    offered = []
    for medium in media:
        allowed = medium.id in segment.media if segment.media else medium.selectable
        if allowed and segment.lane_gbps in medium.lane_gbps and not segment.backplane:
            wanted = wanted_of(segment, medium, shelf, shared(segment), _lanes_of_one(segment) * shared(segment))
            reach = shelf.reach_m(medium, wanted.hub, wanted.far, wanted)
            if reach > 0:
                offered.append(Offer(medium.id, reach))
    return replace(segment, offered=tuple(offered)) if offered else segment


def wanted_of(segment: Segment, medium: CableProfile, shelf: Shelf | None, ends: int, count: int) -> Wanted:
    """The cable of a segment with so many far ends and lanes, its common end first."""
    a, b = (end_kind(side, segment, shelf) for side in (segment.a, segment.b))
    hub, far = (a, b) if hangs_on_lower(segment) else (b, a)
    return Wanted(medium, hub, far, ends, count, segment.lane_gbps)


def shared(segment: Segment) -> int:
    """Far ends that the connector which cables of a segment hang on has, if each link group goes its own way."""
    hub, far = (segment.a, segment.b) if hangs_on_lower(segment) else (segment.b, segment.a)
    return max(1, hub.per_connector // max(1, far.per_connector))


def _lanes_of_one(segment: Segment) -> int:
    """Lanes of the links that go to one far end."""
    hub, far = (segment.a, segment.b) if hangs_on_lower(segment) else (segment.b, segment.a)
    return round(-(-segment.speed_gbps // segment.lane_gbps) * min(hub.per_connector, far.per_connector))


def offered_lengths(
    shelf: Shelf, links: LinkTable, ends: Ends, medium: Ints, media: tuple[CableProfile, ...], run_m: Floats
) -> Floats:
    """The length that is sold of the product for each cable, m, float64; NaN where none is, or none so long."""
    cables = len(run_m)
    segment = np.zeros(cables, dtype=np.int32)
    segment[ends.cable] = links.segment[ends.link]
    columns = (
        segment,
        medium,
        far_ends(links, ends.cable, ends.link, cables),
        lanes(links, ends.cable, ends.link, ends.links, cables),
    )
    first, code = combinations(*columns)
    length_m = np.full(cables, np.nan)
    for i, (kind, chosen, split, count) in enumerate(zip(*(c[first].tolist() for c in columns), strict=True)):
        sold = shelf.lengths(wanted_of(links.segments[kind], media[chosen], shelf, split, count))
        if sold:
            here = np.flatnonzero(code == i)
            length_m[here] = np.array([*sold, np.nan])[np.searchsorted(sold, run_m[here] - 1e-9)]
    return length_m

"""Offers of product lists: the media that they sell for each segment, and the lengths that can be ordered."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from fabricgen.catalog.cable_models import ROUNDING_M, CableProfile
from fabricgen.catalog.product_models import Product
from fabricgen.design.media.policy import list_product_lists
from fabricgen.design.model import Design
from fabricgen.wiring.arrays import Floats, Ints, unique_combinations
from fabricgen.wiring.cabling.assemblies import count_connectors
from fabricgen.wiring.cabling.end_kinds import EndKind, make_end_kind
from fabricgen.wiring.cabling.end_numbers import CableEnds, hangs_on_lower_end
from fabricgen.wiring.cabling.far_ends import count_ends_and_lanes, is_common_end_lower
from fabricgen.wiring.cabling.media import Media, is_allowed
from fabricgen.wiring.cabling.shelf import CableOrder, Shelf, split_into_fibres
from fabricgen.wiring.tables import LinkTable, MediumOffer, Segment


def make_shelf(design: Design) -> Shelf | None:
    """Return the product lists that a blueprint orders from; None if it names none.

    Raises InputError if there is no such list, or if a list names a medium that the catalogue lacks.
    """
    blueprint = design.loaded.blueprint
    lists = {name: design.catalog.products(name, path) for path, name in list_product_lists(blueprint)}
    # by the vendor of the device whose cage a part goes into; "" where a blueprint names lists for all vendors
    by_vendor = {vendor: tuple(lists[n] for n in names) for vendor, names in blueprint.cabling.products.items()}
    return Shelf(tuple(lists.values()), {} if "" in by_vendor else by_vendor) if lists else None


def add_offers(segment: Segment, shelf: Shelf, media: Iterable[CableProfile]) -> Segment:
    """Return a segment with the media that product lists sell for its ends, which are then preferred.

    Without any, or for a backplane, it is the same segment.
    """
    if segment.backplane:
        return segment
    offered, ends, sizes = [], make_end_kinds(segment, shelf), list(_list_cable_sizes(segment))
    for medium in (m for m in media if segment.lane_gbps in m.lane_gbps):
        if is_allowed(segment, medium):
            orders = [make_cable_order(segment, medium, ends, connectors, *size) for connectors, size in sizes]
            # a medium counts as sold if any of the cables that the segment may have is
            reach = max(shelf.reach_m(medium, cable) for cable in orders)
            if reach > 0:
                offered.append(MediumOffer(medium.id, reach))
    return segment._replace(offered=tuple(offered)) if offered else segment


def make_end_kinds(segment: Segment, shelf: Shelf | None) -> tuple[EndKind, EndKind]:
    """Return the cages that the lower and the upper end of a segment's cables plug into."""
    return make_end_kind(segment.a, segment, shelf), make_end_kind(segment.b, segment, shelf)


def make_cable_order(
    segment: Segment, medium: CableProfile, kinds: tuple[EndKind, EndKind], connectors: int, far_ends: int, lanes: int
) -> CableOrder:
    """Return the order of a cable of a segment that fills `connectors` connectors of a cage.

    `kinds` are those of the lower and the upper end.
    """
    a, b = kinds
    common, far = (a, b) if is_common_end_lower(segment, connectors) else (b, a)
    return CableOrder(medium, common, far, far_ends, lanes, segment.lane_gbps)


def _list_cable_sizes(segment: Segment) -> Iterator[tuple[int, tuple[int, int]]]:
    """Yield (connectors that it fills, (far ends, lanes)) of each size of cable that a segment may have.

    The first is a cable on one connector; if a cage has several connectors, the second is one that fills the cage.
    """
    common_side, far_side = (segment.a, segment.b) if hangs_on_lower_end(segment) else (segment.b, segment.a)
    far_ends = max(1, common_side.links_per_connector // max(1, far_side.links_per_connector))
    yield 1, (far_ends, segment.lanes * max(common_side.links_per_connector, far_side.links_per_connector))
    connectors_in_cage = [count_connectors(side_of_link) for side_of_link in (segment.a, segment.b)]
    if max(connectors_in_cage) > 1:
        links_of_cage = [
            side_of_link.links_per_connector * connectors
            for side_of_link, connectors in zip((segment.a, segment.b), connectors_in_cage, strict=True)
        ]
        yield max(connectors_in_cage), (max(links_of_cage) // min(links_of_cage), segment.lanes * max(links_of_cage))


def find_sold_lengths(
    shelf: Shelf, links: LinkTable, ends: CableEnds, connectors: Ints, medium_of_run: tuple[Ints, Media, Floats]
) -> Floats:
    """Return for each cable the shortest sufficient length of the first product, in order of preference, that is sold
    long enough for its run, m, float64. A later product may have a shorter one.

    NaN if no product is sold for the cable, or none is long enough. `connectors` says how many connectors of a cage
    each cable fills; `medium_of_run` is the medium of each cable (an index of the media), the media, and the run of
    each cable, m.
    """
    medium, media, run_m = medium_of_run
    cables = len(run_m)
    # there are few kinds of order among many cables: the product lists are searched once for each kind
    columns = (
        ends.find_segments(links),
        medium,
        connectors,
        *count_ends_and_lanes(links, ends.cable, ends.link, ends.links, connectors),
    )
    samples, kind_of_cable = unique_combinations(*columns)
    length_m = np.full(cables, np.nan)
    order_kinds = zip(*(column[samples].tolist() for column in columns), strict=True)
    for i, (segment_index, medium_index, *connectors_ends_and_lanes) in enumerate(order_kinds):
        link_segment = links.segments[segment_index]
        end_kinds = make_end_kinds(link_segment, shelf)
        order = make_cable_order(link_segment, media[medium_index], end_kinds, *connectors_ends_and_lanes)
        cables_of_kind = np.flatnonzero(kind_of_cable == i)
        length_m[cables_of_kind] = _choose_sold_lengths(shelf.list_cables(order), run_m[cables_of_kind])
    return length_m


def find_sold_jumper_lengths(shelf: Shelf, media: Media, columns: tuple[Ints, Ints, Ints], run_m: Floats) -> Floats:
    """Return the length of each jumper as `find_sold_lengths` does that of a cable, m, float64; NaN if there is none.

    `columns` have for each jumper its medium (an index of `media`), its number of far ends, and its lanes.
    """
    samples, kind_of_jumper = unique_combinations(*columns)
    length_m = np.full(len(run_m), np.nan)
    kinds = zip(*(column[samples].tolist() for column in columns), strict=True)
    for i, (medium_index, far_ends, lanes) in enumerate(kinds):
        pieces = split_into_fibres(media[medium_index], far_ends, lanes)
        products = shelf.list_fibres(media[medium_index], splits=pieces[1]) if pieces else ()
        jumpers_of_kind = np.flatnonzero(kind_of_jumper == i)
        length_m[jumpers_of_kind] = _choose_sold_lengths(products, run_m[jumpers_of_kind])
    return length_m


def _choose_sold_lengths(products: Iterable[Product], run_m: Floats) -> Floats:
    """Return the shortest sufficient length of the first product that has one, for each run, m; NaN for none."""
    length_m, unserved = np.full(len(run_m), np.nan), np.arange(len(run_m))
    for product in products:
        sold = np.array([*product.lengths_m, np.nan])
        # beyond the longest `searchsorted` gives the last index, that of NaN: the next product is asked for these
        length_m[unserved] = sold[np.searchsorted(sold[:-1], run_m[unserved] - ROUNDING_M)]
        unserved = unserved[np.isnan(length_m[unserved])]
    return length_m

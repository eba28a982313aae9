"""FG629: the product lists have no such part."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from fabricgen.kernel.diagnostics import Diagnostic, Path, Severity
from fabricgen.kernel.units import format_number
from fabricgen.lint.rule import PlanRule
from fabricgen.lint.subjects.reach import find_segments_of_cables
from fabricgen.wiring.cabling.shelf import split_into_fibres

if TYPE_CHECKING:
    from fabricgen.bom.cables import CableParts
    from fabricgen.bom.jumpers import Jumper
    from fabricgen.catalog.cable_models import CableProfile
    from fabricgen.catalog.product_models import Product, ProductList
    from fabricgen.cluster import Cluster
    from fabricgen.wiring.arrays import Ints64
    from fabricgen.wiring.cabling.end_kinds import EndKind
    from fabricgen.wiring.cabling.shelf import CableOrder, Shelf
    from fabricgen.wiring.tables import Segment

Gap = tuple[str, str, str, str]
"""(fabric, pair of tiers, what no product list has, the nearest part that one has or "")."""

Gaps = dict[Gap, tuple[Path, int]]
"""For each gap, (the path of the statement that it comes from first, how often it occurs)."""


class PartNotListed(PlanRule):
    """A cable or transceiver is in none of the product lists that the blueprint orders from.

    The bill of materials then has only a description (`aoc-25g-...`), which nobody can order: part numbers are
    never invented. Either no list has that form factor, speed, split or top, or none has that length. A cable that
    no medium reaches at all is FG602.

    Add a list that has the part (`generic` has common cords, your own goes into catalog/products), state media or a
    speed that a list has, or move the ends closer together.
    """

    severity = Severity.WARNING
    bad = """
        cabling: {products: [nvidia-linkx]}
        fabrics: {oob: {  # <-
          protocol: ethernet, attach: bmc, tiers: {
          leaf: {switch: sn2201}}}}
    """
    good = """
        cabling: {products: [nvidia-linkx, generic]}
        fabrics: {oob: {protocol: ethernet, attach: bmc, tiers: {leaf: {switch: sn2201}}}}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Flag cables, jumpers and transceivers without a part, one finding for each gap."""
        from fabricgen.bom.cables import CableParts
        from fabricgen.wiring.cabling.offers import make_shelf

        shelf = make_shelf(cluster.design)
        if shelf is None:
            return
        parts, parts_on_sale = CableParts(cluster), _PartsOnSale(cluster, shelf)
        for part_kind, count_gaps in (
            ("cables", _count_cable_gaps),
            ("jumpers", _count_jumper_gaps),
            ("transceivers", _count_transceiver_gaps),
        ):
            for (fabric, key, missing, nearest), (path, count) in count_gaps(cluster, parts, parts_on_sale).items():
                message = f"{count} {fabric} {key} {part_kind}: no product list has {missing}"
                advice = f"the nearest is {nearest}; " if nearest else ""
                yield self.flag(path, message, f"{advice}add a list to `cabling.products`, or state other media")


def _count_cable_gaps(cluster: Cluster, parts: CableParts, sold: _PartsOnSale) -> Gaps:
    """Return how many cables lack a part. Cables that do not reach, with a stated part, of leased fibre, or patched
    (for which jumpers are ordered) are left out.
    """
    import numpy as np

    made, code = parts.made
    links, segment = cluster.plan.links, find_segments_of_cables(cluster)
    is_judged = cluster.plan.cables.reaches & ~np.array([bool(s.km) for s in links.segments], dtype=bool)[segment]
    is_judged[[row for row, override in cluster.planned.overrides.items() if override.part]] = False
    if parts.channels:
        is_judged[parts.channels.cable] = False
    code = np.where(is_judged, code, -1)
    gaps: Gaps = {}
    for i, cable in enumerate(made):
        if not cable.listed:
            for n, count in _count_values(segment[code == i]):
                _add_gap(gaps, links.segments[n], _name_missing_cable(sold, cable.wanted), count)
    return gaps


def _count_values(values: Ints64) -> Iterator[tuple[int, int]]:
    """Yield (value, how often it occurs) in ascending order."""
    import numpy as np

    return zip(*(column.tolist() for column in np.unique(values, return_counts=True)), strict=True)


def _count_jumper_gaps(cluster: Cluster, parts: CableParts, sold: _PartsOnSale) -> Gaps:
    """Return how many jumpers of patched cables lack a part."""
    gaps: Gaps = {}
    channels = parts.channels
    if channels is None:
        return gaps
    segment, links = find_segments_of_cables(cluster)[channels.cable], cluster.plan.links
    is_reaching = cluster.plan.cables.reaches[channels.cable]
    for i, ends in enumerate(channels.kinds):
        lacking = Counter(jumper for end in ends for jumper in end if not jumper.listed)
        for jumper, per_channel in lacking.items():
            for n, count in _count_values(segment[(channels.kind == i) & is_reaching]):
                _add_gap(gaps, links.segments[n], _name_missing_jumper(sold, jumper), per_channel * count)
    return gaps


def _name_missing_jumper(sold: _PartsOnSale, jumper: Jumper) -> tuple[str, str]:
    """Return (what no list has, the nearest part that one has or "") for a jumper."""
    medium, pieces = jumper.medium, split_into_fibres(jumper.medium, jumper.far_ends, jumper.lanes)
    if jumper.kind == "B" and pieces and (too_short := _name_too_short(sold.shelf.list_fibres(medium, pieces[1]))):
        return too_short
    split = f"1:{pieces[1] if pieces else jumper.far_ends}" if not pieces or pieces[1] > 1 else "straight"
    kind = "" if jumper.kind == "B" else f" of type {jumper.kind}"
    missing = f"{split} fibre {medium.fibre.upper()}, {medium.connector}{kind}, for {medium.id}"
    return missing, sold.find_fibre(medium, medium.connector)


def _name_too_short(products: Iterable[Product]) -> tuple[str, str] | None:
    """Return (`NAME, longer than N m`, the longest part on sale) from products that fit in all but length; None without
    any.
    """
    longest = max(products, key=lambda product: product.lengths_m[-1], default=None)
    if longest is None:
        return None
    length_m = longest.lengths_m[-1]
    return f"{longest.name}, longer than {format_number(length_m)} m", longest.part_number(length_m)


def _add_gap(gaps: Gaps, segment: Segment, missing: tuple[str, str], count: int) -> None:
    gap = (segment.fabric, segment.key, *missing)
    path, count_before = gaps.get(gap, (segment.media_path or segment.path, 0))
    gaps[gap] = path, count_before + count


def _name_missing_cable(sold: _PartsOnSale, wanted: CableOrder) -> tuple[str, str]:
    """Return (what no list has, the nearest part that one has or "") for a cable."""
    if too_short := _name_too_short(sold.shelf.list_cables(wanted)):
        return too_short
    medium, pieces = wanted.medium, wanted.pieces
    if medium.attached:
        split = f"{wanted.far_ends}x " if wanted.far_ends > 1 else ""
        common, far = (
            end.form_factor + (f" ({end.top})" if end.form_factor == "OSFP" and end.top else "")
            for end in (wanted.common, wanted.far)
        )
        gbps = round(wanted.lanes * wanted.lane_gbps)
        return f"{medium.name}, {gbps}G, {common} to {split}{far} ({medium.id})", sold.find_cable(wanted)
    split = "straight" if pieces and pieces[1] == 1 else f"1:{pieces[1]}" if pieces else f"1:{wanted.far_ends}"
    plug = medium.find_connector(wanted.lanes / (pieces[0] if pieces else 1))
    return f"{split} fibre {medium.fibre.upper()}, {plug}, for {medium.id}", sold.find_fibre(medium, plug)


def _count_transceiver_gaps(cluster: Cluster, parts: CableParts, sold: _PartsOnSale) -> Gaps:
    """Return how many ends of cables lack a transceiver."""
    import numpy as np

    kinds, *ends = parts.kinds
    table, links = cluster.plan.cables, cluster.plan.links
    medium, segment = table.medium[table.end_cable], links.segment[table.end_link]
    is_reaching = table.reaches[table.end_cable]
    gaps: Gaps = {}
    for kind_of_end in ends:
        # segment, kind of end and medium as one number, since many ends are alike
        code = ((segment.astype(np.int64) * len(kinds) + kind_of_end) * len(table.media) + medium)[is_reaching]
        for value, count in _count_values(code):
            segment_and_kind, of_medium = divmod(value, len(table.media))
            of_segment, of_kind = divmod(segment_and_kind, len(kinds))
            kind, chosen = kinds[of_kind], table.media[of_medium]
            if kind.find_transceiver_part(chosen) and kind.find_product(chosen) is None:
                vendor = f" of {kind.vendor}" if kind.vendor else ""
                module = kind.find_module_or_medium(chosen)
                missing = f"a transceiver {module.id} for {kind.form_factor} of {kind.gbps}G{vendor}"
                _add_gap(gaps, links.segments[of_segment], (missing, sold.find_transceiver(kind, chosen)), count)
    return gaps


def _list_plugs(product: Product, medium: CableProfile) -> set[str]:
    """Return the connectors of a fibre product of a medium, or the one that a transceiver has for all its lanes."""
    if product.kind == "fibre":
        return {medium.connector, *(narrow.connector for narrow in medium.narrow)}
    lanes = max(product.gbps) / max(medium.lane_gbps)
    return {medium.describe_connectors(lanes).rpartition("x ")[2]}


class _PartsOnSale:
    """Finds the part of product lists that is nearest to what no list has: it fits the cage and the polish of the
    fibre.

    A plug of APC in a receptacle of UPC, or the other way round, touches glass at an angle, and ruins both.
    """

    def __init__(self, cluster: Cluster, shelf: Shelf) -> None:
        self.cluster, self.shelf = cluster, shelf

    @cached_property
    def _media(self) -> dict[str, CableProfile]:
        return {cable.id: cable for cable in self.cluster.design.catalog.cables}

    def find_fibre(self, medium: CableProfile, plug: str) -> str:
        """Return the fibre of the same kind and connector; "" if none is sold."""
        return self._choose_nearest(
            "fibre", self.shelf.lists, medium, lambda p: self._is_fibre_of_kind(p, medium, plug)
        )

    def find_transceiver(self, kind: EndKind, medium: CableProfile) -> str:
        """Return the transceiver that fits a kind of cage and the plug of its fibre; "" if none is sold."""
        module = kind.find_module_or_medium(medium)
        plug = module.find_connector(kind.gbps / kind.lane_gbps / max(1, kind.connectors))

        def fits(product: Product) -> bool:
            return product.fits_cage(kind.form_factor, kind.top) and self._is_fibre_of_kind(product, module, plug)

        return self._choose_nearest("transceiver", self.shelf.lists_for(kind.vendor), module, fits)

    def find_cable(self, wanted: CableOrder) -> str:
        """Return the cable with attached ends that fits the cages at both ends; "" if none is sold."""
        common, far = wanted.common, wanted.far
        lists = self.shelf.lists_for(common.vendor, far.vendor)

        def fits(product: Product) -> bool:
            # a straight cable may be turned round, a splitter has its common end on one side
            pairs = ((common, far), (far, common)) if product.splits == 1 else ((common, far),)
            return any(
                product.fits_cage(a.form_factor, a.top) and product.far_takes(b.form_factor, b.top) for a, b in pairs
            )

        return self._choose_nearest("cable", lists, wanted.medium, fits)

    def _is_fibre_of_kind(self, product: Product, medium: CableProfile, plug: str) -> bool:
        """Whether a product is for fibre of the same kind as a medium, with the connector `plug`."""
        media = (self._media[name] for name in product.media)
        return any(candidate.fibre == medium.fibre and plug in _list_plugs(product, candidate) for candidate in media)

    def _choose_nearest(
        self, kind: str, lists: Iterable[ProductList], medium: CableProfile, fits: Callable[[Product], bool]
    ) -> str:
        """Return the part number and the name, as one text, of a product of a kind that fits: the first one of the same
        medium, else the first of all; "" if none fits.
        """
        products = [p for sold in lists for p in sold.products if p.kind == kind and fits(p)]
        word = medium.medium.lower()
        best = max(products, key=lambda p: any(name.startswith(word) for name in p.media), default=None)
        return f"{best.part} ({best.name})" if best else ""

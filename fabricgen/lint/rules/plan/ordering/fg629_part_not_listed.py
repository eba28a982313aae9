"""FG629: the product lists have no such part."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from fabricgen.kernel.diagnostics import Diagnostic, Path, Severity
from fabricgen.kernel.units import format_number
from fabricgen.lint.rule import PlanRule
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
"""Fabric, pair of tiers, what is missing, the nearest part."""

Gaps = dict[Gap, tuple[Path, int]]
"""The path where each gap comes from first, and how often it occurs."""


class PartNotListed(PlanRule):
    """A cable or transceiver is in none of the product lists that the blueprint orders from.

    The bill of materials then has only a description (`aoc-25g-...`), which nobody can order: part numbers are
    never invented. Either no list has that form factor, speed, split or top, or none has that length. A cable that
    no medium reaches at all is FG602.

    Add a list that has the part (`generic` has common cords, your own goes into catalog/products), state media or a
    speed that a list has, or move the ends closer together.
    """

    id = "FG629"
    severity = Severity.WARNING
    title = "the product lists have no such part"
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
        """Fold cables without a part, and ends without a transceiver, by the line that made them."""
        from fabricgen.bom.cables import CableParts
        from fabricgen.wiring.cabling.offers import make_shelf

        shelf = make_shelf(cluster.design)
        if shelf is None:
            return
        parts = CableParts(cluster)
        for part_kind, gaps in (
            ("cables", _count_cable_gaps(cluster, parts, _Nearest(cluster, shelf))),
            ("jumpers", _count_jumper_gaps(cluster, parts, _Nearest(cluster, shelf))),
            ("transceivers", _count_transceiver_gaps(cluster, parts, _Nearest(cluster, shelf))),
        ):
            for (fabric, key, missing, nearest), (path, count) in gaps.items():
                message = f"{count} {fabric} {key} {part_kind}: no product list has {missing}"
                advice = f"the nearest is {nearest}; " if nearest else ""
                yield self.flag(path, message, f"{advice}add a list to `cabling.products`, or state other media")


def _count_cable_gaps(cluster: Cluster, parts: CableParts, near: _Nearest) -> Gaps:
    """How many cables lack a part, by what is missing where."""
    import numpy as np

    made, code = parts.made
    links, segment = cluster.plan.links, _find_segments(cluster)
    judged = cluster.plan.cables.reaches.copy()
    judged[[row for row, override in cluster.planned.overrides.items() if override.part]] = False
    haul = np.array([bool(s.km) for s in links.segments], dtype=bool)
    judged &= ~haul[segment]  # a leased pair of fibres is no product
    if parts.channels:  # what is ordered for these are jumpers
        judged[parts.channels.cable] = False
    code = np.where(judged, code, -1)
    gaps: Gaps = {}
    for i, cable in enumerate(made):
        if not cable.listed:
            numbers, counts = np.unique(segment[code == i], return_counts=True)
            for n, count in zip(numbers.tolist(), counts.tolist(), strict=True):
                s = links.segments[n]
                _add_gap(gaps, s, _name_missing_cable(near, cable.wanted), count)
    return gaps


def _find_segments(cluster: Cluster) -> Ints64:
    """The segment of each cable."""
    import numpy as np

    table = cluster.plan.cables
    segment = np.zeros(len(table), dtype=np.int64)
    segment[table.end_cable] = cluster.plan.links.segment[table.end_link]
    return segment


def _count_jumper_gaps(cluster: Cluster, parts: CableParts, near: _Nearest) -> Gaps:
    """How many jumpers of patched cables lack a part, by what is missing where."""
    import numpy as np

    gaps: Gaps = {}
    channels = parts.channels
    if channels is None:
        return gaps
    segment, links = _find_segments(cluster)[channels.cable], cluster.plan.links
    reaching = cluster.plan.cables.reaches[channels.cable]
    for i, ends in enumerate(channels.kinds):
        lacking = Counter(jumper for end in ends for jumper in end if not jumper.listed)
        numbers, counts = np.unique(segment[(channels.kind == i) & reaching], return_counts=True)
        for jumper, per_channel in lacking.items():
            for n, count in zip(numbers.tolist(), counts.tolist(), strict=True):
                _add_gap(gaps, links.segments[n], _name_missing_jumper(near, jumper), per_channel * count)
    return gaps


def _name_missing_jumper(near: _Nearest, jumper: Jumper) -> tuple[str, str]:
    """(what no list has, the nearest part that one has) for a jumper."""
    shelf = near.shelf
    medium, pieces = jumper.medium, split_into_fibres(jumper.medium, jumper.far_ends, jumper.lanes)
    if jumper.kind == "B" and pieces:
        product = max(shelf.list_fibres(medium, pieces[1]), key=lambda p: p.lengths_m[-1], default=None)
        if product:
            longest = product.lengths_m[-1]
            return f"{product.name}, longer than {format_number(longest)} m", product.part_number(longest)
    split = f"1:{pieces[1] if pieces else jumper.far_ends}" if not pieces or pieces[1] > 1 else "straight"
    typed = "" if jumper.kind == "B" else f" of type {jumper.kind}"
    missing = f"{split} fibre {medium.fibre.upper()}, {medium.connector}{typed}, for {medium.id}"
    return missing, near.find_fibre(medium, medium.connector)


def _add_gap(gaps: Gaps, segment: Segment, missing: tuple[str, str], count: int) -> None:
    gap = (segment.fabric, segment.key, *missing)
    path, before = gaps.get(gap, (segment.media_path or segment.path, 0))
    gaps[gap] = path, before + count


def _name_missing_cable(near: _Nearest, wanted: CableOrder) -> tuple[str, str]:
    """(what no list has, the nearest part that one has) for a cable."""
    shelf = near.shelf
    product = max(shelf.list_cables(wanted), key=lambda p: p.lengths_m[-1], default=None)
    if product:
        longest = product.lengths_m[-1]
        return f"{product.name}, longer than {format_number(longest)} m", product.part_number(longest)
    medium = wanted.medium
    if medium.attached:
        split = f"{wanted.far_ends}x " if wanted.far_ends > 1 else ""
        gbps = round(wanted.lanes * wanted.lane_gbps)
        tops = [f" ({end.top})" if end.form_factor == "OSFP" and end.top else "" for end in (wanted.common, wanted.far)]
        ends = [end.form_factor + top for end, top in zip((wanted.common, wanted.far), tops, strict=True)]
        missing = f"{medium.name}, {gbps}G, {ends[0]} to {split}{ends[1]} ({medium.id})"
    else:
        pieces = wanted.pieces
        split = "straight" if pieces and pieces[1] == 1 else f"1:{pieces[1]}" if pieces else f"1:{wanted.far_ends}"
        plug = medium.find_connector(wanted.lanes / (pieces[0] if pieces else 1))
        missing = f"{split} fibre {medium.fibre.upper()}, {plug}, for {medium.id}"
        return missing, near.find_fibre(medium, plug)
    return missing, near.find_cable(wanted)


def _count_transceiver_gaps(cluster: Cluster, parts: CableParts, near: _Nearest) -> Gaps:
    """How many ends of cables lack a transceiver, by what is missing where."""
    import numpy as np

    kinds, *ends = parts.kinds
    table, links = cluster.plan.cables, cluster.plan.links
    medium, segment = table.medium[table.end_cable], links.segment[table.end_link]
    reaching = table.reaches[table.end_cable]
    gaps: Gaps = {}
    for column in ends:
        # three numbers as one: ends that are alike are many, their kinds few
        code = ((segment.astype(np.int64) * len(kinds) + column) * len(table.media) + medium)[reaching]
        for value, count in zip(*(c.tolist() for c in np.unique(code, return_counts=True)), strict=True):
            rest, of_medium = divmod(value, len(table.media))
            s, kind, chosen = links.segments[rest // len(kinds)], kinds[rest % len(kinds)], table.media[of_medium]
            if kind.find_transceiver_part(chosen) and kind.find_product(chosen) is None:
                vendor = f" of {kind.vendor}" if kind.vendor else ""
                module = kind.find_module_or_medium(chosen)
                missing = f"a transceiver {module.id} for {kind.form_factor} of {kind.gbps}G{vendor}"
                _add_gap(gaps, s, (missing, near.find_transceiver(kind, chosen)), count)
    return gaps


def _list_plugs(product: Product, medium: CableProfile) -> set[str]:
    """The connectors that a product of a medium has or joins: of a transceiver that of all its lanes."""
    if product.kind == "fibre":
        return {medium.connector, *(narrow.connector for narrow in medium.narrow)}
    lanes = max(product.gbps) / max(medium.lane_gbps)
    return {medium.describe_connectors(lanes).rpartition("x ")[2]}


@dataclass(frozen=True)
class _Nearest:
    """The parts of product lists that are nearest to what no list has: they fit the cage, and the polish of the fibre.

    A plug of APC in a receptacle of UPC, or the other way round, touches glass at an angle, and ruins both.
    """

    cluster: Cluster
    shelf: Shelf

    @cached_property
    def _media(self) -> dict[str, CableProfile]:
        return {cable.id: cable for cable in self.cluster.design.catalog.cables}

    def find_fibre(self, medium: CableProfile, plug: str) -> str:
        """The fibre of the same kind and connector; "" where none is sold."""
        return self._choose_nearest(
            "fibre", self.shelf.lists, medium, lambda p: self._is_fibre_of_kind(p, medium, plug)
        )

    def find_transceiver(self, kind: EndKind, medium: CableProfile) -> str:
        """The transceiver that fits a cage and the plug of its fibre; "" where none is sold."""
        module = kind.find_module_or_medium(medium)
        plug = module.find_connector(kind.gbps / kind.lane_gbps / max(1, kind.connectors))

        def fits(product: Product) -> bool:
            return product.fits_cage(kind.form_factor, kind.top) and self._is_fibre_of_kind(product, module, plug)

        return self._choose_nearest("transceiver", self.shelf.lists_for(kind.vendor), module, fits)

    def find_cable(self, wanted: CableOrder) -> str:
        """The cable with ends of its own that fits the cages at both ends; "" where none is sold."""
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
        """Whether a product is for fibre of the same kind with the same connector."""
        media = (self._media[name] for name in product.media)
        return any(candidate.fibre == medium.fibre and plug in _list_plugs(product, candidate) for candidate in media)

    def _choose_nearest(
        self, kind: str, lists: Iterable[ProductList], medium: CableProfile, fits: Callable[[Product], bool]
    ) -> str:
        """The first of those that fit, of the same medium if there is one."""
        products = [p for sold in lists for p in sold.products if p.kind == kind and fits(p)]
        word = medium.medium.lower()
        best = max(products, key=lambda p: any(name.startswith(word) for name in p.media), default=None)
        return f"{best.part} ({best.name})" if best else ""

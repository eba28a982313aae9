"""Names in a price file that no bill can use: what is misspelt there leaves a part without its price."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

from fabricgen.bom.bill import Bill, bill_of
from fabricgen.bom.ordered import models_of_numbers, order_lines
from fabricgen.bom.prices import PriceList
from fabricgen.bom.sets import pieces_of
from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.models import PROFILE_KINDS
from fabricgen.cluster import Cluster
from fabricgen.kernel.diagnostics import Diagnostic, Severity, Span, nearest

MOST = 10
"""Names that are told one by one."""


def idle_prices(prices: PriceList, clusters: Sequence[Cluster]) -> Iterator[Diagnostic]:
    """A warning (FG031) for each name that is no part of the clusters' bills, nor of a catalogue, in order of lines."""
    if prices.offers and clusters:
        parts = {name for cluster in clusters for name in list_part_names(bill_of(cluster))}
        known = {name for cluster in clusters for name in list_catalogue_names(cluster.design.catalog)}
        yield from find_idle_prices(prices, parts, known)


def find_idle_prices(prices: PriceList, parts: Set[str], of_catalogue: Set[str]) -> Iterator[Diagnostic]:
    """A warning (FG031) for each name that is neither one of some parts nor of a catalogue, in order of lines.

    A list may hold more than one cluster buys: names of the catalogue are no mistake.
    """
    known = parts | of_catalogue
    idle = [name for name in prices.offers if name not in known]
    for name in idle[:MOST]:
        message = f"the price of '{name}' is not used: no part of this bill or of the catalogue has that name"
        near = nearest(name, parts) or nearest(name, known)
        hint = f"did you mean '{near}'?" if near else "`fabricgen bom` lists the parts"
        yield Diagnostic("FG031", Severity.WARNING, message, hint=hint, span=Span(prices.file, prices.lines[name], 1))
    if idle[MOST:]:
        message = f"{len(idle) - MOST} further prices of {len(prices.offers)} are not used"
        yield Diagnostic("FG031", Severity.WARNING, message, span=Span(prices.file, prices.lines[idle[MOST]], 1))


def list_part_names(bill: Bill) -> set[str]:
    """All names under which a bill looks for the price of a part of its."""
    lines = (*bill.lines, *order_lines(bill))
    models = models_of_numbers(bill.cluster, bill.lines)
    return {name for line in lines for name in (line.part, pieces_of(line.part)[1])} | {*models, *models.values()}


def list_catalogue_names(catalog: Catalog) -> set[str]:
    """Ids of profiles, and part numbers of products."""
    products = (product for name in catalog.ids("products") for product in catalog.products(name).products)
    return {name for kind in PROFILE_KINDS for name in catalog.ids(kind)} | {product.part for product in products}

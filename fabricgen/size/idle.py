"""Wishes without effect: values that no shape has, and prices of parts that no design buys."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from fabricgen.bom.prices import find_idle_prices, list_catalogue_names, read_price_list
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.size.hardware import Shape
from fabricgen.size.search import SearchResult
from fabricgen.size.wishes import Wishes

_PART_OF_SHAPE = {
    "tiers": "tiers",
    "switch": "switch",
    "planes": "planes",
    "attach": "attach",
    "oversubscription": "ratio",
    "unit_size": "unit",
}
"""Wish that may have several values -> the field of a shape that has one of them."""


def find_idle_wishes(wishes: Wishes, tried: Iterable[Shape]) -> Iterator[Diagnostic]:
    """Yield a warning (FG150) for each wished value that none of the tried shapes has."""
    shapes = list(tried)
    for wish in [wish for wish in _PART_OF_SHAPE if wish in wishes.model_fields_set]:
        tried_values = {getattr(shape, _PART_OF_SHAPE[wish]) for shape in shapes}
        for value in [value for value in getattr(wishes, wish) if value not in tried_values]:
            message = f"nothing was tried with {wish.replace('_', ' ')} {value}: the other wishes leave no such design"
            yield Diagnostic("FG150", Severity.WARNING, message, (wish,))


def find_idle_search_prices(result: SearchResult, folder: Path) -> Iterator[Diagnostic]:
    """Yield a warning (FG031) for each price of a part that neither a design of the search nor the catalogue has.

    `folder` is that of the wishes. If they name the file of prices by a relative path, it may be anybody's file: a
    single warning then tells the lines of all such prices, without the names that stand there.
    """
    wishes = result.wishes
    if not wishes.prices:
        return
    prices = read_price_list(folder / wishes.prices)
    parts = {name for candidate in (*result.front, *result.beaten) for name in candidate.figures.part_names}
    idle = list(find_idle_prices(prices, parts, list_catalogue_names(result.hardware.catalog)))
    if Path(wishes.prices).is_absolute() or not idle:
        yield from idle
        return
    lines = ", ".join(str(finding.span.line) for finding in idle if finding.span)
    message = f"prices of {wishes.prices} are not used: no design, and no catalogue, has what is on line {lines}"
    yield Diagnostic("FG031", Severity.WARNING, message, ("prices",), "`fabricgen bom` lists the parts")

"""What of wishes came to nothing: values that no shape has, and prices of what no design buys."""

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
"""Wishes of several values -> what of a shape has one of these."""


def find_idle_wishes(wishes: Wishes, tried: Iterable[Shape]) -> Iterator[Diagnostic]:
    """A warning (FG150) at each value that is wished for and that no shape which was tried has."""
    shapes = list(tried)
    for wish in [wish for wish in _PART_OF_SHAPE if wish in wishes.model_fields_set]:
        met = {getattr(shape, _PART_OF_SHAPE[wish]) for shape in shapes}
        for value in [value for value in getattr(wishes, wish) if value not in met]:
            message = f"nothing was tried with {wish.replace('_', ' ')} {value}: the other wishes leave no such design"
            yield Diagnostic("FG150", Severity.WARNING, message, (wish,))


def find_idle_search_prices(result: SearchResult, folder: Path) -> Iterator[Diagnostic]:
    """A warning (FG031) for each price of what no design of the search, nor a catalogue, has.

    Of a file that the wishes name, and not an option, lines are told and no names: nobody vouches for what is in it.
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

"""A user's price file: price, lead time and vendor's number of parts."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

from fabricgen.bom.bill import Bill, make_bill
from fabricgen.bom.ordered import list_order_lines, map_numbers_to_models
from fabricgen.bom.sets import split_set
from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.models import PROFILE_KINDS
from fabricgen.cluster import Cluster
from fabricgen.kernel.diagnostics import Diagnostic, Severity, Span, fault, find_nearest
from fabricgen.kernel.text_input import decode_text, read_bytes
from fabricgen.publish.reading import refuse_unfinished_around

NEEDED = ("part", "unit_price")
FURTHER = ("lead_time_weeks", "currency", "vendor_part", "notes")
"""Optional columns, in the order in which bills show them."""

_BEYOND = "\n"
"""The csv module's key for cells beyond the last header; a line break cannot be in a stripped header."""

MOST_BYTES = 8 * 1024 * 1024
"""A hundred thousand parts with notes; as objects of Python the shortest lines take forty times as much."""
MOST_TEXT = 500
MOST_PRICE = 1e12
MOST_WEEKS = 520

_CURRENCY = re.compile(r"[A-Z]{3}")
_NUMBER = re.compile(r"\d+(\.\d*)?([eE][+-]?\d{1,2})?", re.ASCII)


@dataclass(frozen=True, slots=True)
class PriceOffer:
    """What a price file says of one part; "" or None for an optional cell that is empty."""

    unit_price: float
    lead_time_weeks: float | None = None
    vendor_part: str = ""
    notes: str = ""


@dataclass(frozen=True)
class PriceList:
    """The offers of a price file by part, and the line of each part in it.

    `columns` are the optional columns that the file has. `currency` is that of all prices (ISO 4217), "" if not given.
    """

    offers: Mapping[str, PriceOffer] = field(default_factory=dict)
    columns: tuple[str, ...] = ()
    currency: str = ""
    file: str = ""
    lines: Mapping[str, int] = field(default_factory=dict)

    @property
    def unit_prices(self) -> dict[str, float]:
        """Price of one piece by part."""
        return {part: offer.unit_price for part, offer in self.offers.items()}


@dataclass(frozen=True, slots=True)
class _Row:
    """A row of the file, with its line."""

    cells: Mapping[str, str]
    beyond: Sequence[str]
    """Cells beyond the last header."""
    file: str
    line: int

    @property
    def is_bare(self) -> bool:
        """Whether the price and all optional cells are empty, as in each row of a bill written without prices."""
        return not any(self.cells.get(name, "").strip() for name in ("unit_price", *FURTHER))

    def refuse(self, message: str, hint: str) -> NoReturn:
        raise fault("FG031", message, span=Span(self.file, self.line, 1), hint=hint)


def read_price_list(path: Path) -> PriceList:
    """Read a price file: CSV in UTF-8 with the columns part and unit_price, and optionally those of `FURTHER`.

    Other columns are ignored, and so are rows without a price and optional cells, as in a bill to be priced. Raises
    InputError with file and line: FG001 or FG002 if the file is not text in UTF-8 of at most 8 MiB; FG028 if a build
    was stopped in its folder; FG031 if it is no CSV, a column is missing, a price is no number, a part has two prices,
    or prices are in two currencies.
    """
    offers: dict[str, PriceOffer] = {}
    lines: dict[str, int] = {}
    currency = ""
    try:
        columns, rows = _read_rows(path)
        for row in rows:
            if any(cell.strip() for cell in row.beyond):
                # 1,250.00 without quotes would be a price of 1.
                message = f"the line has {len(row.beyond)} more than the {len(row.cells)} columns"
                row.refuse(message, "write numbers without thousands separators, and text that has commas in quotes")
            part = row.cells["part"].strip()
            if row.is_bare:
                continue
            if part in offers and offers[part] != _read_offer(row):
                row.refuse(f"'{part}' is priced twice", "keep one line a part")
            offers[part] = _read_offer(row)
            lines.setdefault(part, row.line)
            row_currency = row.cells.get("currency", "").strip()
            if row_currency and not _CURRENCY.fullmatch(row_currency):
                row.refuse(f"'{row_currency}' is no currency", "write three capitals such as EUR (ISO 4217)")
            if row_currency and currency and row_currency != currency:
                row.refuse(
                    f"prices in {currency} and in {row_currency} cannot be added up", "convert them into one currency"
                )
            currency = currency or row_currency
    except csv.Error as error:
        raise fault("FG031", f"cannot read {path}: {error}", span=Span(str(path), 1, 1)) from error
    return PriceList(offers, columns, currency, str(path), lines)


def _read_rows(path: Path) -> tuple[tuple[str, ...], Iterator[_Row]]:
    """Return (the optional columns that a file has, its rows); raises InputError (FG031) if a column is missing."""
    refuse_unfinished_around(path)
    text = decode_text(read_bytes(path, str(path), limit=MOST_BYTES), str(path), limit=MOST_BYTES, kind="CSV")
    reader = csv.DictReader(io.StringIO(text, newline=""), restkey=_BEYOND, restval="")
    header = [name.strip() for name in reader.fieldnames or ()]
    reader.fieldnames = header
    lacking = [name for name in NEEDED if header.count(name) != 1]
    if lacking:
        hint = f"found: {', '.join(header)[:200] or 'nothing'}; {_suggest_header(header)}"
        raise fault("FG031", "a price file has the columns part and unit_price", span=Span(str(path), 1, 1), hint=hint)
    columns = tuple(name for name in FURTHER if name in header)
    return columns, (_Row(cells, cells.pop(_BEYOND, ()), str(path), reader.line_num) for cells in reader)


def _suggest_header(header: Sequence[str]) -> str:
    """Return a hint for a header that lacks required columns."""
    if len(header) == 1 and re.search(r"[;\t]", header[0]):
        return "separate columns by commas"
    return "each of the two once, in small letters"


def _read_offer(row: _Row) -> PriceOffer:
    """Return the offer of a row; raises InputError (FG031) for a cell that is no number or too long."""
    return PriceOffer(
        unit_price=_parse_number(row, "unit_price", "price", MOST_PRICE, "write a number such as 1250.00") or 0.0,
        lead_time_weeks=_parse_number(
            row, "lead_time_weeks", "lead time", MOST_WEEKS, "write weeks such as 12, or nothing"
        ),
        vendor_part=_read_text(row, "vendor_part"),
        notes=_read_text(row, "notes"),
    )


def _parse_number(row: _Row, column: str, noun: str, most: float, hint: str) -> float | None:
    """Return the number in a cell; None for an empty cell, unless it is the price.

    Raises InputError (FG031), which calls the cell `noun`, for a text that is no number of 0 or more, below `most`.
    """
    text = row.cells.get(column, "")
    if column != "unit_price" and not text.strip():
        return None
    number = float(text) if _NUMBER.fullmatch(text.strip()) else -1.0
    if not 0 <= number < most:
        row.refuse(f"'{text[:80]}' is no {noun}", hint)
    return number


def _read_text(row: _Row, column: str) -> str:
    # the text of a cell, stripped, with blanks for unprintable characters; one of over MOST_TEXT characters is refused
    text = row.cells.get(column, "").strip()
    if len(text) > MOST_TEXT:
        row.refuse(f"{column} has {len(text)} characters", f"{MOST_TEXT} are the most")
    return "".join(c if c.isprintable() else " " for c in text)


# Money and power as integers, so that sums are exact however they are split.

PRICE_STEPS = 10_000
"""Prices are held in ten-thousandths of the currency's unit."""

POWER_STEPS = 1_000
"""Power is held in milliwatts."""


def price_units(price: float) -> int:
    """Return a price in ten-thousandths of the currency's unit, rounded."""
    return round(price * PRICE_STEPS)


def as_price(units: int) -> int | float:
    """Return a price from ten-thousandths of the currency's unit: an int if that is exact, else a float."""
    return units // PRICE_STEPS if units % PRICE_STEPS == 0 else units / PRICE_STEPS


def power_units(power_w: float) -> int:
    """Return a power in milliwatts, rounded."""
    return round(power_w * POWER_STEPS)


def as_watts(units: int) -> int | float:
    """Return a power in W from milliwatts: an int if that is exact, else a float."""
    return units // POWER_STEPS if units % POWER_STEPS == 0 else units / POWER_STEPS


# Names in a price file that no bill can use: a misspelt name leaves a part without its price.

MOST = 10
"""Up to so many unused prices are reported one by one."""


def find_idle_cluster_prices(prices: PriceList, clusters: Sequence[Cluster]) -> Iterator[Diagnostic]:
    """Yield a warning (FG031) for each priced name that neither the clusters' bills nor their catalogues have.

    The warnings are in the order of the file's lines.
    """
    if prices.offers and clusters:
        parts = {name for cluster in clusters for name in list_part_names(make_bill(cluster))}
        catalogue_names = {name for cluster in clusters for name in list_catalogue_names(cluster.design.catalog)}
        yield from find_idle_prices(prices, parts, catalogue_names)


def find_idle_prices(prices: PriceList, parts: Set[str], catalogue_names: Set[str]) -> Iterator[Diagnostic]:
    """Yield a warning (FG031) for each priced name that is neither in `parts` nor in `catalogue_names`.

    A price file may list parts that this cluster does not buy, so names of the catalogue are no mistake. The first
    `MOST` names have a warning each, in the order of the file's lines; one more warning counts the others.
    """
    known_names = parts | catalogue_names
    idle = [name for name in prices.offers if name not in known_names]
    for name in idle[:MOST]:
        message = f"the price of '{name}' is not used: no part of this bill or of the catalogue has that name"
        similar = find_nearest(name, parts) or find_nearest(name, known_names)
        hint = f"did you mean '{similar}'?" if similar else "`fabricgen bom` lists the parts"
        yield Diagnostic("FG031", Severity.WARNING, message, hint=hint, span=Span(prices.file, prices.lines[name], 1))
    if idle[MOST:]:
        message = f"{len(idle) - MOST} further prices of {len(prices.offers)} are not used"
        yield Diagnostic("FG031", Severity.WARNING, message, span=Span(prices.file, prices.lines[idle[MOST]], 1))


def list_part_names(bill: Bill) -> set[str]:
    """Return all names under which the prices of a bill's parts are looked up.

    They are the parts of its lines and of the order sheet, the pieces of sets, and models and variants of switches.
    """
    lines = (*bill.lines, *list_order_lines(bill))
    models = map_numbers_to_models(bill.cluster, bill.lines)
    return {name for line in lines for name in (line.part, split_set(line.part)[1])} | {*models, *models.values()}


def list_catalogue_names(catalog: Catalog) -> set[str]:
    """Return the ids of all profiles of a catalogue, and the part numbers of its products."""
    products = (product for name in catalog.ids("products") for product in catalog.products(name).products)
    return {name for kind in PROFILE_KINDS for name in catalog.ids(kind)} | {product.part for product in products}

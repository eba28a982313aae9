"""Comparison of two bills of materials: parts to order and parts left over, cost and power."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from fabricgen.bom.sets import find_price
from fabricgen.diff.folder import normalize_list, parse_list, read_power_counted_twice
from fabricgen.diff.listing import COLUMNS, Listing
from fabricgen.kernel.diagnostics import InputError, Span, fault, make_printable
from fabricgen.kernel.text_input import read_regular
from fabricgen.kernel.units import format_number
from fabricgen.publish.reading import Built, explain_unreadable, refuse_unfinished_around

_DEVICES = ("node", "switch", "line-card")
"""Kinds of parts that optics are plugged into."""


@dataclass(frozen=True, slots=True)
class PartDelta:
    """One part: pieces installed and bought (spares included) on both sides, and its unit price (None: unknown)."""

    part: str
    description: str
    kind: str
    old_quantity: int
    new_quantity: int
    old_bought: int
    new_bought: int
    unit_price: float | None

    @property
    def installed(self) -> int:
        """How many pieces more are installed on the new side than on the old one; negative for fewer."""
        return self.new_quantity - self.old_quantity

    @property
    def bought(self) -> int:
        """How many pieces more are to be bought for the new side than for the old one, spares included; negative for
        fewer.
        """
        return self.new_bought - self.old_bought

    @property
    def what(self) -> str:
        """`new`, `gone`, `more` or `fewer` pieces to buy, or `same` if only spares are put to use."""
        if not self.old_quantity or not self.new_quantity:
            return "gone" if self.old_quantity else "new"
        return "more" if self.bought > 0 else "fewer" if self.bought else "same"

    @property
    def cost(self) -> float | None:
        """The cost of the change, in the currency of the price list; None without a price."""
        return None if self.unit_price is None else round(self.unit_price * self.bought, 2)


@dataclass(frozen=True, slots=True)
class BomDelta:
    """Parts whose numbers differ, the cost of each side (None without prices), and the power of each side, W.

    Power is what all pieces draw. Optics that are included in the maximum of their device count once, unless a side
    does not say which optics these are (`twice`): then both sides are the sums of their lines.
    """

    parts: tuple[PartDelta, ...]
    old_cost: float | None
    new_cost: float | None
    unpriced: int
    """The number of parts, of both sides, without a price."""
    old_power_w: float
    new_power_w: float
    twice: bool = False

    def __bool__(self) -> bool:
        return bool(self.parts) or self.old_power_w != self.new_power_w

    @property
    def cost(self) -> float | None:
        """The cost of the change, counting parts with a price; None if there are no prices."""
        if self.old_cost is None or self.new_cost is None:
            return None
        return round(self.new_cost - self.old_cost, 2)

    @property
    def power_w(self) -> float:
        """The change in maximum power, W; parts without a figure count as 0."""
        return round(self.new_power_w - self.old_power_w, 1)


def compare_boms(
    old: Listing,
    new: Listing,
    prices: Mapping[str, float],
    in_devices_w: tuple[float | None, float | None] = (None, None),
) -> BomDelta:
    """Return the parts whose numbers differ between two bills of materials, with the cost and power of both sides.

    Parts are sorted by kind, in the order of the new bill, then by part. `prices` are unit prices by part; if empty,
    the prices in the bills are used, those of the new side first. `in_devices_w` is, for the old and the new side, the
    power (W) of optics that is also included in the maxima of their devices, so that the lines of the bill count it
    twice; None if not known.
    """
    old_rows, new_rows = _index_parts(old), _index_parts(new)
    counts_twice = _may_count_twice(old_rows, new_rows, in_devices_w)
    old_twice, new_twice = (0 if counts_twice else watts or 0 for watts in in_devices_w)
    # the new side's prices overwrite those of the old side
    unit_prices = prices or _read_prices(old_rows) | _read_prices(new_rows)
    # in the order of the new bill, then parts that only the old one has
    parts = list(dict.fromkeys((*new_rows, *old_rows)))
    kinds = list(dict.fromkeys(row["kind"] for row in (*new_rows.values(), *old_rows.values())))
    rows = [
        _compare_part(part, old_rows.get(part), new_rows.get(part), find_price(part, unit_prices)) for part in parts
    ]
    changed = [r for r in rows if (r.old_quantity, r.old_bought) != (r.new_quantity, r.new_bought)]
    priced = [row for row in rows if row.unit_price is not None]
    return BomDelta(
        parts=tuple(sorted(changed, key=lambda row: (kinds.index(row.kind), row.part))),
        old_cost=round(sum((r.unit_price or 0) * r.old_bought for r in priced), 2) if unit_prices else None,
        new_cost=round(sum((r.unit_price or 0) * r.new_bought for r in priced), 2) if unit_prices else None,
        unpriced=len(rows) - len(priced),
        old_power_w=round(_sum_power(old_rows) - old_twice, 1),
        new_power_w=round(_sum_power(new_rows) - new_twice, 1),
        twice=counts_twice,
    )


def _may_count_twice(
    was: Mapping[str, Mapping[str, Any]], now: Mapping[str, Mapping[str, Any]], in_devices_w: tuple[float | None, ...]
) -> bool:
    """Whether the bills may count the power of some optics twice, in their own lines and in the maxima of devices.

    `in_devices_w` is the power of such optics on the old and the new side, None if a side does not tell it; if both
    tell it, nothing has to be guessed. `was` and `now` are the lines of the bills by part. A side that does not tell it
    counts nothing twice if the other side tells 0 W and has all device models of this side.
    """
    # both sides tell it: nothing has to be guessed
    if None not in in_devices_w:
        return False
    # no side tells 0 W: the one that does not tell it may count some optics twice
    if 0 not in in_devices_w:
        return True
    unknown, known = (was, now) if in_devices_w[0] is None else (now, was)
    models, known_models = (
        {part for part, row in rows.items() if row["kind"] in _DEVICES} for rows in (unknown, known)
    )
    return not models <= known_models


def _index_parts(bom: Listing) -> dict[str, dict[str, Any]]:
    return {row["part"]: row for row in (bom.read_row(i) for i in range(len(bom)))}


def _read_prices(rows: Mapping[str, Mapping[str, Any]]) -> dict[str, float]:
    return {part: float(row["unit_price"]) for part, row in rows.items() if row["unit_price"] != ""}


def _sum_power(rows: Mapping[str, Mapping[str, Any]]) -> float:
    """Return the sum of the lines' power, W."""
    return sum(float(row["power_w"] or 0) for row in rows.values())


def _compare_part(
    part: str, old: Mapping[str, Any] | None, new: Mapping[str, Any] | None, price: float | None
) -> PartDelta:
    """Return the change of one part; `old` and `new` are its lines in the bills, None if a bill lacks it.

    Numbers bought include spares. Texts are those of the new side if it has the part.
    """
    row = new or old or {}
    return PartDelta(
        part=part,
        description=row["description"],
        kind=row["kind"],
        old_quantity=_count_pieces(old, "quantity"),
        new_quantity=_count_pieces(new, "quantity"),
        old_bought=_count_pieces(old, "quantity") + _count_pieces(old, "spares"),
        new_bought=_count_pieces(new, "quantity") + _count_pieces(new, "spares"),
        unit_price=price,
    )


def _count_pieces(row: Mapping[str, Any] | None, name: str) -> int:
    return int(row[name] or 0) if row else 0


# The difference between two bills in words: one line for the whole, and one for each part.


def describe_bom(bom: BomDelta) -> str:
    """Describe the change of the bill of materials in one line.

    It reads like `2 parts differ, cost +1,200 (5,000.00 -> 6,200.00), power +0.4 kW`, without the cost if there are no
    prices.
    """
    parts = [f"{len(bom.parts)} part{'s' * (len(bom.parts) != 1)} differ{'s' * (len(bom.parts) == 1)}"]
    if bom.cost is not None:
        unpriced = f", {bom.unpriced} parts without a price" if bom.unpriced else ""
        parts.append(f"cost {format_change(bom.cost)} ({bom.old_cost:,.2f} -> {bom.new_cost:,.2f}{unpriced})")
    twice = " (optics in maxima of devices may count twice: a side does not say which)" if bom.twice else ""
    parts.append(f"power {format_change(round(bom.power_w / 1000, 1))} kW{twice}")
    return ", ".join(parts)


def describe_part(row: PartDelta) -> str:
    """Describe one part: how many more or fewer, and what they cost."""
    spares = f" ({format_change(row.bought)} with spares)" if row.bought != row.installed else ""
    cost = f", {format_change(row.cost)}" if row.cost is not None else ""
    return f"{format_change(row.installed)} {row.part}{spares}{cost}"


def format_change(value: float) -> str:
    """Return a number with its sign and thousands separators, and two decimals if it is no whole number: `+1,200`."""
    return f"{value:+,.2f}" if isinstance(value, float) and not value.is_integer() else f"{int(value):+,}"


# A bill of materials from a file: CSV or JSON, as `fabricgen bom` writes them.

BOM_FILE = "bom.csv"
"""The bill in a built folder."""

RACKS_FILE = "racks.csv"
"""The file of a built folder that says which optics are included in the maxima of their devices."""

Bill: TypeAlias = "tuple[Listing, float | None]"
"""A bill, and the power of optics that its lines count twice, W; None if not known."""

SUFFIXES = (".csv", ".json")
"""Suffixes of files with a bill."""

MOST_BYTES = 64 * 1024 * 1024

_CODE = "FG074"
_HINT = "compare with a bom.csv or bom.json as `fabricgen bom` wrote it, a built folder or a blueprint"


def read_bom(file: Path) -> Listing:
    """Read the lines of a bill in a file, without comparing it with a manifest; further columns are ignored.

    Raises InputError: FG074, with the line if known, for a file that is not a bill; FG028 for a file in a folder into
    which a build was being moved when it was stopped.
    """
    refuse_unfinished_around(file)
    try:
        return _parse_bom(file, read_regular(file, MOST_BYTES))
    except OSError as error:
        raise _explain_no_bill(file, f"{file}: {error.strerror or error}") from error


def read_built_bom(built: Built) -> Bill:
    """Read the bill in a built folder; raises InputError as `read_bom` does, and FG054 if it is not as it was built."""
    file = built.folder / BOM_FILE
    try:
        content = read_regular(file)
    except OSError as error:
        raise _mark_as_no_bill(explain_unreadable(file, error)) from error
    built.check(BOM_FILE, content)
    return _parse_bom(file, content), read_power_counted_twice(built)


def _parse_bom(file: Path, content: bytes) -> Listing:
    """Return a bill of materials from JSON or CSV, by the suffix of `file`; raises InputError (FG074) if it is none."""
    try:
        if file.suffix == ".json":
            return normalize_list(file, "bom", _parse_json_columns(file, content, COLUMNS["bom"]))
        return parse_list(file, content, "bom")
    except InputError as error:
        raise _mark_as_no_bill(error) from error


def _mark_as_no_bill(error: InputError) -> InputError:
    return InputError(
        replace(diagnostic, code=_CODE, hint=diagnostic.hint or _HINT) for diagnostic in error.diagnostics
    )


def _parse_json_columns(file: Path, content: bytes, names: tuple[str, ...]) -> list[list[str]]:
    """Return the columns `names` of a list of objects in JSON, as text; raises InputError for another shape."""
    try:
        rows = json.loads(content.decode("utf-8-sig"), parse_int=float)
    except (ValueError, RecursionError) as error:
        raise _explain_no_bill(file, f"{file} cannot be read as JSON: {error}") from error
    if not isinstance(rows, list) or not all(_is_bom_line(row, names) for row in rows):
        raise _explain_no_bill(file, f"{file} is no list of objects with {', '.join(names)}")
    return [[_spell_cell(row[name]) for row in rows] for name in names]


def _is_bom_line(row: Any, names: tuple[str, ...]) -> bool:
    """Whether a row has all columns, with no list or object in them."""
    return isinstance(row, dict) and all(name in row and not isinstance(row[name], dict | list) for name in names)


def _spell_cell(cell: Any) -> str:
    """Return a cell of JSON as `bom.csv` would have it: numbers without superfluous zeros."""
    is_number = isinstance(cell, int | float) and not isinstance(cell, bool)
    return format_number(cell) if is_number else str(cell)


def _explain_no_bill(file: Path, message: str) -> InputError:
    return fault(_CODE, message, hint=_HINT, span=Span(str(file), 1, 1))


# The difference between two bills of materials, as table rows and as text.

_TITLES = {"new": "new parts", "gone": "parts that go", "more": "more", "fewer": "fewer", "same": "spares put to use"}


def list_bom_columns(delta: BomDelta) -> dict[str, list[Any]]:
    """Return columns with a row for each part whose numbers differ; `bought` is the change in pieces to buy."""
    rows = delta.parts
    return {
        "part": [row.part for row in rows],
        "description": [row.description for row in rows],
        "kind": [row.kind for row in rows],
        "change": [row.what for row in rows],
        "old_quantity": [row.old_quantity for row in rows],
        "new_quantity": [row.new_quantity for row in rows],
        "old_spares": [row.old_bought - row.old_quantity for row in rows],
        "new_spares": [row.new_bought - row.new_quantity for row in rows],
        "bought": [row.bought for row in rows],
        "unit_price": ["" if row.unit_price is None else row.unit_price for row in rows],
        "cost": ["" if row.cost is None else row.cost for row in rows],
    }


def format_bom(delta: BomDelta) -> str:
    """Return the difference as text: sums, then the parts, grouped by what happens to them."""
    if not delta:
        return "no differences\n"
    return "\n".join([describe_bom(delta), *map(make_printable, _list_sections(delta))]) + "\n"


def _list_sections(delta: BomDelta) -> Iterator[str]:
    """Yield the lines of a comparison: for each kind of change an empty line, a title and a line for each part."""
    for change, title in _TITLES.items():
        rows = [row for row in delta.parts if row.what == change]
        if rows:
            yield ""
            yield title
            yield from (f"  {describe_part(row)}: {row.description}" for row in rows)

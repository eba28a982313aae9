"""The difference between two bills of materials, as table rows and as text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fabricgen.diff.bill.compare import BomDelta, bom_line, bom_title
from fabricgen.kernel.diagnostics import printable

_TITLES = {"new": "new parts", "gone": "parts that go", "more": "more", "fewer": "fewer", "same": "spares put to use"}


def bom_columns(delta: BomDelta) -> dict[str, list[Any]]:
    """One row for each part whose numbers differ; `bought` is the change of pieces to buy, spares included."""
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


def bom_text(delta: BomDelta) -> str:
    """The difference as text: sums, then the parts, grouped by what happens to them."""
    if not delta:
        return "no differences\n"
    return "\n".join([bom_title(delta), *map(printable, _sections(delta))]) + "\n"


def _sections(delta: BomDelta) -> Iterator[str]:
    for what, title in _TITLES.items():
        rows = [row for row in delta.parts if row.what == what]
        if rows:
            yield ""
            yield title
            yield from (f"  {bom_line(row)}: {row.description}" for row in rows)

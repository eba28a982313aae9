"""Cables: part, medium, length; their ends are those of their links."""

from __future__ import annotations

from fabricgen.export.files import cables as cable_list
from fabricgen.export.view.columns import Packed, packed
from fabricgen.export.view.source import PageSource


def block(source: PageSource) -> Packed:
    """Cables: part, medium, length; their ends are those of their links."""
    table = cable_list.table(source.cluster).columns
    first = source.cluster.plan.cables.first_rows()
    names = ("cable", "part", "medium", "length_m", "a_transceiver")
    return {
        "rows": len(first),
        "columns": {name: packed(table[name].take(first)) for name in names},  # type: ignore[attr-defined]
    }

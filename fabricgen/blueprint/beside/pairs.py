"""Which switches of a tier meet, where no rule says: a table beside the blueprint, CSV with the columns `a` and `b`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from fabricgen.blueprint.beside.tables import bind_fault_code, read_rows, read_table
from fabricgen.blueprint.models import Blueprint
from fabricgen.blueprint.sections.mesh import Pair
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Span
from fabricgen.yaml.located import Located

CODE = "FG142"
COLUMNS = ("a", "b")
MOST = 4096
"""The highest number of a switch: as many as a group may have."""

_make_fault = bind_fault_code(CODE)


def read_pairs(blueprint: Blueprint, source: Located, folder: Path, *, allow_outside: bool) -> None:
    """Read the tables that meshes name into these; a path is from the blueprint's folder and stays in it.

    Raises InputError: FG007 for a path that is not allowed, FG001 for a file that cannot be read, FG142, at each cell,
    for what is no number of a switch, or a pair that is there twice or of one switch.
    """
    for fabric_name, fabric in blueprint.fabrics.items():
        for tier_name, tier in fabric.tiers.items():
            for dimension, mesh in tier.mesh.items():
                if mesh.table is not None:
                    span = source.span(("fabrics", fabric_name, "tiers", tier_name, "mesh", dimension, "table"))
                    table = read_table(mesh.table, folder, span, what="a table of pairs", allow_outside=allow_outside)
                    mesh.read_pairs(parse_pairs(*table))


def parse_pairs(text: str, shown: str) -> tuple[Pair, ...]:
    """Read a table, its pairs in ascending order; raises InputError with every cell that is wrong."""
    faults: list[Diagnostic] = []
    rows: list[Pair] = []
    for cells, places in read_rows(text, shown, COLUMNS, COLUMNS, CODE, faults):
        numbers = [_read_number(cells.get(column, ""), places.get(column, places["a"]), faults) for column in COLUMNS]
        if all(numbers):
            a, b = sorted(numbers)
            rows.append(Pair(a - 1, b - 1, places["a"]))
    faults += _find_unfit(rows)
    if not rows and not faults:
        faults.append(_make_fault("the table has no pair", Span(shown, 1, 1), "add lines such as 1,2"))
    if faults:
        raise InputError(faults)
    return tuple(sorted(rows))


def _read_number(text: str, span: Span, faults: list[Diagnostic]) -> int:
    """Return the number of a switch; 0, with the fault told, where it is none."""
    if text.isascii() and text.isdigit() and len(text) <= len(str(MOST)) and 1 <= int(text) <= MOST:
        return int(text)
    faults.append(_make_fault(f"'{text}' is no number of a switch", span, f"write one from 1 to {MOST:,}"))
    return 0


def _find_unfit(rows: list[Pair]) -> Iterator[Diagnostic]:
    """Yield switches that would meet themselves, and pairs that are there twice."""
    lines: dict[tuple[int, int], int] = {}
    for row in rows:
        first = lines.setdefault(row[:2], row.span.line)
        if row.a == row.b:
            yield _make_fault(f"switch {row.a + 1} cannot meet itself", row.span)
        elif first != row.span.line:
            text = f"{row.a + 1} and {row.b + 1} are there twice, first in line {first}"
            yield _make_fault(text, row.span, "state `links: 2` for two links of every pair")

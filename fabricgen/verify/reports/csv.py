"""For spreadsheets and ticket systems: a row a plug that is moved, or a place to look at, in walking order."""

from __future__ import annotations

from fabricgen.export.formats.csv import write
from fabricgen.export.table import Cell, Table, escape_formula
from fabricgen.kernel.diagnostics import make_printable
from fabricgen.verify.report import Report
from fabricgen.verify.reports._words import Stop, cells, walk

END = ("device", "port", "cage", "connector", "rack", "u", "label")
COLUMNS = (
    *("order", "action", "kind", "status", "step", "cable"),
    *(f"pull_{name}" for name in END),
    *(f"put_{name}" for name in END),
    *("reaches", "text"),
)
"""`put_` is empty for a place to look at; text that a spreadsheet would take for a formula gets an apostrophe."""


def report(report: Report) -> bytes:
    """The rows of all actions."""
    rows = [_row(report, number, stop) for number, stop in enumerate(walk(report), start=1)]
    columns = list(zip(*rows, strict=True)) or [()] * len(COLUMNS)
    return write(Table("moves", dict(zip(COLUMNS, columns, strict=True))))


def _row(report: Report, order: int, stop: Stop) -> tuple[Cell, ...]:
    action = stop.action
    texts = (action.id, action.kind.value, report.status(action), str(stop.step), make_printable(stop.cable))
    reaches = {None: "", True: "yes", False: "no"}[stop.reaches]
    row = (*texts, *cells(stop.here), *cells(stop.put), reaches, make_printable(action.text))
    return order, *(escape_formula(text) for text in row)

"""For spreadsheets and ticket systems: a row a plug that is moved, or a place to look at, in walking order."""

from __future__ import annotations

from fabricgen.kernel.diagnostics import make_printable
from fabricgen.reports.table import Cell, Table, escape_formula
from fabricgen.reports.tables.csv import write
from fabricgen.verify.report import Report
from fabricgen.verify.reports._words import Stop, list_cells, list_stops

END = ("device", "port", "cage", "connector", "rack", "u", "label")
COLUMNS = (
    *("order", "action", "kind", "status", "step", "cable"),
    *(f"pull_{name}" for name in END),
    *(f"put_{name}" for name in END),
    *("reaches", "text"),
)
"""Columns; `put_` ones are empty for a place to look at. Text that could be a formula begins with an apostrophe."""


def report(report: Report) -> bytes:
    """Write the rows of all actions as CSV."""
    rows = [_make_row(report, number, stop) for number, stop in enumerate(list_stops(report), start=1)]
    columns = list(zip(*rows, strict=True)) or [()] * len(COLUMNS)
    return write(Table("moves", dict(zip(COLUMNS, columns, strict=True))))


def _make_row(report: Report, order: int, stop: Stop) -> tuple[Cell, ...]:
    # the cells of a row; formulas are escaped, as the file is opened in spreadsheets
    action = stop.action
    texts = (action.id, action.kind.value, report.find_status(action), str(stop.step), make_printable(stop.cable))
    reaches = {None: "", True: "yes", False: "no"}[stop.reaches]
    row = (*texts, *list_cells(stop.pull_end), *list_cells(stop.put_end), reaches, make_printable(action.text))
    return order, *(escape_formula(text) for text in row)

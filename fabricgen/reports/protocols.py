"""A protocol: what was done and found, in facts and tables, with places for those who sign it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import NamedTuple

from fabricgen.kernel.diagnostics import make_printable
from fabricgen.reports.table import Cell, Table, escape_formula, write_table

MOST_ROWS, MOST_LINES = 200, 20
"""The most rows of a table on paper (HTML), and on a terminal (text); JSON and workbooks have all rows."""
WIDEST = 160
"""The most characters of a line of a table in text; each row of a wider table is written as a list."""
_STYLE = (
    "body{font:14px/1.45 system-ui,sans-serif;margin:2em;color:#000;background:#fff}table{border-collapse:collapse}"
    "td,th{padding:.2em .7em;text-align:left;border-bottom:1px solid #bbb;vertical-align:top}"
    ".sign td{height:3em;min-width:16em}@media print{body{margin:0}}"
)


class Protocol(NamedTuple):
    """A title, the verdict in a line, facts by name, tables, notes (a sentence each), and who signs, by role."""

    title: str
    verdict: str
    facts: Mapping[str, Cell]
    tables: Sequence[Table]
    notes: Sequence[str]
    signers: Sequence[str]


def write_protocol(protocol: Protocol, form: str) -> bytes:
    """Return a protocol in a format of `FORMATS`, by its name; equal protocols give the same bytes.

    Raises KeyError for an unknown format.
    """
    return FORMATS[form](protocol)


def _cut_table(table: Table, most: int) -> tuple[Table, str]:
    """Return (the first `most` rows of a table, made printable; a line that counts the other rows, or "")."""
    columns = {
        name: [make_printable(cell) if isinstance(cell, str) else cell for cell in column[:most]]
        for name, column in table.columns.items()
    }
    left = len(table) - most
    return Table(table.name, columns), f"and {left:,} more rows: JSON and XLSX have all" if left > 0 else ""


def _write_text(protocol: Protocol) -> bytes:
    lines = [f"{protocol.title}: {protocol.verdict}", ""]
    width = max(map(len, protocol.facts), default=0)
    lines += [
        f"{name:<{width}}  {value:,}" if isinstance(value, int) else f"{name:<{width}}  {value}"
        for name, value in protocol.facts.items()
    ]
    for table in protocol.tables:
        if len(table):
            cut, more = _cut_table(table, MOST_LINES)
            lines += ["", table.name, _write_table(cut), *([more] if more else [])]
    lines += ["", *(make_printable(note) for note in protocol.notes)] if protocol.notes else []
    lines += ["", *(f"{signer}: ______________________  date: ____________" for signer in protocol.signers), ""]
    return "\n".join(lines).encode()


def _write_table(table: Table) -> str:
    # as columns, or if these are too wide each row as a list of its cells that are not empty
    text = write_table(table, "text").decode().rstrip("\n")
    if max(map(len, text.splitlines())) <= WIDEST:
        return text
    width = max(map(len, table.columns))
    rows = ([(name, cell) for name, cell in zip(table.columns, row, strict=True) if cell != ""] for row in table.rows())
    return "\n\n".join("\n".join(f"  {name:<{width}}  {cell}" for name, cell in row) for row in rows)


def _write_json(protocol: Protocol) -> bytes:
    tables = {
        table.name.replace(" ", "_"): [dict(zip(table.columns, row, strict=True)) for row in table.rows()]
        for table in protocol.tables
    }
    whole = {
        "title": protocol.title,
        "verdict": protocol.verdict,
        "facts": dict(protocol.facts),
        **tables,
        "notes": list(protocol.notes),
    }
    return (json.dumps(whole, indent=1, ensure_ascii=False) + "\n").encode()


def _write_html(protocol: Protocol) -> bytes:
    title = escape(make_printable(protocol.title))
    body = [f"<h1>{title}</h1>", f"<p><b>{escape(protocol.verdict)}</b></p>"]
    body.append(_make_rows([(name, value) for name, value in protocol.facts.items()]))
    for table in protocol.tables:
        if len(table):
            cut, more = _cut_table(table, MOST_ROWS)
            body += [f"<h2>{escape(table.name)}</h2>", _make_rows(cut.rows(), tuple(cut.columns)), f"<p>{more}</p>"]
    body += [f"<p>{escape(make_printable(note))}</p>" for note in protocol.notes]
    body.append(_make_rows([(signer, "", "date", "") for signer in protocol.signers], kind="sign"))
    head = f"<!doctype html><html lang='en'><head><meta charset='utf-8'><title>{title}</title><style>{_STYLE}</style>"
    return f"{head}</head><body>{''.join(body)}</body></html>\n".encode()


def _make_rows(rows: object, heads: Sequence[str] = (), kind: str = "") -> str:
    cells = ["".join(f"<td>{escape(str(cell))}</td>" for cell in row) for row in rows]  # type: ignore[attr-defined]
    head = "".join(f"<th>{escape(name)}</th>" for name in heads)
    return (
        f"<table class='{kind}'>" + "".join(f"<tr>{row}</tr>" for row in ([head] if head else []) + cells) + "</table>"
    )


def _write_workbook(protocol: Protocol) -> bytes:
    from fabricgen.reports.tables.xlsx import Sheet, write_workbook

    rows: list[tuple[str, Cell]] = [("verdict", protocol.verdict), *protocol.facts.items()]
    rows += [("note", note) for note in protocol.notes]
    rows += [(signer, "") for signer in protocol.signers]
    cover = Table("protocol", {"what": [name for name, _ in rows], "value": [value for _, value in rows]})
    sheets = [Sheet(table.name, _escape_table(table)) for table in (cover, *protocol.tables)]
    return write_workbook(protocol.title, sheets)


def _escape_table(table: Table) -> Table:
    columns = {
        name: [escape_formula(make_printable(cell)) if isinstance(cell, str) else cell for cell in column]
        for name, column in table.columns.items()
    }
    return Table(table.name, columns)


FORMATS: Mapping[str, Callable[[Protocol], bytes]] = {
    "text": _write_text,
    "json": _write_json,
    "xlsx": _write_workbook,
    "html": _write_html,
}

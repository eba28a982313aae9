"""A sheet to work from: frozen heads, filter, protected cells with open redline columns, and print settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from fabricgen.blueprint.sections.cable_overrides import LONGEST_M, MAX_NOTE
from fabricgen.export.technician.records import CableTag
from fabricgen.kernel.diagnostics import fault
from fabricgen.reports.table import Cell
from fabricgen.reports.tables.xlsx import SHEET_ROWS, escape_header, write_cells

DONE = ("done", "fault")
"""The choices of the check-off column."""

A4, A3 = 9, 8
"""Paper sizes (ECMA-376, ST_PaperSize)."""

_ROW_POINTS = 27
"""Height of a row, enough for two lines of names."""

_OPTIONS = {"autofilter": True, "format_columns": True, "format_rows": True, "select_locked_cells": True}


@dataclass(frozen=True, slots=True)
class SheetColumn:
    """A column of a sheet: name, width in characters, use; its cells, or None for a column to fill in by hand.

    `closed` are the rows in which it must not be filled in. `hidden` columns are not printed; `as-built` reads them.
    """

    name: str
    width: float
    use: str
    cells: Sequence[Cell] | None = None
    closed: Sequence[int] = ()
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class WorkSheet:
    """The content of a sheet.

    `tags` are the colours of cells with use MARK. `bands` says which rows are shaded. `lines` is how many lines of
    small text each row needs; if it is empty, all rows take two.
    """

    name: str
    title: str
    rows: int
    columns: tuple[SheetColumn, ...]
    tags: Sequence[CableTag] = ()
    bands: Sequence[bool] = ()
    paper: int = A4
    lines: Sequence[int] = ()


def make_redline_columns(
    closed: tuple[Sequence[int], Sequence[int]] = ((), ()), no_length: Sequence[int] = ()
) -> tuple[SheetColumn, ...]:
    """Return the columns to fill in by hand.

    `closed` are the rows whose a end, and those whose b end, is not in the rack of the sheet. `no_length` are the rows
    of cables without a length of their own, because they go through panels.
    """
    return (
        SheetColumn("done", 7, REDLINE),
        SheetColumn("built_a_cage", 8, REDLINE, closed=closed[0]),
        SheetColumn("built_b_cage", 8, REDLINE, closed=closed[1]),
        SheetColumn("built_length_m", 8, REDLINE, closed=no_length),
        SheetColumn("remark", 13, REDLINE),
    )


def write_sheet(book: Any, styles: Styles, sheet: WorkSheet, cluster: str) -> None:
    """Add a sheet to a workbook; raises InputError (FG029) if it has more rows than a sheet takes."""
    if sheet.rows >= SHEET_ROWS:
        raise fault("FG029", f"{sheet.rows} rows do not fit an Excel sheet of {SHEET_ROWS}", hint="use cables.csv")
    page = book.add_worksheet(sheet.name)
    page.set_default_row(_ROW_POINTS)
    page.set_row(0, 28)
    for row, lines in enumerate(sheet.lines, start=1):
        page.set_row(row, max(_ROW_POINTS, 11 * lines))
    for i, column in enumerate(sheet.columns):
        page.set_column(i, i, column.width, styles.of(column.use), {"hidden": column.hidden})
        _write_column(page, styles, sheet, i, column)
    page.write_row(0, 0, [column.name for column in sheet.columns], styles.header)
    _finish_sheet(page, sheet)
    shown = [i for i, column in enumerate(sheet.columns) if not column.hidden]
    page.repeat_rows(0)
    page.print_area(0, shown[0], max(1, sheet.rows), shown[-1])
    set_up_print(page, sheet.title, cluster, paper=sheet.paper)


def _write_column(page: Any, styles: Styles, sheet: WorkSheet, position: int, column: SheetColumn) -> None:
    if column.cells is not None:
        write_cells(page, position, column.cells, _choose_formats(styles, sheet, column))
    for row in column.closed:
        page.write_blank(row + 1, position, None, styles.of(CLOSED))


def _choose_formats(styles: Styles, sheet: WorkSheet, column: SheetColumn) -> list[Any]:
    """Return a format for each row: by tag in the column of tags, else in bands that tell groups apart."""
    if column.use == MARK and sheet.tags:
        return [styles.tag(tag) for tag in sheet.tags]
    plain, shaded = styles.of(column.use), styles.of(column.use, True)
    return [shaded if band else plain for band in sheet.bands] or [plain] * sheet.rows


def _finish_sheet(page: Any, sheet: WorkSheet) -> None:
    """Freeze the heads, set the filter and the choices of check-off columns, and protect the sheet without a
    password.
    """
    names = [column.name for column in sheet.columns]
    last_row = max(1, sheet.rows)
    page.freeze_panes(1, 0)
    page.autofilter(0, 0, last_row, len(names) - 1)
    choice = {"validate": "list", "source": list(DONE), "error_message": "done, fault, or nothing"}
    if "done" in names:
        page.data_validation(1, names.index("done"), last_row, names.index("done"), choice)
    if "built_length_m" in names:
        length = {"validate": "decimal", "criteria": "between", "minimum": 0.001, "maximum": LONGEST_M}
        position = names.index("built_length_m")
        page.data_validation(
            1, position, last_row, position, {**length, "error_message": "a length in m, such as 12.5"}
        )
        remark = {"validate": "length", "criteria": "<=", "value": MAX_NOTE}
        position = names.index("remark")
        page.data_validation(
            1, position, last_row, position, {**remark, "error_message": f"at most {MAX_NOTE} characters"}
        )
    page.protect("", _OPTIONS)


def set_up_print(page: Any, title: str, cluster: str, *, paper: int, portrait: bool = False) -> None:
    """Set a sheet up for print: one page wide, title and cluster in the header, sheet and page in the footer."""
    if not portrait:
        page.set_landscape()
    page.set_paper(paper)
    page.fit_to_pages(1, 0)
    page.set_margins(left=0.4, right=0.4, top=0.75, bottom=0.6)
    page.set_header(f'&L&"Arial,Bold"&12{escape_header(title)}&R&"Arial,Regular"&9{escape_header(cluster)}')
    small = '&"Arial,Regular"&8'
    page.set_footer(f"&L{small}checked by: ____________________&C{small}&A&R{small}page &P of &N")


# Cell formats of a workbook, one for each use.

TEXT, SMALL, NUMBER, BOLD, MARK, REDLINE, CLOSED = "text", "small", "number", "bold", "mark", "redline", "closed"
NAME, PLACE = "name", "place"
"""Uses of a cell: text, small text, numbers, emphasized text, a cable tag, to be filled in by hand, not to be filled
in; names of devices and racks, and the place of a plug, which are read at arm's length.
"""

_FONT = {"font_name": "Arial", "font_size": 10, "valign": "vcenter"}

_LINE = {"bottom": 1, "bottom_color": "#8C8C8C", "left": 7, "left_color": "#8C8C8C"}
"""A line below each cell, and a hairline on its left: a device and the cage beside it are two words."""

_USES: dict[str, dict[str, Any]] = {
    TEXT: {},
    SMALL: {"font_size": 8, "text_wrap": True},
    NUMBER: {"align": "right", "indent": 1},
    BOLD: {"bold": True},
    NAME: {"font_size": 10, "text_wrap": True},
    PLACE: {"font_size": 15, "bold": True, "shrink": True},
    MARK: {"bold": True, "align": "center"},
    REDLINE: {"locked": False, "left": 1, "right": 1, "bg_color": "#FFFBE6"},
    CLOSED: {"left": 1, "right": 1, "bg_color": "#BFBFBF"},
}

_BAND = "#EDEDED"

HEADER_FILL = "#D9D9D9"


class Styles:
    """The cell formats of one workbook."""

    def __init__(self, book: Any) -> None:
        self._book = book
        self.of = cache(self._make_format)
        self.tag = cache(self._make_tag_format)

    def _make_format(self, use: str, band: bool = False) -> Any:
        """Return the format of a use; `band` shades it, as every second group of rows is."""
        shade = {"bg_color": _BAND} if band and use not in (REDLINE, CLOSED) else {}
        return self._book.add_format({**_FONT, **_LINE, **_USES[use], **shade})

    def _make_tag_format(self, tag: CableTag) -> Any:
        """Return the format of a cell in the colour of a cable tag."""
        return self._book.add_format(
            {**_FONT, **_LINE, **_USES[MARK], "bg_color": tag.fill, "font_color": tag.ink, "right": 1}
        )

    @property
    def header(self) -> Any:
        """The format of column heads."""
        return self._book.add_format(
            {
                **_FONT,
                "font_size": 8,
                "bold": True,
                "text_wrap": True,
                "top": 1,
                "bottom": 2,
                "bg_color": HEADER_FILL,
                "align": "left",
            }
        )

    def make_heading(self, size: int) -> Any:
        """Return the format of a heading on the cover, of a size in points."""
        return self._book.add_format({**_FONT, "bold": True, "font_size": size})

    @property
    def prose(self) -> Any:
        """The format of paragraphs on the cover."""
        return self._book.add_format({**_FONT, "font_size": 10, "text_wrap": True, "valign": "top"})

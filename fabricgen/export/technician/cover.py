"""The first sheet of a workbook: title, counts, instructions, meaning of the colours, and table of contents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fabricgen.export.technician.records import CableTag
from fabricgen.export.technician.sheet import A4, BOLD, NUMBER, TEXT, Styles, print_setup

HOW = tuple(
    """\
Pull: sheets pull 01, pull 02 and so on, from the first to the last; within a sheet from the top down. Cables of one \
bundle go together. What goes farthest comes first.
Hand out: every page names its zone in the header: the row that a list is for, the two rows of a pulling step, the \
rack of a rack sheet. A crew takes the pages of its row.
Plug: one sheet a rack, devices from the top of the rack down. What the row says goes into `port` of the device at \
`u`; the other end is at `far_end`: hall, row, rack, rack unit, then what is printed at the socket.
Tick off: `done` for a cable that is plugged in and has link, `fault` for one that has not.
Redline: where something is built otherwise, write what is true into built_a_cage, built_b_cage or built_length_m, and \
why into remark. Leave empty what is as planned. A grey cell is about the end in another place: leave it to the \
sheet of that rack. All other cells are locked, without a password.
Print: every sheet is set up for A4 landscape (wiring: A3), with its heads on every page.
Give it back: `fabricgen as-built BLUEPRINT FILE` reads the file.""".splitlines()
)
"""The instructions of the technician's pack, by paragraph; the first is about pulling."""

NOTHING_TO_PULL = "Pull: nothing from here. The cables of these racks are pulled with the workbooks of other rows."
"""The first paragraph of a workbook from which no cable is pulled."""


@dataclass(frozen=True, slots=True)
class Contents:
    """A line of the table of contents: sheet, description, number of rows."""

    sheet: str
    what: str
    rows: int


@dataclass(frozen=True, slots=True)
class Cover:
    """The content of the cover; without tags it has no legend of colours."""

    cluster: str
    title: str
    subtitle: str
    counts: Sequence[tuple[str, int]]
    tags: Sequence[CableTag]
    contents: Sequence[Contents]
    how: Sequence[str] = HOW


def write_cover(book: Any, styles: Styles, cover: Cover) -> None:
    """Add the cover; it must be the first sheet added."""
    page = book.add_worksheet("cover")
    for column, width in enumerate((12, 16, 12, 8, 8, 40, 10)):
        page.set_column(column, column, width)
    page.write_string(0, 0, f"{cover.title}: {cover.cluster}", styles.heading(18))
    page.set_row(0, 28)
    page.write_string(1, 0, cover.subtitle, styles.heading(12))
    row = _counts(page, styles, cover, 3)
    row = _how(page, styles, cover.how, row + 1)
    row = _legend(page, styles, cover.tags, row + 1) if cover.tags else row
    row = _contents(page, styles, cover.contents, row + 1)
    page.protect("", {"format_columns": True, "format_rows": True})
    print_setup(page, "cover", cover.cluster, paper=A4, portrait=True)
    page.print_area(0, 0, row, 6)


def _counts(page: Any, styles: Styles, cover: Cover, row: int) -> int:
    for what, count in cover.counts:
        page.merge_range(row, 0, row, 2, what, styles.of(TEXT))
        page.write_number(row, 3, count, styles.of(NUMBER))
        row += 1
    return row


def _how(page: Any, styles: Styles, how: Sequence[str], row: int) -> int:
    page.write_string(row, 0, "How to use it", styles.heading(12))
    for text in how:
        row += 1
        page.set_row(row, 15 * (1 + len(text) // 100))
        page.merge_range(row, 0, row, 6, text, styles.prose)
    return row + 1


def _legend(page: Any, styles: Styles, tags: Sequence[CableTag], row: int) -> int:
    """The tags of the workbook, in colour and in words, so that a greyscale print is readable too."""
    page.write_string(row, 0, "Colours: a tag is fabric, rail and plane", styles.heading(12))
    row += 1
    page.write_row(row, 0, ["tag", "fabric", "colour", "rail", "plane"], styles.header)
    for tag in tags:
        row += 1
        page.write_string(row, 0, tag.text, styles.tag(tag))
        page.write_string(row, 1, tag.fabric, styles.of(TEXT))
        page.write_string(row, 2, tag.word, styles.of(TEXT))
        for column, number in ((3, tag.rail), (4, tag.plane)):
            page.write(row, column, number or None, styles.of(NUMBER))
    return row + 1


def _contents(page: Any, styles: Styles, contents: Sequence[Contents], row: int) -> int:
    page.write_string(row, 0, "Sheets", styles.heading(12))
    row += 1
    page.write_row(row, 0, ["sheet", "", "", "what", "", "", "rows"], styles.header)
    for line in contents:
        row += 1
        page.merge_range(row, 0, row, 2, "", styles.of(BOLD))
        quoted = line.sheet.replace("'", "''")
        page.write_url(row, 0, f"internal:'{quoted}'!A1", styles.of(BOLD), line.sheet)
        page.merge_range(row, 3, row, 5, line.what, styles.of(TEXT))
        page.write_number(row, 6, line.rows, styles.of(NUMBER))
    return row

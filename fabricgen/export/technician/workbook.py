"""A workbook of the technician's pack: cover, cable bundles, pulling steps, racks, and the wiring list.

Lists are divided by zone, which is a row of racks. Each zone has a sheet whose page header names the row, so that a
crew takes the pages of its row.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import numpy as np

from fabricgen.cluster import Cluster
from fabricgen.export.locations import locate_rows, number_rows, rank_racks
from fabricgen.export.technician.pack import (
    TechnicianPack,
    list_end_rows,
    list_home_rows,
    list_wired_racks,
    list_wiring_rows,
)
from fabricgen.export.technician.records import CableTag, count_ends_per_rack
from fabricgen.export.technician.sheet import A3, A4, BOLD, NUMBER, TEXT, Styles, WorkSheet, set_up_print, write_sheet
from fabricgen.export.technician.sheets import (
    list_pull_sheets,
    make_bundle_sheet,
    make_patch_sheets,
    make_pull_sheet,
    make_rack_sheet,
    make_wiring_sheet,
)
from fabricgen.numbering.lazy_columns import Strings
from fabricgen.reports.tables.xlsx import make_workbook
from fabricgen.wiring.arrays import Ints64


def write_workbook(pack: TechnicianPack, volume: Volume) -> bytes:
    """Return the content of a workbook, which is always the same bytes.

    Raises InputError (FG029) if a sheet has too many rows.
    """
    rows = list_home_rows(pack, volume.racks)
    cluster = pack.cluster.design.loaded.blueprint.name
    title = f"{cluster} {volume.name}"
    return write_work_sheets(
        title,
        title if volume.name != cluster else cluster,
        make_cover(pack, volume, _name_sheets([sheet for sheet in _make_sheets(pack, volume, rows) if sheet.rows])),
    )


def write_work_sheets(title: str, header: str, cover: Cover) -> bytes:
    """Return the content of a workbook made of a cover and its sheets; `header` is printed on each page.

    Raises InputError (FG029) if a sheet has too many rows.
    """

    def add_sheets(book: Any) -> None:
        styles = Styles(book)
        write_cover(book, styles, cover)
        for sheet in cover.sheets:
            write_sheet(book, styles, sheet, header)

    return make_workbook(title, add_sheets)


def _make_sheets(pack: TechnicianPack, volume: Volume, rows: Ints64) -> Iterator[WorkSheet]:
    """Yield the sheets of a workbook, with the names they should have if possible; `rows` are its pulled rows."""
    zones = _list_zones(pack, volume)
    for zone, sheet in make_patch_sheets(pack.cluster, zones):
        yield _name_by_zone(sheet, zone, zones)
    pulled = {zone: home_rows for zone, racks in zones.items() if len(home_rows := list_home_rows(pack, racks))}
    wired = {zone: ends for zone, racks in zones.items() if len(ends := list_wiring_rows(pack, racks))}
    for zone, zone_rows in pulled.items():
        yield _name_by_zone(make_bundle_sheet(pack, zone_rows, "bundles"), zone, pulled)
    for name, sheet_rows, title in list_pull_sheets(pack, rows):
        yield make_pull_sheet(pack, sheet_rows, name, title)
    for rack, _ in list_wired_racks(pack, volume.racks):
        yield make_rack_sheet(pack, rack, pack.cluster.plan.racks.names[rack])
    for zone, zone_rows in wired.items():
        yield _name_by_zone(make_wiring_sheet(pack, zone_rows, "wiring"), zone, wired)


def _list_zones(pack: TechnicianPack, volume: Volume) -> dict[str, tuple[int, ...]]:
    """Return the racks of each row of a workbook by the position of the row (`h1.R03`), in the order in which they
    stand.
    """
    number, places = number_rows(pack.cluster.plan.racks), locate_rows(pack.cluster)
    return {
        str(places[row[0]]): row
        for row in (tuple(row_racks) for _, row_racks in groupby(volume.racks, number.__getitem__))
    }


def _name_by_zone(sheet: WorkSheet, zone: str, zones: Collection[str]) -> WorkSheet:
    """Return a sheet whose page header names its zone; if there are several zones, its tab names it too."""
    return replace(sheet, name=f"{sheet.name} {zone}" if len(zones) > 1 else sheet.name, title=f"{zone}: {sheet.title}")


def _name_sheets(sheets: list[WorkSheet]) -> list[WorkSheet]:
    """Return the sheets with legal, distinct names, the wiring lists (the A3 sheets) after all others.

    Wiring lists come last, but are named before the others, as the cover is: no rack takes their names.
    """
    wiring_sheets = [sheet for sheet in sheets if sheet.paper == A3]
    other_sheets = [sheet for sheet in sheets if sheet.paper != A3]
    _, *names = make_sheet_names(["cover", *(sheet.name for sheet in (*wiring_sheets, *other_sheets))])
    wiring_names, other_names = names[: len(wiring_sheets)], names[len(wiring_sheets) :]
    return [
        replace(sheet, name=name)
        for sheet, name in zip((*other_sheets, *wiring_sheets), (*other_names, *wiring_names), strict=True)
    ]


def count_pulls(pack: TechnicianPack, racks: Collection[int]) -> list[tuple[str, int]]:
    """Return the (title, count) lines of a cover about what is pulled from some racks and plugged in there.

    Each cable counts once. Plugs at panels, fibres and tails that go in another bundle than their cable, further
    jumpers and trunks have lines of their own, which are left out if they count 0.
    """
    wired, rows = list_wired_racks(pack, tuple(racks)), list_home_rows(pack, tuple(racks))
    plugs = int(pack.plugs_per_rack[list(racks)].sum())
    cables, *extra_counts = pack.count_pulls(rows)
    titles = (
        "fibres of cables in another bundle",
        "tails of cables in another bundle",
        "further jumpers of cables through panels",
        "trunks",
    )
    extra_lines = zip(titles, extra_counts, strict=True)
    at_panels = int(pack.panel_plugs_per_rack[list(racks)].sum())
    return [
        ("racks with cables", len(wired)),
        ("plugs of cables in them, each with a label", plugs),
        *([("plugs at panels in them, each with a label", at_panels)] if at_panels else []),
        ("cables pulled from here, each once", cables),
        *((title, count) for title, count in extra_lines if count),
        ("bundles", len(np.unique(pack.records.pull.bundle[rows]))),
    ]


def make_cover(pack: TechnicianPack, volume: Volume, sheets: list[WorkSheet]) -> Cover:
    """Return the content of a workbook's cover; if no cable is pulled from its racks, it says so instead of how to
    pull.
    """
    records, end_row_numbers = pack.records, list_end_rows(pack, volume.racks)
    tags = [records.tags[i] for i in np.unique(records.tag[end_row_numbers]).tolist()]
    instructions = HOW if len(list_home_rows(pack, volume.racks)) else (NOTHING_TO_PULL, *HOW[1:])
    if pack.panel_ports is not None:
        instructions = (*instructions, PANELS)
    cluster, subtitle = pack.cluster.design.loaded.blueprint.name, f"Racks and cables of {volume.name}"
    return Cover(cluster, "Technician's pack", subtitle, count_pulls(pack, volume.racks), tags, sheets, instructions)


# Sheet names that spreadsheets accept.

LONGEST = 31
"""The most characters of a sheet name (Excel specifications and limits, Microsoft: Rename a worksheet)."""

_RESERVED = frozenset({"history"})

_UNFIT = re.compile(r"[\[\]:*?/\\\x00-\x1f]")


def make_sheet_names(proposed: Iterable[str]) -> list[str]:
    """Return a legal name for each proposed name, in their order: as it is, or changed as little as possible.

    Names are distinct without regard to case, and at most `LONGEST` characters long; of equal names the first stays,
    and the others end in `~2` and so on.
    """
    used_names = set(_RESERVED)
    names = []
    for proposed_name in proposed:
        stem = _UNFIT.sub("_", proposed_name).strip("' ") or "sheet"
        name, number = stem[:LONGEST].rstrip("'"), 1
        # Excel takes no two names that differ in case alone, and no more than LONGEST characters
        while name.casefold() in used_names:
            number += 1
            ending = f"~{number}"
            name = stem[: LONGEST - len(ending)] + ending
        used_names.add(name.casefold())
        names.append(name)
    return names


# The first sheet of a workbook: title, counts, instructions, meaning of the colours, and table of contents.

PANELS = """\
Panels: a cable through panels is pulled in pieces: its trunk, in the first steps, then a jumper from either device to \
the panel port that the pull sheet names; `channel` is the cable that they are parts of. In a rack sheet the jumper of \
a row goes to the port at `via`, and nothing is laid to `far_end`: `U48:1+2` is in this rack, `P01-U48:1+2` in its \
row. A cable is done when both of its jumpers are."""
"""The paragraph of a cover about cables through patch panels, if there are any."""

HOW = tuple(
    """\
Pull: sheets pull 01, pull 02 and so on, from the first to the last; within a sheet from the top down. Cables of one \
bundle go together. What goes farthest comes first.
Hand out: every page names its zone in the header: the row that a list is for, the two rows of a pulling step, the \
rack of a rack sheet. A crew takes the pages of its row.
Plug: one sheet a rack, devices from the top of the rack down. What the row says goes into `port` of the device at \
`u`; the other end is at `far_end`: hall, row, rack, rack unit, then what is printed at the socket.
Two fibres: `41/1+2` is a fibre in connector 1 of cage 41 and one in connector 2. Fibre 1 goes to 1, fibre 2 to 2: the \
first that one end names to the first that the other end names.
Tick off: `done` for a cable that is plugged in and has link, `fault` for one that has not.
Redline: where something is built otherwise, write what is true into built_a_cage, built_b_cage or built_length_m, and \
why into remark. Leave empty what is as planned. A grey cell is about the end in another place: leave it to the \
sheet of that rack. All other cells are locked, without a password.
Print: every sheet is set up for A4 landscape (wiring: A3), with its heads on every page.
Give it back: `fabricgen as-built BLUEPRINT FILE` reads the file.""".splitlines()
)
"""The instructions of the technician's pack, by paragraph; the first is about pulling."""

NOTHING_TO_PULL = "Pull: nothing from here. The cables of these racks are pulled with the workbooks of other rows."
"""The first paragraph of the cover of a workbook from which no cable is pulled."""


@dataclass(frozen=True, slots=True)
class Cover:
    """The content of the cover; without tags it has no legend of colours."""

    cluster: str
    title: str
    subtitle: str
    counts: Sequence[tuple[str, int]]
    tags: Sequence[CableTag]
    sheets: Sequence[WorkSheet]
    how: Sequence[str] = HOW


def write_cover(book: Any, styles: Styles, cover: Cover) -> None:
    """Add the cover to a workbook; it must be the first sheet added."""
    page = book.add_worksheet("cover")
    for column, width in enumerate((12, 16, 12, 8, 8, 40, 10)):
        page.set_column(column, column, width)
    page.write_string(0, 0, f"{cover.title}: {cover.cluster}", styles.make_heading(18))
    page.set_row(0, 28)
    page.write_string(1, 0, cover.subtitle, styles.make_heading(12))
    row = _write_counts(page, styles, cover, 3)
    row = _write_instructions(page, styles, cover.how, row + 1)
    row = _write_legend(page, styles, cover.tags, row + 1) if cover.tags else row
    row = _write_contents(page, styles, cover.sheets, row + 1)
    page.protect("", {"format_columns": True, "format_rows": True})
    set_up_print(page, "cover", cover.cluster, paper=A4, portrait=True)
    # columns A to G, which are the columns with the widths above
    page.print_area(0, 0, row, 6)


def _write_counts(page: Any, styles: Styles, cover: Cover, row: int) -> int:
    """Write the counts of the cover from a row on, and return the row after them."""
    for title, count in cover.counts:
        page.merge_range(row, 0, row, 2, title, styles.of(TEXT))
        page.write_number(row, 3, count, styles.of(NUMBER))
        row += 1
    return row


def _write_instructions(page: Any, styles: Styles, how: Sequence[str], row: int) -> int:
    """Write the instructions from a row on, and return the row after them."""
    page.write_string(row, 0, "How to use it", styles.make_heading(12))
    for text in how:
        row += 1
        page.set_row(row, 15 * (1 + len(text) // 100))
        page.merge_range(row, 0, row, 6, text, styles.prose)
    return row + 1


def _write_legend(page: Any, styles: Styles, tags: Sequence[CableTag], row: int) -> int:
    """Write the tags of the workbook, in colour and in words, from a row on, and return the row after them.

    The words serve a greyscale print.
    """
    page.write_string(row, 0, "Colours: a tag is fabric, rail and plane", styles.make_heading(12))
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


def _write_contents(page: Any, styles: Styles, sheets: Sequence[WorkSheet], row: int) -> int:
    """Write the table of contents, with links to the sheets, from a row on, and return its last row."""
    page.write_string(row, 0, "Sheets", styles.make_heading(12))
    row += 1
    page.write_row(row, 0, ["sheet", "", "", "what", "", "", "rows"], styles.header)
    for sheet in sheets:
        row += 1
        page.merge_range(row, 0, row, 2, "", styles.of(BOLD))
        quoted = sheet.name.replace("'", "''")
        page.write_url(row, 0, f"internal:'{quoted}'!A1", styles.of(BOLD), sheet.name)
        page.merge_range(row, 3, row, 5, sheet.title, styles.of(TEXT))
        page.write_number(row, 6, sheet.rows, styles.of(NUMBER))
    return row


# A workbook has the racks of neighbouring rows, up to a limit, so that it opens quickly.

MOST_RACKS = 64
"""The most racks of one workbook; each rack has a sheet."""

MOST_ENDS = 20_000
"""The most cable ends in the racks of one workbook, each of which has a row; a single rack may have more."""


@dataclass(frozen=True, slots=True)
class Volume:
    """A workbook: the stem of its file name, and its racks in the order in which they stand."""

    name: str
    racks: tuple[int, ...]


def list_volumes(cluster: Cluster) -> tuple[Volume, ...]:
    """Return the workbooks of a cluster: one with the cluster's name, or one for each group of neighbouring rows.

    Rows fill one workbook after another, node rows and network rows separately, so that an added row changes only the
    last one. A row with more racks or ends than the limits is split.
    """
    racks, ends_per_rack = cluster.plan.racks, count_ends_per_rack(cluster).tolist()
    racks_in_order = np.argsort(rank_racks(racks)).tolist()
    if _fits_volume(racks_in_order, ends_per_rack):
        return (Volume(cluster.design.loaded.blueprint.name, tuple(racks_in_order)),)
    # a hall, and whether its rows are network rows, which have numbers below 0
    area_of_rack = list(zip(racks.hall.tolist(), (racks.row < 0).tolist(), strict=True))
    row_of_rack, row_places = number_rows(racks).tolist(), locate_rows(cluster)
    volumes: list[Volume] = []
    for _, area_racks in groupby(racks_in_order, key=area_of_rack.__getitem__):
        rows = [list(row) for _, row in groupby(area_racks, key=row_of_rack.__getitem__)]
        volumes += [
            Volume(_name_span(row_places, volume_racks, part_number), volume_racks)
            for part_number, volume_racks in _divide_rows(rows, ends_per_rack)
        ]
    return tuple(volumes)


def _fits_volume(racks: list[int], ends_per_rack: list[int]) -> bool:
    """Whether one workbook may have some racks; a single rack may have any number of cable ends."""
    return len(racks) <= MOST_RACKS and (len(racks) == 1 or sum(ends_per_rack[rack] for rack in racks) <= MOST_ENDS)


def _name_span(row_places: Strings, racks: tuple[int, ...], part_number: int) -> str:
    """Return the name of a workbook: `h1.R01-R04` for whole rows, `h1.R01.2` for the second part of a split row.

    `row_places` are the positions of the rows of all racks; `part_number` is 0 unless the row was split.
    """
    first_row, last_row = row_places[racks[0]], row_places[racks[-1]]
    span = first_row if first_row == last_row else f"{first_row}-{last_row.rsplit('.', 1)[1]}"
    return f"{span}.{part_number}" if part_number else span


def _divide_rows(rows: list[list[int]], ends_per_rack: list[int]) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield (part number, racks) of each workbook: as many whole rows of racks as the limits allow.

    A row that passes the limits alone is split; its parts count from 1. The part number of whole rows is 0.
    """
    gathered_racks: list[int] = []
    for row in rows:
        if gathered_racks and not _fits_volume(gathered_racks + row, ends_per_rack):
            yield 0, tuple(gathered_racks)
            gathered_racks = []
        if _fits_volume(row, ends_per_rack):
            gathered_racks += row
        else:
            yield from enumerate(_split_row(row, ends_per_rack), start=1)
    if gathered_racks:
        yield 0, tuple(gathered_racks)


def _split_row(row: list[int], ends_per_rack: list[int]) -> Iterator[tuple[int, ...]]:
    """Yield the racks of each part of a split row; each part is filled up to the limits."""
    racks: list[int] = []
    for rack in row:
        if racks and not _fits_volume([*racks, rack], ends_per_rack):
            yield tuple(racks)
            racks = []
        racks.append(rack)
    yield tuple(racks)

"""The content of a workbook's sheets: cable bundles, pulling steps, racks, and the whole wiring list."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from fabricgen.cluster import Cluster
from fabricgen.export.files import patches, trunks
from fabricgen.export.technician.pack import (
    APART,
    CABLE,
    FIBRE,
    JUMPER,
    TechnicianPack,
    find_first_rows,
    name_pieces,
    name_pulled,
)
from fabricgen.export.technician.pulled_rows import DIRECT, TRUNK_END
from fabricgen.export.technician.records import KIND_WORDS
from fabricgen.export.technician.sheet import (
    A3,
    BOLD,
    MARK,
    NAME,
    NUMBER,
    PLACE,
    SMALL,
    TEXT,
    SheetColumn,
    WorkSheet,
    make_redline_columns,
)
from fabricgen.numbering.lazy_columns import EncodedColumn, SelectableColumn, Strings
from fabricgen.reports.table import Cell, Table
from fabricgen.wiring.arrays import Flags, Ints, Ints64

MOST_SHEETS = 400
"""The most pull sheets in one workbook; if there is work for more, neighbours in the order share a sheet."""

SHIFT, MOST_OF_SHIFT = 76, 100
"""How many jumpers are the work of a shift, and the most that one shift has; a trunk counts as its connectors.

A step with more is divided into shifts of whole bundles of up to 24, so that a sheet usually has 60 to MOST_OF_SHIFT.
"""

NUMBERS = ("length_m", "a_u", "b_u")
"""Columns of cables.csv with numbers."""

WIDTHS = {
    "cable": 18,
    "part": 17,
    "fabric": 8,
    "medium": 7,
    "length_m": 8,
    "device": 16,
    "cage": 7,
    "transceiver": 12,
    "rack": 14,
    "u": 4,
    "label_a": 27,
    "label_b": 27,
}
"""Widths of the columns of cables.csv, in characters, by name without `a_` and `b_`: small text of 8 points is printed
with 6 points or more on A3. Names take two lines, labels as many as they need.
"""

VIA_WIDTH, CHANNEL_WIDTH = 11, 16
"""Widths, in characters of small text, of the column with panel ports and of the column with the cable of a jumper."""

KEYS = ("cable", "a_device", "a_cage", "b_device", "b_cage")
"""Hidden columns from which `as-built` knows the cable of a row."""

LABEL_LINE = 28
"""Characters of small text that surely fit a line of a label's column."""


def make_wiring_sheet(pack: TechnicianPack, rows: Ints64, name: str) -> WorkSheet:
    """Return the wiring list: some rows of cables.csv in their order there, with its column names, and the redline
    columns.
    """
    rows = np.sort(rows)
    planned_columns = tuple(
        SheetColumn(
            column,
            WIDTHS[column.removeprefix("a_").removeprefix("b_")],
            NUMBER if column in NUMBERS else SMALL,
            list(cells.take(rows)),
        )
        for column, cells in pack.wiring.items()
    )
    labels = zip(*(pack.wiring[f"label_{end}"].take(rows) for end in "ab"), strict=True)
    # the lines that the longer of both labels takes when its cell wraps it
    lines = [max(2, -(-max(len(str(a)), len(str(b))) // LABEL_LINE)) for a, b in labels]
    return WorkSheet(
        name, "Wiring list", len(rows), (*planned_columns, *_list_redline_columns(pack, rows)), paper=A3, lines=lines
    )


def list_pull_sheets(pack: TechnicianPack, rows: Ints64) -> Iterator[tuple[str, Ints64, str]]:
    """Yield (wanted name, pulled rows, title) of each sheet of a shift's work; `rows` are in pulling order.

    A sheet has whole bundles of one step, or of several steps if there would be more than MOST_SHEETS sheets. Its title
    has the step, the number of the sheet within the step, and how much it lays.
    """
    pull = pack.records.pull
    shifts, shift = np.unique(_divide_into_shifts(pack, rows)[pull.bundle[rows]], return_inverse=True)
    # if there is work for more sheets than allowed, it is spread evenly over the allowed number, in order
    sheet = shift if len(shifts) <= MOST_SHEETS else shift * MOST_SHEETS // len(shifts)
    sheet_rows = [rows[sheet == number] for number in range(int(sheet.max(initial=-1)) + 1)]
    step_lists = [np.unique(pull.step[pull.bundle[laid_rows]]).tolist() for laid_rows in sheet_rows]
    sheets_of_step, seen = Counter(steps[0] for steps in step_lists), Counter[int]()
    for number, (laid_rows, steps) in enumerate(zip(sheet_rows, step_lists, strict=True), start=1):
        first_step = steps[0]
        seen[first_step] += 1
        sheet_count = f", {seen[first_step]} of {sheets_of_step[first_step]}" if sheets_of_step[first_step] > 1 else ""
        other_steps = f" and {len(steps) - 1} more" if len(steps) > 1 else ""
        yield (
            f"pull {number:02d}",
            laid_rows,
            f"Pull {number}: {pull.steps[first_step]}{other_steps}{sheet_count}: {_count_work(pack, laid_rows)}",
        )


def _divide_into_shifts(pack: TechnicianPack, rows: Ints64) -> Ints64:
    """Return the shift in which each bundle of the plan is laid, from 0 in pulling order, int64; -1 for a bundle
    without any of `rows`.

    The bundles of a step are shared out evenly over as many shifts as the step has work for.
    """
    pull, patching = pack.records.pull, pack.cluster.plan.patching
    work_of_row = pull.rows.laid.astype(np.int64)
    if patching is not None:
        connectors = np.array([policy.connectors_per_trunk for policy in patching.policies], dtype=np.int64)
        is_trunk = pull.rows.end == TRUNK_END
        work_of_row[is_trunk] = connectors[patching.trunks.policy[pull.rows.trunk[is_trunk]]]
    work_of_bundle = np.bincount(pull.bundle[rows], work_of_row[rows], len(pull.names))
    bundles = np.unique(pull.bundle[rows])
    step = pull.step[bundles]
    work_of_step = np.bincount(step, work_of_bundle[bundles])
    # how much of its step is done when half of each bundle is: that decides the shift of the bundle
    work_of_earlier_steps = (np.cumsum(work_of_step) - work_of_step)[step]
    work_done = np.cumsum(work_of_bundle[bundles]) - work_of_bundle[bundles] / 2 - work_of_earlier_steps
    shifts_of_step = np.where(work_of_step > MOST_OF_SHIFT, np.ceil(work_of_step / SHIFT), 1)
    shift_in_step = np.minimum(
        work_done * shifts_of_step[step] // np.maximum(work_of_step, 1)[step], shifts_of_step[step] - 1
    )
    shift_of_bundle = np.full(len(pull.names), -1)
    shift_of_bundle[bundles] = (np.cumsum(shifts_of_step) - shifts_of_step)[step] + shift_in_step
    return shift_of_bundle


def _count_work(pack: TechnicianPack, rows: Ints64) -> str:
    """Return how much is laid with some pulled rows: `4 bundles, 48 cables, 96 jumpers`."""
    bundles, jumpers = len(np.unique(pack.records.pull.bundle[rows])), int(pack.jumpers[rows].sum())
    names = ("cable", "fibre apart", "tail apart", "other end", "trunk")
    words = ((bundles, "bundle"), *(*zip(pack.count_pulls(rows), names, strict=True), (jumpers, "jumper")))
    nouns = ((n, *word.partition(" ")) for n, word in words if n)  # `fibre apart`: the noun gets the plural
    return ", ".join(f"{n} {noun}{'s' if n > 1 else ''}{blank}{adverb}" for n, noun, blank, adverb in nouns)


def make_pull_sheet(pack: TechnicianPack, rows: Ints64, name: str, title: str) -> WorkSheet:
    """Return the sheet with some pulled rows, which are in pulling order; every second bundle is shaded.

    `name` is the wanted name of its tab, `title` is in its page header.
    """
    pull = pack.records.pull
    bundle, tags = pull.bundle[rows], pack.list_pulled_tags(rows)
    a_end, b_end = (end[rows] for end in pack.pulled_ends)
    # panel ports take a little of the page
    end_width = 32 if pack.panel_ports is None else 31
    columns = (
        SheetColumn("order", 7, NUMBER, pull.order[rows].tolist()),
        SheetColumn("bundle", 18, SMALL, pull.names[bundle].tolist()),
        SheetColumn("tag", 7, MARK, [tag.text for tag in tags]),
        SheetColumn("a_end", end_width, PLACE, a_end.tolist()),
        SheetColumn("b_end", end_width, PLACE, b_end.tolist()),
        SheetColumn("part", 18, SMALL, name_pieces(pack.piece_names[rows], pull.rows.laid[rows].astype(np.int64))),
        SheetColumn("length_m", 8, NUMBER, pull.rows.length_m[rows].tolist()),
        SheetColumn("labels", 9, SMALL, pack.label_numbers[rows].tolist()),
        *_make_channel_columns(pack, rows),
        *_make_hand_columns(pack, rows),
    )
    return WorkSheet(name, title, len(rows), columns, tags, _shade_groups(bundle))


def make_rack_sheet(pack: TechnicianPack, rack: int, name: str) -> WorkSheet:
    """Return the sheet of all cable ends in a rack, from the top down, along the ports of each device."""
    rack_starts, row, is_b_end = pack.ends_by_rack
    rack_rows = slice(int(rack_starts[rack]), int(rack_starts[rack + 1]))
    row, is_b_end = row[rack_rows], is_b_end[rack_rows]
    records, wiring = pack.records, pack.wiring
    device = np.where(is_b_end, records.device[1][row], records.device[0][row])
    a_end, b_end = pack.list_locations(row)
    parts, lengths = _list_plugged(pack, row, is_b_end)
    columns = (
        SheetColumn("u", 5, NUMBER, records.cluster.plan.devices.u[device].tolist()),
        SheetColumn("device", 16, NAME, _select_side(wiring, "device", row, is_b_end).tolist()),
        SheetColumn("port", 14, PLACE, np.where(is_b_end, records.socket[1][row], records.socket[0][row]).tolist()),
        SheetColumn("tag", 7, MARK, [tag.text for tag in pack.list_tags(row)]),
        SheetColumn("far_end", 32, PLACE, np.where(is_b_end, a_end, b_end).tolist()),
        SheetColumn("far_device", 16, NAME, _select_side(wiring, "device", row, ~is_b_end).tolist()),
        SheetColumn("transceiver", 13, SMALL, _select_side(wiring, "transceiver", row, is_b_end).tolist()),
        SheetColumn("part", 16, SMALL, parts),
        SheetColumn("length_m", 8, NUMBER, lengths),
        *_make_via_columns(pack, row, is_b_end),
        # in rows of b ends the a end is elsewhere, and its cells are closed; in rows of a ends the b end is
        *_list_redline_columns(pack, row, (np.flatnonzero(is_b_end).tolist(), np.flatnonzero(~is_b_end).tolist())),
        SheetColumn("end", 4, TEXT, np.where(is_b_end, "b", "a").tolist(), hidden=True),
        *_make_key_columns(pack, row, KEYS),
    )
    return WorkSheet(
        name,
        f"Rack {records.cluster.plan.racks.names[rack]} at {pack.rack_places[rack]}: {pack.plugs_per_rack[rack]} plugs",
        len(row),
        columns,
        pack.list_tags(row),
        _shade_groups(device),
    )


def _list_plugged(pack: TechnicianPack, row: Ints64, is_b_end: Flags) -> tuple[list[str], list[Cell]]:
    """Return the part and the length in m of what is plugged in at the a end of cable end rows, or at the b end if
    `is_b_end`.

    For a cable through panels this is its jumper there. A plug that an earlier row has already, because it leads to
    several far ends, is `as above`, with "" as its length.
    """
    pulled, end = pack.records.pull.rows, is_b_end.astype(np.int32)
    # -1 if an earlier row has the plug: what is read of the last row for it is overwritten below
    pulled_row = np.array(pulled.find_rows(len(pack.records.cable)))[end, row]
    names = name_pieces(
        pack.piece_names[pulled_row], np.where(is_b_end, pack.pieces_laid[1][row], pack.pieces_laid[0][row])
    )
    metres: list[Cell] = list(pack.wiring["length_m"].take(row))
    for index in np.flatnonzero(pulled.end[pulled_row] != DIRECT).tolist():
        metres[index] = float(pulled.length_m[pulled_row[index]])
    for index in np.flatnonzero(pulled_row < 0).tolist():
        names[index], metres[index] = "as above", ""
    return names, metres


def make_bundle_sheet(pack: TechnicianPack, rows: Ints64, name: str) -> WorkSheet:
    """Return the sheet, of the name `name`, to tick off cable bundles as they are laid: a row a bundle, in pulling
    order, with what of `rows` is in it.

    `rows` are pulled rows: each brings a cable, a jumper or another piece (`APART`) to its bundle.
    """
    pull = pack.records.pull
    # ascending numbers of bundles are their pulling order; `bundle_rows` has a pulled row of each, for what all share
    bundle, first_index = np.unique(pull.bundle[rows], return_index=True)
    bundle_rows = rows[first_index]
    home, away = pull.home[bundle_rows], pull.away[bundle_rows]
    # what is pulled at once counts once, whatever rows it has
    first_rows = find_first_rows(pack, rows)
    # by kind of piece (an index of `APART`): how many of them each bundle of the sheet has; `bincount` counts for all
    # bundles of the cluster
    counts = [
        np.bincount(pull.bundle[first_rows], pack.pulled_kinds[first_rows] == pulled_kind, len(pull.names))
        .astype(np.int64)[bundle]
        .tolist()
        for pulled_kind in range(len(APART))
    ]
    jumpers = np.bincount(pull.bundle[rows], pack.jumpers[rows], len(pull.names)).astype(np.int64)[bundle]
    lengths = np.zeros(len(pull.names))
    np.maximum.at(lengths, pull.bundle[rows], pull.rows.length_m[rows])
    tags = pack.list_pulled_tags(bundle_rows, rails=False)
    steps = pull.step[bundle]
    redline_columns = make_redline_columns()
    columns = (
        SheetColumn("step", 28, SMALL, [pull.steps[i] for i in steps.tolist()]),
        SheetColumn("bundle", 36, SMALL, pull.names[bundle].tolist()),
        SheetColumn("tag", 7, MARK, [tag.text for tag in tags]),
        SheetColumn("colour", 9, TEXT, [tag.word for tag in tags]),
        SheetColumn("kind", 12, TEXT, [KIND_WORDS[i] for i in pull.kind[bundle].tolist()]),
        SheetColumn("from_rack", 22, NAME, [pack.cluster.plan.racks.names[i] for i in home.tolist()]),
        SheetColumn("to_rack", 22, NAME, [pack.cluster.plan.racks.names[i] for i in away.tolist()]),
        SheetColumn("cables", 8, NUMBER, counts[CABLE]),
        *(
            SheetColumn(
                f"{APART[pulled_kind]}s{'_apart' if pulled_kind == JUMPER else ''}", 7, NUMBER, counts[pulled_kind]
            )
            for pulled_kind in range(FIBRE, len(APART))
            if any(counts[pulled_kind])
        ),
        SheetColumn("jumpers", 8, NUMBER, jumpers.tolist()),
        SheetColumn("longest_m", 10, NUMBER, lengths[bundle].tolist()),
        redline_columns[0],  # done
        redline_columns[-1],  # remark
    )
    return WorkSheet(name, "Bundles in the order of pulling", len(bundle), columns, tags, _shade_groups(steps))


def _make_via_columns(pack: TechnicianPack, rows: Ints64, is_b_end: Flags) -> tuple[SheetColumn, ...]:
    """Return a column with the panel ports of the jumpers of cable end rows; no column if nothing is patched.

    The ports are those at the b end of rows with `is_b_end`, at the a end of the others.
    """
    if pack.panel_ports is None:
        return ()
    a_ports, b_ports = (ports[rows] for ports in pack.panel_ports)
    return (SheetColumn("via", VIA_WIDTH, SMALL, np.where(is_b_end, b_ports, a_ports).tolist()),)


def _make_channel_columns(pack: TechnicianPack, rows: Ints64) -> tuple[SheetColumn, ...]:
    """Return a column with the cable of each jumper, or the name of each trunk, of some pulled rows.

    There is none if nothing is patched.
    """
    pulled = pack.records.pull.rows
    if pack.cluster.plan.patching is None:
        return ()
    names = np.where(pulled.end[rows] == DIRECT, "", name_pulled(pack, rows))
    return (SheetColumn("channel", CHANNEL_WIDTH, SMALL, names.tolist()),)


def _list_redline_columns(
    pack: TechnicianPack, rows: Ints64, closed: tuple[Sequence[int], Sequence[int]] = ((), ())
) -> tuple[SheetColumn, ...]:
    """Return the columns to fill in by hand for some cable end rows; `closed` is as in `make_redline_columns`.

    The length of a cable through panels is closed as well, since `as-built` takes none (FG087).
    """
    patching = pack.cluster.plan.patching
    return make_redline_columns(
        closed, [] if patching is None else np.flatnonzero(patching.policy[pack.records.cable[rows]] >= 0).tolist()
    )


def _make_hand_columns(pack: TechnicianPack, rows: Ints64) -> tuple[SheetColumn, ...]:
    """Return the columns to fill in by hand for some pulled rows, and hidden columns from which `as-built` knows the
    cable and, if fibre is patched, the end.

    Hidden cells are empty for trunks, which are no cables of the plan. If all rows are trunks, only the first and the
    last column to fill in are returned.
    """
    pulled = pack.records.pull.rows
    end = pulled.end[rows]
    if (end == TRUNK_END).all():
        return (make_redline_columns()[0], make_redline_columns()[-1])
    # rows that have no a end (0), or no b end (1), of a cable
    closed = [np.flatnonzero((end != DIRECT) & (end != cable_end)).tolist() for cable_end in (0, 1)]
    redlines = make_redline_columns((closed[0], closed[1]), np.flatnonzero(end != DIRECT).tolist())
    key_columns = _make_key_columns(pack, pulled.row[rows].astype(np.int64), KEYS)
    if pack.cluster.plan.patching is None:
        return (*redlines, *key_columns)
    # by `end`: 0 and 1 for jumpers, 2 for trunks, and -1, the last entry, for direct cables
    end_letters = np.array(["a", "b", "", ""], dtype=object)[end]
    is_trunk = (end == TRUNK_END).tolist()
    key_columns = tuple(
        replace(column, cells=["" if trunk else cell for cell, trunk in zip(column.cells or (), is_trunk, strict=True)])
        for column in key_columns
    )
    return (*redlines, SheetColumn("end", 4, TEXT, end_letters.tolist(), hidden=True), *key_columns)


def _select_side(wiring: dict[str, SelectableColumn], name: str, row: Ints64, is_b_end: Flags) -> Strings:
    """Return the texts of column `a_NAME` or, where `is_b_end`, of column `b_NAME` of cables.csv, at the cable end rows
    `row`.
    """
    return np.where(is_b_end, wiring[f"b_{name}"].take(row).texts(), wiring[f"a_{name}"].take(row).texts())


def _make_key_columns(pack: TechnicianPack, rows: Ints64, names: tuple[str, ...]) -> tuple[SheetColumn, ...]:
    """Return the hidden columns from which `as-built` knows the cable of a row."""
    return tuple(SheetColumn(name, 12, TEXT, list(pack.wiring[name].take(rows)), hidden=True) for name in names)


def _shade_groups(group: Ints | Ints64) -> list[bool]:
    """Return whether each row is shaded, which every second group of consecutive equal values is."""
    begins_group = np.r_[False, group[1:] != group[:-1]][: len(group)]
    shaded: list[bool] = (np.cumsum(begins_group) % 2 == 1).tolist()
    return shaded


def make_pull_table(pack: TechnicianPack) -> Table:
    """Return pull.csv: what is pulled, in order.

    This is each cable, and `apart` from it its fibres or tails in another bundle; for a cable through panels its
    jumpers at either end; and each trunk.
    """
    pull = pack.records.pull
    rows = find_first_rows(pack, np.arange(len(pull.rows)))
    steps, tags = pull.step[pull.bundle[rows]], pack.list_pulled_tags(rows)
    a_end, b_end = (end[rows] for end in pack.pulled_ends)
    # summed over all rows that are pulled at once
    laid, jumpers = (np.bincount(pull.order, counts)[pull.order[rows]] for counts in (pull.rows.laid, pack.jumpers))
    return Table(
        "pull",
        {
            "order": pull.order[rows].tolist(),
            "step": (steps + 1).tolist(),
            "step_name": [pull.steps[i] for i in steps.tolist()],
            "bundle": EncodedColumn(pull.names, pull.bundle[rows]),
            "cable": name_pulled(pack, rows).tolist(),
            "part": name_pieces(pack.piece_names[rows], laid.astype(np.int64)),
            "length_m": pull.rows.length_m[rows].tolist(),
            "a_end": a_end.tolist(),
            "b_end": b_end.tolist(),
            "far_ends": np.bincount(pull.order)[pull.order[rows]].tolist(),
            "tag": [tag.text for tag in tags],
            "colour": [tag.fill for tag in tags],
            "jumpers": jumpers.astype(np.int64).tolist(),
            "apart": [APART[pulled_kind] for pulled_kind in pack.pulled_kinds[rows].tolist()],
        },
    )


# Sheets of structured cabling: the jumpers at panels of a workbook's racks, and the trunks that begin there.

_JUMPER_COLUMNS = (
    "rack",
    "u",
    "panel",
    "port",
    "device",
    "socket",
    "part",
    "length_m",
    "trunk",
    "connector",
    "fibres",
    "cable",
)
"""Columns of patches.csv in the order of work: from panel to cage."""

_RENAMED = {"cable": "channel"}
"""Renamed columns: a sheet with the column `cable` would be read back as a list of cables."""

_WIDTHS = {
    "channel": 19, "trunk": 21, "part": 21, "panel": 18, "rack": 15, "device": 18,
    "fibres": 8, "connector": 9, "u": 5, "port": 6, "ports": 7, "used": 6,
}  # fmt: skip
"""Widths of columns, in characters, by name without `a_` and `b_`: small text is printed with 6 points or
more on A4.
"""


def make_patch_sheets(cluster: Cluster, zones: Mapping[str, tuple[int, ...]]) -> Iterator[tuple[str, WorkSheet]]:
    """Yield (zone, sheet): for each zone the trunks whose a ends are in its racks, then the jumpers at its panels.

    `zones` has the racks of each row of racks, as rows of the rack table, by the position of the row (`h1.R03`). Rows
    of sheets are sorted by rack, panel and port.
    """
    patching = cluster.plan.patching
    if patching is None:
        return
    jumpers, trunk_table = patches.make_table(cluster, patching), trunks.make_table(cluster, patching)
    rack_names_by_zone = {
        zone: frozenset(cluster.plan.racks.names[rack] for rack in racks) for zone, racks in zones.items()
    }
    for zone, racks in rack_names_by_zone.items():
        yield (
            zone,
            _make_sheet(_select_racks(trunk_table, "a_rack", racks, ()), "Trunks: lay them before all other cables"),
        )
    for zone, racks in rack_names_by_zone.items():
        zone_jumpers = _select_racks(jumpers, "rack", racks, ("panel", "port", "end"))
        columns = {_RENAMED.get(name, name): zone_jumpers.columns[name] for name in _JUMPER_COLUMNS}
        yield (
            zone,
            _make_sheet(
                replace(zone_jumpers, columns=columns), "Jumpers: from each panel port to the cage in front of it"
            ),
        )


def _select_racks(table: Table, column: str, racks: frozenset[str], order: tuple[str, ...]) -> Table:
    """Return the rows of a table that are in some racks, sorted by rack, then by the columns `order`, else as in the
    table.
    """
    rows = [i for i, rack in enumerate(table.columns[column]) if rack in racks]
    rows.sort(key=lambda i: tuple(table.columns[name][i] for name in (column, *order)))
    return replace(table, columns={name: [cells[i] for i in rows] for name, cells in table.columns.items()})


def _make_sheet(table: Table, title: str) -> WorkSheet:
    """Return a sheet to tick off, with a remark column but no other redline columns, which are on the sheets
    of cables.
    """
    planned = [
        SheetColumn(name, _WIDTHS.get(name.removeprefix("a_").removeprefix("b_"), 8), _choose_use(name, cells), cells)
        for name, cells in table.columns.items()
    ]
    done, *_, remark = make_redline_columns()
    return WorkSheet(table.name, title, len(table), (*planned, done, remark))


def _choose_use(name: str, cells: Sequence[Cell]) -> str:
    """Return the use of a column: numbers, panels in bold, all else small."""
    if cells and not isinstance(cells[0], str):
        return NUMBER
    panel = name.endswith("panel") and max((len(str(cell)) for cell in cells), default=0) <= _WIDTHS["panel"]
    return BOLD if panel else SMALL  # a name that takes two lines is small

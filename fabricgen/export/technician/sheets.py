"""The content of a workbook's sheets: cable bundles, pulling steps, racks, and the whole wiring list."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import cast

import numpy as np

from fabricgen.bom.sets import split_set
from fabricgen.cluster import Cluster
from fabricgen.export.files import cables
from fabricgen.export.locations import locate_racks
from fabricgen.export.technician.cable_bundles import KIND_WORDS
from fabricgen.export.technician.labels import list_label_ends, number_labels
from fabricgen.export.technician.patched import THROUGH, locate_panel_ports
from fabricgen.export.technician.records import CableTag, Records, count_ends_per_rack, make_records
from fabricgen.export.technician.sheet import (
    A3,
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
from fabricgen.wiring.cabling.end_numbers import number_ends
from fabricgen.wiring.cabling.sockets import number_connectors

MOST_SHEETS = 400
"""The most sheets for pulling in one workbook; if there is work for more, neighbours in the order share a sheet."""

SHIFT, MOST_OF_SHIFT = 76, 100
"""Jumpers of a shift's work, and the most of one. A step of more is shared: with whole bundles of up to 24, a sheet has
no more than the most, and usually 60 or more.
"""

CABLE, FIBRE, TAIL = range(3)
"""What is pulled at once: a cable, or a fibre or a tail of one that goes in another bundle than the cable."""

APART = ("", "fibre", "tail")
"""Names of what is pulled apart from its cable."""

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
"""Widths of columns of cables.csv, in characters, by name without `a_` and `b_`: small text of 8 pt is printed with
6 pt or more on A3. Names take two lines, labels as many as they need.
"""

VIA_WIDTH = 11
"""Width of the column of panel ports, in characters: small text, those of one end a line."""

LABEL_LINE = 28
"""Characters of small text that surely fit a line of a label's column."""


@dataclass(frozen=True)
class TechnicianPack:
    """The data that all sheets are made from; columns by cable end row."""

    cluster: Cluster

    def compute_all(self) -> None:
        """Compute everything now rather than on first use, so that processes forked later share it."""
        for name, value in vars(type(self)).items():
            if isinstance(value, cached_property):
                getattr(self, name)

    @cached_property
    def records(self) -> Records:
        """Positions of the ends, pull plan and tags."""
        return make_records(self.cluster)

    def __getstate__(self) -> dict[str, Cluster]:
        return {"cluster": self.cluster}

    @cached_property
    def wiring(self) -> dict[str, SelectableColumn]:
        """The columns of cables.csv."""
        return cast("dict[str, SelectableColumn]", cables.make_table(self.cluster).columns)

    @cached_property
    def label_numbers(self) -> Strings:
        """The running numbers of the labels of each row's plugs, `81-84` or `85, 88`; of a patched cable those of all
        its jumpers, with the first of its rows that are pulled at once.
        """
        leg, (numbers, numbers_by_turn) = list_label_ends(self.records)[0], number_labels(self.records)
        row = self.records.plugs.row[leg]
        numbers_by_row: list[list[int]] = [[] for _ in self.records.cable]
        for at, number in zip(row.tolist(), numbers.tolist(), strict=True):
            if number:
                numbers_by_row[at].append(number)
        if numbers_by_turn:
            ids = self.cluster.cable_ids
            turns = zip(self.records.cable.tolist(), self.records.pull.order.tolist(), strict=True)
            for at, (cable, turn) in enumerate(turns):
                numbers_by_row[at] = numbers_by_row[at] or numbers_by_turn.pop((ids[cable], turn), [])
        return np.array([_join_spans(row_numbers) for row_numbers in numbers_by_row], dtype=object)

    @cached_property
    def panel_ports(self) -> tuple[Strings, Strings] | None:
        """The panel ports of the jumpers at both ends of each row; None where nothing is patched."""
        return locate_panel_ports(self.cluster)

    @cached_property
    def pieces_laid(self) -> Ints64:
        """How many pieces each row brings: its jumpers, or 1 for the first tail of a splitter, 0 for others; int64."""
        plugs = self.records.plugs
        tail = np.maximum(plugs.ends[0].tail, plugs.ends[1].tail)
        brings = (plugs.tails == 1) | (tail == 0)
        laid: Ints64 = np.bincount(plugs.row, brings, minlength=len(self.records.cable)).astype(np.int64)
        return laid

    @cached_property
    def pulled_kinds(self) -> Ints64:
        """What each row is pulled as: CABLE, each cable once, with the first of its rows that brings a piece, or FIBRE
        or TAIL; rows that are pulled at once are alike; int64.
        """
        order, cable = self.records.pull.order, self.records.cable
        # of rows that are pulled at once, one that brings a piece is enough
        brings = (np.bincount(order, self.pieces_laid) > 0)[order]
        # by cable its earliest turn that brings a piece: that is the cable, what follows are its other fibres
        first = np.full(int(cable.max(initial=-1)) + 1, np.iinfo(np.int32).max)
        np.minimum.at(first, cable[brings], order[brings])
        pulled: Ints64 = np.select([order == first[cable], brings], [CABLE, FIBRE], TAIL).astype(np.int64)
        return pulled

    def count_pulls(self, rows: Ints64) -> list[int]:
        """How many cables, fibres apart and tails apart are pulled with some rows."""
        counts: list[int] = np.bincount(self.pulled_kinds[_find_first_rows(self, rows)], minlength=3).tolist()
        return counts

    def name_pieces(self, rows: Ints64, laid: Ints64) -> list[str]:
        """What is laid with some rows: `PART`, `2x PART`, or `tail of PART` where the piece comes with another row."""
        names = [split_set(str(part))[1] for part in self.wiring["part"].take(rows)]
        words = {0: "tail of ", 1: ""}
        return [words.get(n, f"{n}x ") + name for n, name in zip(laid.tolist(), names, strict=True)]

    def list_locations(self, rows: Ints64) -> tuple[Strings, Strings]:
        """`h1.R03.07-U42:12/2` of both ends of some rows."""
        records = self.records
        a, b = (
            location[rows] + ":" + socket[rows] for location, socket in zip(records.place, records.socket, strict=True)
        )
        return a, b

    @cached_property
    def position(self) -> tuple[Ints64, Ints64]:
        """Sort keys that ascend along the ports of a device, for (a ends, b ends)."""
        plan = self.cluster.plan
        numbers = number_ends(plan.devices, plan.links, number_connectors)
        rows = plan.cables.end_link
        return numbers.a[rows].astype(np.int64), numbers.b[rows].astype(np.int64)

    @cached_property
    def rack_places(self) -> Strings:
        """`h1.R03.07` of every rack."""
        return locate_racks(self.cluster)

    @cached_property
    def ends_per_rack(self) -> Ints64:
        """Number of cable ends in each rack; int64."""
        return count_ends_per_rack(self.cluster)

    @cached_property
    def plugs_per_rack(self) -> Ints64:
        """Number of plugs at the devices of each rack, each with one label: the common end of a splitter is one, a row
        of several jumpers is as many; int64.
        """
        records, rack = self.records, self.cluster.plan.devices.rack
        leg, end = list_label_ends(records)
        row = records.plugs.row[leg]
        device = np.where(end, records.device[1][row], records.device[0][row])
        return np.bincount(rack[device], minlength=len(self.cluster.plan.racks)).astype(np.int64)

    @cached_property
    def ends_by_rack(self) -> tuple[Ints64, Ints64, Flags]:
        """(where each rack begins, row, whether it is the b end) of all cable ends, from the top of each rack, along
        ports.

        The common end of a cable occurs once for each far end.
        """
        records, rows = self.records, np.arange(len(self.records.cable))
        device, position = np.concatenate(records.device), np.concatenate(self.position)
        devices = self.cluster.plan.devices
        row, b = np.tile(rows, 2), np.repeat([False, True], len(rows))
        # last column first: rack, from the top down, device, port
        walk = np.lexsort((row, position, device, -devices.u[device], devices.rack[device]))
        first = np.searchsorted(devices.rack[device][walk], np.arange(len(self.cluster.plan.racks) + 1))
        return first, row[walk], b[walk]

    @cached_property
    def rows_by_home(self) -> tuple[Ints64, Ints64]:
        """(where each rack begins, row) of all rows by the home rack of each."""
        home = self.records.pull.home
        walk = np.argsort(home, kind="stable")
        return np.searchsorted(home[walk], np.arange(len(self.cluster.plan.racks) + 1)), walk

    def tags(self, rows: Ints64) -> list[CableTag]:
        """The coloured tag (fabric, rail, plane) of each of some cable end rows."""
        return [self.records.tags[i] for i in self.records.tag[rows].tolist()]


def _join_spans(numbers: list[int]) -> str:
    """`1-3, 7` of 1, 2, 3 and 7."""
    spans = [[n for _, n in run] for _, run in groupby(enumerate(numbers), lambda pair: pair[1] - pair[0])]
    return ", ".join(f"{span[0]}-{span[-1]}" if len(span) > 1 else str(span[0]) for span in spans)


def list_home_rows(pack: TechnicianPack, racks: tuple[int, ...]) -> Ints64:
    """Rows whose home rack is one of `racks`, in pulling order."""
    records = pack.records
    first, row = pack.rows_by_home
    rows = _select_racks(first, row, racks)
    walk: Ints64 = rows[np.lexsort((rows, records.pull.order[rows]))]
    return walk


def list_end_rows(pack: TechnicianPack, racks: tuple[int, ...]) -> Ints64:
    """Rows of cables with an end in `racks`; rows with both ends there occur twice."""
    first, row, _ = pack.ends_by_rack
    return _select_racks(first, row, racks)


def _select_racks(first: Ints64, row: Ints64, racks: tuple[int, ...]) -> Ints64:
    return np.concatenate([row[:0], *(row[int(first[rack]) : int(first[rack + 1])] for rack in racks)])


def make_wiring_sheet(pack: TechnicianPack, rows: Ints64, name: str) -> WorkSheet:
    """Rows of cables.csv with its column names, and the redline columns."""
    rows = np.sort(rows)
    planned = tuple(
        SheetColumn(
            column,
            WIDTHS[column.removeprefix("a_").removeprefix("b_")],
            NUMBER if column in NUMBERS else SMALL,
            list(cells.take(rows)),
        )
        for column, cells in pack.wiring.items()
    )
    labels = zip(*(pack.wiring[f"label_{end}"].take(rows) for end in "ab"), strict=True)
    # of the longer of both labels, as cells wrap them
    lines = [max(2, -(-max(len(str(a)), len(str(b))) // LABEL_LINE)) for a, b in labels]
    return WorkSheet(
        name, "Wiring list", len(rows), (*planned, *_list_redline_columns(pack, rows)), paper=A3, lines=lines
    )


def list_pull_sheets(pack: TechnicianPack, rows: Ints64) -> Iterator[tuple[str, Ints64, str]]:
    """(wanted sheet name, rows, title) of each sheet of a shift's work; `rows` are in pulling order.

    A sheet has whole bundles of one step. Its title says the step, which of its sheets this is, and how much it lays.
    """
    pull = pack.records.pull
    shift_of_bundle = _divide_into_shifts(pack, rows)
    shifts, shift = np.unique(shift_of_bundle[pull.bundle[rows]], return_inverse=True)
    # work for more sheets than there may be: as much on each, in order
    sheet = shift if len(shifts) <= MOST_SHEETS else shift * MOST_SHEETS // len(shifts)
    sheet_rows = [rows[sheet == number] for number in range(int(sheet.max(initial=-1)) + 1)]
    step_lists = [np.unique(pull.step[pull.bundle[part]]).tolist() for part in sheet_rows]
    sheets_of_step, seen = Counter(steps[0] for steps in step_lists), Counter[int]()
    for number, (part, steps) in enumerate(zip(sheet_rows, step_lists, strict=True), start=1):
        first = steps[0]
        seen[first] += 1
        several = f", {seen[first]} of {sheets_of_step[first]}" if sheets_of_step[first] > 1 else ""
        more = f" and {len(steps) - 1} more" if len(steps) > 1 else ""
        yield (
            f"pull {number:02d}",
            part,
            f"Pull {number}: {pull.steps[first]}{more}{several}: {_count_work(pack, part)}",
        )


def _divide_into_shifts(pack: TechnicianPack, rows: Ints64) -> Ints64:
    """The shift in which each bundle is laid, ascending, -1 where none of `rows` is in it; int64.

    The bundles of a step are shared by as many shifts as it has work for, about the same for each.
    """
    pull = pack.records.pull
    jumpers = np.bincount(pull.bundle[rows], pack.pieces_laid[rows], len(pull.names))
    bundles = np.unique(pull.bundle[rows])
    step = pull.step[bundles]
    work = np.bincount(step, jumpers[bundles])
    # the middle of each bundle in the work of its step, in shares of that
    before = np.cumsum(jumpers[bundles]) - jumpers[bundles] / 2 - (np.cumsum(work) - work)[step]
    shifts = np.where(work > MOST_OF_SHIFT, np.ceil(work / SHIFT), 1)
    share = np.minimum(before * shifts[step] // np.maximum(work, 1)[step], shifts[step] - 1)
    shift_of_bundle = np.full(len(pull.names), -1)
    shift_of_bundle[bundles] = (np.cumsum(shifts) - shifts)[step] + share
    return shift_of_bundle


def _count_work(pack: TechnicianPack, rows: Ints64) -> str:
    """How much is laid with some rows: `4 bundles, 48 cables, 96 jumpers`."""
    bundles, jumpers = len(np.unique(pack.records.pull.bundle[rows])), int(pack.pieces_laid[rows].sum())
    counts = (*zip(pack.count_pulls(rows), ("cable", "fibre apart", "tail apart"), strict=True), (jumpers, "jumper"))
    words = ((bundles, "bundle"), *counts)
    return ", ".join(f"{n} {_pluralize(word, n)}" for n, word in words if n)


def _pluralize(word: str, count: int) -> str:
    """`fibres apart` of `fibre apart` for several."""
    first, *rest = word.split(" ")
    return " ".join([first if count == 1 else f"{first}s", *rest])


def make_pull_sheet(pack: TechnicianPack, rows: Ints64, name: str, title: str) -> WorkSheet:
    """The cables of a step, bundle by bundle."""
    records, wiring = pack.records, pack.wiring
    bundle = records.pull.bundle[rows]
    a_end, b_end = pack.list_locations(rows)
    # panel ports take a little of the page
    end_width = 32 if pack.panel_ports is None else 31
    columns = (
        SheetColumn("order", 7, NUMBER, records.pull.order[rows].tolist()),
        SheetColumn("bundle", 18, SMALL, records.pull.names[bundle].tolist()),
        SheetColumn("tag", 7, MARK, [tag.text for tag in pack.tags(rows)]),
        SheetColumn("a_end", end_width, PLACE, a_end.tolist()),
        SheetColumn("b_end", end_width, PLACE, b_end.tolist()),
        SheetColumn("part", 18, SMALL, pack.name_pieces(rows, pack.pieces_laid[rows])),
        SheetColumn("length_m", 8, NUMBER, list(wiring["length_m"].take(rows))),
        SheetColumn("labels", 9, SMALL, pack.label_numbers[rows].tolist()),
        *_make_via_columns(pack, rows),
        *_list_redline_columns(pack, rows),
        *_make_key_columns(pack, rows, ("cable", "a_device", "a_cage", "b_device", "b_cage")),
    )
    return WorkSheet(name, title, len(rows), columns, pack.tags(rows), _shade_groups(bundle))


def make_rack_sheet(pack: TechnicianPack, rack: int, name: str) -> WorkSheet:
    """All cable ends in a rack, from the top down, along the ports of each device."""
    first, row, b = pack.ends_by_rack
    rack_rows = slice(int(first[rack]), int(first[rack + 1]))
    row, b = row[rack_rows], b[rack_rows]
    records, wiring = pack.records, pack.wiring
    device = np.where(b, records.device[1][row], records.device[0][row])
    a_end, b_end = pack.list_locations(row)
    columns = (
        SheetColumn("u", 5, NUMBER, records.cluster.plan.devices.u[device].tolist()),
        SheetColumn("device", 16, NAME, _select_side(wiring, "device", row, b).tolist()),
        SheetColumn("port", 14, PLACE, np.where(b, records.socket[1][row], records.socket[0][row]).tolist()),
        SheetColumn("tag", 7, MARK, [tag.text for tag in pack.tags(row)]),
        SheetColumn("far_end", 32, PLACE, np.where(b, a_end, b_end).tolist()),
        SheetColumn("far_device", 16, NAME, _select_side(wiring, "device", row, ~b).tolist()),
        SheetColumn("transceiver", 13, SMALL, _select_side(wiring, "transceiver", row, b).tolist()),
        SheetColumn("part", 16, SMALL, pack.name_pieces(row, pack.pieces_laid[row])),
        SheetColumn("length_m", 8, NUMBER, list(wiring["length_m"].take(row))),
        *_make_via_columns(pack, row, b),
        *_list_redline_columns(pack, row, (np.flatnonzero(b).tolist(), np.flatnonzero(~b).tolist())),
        SheetColumn("end", 4, TEXT, np.where(b, "b", "a").tolist(), hidden=True),
        *_make_key_columns(pack, row, ("cable", "a_device", "a_cage", "b_device", "b_cage")),
    )
    title = (
        f"Rack {records.cluster.plan.racks.names[rack]} at {pack.rack_places[rack]}: {pack.plugs_per_rack[rack]} plugs"
    )
    return WorkSheet(name, title, len(row), columns, pack.tags(row), _shade_groups(device))


def list_wired_racks(pack: TechnicianPack, racks: tuple[int, ...]) -> list[tuple[int, int]]:
    """(rack, number of cable ends in it) of those racks in which any cable ends."""
    count = pack.ends_per_rack
    return [(rack, int(count[rack])) for rack in racks if count[rack]]


def make_bundle_sheet(pack: TechnicianPack, rows: Ints64, name: str) -> WorkSheet:
    """The cable bundles of a workbook in pulling order, to tick off as they are laid."""
    pull, records = pack.records.pull, pack.records
    bundle, first = np.unique(pull.bundle[rows], return_index=True)
    start, end = pull.home[rows[first]], pull.away[rows[first]]
    first_rows = _find_first_rows(pack, rows)
    cables, fibres, tails = (
        np.bincount(pull.bundle[first_rows], pack.pulled_kinds[first_rows] == pulled_kind, len(pull.names))
        .astype(np.int64)[bundle]
        .tolist()
        for pulled_kind in (CABLE, FIBRE, TAIL)
    )
    jumpers = np.bincount(pull.bundle[rows], pack.pieces_laid[rows], len(pull.names)).astype(np.int64)[bundle]
    lengths = np.zeros(len(pull.names))
    np.maximum.at(lengths, pull.bundle[rows], pack.cluster.plan.cables.length_m[records.cable[rows]])
    tags = [records.bundle_tags[i] for i in records.tag[rows[first]].tolist()]
    steps = pull.step[bundle]
    columns = (
        SheetColumn("step", 28, SMALL, [pull.steps[i] for i in steps.tolist()]),
        SheetColumn("bundle", 36, SMALL, pull.names[bundle].tolist()),
        SheetColumn("tag", 7, MARK, [tag.text for tag in tags]),
        SheetColumn("colour", 9, TEXT, [tag.word for tag in tags]),
        SheetColumn("kind", 12, TEXT, [KIND_WORDS[i] for i in pull.kind[bundle].tolist()]),
        SheetColumn("from_rack", 22, NAME, [pack.cluster.plan.racks.names[i] for i in start.tolist()]),
        SheetColumn("to_rack", 22, NAME, [pack.cluster.plan.racks.names[i] for i in end.tolist()]),
        SheetColumn("cables", 8, NUMBER, cables),
        *(
            SheetColumn(f"{APART[pulled_kind]}s", 7, NUMBER, piece_counts)
            for pulled_kind, piece_counts in ((FIBRE, fibres), (TAIL, tails))
            if any(piece_counts)
        ),
        SheetColumn("jumpers", 8, NUMBER, jumpers.tolist()),
        SheetColumn("longest_m", 10, NUMBER, lengths[bundle].tolist()),
        make_redline_columns()[0],
        make_redline_columns()[-1],
    )
    return WorkSheet(name, "Bundles in the order of pulling", len(bundle), columns, tags, _shade_groups(steps))


def _find_first_rows(pack: TechnicianPack, rows: Ints64) -> Ints64:
    """The first row of each thing that is pulled at once, in pulling order."""
    first: Ints64 = np.unique(pack.records.pull.order[rows], return_index=True)[1]
    return rows[first]


def _make_via_columns(pack: TechnicianPack, rows: Ints64, b: Flags | None = None) -> tuple[SheetColumn, ...]:
    """A column with the panel ports that patched cables go through, where there are any: from the a end to the b end,
    or with `b` that of the jumper at this end.
    """
    if pack.panel_ports is None:
        return ()
    near, far = (ports[rows] for ports in pack.panel_ports)
    if b is not None:
        return (SheetColumn("via", VIA_WIDTH, SMALL, np.where(b, far, near).tolist()),)
    ways = [a if a in ("", THROUGH) else f"{a} > {b}" for a, b in zip(near.tolist(), far.tolist(), strict=True)]
    return (SheetColumn("via", VIA_WIDTH, SMALL, ways),)


def _list_redline_columns(
    pack: TechnicianPack, rows: Ints64, closed: tuple[Sequence[int], Sequence[int]] = ((), ())
) -> tuple[SheetColumn, ...]:
    """The columns to fill in by hand of some rows; `as-built` takes no length of a cable through panels (FG087)."""
    patching = pack.cluster.plan.patching
    patched = [] if patching is None else np.flatnonzero(patching.policy[pack.records.cable[rows]] >= 0).tolist()
    return make_redline_columns(closed, patched)


def _select_side(wiring: dict[str, SelectableColumn], name: str, row: Ints64, b: Flags) -> Strings:
    side: Strings = np.where(b, wiring[f"b_{name}"].take(row).texts(), wiring[f"a_{name}"].take(row).texts())
    return side


def _make_key_columns(pack: TechnicianPack, rows: Ints64, names: tuple[str, ...]) -> tuple[SheetColumn, ...]:
    """Hidden columns from which `as-built` knows which cable a row is."""
    return tuple(SheetColumn(name, 12, TEXT, list(pack.wiring[name].take(rows)), hidden=True) for name in names)


def _shade_groups(group: Ints | Ints64) -> list[bool]:
    """Whether each row is shaded: every other group of consecutive rows."""
    change = np.r_[False, group[1:] != group[:-1]][: len(group)]
    shaded: list[bool] = (np.cumsum(change) % 2 == 1).tolist()
    return shaded


def make_pull_table(pack: TechnicianPack) -> Table:
    """pull.csv: what is pulled, in order: each cable, and `apart` from it its fibres or tails in another bundle."""
    records, pull = pack.records, pack.records.pull
    rows = _find_first_rows(pack, np.arange(len(records.cable)))
    steps = pull.step[pull.bundle[rows]]
    a_end, b_end = pack.list_locations(rows)
    laid = np.bincount(pull.order, pack.pieces_laid).astype(np.int64)[pull.order[rows]]
    columns: dict[str, Sequence[Cell]] = {
        "order": pull.order[rows].tolist(),
        "step": (steps + 1).tolist(),
        "step_name": [pull.steps[i] for i in steps.tolist()],
        "bundle": EncodedColumn(pull.names, pull.bundle[rows]),
        "cable": pack.wiring["cable"].take(rows),
        "part": pack.name_pieces(rows, laid),
        "length_m": pack.wiring["length_m"].take(rows),
        "a_end": a_end.tolist(),
        "b_end": b_end.tolist(),
        "far_ends": np.bincount(pull.order)[pull.order[rows]].tolist(),
        "tag": [tag.text for tag in pack.tags(rows)],
        "colour": [tag.fill for tag in pack.tags(rows)],
        "jumpers": laid.tolist(),
        "apart": [APART[pulled_kind] for pulled_kind in pack.pulled_kinds[rows].tolist()],
    }
    return Table("pull", columns)

"""Labels for both ends of every cable: near end on the first line, far end below (ANSI/TIA-606-B, also in C and D)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from fabricgen.bom.cables import CableParts
from fabricgen.bom.sets import split_set
from fabricgen.bom.trunks import PatchParts
from fabricgen.cluster import Cluster
from fabricgen.export.files import trunks
from fabricgen.export.locations import locate_racks
from fabricgen.export.plugs import append_port, list_cable_end_ports
from fabricgen.export.table import pick_names
from fabricgen.export.technician.pulled_rows import JumperTable, find_jumpers, locate_panels, name_parts
from fabricgen.export.technician.records import Records
from fabricgen.kernel.units import format_number
from fabricgen.numbering.lazy_columns import Strings
from fabricgen.reports.table import Cell, Table
from fabricgen.wiring.arrays import Flags, Ints, Ints64, rank_within, unique_combinations
from fabricgen.wiring.patching.tables import Patching


def make_label_table(records_of_ends: Records) -> Table:
    """Return labels.csv: one row for each label, both ends of a cable together, cables in pulling order.

    Each jumper has labels of its own, with the connector of each of its plugs. The common end of a splitter has one
    label, with the first far end and the number of others; its tails are told apart. Patched cables have labels on each
    jumper instead, in the order of the jumpers, and trunks have their own. `code` is unique: the text for a bar code or
    QR code.
    """
    direct, patching = _make_direct_labels(records_of_ends), records_of_ends.cluster.plan.patching
    if patching is None:
        return _number_rows(direct)
    patched = make_patch_labels(records_of_ends, patching)
    columns = {name: [*cells, *(label[name] for label in patched)] for name, cells in direct.columns.items()}
    first_turn: dict[Cell, int] = {}
    for cable, turn in zip(direct.columns["cable"], direct.columns["order"], strict=True):
        first_turn[cable] = min(int(turn), first_turn.get(cable, int(turn)))
    # the labels of a direct cable stay together; those of a cable through panels are in the order of its jumpers
    turns = [first_turn.get(cable, turn) for cable, turn in zip(columns["cable"], columns["order"], strict=True)]
    order = sorted(range(len(turns)), key=turns.__getitem__)
    return _number_rows(Table("labels", {name: [cells[i] for i in order] for name, cells in columns.items()}))


def _number_rows(labels: Table) -> Table:
    """Return labels with their running number as the last column; each plug has a number."""
    return Table(labels.name, {**labels.columns, "number": range(1, len(labels) + 1)})


def number_labels(records: Records) -> tuple[Ints64, dict[int, list[int]]]:
    """Return the running numbers of labels in labels.csv.

    First those of the labels of `list_label_ends`, 0 for cables through panels; then those of jumpers and trunks, by
    turn in the pulling order.
    """
    leg, end = list_label_ends(records)
    if records.cluster.plan.patching is None:
        return np.arange(1, len(leg) + 1), {}
    columns = make_label_table(records).columns
    numbers_by_turn: dict[int, list[int]] = {}
    for turn, number in zip(columns["order"], columns["number"], strict=True):
        numbers_by_turn.setdefault(int(turn), []).append(int(number))
    number_by_code = dict(zip(columns["code"], columns["number"], strict=True))
    cable = records.cable[records.plugs.row[leg]]
    is_direct = records.cluster.plan.patching.policy[cable] < 0
    codes = np.array(records.cluster.cable_ids, dtype=object)[cable] + "|" + _name_ends(cable, end)
    numbers = np.zeros(len(leg), dtype=np.int64)
    numbers[is_direct] = [number_by_code[code] for code in codes[is_direct].tolist()]
    return numbers, numbers_by_turn


def _make_direct_labels(records: Records) -> Table:
    """Return the labels of cables that are not patched."""
    leg, end = list_label_ends(records)
    if records.cluster.plan.patching:
        direct = records.cluster.plan.patching.policy[records.cable[records.plugs.row[leg]]] < 0
        leg, end = leg[direct], end[direct]
    plugs, cluster = records.plugs, records.cluster
    row = plugs.row[leg]
    cable, pulled = records.cable[row], records.pull.rows.find_rows(len(records.cable))[0][row]
    near, far = _describe_ends(records, leg, end, tails=False), _describe_ends(records, leg, ~end, tails=True)
    further_ends = np.where(_is_common(records, leg, end), _count_tails(records)[leg] - 1, 0)
    cables = cluster.plan.cables
    tag = np.array([t.text for t in records.tags], dtype=object)[records.tag[row]]
    media = np.array([m.medium for m in cables.media], dtype=object)[cables.medium[cable]]
    lengths = cables.length_m[cable].tolist()
    ids = np.array(cluster.cable_ids, dtype=object)[cable]
    ends = _name_ends(cable, end)
    return Table(
        "labels",
        {
            "cable": ids.tolist(),
            "end": ends.tolist(),
            "line1": near["location"].tolist(),
            "line2": [
                f"{location} +{n}" if n else location
                for location, n in zip(far["location"], further_ends.tolist(), strict=True)
            ],
            "line3": [
                f"{tag} {medium} {format_number(length)} m"
                for tag, medium, length in zip(tag.tolist(), media.tolist(), lengths, strict=True)
            ],
            **{f"near_{name}": column.tolist() for name, column in near.items()},
            **{f"far_{name}": column.tolist() for name, column in far.items()},
            "far_ends": (further_ends + 1).tolist(),
            "part": [split_set(str(part))[1] for part in CableParts(cluster).parts[0].take(cable)],
            "medium": media.tolist(),
            "length_m": list(lengths),
            "tag": tag.tolist(),
            "colour": [records.tags[i].fill for i in records.tag[row].tolist()],
            "colour_name": [records.tags[i].word for i in records.tag[row].tolist()],
            "bundle": pick_names(records.pull.names, records.pull.bundle[pulled]),
            "order": records.pull.order[pulled].tolist(),
            "code": (ids + "|" + ends).tolist(),
        },
    )


def list_label_ends(records: Records) -> tuple[Ints64, Flags]:
    """Return the row in `plugs`, and whether it is the b end, of every plug at a device; each such plug has a label.

    These are both ends of each jumper, and a splitter's common end once; patched cables count as if they were direct.
    They are in pulling order, all plugs of a cable together and its common ends first.
    """
    plugs = records.plugs
    # the labels of a cable stay together at its first turn
    pulled = np.flatnonzero(records.pull.rows.row >= 0)
    first_turn = np.full(len(records.cluster.plan.cables), len(records.pull.rows))
    np.minimum.at(first_turn, records.cable[records.pull.rows.row[pulled]], records.pull.order[pulled])
    cable = records.cable[plugs.row]
    is_first = np.zeros(len(cable), dtype=bool)
    # the first row of each piece stands for its common end, which the rows of all its tails name
    is_first[unique_combinations(cable, plugs.piece)[0]] = True
    leg, end = np.tile(np.arange(len(cable)), 2), np.repeat([False, True], len(cable))
    has_label = is_first[leg] | ~_is_common(records, leg, end)
    leg, end = leg[has_label], end[has_label]
    # `end` is False for a, `common_a` True where the common end is at a: unequal at common ends, and False sorts first
    walk = np.lexsort((leg, end == records.common_a[cable[leg]], first_turn[cable[leg]]))
    return leg[walk], end[walk]


def _is_common(records: Records, leg: Ints64, end: Flags) -> Flags:
    """Whether an end of a plug row is the one plug of a splitter; `end` is True for the b end."""
    plugs = records.plugs
    common: Flags = (records.common_a[records.cable[plugs.row[leg]]] != end) & (plugs.tails[leg] > 1)
    return common


def _count_tails(records: Records) -> Ints64:
    """Return how many tails of the same jumper or splitter are wired, by row of `plugs`; int64."""
    _, code = unique_combinations(records.cable[records.plugs.row], records.plugs.piece)
    return np.bincount(code)[code]


def _describe_ends(records: Records, leg: Ints64, end: Flags, *, tails: bool) -> dict[str, Strings]:
    """Return device, port and location of one end of each label, as columns.

    `leg` are rows of the plugs, `end` is True for the b end, and `tails` adds the number of a splitter's tail.
    """
    row, cables = records.plugs.row[leg], records.cluster.plan.cables
    device = np.where(end, records.device[1][row], records.device[0][row])
    location = np.where(end, records.place[1][row], records.place[0][row])
    several = cables.end_links[row] > 1
    sockets, ports = [], []
    for plug, cages, names in zip(records.plugs.ends, *list_cable_end_ports(records.cluster), strict=True):
        leg_plug, cage = plug.select_rows(leg), cages.take(row)
        sockets.append(leg_plug.format_texts(cage, tails=tails).texts())
        ports.append(leg_plug.format_texts(cage, tails=tails, ports=(names.take(row), several)).texts())
    return {
        "device": records.cluster.name_column[device],
        "port": np.where(end, ports[1], ports[0]),
        "location": location + ":" + np.where(end, sockets[1], sockets[0]),
    }


def _name_ends(cable: Ints, end: Flags) -> Strings:
    """Return `a` or `b` for each label, numbered if a cable has several plugs at that end: b1, b2."""
    # one number for each cable and end
    key = cable.astype(np.int64) * 2 + end
    _, code, count = np.unique(key, return_inverse=True, return_counts=True)
    counted = np.where(count[code] > 1, rank_within(key) + 1, 0)
    numbers = np.array(["", *(str(n) for n in range(1, int(counted.max(initial=0)) + 1))], dtype=object)
    names: Strings = np.array(["a", "b"], dtype=object)[end.astype(np.int32)] + numbers[counted]
    return names


# Labels of structured cabling: for both ends of each jumper, at cage and panel, and for both ends of each trunk.
# A panel port reads like any other end: `h1.R01.P01-U48:12`; a trunk end reads as the range of ports in front of it:
# `:1-18`.

Label = dict[str, Cell]
"""A row of labels.csv."""


@dataclass(frozen=True, slots=True)
class _LabelEnd:
    """An end of a jumper or trunk: device or panel, port, and location."""

    device: str
    port: str
    location: str


def make_patch_labels(records: Records, patching: Patching) -> list[Label]:
    """Return the labels of trunks, which are laid first, then of jumpers, each in the order in which they are
    pulled.
    """
    return [*_make_trunk_labels(records, patching), *_make_jumper_labels(records, patching)]


def _make_trunk_labels(records: Records, patching: Patching) -> list[Label]:
    """Return the labels of both ends of each trunk; a trunk is no cable of the plan and has no tag."""
    cluster, pull = records.cluster, records.pull
    rows = np.flatnonzero(pull.rows.trunk >= 0)
    turns = zip(pull.names[pull.bundle[rows]].tolist(), pull.order[rows].tolist(), strict=True)
    places = dict(zip(cluster.plan.racks.names, locate_racks(cluster).tolist(), strict=True))
    labels = []
    columns = trunks.make_table(cluster, patching).columns
    table_rows = [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]
    for row, (bundle, order) in zip(table_rows, turns, strict=True):
        a, b = (
            _LabelEnd(
                row[f"{side}_panel"],
                row[f"{side}_ports"],
                f"{places[row[f'{side}_rack']]}-U{row[f'{side}_u']:02d}:{row[f'{side}_ports']}",
            )
            for side in "ab"
        )
        trunk_fields = {"cable": row["trunk"], "part": row["part"], "medium": "trunk", "length_m": row["length_m"]}
        third_line = f"{row['fibres']} fibres {format_number(row['length_m'])} m"
        empty_fields = {"tag": "", "colour": "", "colour_name": "", "bundle": bundle, "order": order}
        labels += [
            _make_label(trunk_fields | empty_fields, "a", a, b, third_line),
            _make_label(trunk_fields | empty_fields, "b", b, a, third_line),
        ]
    return labels


def _make_jumper_labels(records: Records, patching: Patching) -> Iterator[Label]:
    """Yield the labels of both ends of each jumper, one for each plug.

    The label of a splitter's common end has the number of its other ends, and the label at a tail the number of the
    tail.
    """
    parts, rows = name_parts(records.cluster, records.pull.rows), records.pull.rows
    keys = zip(*(column.tolist() for column in (rows.end, rows.row, rows.panel)), strict=True)
    row_of = {key: row for row, key in enumerate(keys)}
    for end in (0, 1):
        jumpers = find_jumpers(records.cluster, patching, records.plugs, end)
        cages, tails = (_list_cage_ends(records, end, jumpers.row, names) for names in (jumpers.plugs, jumpers.sockets))
        ports, port_tails = _list_panel_ends(records.cluster, patching, jumpers)
        cables = [records.cluster.cable_ids[cable] for cable in records.cable[jumpers.row].tolist()]
        keys_at_port = list(zip(cables, ports, strict=True))
        jumpers_at_cage, jumpers_at_port = Counter(cages), Counter(keys_at_port)
        label_counts, numbers = Counter(cables), Counter[str]()
        labelled_ends: set[object] = set()
        for i, (cable, cage, port) in enumerate(zip(cables, cages, keys_at_port, strict=True)):
            numbers[cable] += 1
            count = str(numbers[cable]) if label_counts[cable] > 1 else ""
            row = row_of[end, int(jumpers.row[i]), int(jumpers.panel[i])]
            fields, text = _describe_jumper(records, cable, row, str(parts[row]))
            # the plug at a cage, or at a panel, may be that of several rows: the first one gets its label
            if cage not in labelled_ends:
                name = "ab"[end] + count
                yield _make_label(fields, name, cage, port_tails[i], text, jumpers_at_cage[cage])
            if port not in labelled_ends:
                name = f"{'ab'[end]}p{count}"
                yield _make_label(fields, name, ports[i], tails[i], text, jumpers_at_port[port])
            labelled_ends |= {cage, port}


def _list_cage_ends(records: Records, end: int, rows: Ints, sockets: Sequence[str]) -> list[_LabelEnd]:
    """Return the cage end of each jumper at the a end (0) or b end (1) of some cable end rows; `sockets` are their
    sockets.
    """
    several = records.cluster.plan.cables.end_links[rows] > 1
    cages, ports = (columns[end].take(rows) for columns in list_cable_end_ports(records.cluster))
    devices = records.cluster.name_column[records.device[end][rows]].tolist()
    columns = devices, cages, ports, several.tolist(), records.place[end][rows].tolist(), sockets
    return [
        _LabelEnd(name, append_port(socket, cage, port, several=is_shared), f"{location}:{socket}")
        for name, cage, port, is_shared, location, socket in zip(*columns, strict=True)
    ]


def _list_panel_ends(
    cluster: Cluster, patching: Patching, jumpers: JumperTable
) -> tuple[list[_LabelEnd], list[_LabelEnd]]:
    """Return the panel port of each jumper, and the same with the number of the splitter's tail in it."""
    names, places = PatchParts(cluster, patching).panels, locate_panels(cluster, patching)
    columns = zip(*(column.tolist() for column in (jumpers.panel, jumpers.port, jumpers.tail)), strict=True)
    ends = [
        [_LabelEnd(names[panel], str(port), f"{places[panel]}:{port}{f'/{n}' if n else ''}") for n in (0, tail)]
        for panel, port, tail in columns
    ]
    return [end[0] for end in ends], [end[1] for end in ends]


def _describe_jumper(records: Records, cable: str, row: int, part: str) -> tuple[Label, str]:
    """(fields that both labels of a jumper share, their third line), of its pulled row."""
    pull, cables = records.pull, records.cluster.plan.cables
    end_row, length = int(pull.rows.row[row]), float(pull.rows.length_m[row])
    tag = records.tags[int(records.tag[end_row])]
    medium = cables.media[int(cables.medium[records.cable[end_row]])].medium
    shared_fields: Label = {
        "cable": cable,
        "part": part,
        "length_m": length,
        "medium": medium,
        "tag": tag.text,
        "colour": tag.fill,
        "colour_name": tag.word,
        "bundle": pull.names[int(pull.bundle[row])],
        "order": int(pull.order[row]),
    }
    return shared_fields, f"{tag.text} {medium} {format_number(length)} m"


def _make_label(
    shared_fields: Label, end: str, near: _LabelEnd, far: _LabelEnd, third_line: str, far_ends: int = 1
) -> Label:
    # the label at the end `near`, with the columns of labels.csv; `far_ends` are how many ends it leads to
    further_ends = f" +{far_ends - 1}" if far_ends > 1 else ""
    return shared_fields | {
        "end": end,
        "line1": near.location,
        "line2": far.location + further_ends,
        "line3": third_line,
        **{f"near_{name}": getattr(near, name) for name in ("device", "port", "location")},
        **{f"far_{name}": getattr(far, name) for name in ("device", "port", "location")},
        "far_ends": far_ends,
        "code": f"{shared_fields['cable']}|{end}",
    }

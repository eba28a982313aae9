"""Labels for both ends of every cable: near end on the first line, far end below (ANSI/TIA-606-B, also in C and D)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fabricgen.bom.cables import CableParts
from fabricgen.cluster import Cluster
from fabricgen.export.files import patches, trunks
from fabricgen.export.locations import locate_racks
from fabricgen.export.plugs import append_port, list_cable_end_ports
from fabricgen.export.table import pick_names
from fabricgen.export.technician.records import Records
from fabricgen.kernel.units import format_number
from fabricgen.numbering.lazy_columns import Strings
from fabricgen.reports.table import Cell, Table
from fabricgen.wiring.arrays import Flags, Ints, Ints64, rank_within, unique_combinations
from fabricgen.wiring.patching.tables import Patching


def make_label_table(records_of_ends: Records) -> Table:
    """labels.csv: one row for each label, both ends of a cable together, cables in pulling order.

    Each jumper has its own, with the connector that each of its plugs is in. The common end of a splitter has one
    label, with the first far end and how many more there are; its tails are told apart. Patched cables have labels on
    each jumper instead; trunks have their own, which come first. `code` is unique: the text for a bar code or QR code.
    """
    direct, patching = _make_direct_labels(records_of_ends), records_of_ends.cluster.plan.patching
    if patching is None:
        return _number_rows(direct)
    patched = make_patch_labels(records_of_ends, patching)
    columns = {name: [*cells, *(label[name] for label in patched)] for name, cells in direct.columns.items()}
    lowest: dict[Cell, int] = {}
    for cable, number_ in zip(columns["cable"], columns["order"], strict=True):
        lowest[cable] = min(int(number_), lowest.get(cable, int(number_)))
    order = sorted(range(len(columns["cable"])), key=lambda i: lowest[columns["cable"][i]])
    return _number_rows(Table("labels", {name: [cells[i] for i in order] for name, cells in columns.items()}))


def _number_rows(labels: Table) -> Table:
    """Labels with their running number, one a plug, as the last column."""
    return Table(labels.name, {**labels.columns, "number": range(1, len(labels) + 1)})


def number_labels(records: Records) -> tuple[Ints64, dict[tuple[str, int], list[int]]]:
    """The running number in labels.csv of each label of `list_label_ends`, 0 for cables through panels; and those of
    their jumpers, by cable and its turn in the pulling order.
    """
    leg, end = list_label_ends(records)
    if records.cluster.plan.patching is None:
        return np.arange(1, len(leg) + 1), {}
    columns = make_label_table(records).columns
    numbers_by_turn: dict[tuple[str, int], list[int]] = {}
    for name, turn, number in zip(*(columns[name] for name in ("cable", "order", "number")), strict=True):
        numbers_by_turn.setdefault((str(name), int(turn)), []).append(int(number))
    number_by_code = dict(zip(columns["code"], columns["number"], strict=True))
    cable = records.cable[records.plugs.row[leg]]
    is_direct = records.cluster.plan.patching.policy[cable] < 0
    codes = np.array(records.cluster.cable_ids, dtype=object)[cable] + "|" + _name_ends(cable, end)
    numbers = np.zeros(len(leg), dtype=np.int64)
    numbers[is_direct] = [number_by_code[code] for code in codes[is_direct].tolist()]
    return numbers, numbers_by_turn


def _make_direct_labels(records: Records) -> Table:
    """The labels of cables that are not patched."""
    leg, end = list_label_ends(records)
    if records.cluster.plan.patching:
        direct = records.cluster.plan.patching.policy[records.cable[records.plugs.row[leg]]] < 0
        leg, end = leg[direct], end[direct]
    plugs, cluster = records.plugs, records.cluster
    row = plugs.row[leg]
    cable = records.cable[row]
    near, far = _describe_ends(records, leg, end, tails=False), _describe_ends(records, leg, ~end, tails=True)
    further_ends = np.where(_is_common(records, leg, end), _count_tails(records)[leg] - 1, 0)
    cables = cluster.plan.cables
    tag = np.array([t.text for t in records.tags], dtype=object)[records.tag[row]]
    media = np.array([m.medium for m in cables.media], dtype=object)[cables.medium[cable]]
    lengths = cables.length_m[cable].tolist()
    texts = zip(tag.tolist(), media.tolist(), lengths, strict=True)
    ids = np.array(cluster.cable_ids, dtype=object)[cable]
    ends = _name_ends(cable, end)
    columns: dict[str, Sequence[Cell]] = {
        "cable": ids.tolist(),
        "end": ends.tolist(),
        "line1": near["location"].tolist(),
        "line2": [
            f"{location} +{n}" if n else location
            for location, n in zip(far["location"], further_ends.tolist(), strict=True)
        ],
        "line3": [f"{tag} {medium} {format_number(length)} m" for tag, medium, length in texts],
        **{f"near_{name}": column.tolist() for name, column in near.items()},
        **{f"far_{name}": column.tolist() for name, column in far.items()},
        "far_ends": (further_ends + 1).tolist(),
        "part": CableParts(cluster).parts[0].take(cable),
        "medium": media.tolist(),
        "length_m": list(lengths),
        "tag": tag.tolist(),
        "colour": [records.tags[i].fill for i in records.tag[row].tolist()],
        "colour_name": [records.tags[i].word for i in records.tag[row].tolist()],
        "bundle": pick_names(records.pull.names, records.pull.bundle[row]),
        "order": records.pull.order[row].tolist(),
        "code": (ids + "|" + ends).tolist(),
    }
    return Table("labels", columns)


def list_label_ends(records: Records) -> tuple[Ints64, Flags]:
    """(row of `plugs`, whether it is the b end) of every plug at a device, each of which has a label: both ends of each
    jumper, a splitter's common end once; patched cables as if they were direct.

    In pulling order, all of a cable together and its common ends first.
    """
    plugs = records.plugs
    # the earliest turn of each cable, by which its labels stay together
    lowest = np.full(len(records.rows_of_cable), len(records.cable))
    np.minimum.at(lowest, records.cable, records.pull.order)
    cable = records.cable[plugs.row]
    first = np.zeros(len(cable), dtype=bool)
    # the first row of each piece stands for the common end, of which all of its tails tell
    first[unique_combinations(cable, plugs.piece)[0]] = True
    leg, end = np.tile(np.arange(len(cable)), 2), np.repeat([False, True], len(cable))
    has_label = first[leg] | ~_is_common(records, leg, end)
    leg, end = leg[has_label], end[has_label]
    # `end` is False for a, `common_a` True where the common end is at a: unequal at common ends, and False sorts first
    walk = np.lexsort((leg, end == records.common_a[cable[leg]], lowest[cable[leg]]))
    return leg[walk], end[walk]


def _is_common(records: Records, leg: Ints64, end: Flags) -> Flags:
    """Whether an end is the one plug of a splitter."""
    plugs = records.plugs
    common: Flags = (records.common_a[records.cable[plugs.row[leg]]] != end) & (plugs.tails[leg] > 1)
    return common


def _count_tails(records: Records) -> Ints64:
    """How many tails of the same jumper or splitter are wired, by row of `plugs`; int64."""
    _, code = unique_combinations(records.cable[records.plugs.row], records.plugs.piece)
    tails: Ints64 = np.bincount(code)[code]
    return tails


def _describe_ends(records: Records, leg: Ints64, end: Flags, *, tails: bool) -> dict[str, Strings]:
    """Device, port and location of one end of each label, as columns; `tails`: with the tail of a splitter.

    `leg` are rows of the plugs, `end` says whether it is the b end.
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
    """`a` and `b`; numbered where a cable has several plugs at that end: b1, b2."""
    # cable and end as one number
    key = cable.astype(np.int64) * 2 + end
    _, code, count = np.unique(key, return_inverse=True, return_counts=True)
    counted = np.where(count[code] > 1, rank_within(key) + 1, 0)
    numbers = np.array(["", *(str(n) for n in range(1, int(counted.max(initial=0)) + 1))], dtype=object)
    names: Strings = np.array(["a", "b"], dtype=object)[end.astype(np.int32)] + numbers[counted]
    return names


# Labels of structured cabling: for both ends of each jumper, at cage and panel, and for both ends of each trunk.
# A panel port reads like any other end: `h1.R01.P01-U48:12`; a trunk reads as the range of ports it lies behind:
# `:1-18`.

Label = dict[str, Cell]
"""A row of labels.csv."""

Row = dict[str, Any]
"""A row of patches.csv or trunks.csv."""


@dataclass(frozen=True, slots=True)
class _LabelEnd:
    """An end of a jumper or trunk: device or panel, port, and location."""

    device: str
    port: str
    location: str


def make_patch_labels(records: Records, patching: Patching) -> list[Label]:
    """Labels of trunks, which are laid first, then of jumpers in the order in which their cables are pulled."""
    return [*_make_trunk_labels(records.cluster, patching), *_make_jumper_labels(records, patching)]


def _read_rows(columns: Any) -> list[Row]:
    """A table's columns as rows."""
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _make_trunk_labels(cluster: Cluster, patching: Patching) -> list[Label]:
    # labels of both ends of each trunk, which is no cable of the plan and has neither tag nor bundle
    places = dict(zip(cluster.plan.racks.names, locate_racks(cluster).tolist(), strict=True))
    labels = []
    for row in _read_rows(trunks.make_table(cluster, patching).columns):
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
        empty_fields = {"tag": "", "colour": "", "colour_name": "", "bundle": "", "order": 0}
        labels += [
            _make_label(trunk_fields | empty_fields, "a", a, b, third_line),
            _make_label(trunk_fields | empty_fields, "b", b, a, third_line),
        ]
    return labels


def _make_jumper_labels(records: Records, patching: Patching) -> list[Label]:
    """Labels of both ends of each jumper, one for each plug; that of a splitter's common end says how many other ends
    it has.
    """
    rows = _read_rows(patches.make_table(records.cluster, patching).columns)
    cages, ports = (
        list(_list_cage_ends(records, patching, [row["socket"] for row in rows])),
        list(_list_panel_ends(records.cluster, rows)),
    )
    texts = _list_jumper_texts(records, patching, rows)
    jumpers_at_cage = Counter(cages)
    jumpers_at_port = Counter((row["cable"], port) for row, port in zip(rows, ports, strict=True))
    label_counts, numbers = Counter((row["cable"], row["end"]) for row in rows), Counter[tuple[str, str]]()
    labelled_ends: set[object] = set()
    labels: list[Label] = []
    for row, cage, port, (shared_fields, text) in zip(rows, cages, ports, texts, strict=True):
        key = row["cable"], row["end"]
        numbers[key] += 1
        count = str(numbers[key]) if label_counts[key] > 1 else ""
        # the plug at a cage, or at a panel, may be that of several rows: the first one gets its label
        if cage not in labelled_ends:
            labels.append(_make_label(shared_fields, row["end"] + count, cage, port, text, jumpers_at_cage[cage]))
        if (row["cable"], port) not in labelled_ends:
            labels.append(
                _make_label(
                    shared_fields, f"{row['end']}p{count}", port, cage, text, jumpers_at_port[row["cable"], port]
                )
            )
        labelled_ends |= {cage, (row["cable"], port)}
    return sorted(labels, key=lambda label: int(label["order"]))


def _list_cage_ends(records: Records, patching: Patching, sockets: Sequence[str]) -> Iterator[_LabelEnd]:
    """The cage end of each row of patches.csv, whose `sockets` are given."""
    a, b = patches.find_end_rows(records.cluster, patching)
    several = records.cluster.plan.cables.end_links > 1
    socket_texts = iter(sockets)
    for end, (rows, cages, ports) in enumerate(zip((a, b), *list_cable_end_ports(records.cluster), strict=True)):
        device = records.cluster.name_column[records.device[end][rows]].tolist()
        columns = cages.take(rows), ports.take(rows), several[rows].tolist(), records.place[end][rows].tolist()
        for name, cage, port, is_shared, location in zip(device, *columns, strict=True):
            socket = next(socket_texts)
            yield _LabelEnd(name, append_port(socket, cage, port, several=is_shared), f"{location}:{socket}")


def _list_panel_ends(cluster: Cluster, rows: Sequence[Row]) -> Iterator[_LabelEnd]:
    """The panel port of each row of patches.csv."""
    places = dict(zip(cluster.plan.racks.names, locate_racks(cluster).tolist(), strict=True))
    for row in rows:
        yield _LabelEnd(row["panel"], str(row["port"]), f"{places[row['rack']]}-U{row['u']:02d}:{row['port']}")


def _list_jumper_texts(records: Records, patching: Patching, rows: Sequence[Row]) -> Iterator[tuple[Label, str]]:
    """(fields that both labels of a jumper share, their third line) for each row of patches.csv."""
    end_row, cables = np.concatenate(patches.find_end_rows(records.cluster, patching)), records.cluster.plan.cables
    for row, row_number in zip(rows, end_row.tolist(), strict=True):
        cable, tag = int(records.cable[row_number]), records.tags[int(records.tag[row_number])]
        medium = cables.media[int(cables.medium[cable])].medium
        shared_fields: Label = {
            **{name: row[name] for name in ("cable", "part", "length_m")},
            "medium": medium,
            "tag": tag.text,
            "colour": tag.fill,
            "colour_name": tag.word,
            "bundle": records.pull.names[int(records.pull.bundle[row_number])],
            "order": int(records.pull.order[row_number]),
        }
        yield shared_fields, f"{tag.text} {medium} {format_number(row['length_m'])} m"


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

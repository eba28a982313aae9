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
    patch_labels = make_patch_labels(records_of_ends, patching)
    columns = {name: [*cells, *(label[name] for label in patch_labels)] for name, cells in direct.columns.items()}
    first_order: dict[Cell, int] = {}
    for cable, order in zip(direct.columns["cable"], direct.columns["order"], strict=True):
        first_order[cable] = min(int(order), first_order.get(cable, int(order)))
    # the labels of a direct cable stay together; those of a cable through panels are in the order of its jumpers
    sort_keys = [first_order.get(cable, order) for cable, order in zip(columns["cable"], columns["order"], strict=True)]
    rows = sorted(range(len(sort_keys)), key=sort_keys.__getitem__)
    return _number_rows(Table("labels", {name: [cells[row] for row in rows] for name, cells in columns.items()}))


def _number_rows(labels: Table) -> Table:
    """Return labels with their running number as the last column; each plug has a number."""
    return Table(labels.name, {**labels.columns, "number": range(1, len(labels) + 1)})


def number_labels(records: Records) -> tuple[Ints64, dict[int, list[int]]]:
    """Return (by plug, by order): the running numbers of labels in labels.csv, from 1, in two forms.

    The first has the number of each plug of `list_label_ends` (int64), 0 for plugs of cables through panels. The second
    has, by number in pulling order (column `order`), the numbers of all labels with it; {} if nothing is patched.
    """
    leg, is_b_end = list_label_ends(records)
    if records.cluster.plan.patching is None:
        return np.arange(1, len(leg) + 1), {}
    columns = make_label_table(records).columns
    numbers_by_order: dict[int, list[int]] = {}
    for order, number in zip(columns["order"], columns["number"], strict=True):
        numbers_by_order.setdefault(int(order), []).append(int(number))
    number_by_code = dict(zip(columns["code"], columns["number"], strict=True))
    cable = records.cable[records.plugs.row[leg]]
    is_direct = records.cluster.plan.patching.policy[cable] < 0
    codes = np.array(records.cluster.cable_ids, dtype=object)[cable] + "|" + _name_ends(cable, is_b_end)
    numbers = np.zeros(len(leg), dtype=np.int64)
    numbers[is_direct] = [number_by_code[code] for code in codes[is_direct].tolist()]
    return numbers, numbers_by_order


def _make_direct_labels(records: Records) -> Table:
    """Return the labels of cables that are not patched, in the order of `list_label_ends`, without running numbers."""
    leg, is_b_end = list_label_ends(records)
    if records.cluster.plan.patching:
        is_direct = records.cluster.plan.patching.policy[records.cable[records.plugs.row[leg]]] < 0
        leg, is_b_end = leg[is_direct], is_b_end[is_direct]
    plugs, cluster = records.plugs, records.cluster
    row = plugs.row[leg]
    cable, pulled_row = records.cable[row], records.pull.rows.find_rows(len(records.cable))[0][row]
    near_columns, far_columns = (
        _describe_ends(records, leg, is_b_end, tails=False),
        _describe_ends(records, leg, ~is_b_end, tails=True),
    )
    # far ends beside the one that the label of a splitter's common end names
    further_ends = np.where(_is_common(records, leg, is_b_end), _count_tails(records)[leg] - 1, 0)
    cables = cluster.plan.cables
    tag = np.array([t.text for t in records.tags], dtype=object)[records.tag[row]]
    media = np.array([m.medium for m in cables.media], dtype=object)[cables.medium[cable]]
    lengths = cables.length_m[cable].tolist()
    ids = np.array(cluster.cable_ids, dtype=object)[cable]
    end_names = _name_ends(cable, is_b_end)
    return Table(
        "labels",
        {
            "cable": ids.tolist(),
            "end": end_names.tolist(),
            "line1": near_columns["location"].tolist(),
            "line2": [
                f"{location} +{n}" if n else location
                for location, n in zip(far_columns["location"], further_ends.tolist(), strict=True)
            ],
            "line3": [
                f"{tag} {medium} {format_number(length)} m"
                for tag, medium, length in zip(tag.tolist(), media.tolist(), lengths, strict=True)
            ],
            **{f"near_{name}": column.tolist() for name, column in near_columns.items()},
            **{f"far_{name}": column.tolist() for name, column in far_columns.items()},
            "far_ends": (further_ends + 1).tolist(),
            "part": [split_set(str(part))[1] for part in CableParts(cluster).parts[0].take(cable)],
            "medium": media.tolist(),
            "length_m": list(lengths),
            "tag": tag.tolist(),
            "colour": [records.tags[i].fill for i in records.tag[row].tolist()],
            "colour_name": [records.tags[i].word for i in records.tag[row].tolist()],
            "bundle": pick_names(records.pull.names, records.pull.bundle[pulled_row]),
            "order": records.pull.order[pulled_row].tolist(),
            "code": (ids + "|" + end_names).tolist(),
        },
    )


def list_label_ends(records: Records) -> tuple[Ints64, Flags]:
    """Return every plug at a device, each of which has a label, as (row in `plugs`, int64; whether it is the b end).

    Both ends of each jumper are listed, and a splitter's common end once; patched cables count as if they were direct.
    Plugs are in pulling order, all plugs of a cable together and its common ends first.
    """
    plugs = records.plugs
    # the labels of a cable stay together at its first row in pulling order; trunks have no cable end row
    pulled_rows = np.flatnonzero(records.pull.rows.row >= 0)
    first_order_of_cable = np.full(len(records.cluster.plan.cables), len(records.pull.rows))
    np.minimum.at(
        first_order_of_cable, records.cable[records.pull.rows.row[pulled_rows]], records.pull.order[pulled_rows]
    )
    cable = records.cable[plugs.row]
    is_first_of_piece = np.zeros(len(cable), dtype=bool)
    # the first row of each piece stands for its common end, which the rows of all its tails name
    is_first_of_piece[unique_combinations(cable, plugs.piece)[0]] = True
    leg, is_b_end = np.tile(np.arange(len(cable)), 2), np.repeat([False, True], len(cable))
    has_label = is_first_of_piece[leg] | ~_is_common(records, leg, is_b_end)
    leg, is_b_end = leg[has_label], is_b_end[has_label]
    # common ends first: `is_b_end` and `common_a` differ there, and False sorts before True
    label_order = np.lexsort((leg, is_b_end == records.common_a[cable[leg]], first_order_of_cable[cable[leg]]))
    return leg[label_order], is_b_end[label_order]


def _is_common(records: Records, leg: Ints64, is_b_end: Flags) -> Flags:
    """Whether each of some plugs is the one at the common end of a splitter, which has several tails at its other end.

    `leg` are rows of `records.plugs`, and `is_b_end` says which of the two plugs of a row is meant.
    """
    plugs = records.plugs
    # a plug is at the common end if that is the a end and the plug is at a, or neither is
    common: Flags = (records.common_a[records.cable[plugs.row[leg]]] != is_b_end) & (plugs.tails[leg] > 1)
    return common


def _count_tails(records: Records) -> Ints64:
    """Return, for each row of `records.plugs`, how many rows its jumper or splitter has: one for each wired tail;
    int64.
    """
    _, code = unique_combinations(records.cable[records.plugs.row], records.plugs.piece)
    return np.bincount(code)[code]


def _describe_ends(records: Records, leg: Ints64, is_b_end: Flags, *, tails: bool) -> dict[str, Strings]:
    """Return the columns `device`, `port` and `location` of one end of each label.

    `leg` are rows of the plugs; `tails` adds the number of a splitter's tail to ports and locations.
    """
    row, cables = records.plugs.row[leg], records.cluster.plan.cables
    device = np.where(is_b_end, records.device[1][row], records.device[0][row])
    location = np.where(is_b_end, records.place[1][row], records.place[0][row])
    has_several_links = cables.end_links[row] > 1
    sockets, ports = [], []
    for plug, cages, names in zip(records.plugs.ends, *list_cable_end_ports(records.cluster), strict=True):
        leg_plug, cage = plug.select_rows(leg), cages.take(row)
        sockets.append(leg_plug.format_texts(cage, tails=tails).texts())
        ports.append(leg_plug.format_texts(cage, tails=tails, ports=(names.take(row), has_several_links)).texts())
    return {
        "device": records.cluster.name_column[device],
        "port": np.where(is_b_end, ports[1], ports[0]),
        "location": location + ":" + np.where(is_b_end, sockets[1], sockets[0]),
    }


def _name_ends(cable: Ints, is_b_end: Flags) -> Strings:
    """Return `a` or `b` for each label, numbered if a cable has several plugs at that end: b1, b2."""
    # one number for each cable and end
    cable_end = cable.astype(np.int64) * 2 + is_b_end
    _, index, plugs_per_end = np.unique(cable_end, return_inverse=True, return_counts=True)
    # 0 stands for no number: the only plug at that end
    plug_number = np.where(plugs_per_end[index] > 1, rank_within(cable_end) + 1, 0)
    numbers = np.array(["", *(str(n) for n in range(1, int(plug_number.max(initial=0)) + 1))], dtype=object)
    names: Strings = np.array(["a", "b"], dtype=object)[is_b_end.astype(np.int32)] + numbers[plug_number]
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
    bundles_and_orders = zip(pull.names[pull.bundle[rows]].tolist(), pull.order[rows].tolist(), strict=True)
    position_of_rack = dict(zip(cluster.plan.racks.names, locate_racks(cluster).tolist(), strict=True))
    labels = []
    columns = trunks.make_table(cluster, patching).columns
    table_rows = [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]
    # both are in the order of the trunks
    for row, (bundle, order) in zip(table_rows, bundles_and_orders, strict=True):
        a, b = (
            _LabelEnd(
                row[f"{letter}_panel"],
                row[f"{letter}_ports"],
                f"{position_of_rack[row[f'{letter}_rack']]}-U{row[f'{letter}_u']:02d}:{row[f'{letter}_ports']}",
            )
            for letter in "ab"
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

    The label of a splitter's common end has the number of its further ends, and the label at a tail the number of the
    tail. Labels of a cable with several at one end are numbered: `a1`, `ap1` (at its panel), `a2`.
    """
    part_numbers, rows = name_parts(records.cluster, records.pull.rows), records.pull.rows
    row_keys = zip(*(column.tolist() for column in (rows.end, rows.row, rows.panel)), strict=True)
    pulled_row_of = {key: row for row, key in enumerate(row_keys)}
    for end in (0, 1):
        jumpers = find_jumpers(records.cluster, patching, records.plugs, end)
        cages, tails = (_list_cage_ends(records, end, jumpers.row, names) for names in (jumpers.plugs, jumpers.sockets))
        ports, port_tails = _list_panel_ends(records.cluster, patching, jumpers)
        cables = [records.cluster.cable_ids[cable] for cable in records.cable[jumpers.row].tolist()]
        cable_ports = list(zip(cables, ports, strict=True))
        jumpers_at_cage, jumpers_at_port = Counter(cages), Counter(cable_ports)
        label_counts, numbers = Counter(cables), Counter[str]()
        labelled_ends: set[object] = set()
        for i, (cable, cage, port) in enumerate(zip(cables, cages, cable_ports, strict=True)):
            numbers[cable] += 1
            count = str(numbers[cable]) if label_counts[cable] > 1 else ""
            row = pulled_row_of[end, int(jumpers.row[i]), int(jumpers.panel[i])]
            fields, text = _describe_jumper(records, cable, row, str(part_numbers[row]))
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
    """Return the ends of jumpers at panels in two lists: without and with the number of the splitter's tail in the
    port.
    """
    names, positions = PatchParts(cluster, patching).panels, locate_panels(cluster, patching)
    columns = zip(*(column.tolist() for column in (jumpers.panel, jumpers.port, jumpers.tail)), strict=True)
    # without and with the tail, 0 if the port leads to no splitter
    end_pairs = [
        [_LabelEnd(names[panel], str(port), f"{positions[panel]}:{port}{f'/{n}' if n else ''}") for n in (0, tail)]
        for panel, port, tail in columns
    ]
    return [without_tail for without_tail, _ in end_pairs], [with_tail for _, with_tail in end_pairs]


def _describe_jumper(records: Records, cable: str, row: int, part: str) -> tuple[Label, str]:
    """Return (the fields, the third line) that both labels of a jumper share; `row` is its pulled row."""
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
    """Return the label at the end `near`, with the columns of labels.csv; `far_ends` is the number of ends that the
    plug leads to.
    """
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

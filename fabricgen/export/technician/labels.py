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
from fabricgen.export.locations import rack_places
from fabricgen.export.plugs import cable_end_ports, with_port
from fabricgen.export.table import Cell, Table, picked
from fabricgen.export.technician.records import Records
from fabricgen.kernel.units import number
from fabricgen.numbering.lazy_columns import Strings
from fabricgen.wiring.arrays import Flags, Ints, Ints64, rank_within, unique_combinations
from fabricgen.wiring.patching.tables import Patching


def label_table(found: Records) -> Table:
    """labels.csv: one row for each label, both ends of a cable together, cables in pulling order.

    Each jumper has its own, with the connector that each of its plugs is in. The common end of a splitter has one
    label, with the first far end and how many more there are; its tails are told apart. Patched cables have labels on
    each jumper instead; trunks have their own, which come first. `code` is unique: the text for a bar code or QR code.
    """
    direct, patching = _direct_labels(found), found.cluster.plan.patching
    if patching is None:
        return direct
    more = patch_labels(found, patching)
    columns = {name: [*cells, *(label[name] for label in more)] for name, cells in direct.columns.items()}
    lowest: dict[Cell, int] = {}
    for cable, number_ in zip(columns["cable"], columns["order"], strict=True):
        lowest[cable] = min(int(number_), lowest.get(cable, int(number_)))
    order = sorted(range(len(columns["cable"])), key=lambda i: lowest[columns["cable"][i]])
    return Table("labels", {name: [cells[i] for i in order] for name, cells in columns.items()})


def _direct_labels(found: Records) -> Table:
    """The labels of cables that are not patched."""
    leg, end = label_ends(found)
    if found.cluster.plan.patching:
        direct = found.cluster.plan.patching.policy[found.cable[found.plugs.row[leg]]] < 0
        leg, end = leg[direct], end[direct]
    plugs, cluster = found.plugs, found.cluster
    row = plugs.row[leg]
    cable = found.cable[row]
    near, far = _ends(found, leg, end, tails=False), _ends(found, leg, ~end, tails=True)
    more = np.where(_is_common(found, leg, end), _tails(found)[leg] - 1, 0)
    cables = cluster.plan.cables
    tag = np.array([t.text for t in found.tags], dtype=object)[found.tag[row]]
    media = np.array([m.medium for m in cables.media], dtype=object)[cables.medium[cable]]
    lengths = cables.length_m[cable].tolist()
    texts = zip(tag.tolist(), media.tolist(), lengths, strict=True)
    ids = np.array(cluster.cable_ids, dtype=object)[cable]
    ends = _end_names(cable, end)
    columns: dict[str, Sequence[Cell]] = {
        "cable": ids.tolist(),
        "end": ends.tolist(),
        "line1": near["location"].tolist(),
        "line2": [f"{where} +{n}" if n else where for where, n in zip(far["location"], more.tolist(), strict=True)],
        "line3": [f"{tag} {medium} {number(length)} m" for tag, medium, length in texts],
        **{f"near_{name}": column.tolist() for name, column in near.items()},
        **{f"far_{name}": column.tolist() for name, column in far.items()},
        "far_ends": (more + 1).tolist(),
        "part": CableParts(cluster).parts[0].take(cable),
        "medium": media.tolist(),
        "length_m": list(lengths),
        "tag": tag.tolist(),
        "colour": [found.tags[i].fill for i in found.tag[row].tolist()],
        "colour_name": [found.tags[i].word for i in found.tag[row].tolist()],
        "bundle": picked(found.pull.names, found.pull.bundle[row]),
        "order": found.pull.order[row].tolist(),
        "code": (ids + "|" + ends).tolist(),
    }
    return Table("labels", columns)


def label_ends(found: Records) -> tuple[Ints64, Flags]:
    """(row of `plugs`, whether it is the b end) of every plug at a device, each of which has a label: both ends of each
    jumper, a splitter's common end once; patched cables as if they were direct.

    In pulling order, all of a cable together and its common ends first.
    """
    plugs = found.plugs
    lowest = np.full(len(found.rows_of_cable), len(found.cable))
    np.minimum.at(lowest, found.cable, found.pull.order)
    cable = found.cable[plugs.row]
    first = np.zeros(len(cable), dtype=bool)
    first[unique_combinations(cable, plugs.piece)[0]] = True
    leg, end = np.tile(np.arange(len(cable)), 2), np.repeat([False, True], len(cable))
    wanted = first[leg] | ~_is_common(found, leg, end)
    leg, end = leg[wanted], end[wanted]
    walk = np.lexsort((leg, end == found.common_a[cable[leg]], lowest[cable[leg]]))
    return leg[walk], end[walk]


def _is_common(found: Records, leg: Ints64, end: Flags) -> Flags:
    """Whether an end is the one plug of a splitter."""
    plugs = found.plugs
    common: Flags = (found.common_a[found.cable[plugs.row[leg]]] != end) & (plugs.tails[leg] > 1)
    return common


def _tails(found: Records) -> Ints64:
    """How many tails of the same jumper or splitter are wired, by row of `plugs`; int64."""
    _, code = unique_combinations(found.cable[found.plugs.row], found.plugs.piece)
    tails: Ints64 = np.bincount(code)[code]
    return tails


def _ends(found: Records, leg: Ints64, end: Flags, *, tails: bool) -> dict[str, Strings]:
    """Device, port and location of one end of each label, as columns; `tails`: with the tail of a splitter."""
    row, cables = found.plugs.row[leg], found.cluster.plan.cables
    device = np.where(end, found.device[1][row], found.device[0][row])
    place = np.where(end, found.place[1][row], found.place[0][row])
    several = cables.end_links[row] > 1
    sockets, ports = [], []
    for plug, cages, names in zip(found.plugs.ends, *cable_end_ports(found.cluster), strict=True):
        own, cage = plug.rows(leg), cages.take(row)
        sockets.append(own.texts(cage, tails=tails).texts())
        ports.append(own.texts(cage, tails=tails, ports=(names.take(row), several)).texts())
    return {
        "device": found.cluster.name_column[device],
        "port": np.where(end, ports[1], ports[0]),
        "location": place + ":" + np.where(end, sockets[1], sockets[0]),
    }


def _end_names(cable: Ints, end: Flags) -> Strings:
    """`a` and `b`; numbered where a cable has several plugs at that end: b1, b2."""
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
class _End:
    """An end of a jumper or trunk: device or panel, port, and location."""

    device: str
    port: str
    location: str


def patch_labels(found: Records, patching: Patching) -> list[Label]:
    """Labels of trunks, which are laid first, then of jumpers in the order in which their cables are pulled."""
    return [*_trunk_labels(found.cluster, patching), *_jumper_labels(found, patching)]


def _rows(columns: Any) -> list[Row]:
    """A table's columns as rows."""
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _trunk_labels(cluster: Cluster, patching: Patching) -> list[Label]:
    places = dict(zip(cluster.plan.racks.names, rack_places(cluster).tolist(), strict=True))
    made = []
    for row in _rows(trunks.table(cluster, patching).columns):
        a, b = (
            _End(
                row[f"{side}_panel"],
                row[f"{side}_ports"],
                f"{places[row[f'{side}_rack']]}-U{row[f'{side}_u']:02d}:{row[f'{side}_ports']}",
            )
            for side in "ab"
        )
        what = {"cable": row["trunk"], "part": row["part"], "medium": "trunk", "length_m": row["length_m"]}
        told = f"{row['fibres']} fibres {number(row['length_m'])} m"
        plain = {"tag": "", "colour": "", "colour_name": "", "bundle": "", "order": 0}
        made += [_label(what | plain, "a", a, b, told), _label(what | plain, "b", b, a, told)]
    return made


def _jumper_labels(found: Records, patching: Patching) -> list[Label]:
    """Labels of both ends of each jumper, one for each plug; that of a splitter's common end says how many other ends
    it has.
    """
    rows = _rows(patches.table(found.cluster, patching).columns)
    cages, ports = list(_cages(found, patching, [row["socket"] for row in rows])), list(_ports(found.cluster, rows))
    texts = _texts(found, patching, rows)
    at_cage = Counter(cages)
    at_port = Counter((row["cable"], port) for row, port in zip(rows, ports, strict=True))
    several, nth = Counter((row["cable"], row["end"]) for row in rows), Counter[tuple[str, str]]()
    told: set[object] = set()
    made: list[Label] = []
    for row, cage, port, (what, text) in zip(rows, cages, ports, texts, strict=True):
        key = row["cable"], row["end"]
        nth[key] += 1
        count = str(nth[key]) if several[key] > 1 else ""
        if cage not in told:
            made.append(_label(what, row["end"] + count, cage, port, text, at_cage[cage]))
        if (row["cable"], port) not in told:
            made.append(_label(what, f"{row['end']}p{count}", port, cage, text, at_port[row["cable"], port]))
        told |= {cage, (row["cable"], port)}
    return sorted(made, key=lambda label: int(label["order"]))


def _cages(found: Records, patching: Patching, sockets: Sequence[str]) -> Iterator[_End]:
    """The cage end of each row of patches.csv, whose `sockets` are given."""
    a, b = patches.end_rows(found.cluster, patching)
    several = found.cluster.plan.cables.end_links > 1
    told = iter(sockets)
    for end, (rows, cages, ports) in enumerate(zip((a, b), *cable_end_ports(found.cluster), strict=True)):
        device = found.cluster.name_column[found.device[end][rows]].tolist()
        columns = cages.take(rows), ports.take(rows), several[rows].tolist(), found.place[end][rows].tolist()
        for name, cage, port, many, place in zip(device, *columns, strict=True):
            socket = next(told)
            yield _End(name, with_port(socket, cage, port, several=many), f"{place}:{socket}")


def _ports(cluster: Cluster, rows: Sequence[Row]) -> Iterator[_End]:
    """The panel port of each row of patches.csv."""
    places = dict(zip(cluster.plan.racks.names, rack_places(cluster).tolist(), strict=True))
    for row in rows:
        yield _End(row["panel"], str(row["port"]), f"{places[row['rack']]}-U{row['u']:02d}:{row['port']}")


def _texts(found: Records, patching: Patching, rows: Sequence[Row]) -> Iterator[tuple[Label, str]]:
    """(fields that both labels of a jumper share, their third line) for each row of patches.csv."""
    end_row, cables = np.concatenate(patches.end_rows(found.cluster, patching)), found.cluster.plan.cables
    for row, number_ in zip(rows, end_row.tolist(), strict=True):
        cable, tag = int(found.cable[number_]), found.tags[int(found.tag[number_])]
        medium = cables.media[int(cables.medium[cable])].medium
        what: Label = {
            **{name: row[name] for name in ("cable", "part", "length_m")},
            "medium": medium,
            "tag": tag.text,
            "colour": tag.fill,
            "colour_name": tag.word,
            "bundle": found.pull.names[int(found.pull.bundle[number_])],
            "order": int(found.pull.order[number_]),
        }
        yield what, f"{tag.text} {medium} {number(row['length_m'])} m"


def _label(what: Label, end: str, near: _End, far: _End, told: str, far_ends: int = 1) -> Label:
    more = f" +{far_ends - 1}" if far_ends > 1 else ""
    return what | {
        "end": end,
        "line1": near.location,
        "line2": far.location + more,
        "line3": told,
        **{f"near_{name}": getattr(near, name) for name in ("device", "port", "location")},
        **{f"far_{name}": getattr(far, name) for name in ("device", "port", "location")},
        "far_ends": far_ends,
        "code": f"{what['cable']}|{end}",
    }

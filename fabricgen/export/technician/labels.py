"""Labels for both ends of every cable: near end on the first line, far end below (ANSI/TIA-606-B, also in C and D)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fabricgen.bom.cables import CableParts
from fabricgen.export.columns import picked
from fabricgen.export.plugs import cable_end_ports
from fabricgen.export.table import Cell, Table
from fabricgen.export.technician.patch_labels import patch_labels
from fabricgen.export.technician.records import Records
from fabricgen.kernel.units import number
from fabricgen.numbering.lazy_columns import Strings
from fabricgen.wiring.groups import rank_within, unique_combinations
from fabricgen.wiring.tables import Flags, Ints, Ints64


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

"""Labels for both ends of every cable: near end on the first line, far end below (ANSI/TIA-606-B, also in C and D)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fabricgen.bom.cables import CableParts
from fabricgen.export.columns import picked
from fabricgen.export.table import Cell, Table
from fabricgen.export.technician.patch_labels import patch_labels
from fabricgen.export.technician.records import Records
from fabricgen.kernel.units import number
from fabricgen.numbering.lazy_columns import Strings
from fabricgen.wiring.tables import Flags, Ints, Ints64


def label_table(found: Records) -> Table:
    """labels.csv: one row for each label, both ends of a cable together, cables in pulling order.

    The common end of a breakout has one label, with the first far end and how many more there are. Patched cables have
    labels on each jumper instead; trunks have their own, which come first. `code` is unique: the text for a bar code or
    QR code.
    """
    direct, patching = _direct_labels(found), found.cluster.plan.patching
    if patching is None:
        return direct
    more = patch_labels(found, patching)
    columns = {name: [*cells, *(label[name] for label in more)] for name, cells in direct.columns.items()}
    order = np.argsort(np.array(columns["order"], dtype=np.int64), kind="stable").tolist()
    return Table("labels", {name: [cells[i] for i in order] for name, cells in columns.items()})


def _direct_labels(found: Records) -> Table:
    """The labels of cables that are not patched."""
    row, end = _labels(found)
    cables, cluster = found.cluster.plan.cables, found.cluster
    cable = found.cable[row]
    near, far = _ends(found, row, end), _ends(found, row, ~end)
    more = np.where(_is_common(found, row, end), found.rows_of_cable[cable] - 1, 0)
    tag = np.array([t.text for t in found.tags], dtype=object)[found.tag[row]]
    media = np.array([m.medium for m in cables.media], dtype=object)[cables.medium[cable]]
    lengths = cables.length_m[cable].tolist()
    texts = zip(tag.tolist(), media.tolist(), lengths, strict=True)
    ids = np.array(cluster.cable_ids, dtype=object)[cable]
    ends = _end_names(found, row, end)
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
        "bundle": picked(found.pull.names, found.pull.bundle[cable]),
        "order": found.pull.order[cable].tolist(),
        "code": (ids + "|" + ends).tolist(),
    }
    return Table("labels", columns)


def _labels(found: Records) -> tuple[Ints64, Flags]:
    """(row, whether it is the b end) of every label: both ends of each row, the common end of a cable once."""
    rows = np.arange(len(found.cable))
    end = np.repeat([False, True], len(rows))
    row = np.tile(rows, 2)
    wanted = found.first[row] | ~_is_common(found, row, end)
    if found.cluster.plan.patching:
        wanted &= found.cluster.plan.patching.policy[found.cable[row]] < 0
    row, end = row[wanted], end[wanted]
    walk = np.lexsort((row, ~_is_common(found, row, end), found.pull.order[found.cable[row]]))
    return row[walk], end[walk]


def _is_common(found: Records, row: Ints64, end: Flags) -> Flags:
    common: Flags = found.common_a[found.cable[row]] != end
    return common


def _ends(found: Records, row: Ints64, end: Flags) -> dict[str, Strings]:
    """Device, port and location of one end of each label, as columns."""
    device = np.where(end, found.device[1][row], found.device[0][row])
    port = np.where(end, found.port[1][row], found.port[0][row])
    place = np.where(end, found.place[1][row], found.place[0][row])
    socket = np.where(end, found.socket[1][row], found.socket[0][row])
    return {"device": found.cluster.name_column[device], "port": port, "location": place + ":" + socket}


def _end_names(found: Records, row: Ints64, end: Flags) -> Strings:
    """`a` and `b`; the far ends of a breakout are numbered: b1, b2."""
    counted: Ints = np.where(
        _is_common(found, row, end) | (found.rows_of_cable[found.cable[row]] == 1), 0, found.number[row]
    )
    numbers = np.array(["", *(str(n) for n in range(1, int(counted.max(initial=0)) + 1))], dtype=object)
    names: Strings = np.array(["a", "b"], dtype=object)[end.astype(np.int32)] + numbers[counted]
    return names

"""patches.csv: every jumper with its cage and panel port, and the trunk and fibres behind the port."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

import numpy as np

from fabricgen.bom.cables import CableParts
from fabricgen.bom.jumpers import PatchedChannels
from fabricgen.bom.sets import split_set
from fabricgen.bom.trunks import PatchParts
from fabricgen.cluster import Cluster
from fabricgen.export.plugs import find_sockets, list_plugs
from fabricgen.export.table import pick_names, yield_patching_table
from fabricgen.reports.table import Table
from fabricgen.wiring.arrays import Ints, rank_within
from fabricgen.wiring.cabling.end_numbers import hangs_on_lower_end
from fabricgen.wiring.cabling.far_ends import are_common_ends_lower
from fabricgen.wiring.patching.tables import AT_COMMON_END, AT_FAR_END, Patching

ON_REQUEST = False


def rows(cluster: Cluster) -> int:
    """Return the work of writing patches.csv, counted in rows of links.csv: two for each patch, 0 if nothing is
    patched.

    The file may have fewer rows, since far ends of a splitter may share a port.
    """
    return 2 * len(cluster.plan.patching.patches) if cluster.plan.patching else 0


def make_table(cluster: Cluster, patching: Patching) -> Table:
    """Return patches.csv: a row for each pair of a cage and a panel port that a jumper joins, a ends of cables before b
    ends.

    A splitter at the far end of its cable has a row for each tail, all with one panel port; a splitter at the common
    end has a row for each tail, all with one cage.
    """
    names = PatchParts(cluster, patching)
    jumpers = CableParts(cluster).channels
    sides = [_make_side_columns(cluster, patching, names, jumpers, end) for end in (0, 1)] if jumpers else []
    return Table("patches", {name: [*sides[0][name], *sides[1][name]] for name in sides[0]})


files = yield_patching_table(make_table)


def _make_side_columns(
    cluster: Cluster, patching: Patching, names: PatchParts, jumpers: PatchedChannels, end: int
) -> dict[str, list[Any]]:
    """Return the columns of patches.csv for the jumpers at the a ends (`end` 0) or b ends (1) of cables."""
    cables, links, patches, trunks = cluster.plan.cables, cluster.plan.links, patching.patches, patching.trunks
    patch_rows, row, panel, face_port = find_jumper_ends(cluster, patching, end)
    trunk, port = patches.trunk[patch_rows], patches.port[patch_rows]
    cable, link = cables.end_cable[row], cables.end_link[row]
    device = (links.b_device if end else links.a_device)[link]
    # a row is one jumper, also of a set
    jumper_parts = np.array([split_set(ends[end][0].part)[1] for ends in jumpers.kinds], dtype=object)
    # channels are ascending by cable, and every patched cable has one
    kind = jumpers.kind[np.searchsorted(jumpers.cable, cable)]
    fibre_texts, text_index = names.list_fibre_positions(patches, patch_rows)
    ports_per_connector = np.array([len(p.panel.positions) for p in patching.policies], dtype=np.int32)[
        trunks.policy[trunk]
    ]
    return {
        "cable": pick_names(np.array(cluster.cable_ids, dtype=object), cable),
        "end": ["ab"[end]] * len(row),
        "device": pick_names(cluster.name_column, device),
        "cage": pick_names(cluster.cages[end], link),
        "part": pick_names(jumper_parts, kind.astype(np.int32)),
        "length_m": (patching.b_jumper_m if end else patching.a_jumper_m)[cable].tolist(),
        "rack": pick_names(np.array(cluster.plan.racks.names, dtype=object), patching.panels.rack[panel]),
        "u": patching.panels.u[panel].tolist(),
        "panel": pick_names(np.array(names.panels, dtype=object), panel),
        "port": face_port.tolist(),
        "trunk": pick_names(np.array(names.trunks, dtype=object), trunk),
        "connector": (port // ports_per_connector + 1).tolist(),
        "fibres": pick_names(np.array(fibre_texts, dtype=object), text_index),
        "socket": name_sockets(cluster, patching, end, row),
    }


def name_sockets(cluster: Cluster, patching: Patching, end: int, row: Ints) -> list[str]:
    """Return the socket of each jumper's plug at the device: the cage, `12`, or a connector of it, `12/2`.

    Parallel jumpers of a cable in one cage are numbered in the same way, `12/1` and `12/2`; a splitter with its one
    plug there is not. `row` has the cable end row of each jumper; the device is at its a end (`end` 0) or b end (1).
    """
    cables, links = cluster.plan.cables, cluster.plan.links
    cable, link = cables.end_cable[row], cables.end_link[row]
    number = find_sockets(cluster)[end][row]
    cages = pick_names(cluster.cages[end], link)
    sockets = [cage + (f"/{n + 1}" if n >= 0 else "") for cage, n in zip(cages, number.tolist(), strict=True)]
    # with the device, as far ends of one cable are in cages of one name on several devices
    cable_ends = list(
        zip(cable.tolist(), (links.b_device if end else links.a_device)[link].tolist(), sockets, strict=True)
    )
    is_common_end_lower = np.array([hangs_on_lower_end(segment) for segment in links.segments], dtype=bool)
    is_one_plug = (patching.split[cable] == AT_COMMON_END) & (is_common_end_lower[links.segment[link]] == (end == 0))
    jumpers_per_end, jumpers_so_far, names = Counter(cable_ends), Counter[tuple[int, int, str]](), []
    for cable_end, one_plug in zip(cable_ends, is_one_plug.tolist(), strict=True):
        jumpers_so_far[cable_end] += 1
        has_number = jumpers_per_end[cable_end] > 1 and not one_plug
        names.append(cable_end[2] + (f"/{jumpers_so_far[cable_end]}" if has_number else ""))
    return names


class JumperEnds(NamedTuple):
    """Jumpers at the a ends or at the b ends of cables, a row each, as int32 columns.

    `patch` is a row of `patching.patches`, `row` the cable end row, `panel` the panel that the jumper goes to, and
    `port` its front port there, from 1.
    """

    patch: Ints
    row: Ints
    panel: Ints
    port: Ints


def find_jumper_ends(cluster: Cluster, patching: Patching, end: int) -> JumperEnds:
    """Return the jumpers at the a ends (`end` 0) or b ends (1) of cables, in the order of patches.csv."""
    patches, trunks = patching.patches, patching.trunks
    patch = _select_patches(cluster, patching, end)
    trunk = patches.trunk[patch]
    # a flipped patch passes its trunk from b to a: then the a end of the cable is at the panel of the b end
    at_b = (patches.flipped[patch] == 1) != (end == 1)
    panel = np.where(at_b, trunks.b_panel[trunk], trunks.a_panel[trunk])
    first = np.where(at_b, trunks.b_port[trunk], trunks.a_port[trunk])
    return JumperEnds(patch, patches.row[patch], panel, first + patches.port[patch] + 1)


def _select_patches(cluster: Cluster, patching: Patching, end: int) -> Ints:
    """Return the patches that have a row of patches.csv at the a ends (`end` 0) or b ends (1), as rows of
    `patching.patches`.

    All have one, unless the cable splits at its far ends. At the common end, which has one jumper for the cable, only
    patches of the cable's first cable end row are listed; at a far end, a tail is listed only with the panel port that
    its own splitter is in.
    """
    cables, row = cluster.plan.cables, patching.patches.row
    cable = cables.end_cable[row]
    lower, first = are_common_ends_lower(cluster.plan.links, cables)[cable], cables.find_first_rows()[cable] == row
    is_common, splits_far = lower == (end == 0), patching.split[cable] == AT_FAR_END
    plugs = list_plugs(cluster)
    plug = np.searchsorted(plugs.row, row)
    # if a cable has several splitters, each has one of the ports, in their order
    is_elsewhere = (plugs.tails[plug] > 1) & (plugs.piece[plug] != rank_within(row))
    return np.flatnonzero(np.where(is_common, first | ~splits_far, ~(splits_far & is_elsewhere))).astype(np.int32)

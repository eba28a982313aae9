"""What is pulled: cables from device to device, jumpers from a device to a panel, and trunks from panel to panel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np

from fabricgen.bom.cables import CableParts
from fabricgen.bom.sets import split_set
from fabricgen.bom.trunks import PatchParts
from fabricgen.cluster import Cluster
from fabricgen.export.files import patches, shuffles, trunks
from fabricgen.export.locations import locate_devices, locate_racks, rank_racks
from fabricgen.export.plugs import PlugTable, list_cable_end_ports
from fabricgen.numbering.lazy_columns import Strings
from fabricgen.wiring.arrays import Flags, Floats, Ints, Ints64, unique_combinations
from fabricgen.wiring.cabling.end_numbers import number_device_connectors, number_ends
from fabricgen.wiring.cabling.far_ends import are_common_ends_lower
from fabricgen.wiring.patching.tables import AT_COMMON_END, AT_FAR_END, Patching

DIRECT, TRUNK_END = -1, 2
"""Values of `end` for direct cables and for trunks; 0 and 1 are jumpers at the a end and at the b end of a patched
cable.
"""


@dataclass(frozen=True, slots=True)
class PulledRows:
    """Columns by pulled row. A direct cable has a row for each of its cable end rows; jumpers have one for each pair of
    a cable end row and a panel that they join; a trunk has one.

    int32: `row` is the cable end row (-1 for a trunk). `end` is DIRECT, 0 or 1 for a jumper at the a or b end, or
    TRUNK_END. `trunk` is the trunk and `panel` the panel of a jumper, -1 for others. `a_rack` and `b_rack` are where it
    begins and ends. `position` is its place along the ports of the rack that is first on the floor. Rows with one
    `unit` are pulled at once if they go between the same racks. `laid` is the number of pieces that come with the row,
    0 if its piece comes with another row. `jumpers` is the number of jumpers and tails that it adds to its bundle.
    `lead` is the pulled row whose link says in which fabric and plane it is.

    float64, m: `length_m`, `run_m`. Object arrays of str: `a_end` and `b_end`, the sockets of jumpers and trunks,
    `h1.R03.07-U42:12/2`; "" for direct cables.
    """

    row: Ints
    end: Ints
    trunk: Ints
    panel: Ints
    a_rack: Ints
    b_rack: Ints
    position: Ints
    unit: Ints
    laid: Ints
    jumpers: Ints
    lead: Ints
    length_m: Floats
    run_m: Floats
    a_end: Strings
    b_end: Strings

    def __len__(self) -> int:
        return len(self.row)

    def find_rows(self, cable_ends: int) -> tuple[Ints, Ints]:
        """Return the first row that has the plugs at the a end, and at the b end, of each cable end row; int32.

        It is -1 if the row of another far end stands for them. `cable_ends` is the number of cable end rows.
        """
        first_rows = np.full((2, cable_ends), -1, dtype=np.int32)
        for end in (0, 1):
            # backwards: of several rows of one end the first is written last, and stays
            rows = np.flatnonzero((self.end == DIRECT) | (self.end == end))[::-1]
            first_rows[end, self.row[rows]] = rows
        return first_rows[0], first_rows[1]


def list_pulled_rows(cluster: Cluster, plugs: PlugTable) -> PulledRows:
    """Return everything that is pulled in a cluster: direct cables, then jumpers at a ends and b ends, then trunks."""
    plan = cluster.plan
    numbers = number_ends(plan.devices, plan.links, number_device_connectors)
    positions = numbers.a[plan.cables.end_link], numbers.b[plan.cables.end_link]
    direct = _list_direct_rows(cluster, plugs, positions)
    if plan.patching is None:
        return direct
    jumpers = [_list_jumper_rows(cluster, plan.patching, plugs, (end, positions[end])) for end in (0, 1)]
    return _join_rows([direct, *jumpers, _list_trunk_rows(cluster, plan.patching)])


def _make_rows(count: int, columns: Mapping[str, Any]) -> PulledRows:
    """Return rows with the given columns; columns that are not given are -1 (`end`: DIRECT), or "" for texts."""
    defaults = {"row": -1, "end": DIRECT, "trunk": -1, "panel": -1, "a_end": "", "b_end": ""}
    filled = {
        name: np.full(count, value, dtype=object if value == "" else np.int32) for name, value in defaults.items()
    }
    filled |= {
        name: column.astype(np.int32) if column.dtype.kind == "i" else column for name, column in columns.items()
    }
    return PulledRows(**filled)


def _join_rows(tables: Sequence[PulledRows]) -> PulledRows:
    """Return several tables as one, in their order; `unit` and `lead` are numbered on from table to table."""
    table_starts = np.cumsum([0, *(len(table) for table in tables)]).tolist()
    columns: dict[str, Any] = {}
    for field in fields(PulledRows):
        starts = table_starts if field.name in ("unit", "lead") else [0] * len(table_starts)
        values = [getattr(table, field.name) for table in tables]
        columns[field.name] = np.concatenate([v + s if s else v for v, s in zip(values, starts, strict=False)])
    return _make_rows(table_starts[-1], columns)


def _count_pieces(row: Ints64, piece: Ints64, brings: Flags, racks: tuple[Ints, Ints]) -> dict[str, Ints]:
    """Return the columns `laid` and `jumpers` of pulled rows, int32.

    `row`, `piece` and `brings` have an entry for each end of each piece: the pulled row that the end is in, the piece
    (numbered from 0), and whether the piece comes with that row. `racks` are the racks at both ends of each pulled row.
    """
    is_first_between_racks = np.zeros(len(row), dtype=np.int32)
    # each piece counts once in a bundle between two racks
    is_first_between_racks[unique_combinations(piece, *(rack[row] for rack in racks))[0]] = 1
    counts = {"laid": brings, "jumpers": is_first_between_racks}
    return {name: np.bincount(row, weights, len(racks[0])).astype(np.int32) for name, weights in counts.items()}


def _list_direct_rows(cluster: Cluster, plugs: PlugTable, positions: tuple[Ints, Ints]) -> PulledRows:
    """Return the pulled rows of cables that are not patched, one for each of their cable end rows.

    `positions` are the sort keys of the a ends and of the b ends of all cable end rows.
    """
    plan, cables = cluster.plan, cluster.plan.cables
    link, rack = cables.end_link, plan.devices.rack
    is_direct = np.ones(len(link), dtype=bool)
    if plan.patching is not None:
        is_direct = plan.patching.policy[cables.end_cable] < 0
    rows = np.flatnonzero(is_direct).astype(np.int32)
    a_rack, b_rack = rack[plan.links.a_device[link[rows]]], rack[plan.links.b_device[link[rows]]]
    # rows of `plugs`, and by each of them: its row in the result, its piece, and its tail (-1 for none)
    plug_rows = np.flatnonzero(is_direct[plugs.row])
    row = np.searchsorted(rows, plugs.row[plug_rows])
    first_plug_of_piece, piece = unique_combinations(cables.end_cable[plugs.row[plug_rows]], plugs.piece[plug_rows])
    is_splitter = plugs.tails[plug_rows] > 1
    tail = np.maximum(plugs.ends[0].tail, plugs.ends[1].tail)[plug_rows]
    # all tails of a splitter have the plane of its first tail
    lead = np.arange(len(rows))
    lead[row[is_splitter]] = row[first_plug_of_piece][piece[is_splitter]]
    cable = cables.end_cable[rows]
    return _make_rows(
        len(rows),
        {
            "row": rows,
            "a_rack": a_rack,
            "b_rack": b_rack,
            "position": np.where(is_a_first(cluster, a_rack, b_rack), positions[0][rows], positions[1][rows]),
            "unit": unique_combinations(cable)[1],
            **_count_pieces(row, piece, ~is_splitter | (tail == 0), (a_rack, b_rack)),
            "lead": lead,
            "length_m": cables.length_m[cable],
            "run_m": cables.run_m[cable],
        },
    )


def is_a_first(cluster: Cluster, a_rack: Ints, b_rack: Ints) -> Flags:
    """Whether the rack at the a end comes first on the floor, or both ends are in one rack; bool."""
    rank = rank_racks(cluster.plan.racks)
    return rank[a_rack] <= rank[b_rack]


class JumperTable(NamedTuple):
    """Jumpers at one end of cables, a row for each pair of cage and panel port that a jumper joins.

    `row` is the cable end row, `panel` the panel, `port` its front port from 1, and `piece` the jumper. `plugs` are the
    sockets of the plugs at the device; `sockets` are the same with the number of a splitter's tail there. `tail` is the
    tail (from 1) of a splitter in the panel port that leads to the device, 0 if there is none.
    """

    row: Ints
    panel: Ints
    port: Ints
    piece: Ints64
    plugs: list[str]
    sockets: list[str]
    tail: Ints


def find_jumpers(cluster: Cluster, patching: Patching, plugs: PlugTable, end: int) -> JumperTable:
    """Return the jumpers at one end (0: a, 1: b) of all cables through trunks, in the order of patches.csv, then those
    of cables through shuffles, one for each port of a shuffle.
    """
    cables, cages = cluster.plan.cables, list_cable_end_ports(cluster)[0][end]
    plugs_of_rows = plugs.merge_by_row(len(cables.end_link))
    _, row, panel, port = patches.find_jumper_ends(cluster, patching, end)
    cable = cables.end_cable[row]
    is_common_end = are_common_ends_lower(cluster.plan.links, cables)[cable] == (end == 0)
    # a splitter at a common end is one piece with tails at several ports; every other jumper has one port
    is_splitter = (patching.split[cable] == AT_COMMON_END) & is_common_end
    splitter_piece = np.where(is_splitter, plugs.piece[np.searchsorted(plugs.row, row)], -1)
    piece = unique_combinations(
        cable, splitter_piece, *(np.where(is_splitter, -1, column) for column in (panel, port))
    )[1]
    names = patches.name_sockets(cluster, patching, end, row)
    texts = plugs_of_rows[end].select_rows(row.astype(np.int64)).format_texts(cages.take(row)).texts().tolist()
    sockets = [text if split else name for text, name, split in zip(texts, names, is_splitter.tolist(), strict=True)]
    # at a far end, the number of the tail is that of the plug at the common end of the cable
    is_tail_in_port = (patching.split[cable] == AT_FAR_END) & ~is_common_end
    tail = np.where(is_tail_in_port, plugs_of_rows[1 - end].tail[row] + 1, 0).astype(np.int32)
    jumpers, shuffle_pairs = JumperTable(row, panel, port, piece, names, sockets, tail), patching.shuffles
    if not len(shuffle_pairs):
        return jumpers
    # all fibre pairs of a connector go through one port of a shuffle: its first row stands for them
    face_port = np.array(
        shuffles.make_table(cluster, patching).columns["out_port" if end else "in_port"], dtype=np.int32
    )
    first_rows = np.sort(unique_combinations(shuffle_pairs.panel, face_port)[0])
    row = shuffle_pairs.row[first_rows]
    plug = plugs_of_rows[end].select_rows(row.astype(np.int64))
    names = plug.format_texts(cages.take(row), tails=False).texts().tolist()
    pieces = int(piece.max(initial=-1)) + 1 + np.arange(len(first_rows))
    shuffle_columns = (
        row,
        shuffle_pairs.panel[first_rows],
        face_port[first_rows],
        pieces,
        names,
        names,
        np.zeros(len(first_rows), dtype=np.int32),
    )
    columns: Any = (
        trunk_column + shuffle_column
        if isinstance(trunk_column, list)
        else np.concatenate([trunk_column, shuffle_column])
        for trunk_column, shuffle_column in zip(jumpers, shuffle_columns, strict=True)
    )
    return JumperTable(*columns)


def _list_jumper_rows(
    cluster: Cluster, patching: Patching, plugs: PlugTable, end_and_positions: tuple[int, Ints]
) -> PulledRows:
    """Return the jumpers at the a ends (0) or at the b ends (1) of cables, a row for each cable end row and panel.

    `end_and_positions` are the end, and the sort keys of all cable end rows there.
    """
    plan, (end, positions) = cluster.plan, end_and_positions
    jumpers = find_jumpers(cluster, patching, plugs, end)
    first_jumpers, row_of_jumper = unique_combinations(jumpers.row, jumpers.panel)
    row, panel = jumpers.row[first_jumpers], jumpers.panel[first_jumpers]
    cable, link = plan.cables.end_cable[row], plan.cables.end_link[row]
    device = (plan.links.b_device if end else plan.links.a_device)[link]
    device_rack, panel_rack = plan.devices.rack[device], patching.panels.rack[panel]
    a_rack, b_rack = (panel_rack, device_rack) if end else (device_rack, panel_rack)
    brings_piece = np.zeros(len(row_of_jumper), dtype=bool)
    brings_piece[unique_combinations(jumpers.piece)[0]] = True
    # the device is at the a end of a jumper at the a end (0) of its cable, and at the b end of one at the b end (1)
    is_device_first = (is_a_first(cluster, a_rack, b_rack) != bool(end)) | (a_rack == b_rack)
    panel_positions = unique_combinations(panel, jumpers.port[first_jumpers])[1]
    sockets, panel_ports = _name_ends(jumpers, row_of_jumper, len(row))
    device_ends = locate_devices(cluster)[device] + ":" + sockets
    panel_ends = locate_panels(cluster, patching)[panel] + ":" + panel_ports
    return _make_rows(
        len(row),
        {
            "row": row,
            "end": np.full(len(row), end),
            "panel": panel,
            "a_rack": a_rack,
            "b_rack": b_rack,
            "position": np.where(is_device_first, positions[row], panel_positions),
            # the tails of a splitter are pulled at once, every other jumper by itself
            "unit": unique_combinations(jumpers.piece[first_jumpers], panel)[1],
            **_count_pieces(row_of_jumper, jumpers.piece, brings_piece, (a_rack, b_rack)),
            "lead": np.arange(len(row)),
            "length_m": (patching.b_jumper_m if end else patching.a_jumper_m)[cable],
            "run_m": (patching.b_run_m if end else patching.a_run_m)[cable],
            "a_end": panel_ends if end else device_ends,
            "b_end": device_ends if end else panel_ends,
        },
    )


def _name_ends(jumpers: JumperTable, row_of_jumper: Ints64, rows: int) -> tuple[Strings, Strings]:
    """Return the sockets at the device (`57/1+2` for 57/1 and 57/2) and the panel ports of each of `rows` rows.

    A panel port is `12+13`, or `12/3` for the third tail of the splitter in it. `row_of_jumper` has the row of
    each jumper.
    """
    # dicts in place of sets, as they keep the order
    sockets_by_row: list[dict[str, None]] = [{} for _ in range(rows)]
    ports_by_row: list[dict[int, None]] = [{} for _ in range(rows)]
    tails = [0] * rows
    columns = row_of_jumper.tolist(), jumpers.sockets, jumpers.port.tolist(), jumpers.tail.tolist()
    for row, socket, port, tail in zip(*columns, strict=True):
        sockets_by_row[row][socket], ports_by_row[row][port], tails[row] = None, None, tail
    sockets = [_join_sockets(list(sockets)) for sockets in sockets_by_row]
    ports = [
        join_numbers(list(numbers)) + (f"/{tail}" if tail else "")
        for numbers, tail in zip(ports_by_row, tails, strict=True)
    ]
    return np.array(sockets, dtype=object), np.array(ports, dtype=object)


def _join_sockets(sockets: Sequence[str]) -> str:
    """Return sockets of one cage as one text: `57/1+2` for 57/1 and 57/2."""
    cage, _, _ = sockets[0].rpartition("/")
    numbers = [socket.removeprefix(f"{cage}/") for socket in sockets]
    return f"{cage}/{join_numbers(list(map(int, numbers)))}" if len(sockets) > 1 else sockets[0]


def join_numbers(numbers: Sequence[int]) -> str:
    """Return `1+2` for 1 and 2, and `1-4` for more than two that follow one another."""
    lowest, highest = numbers[0], numbers[-1]
    if len(numbers) > 2 and list(numbers) == list(range(lowest, highest + 1)):
        return f"{lowest}-{highest}"
    return "+".join(map(str, numbers))


def _list_trunk_rows(cluster: Cluster, patching: Patching) -> PulledRows:
    """Return the pulled rows of trunks, one for each, which is pulled by itself and has no cable end row."""
    table, number, panel_places = patching.trunks, np.arange(len(patching.trunks)), locate_panels(cluster, patching)
    a_rack, b_rack = patching.panels.rack[table.a_panel], patching.panels.rack[table.b_panel]
    panels_and_ports = (table.a_panel, table.b_panel), (table.a_port, table.b_port)
    is_a_home, texts = is_a_first(cluster, a_rack, b_rack), trunks.make_table(cluster, patching).columns
    return _make_rows(
        len(table),
        {
            "end": np.full(len(table), TRUNK_END),
            "trunk": number,
            "a_rack": a_rack,
            "b_rack": b_rack,
            "position": unique_combinations(*(np.where(is_a_home, *pair) for pair in panels_and_ports))[1],
            "unit": number,
            "laid": np.ones(len(table), dtype=np.int32),
            "jumpers": np.ones(len(table), dtype=np.int32),
            "lead": number,
            "length_m": table.length_m,
            "run_m": table.run_m,
            "a_end": panel_places[table.a_panel] + ":" + np.array(texts["a_ports"], dtype=object),
            "b_end": panel_places[table.b_panel] + ":" + np.array(texts["b_ports"], dtype=object),
        },
    )


def locate_panels(cluster: Cluster, patching: Patching) -> Strings:
    """Return `h1.R02.P01-U48` of every panel; object array of str."""
    units = np.array([f"-U{u:02d}" for u in patching.panels.u.tolist()], dtype=object)
    places: Strings = locate_racks(cluster)[patching.panels.rack] + units
    return places


def name_parts(cluster: Cluster, rows: PulledRows) -> Strings:
    """Return the part number of one piece (cable, jumper or trunk) of each pulled row; object array of str."""
    cable_parts, patching = CableParts(cluster), cluster.plan.patching
    part_numbers, cable = np.full(len(rows), "", dtype=object), cluster.plan.cables.end_cable[rows.row]
    direct, channels = np.flatnonzero(rows.end == DIRECT), cable_parts.channels
    part_numbers[direct] = [split_set(str(part))[1] for part in cable_parts.parts[0].take(cable[direct])]
    if patching is None or channels is None:
        return part_numbers
    for end in (0, 1):
        jumper_parts = np.array([split_set(ends[end][0].part)[1] for ends in channels.kinds], dtype=object)
        jumpers = np.flatnonzero(rows.end == end)
        part_numbers[jumpers] = jumper_parts[channels.kind[np.searchsorted(channels.cable, cable[jumpers])]]
    trunk_parts, part_of_trunk = PatchParts(cluster, patching).trunk_parts
    part_numbers[rows.end == TRUNK_END] = np.array([part.part for part in trunk_parts], dtype=object)[part_of_trunk]
    return part_numbers


THROUGH = "panels"
"""The text on rack and pull sheets for a cable through a fibre shuffle, which has no ports on these sheets."""


def locate_panel_ports(cluster: Cluster, *, whole: bool = False) -> tuple[Strings, Strings] | None:
    """Return the panel ports of the jumpers at the a ends, and of those at the b ends, as text for each cable end row;
    None if nothing is patched.

    A port is `U48:1+2` in the rack of the end, `P01-U48:1+2` in its row, and has its whole location if `whole`. The
    text is `THROUGH` for a cable through a fibre shuffle, and "" for a direct one.
    """
    patching, cables = cluster.plan.patching, cluster.plan.cables
    if patching is None:
        return None
    columns = patches.make_table(cluster, patching).columns
    position_of_rack = dict(zip(cluster.plan.racks.names, locate_racks(cluster).tolist(), strict=True))
    cells = zip(*(columns[name] for name in ("rack", "u", "port")), strict=True)
    # the jumper at the common end of a breakout is with the first row of its cable
    first_rows = cables.find_first_rows()[cables.end_cable].tolist()
    links, texts_by_end = cluster.plan.links, []
    for end, device in enumerate((links.a_device, links.b_device)):
        rows = patches.find_jumper_ends(cluster, patching, end).row
        device_positions = locate_racks(cluster)[cluster.plan.devices.rack[device[cables.end_link]]].tolist()
        ports_by_row: dict[int, dict[str, list[str]]] = {}
        # zip stops after `rows`, its first argument, without taking a cell of the next end from `cells`
        for row, (rack, u, port) in zip(rows.tolist(), cells, strict=False):
            position = position_of_rack[str(rack)]
            panel = (f"{position}-" if whole else _shorten_place(position, device_positions[row])) + f"U{u:02d}"
            ports_by_row.setdefault(row, {}).setdefault(panel, []).append(str(port))
        texts = np.array(["", THROUGH], dtype=object)[(patching.policy[cables.end_cable] >= 0).astype(np.int32)]
        for row, first_row in enumerate(first_rows):
            panels = ports_by_row.get(row) or ports_by_row.get(first_row)
            if panels:
                texts[row] = ", ".join(f"{panel}:{'+'.join(ports)}" for panel, ports in panels.items())
        texts_by_end.append(texts)
    return texts_by_end[0], texts_by_end[1]


def _shorten_place(position: str, nearby: str) -> str:
    """Return the part of a rack's position that tells it from a nearby rack: "" for the same rack, `P01-` in the same
    row, else the whole position and `-`.
    """
    return "" if position == nearby else position.removeprefix(f"{nearby.rpartition('.')[0]}.") + "-"

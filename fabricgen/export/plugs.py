"""The jumpers and tails of each cable, and what is printed at the plug of each end.

A cable between twin-port cages is two fibres, each with a plug of its own at either end; one from a twin-port cage to
two devices is a fibre to each; a splitter has one plug at its common end and a tail to each far end. A plug reads as
its cage, `12`, or as the connector that it is in, `12/2`; the far end of a tail also says which tail: `12/3`, or
`12/2/1` where the splitter is in the second connector.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from fabricgen.bom.cables import CableParts
from fabricgen.cluster import Cluster
from fabricgen.numbering.lazy_columns import EncodedColumn, encode_column
from fabricgen.wiring.arrays import Flags, Ints, Ints64, all_alike, rank_within, unique_combinations
from fabricgen.wiring.cabling.cables import find_share_of_cage, find_socket
from fabricgen.wiring.cabling.end_kinds import are_common_ends_lower
from fabricgen.wiring.cabling.end_numbers import number_connectors, number_ends
from fabricgen.wiring.tables import Side


@dataclass(frozen=True)
class PlugColumns:
    """What one end of each row is in, int32 columns from 0, -1 for none: a socket of the cage, the jumper among those
    of a cable that fills it (`last` where a row stands for several), and the tail of a splitter.
    """

    socket: Ints
    jumper: Ints
    last: Ints
    tail: Ints

    def select_rows(self, rows: Ints64) -> PlugColumns:
        """The same columns at some cable end rows."""
        return PlugColumns(self.socket[rows], self.jumper[rows], self.last[rows], self.tail[rows])

    def format_texts(
        self, cages: EncodedColumn, *, tails: bool = True, ports: tuple[EncodedColumn, Flags] | None = None
    ) -> EncodedColumn:
        """`12/2/1`, behind the cage of each row, without tails if these are not wanted.

        With `ports`, also that of the NOS where it is not the same, unless a row stands for several links:
        `12/2 swp12s1`.
        """
        shown = self if tails else replace(self, tail=np.full_like(self.tail, -1))
        # printed from 1: 0 is for none
        columns = [column + 1 for column in (shown.socket, shown.jumper, shown.last, shown.tail)]
        names, several = ports or (encode_column([""], np.zeros_like(self.tail)), np.ones(len(self.tail), dtype=bool))
        # there are few different texts: each is made once, of the first row that has it
        first, code = unique_combinations(cages.codes, *columns, names.codes, several)
        numbers = zip(*(column[first].tolist() for column in columns), strict=True)
        keys = zip(cages.take(first), numbers, names.take(first), several[first].tolist(), strict=True)
        return encode_column([_format_plug(*key) for key in keys], code.astype(np.int32))


@dataclass(frozen=True)
class PlugTable:
    """One row for each jumper of a straight cable and each tail of a splitter, in the order of cable end rows.

    `row` (int64) is its cable end row, `piece` (int32) its jumper or splitter in the cable, `tails` (int32) how many
    tails that has, 1 for a straight one. `ends` are what the plugs of a ends and b ends are in.
    """

    row: Ints64
    piece: Ints
    tails: Ints
    ends: tuple[PlugColumns, PlugColumns]

    def merge_by_row(self, rows: int) -> tuple[PlugColumns, PlugColumns]:
        """The plugs at the (a ends, b ends) of each of `rows` cable end rows, those of several jumpers together."""
        # rows of plugs are ascending by cable end row, and every end row has one
        first = np.searchsorted(self.row, np.arange(rows))
        last = np.searchsorted(self.row, np.arange(rows), side="right") - 1
        a, b = (replace(end.select_rows(first), last=end.jumper[last]) for end in self.ends)
        return a, b


def list_plugs(cluster: Cluster) -> PlugTable:
    """The plugs of all cables, patched ones as if they were direct."""
    cables, links = cluster.plan.cables, cluster.plan.links
    common_a = are_common_ends_lower(links, cables)
    pieces, far_ends = count_cable_pieces(cluster)
    cable = cables.end_cable
    leg = _number_legs(cluster, common_a) % far_ends[cable]
    # either a cable has several jumpers to each far end, or a piece has several tails: the other is 1
    jumper_counts, tails = np.maximum(pieces // far_ends, 1), np.maximum(far_ends // pieces, 1)
    row = np.repeat(np.arange(len(cable)), jumper_counts[cable])
    cable = cable[row]
    jumper_number = rank_within(row)
    piece, tail = leg[row] * jumper_counts[cable] // tails[cable] + jumper_number, leg[row] % tails[cable]
    ends = []
    for end, socket in enumerate(find_sockets(cluster)):
        # ends are a, then b. Where all jumpers of a cable meet, a plug is numbered among all of them; at a far end,
        # among those that lead there. A straight cable is common at both ends
        common = (common_a[cable] != bool(end)) | (far_ends[cable] == 1)
        common_jumper = np.where(pieces[cable] > 1, piece, -1)
        jumper = np.where(common, common_jumper, np.where(jumper_counts[cable] > 1, jumper_number, -1)).astype(np.int32)
        tail_number = np.where(common & (tails[cable] > 1), tail, -1).astype(np.int32)
        ends.append(PlugColumns(socket[row], jumper, jumper, tail_number))
    return PlugTable(row, piece.astype(np.int32), tails[cable], (ends[0], ends[1]))


def list_cable_end_ports(
    cluster: Cluster,
) -> tuple[tuple[EncodedColumn, EncodedColumn], tuple[EncodedColumn, EncodedColumn]]:
    """((cage, at a and b ends), (port, at a and b ends)) of each cable end row; that of the first link of several."""
    rows, names = cluster.plan.cables.end_link, cluster.port_names
    cages_a, cages_b = (column.take(rows) for column in names.cage_columns)
    ports_a, ports_b = (column.take(rows) for column in names.port_columns)
    return (cages_a, cages_b), (ports_a, ports_b)


def make_label_texts(cluster: Cluster) -> tuple[EncodedColumn, EncodedColumn]:
    """What labels in cables.csv say of the (a ends, b ends) of each cable end row after the place: what is
    printed on the plug, and the port of the NOS, `12/2 Ethernet104`.
    """
    cables = cluster.plan.cables
    ends = zip(list_plugs(cluster).merge_by_row(len(cables.end_link)), *list_cable_end_ports(cluster), strict=True)
    a, b = (plug.format_texts(cages, ports=(ports, cables.end_links > 1)) for plug, cages, ports in ends)
    return a, b


def count_cable_pieces(cluster: Cluster) -> tuple[Ints, Ints]:
    """(number of jumpers or assemblies, number of far ends) of each cable, int32.

    A cable that no whole number of fibres makes counts as one.
    """
    parts = CableParts(cluster)
    assemblies, code = parts.made
    pieces = [assembly.wanted.pieces or (1, assembly.wanted.far_ends) for assembly in assemblies]
    return np.array([count for count, _ in pieces], dtype=np.int32)[code], parts.widths[0]


def _number_legs(cluster: Cluster, common_a: Flags) -> Ints:
    """Which share of the cage at the common end each cable end row uses, from 0; int32."""
    cables, links = cluster.plan.cables, cluster.plan.links
    rows, at_a = cables.end_link, common_a[cables.end_cable]
    port = np.where(at_a, links.a_port[rows], links.b_port[rows])
    columns = (links.segment[rows], port, cables.end_links, at_a)
    first, code = unique_combinations(*columns)
    sides = [(segment.b, segment.a) for segment in links.segments]
    keys = zip(*(column[first].tolist() for column in columns), strict=True)
    shares: Ints = np.array([find_share_of_cage(sides[i][a], p, n) for i, p, n, a in keys], dtype=np.int32)[code]
    return shares


def _format_plug(cage: str, numbers: tuple[int, int, int, int], port: str, several: bool) -> str:
    """What a plug is in: `12`, `12/2`, `12/1+2`, `12/1-4`, `12/2/1`; numbers from 1, 0 for none."""
    socket, first, last, tail = numbers
    text = cage + "".join(f"/{number}" for number in (socket, first) if number)
    text += f"{'+' if last == first + 1 else '-'}{last}" if last > first else f"/{tail}" if tail else ""
    return append_port(text, cage, port, several=several)


def append_port(socket: str, cage: str, port: str, *, several: bool) -> str:
    """A socket, and the NOS's name of the port unless that is the same, or one of `several`: `12/2 Ethernet104`."""
    return socket if several or port in (socket, cage) else f"{socket} {port}"


# Which socket of its cage each end of a cable is in.


def find_sockets(cluster: Cluster) -> tuple[Ints, Ints]:
    """The socket (from 0) of its cage at the a and b end of each cable end row, int32; -1 for the whole cage.

    Where cables with links of their own share a connector, as two 400G links from different devices in an 800G cage,
    each has the number of its port in the cage. A cable that fills all connectors of a cage has the cage.
    """
    if cluster.phase:
        a, b = find_sockets(cluster.phase.whole)
        return a[cluster.phase.ends], b[cluster.phase.ends]
    cables, links = cluster.plan.cables, cluster.plan.links
    rows, on_a = cables.end_link, are_common_ends_lower(links, cables)[cables.end_cable]
    numbers = number_ends(cluster.plan.devices, links, number_connectors)
    sockets = []
    for end, connector in enumerate((numbers.a, numbers.b)):
        sides = [segment.b if end else segment.a for segment in links.segments]
        has_common_end = on_a != bool(end)
        port = (links.b_port if end else links.a_port)[rows]
        number = _number_sockets(sides, links.segment[rows], port, cables.end_links, has_common_end)
        in_one_connector = all_alike(cables.end_cable, connector[rows], len(cables))
        number[has_common_end & ~in_one_connector[cables.end_cable]] = -1
        sockets.append(number)
    return sockets[0], sockets[1]


def _number_sockets(sides: list[Side], segment: Ints, port: Ints, carried: Ints, has_common_end: Flags) -> Ints:
    """What each end uses of its cage: a socket or port number, -1 for all of it; int32.

    An entry is a cable end row: `sides` has the side of its segment, `carried` is how many links it has;
    `has_common_end` says whether the common end is there.
    """
    first, code = unique_combinations(segment, port, carried, has_common_end)
    keys = zip(*(column[first].tolist() for column in (segment, port, carried, has_common_end)), strict=True)
    numbers: Ints = np.array([find_socket(sides[i], *key) for i, *key in keys], dtype=np.int32)[code]
    return numbers

"""The jumpers and tails of each cable, and the text printed for the plug of each end.

A cable between twin-port cages is two fibres, each with a plug of its own at either end; a cable from a twin-port cage
to two devices is a fibre to each; a splitter has one plug at its common end and a tail to each far end. The text of a
plug is its cage, `12`, or the connector that it is in, `12/2`; the far end of a tail also has the number of the tail:
`12/3`, or `12/2/1` if the splitter is in the second connector.

A cable end row is a row of cables.csv: each cable has one for each of its far ends.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from fabricgen.bom.cables import CableParts
from fabricgen.cluster import Cluster
from fabricgen.numbering.lazy_columns import EncodedColumn, encode_column
from fabricgen.wiring.arrays import Flags, Ints, Ints64, all_alike, rank_within, unique_combinations
from fabricgen.wiring.cabling.end_numbers import number_device_connectors, number_ends
from fabricgen.wiring.cabling.far_ends import are_common_ends_lower
from fabricgen.wiring.cabling.plugs import find_share_of_cage, find_socket
from fabricgen.wiring.tables import Side


@dataclass(frozen=True)
class PlugColumns:
    """What the plugs at one end of each row are in, as int32 columns of numbers from 0; -1 for none.

    `socket` is the connector of the cage. `jumper` is the number of the jumper in a cable whose parallel jumpers fill
    the cage, and `last` the number of the last jumper if the row stands for several. `tail` is the number of the
    splitter's tail.
    """

    socket: Ints
    jumper: Ints
    last: Ints
    tail: Ints

    def select_rows(self, rows: Ints64) -> PlugColumns:
        """Return the same columns at some cable end rows."""
        return PlugColumns(self.socket[rows], self.jumper[rows], self.last[rows], self.tail[rows])

    def format_texts(
        self, cages: EncodedColumn, *, tails: bool = True, ports: tuple[EncodedColumn, Flags] | None = None
    ) -> EncodedColumn:
        """Return the text of each plug, such as `12/2/1`: the cage of its row, the socket or jumper in it, and the
        tail.

        Without `tails` the tail is left out. `ports` are the NOS's names of the ports, and whether a row stands for
        several links. The name follows the text if it differs from it and the row stands for one link: `12/2 swp12s1`.
        """
        shown = self if tails else replace(self, tail=np.full_like(self.tail, -1))
        # numbers are printed from 1; 0 stands for none
        columns = [column + 1 for column in (shown.socket, shown.jumper, shown.last, shown.tail)]
        port_names, has_several_links = ports or (
            encode_column([""], np.zeros_like(self.tail)),
            np.ones(len(self.tail), dtype=bool),
        )
        # there are few different texts: each is made once, from the first row that has it
        first_rows, text_of_row = unique_combinations(cages.codes, *columns, port_names.codes, has_several_links)
        numbers = zip(*(column[first_rows].tolist() for column in columns), strict=True)
        plugs = zip(
            cages.take(first_rows),
            numbers,
            port_names.take(first_rows),
            has_several_links[first_rows].tolist(),
            strict=True,
        )
        return encode_column([_format_plug(*plug) for plug in plugs], text_of_row.astype(np.int32))


@dataclass(frozen=True)
class PlugTable:
    """The plugs of all cables: a row for each jumper of a straight cable and each tail of a splitter, by cable end row.

    `row` (int64) is the cable end row. `piece` (int32) is the number, from 0, that the jumper or splitter has in its
    cable. `tails` (int32) is the number of tails of the splitter, 1 for a jumper. `ends` says what the plugs at a ends
    and at b ends are in.
    """

    row: Ints64
    piece: Ints
    tails: Ints
    ends: tuple[PlugColumns, PlugColumns]

    def merge_by_row(self, rows: int) -> tuple[PlugColumns, PlugColumns]:
        """Return the plugs at the a ends and at the b ends, with one entry for each of the `rows` cable end rows.

        Several jumpers of a row become one entry, with numbers from `jumper` to `last`.
        """
        # rows of plugs are ascending by cable end row, and every end row has one
        first_plug = np.searchsorted(self.row, np.arange(rows))
        last_plug = np.searchsorted(self.row, np.arange(rows), side="right") - 1
        a, b = (replace(end.select_rows(first_plug), last=end.jumper[last_plug]) for end in self.ends)
        return a, b


def list_plugs(cluster: Cluster) -> PlugTable:
    """Return the plugs of all cables; patched cables count as if they were direct."""
    cables, links = cluster.plan.cables, cluster.plan.links
    common_a = are_common_ends_lower(links, cables)
    pieces, far_ends = count_cable_pieces(cluster)
    cable = cables.end_cable
    # which far end of its cable each cable end row leads to
    leg = _number_legs(cluster, common_a) % far_ends[cable]
    # either a cable has several jumpers to each far end, or a piece has several tails: the other is 1
    jumper_counts, tails = np.maximum(pieces // far_ends, 1), np.maximum(far_ends // pieces, 1)
    row = np.repeat(np.arange(len(cable)), jumper_counts[cable])
    cable = cable[row]
    jumper_number = rank_within(row)
    piece, tail = leg[row] * jumper_counts[cable] // tails[cable] + jumper_number, leg[row] % tails[cable]
    ends = []
    for end, socket in enumerate(find_sockets(cluster)):
        # ends are a, then b. At the end where all jumpers of a cable meet, a plug is numbered among all of them; at a
        # far end, among those that lead there. Both ends of a straight cable count as common ends
        is_common_end = (common_a[cable] != bool(end)) | (far_ends[cable] == 1)
        common_jumper = np.where(pieces[cable] > 1, piece, -1)
        jumper = np.where(is_common_end, common_jumper, np.where(jumper_counts[cable] > 1, jumper_number, -1)).astype(
            np.int32
        )
        tail_number = np.where(is_common_end & (tails[cable] > 1), tail, -1).astype(np.int32)
        ends.append(PlugColumns(socket[row], jumper, jumper, tail_number))
    return PlugTable(row, piece.astype(np.int32), tails[cable], (ends[0], ends[1]))


def list_cable_end_ports(
    cluster: Cluster,
) -> tuple[tuple[EncodedColumn, EncodedColumn], tuple[EncodedColumn, EncodedColumn]]:
    """Return (cages, ports): of each a column for the a ends and one for the b ends, by cable end row.

    If a row has several links, the port is that of the first.
    """
    rows, names = cluster.plan.cables.end_link, cluster.port_names
    cages_a, cages_b = (column.take(rows) for column in names.cage_columns)
    ports_a, ports_b = (column.take(rows) for column in names.port_columns)
    return (cages_a, cages_b), (ports_a, ports_b)


def make_label_texts(cluster: Cluster) -> tuple[EncodedColumn, EncodedColumn]:
    """Return the text of labels in cables.csv after the position, for the a ends and the b ends of cable end rows.

    It is what is printed at the plug, and the port of the NOS: `12/2 Ethernet104`.
    """
    cables = cluster.plan.cables
    ends = zip(list_plugs(cluster).merge_by_row(len(cables.end_link)), *list_cable_end_ports(cluster), strict=True)
    a, b = (plug.format_texts(cages, ports=(ports, cables.end_links > 1)) for plug, cages, ports in ends)
    return a, b


def count_cable_pieces(cluster: Cluster) -> tuple[Ints, Ints]:
    """Return two int32 columns by cable: how many jumpers or assemblies it is made of, and how many far ends it has.

    A cable that cannot be made of a whole number of fibres counts as one assembly.
    """
    parts = CableParts(cluster)
    assemblies, code = parts.made
    pieces = [assembly.wanted.pieces or (1, assembly.wanted.far_ends) for assembly in assemblies]
    return np.array([count for count, _ in pieces], dtype=np.int32)[code], parts.widths[0]


def _number_legs(cluster: Cluster, common_a: Flags) -> Ints:
    """Return, by cable end row, the share of the cage at the common end of its cable that it uses, numbered from 0;
    int32.

    `common_a` says for each cable whether its common end is the a end.
    """
    cables, links = cluster.plan.cables, cluster.plan.links
    rows, at_a = cables.end_link, common_a[cables.end_cable]
    columns = (links.segment[rows], np.where(at_a, links.a_port[rows], links.b_port[rows]), cables.end_links, at_a)
    first_rows, share_key = unique_combinations(*columns)
    # by segment, the b end and the a end: `is_common_a` is the index of the common end
    sides = [(segment.b, segment.a) for segment in links.segments]
    distinct_ends = zip(*(column[first_rows].tolist() for column in columns), strict=True)
    shares = [
        find_share_of_cage(sides[segment][is_common_a], port, link_count)
        for segment, port, link_count, is_common_a in distinct_ends
    ]
    return np.array(shares, dtype=np.int32)[share_key]


def _format_plug(cage: str, numbers: tuple[int, int, int, int], port: str, several: bool) -> str:
    """Return the text of a plug: `12`, `12/2`, `12/1+2`, `12/1-4`, `12/2/1`.

    `numbers` are (socket, first jumper, last jumper, tail), from 1, 0 for none. `several` says that the plug has
    several links, so that no port follows.
    """
    socket, first_jumper, last_jumper, tail = numbers
    text = cage + "".join(f"/{number}" for number in (socket, first_jumper) if number)
    if last_jumper > first_jumper:
        text += f"{'+' if last_jumper == first_jumper + 1 else '-'}{last_jumper}"
    elif tail:
        text += f"/{tail}"
    return append_port(text, cage, port, several=several)


def append_port(socket: str, cage: str, port: str, *, several: bool) -> str:
    """Return a socket and the NOS's name of its port: `12/2 Ethernet104`.

    The name is left out if the socket has `several` ports, or if it is the same as the socket or the cage.
    """
    return socket if several or port in (socket, cage) else f"{socket} {port}"


# The socket of its cage that each end of a cable is in.


def find_sockets(cluster: Cluster) -> tuple[Ints, Ints]:
    """Return which connector of its cage each cable end row uses at its a end, and which at its b end, from 0; int32.

    It is -1 if the cable fills all connectors of the cage. If several cables share a connector, as two 400G links from
    different devices in an 800G cage, the number is that of the port in the cage.
    """
    if cluster.phase:
        a, b = find_sockets(cluster.phase.whole)
        return a[cluster.phase.ends], b[cluster.phase.ends]
    cables, links = cluster.plan.cables, cluster.plan.links
    rows, on_a = cables.end_link, are_common_ends_lower(links, cables)[cables.end_cable]
    numbers = number_ends(cluster.plan.devices, links, number_device_connectors)
    sockets = []
    for end, connector in enumerate((numbers.a, numbers.b)):
        sides = [segment.b if end else segment.a for segment in links.segments]
        # whether the common end is at this end: `end` is 0 for a ends and 1 for b ends
        has_common_end = on_a != bool(end)
        port = (links.b_port if end else links.a_port)[rows]
        number = _number_sockets(sides, links.segment[rows], port, cables.end_links, has_common_end)
        # -1 for a common end whose rows are in different connectors: the cable fills all of the cage
        number[has_common_end & ~all_alike(cables.end_cable, connector[rows], len(cables))[cables.end_cable]] = -1
        sockets.append(number)
    return sockets[0], sockets[1]


def _number_sockets(sides: list[Side], segment: Ints, port: Ints, link_count: Ints, has_common_end: Flags) -> Ints:
    """Return the number of the connector or port that each end uses in its cage; int32, -1 if it uses the whole cage.

    `sides` has this end of each segment. The other arguments are columns by cable end row: `link_count` is the number
    of links of a row, and `has_common_end` says whether the common end of the cable is here.
    """
    first_rows, index = unique_combinations(segment, port, link_count, has_common_end)
    columns = (column[first_rows].tolist() for column in (segment, port, link_count, has_common_end))
    sockets = [find_socket(sides[number], *end) for number, *end in zip(*columns, strict=True)]
    return np.array(sockets, dtype=np.int32)[index]

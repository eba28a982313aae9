"""Names of cable ends on labels."""

from __future__ import annotations

import numpy as np

from fabricgen.cluster import Cluster
from fabricgen.export.columns import end_place
from fabricgen.numbering.lazy_columns import EncodedColumn, Strings, encoded
from fabricgen.wiring.cabling.cables import connectors, socket_in_cage
from fabricgen.wiring.cabling.end_numbers import end_numbers
from fabricgen.wiring.cabling.pieces import common_ends
from fabricgen.wiring.groups import all_alike, unique_combinations
from fabricgen.wiring.tables import Flags, Ints, Side


def port_texts(cluster: Cluster) -> tuple[EncodedColumn, EncodedColumn]:
    """Cage, and port if its connector carries one link only, of the a and b end of each cable end row."""
    names, cables = cluster.port_names, cluster.plan.cables
    several = cables.end_links > 1
    a, b = (
        _texts(cages.take(cables.end_link), ports.take(cables.end_link), several)
        for cages, ports in zip(names.cage_columns, names.port_columns, strict=True)
    )
    return a, b


def _texts(cages: EncodedColumn, ports: EncodedColumn, several: Flags) -> EncodedColumn:
    first, code = unique_combinations(cages.codes, ports.codes, several)
    ends = zip(cages.take(first), ports.take(first), several[first].tolist(), strict=True)
    return encoded([end_place(*end) for end in ends], code.astype(np.int32))


def socket_texts(cluster: Cluster) -> tuple[Strings, Strings]:
    """The socket at the a and b end of each cable end row: `12`, or `12/2` in a cage with several sockets.

    This is the label on the front of a device, whatever its operating system calls the port. Where cables with links of
    their own share a connector, as two 400G links from different devices in an 800G cage, each is named by its port in
    the cage. A cable that fills all connectors of a cage is named by the cage. Object arrays of str.
    """
    if cluster.phase:
        a, b = socket_texts(cluster.phase.whole)
        return a[cluster.phase.ends], b[cluster.phase.ends]
    cables, links = cluster.plan.cables, cluster.plan.links
    rows, on_a = cables.end_link, common_ends(links, cables)[cables.end_cable]
    numbers = end_numbers(cluster.plan.devices, links, connectors)
    found = []
    for end, (cages, connector) in enumerate(zip(cluster.cages, (numbers.a, numbers.b), strict=True)):
        sides = [segment.b if end else segment.a for segment in links.segments]
        hangs = on_a != bool(end)
        port = (links.b_port if end else links.a_port)[rows]
        number = _numbers(sides, links.segment[rows], port, cables.end_links, hangs)
        one = all_alike(cables.end_cable, connector[rows], len(cables))
        number[hangs & ~one[cables.end_cable]] = -1
        tails = np.array(["", *(f"/{n + 1}" for n in range(int(number.max(initial=-1)) + 1))], dtype=object)
        found.append(cages[rows] + tails[number + 1])
    return found[0], found[1]


def _numbers(sides: list[Side], segment: Ints, port: Ints, carried: Ints, hangs: Flags) -> Ints:
    """What each end uses of its cage: a socket or port number, -1 for all of it; `hangs` says whether the common end is
    there.
    """
    first, code = unique_combinations(segment, port, carried, hangs)
    keys = zip(*(column[first].tolist() for column in (segment, port, carried, hangs)), strict=True)
    numbers: Ints = np.array([socket_in_cage(sides[i], *key) for i, *key in keys], dtype=np.int32)[code]
    return numbers

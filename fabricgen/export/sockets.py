"""Which socket of its cage each end of a cable is in."""

from __future__ import annotations

import numpy as np

from fabricgen.cluster import Cluster
from fabricgen.wiring.cabling.cables import connectors, socket_in_cage
from fabricgen.wiring.cabling.end_numbers import end_numbers
from fabricgen.wiring.cabling.pieces import common_ends
from fabricgen.wiring.groups import all_alike, unique_combinations
from fabricgen.wiring.tables import Flags, Ints, Side


def socket_numbers(cluster: Cluster) -> tuple[Ints, Ints]:
    """The socket (from 0) of its cage at the a and b end of each cable end row, int32; -1 for the whole cage.

    Where cables with links of their own share a connector, as two 400G links from different devices in an 800G cage,
    each has the number of its port in the cage. A cable that fills all connectors of a cage has the cage.
    """
    if cluster.phase:
        a, b = socket_numbers(cluster.phase.whole)
        return a[cluster.phase.ends], b[cluster.phase.ends]
    cables, links = cluster.plan.cables, cluster.plan.links
    rows, on_a = cables.end_link, common_ends(links, cables)[cables.end_cable]
    numbers = end_numbers(cluster.plan.devices, links, connectors)
    found = []
    for end, connector in enumerate((numbers.a, numbers.b)):
        sides = [segment.b if end else segment.a for segment in links.segments]
        hangs = on_a != bool(end)
        port = (links.b_port if end else links.a_port)[rows]
        number = _numbers(sides, links.segment[rows], port, cables.end_links, hangs)
        one = all_alike(cables.end_cable, connector[rows], len(cables))
        number[hangs & ~one[cables.end_cable]] = -1
        found.append(number)
    return found[0], found[1]


def _numbers(sides: list[Side], segment: Ints, port: Ints, carried: Ints, hangs: Flags) -> Ints:
    """What each end uses of its cage: a socket or port number, -1 for all of it; `hangs` says whether the common end is
    there.
    """
    first, code = unique_combinations(segment, port, carried, hangs)
    keys = zip(*(column[first].tolist() for column in (segment, port, carried, hangs)), strict=True)
    numbers: Ints = np.array([socket_in_cage(sides[i], *key) for i, *key in keys], dtype=np.int32)[code]
    return numbers

"""What the ends of cables are called on labels."""

from __future__ import annotations

import numpy as np

from fabricgen.allocate.ports import Strings
from fabricgen.cluster import Cluster
from fabricgen.export.columns import end_place, picked
from fabricgen.parts.cables import distinct
from fabricgen.plan.cabling import anchor_rows, connector_in_cage, port_in_cage
from fabricgen.plan.tables import Ints, Side


def port_texts(cluster: Cluster) -> tuple[list[str], list[str]]:
    """Cage, and port where a connector carries a single link, of the a and b end of each cable end row."""
    cables = cluster.plan.cables
    several = (cables.end_links > 1).tolist()
    a, b = (
        _texts(picked(cages, cables.end_link), picked(ports, cables.end_link), several)
        for cages, ports in zip(cluster.cages, (cluster.a_port, cluster.b_port), strict=True)
    )
    return a, b


def _texts(cages: list[str], ports: list[str], several: list[bool]) -> list[str]:
    known = {key: end_place(*key) for key in set(zip(cages, ports, several, strict=True))}
    return [known[key] for key in zip(cages, ports, several, strict=True)]


def socket_texts(cluster: Cluster) -> tuple[Strings, Strings]:
    """What is plugged into at the a and b end of each cable end row: `12`, or `12/2` for one of several sockets.

    That is what one sees on the face of a device, whatever its operating system calls the port. Where cables share a
    connector by links of their own, as two 400G links from elsewhere do in an 800G cage, each has its port in the cage.
    A cable with plugs of its own fills the cage. Object arrays of str.
    """
    cables, links = cluster.plan.cables, cluster.plan.links
    rows = cables.end_link
    lower = anchor_rows(links, cables)[1][cables.end_cable]
    plugs = np.array([medium.attached for medium in cables.media], dtype=bool)[cables.medium[cables.end_cable]]
    found = []
    for end, cages in enumerate(cluster.cages):
        sides = [segment.b if end else segment.a for segment in links.segments]
        carried = np.where(lower == bool(end), cables.end_links, 0).astype(np.int32)
        number = _numbers(sides, links.segment[rows], (links.b_port if end else links.a_port)[rows], carried)
        number[plugs] = -1
        tails = np.array(["", *(f"/{n + 1}" for n in range(int(number.max(initial=-1)) + 1))], dtype=object)
        found.append(cages[rows] + tails[number + 1])
    return found[0], found[1]


def _numbers(sides: list[Side], segment: Ints, port: Ints, carried: Ints) -> Ints:
    """The number (from 0) in its cage of what each port uses, -1 for the only one.

    `carried`: links of the cable there, 0 at the end that it hangs on.
    """
    first, code = distinct(segment, port, carried)
    keys = zip(segment[first].tolist(), port[first].tolist(), carried[first].tolist(), strict=True)
    numbers: Ints = np.array([_number(sides[i], *key) for i, *key in keys], dtype=np.int32)[code]
    return numbers


def _number(side: Side, port: int, carried: int) -> int:
    if 0 < carried < side.per_connector:
        return port_in_cage(side, port) // carried
    return connector_in_cage(side, port)

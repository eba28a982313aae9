"""Plugs of cables in a finished plan: the cage and the connector of it that each end of a cable takes."""

from __future__ import annotations

import numpy as np

from fabricgen.design.fabric_model import Attachment
from fabricgen.design.ports import PortRun
from fabricgen.wiring.arrays import Flags, Ints, Ints64, unique_inverse, unique_values
from fabricgen.wiring.cabling.end_numbers import EndNumbers, hangs_on_lower_end, number_cages_of_ports, number_ends
from fabricgen.wiring.cabling.far_ends import are_common_ends_lower
from fabricgen.wiring.tables import CableTable, LinkTable, Side, WiringPlan


def find_common_ends(links: LinkTable, cables: CableTable) -> tuple[Ints64, Flags, Ints]:
    """Return for each cable: its first link, whether its common end is the lower end, its connector in the cage there.

    The common end is the one at which a breakout has a single plug. The connector is -1 if it is the only one of the
    cage, or the cable fills the cage.
    """
    first_link = np.full(len(cables), len(links), dtype=np.int64)
    cabled_links = np.flatnonzero(links.cable >= 0)
    # backwards, so that the first link of a cable is written last and stays
    first_link[links.cable[cabled_links[::-1]]] = cabled_links[::-1]
    connector = np.full(len(cables), -1, dtype=np.int32)
    # every cable has a link: an index error here means that one has none
    segment_of_cable = links.segment[first_link]
    # by segment, which is right for cables that fill one connector; those that fill several get -1 below
    for i in unique_values(segment_of_cable):
        segment, cables_here = links.segments[i], np.flatnonzero(segment_of_cable == i)
        common_side, column = (segment.a, links.a_port) if hangs_on_lower_end(segment) else (segment.b, links.b_port)
        ports, row_of_port = unique_inverse(column[first_link[cables_here]])
        connector[cables_here] = np.array([find_connector(common_side, port) for port in ports], dtype=np.int32)[
            row_of_port
        ]
    # a cable that fills the cage hangs on all its connectors
    connector[cables.connectors > 1] = -1
    return first_link, are_common_ends_lower(links, cables), connector


def find_connector(side: Side, port: int) -> int:
    """Return the connector that a port uses, from 0 in its cage; -1 if the cage has only one.

    `side` is what the port is on. A cage of a NIC has only one connector if all legs in it are on connector 0.
    """
    if isinstance(side, PortRun):
        # ports are numbered cage by cage, those of one connector side by side
        return port % side.ways // side.links_per_connector if side.connectors > 1 else -1
    if isinstance(side, Attachment):
        leg = side.legs[port]
        return leg.connector if any(o.connector for o in side.legs if o.cage == leg.cage) else -1
    return -1


def find_socket(side: Side, port: int, links: int, at_common_end: bool) -> int:
    """Return the connector, from 0 in its cage, that an end of a cable of `links` links is in; -1 if it fills the cage,
    or if the cage has only one.

    `port` is any of the ports that the cable uses there. If several cables share a connector at their far ends, it is
    the index of the cable among those in the cage.
    """
    if links > side.links_per_connector:
        return -1
    if at_common_end or links == side.links_per_connector:
        return find_connector(side, port)
    return find_share_of_cage(side, port, links) if isinstance(side, PortRun | Attachment) else -1


def find_share_of_cage(side: Side, port: int, links: int) -> int:
    """Return which group of ports of its cage a port is in, from 0, if each `links` ports of the cage form a group.

    It is 0 for scale-up and management ports.
    """
    if isinstance(side, PortRun):
        return port % side.ways // links
    if isinstance(side, Attachment):
        ports_of_cage = [i for i, leg in enumerate(side.legs) if leg.cage == side.legs[port].cage]
        return ports_of_cage.index(port) // links
    return 0


def number_cages(plan: WiringPlan) -> EndNumbers:
    """Return the numbers of the cages at the a and b end of each row of the table of cable ends (a row for each plug of
    a cable at its far end), and how many cages the cluster has.
    """
    numbers, rows = number_ends(plan.devices, plan.links, number_cages_of_ports), plan.cables.end_link
    return EndNumbers(numbers.a[rows], numbers.b[rows], numbers.count)

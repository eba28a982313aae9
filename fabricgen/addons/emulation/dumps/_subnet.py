"""An InfiniBand subnet as its tools number it: each port of a node is an adapter; GUIDs, LIDs and port numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

from fabricgen.addons.emulation.dumps import Seen
from fabricgen.addons.emulation.plan import Port

FIRST_GUID = 0x0A00000000000000
"""The first GUID, of a locally administered range, so that no real adapter has one of these."""


LANES = {
    200: ("XDR", "212.5"),
    100: ("NDR", "106.25"),
    50: ("HDR", "53.125"),
    25: ("EDR", "25.78125"),
    14: ("FDR", "14.0625"),
    10: ("QDR", "10.0"),
}
"""By Gb/s of a lane its name in ibnetdiscover and its signalling rate in iblinkinfo (dump_linkspeedext_compat of
infiniband-diags/ibnetdiscover.c, mad_dump_linkspeedext of libibmad/dump.c; github.com/linux-rdma/rdma-core).
"""


class SwitchFace(NamedTuple):
    """What is known of the ports of a switch: its model, how its cages are split, and the rates that are planned.

    `splits` has, by cage, the number of ports into which that cage is split on the switches of its tier. `rates` has,
    by planned port, (lanes of its link, Gb/s of a lane).
    """

    model: str
    splits: Mapping[str, int]
    rates: Mapping[str, tuple[int, float]] = {}


class End(NamedTuple):
    """One end of a link in a subnet: the GUID, name and LID of the switch or adapter, and the number of its port.

    `switch` says whether it is a switch. The link has `lanes` lanes of `lane_gbps` Gb/s each.
    """

    guid: int
    name: str
    """Its node description: a switch's name, or a host's name with its adapter."""
    port: int
    switch: bool
    lid: int
    lanes: int
    lane_gbps: int
    """A key of `LANES`."""


def list_ends(seen: Seen, switches: Mapping[str, SwitchFace]) -> Mapping[Port, End]:
    """Return {port: its end of a link} for all ports of a subnet's switches, and for the ports of hosts that these see.

    `seen` has what each port sees, None for a port that is down. `switches` has the faces of switches by name. A switch
    numbers its ports over its face: each cage has as many numbers as the cage of its tier that is split most.
    """
    ports = {port for port in seen if port[0] in switches}
    ports |= {seen_port for port in ports if (seen_port := seen[port])}
    node_names = sorted({port[0] if port[0] in switches else " ".join(port) for port in ports})
    # a switch is one node with one LID; every port of a host is an adapter of its own
    lids = {owner: number for number, owner in enumerate(node_names, start=1)}
    end_of_port: dict[Port, End] = {}
    for device, port in sorted(ports):
        is_switch = device in switches
        name = device if is_switch else f"{device} {port}"
        number = _number_port(port, switches[device].splits) if is_switch else 1
        # as the slower of its switch ports is planned; 4 lanes of NDR where a port that is free has a link
        both_ends = filter(None, [(device, port), seen.get((device, port))])
        rates = [switches[owner].rates.get(near) for owner, near in both_ends if owner in switches]
        lanes, planned_gbps = min(filter(None, rates), key=math.prod, default=(4, 100))
        lane_gbps = max((gbps for gbps in LANES if gbps <= planned_gbps), default=min(LANES))
        guid = FIRST_GUID + 0x100 * lids[name]
        end_of_port[device, port] = End(guid, name, number, is_switch, lids[name], lanes, lane_gbps)
    return end_of_port


def list_links(seen: Seen, switches: Mapping[str, SwitchFace]) -> list[tuple[Port, End, End | None]]:
    """Return (port, its end, the far end that it sees or None) for every port of `list_ends`, in its order."""
    end_of_port = list_ends(seen, switches)
    return [(port, end, end_of_port[far] if (far := seen.get(port)) else None) for port, end in end_of_port.items()]


def _number_port(port: str, splits: Mapping[str, int]) -> int:
    """Return the number of port C/P over the face: with two numbers a cage, 1/1, 1/2 and 2/1 are 1, 2 and 3.

    Ports of a cage that is split less than others have the first of the numbers that they share.
    """
    cage, _, part = port.partition("/")
    stride = max(splits.values(), default=1)
    return stride * (int(cage) - 1) + (int(part or 1) - 1) * (stride // splits.get(cage, 1)) + 1

"""What is beyond the ports of a switch: far devices with which it speaks BGP, or to which static routes lead."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from ipaddress import ip_interface
from typing import NamedTuple

from fabricgen.switch.model import Switch
from fabricgen.switch.routing import Peer

MOST_OF_A_LINK = 16
"""A subnet of more addresses is none of a link to one far device."""


class FarEnd(NamedTuple):
    """What is beyond a port: the far address, the session with it, if any, and static routes over it.

    `loopback` is that of the far device, where the session is with that.
    """

    vrf: str
    far: str
    peer: Peer | None
    prefixes: tuple[str, ...]
    loopback: str = ""


def index_far_ends(running: Switch) -> dict[str, list[FarEnd]]:
    """By port, what is beyond it, by VRF and far address; ports of hosts are not there."""
    port_of = {far: name for name, port in running.interfaces.items() for far in _list_far(port.addresses)}
    prefixes: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for (vrf, prefix), route in running.routes.items():
        for port, far in route.hops:
            prefixes[vrf, port, far].append(prefix)
    over = {(v, p.rpartition("/")[0]): (port, far) for (v, port, far), ps in prefixes.items() for p in ps}
    ends: dict[str, list[FarEnd]] = defaultdict(list)
    spoken = set[tuple[str, str, str]]()
    for vrf, bgp in running.bgp.items():
        for key, peer in bgp.peers.items():
            if key in port_of:
                ends[port_of[key]].append(FarEnd(vrf, key, peer, ()))
                spoken.add((vrf, port_of[key], key))
            elif (vrf, key) in over:
                for (v, port, far), of_port in prefixes.items():
                    if v == vrf and any(p.rpartition("/")[0] == key for p in of_port):
                        ends[port].append(FarEnd(vrf, far, peer, (), key))
                        spoken.add((vrf, port, far))
    for (vrf, port, far), of_port in prefixes.items():
        if (vrf, port, far) not in spoken:
            ends[port].append(FarEnd(vrf, far, None, tuple(of_port)))
    return dict(ends)


def _list_far(addresses: Iterable[str]) -> Iterator[str]:
    """The other addresses of the subnets of a link."""
    for address in addresses:
        own = ip_interface(address)
        if own.network.num_addresses <= MOST_OF_A_LINK:
            yield from (str(far) for far in own.network if far != own.ip)

"""Access lists of host ports: what a DHCP server or a router sends, and no host should.

Dropped are packets from servers to clients: UDP 67 to 68 (RFC 2131), 547 to 546 (RFC 8415), and router advertisements,
type 134 of ICMPv6 (RFC 6105). What servers and relays say to each other, from 67 to 67 and from 547 to 547, passes, so
that a server may stand at a port that is guarded. A list is named after what it drops.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from fabricgen.views.host_services import HostServices
from fabricgen.views.switch import SwitchView


class Guard(NamedTuple):
    """An access list of one address family; `kinds` of what it drops are "dhcp", "dhcp6" and "ra"."""

    name: str
    v6: bool
    kinds: tuple[str, ...]


def guards_of(offers: HostServices) -> tuple[Guard, ...]:
    """The lists of a port, IPv4 before IPv6."""
    dhcp = (Guard("NO-DHCP", False, ("dhcp",)),) if offers.dhcp_guard else ()
    kinds = (*(("dhcp6",) if offers.dhcp_guard else ()), *(("ra",) if offers.ra_guard else ()))
    return (*dhcp, *((Guard("NO-" + "-".join(kinds).upper(), True, kinds),) if kinds else ()))


def guarded(switch: SwitchView) -> Iterator[tuple[Guard, tuple[str, ...]]]:
    """Each list that ports of a switch have, by name, with those ports: a bond's first port stands for it."""
    ports: dict[Guard, list[str]] = {}
    bonds = {bond.first.name for bond in switch.bonds}
    for port in switch.ports:
        if not port.bond or port.name in bonds:
            for guard in guards_of(switch.offers_to(port)):
                ports.setdefault(guard, []).append(port.name)
    yield from ((guard, tuple(ports[guard])) for guard in sorted(ports))

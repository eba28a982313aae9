"""Access lists of host ports: what a DHCP server or a router sends, and no host should.

Dropped are packets from servers to clients: UDP 67 to 68 (RFC 2131), 547 to 546 (RFC 8415), and router advertisements,
type 134 of ICMPv6 (RFC 6105). What servers and relays say to each other, from 67 to 67 and from 547 to 547, passes, so
that a server may stand at a port that is guarded. A list is named after what it drops.
"""

from __future__ import annotations

from typing import NamedTuple

from fabricgen.switch.interfaces import Access
from fabricgen.views.model.hosts import access_of
from fabricgen.views.switch import SwitchView


class Guard(NamedTuple):
    """An access list of one address family; `kinds` of what it drops are "dhcp", "dhcp6" and "ra"."""

    name: str
    v6: bool
    kinds: tuple[str, ...]


def guards_of(access: Access) -> tuple[Guard, ...]:
    """The lists of a port, IPv4 before IPv6."""
    dhcp = (Guard("NO-DHCP", False, ("dhcp",)),) if "dhcp" in access.refused else ()
    kinds = tuple(kind for kind in ("dhcp6", "ra") if kind in access.refused)
    return (*dhcp, *((Guard("NO-" + "-".join(kinds).upper(), True, kinds),) if kinds else ()))


def list_guards(switch: SwitchView, bond: str) -> dict[Guard, list[str]]:
    """Each list that ports of a switch have, by name, with those ports; `bond` is how bonds are called: {number}."""
    guarded: dict[Guard, dict[str, None]] = {}
    for port in switch.ports:
        for guard in guards_of(access_of(switch, port)):
            guarded.setdefault(guard, {})[bond.format(number=port.bond) if port.bond else port.name] = None
    return {guard: list(guarded[guard]) for guard in sorted(guarded)}

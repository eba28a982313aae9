"""What a leaf is told to do for its hosts, in words that belong to no NOS."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Access:
    """What a port of hosts refuses.

    `storm`: percent of its speed by kind of flooded frames. `bpdu_guard`: it goes down where spanning tree speaks.
    `refused`: packets that are dropped where they come in, of "dhcp" and "dhcp6" servers and of "ra" senders.
    """

    storm: Mapping[str, float] = field(default_factory=dict)
    bpdu_guard: bool = False
    refused: frozenset[str] = frozenset()


DROPPED = {
    "dhcp": (17, 67, 68),
    "dhcp6": (17, 547, 546),
    "ra": (58, 134, 0),
}
"""Refused packets: IP protocol, and UDP ports from and to, or the type of ICMPv6."""


OPEN = Access()
"""A port that refuses nothing."""


@dataclass(frozen=True, slots=True)
class Relay:
    """DHCP relay of a VLAN or port: the servers, and whether requests say where they came in (option 82).

    `source`: the loopback that DHCP servers answer to, where it is not an address of the VLAN or port; `source6`: the
    one that DHCPv6 servers answer to, where the relay is not in a VRF and would send from a link's address otherwise.
    """

    servers: Set[str]
    marked: bool
    source: str = ""
    source6: str = ""

    def servers_of(self, *, v6: bool) -> list[str]:
        """The servers of one address family, in their order."""
        return [server for server in self.servers if (":" in server) == v6]


@dataclass(frozen=True, slots=True)
class Advertised:
    """Router advertisements: flags, seconds, the prefixes that hosts may not make addresses of, and resolvers."""

    managed: bool
    other: bool
    lifetime_s: int
    no_autoconfig: frozenset[str] = frozenset()
    resolvers: frozenset[str] = frozenset()

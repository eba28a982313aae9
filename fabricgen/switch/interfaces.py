"""Ports, bonds, pairs and VLANs of a switch, and what they do for hosts, in words that belong to no NOS."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class HostAccess:
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


OPEN = HostAccess()
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

    def list_servers(self, *, v6: bool) -> list[str]:
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


PEER_LINK = -1
"""The bond of the peer link of an MLAG pair: not every NOS gives it a number."""


@dataclass(frozen=True, slots=True)
class LinkMacsec:
    """Encryption of a link: the cipher suite as EOS calls it, the name of the key, and the key as it is kept."""

    cipher: str
    ckn: str
    cak: str


@dataclass(frozen=True, slots=True)
class Interface:
    """A port, up or down: `mtu` in bytes, `speed_gbps` 0 where it negotiates, addresses with prefix lengths.

    `fec` is "rs", "fc" or "". `link_local`: IPv6 runs on link-local addresses alone. `access_vlan`: untagged, bridged;
    `tagged_vlans`: bridged with their tags. `bond`: the number of the bond that it is in, 0 for none.
    """

    admin_up: bool
    mtu: int
    speed_gbps: int
    fec: str = ""
    addresses: Set[str] = frozenset()
    link_local: bool = False
    access_vlan: int = 0
    tagged_vlans: Set[int] = frozenset()
    vrf: str = ""
    description: str = ""
    bond: int = 0
    macsec: LinkMacsec | None = None
    tracked: bool = False
    """Whether bonds of hosts go down when the last link like it does."""
    access: HostAccess = OPEN
    """What a port of hosts refuses that is in no bond."""
    relay: Relay | None = None
    silent: bool = False
    """Whether it is told to send no router advertisements."""
    states_no_fec: bool = False
    """Whether it is told to have no FEC."""
    negotiates: bool = False
    """Whether it and the far end agree on a speed, as copper does."""

    @property
    def trunk_vlans(self) -> tuple[int, ...]:
        """All its VLANs, the untagged one first, where one has tags; else none."""
        return list_trunk_vlans(self.access_vlan, self.tagged_vlans)


@dataclass(frozen=True, slots=True)
class Bond:
    """Ports that are one by LACP, which both ends start, with PDUs every second."""

    members: Set[str]
    admin_up: bool
    mtu: int
    access_vlan: int
    tagged_vlans: Set[int]
    description: str
    mlag_id: int = 0
    """The same on both switches of an MLAG pair; 0 for a bond of one switch."""
    access: HostAccess = OPEN
    """What its ports refuse, each of its own speed."""
    fallback: bool = False
    """Whether one of its ports carries traffic until the host speaks LACP."""
    segment: str = ""
    """What names its Ethernet segment, as a MAC: of its ESI, of its route target and of its LACP system."""

    @property
    def trunk_vlans(self) -> tuple[int, ...]:
        """All its VLANs, the untagged one first, where one has tags; else none."""
        return list_trunk_vlans(self.access_vlan, self.tagged_vlans)


def list_trunk_vlans(access_vlan: int, tagged_vlans: Set[int]) -> tuple[int, ...]:
    """All VLANs, the untagged one first, where one has tags; else none."""
    return (*((access_vlan,) if access_vlan else ()), *tagged_vlans) if tagged_vlans else ()


@dataclass(frozen=True, slots=True)
class MlagPair:
    """An MLAG pair as one of its switches has it. `name` is the same at both, `backup` how the other is reached too.

    `vlans` are the VLANs of the peer link alone, in the first of which they talk: VRF, and addresses. `mate` is the
    other switch, `peer` its address there, and `number` that of the bond of the peer link, with its MTU in bytes.
    """

    members: Set[str]
    name: str
    backup: tuple[str, str]
    vlans: Mapping[int, tuple[str, Set[str]]]
    mate: str = field(default="", compare=False)
    peer: str = field(default="", compare=False)
    number: int = field(default=0, compare=False)
    mtu: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Subinterface:
    """One VLAN tag on a routed port; addresses have prefix lengths.

    `pairs` are (own, far) address of the first family of a cluster and of the second, "" for none. `in_gateway`: it is
    the interface of the gateway in its VLAN, between the two switches of an MLAG pair.
    """

    vrf: str
    addresses: Set[str]
    vlan: int = field(default=0, compare=False)
    pairs: tuple[tuple[str, str], ...] = field(default=(), compare=False)
    peer_asn: int = field(default=0, compare=False)
    in_gateway: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Vlan:
    """A VLAN with its gateways here, with prefix lengths; `own`: addresses beside gateways that another has, too."""

    gateways: Set[str]
    vrf: str = ""
    own: Set[str] = frozenset()
    relay: Relay | None = None
    advertised: Advertised | None = None
    silent: bool = False
    anycast: bool = False
    """Whether its gateways are on another switch at the same MAC, and it has no addresses but those."""


def is_unused(interface: Interface) -> bool:
    """Whether a port is down and nothing is configured on it that could carry traffic."""
    bridged = interface.access_vlan or interface.tagged_vlans or interface.bond
    return not (interface.admin_up or interface.addresses or interface.link_local or bridged)

"""Ports, bonds, MLAG pairs and VLANs of a switch, and their services to hosts, in terms that belong to no NOS."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class HostAccess:
    """What a port refuses from hosts. `storm`: percent of its speed, by kind of flooded frames ("broadcast",
    "multicast", "unknown-unicast").

    `bpdu_guard`: the port goes down if it receives spanning tree. `refused`: packets that are dropped where they come
    in: of "dhcp" and "dhcp6" servers, and of "ra" senders.
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
"""The access of a port that refuses nothing."""


@dataclass(frozen=True, slots=True)
class Relay:
    """DHCP relay of a VLAN or port: the servers, and whether requests say where they came in (option 82).

    `source`: the loopback to which DHCP servers reply, if that is not an address of the VLAN or port. `source6`: the
    same for DHCPv6, if the relay is not in a VRF and would otherwise send from a link's address.
    """

    servers: Set[str]
    marked: bool
    source: str = ""
    source6: str = ""

    def list_servers(self, *, v6: bool) -> list[str]:
        """Return the servers of one address family, in their order."""
        return [server for server in self.servers if (":" in server) == v6]


@dataclass(frozen=True, slots=True)
class Advertised:
    """What router advertisements tell hosts.

    `managed`: to ask DHCPv6 for addresses; `other`: to ask it for all else. `lifetime_s` is how long they keep the
    router, `no_autoconfig` are prefixes from which they may not make addresses, `resolvers` are addresses of DNS
    servers.
    """

    managed: bool
    other: bool
    lifetime_s: int
    no_autoconfig: frozenset[str] = frozenset()
    resolvers: frozenset[str] = frozenset()


PEER_LINK = -1
"""The bond of the peer link of an MLAG pair: not every NOS gives it a number."""


@dataclass(frozen=True, slots=True)
class LinkMacsec:
    """Encryption of a link: the cipher suite as EOS calls it, the name of the key, and the key as it is stored."""

    cipher: str
    ckn: str
    cak: str


@dataclass(frozen=True, slots=True)
class Interface:
    """A port: `mtu` in bytes, `speed_gbps` 0 if it negotiates, addresses with prefix lengths.

    `fec` is "rs", "fc" or "". `link_local`: IPv6 has only link-local addresses. `access_vlan`: bridged without a tag;
    `tagged_vlans`: bridged with their tags. `bond`: the number of its bond, 0 for none.
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
    """Whether bonds of hosts go down when the last of the links that are tracked goes down."""
    access: HostAccess = OPEN
    """What a port of hosts refuses that is in no bond."""
    relay: Relay | None = None
    silent: bool = False
    """Whether it is configured to send no router advertisements."""
    states_no_fec: bool = False
    """Whether it is configured to have no FEC."""
    negotiates: bool = False
    """Whether it and the far end agree on a speed, as copper does."""

    @property
    def trunk_vlans(self) -> tuple[int, ...]:
        """All its VLANs, the untagged one first, if it is a trunk (has tagged VLANs); else ()."""
        return list_trunk_vlans(self.access_vlan, self.tagged_vlans)


@dataclass(frozen=True, slots=True)
class Bond:
    """Ports that LACP joins to one; both ends send LACP from the start, a PDU every second. `members` are names of
    ports.
    """

    members: Set[str]
    admin_up: bool
    mtu: int
    access_vlan: int
    tagged_vlans: Set[int]
    description: str
    mlag_id: int = 0
    """The number that both switches of an MLAG pair give the bond; 0 for a bond of one switch."""
    access: HostAccess = OPEN
    """What its ports refuse, each of its own speed."""
    fallback: bool = False
    """Whether one of its ports carries traffic until the host sends LACP."""
    segment: str = ""
    """The MAC that identifies its Ethernet segment: in its ESI, its route target and its LACP system."""

    @property
    def trunk_vlans(self) -> tuple[int, ...]:
        """All its VLANs, the untagged one first, if it is a trunk (has tagged VLANs); else ()."""
        return list_trunk_vlans(self.access_vlan, self.tagged_vlans)


def list_trunk_vlans(access_vlan: int, tagged_vlans: Set[int]) -> tuple[int, ...]:
    """Return all VLANs of a trunk, the untagged one first; () for a port that is no trunk, without tagged VLANs."""
    return (*((access_vlan,) if access_vlan else ()), *tagged_vlans) if tagged_vlans else ()


@dataclass(frozen=True, slots=True)
class MlagPair:
    """An MLAG pair, seen from one of its switches. `members` are the ports of the peer link, `name` is the same at
    both.

    `backup` is a way to the other switch beside the peer link: (its address, "management" if that is in the management
    network, else ""); both are "" for none. `vlans` are the VLANs that only the peer link has, with VRF and addresses;
    the pair's protocol runs in the first. `mate` is the name of the other switch, `peer` its address in that VLAN, and
    `number` that of the bond of the peer link, with its MTU in bytes.
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

    `pairs` are (own, far) addresses of the first and the second family of a cluster, "" for none. `in_gateway`: it is
    between the two switches of an MLAG pair, and stands for the gateway's interface in its VLAN.
    """

    vrf: str
    addresses: Set[str]
    vlan: int = field(default=0, compare=False)
    pairs: tuple[tuple[str, str], ...] = field(default=(), compare=False)
    peer_asn: int = field(default=0, compare=False)
    in_gateway: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Vlan:
    """A VLAN with its gateways (with prefix lengths); `own`: the addresses that the switch has to itself where two
    share the gateways.
    """

    gateways: Set[str]
    vrf: str = ""
    own: Set[str] = frozenset()
    relay: Relay | None = None
    advertised: Advertised | None = None
    silent: bool = False
    anycast: bool = False
    """Whether its gateways are on another switch at the same MAC, and it has no addresses but those."""


def is_unused(interface: Interface) -> bool:
    """Whether a port is down and nothing on it is configured that could carry traffic."""
    bridged = interface.access_vlan or interface.tagged_vlans or interface.bond
    return not (interface.admin_up or interface.addresses or interface.link_local or bridged)


def separate_unused(ports: Mapping[str, Interface]) -> tuple[dict[str, Interface], frozenset[str]]:
    """Return (ports by name without the unused ones, names of the unused ones), by `is_unused`."""
    unused = frozenset(name for name, port in ports.items() if is_unused(port))
    return {name: port for name, port in ports.items() if name not in unused}, unused

"""What a switch is told to do, in words that belong to no NOS.

A reader (`eos.device.read` and its like) makes it from the files of one switch alone: two switches that are told the
same are equal. Empty text, 0 and None stand for what is absent. Collections without an order of their own
are frozensets or mappings, so that the order in which a file says things does not matter.

Names of interfaces are those of the NOS; `renamed` turns them into others, so that two NOSes can be compared.
VRFs go by the blueprint's names, "" for the default one (SONiC's `Vrf_` is not part of a name). The VRF of the
management port is not among `vrfs`: its name is the NOS's own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace

from fabricgen.running.host_services import OPEN, Access, Advertised, Relay
from fabricgen.running.overlay import Overlay

PEER_LINK = -1
"""The bond of the peer link of an MLAG pair: not every NOS gives it a number."""


@dataclass(frozen=True, slots=True)
class Macsec:
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
    addresses: frozenset[str] = frozenset()
    link_local: bool = False
    access_vlan: int = 0
    tagged_vlans: frozenset[int] = frozenset()
    vrf: str = ""
    description: str = ""
    bond: int = 0
    macsec: Macsec | None = None
    tracked: bool = False
    """Whether bonds of hosts go down when the last link like it does."""
    access: Access = OPEN
    """What a port of hosts refuses that is in no bond."""
    relay: Relay | None = None
    silent: bool = False
    """Whether it is told to send no router advertisements."""


@dataclass(frozen=True, slots=True)
class Bond:
    """Ports that are one by LACP, which both ends start, with PDUs every second."""

    members: frozenset[str]
    admin_up: bool
    mtu: int
    access_vlan: int
    tagged_vlans: frozenset[int]
    description: str
    mlag_id: int = 0
    """The same on both switches of an MLAG pair; 0 for a bond of one switch."""
    access: Access = OPEN
    """What its ports refuse, each of its own speed."""
    fallback: bool = False
    """Whether one of its ports carries traffic until the host speaks LACP."""
    segment: str = ""
    """What names its Ethernet segment, as a MAC: of its ESI, of its route target and of its LACP system."""


@dataclass(frozen=True, slots=True)
class Pair:
    """An MLAG pair as one of its switches has it. `name` is the same at both, `backup` how the other is reached too.

    `vlans` are the VLANs of the peer link alone, in the first of which they talk: VRF, and addresses.
    """

    members: frozenset[str]
    name: str
    backup: tuple[str, str]
    vlans: Mapping[int, tuple[str, frozenset[str]]]


@dataclass(frozen=True, slots=True)
class Subinterface:
    """One VLAN tag on a routed port."""

    vrf: str
    addresses: frozenset[str]


@dataclass(frozen=True, slots=True)
class Vlan:
    """A VLAN with its gateways here, with prefix lengths; `own`: addresses beside gateways that another has, too."""

    gateways: frozenset[str]
    vrf: str = ""
    own: frozenset[str] = frozenset()
    relay: Relay | None = None
    advertised: Advertised | None = None
    silent: bool = False
    anycast: bool = False
    """Whether its gateways are on another switch at the same MAC, and it has no addresses but those."""


@dataclass(frozen=True, slots=True)
class Permit:
    """Prefixes inside one, with lengths from `shortest` to `longest`."""

    prefix: str
    shortest: int
    longest: int


@dataclass(frozen=True, slots=True)
class Clause:
    """Further routes that pass, on terms: one of `as_paths` matches, if there are any. What is set on them follows.

    `last_as`: how often the first AS number of the path is repeated; `prepend`: the AS number that is put before it.
    """

    permits: frozenset[Permit]
    as_paths: frozenset[str] = frozenset()
    communities: frozenset[str] = frozenset()
    last_as: int = 0
    prepend: int = 0


@dataclass(frozen=True, slots=True)
class Policy:
    """Which routes pass: those that a permit of theirs takes; `own_only`: with an empty AS path besides.

    What `denies` takes does not pass. The families of a session are kept apart by the prefixes themselves.
    """

    permits: frozenset[Permit]
    own_only: bool = False
    denies: frozenset[Permit] = frozenset()
    clauses: frozenset[Clause] = frozenset()


@dataclass(frozen=True, slots=True)
class Bfd:
    """Bidirectional forwarding detection: ms between packets, packets missed. FRR's and EOS's defaults are these."""

    interval_ms: int = 300
    multiplier: int = 3


@dataclass(frozen=True, slots=True)
class Peer:
    """One end of a BGP session. `policy_in`, `policy_out`: None lets everything pass.

    `families`: "v4", "v6". `own_as_in`: how often the own AS number may stand in a path. `max_prefixes`: by family,
    absent where there is no limit. Times in seconds.
    """

    remote_asn: int
    families: frozenset[str]
    policy_in: Policy | None
    policy_out: Policy | None
    keepalive_s: int
    hold_s: int
    bfd: Bfd | None = None
    own_as_in: int = 0
    max_prefixes: Mapping[str, int] = field(default_factory=dict)
    description: str = ""
    hops: int = 1
    """How many hops away it may be."""
    from_loopback: bool = False
    """Whether the session is from the loopback, not from the address of the link."""
    local_asn: int = 0
    """The AS number shown to it instead of the switch's, whose own is not added; 0 for none."""
    password: str = ""
    shut: bool = False


@dataclass(frozen=True, slots=True)
class Bgp:
    """BGP in one VRF; `peers` by the peer's address or, unnumbered, the own interface.

    `announced` are the prefixes that this switch originates: what it redistributes or names, out of what it has.
    """

    asn: int
    router_id: str
    max_paths: int
    multipath_relax: bool
    peers: Mapping[str, Peer]
    announced: frozenset[str]
    aggregates: frozenset[str] = frozenset()
    """Prefixes that are made of more specific ones."""
    leaks: Mapping[str, Policy] = field(default_factory=dict)
    """By VRF, what is brought in from it."""


@dataclass(frozen=True, slots=True)
class StaticRoute:
    """A route over (own port, next hop) pairs equally; `discard`: what none of them takes is dropped."""

    hops: frozenset[tuple[str, str]]
    discard: bool


@dataclass(frozen=True, slots=True)
class Ecn:
    """From `min_kb` kB (1000 bytes) in a queue on packets are marked, at `max_kb` with `percent` %, above it all."""

    min_kb: int
    max_kb: int
    percent: int


@dataclass(frozen=True, slots=True)
class Queue:
    """A queue of a port: strict priority, or a share in percent of what those leave.

    `limit` is what it may take of the port, percent, 0 for all.
    """

    strict: bool
    share: int = 0
    ecn: Ecn | None = None
    limit: int = 0


@dataclass(frozen=True, slots=True)
class PortQos:
    """Lossless Ethernet on a port: no-drop priorities, those that the watchdog guards, and queues that are named.

    `length_m` is the cable that headroom is to be kept for, where a configuration names it apart; 0 where it does not.
    """

    pfc: frozenset[int]
    watched: frozenset[int]
    queues: Mapping[int, Queue]
    length_m: int = 0


@dataclass(frozen=True, slots=True)
class Watchdog:
    """The PFC watchdog, milliseconds; `action` is "drop" or "forward"."""

    detect_ms: int
    restore_ms: int
    poll_ms: int
    action: str = "drop"


@dataclass(frozen=True, slots=True)
class Qos:
    """Of a lossless fabric: the traffic class of each of the 64 DSCPs, the queue of each class, and ports.

    A NOS's defaults are filled in: every DSCP has a class. `queue_of` holds the classes that carry something.
    """

    class_of: tuple[int, ...]
    queue_of: Mapping[int, int]
    ports: Mapping[str, PortQos]
    watchdog: Watchdog | None


@dataclass(frozen=True, slots=True)
class User:
    """A local account: the hash of its password as given, its SSH public keys, and `admin` or `operator`."""

    password_hash: str = ""
    keys: frozenset[str] = frozenset()
    role: str = "admin"


@dataclass(frozen=True, slots=True)
class Management:
    """How a switch is managed: `addresses` are (address with prefix length, gateway) of the management port.

    Servers are in order of preference. `aaa` are (protocol, server), `snmp_users` name who may read with
    authentication and privacy. `from_loopback`: servers are spoken to from the address of the loopback, since nobody
    answers those of its links. `gnmi_port` is 0 where there is no gNMI, and what the NOS takes by default otherwise.
    """

    addresses: frozenset[tuple[str, str]] = frozenset()
    users: Mapping[str, User] = field(default_factory=dict)
    aaa: tuple[tuple[str, str], ...] = ()
    ntp: tuple[str, ...] = ()
    dns: tuple[str, ...] = ()
    domain: str = ""
    syslog: tuple[str, ...] = ()
    syslog_level: str = ""
    snmp_users: frozenset[str] = frozenset()
    gnmi_port: int = 0
    login_banner: str = ""
    motd: str = ""
    timezone: str = ""
    from_loopback: bool = False


@dataclass(frozen=True, slots=True)
class Balancing:
    """How equal paths are chosen: `by_load` by that of the links (adaptive routing, DLB), else by hash alone.

    `queue_pairs` are the families, "v4" and "v6", in which RoCE is hashed by its destination queue pair, too; `seed` is
    that of the hash, None for the NOS's own. `groups` are the ports of hosts whose flows are dealt over the uplinks in
    turn, by name; such a flow is forgotten after `aging_s`, and destinations are told apart by `prefix_length`.
    """

    by_load: bool = False
    queue_pairs: frozenset[str] = frozenset()
    seed: int | None = None
    groups: Mapping[str, frozenset[str]] = field(default_factory=dict)
    aging_s: int = 0
    prefix_length: int = 0


@dataclass(frozen=True, slots=True)
class Trimming:
    """Packets that find no room are cut to `size` bytes, and go on with another DSCP in another class.

    `class_of` is the traffic class of each of the 64 DSCPs at these ports, `ports` the classes that are trimmed there.
    """

    dscp: int
    size: int
    traffic_class: int
    class_of: tuple[int, ...]
    ports: Mapping[str, frozenset[int]]


@dataclass(frozen=True, slots=True)
class Switch:
    """One switch. `interfaces` are its ports but for those in `unused`: down, and with no use.

    `subinterfaces` are by (port, VLAN tag), `vlans` and `bonds` by number, `bgp` by VRF, `routes` by (VRF, prefix).
    """

    hostname: str
    interfaces: Mapping[str, Interface]
    unused: frozenset[str]
    loopbacks: frozenset[str]
    management: Management
    subinterfaces: Mapping[tuple[str, int], Subinterface] = field(default_factory=dict)
    vlans: Mapping[int, Vlan] = field(default_factory=dict)
    bonds: Mapping[int, Bond] = field(default_factory=dict)
    pair: Pair | None = None
    vrfs: frozenset[str] = frozenset()
    bgp: Mapping[str, Bgp] = field(default_factory=dict)
    routes: Mapping[tuple[str, str], StaticRoute] = field(default_factory=dict)
    drained: bool = False
    """Whether all that it announces by BGP is the last choice of its neighbours (graceful shutdown, a longer path)."""
    qos: Qos | None = None
    overlay: Overlay | None = None
    """EVPN, over which VRFs travel."""
    balancing: Balancing = field(default_factory=Balancing)
    vrf_loopbacks: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """By VRF, the addresses of its own loopback there."""
    trimming: Trimming | None = None
    """What a best-effort fabric does instead of dropping packets."""


def is_unused(interface: Interface) -> bool:
    """Whether a port is down and nothing is configured on it that could carry traffic."""
    bridged = interface.access_vlan or interface.tagged_vlans or interface.bond
    return not (interface.admin_up or interface.addresses or interface.link_local or bridged)


def renamed(switch: Switch, name: Callable[[str], str]) -> Switch:
    """The same switch with other names of its ports; names of sessions that are addresses stay."""

    def peer_name(key: str, ports: Mapping[str, Interface]) -> str:
        return name(key) if key in ports else key

    return replace(
        switch,
        interfaces={name(port): value for port, value in switch.interfaces.items()},
        unused=frozenset(map(name, switch.unused)),
        subinterfaces={(name(port), vlan): value for (port, vlan), value in switch.subinterfaces.items()},
        bonds={
            number: replace(bond, members=frozenset(map(name, bond.members))) for number, bond in switch.bonds.items()
        },
        pair=switch.pair and replace(switch.pair, members=frozenset(map(name, switch.pair.members))),
        bgp={
            vrf: replace(bgp, peers={peer_name(key, switch.interfaces): peer for key, peer in bgp.peers.items()})
            for vrf, bgp in switch.bgp.items()
        },
        routes={
            key: replace(route, hops=frozenset((name(port), hop) for port, hop in route.hops))
            for key, route in switch.routes.items()
        },
        balancing=replace(
            switch.balancing,
            groups={host: frozenset(map(name, ports)) for host, ports in switch.balancing.groups.items()},
        ),
        qos=switch.qos and replace(switch.qos, ports={name(port): value for port, value in switch.qos.ports.items()}),
        trimming=switch.trimming
        and replace(switch.trimming, ports={name(port): value for port, value in switch.trimming.ports.items()}),
    )


def differences(found: object, wanted: object, at: str = "") -> Iterator[str]:
    """Yield a line for each place where two neutral forms disagree, by its path: `bgp..peers.10.0.0.1.bfd`."""
    if found == wanted:
        return
    if is_dataclass(found) and type(found) is type(wanted):
        for each in fields(found):
            yield from differences(getattr(found, each.name), getattr(wanted, each.name), f"{at}{each.name}.")
    elif isinstance(found, Mapping) and isinstance(wanted, Mapping):
        for key in sorted({*found, *wanted}, key=str):
            if key not in found or key not in wanted:
                yield f"{at}{key}: {'missing' if key in wanted else 'not planned'}"
            else:
                yield from differences(found[key], wanted[key], f"{at}{key}.")
    elif isinstance(found, frozenset) and isinstance(wanted, frozenset):
        for word, extra in (("missing", wanted - found), ("not planned", found - wanted)):
            for value in sorted(extra, key=str):
                yield f"{at.rstrip('.')}: {word} {value}"
    else:
        yield f"{at.rstrip('.')}: {found!r}, wanted {wanted!r}"

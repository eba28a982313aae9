"""Where two NOSes say the same differently, and may: each difference with its reason, and what levels it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from ipaddress import ip_network

from fabricgen.catalog.loader import Catalog
from fabricgen.render.nos_protocol import known_nos
from fabricgen.switch.interfaces import HostAccess, Interface
from fabricgen.switch.model import Switch
from fabricgen.switch.qos import PortQos, SwitchQos
from fabricgen.switch.routing import Bgp, Peer, find_network

BGPCFGD = "bgpcfgd"
"""Kind of a SONiC switch whose routing is left to SONiC's own daemon; else the kind of a switch is its NOS."""


@dataclass(frozen=True, slots=True)
class Difference:
    """What `level` takes out of both sides, when one of them is of a kind in `kinds`."""

    what: str
    reason: str
    kinds: frozenset[str]
    level: Callable[[Switch], Switch]


def levelled(switch: Switch, kinds: frozenset[str], leave: str = "") -> Switch:
    """A switch without what its kind and another are free to differ in, but for the one difference `leave`."""
    for difference in DIFFERENCES:
        if difference.kinds & kinds and difference.what != leave:
            switch = difference.level(switch)
    return switch


def _each_peer(switch: Switch, change: Callable[[str, Peer], Peer]) -> Switch:
    def of(bgp: Bgp) -> Bgp:
        return replace(bgp, peers={key: change(key, peer) for key, peer in bgp.peers.items()})

    return replace(switch, bgp={vrf: of(bgp) for vrf, bgp in switch.bgp.items()})


def _each_interface(switch: Switch, change: Callable[[Interface], Interface]) -> Switch:
    return replace(switch, interfaces={name: change(port) for name, port in switch.interfaces.items()})


EOS_MTU, MTU = 9214, 9216


def _mtu(switch: Switch) -> Switch:
    return _each_interface(switch, lambda port: replace(port, mtu=MTU) if port.mtu == EOS_MTU else port)


def _descriptions(switch: Switch) -> Switch:
    """Only the first word of each, the device."""
    ports = _each_interface(switch, lambda port: replace(port, description=port.description.partition(" ")[0]))

    def of(key: str, peer: Peer) -> Peer:
        unnumbered = key in switch.interfaces
        return replace(peer, description="" if unnumbered else peer.description.partition(" ")[0])

    return _each_peer(ports, of)


def _lossy_class(switch: Switch) -> Switch:
    """The class of unmarked packets, and its queue, become the first."""
    qos = switch.qos
    if qos is None:
        return switch
    lossy = qos.class_of[0]

    def of(number: int) -> int:
        return 0 if number == lossy else number

    def port(one: PortQos) -> PortQos:
        return replace(one, queues={of(number): queue for number, queue in one.queues.items()})

    return replace(
        switch,
        qos=SwitchQos(
            class_of=tuple(map(of, qos.class_of)),
            queue_of={of(c): of(queue) for c, queue in qos.queue_of.items()},
            ports={name: port(one) for name, one in qos.ports.items()},
            watchdog=qos.watchdog,
        ),
    )


def _announced_blocks(switch: Switch) -> Switch:
    """Blocks that are there to be announced become the links of hosts in them."""
    blocks = {key for key, route in switch.routes.items() if route.discard and not route.hops}

    def of(vrf: str, bgp: Bgp) -> Bgp:
        own = {block for where, block in blocks if where == vrf}
        ports = [port for port in switch.interfaces.values() if port.vrf == vrf]
        links = {find_network(address) for port in ports for address in port.addresses}
        return replace(bgp, announced=(bgp.announced - own) | {link for link in links if _inside(link, own)})

    if not switch.bgp:
        return switch
    return replace(
        switch,
        bgp={vrf: of(vrf, bgp) for vrf, bgp in switch.bgp.items()},
        routes={key: route for key, route in switch.routes.items() if key not in blocks},
    )


def _inside(prefix: str, blocks: set[str]) -> bool:
    inner = ip_network(prefix)
    return any(
        inner.version == outer.version and inner.subnet_of(outer)  # type: ignore[arg-type]
        for outer in map(ip_network, blocks)
    )


def _policies(switch: Switch) -> Switch:
    return _each_peer(switch, lambda _, peer: replace(peer, policy_in=None, policy_out=None))


def _own_as(switch: Switch) -> Switch:
    return _each_peer(switch, lambda _, peer: replace(peer, own_as_in=0))


def _max_prefixes(switch: Switch) -> Switch:
    return _each_peer(switch, lambda _, peer: replace(peer, max_prefixes={}))


def _max_paths(switch: Switch) -> Switch:
    changed: Mapping[str, Bgp] = {vrf: replace(bgp, max_paths=0) for vrf, bgp in switch.bgp.items()}
    return replace(switch, bgp=changed)


def _most_paths(switch: Switch) -> Switch:
    most = Catalog().naming("cumulus").configuration.ecmp_paths or 0
    return replace(
        switch, bgp={vrf: replace(bgp, max_paths=min(bgp.max_paths, most)) for vrf, bgp in switch.bgp.items()}
    )


def _restoration(switch: Switch) -> Switch:
    watchdog = switch.qos and switch.qos.watchdog
    if not (switch.qos and watchdog):
        return switch
    return replace(switch, qos=replace(switch.qos, watchdog=replace(watchdog, restore_ms=0)))


def _watchdog_action(switch: Switch) -> Switch:
    watchdog = switch.qos and switch.qos.watchdog
    if not (switch.qos and watchdog):
        return switch
    return replace(switch, qos=replace(switch.qos, watchdog=replace(watchdog, action="drop")))


def _balancing(switch: Switch) -> Switch:
    return replace(switch, balancing=replace(switch.balancing, by_load=False, seed=None))


def _dscp_of_tunnels(switch: Switch) -> Switch:
    return replace(switch, overlay=switch.overlay and replace(switch.overlay, copies_dscp=False))


def _accounts(switch: Switch) -> Switch:
    return replace(switch, management=replace(switch.management, users={}))


def _resolvers(switch: Switch) -> Switch:
    return replace(switch, management=replace(switch.management, dns=switch.management.dns[:MAX_RESOLVERS]))


def _ranks(switch: Switch) -> Switch:
    ntp, dns, syslog = (
        tuple(sorted(servers)) for servers in (switch.management.ntp, switch.management.dns, switch.management.syslog)
    )
    return replace(switch, management=replace(switch.management, ntp=ntp, dns=dns, syslog=syslog))


def _gnmi_port(switch: Switch) -> Switch:
    """Every default becomes one; a port that is asked for stays."""
    port = GNMI_PORT if switch.management.gnmi_port in GNMI_PORTS else switch.management.gnmi_port
    return replace(switch, management=replace(switch.management, gnmi_port=port))


def _bpdu_guard(switch: Switch) -> Switch:
    def open_(access: HostAccess) -> HostAccess:
        return replace(access, bpdu_guard=False)

    bonds = {number: replace(bond, access=open_(bond.access)) for number, bond in switch.bonds.items()}
    ports = _each_interface(switch, lambda port: replace(port, access=open_(port.access)))
    return replace(ports, bonds=bonds)


def _pairs(switch: Switch) -> Switch:
    """Neither own addresses in VLANs of hosts, nor the loopback in their place, nor sessions in VRFs between the
    two, nor their VLANs, nor what a pair is called.
    """
    pair = switch.pair
    if pair is None:
        return switch
    between = {key for _, addresses in pair.vlans.values() for key in map(find_network, addresses)}
    between |= {find_network(address) for vlan in switch.vlans.values() for address in vlan.own}

    def apart(bgp: Bgp) -> Bgp:
        return replace(bgp, peers={key: peer for key, peer in bgp.peers.items() if not _inside(key, between)})

    return replace(
        switch,
        vlans={
            number: replace(vlan, own=frozenset(), relay=vlan.relay and replace(vlan.relay, source=""))
            for number, vlan in switch.vlans.items()
        },
        bgp={vrf: apart(bgp) if vrf else bgp for vrf, bgp in switch.bgp.items()},
        pair=replace(pair, name="", backup=("", ""), vlans={}),
    )


def _copper(switch: Switch) -> Switch:
    return _each_interface(switch, lambda port: replace(port, speed_gbps=0) if port.speed_gbps <= COPPER_GBPS else port)


COPPER_GBPS = 1
MAX_RESOLVERS = 3
GNMI_PORTS = {Catalog().naming(nos).systems.gnmi_port or 0 for nos in known_nos(whole_fabric=False)}
GNMI_PORT = min(GNMI_PORTS)
CUMULUS = frozenset({"cumulus"})
EOS, BY_BGPCFGD = frozenset({"eos"}), frozenset({BGPCFGD})
SONIC = BY_BGPCFGD | {"sonic"}

DIFFERENCES = (
    Difference("MTU", "EOS takes 9214 at most, and a link has what both ends take", EOS | SONIC | CUMULUS, _mtu),
    Difference(
        "descriptions",
        "ports go by the far end's own names; bgpcfgd has a name for a session, and EOS's lists of interfaces none",
        EOS | SONIC | CUMULUS,
        _descriptions,
    ),
    Difference("lossy class", "EOS gives unmarked packets class 1, the others class 0", EOS, _lossy_class),
    Difference(
        "announced blocks",
        "bgpcfgd does not redistribute connected routes: a leaf announces the block of its hosts' links instead",
        BY_BGPCFGD,
        _announced_blocks,
    ),
    Difference("policies", "bgpcfgd's own let everything pass", BY_BGPCFGD, _policies),
    Difference("own AS", "bgpcfgd lets a ToRRouter take routes with its own AS number once", BY_BGPCFGD, _own_as),
    Difference(
        "prefix limits",
        "bgpcfgd has no words for them",
        BY_BGPCFGD,
        _max_prefixes,
    ),
    Difference("equal paths", "bgpcfgd takes a number that is compiled into the image", BY_BGPCFGD, _max_paths),
    Difference("most equal paths", "NVUE takes 128 at most, fewer than a wide spine has links", CUMULUS, _most_paths),
    Difference(
        "restoration", "NVUE's watchdog gives a queue back after one poll without pauses", CUMULUS, _restoration
    ),
    Difference("watchdog action", "NVUE's watchdog drops, and knows no other action", CUMULUS, _watchdog_action),
    Difference(
        "balancing", "released SONiC has no tables for adaptive routing, and no seed of a hash", SONIC, _balancing
    ),
    Difference("DSCP of tunnels", "sonic-vxlan.yang has no word for it", SONIC, _dscp_of_tunnels),
    Difference("accounts", "config_db has no table of local accounts", SONIC, _accounts),
    # Before `ranks`: the first three of those that are asked for are kept.
    Difference("resolvers", "DNS_NAMESERVER takes three (sonic-dns.yang)", SONIC, _resolvers),
    Difference("ranks", "SONiC's tables of servers are keyed, and know no order of preference", SONIC, _ranks),
    Difference("gNMI port", "each NOS has a port of its own unless told", EOS | SONIC | CUMULUS, _gnmi_port),
    Difference("BPDU guard", "community images of SONiC have no spanning tree", SONIC, _bpdu_guard),
    Difference("pairs", "on SONiC both switches have one MAC in a VLAN of hosts", frozenset({"sonic"}), _pairs),
    Difference("copper", "only SONiC states the speed of copper ports; on others they negotiate it", CUMULUS, _copper),
)

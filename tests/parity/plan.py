"""The neutral form that the plan asks of a switch, without the help of what renders it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from ipaddress import ip_network

from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.nos_configuration import Intent
from fabricgen.design.qos import ecn_thresholds_kb
from fabricgen.nos.sonic.routing_daemon import MAX_PATHS
from fabricgen.running.policy import network_of
from fabricgen.switch.balancing import Balancing
from fabricgen.switch.interfaces import PEER_LINK, Bond, Interface, Macsec, Pair, Subinterface, is_unused
from fabricgen.switch.management import Management, User
from fabricgen.switch.model import Switch
from fabricgen.switch.qos import Ecn, PortQos, Qos, Queue, Watchdog
from fabricgen.switch.routing import Bfd, Bgp, Peer, Permit, Policy, StaticRoute
from fabricgen.views.switch import Service, SwitchPort, SwitchView
from tests.parity.exits import aggregates, exit_peers, exit_routes, passed_on, with_outside
from tests.parity.leaks import leaks_into
from tests.parity.plan_hosts import access_of, port_gateway, vlan_of
from tests.parity.plan_overlay import planned_overlay, segment_of, vrfs_over_evpn
from tests.parity.plan_trim import planned_trimming

KEEPALIVE_S, HOLD_S = 3, 9
RS_FROM_GBPS = 100


@dataclass(frozen=True, slots=True)
class Dialect:
    """What a NOS is meant to say differently from others; each with its reason in nos_differences.DIFFERENCES."""

    lossy_class: int
    most_paths: int
    copper_negotiates: bool = False
    unnumbered_described: bool = True
    unused_whole: bool = False
    """Whether a cage without cables is left as one port, whatever it can be split into."""
    restores: bool = True
    """Whether the PFC watchdog can be told when to give a queue back."""
    gnmi_port: int = 0
    """Where gNMI listens unless told otherwise."""
    names_lengths: bool = False
    """Whether it is told how long the cable of a lossless span is."""
    ranked: bool = True
    """Whether servers for time, names and logs stand in order of preference."""


DIALECTS = {
    "sonic": Dialect(0, 514, gnmi_port=8080, ranked=False),
    "eos": Dialect(
        1,
        600,
        copper_negotiates=True,
        unnumbered_described=False,
        unused_whole=True,
        gnmi_port=6030,
    ),
    "cumulus": Dialect(
        0, 128, copper_negotiates=True, unused_whole=True, restores=False, gnmi_port=9339, names_lengths=True
    ),
}


def planned(switch: SwitchView, catalog: Catalog, *, by_bgpcfgd: bool = False) -> Switch:
    """What the files of a switch are to say; `by_bgpcfgd`: SONiC's own daemon makes its routing of tables.

    What the catalogue says that a NOS lacks is not asked of it: the blueprint's author is told so by `lint`.
    """
    dialect, known = DIALECTS[switch.tier.nos], catalog.naming(switch.tier.nos).configuration

    def lacks(intent: Intent) -> bool:
        return bool(known.explain_refusal(intent, switch.profile.asic))

    interfaces = {port.name: _interface(switch, port, dialect, lacks) for port in switch.ports}
    for port in switch.ports:
        if not port.bond:
            relay, silent = port_gateway(switch, port, lacks)
            own = {"access": access_of(switch, port, lacks), "relay": relay, "silent": silent}
            interfaces[port.name] = replace(interfaces[port.name], **own)
    shut = frozenset(name for name, port in interfaces.items() if is_unused(port))
    bgp = _bgp(switch, dialect) if switch.asn else {}
    return Switch(
        hostname=switch.name,
        interfaces={name: port for name, port in interfaces.items() if name not in shut},
        unused=shut | frozenset(_empty(switch, catalog, dialect)),
        loopbacks=frozenset(_loopbacks(switch)),
        vrf_loopbacks={one.vrf: frozenset(one.prefixes) for one in switch.vrf_loopbacks},
        management=_management(switch, dialect, lacks),
        subinterfaces={
            (port.name, sub.vlan): Subinterface(sub.vrf, frozenset(sub.addresses))
            for port in switch.ports
            for sub in port.subinterfaces
        },
        vlans={s.vlan: vlan_of(switch, s, lacks) for s in switch.services if s.gateways},
        bonds=_bonds(switch, interfaces, lacks),
        pair=_pair(switch),
        vrfs=frozenset(switch.vrfs),
        bgp={vrf: _as_bgpcfgd(switch, vrf, one) for vrf, one in bgp.items()} if by_bgpcfgd else bgp,
        routes=_blocks(switch) if by_bgpcfgd and switch.asn else {**_routes(switch), **exit_routes(switch)},
        drained=switch.maintenance and any(one.peers for one in bgp.values()),
        qos=_qos(switch, dialect, lacks) if switch.fabric.qos.lossless and switch.ports else None,
        overlay=planned_overlay(switch, copies_dscp=not lacks("vxlan-dscp")),
        balancing=_balancing(switch, lacks),
        trimming=planned_trimming(switch, lacks),
    )


def _balancing(switch: SwitchView, lacks: Callable[[Intent], bool]) -> Balancing:
    asked = switch.fabric.balancing
    features: dict[str, Intent] = {"dynamic": "dynamic-load-balance", "spray": "packet-spray"}
    seeds = dict(asked.seeds)
    if asked.own_seeds:
        seeds = {switch.tier.name: (3, 8, 13, 2, 7)[switch.level]}
    groups: dict[str, set[str]] = {}
    if asked.mode == "cluster" and not lacks("cluster-load-balance"):
        for port in switch.ports:
            if port.role == "host" and port.address and not port.bond:
                groups.setdefault(port.peer, set()).add(port.name)
    blocks = {network_of(s.host_subnet) for s in switch.services if s.host_subnet and not s.gateways}
    return Balancing(
        by_load=asked.mode in features and not lacks(features[asked.mode]),
        queue_pairs=frozenset(() if not asked.queue_pairs or lacks("hash-queue-pairs") else switch.fabric.families),
        seed=None if lacks("hash-seeds") else seeds.get(switch.tier.name),
        groups={host: frozenset(ports) for host, ports in groups.items()},
        aging_s=30 if groups else 0,
        prefix_length=int(max(blocks).partition("/")[2]) if groups and blocks else 0,
    )


def _loopbacks(switch: SwitchView) -> Iterator[str]:
    yield from (f"{switch.loopback}/32",) if switch.loopback else ()
    yield from (f"{switch.loopback6}/128",) if switch.loopback6 else ()


def _interface(switch: SwitchView, port: SwitchPort, dialect: Dialect, lacks: Callable[[Intent], bool]) -> Interface:
    service, settings = switch.service_of(port), port.settings
    untagged, tagged = switch.vlans_of(port)
    copper = switch.profile.cage(port.cage).form_factor == "RJ45"
    fec = settings.fec or ("rs" if port.speed_gbps >= RS_FROM_GBPS else "")
    return Interface(
        admin_up=not settings.shutdown,
        mtu=port.mtu,
        speed_gbps=0 if copper and dialect.copper_negotiates else port.speed_gbps,
        fec="" if fec == "none" else fec,
        addresses=frozenset(port.addresses),
        link_local=switch.fabric.underlay == "ebgp-unnumbered" and port.role not in ("host", "exit") and not port.bond,
        access_vlan=0 if port.bond else untagged,
        tagged_vlans=frozenset(() if port.bond else tagged),
        tracked=bool(switch.multihomed) and port.role == "up",
        bond=PEER_LINK if port.bond and port.role == "peer" else port.bond,
        vrf=service.vrf if service and port.addresses else "",
        description=settings.description or " ".join(f"{port.peer} {port.peer_port} cable {port.cable}".split()),
        macsec=_macsec(switch, port, lacks),
    )


def _macsec(switch: SwitchView, port: SwitchPort, lacks: Callable[[Intent], bool]) -> Macsec | None:
    span = next((s for s in switch.fabric.spans if port.span and s.name == port.span.name), None)
    if span is None or span.macsec is None or lacks("macsec"):
        return None
    return Macsec(span.macsec.cipher, span.macsec.ckn, _secret(span.macsec.cak))


def _bonds(switch: SwitchView, interfaces: Mapping[str, Interface], lacks: Callable[[Intent], bool]) -> dict[int, Bond]:
    """The bonds of hosts: by the ports that say they are in one, with the VLANs of any of these."""
    members: dict[int, list[SwitchPort]] = {}
    for port in switch.ports:
        if port.bond and port.role == "host":
            members.setdefault(port.bond, []).append(port)
    found = {}
    for number, ports in members.items():
        (vlans,) = {switch.vlans_of(port) for port in ports}
        (far,) = {f"{port.peer} bond of {port.service}" for port in ports}
        own = [interfaces[port.name] for port in ports]
        mtu, up = min(port.mtu for port in own), any(port.admin_up for port in own)
        found[number] = Bond(frozenset(p.name for p in ports), up, mtu, vlans[0], frozenset(vlans[1]), far)
        found[number] = replace(
            found[number],
            mlag_id=number if switch.pair and ports[0].mlag else 0,
            segment=segment_of(switch, number) if ports[0].mlag else "",
            access=access_of(switch, ports[0], lacks),
            fallback=switch.service_of(ports[0]).offers.lacp_fallback,  # type: ignore[union-attr]
        )
    return found


def _pair(switch: SwitchView) -> Pair | None:
    """The MLAG pair, whose peer link is one bond, and what runs over this link alone."""
    pair = switch.pair
    if pair is None:
        return None
    links = {PAIR_VLAN: ("", frozenset(pair.end.addresses))}
    links |= {sub.vlan: (sub.vrf, frozenset(sub.addresses)) for sub in pair.end.subinterfaces if not sub.in_gateway}
    name = {"cumulus": pair.mac, "sonic": _domain(switch)}.get(switch.nos, pair.name)
    backup = (pair.backup, "management" if pair.in_management else "")
    if switch.nos == "sonic" or (switch.nos == "eos" and not pair.in_management):
        backup = ("", "")
    if switch.nos in ("eos", "sonic") and not pair.end.address:
        links[PAIR_VLAN] = ("", links[PAIR_VLAN][1] | {LINK_LOCAL[switch.name != pair.name]})
    return Pair(frozenset(port.name for port in pair.ports), name, backup, links)


def _domain(switch: SwitchView) -> str:
    """A number of 1 to 4095, which the two switches share: of the end of the pair's MAC."""
    assert switch.pair
    *_, high, low = (int(byte, 16) for byte in switch.pair.mac.split(":"))
    return str((high * 256 + low) % 4095 + 1)


PAIR_VLAN = 4094
LINK_LOCAL = ("169.254.255.0/31", "169.254.255.1/31")
"""Of the first switch and the second, where they have no IPv4 addresses to talk over."""


def _empty(switch: SwitchView, catalog: Catalog, dialect: Dialect) -> Iterator[str]:
    """Names of ports that no cable is in."""
    cabled = {port.name for port in switch.ports}
    return (name for name in places(switch, catalog, dialect) if name not in cabled)


def places(switch: SwitchView, catalog: Catalog, dialect: Dialect) -> dict[str, str]:
    """Where each port of the face is, by its name: `cage/sub`, or `cage` where nothing is plugged in.

    How far an empty cage is split is for each NOS to say.
    """
    naming, platform = catalog.naming(switch.tier.nos), catalog.sonic_platform(switch.profile.id)
    ways_of = {port.cage: port.ways for port in switch.ports}
    classes = (cage_class for cage_class in switch.profile.cages for _ in range(cage_class.count))
    found = {}
    for cage, cage_class in enumerate(classes, 1):
        ways = ways_of.get(cage, 1 if dialect.unused_whole else min(cage_class.breakouts))
        for sub in range(ways):
            name = naming.port(cage, sub, ways, cage_class, platform, switch.profile.slot_of(cage))
            found[name] = f"{cage}/{sub}" if cage in ways_of else str(cage)
    return found


def _management(switch: SwitchView, dialect: Dialect, lacks: Callable[[Intent], bool]) -> Management:
    asked = switch.fabric.management
    addresses = frozenset((address, gateway) for address, gateway in switch.managements if gateway)
    syslog, dns, banner = asked.syslog, asked.dns, asked.banner
    most_keys = 0 if lacks("ssh-keys") else 2 if lacks("many-ssh-keys") else None
    most_resolvers = 3 if lacks("many-resolvers") else None

    def ranked(servers: tuple[str, ...]) -> tuple[str, ...]:
        return servers if dialect.ranked else tuple(sorted(servers))

    return Management(
        addresses=addresses,
        users={
            name: User(_secret(user.password), frozenset(user.ssh_keys[:most_keys]), user.role)
            for name, user in (() if lacks("users") else asked.users.items())
        },
        aaa=tuple((asked.aaa.protocol, server) for server in asked.aaa.servers) if asked.aaa else (),
        ntp=ranked(asked.ntp),
        dns=ranked(dns.servers[:most_resolvers]) if dns else (),
        domain=(dns.domain or "") if dns else "",
        syslog=ranked(syslog.servers) if syslog else (),
        syslog_level=syslog.level if syslog and syslog.servers else "",
        snmp_users=frozenset(asked.snmp.users) if asked.snmp else frozenset(),
        gnmi_port=(asked.gnmi.port or dialect.gnmi_port) if asked.gnmi else 0,
        login_banner=banner.login if banner else "",
        motd=banner.motd if banner else "",
        timezone=asked.timezone or "",
        from_loopback=switch.nos != "sonic"
        and not addresses
        and bool(switch.loopback and switch.outside("") and (asked.ntp or dns or syslog)),
    )


def _secret(reference: str | None) -> str:
    """A secret as tests see it: its reference."""
    return f"<{reference}>" if reference else ""


def _routes(switch: SwitchView) -> dict[tuple[str, str], StaticRoute]:
    return {
        ("", route.prefix): StaticRoute(frozenset((hop.port, hop.address) for hop in route.hops), route.discard)
        for route in switch.routes
    }


def _bgp(switch: SwitchView, dialect: Dialect) -> dict[str, Bgp]:
    """BGP by VRF: in the default one, and in those whose links have peers."""
    outward = {way.vrf for way in (*switch.exits.peers, *switch.exits.routes)}
    with_links = {v for v in switch.vrfs if v in outward or any(sub.peer_asn for _, sub in switch.links_in(v))}
    return {
        vrf: Bgp(
            asn=switch.asn,
            router_id=switch.router_id,
            max_paths=min(switch.ecmp_width, dialect.most_paths),
            multipath_relax=True,
            peers={**dict(_peers(switch, vrf, dialect)), **dict(exit_peers(switch, vrf))},
            announced=frozenset({*_announced(switch, vrf), *passed_on(switch, vrf)}),
            aggregates=aggregates(switch, vrf),
            leaks=leaks_into(switch, vrf),
        )
        for vrf in ("", *sorted(with_links | vrfs_over_evpn(switch)))
    }


def _peers(switch: SwitchView, vrf: str, dialect: Dialect) -> Iterator[tuple[str, Peer]]:
    ends = switch.links_in(vrf) if vrf else [(port, port) for port in switch.ends]
    for port, end in ends:
        if port.role in ("host", "exit") or not end.peer_asn:
            continue
        pairs = [(end.address, end.peer_address), (end.address6, end.peer_address6)]
        for own, far in pairs:
            if own:
                family = "v6" if ":" in own else "v4"
                yield far.partition("/")[0], _peer(switch, vrf, port, end.peer_asn, (family,), dialect)
        if not any(own for own, _ in pairs):
            peer = _peer(switch, vrf, port, end.peer_asn, switch.fabric.families, dialect)
            yield port.name, peer if dialect.unnumbered_described else replace(peer, description="")


def passes_nothing_on(switch: SwitchView) -> bool:
    """Whether a switch announces its own routes only: it is of the lowest tier, and none hangs below it."""
    return switch.is_lowest and not any(port.role == "down" for port in switch.ports)


def told_as_mate(switch: SwitchView, role: str) -> bool:
    """Whether a neighbour in a role hears what came from above, too: a mate, which may lose its own links up."""
    return role == "peer" and any(port.role == "up" for port in switch.ports)


def _peer(switch: SwitchView, vrf: str, port: SwitchPort, asn: int, families: Iterable[str], dialect: Dialect) -> Peer:
    permits = frozenset(p for family in families for p in _permits(switch, vrf, family))
    bfd = switch.fabric.bfd
    limit = switch.fabric.max_prefixes
    peer = Peer(
        remote_asn=asn,
        families=frozenset(families),
        policy_in=Policy(permits),
        policy_out=Policy(permits, own_only=passes_nothing_on(switch) and not told_as_mate(switch, port.role)),
        keepalive_s=KEEPALIVE_S,
        hold_s=HOLD_S,
        bfd=Bfd(bfd.interval_ms, bfd.multiplier) if bfd else None,
        own_as_in=1 if switch.shares_asn and port.role != "down" else 0,
        max_prefixes=dict.fromkeys(families, limit) if limit else {},
        description=f"{port.peer} {port.peer_port}",
    )
    return with_outside(switch, vrf, tuple(families), peer)


def _permits(switch: SwitchView, vrf: str, family: str) -> Iterator[Permit]:
    """Loopbacks of the default VRF, and in each VRF the prefixes of its hosts: up to links of two addresses."""
    whole = 128 if family == "v6" else 32
    pools = {pool for service in switch.services if service.vrf == vrf for pool in service.host_pools}
    pools |= {prefix for leaked in switch.leaks if leaked.vrf == vrf for prefix in leaked.prefixes}
    pools |= {prefix for one in switch.vrf_loopbacks if one.vrf == vrf for prefix in one.prefixes}
    for longest, found in ((whole, set() if vrf else set(switch.fabric.loopback_pools)), (whole - 1, pools)):
        for pool in found:
            network = ip_network(pool)
            if network.max_prefixlen == whole:
                shortest = whole if longest == whole else network.prefixlen
                yield Permit(pool, shortest, max(longest, network.prefixlen))


def _announced(switch: SwitchView, vrf: str) -> Iterator[str]:
    """Loopbacks, and the subnets of hosts here."""
    yield from () if vrf else _loopbacks(switch)
    yield from (prefix for one in switch.vrf_loopbacks if one.vrf == vrf for prefix in one.prefixes)
    for service in switch.services:
        if service.vrf == vrf:
            yield from map(network_of, service.gateways)
    for port in switch.ports:
        service_here = switch.service_of(port)
        inside = port.role != "exit" and not port.settings.shutdown
        if service_here and service_here.vrf == vrf and inside:
            yield from map(network_of, port.addresses)


def _as_bgpcfgd(switch: SwitchView, vrf: str, bgp: Bgp) -> Bgp:
    """The same sessions as SONiC's daemon has them."""
    names = {far.partition("/")[0]: port.peer for port in switch.ports for far in _far_ends(port)}
    peers = {
        key: replace(
            peer,
            policy_in=None,
            policy_out=None,
            own_as_in=1 if switch.level == 0 else 0,
            max_prefixes={},
            description=names[key],
        )
        for key, peer in bgp.peers.items()
    }
    routed = {block for own, block in _blocks(switch) if own == vrf}
    vlans = {network_of(g) for service in switch.services if service.vrf == vrf for g in service.gateways}
    own = frozenset({*(() if vrf else _loopbacks(switch)), *routed, *vlans})
    return replace(bgp, max_paths=MAX_PATHS, peers=peers, announced=own)


def _far_ends(port: SwitchPort) -> Iterator[str]:
    yield from (port.peer_address, port.peer_address6)
    for sub in port.subinterfaces:
        yield from (sub.peer_address, sub.peer_address6)


def _blocks(switch: SwitchView) -> dict[tuple[str, str], StaticRoute]:
    """The blocks of routed hosts, as discard routes for bgpcfgd to announce."""

    def blocks(service: Service) -> Iterator[str]:
        yield from filter(None, (service.host_subnet, service.host_subnet6))

    found = ((s.vrf, block) for s in switch.services if not s.gateways for block in blocks(s))
    return {key: StaticRoute(frozenset(), discard=True) for key in found}


def _paused(port: SwitchPort) -> bool:
    return port.role != "exit" and (port.span is None or port.span.lossless)


def _qos(switch: SwitchView, dialect: Dialect, lacks: Callable[[Intent], bool]) -> Qos:
    qos, lossy = switch.fabric.qos, dialect.lossy_class
    limit = 0 if lacks("cnp-shaping") else qos.cnp_max_percent
    action = "drop" if lacks("watchdog-forward") else qos.watchdog_action
    restore = qos.restore_ms if dialect.restores else 0
    classes = {qos.roce_dscp: qos.roce_class, qos.cnp_dscp: qos.cnp_class}
    return Qos(
        class_of=tuple(classes.get(dscp, lossy) for dscp in range(64)),
        queue_of={c: c for c in sorted({lossy, *classes.values()})},
        ports={
            port.name: PortQos(
                pfc=frozenset({qos.roce_class} if _paused(port) else ()),
                watched=frozenset({qos.roce_class} if _paused(port) else ()),
                queues={
                    lossy: Queue(False, 100 - qos.roce_percent),
                    qos.roce_class: Queue(False, qos.roce_percent, _ecn(switch, port)),
                    qos.cnp_class: Queue(True, limit=limit),
                },
                length_m=port.span.length_m if port.span and port.span.lossless and dialect.names_lengths else 0,
            )
            for port in switch.ports
        },
        watchdog=Watchdog(qos.detect_ms, restore, qos.poll_ms, action),
    )


def _ecn(switch: SwitchView, port: SwitchPort) -> Ecn:
    qos = switch.fabric.qos
    return Ecn(*ecn_thresholds_kb(qos, switch.is_lowest, port.speed_gbps), qos.mark_percent)

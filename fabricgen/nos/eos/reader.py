"""An EOS configuration read back. Words: Arista EOS user manual; a line that is not known here is an error."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from ipaddress import ip_address, ip_interface

from fabricgen.nos.eos.reading.forwarding import MANAGEMENT, check_forwarding, check_mtus
from fabricgen.nos.eos.reading.hosts import MARKING, EosGateway, PortAccess, add_gateway_rules, add_host_rules
from fabricgen.nos.eos.reading.management import EosManagement, add_management_rules
from fabricgen.nos.eos.reading.overlay import EosSegment, add_segment_rules, check_segments
from fabricgen.nos.eos.reading.qos import EosBalancing, EosQos, add_balancing_rules, add_qos_rules
from fabricgen.nos.eos.reading.routing import EosRouting, add_routing_rules
from fabricgen.running.policy import OwnRoute, list_connected_routes
from fabricgen.running.tree import (
    Line,
    LineRules,
    is_tolerant,
    make_item,
    mark_absent,
    mark_present,
    parse_tree,
    read_part,
    report_misfit,
    report_unknown,
)
from fabricgen.switch.interfaces import (
    PEER_LINK,
    Bond,
    Interface,
    LinkMacsec,
    MlagPair,
    Subinterface,
    Vlan,
    separate_unused,
)
from fabricgen.switch.model import Switch, SwitchManagement
from fabricgen.switch.routing import StaticRoute

DEFAULT_MTU = 1500
FEC = {"reed-solomon": "rs", "fire-code": "fc"}
MOST_VLANS = 4094


@dataclass
class EosPort:
    """What the section of an interface says, of whatever kind: a port, bond, VLAN, loopback or sub-interface.

    `access_vlan`: untagged, in either mode. `groups`: trunk groups, whose VLANs are on no other trunks. `shared`:
    gateways, without lengths, that another switch has, too. `tag`: of a sub-interface. `fast`: LACP every second.
    """

    admin_up: bool = True
    mtu: int = DEFAULT_MTU
    speed_gbps: int = 0
    fec: str = ""
    states_no_fec: bool = False
    description: str = ""
    addresses: list[str] = field(default_factory=list)
    vrf: str = ""
    routed: bool = False
    link_local: bool = False
    access_vlan: int = 0
    tagged_vlans: frozenset[int] = frozenset()
    access_mode: bool = False
    trunk: bool = False
    portfast: bool = False
    tag: int = 0
    bond: int = 0
    fast: bool = False
    mlag: int = 0
    autostate: bool = True
    groups: list[str] = field(default_factory=list)
    shared: list[str] = field(default_factory=list)
    profile: str = ""
    macsec: str = ""
    access: PortAccess = field(default_factory=PortAccess)
    gateway: EosGateway = field(default_factory=EosGateway)
    segment: EosSegment = field(default_factory=EosSegment)


@dataclass
class EosBox:
    """What a whole configuration says; `ports` are the interfaces of any kind, by name."""

    hostname: str = ""
    ports: dict[str, EosPort] = field(default_factory=dict)
    vlans: set[int] = field(default_factory=set)
    vlan_groups: dict[int, str] = field(default_factory=dict)
    without_tree: set[int] = field(default_factory=set)
    mlag: dict[str, str] = field(default_factory=dict)
    gateway_mac: str = ""
    tracking: set[str] = field(default_factory=set)
    filters: dict[tuple[str, str], frozenset[str]] = field(default_factory=dict)
    """What each access list drops ("dhcp", "dhcp6", "ra"), by (`ip` or `ipv6`, name)."""
    edge_guard: bool = False
    marked_vlans: frozenset[int] = frozenset()
    marking: set[str] = field(default_factory=set)
    marks_ports: bool = False
    vrfs: set[str] = field(default_factory=set)
    routes_in: set[tuple[str, str]] = field(default_factory=set)
    """(family, VRF) of the families that are routed in a VRF."""
    v4_over_v6: bool = False
    gateways: dict[str, str] = field(default_factory=dict)
    """Default gateways of the management VRF, by family."""
    statics: dict[tuple[str, str], list[tuple[str, str]]] = field(default_factory=dict)
    """(port, address) of the next hops of static routes, by (VRF, prefix); both "" for a route that drops packets."""
    ssh_vrfs: set[str] = field(default_factory=set)
    routing: EosRouting = field(default_factory=EosRouting)
    qos: EosQos = field(default_factory=EosQos)
    managed: EosManagement = field(default_factory=EosManagement)
    macsecs: dict[str, LinkMacsec] = field(default_factory=dict)
    balancing: EosBalancing = field(default_factory=EosBalancing)


def read(files: Mapping[str, str]) -> Switch:
    """Return a switch from its one file; raises UnknownTextError for text that is not understood or does not fit
    together.
    """
    (text,) = files.values()
    box = EosBox()
    _TOP.read(parse_tree(text).children, box)
    return _make_switch(box)


def _make_switch(box: EosBox) -> Switch:
    """Return the model of a switch from what was read."""
    ports = {n: p for n, p in box.ports.items() if n.startswith("Ethernet") and not p.tag}
    interfaces = {name: _make_interface(name, port, box) for name, port in ports.items()}
    encrypted = {n: replace(interfaces[n], macsec=box.macsecs.get(p.macsec)) for n, p in ports.items() if p.macsec}
    interfaces |= encrypted
    pair = read_part("MLAG", lambda: _make_pair(box), None)
    for name in pair.members if pair else ():
        interfaces[name] = replace(interfaces[name], bond=PEER_LINK)
    used, unused = separate_unused(interfaces)
    subinterfaces = {
        (name.partition(".")[0], port.tag): Subinterface(port.vrf, frozenset(port.addresses))
        for name, port in box.ports.items()
        if port.tag
    }
    loopbacks = frozenset(box.ports.get("Loopback0", EosPort()).addresses)
    loopbacks_by_vrf = {
        p.vrf: frozenset(p.addresses) for name, p in box.ports.items() if name.startswith("Loopback") and p.vrf
    }
    vlans = {number: _make_vlan(box, number) for number in box.vlans - set(box.vlan_groups)}

    def routes_in(vrf: str) -> Iterator[OwnRoute]:
        return list_connected_routes(vrf, used, subinterfaces, vlans, loopbacks, loopbacks_by_vrf)

    profiles = {name: port.profile for name, port in ports.items() if port.profile}

    def statics_in(vrf: str) -> list[OwnRoute]:
        return [OwnRoute(prefix) for route_vrf, prefix in box.statics if route_vrf == vrf]

    check_forwarding(box, interfaces.values())
    check_mtus(box)
    if not is_tolerant() and box.marking != (MARKING if box.marked_vlans else set()):
        report_misfit(f"option 82: {sorted(box.marking)}")
    read_part("segments", lambda: check_segments(box.tracking, box.gateway_mac, box.ports), None)
    return Switch(
        hostname=box.hostname,
        interfaces=used,
        unused=unused,
        loopbacks=loopbacks,
        vrf_loopbacks=loopbacks_by_vrf,
        management=read_part("management", lambda: _make_management(box), SwitchManagement()),
        subinterfaces=subinterfaces,
        vlans=vlans,
        bonds=read_part("bonds", lambda: dict(_make_bonds(box)), {}),
        pair=pair,
        vrfs=frozenset(box.vrfs - {MANAGEMENT}),
        bgp=read_part("BGP", lambda: box.routing.make_bgp(routes_in, statics_in), {}),
        routes={key: _make_static_route(hops) for key, hops in box.statics.items()},
        drained=read_part("maintenance", box.routing.is_drained, False),
        overlay=read_part("overlay", lambda: box.routing.make_overlay(loopbacks), None),
        qos=read_part("QoS", lambda: box.qos.make_qos(profiles), None),
        balancing=box.balancing.make_balancing(frozenset("v6" if ":" in address else "v4" for address in loopbacks)),
    )


def _make_interface(name: str, port: EosPort, box: EosBox) -> Interface:
    """Return a port; raises UnknownTextError for settings that no port of a build has."""
    if (port.addresses or port.link_local or port.vrf) and not port.routed:
        report_misfit(f"{name} has addresses and is no routed port")
    bridged = bool(port.access_vlan or port.tagged_vlans)
    if is_tolerant() and bridged and not port.trunk:
        port.access_mode = True  # the default, which EOS does not show
    if bridged != ((port.access_mode or port.trunk) and port.portfast) or (bridged and port.routed):
        report_misfit(f"{name} is no plain host port")
    if port.trunk != bool(port.tagged_vlans) or (port.trunk and port.access_mode):
        report_misfit(f"{name} is neither a plain access port nor a plain trunk")
    return Interface(
        admin_up=port.admin_up,
        mtu=port.mtu,
        speed_gbps=port.speed_gbps,
        fec=port.fec,
        states_no_fec=port.states_no_fec,
        negotiates=not port.speed_gbps,
        addresses=frozenset(port.addresses),
        link_local=port.link_local,
        access_vlan=port.access_vlan,
        tagged_vlans=port.tagged_vlans - {port.access_vlan},
        vrf=port.vrf,
        description=port.description,
        bond=port.bond,
        tracked=port.segment.tracked == "upstream",
        access=port.access.make_access(box.filters, edge=port.portfast and box.edge_guard),
        relay=port.gateway.make_relay(marked=box.marks_ports),
        silent=port.gateway.silent,
    )


def _make_pair(box: EosBox) -> MlagPair | None:
    """Return the MLAG pair of a switch, None if it is in none.

    Raises UnknownTextError for parts of a pair without the others, and for a pair that does not come up: over its trunk
    group, spanning tree, addresses, peer link or heartbeat.
    """
    mlag = box.mlag
    peer_link = box.ports.get(mlag.get("peer-link", ""))
    if not mlag or peer_link is None:
        if mlag or box.vlan_groups or (box.gateway_mac and not any(p.segment.virtual for p in box.ports.values())):
            report_misfit("parts of an MLAG pair without the others")
        return None
    # over this VLAN the two switches of the pair talk; all others of the group are of VRFs
    pair_vlan = int(mlag["local-interface"].removeprefix("Vlan"))
    vlans = {
        vlan: (box.ports[f"Vlan{vlan}"].vrf, frozenset(box.ports[f"Vlan{vlan}"].addresses)) for vlan in box.vlan_groups
    }
    pair_addresses = [ip_interface(address) for address in vlans[pair_vlan][1]]
    conditions = (
        # a trunk group keeps its VLANs off every other trunk
        set(box.vlan_groups.values()) == {"MLAG"} == set(peer_link.groups),
        # spanning tree must not block the VLAN that the pair itself needs
        box.without_tree == {pair_vlan},
        not any(box.ports[f"Vlan{vlan}"].autostate for vlan in vlans),
        any(
            ip_address(mlag["peer-address"]) in interface.network and str(interface.ip) != mlag["peer-address"]
            for interface in pair_addresses
        ),
        (peer_link.trunk, peer_link.admin_up, bool(box.gateway_mac)) == (True, True, True),
        ("heartbeat" in mlag) == ("dual-primary" in mlag),
    )
    if not all(conditions):
        report_misfit(f"an MLAG pair that does not come up: {conditions}")
    backup = (mlag["heartbeat"], "management") if "heartbeat" in mlag else ("", "")
    peer_channel = int(mlag["peer-link"].removeprefix("Port-Channel"))
    members = frozenset(name for name, port in box.ports.items() if port.bond == peer_channel)
    return MlagPair(members, mlag["domain-id"], backup, vlans)


def _make_bonds(box: EosBox) -> Iterator[tuple[int, Bond]]:
    """Yield (number, bond) of each port channel but the peer link.

    Raises UnknownTextError for slow LACP, an MLAG id of another number, and a QoS profile other than that of its ports.
    """
    ports, peer_link = box.ports, box.mlag.get("peer-link", "")
    channels = {int(name.removeprefix("Port-Channel")): p for name, p in ports.items() if name.startswith("Port-C")}
    members: dict[int, set[str]] = {number: set() for number in channels}
    for name, port in ports.items():
        if bool(port.bond) != port.fast:
            report_misfit(f"{name} has LACP timers of another kind")
        if port.bond:
            members[port.bond].add(name)
    for number, channel in channels.items():
        if f"Port-Channel{number}" == peer_link:
            continue
        if channel.mlag not in (0, number):
            report_misfit(f"port channel {number} has MLAG id {channel.mlag}")
        interface = _make_interface(f"Port-Channel{number}", channel, box)
        ports_of, vlans = frozenset(members[number]), (interface.access_vlan, interface.tagged_vlans)
        fallback = channel.access.fallback
        if {ports[port].profile for port in ports_of} != {channel.profile}:
            report_misfit(f"port channel {number} has another QoS profile than its ports")
        yield (
            number,
            Bond(
                *(
                    ports_of,
                    interface.admin_up,
                    interface.mtu,
                    *vlans,
                    interface.description,
                    channel.mlag,
                    interface.access,
                    fallback,
                ),
                segment=channel.segment.find_name(),
            ),
        )


def _make_vlan(box: EosBox, number: int) -> Vlan:
    """Return a VLAN: its gateways are anycast addresses, else those shared by VARP (`virtual-router`), else its own."""
    interface = box.ports.get(f"Vlan{number}", EosPort())
    lengths = {":" in address: address.partition("/")[2] for address in interface.addresses}  # by family (True: IPv6)
    shared = frozenset(f"{address}/{lengths[':' in address]}" for address in interface.shared)
    addresses, gateway = frozenset(interface.addresses), interface.gateway
    virtual = frozenset(interface.segment.virtual)
    return Vlan(
        virtual or shared or addresses,
        interface.vrf,
        addresses if shared else frozenset(),
        gateway.make_relay(marked=number in box.marked_vlans, box=box, vrf=interface.vrf),
        gateway.make_advertised(),
        gateway.silent,
        anycast=bool(virtual),
    )


def _make_management(box: EosBox) -> SwitchManagement:
    """Return how the switch is managed.

    Raises UnknownTextError for lines of management that do not fit together, for servers in another VRF than the
    management port's, and for login servers that are stated but not asked.
    """
    management, addresses = box.managed, frozenset(_list_managements(box))
    management.check_lines({name for name in box.ports if name.startswith("Management")})
    vrfs, login_servers = management.list_vrfs(), management.list_login_servers()
    if vrfs - {MANAGEMENT if addresses else ""}:
        report_misfit(f"servers are in {sorted(vrfs)}")
    if {protocol for protocol, _ in login_servers} - {management.login_group.removesuffix("+")}:
        report_misfit("servers decide on logins, and are not asked")
    return SwitchManagement(
        addresses=addresses,
        from_loopback=management.speaks_from_loopback(),
        users=management.users,
        aaa=login_servers,
        ntp=management.list_servers("ntp"),
        dns=management.list_servers("ip"),
        domain=management.domain,
        syslog=management.list_servers("logging"),
        syslog_level=management.level,
        snmp_users=frozenset(management.snmp_users),
        gnmi_port=management.gnmi_port,
        login_banner=management.banners.get("login", ""),
        motd=management.banners.get("motd", ""),
        timezone=management.timezone,
    )


def _list_managements(box: EosBox) -> Iterator[tuple[str, str]]:
    """Yield (address, gateway) of each address of the management ports.

    Raises UnknownTextError if a port or SSH is not in the VRF of management, or if a family has no default gateway.
    """
    ports = [port for name, port in box.ports.items() if name.startswith("Management")]
    for port in ports:
        if port.vrf != MANAGEMENT or MANAGEMENT not in box.vrfs or box.ssh_vrfs != {MANAGEMENT}:
            report_misfit("management is not in a VRF of its own")
        for address in port.addresses:
            yield address, _find_gateway(box, "ipv6" if ":" in address else "ip")


def _find_gateway(box: EosBox, word: str) -> str:
    """Return the default gateway of a family for management; raises UnknownTextError if there is none."""
    if word not in box.gateways:
        report_misfit(f"there is no default gateway of {word} for management")
    return box.gateways.get(word, "")


def _make_static_route(hops: list[tuple[str, str]]) -> StaticRoute:
    """Return a static route from (port, address) of its next hops; a next hop with the address "" makes it drop
    packets.
    """
    return StaticRoute(frozenset(hop for hop in hops if hop[1]), any(not address for _, address in hops))


_TOP, _PORT, _SSH, _VLAN, _MLAG, _SECURITY, _MACSEC = (LineRules() for _ in range(7))
_TOP.require_lines("service routing protocols model multi-agent", r"spanning-tree mode (?:mstp|none)")
_VLAN.ignore_lines(r"name \S+")
add_balancing_rules(_TOP)
add_routing_rules(_TOP)
add_qos_rules(_TOP)
add_management_rules(_TOP)
add_host_rules(_TOP, _PORT)
add_segment_rules(_TOP, _PORT)
add_gateway_rules(_TOP, _PORT)
_TOP.read_below({"mlag configuration": (_MLAG, ""), "management ssh": (_SSH, ""), "mac security": (_SECURITY, "")})
_TOP.store_fields(
    {
        "spanning-tree edge-port bpduguard default": ("edge_guard", mark_present),
        r"hostname (\S+)": ("hostname", str),
        r"no spanning-tree vlan-id (\d+)": ("without_tree", int),
        r"ip virtual-router mac-address ([0-9a-f:]{17})": ("gateway_mac", str),
        r"vrf instance (\S+)": ("vrfs", str),
        r"(ip|ipv6) route vrf MGMT (?:0\.0\.0\.0/0|::/0) (\S+)": ("gateways", make_item),
    }
)
_MLAG.store_fields(
    {
        r"(domain-id|local-interface|peer-address|peer-link) (\S+)": ("mlag", make_item),
        r"peer-address (heartbeat) (\S+) vrf MGMT": ("mlag", make_item),
        r"(dual-primary) detection delay (\d+) action errdisable all-interfaces": ("mlag", make_item),
    }
)
_MACSEC.store_fields(
    {
        r"(cipher) (\S+)": ("", make_item),
        r"key ([0-9a-f]+) 7 (\S+)": ("", lambda ckn, cak: {"ckn": ckn, "cak": cak}),
    }
)


@_SECURITY.line(r"profile (\S+)")
def _read_macsec_profile(box: EosBox, line: Line, name: str) -> None:
    words: dict[str, str] = {}
    _MACSEC.read(line.children, words)
    box.macsecs[name] = LinkMacsec(words.get("cipher", ""), words.get("ckn", ""), words.get("cak", ""))


@_TOP.line(r"vlan ([\d,-]+)")
def _read_vlan(box: EosBox, line: Line, numbers: str) -> None:
    for number in parse_vlans(numbers):
        _VLAN.read(line.children, box, number)
        box.vlans.add(number)


def parse_vlans(text: str) -> frozenset[int]:
    """Return the VLANs of a list as EOS writes it, `10-12,20`; a range ends at MOST_VLANS at the latest."""
    ranges = (vlan_range.partition("-") for vlan_range in text.split(","))
    return frozenset(
        vlan
        for lowest, _, highest in ranges
        for vlan in range(int(lowest), min(int(highest or lowest), MOST_VLANS) + 1)
    )


@_VLAN.line(r"trunk group (\S+)")
def _read_vlan_group(box: EosBox, number: int, line: Line, group: str) -> None:
    box.vlan_groups[number] = group


@_TOP.line(r"(ip) routing(?:( ipv6 interfaces)| vrf (\S+))?|(ipv6) unicast-routing(?: vrf (\S+))?")
def _read_routing(box: EosBox, line: Line, v4: str, over: str, vrf4: str, v6: str, vrf6: str) -> None:
    box.routes_in.add((v4 or v6, vrf4 or vrf6 or ""))
    box.v4_over_v6 |= bool(over)


@_TOP.line(r"(?:ip|ipv6) route(?: vrf (\S+))? (\S+) (?:Null0( \d+)?|(Ethernet\S+) (\S+))")
def _read_static_route(box: EosBox, line: Line, vrf: str, prefix: str, distance: str, port: str, address: str) -> None:
    hops = box.statics.setdefault((vrf or "", prefix), [])
    if bool(distance) != (not port and bool(hops)):  # only the null route behind other hops has a distance
        report_misfit(f"a distance is for what drops the rest: {line.text}")
    hops.append((port or "", address or ""))


@_TOP.line(r"(?:ip|ipv6) route (\S+) (\S+)(?: .*)?")
def _read_other_route(box: EosBox, line: Line, prefix: str, hop: str) -> None:
    """Add a next hop, without a port, of a static route in a form that a device may have and no build writes."""
    if not is_tolerant() or prefix == "vrf":
        report_unknown("ip", f"not understood: {line.text}")
    else:
        box.statics.setdefault(("", prefix), []).append(("", hop))


@_SSH.line(r"vrf (\S+)")
def _read_ssh_vrf(box: EosBox, line: Line, vrf: str) -> None:
    if [child.text for child in line.children] != ["no shutdown"]:
        report_misfit(f"ssh in {vrf}")
    box.ssh_vrfs.add(vrf)


@_TOP.line(r"interface (\S+)")
def _read_port(box: EosBox, line: Line, name: str) -> None:
    port = box.ports[name] = EosPort()
    _PORT.read(line.children, port)


_PORT.store_fields(
    {
        r"mac security profile (\S+)": ("macsec", str),
        r"speed (\d+)g(?:-\d)?": ("speed_gbps", int),
        "error-correction encoding (reed-solomon|fire-code)": ("fec", FEC.__getitem__),
        "no error-correction encoding": ("states_no_fec", mark_present),
        r"description (.+)": ("description", str),
        r"service-profile (.+)": ("profile", str),
        r"vrf (.+)": ("vrf", str),
        r"mtu (\d+)": ("mtu", int),
        r"switchport access vlan (\d+)": ("access_vlan", int),
        r"encapsulation dot1q vlan (\d+)": ("tag", int),
        r"channel-group (\d+) mode active": ("bond", int),
        r"mlag (\d+)": ("mlag", int),
        r"switchport trunk group (\S+)": ("groups", str),
        r"(?:ip|ipv6) virtual-router address (\S+)": ("shared", str),
        r"switchport trunk native vlan (\d+)": ("access_vlan", int),
        r"switchport trunk allowed vlan ([\d,-]+)": ("tagged_vlans", parse_vlans),
        "switchport mode trunk": ("trunk", mark_present),
        "switchport mode access": ("access_mode", mark_present),
        "spanning-tree portfast": ("portfast", mark_present),
        "no switchport": ("routed", mark_present),
        "lacp timer fast": ("fast", mark_present),
        "no autostate": ("autostate", mark_absent),
        "ipv6 enable": ("link_local", mark_present),
        "no shutdown": ("admin_up", mark_present),
        "shutdown": ("admin_up", mark_absent),
        r"(?:ip|ipv6) address (\S+)": ("addresses", str),
    }
)

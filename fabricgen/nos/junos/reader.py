"""A configuration of Junos read back. Words: Juniper's CLI reference and YANG models of Junos OS Evolved.

A statement that is not known here is an error.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, field, replace
from functools import partial

from fabricgen.nos.junos.reading.hosts import ADVERTISING, RELAY, Advertising, Relays, make_relay
from fabricgen.nos.junos.reading.management import INSTANCE, SNMP, SYSTEM, JunosManagement
from fabricgen.nos.junos.reading.qos import FORWARDING, QOS, JunosQos
from fabricgen.nos.junos.reading.routing import INSTANCES, MAC_VRF, OPTIONS, POLICY, PROTOCOLS, JunosRouting
from fabricgen.nos.junos.reading.text import make_lines, pass_on, read_lines, remove_quotes
from fabricgen.running.policy import OwnRoute, list_connected_routes
from fabricgen.running.tree import (
    Line,
    LineRules,
    is_tolerant,
    mark_absent,
    mark_present,
    read_part,
    report_misfit,
    report_unknown,
)
from fabricgen.switch.interfaces import Bond, HostAccess, Interface, Relay, Vlan, separate_unused
from fabricgen.switch.model import Switch, SwitchManagement
from fabricgen.switch.qos import Balancing
from fabricgen.switch.routing import OverlayVlan

FRAME_BYTES = 18
"""Bytes of a frame besides its packet."""

FEC = {"fec91": "rs", "fec74": "fc", "none": ""}


OF_BOND = frozenset({"lacp active", "lacp periodic fast"})
"""The words of every bond's LACP."""

OF_SEGMENT = frozenset({"all-active"})
"""The words of a bond with an Ethernet segment."""


@dataclass
class Aggregate:
    """LACP and Ethernet segment of a bond: `system` is its LACP system, `words` are its other lines, as they are."""

    words: set[str] = field(default_factory=set)
    system: str = ""
    esi: str = ""

    def find_segment(self, name: str) -> str:
        """Return the MAC that names the segment of the bond `name`, "" for none.

        Raises UnknownTextError for LACP of another kind, or half a segment.
        """
        number = int(name.removeprefix("ae"))
        esi = ":".join(["00", self.system, *(f"{byte:02x}" for byte in number.to_bytes(3, "big"))])
        required = OF_BOND | (OF_SEGMENT if self.system else set())
        if not is_tolerant() and (self.words != required or self.esi != (esi if self.system else "")):
            report_misfit(f"{name} has another LACP or segment: {sorted(self.words ^ required)} {self.esi}")
        return self.system


@dataclass
class JunosPort:
    """What is said of an interface and of its one unit."""

    admin_up: bool = True
    frame_mtu: int = 0
    speed_gbps: int = 0
    ways: int = 0
    """How many ports a cage is split into; 0 for a port, and for a cage that is not split."""
    fec: str = ""
    description: str = ""
    families: dict[str, int] = field(default_factory=dict)
    """The MTU of each family, 0 where none is stated."""
    addresses: list[str] = field(default_factory=list)
    mode: str = ""
    """`access` or `trunk` of a bridged port, with the names of its VLANs in `members`."""
    members: list[str] = field(default_factory=list)
    native: int = 0
    """The VLAN of untagged packets on a trunk, 0 for none."""
    guarded: bool = False
    """Whether it goes down if it receives BPDUs."""
    bond: int = 0
    forced_up: bool = False
    """Whether it carries traffic before the host of its bond speaks LACP."""
    aggregate: Aggregate = field(default_factory=Aggregate)


@dataclass
class JunosGateway:
    """A unit of `irb`: the gateway of a VLAN. `mac` is that of an anycast gateway, `mtus` are by family."""

    mac: str = ""
    advertising: Advertising = field(default_factory=Advertising)
    mtus: dict[str, int] = field(default_factory=dict)
    addresses: list[str] = field(default_factory=list)


@dataclass
class JunosBox:
    """What a whole configuration says."""

    ports: dict[str, JunosPort] = field(default_factory=dict)
    aggregates: int = 0
    """How many bonds the configuration allows, from ae0."""
    irb_mtu: int = 0
    gateways: dict[int, JunosGateway] = field(default_factory=dict)
    vlans: dict[str, int] = field(default_factory=dict)
    """The number of each VLAN, by name."""
    interface_of: dict[int, str] = field(default_factory=dict)
    """The gateway of each VLAN by its number, such as `irb.110`."""
    loopbacks: dict[int, list[str]] = field(default_factory=dict)
    """Addresses of units of lo0."""
    relays: dict[str, Relays] = field(default_factory=dict)
    """DHCP relay of the default VRF: of IPv4 under "", of IPv6 under `dhcpv6`."""
    lldp: set[str] = field(default_factory=set)
    routing: JunosRouting = field(default_factory=JunosRouting)
    qos: JunosQos = field(default_factory=JunosQos)
    managed: JunosManagement = field(default_factory=JunosManagement)

    def vrf_of(self, interface: str) -> str:
        """Return the VRF that an interface is in, "" for the default one."""
        return next((vrf for vrf, instance in self.routing.vrfs.items() if interface in instance.interfaces), "")

    def find_relay(self, interface: str) -> Relay | None:
        """Return the DHCP relay of an interface, in the VRF that it is in; None without one."""
        vrf = self.vrf_of(interface)
        relays = self.routing.vrfs[vrf].relays if vrf else self.relays
        units = {f"lo0.{unit}": addresses for unit, addresses in self.loopbacks.items()}
        loopbacks = {name: addresses for name, addresses in units.items() if self.vrf_of(name) == vrf}
        return make_relay(relays, interface, loopbacks, in_vrf=bool(vrf))

    def open_port(self, name: str) -> JunosPort:
        """Return the port of a name, which is added if it is new."""
        return self.ports.setdefault(name, JunosPort())


def read(files: Mapping[str, str]) -> Switch:
    """Return a switch from its one file; raises UnknownTextError for text that is not understood or does not fit
    together.
    """
    (text,) = files.values()
    box, stanzas = JunosBox(), dict[str, list[tuple[str, ...]]]()
    for words in read_lines(text):
        stanzas.setdefault(words[0], []).append(words[1:])
    for name, statements in stanzas.items():
        if name in STANZAS:
            STANZAS[name].read(list(make_lines(statements)), box)
        else:
            report_unknown(name, f"not understood: {name} {' '.join(statements[0])}")
    return _make_switch(box)


def _make_switch(box: JunosBox) -> Switch:
    """Return the model of a switch from what the statements of its configuration were read into."""
    cages = {name: port for name, port in box.ports.items() if port.ways}
    management = [name for name in box.ports if name.startswith(("re0:", "em", "fxp"))]
    _check_cages(box, cages)
    names = [name for name in box.ports if name not in cages and name.startswith("et-")]
    bonds = {_parse_bond(name): read_part(name, partial(_make_bond, box, name), None) for name in _list_bonds(box)}
    unread = Interface(True, 0, 0)
    interfaces = {name: read_part(name, partial(_make_interface, box, name, cages), unread) for name in names}
    used, unused = separate_unused(interfaces)
    if any(bond and bond.segment for bond in bonds.values()):
        uplinks = box.routing.list_uplinks({name: port.addresses for name, port in used.items()})
        used = {name: replace(port, tracked=name in uplinks) for name, port in used.items()}
    loopbacks, vlans = frozenset(box.loopbacks.get(0, ())), {n: _make_vlan(box, n) for n in box.vlans.values()}
    by_vrf = {vrf: frozenset(names) for unit, names in box.loopbacks.items() if (vrf := box.vrf_of(f"lo0.{unit}"))}
    _check_stanzas(box, management)
    bridged = {f"{name}.0" for name, port in box.ports.items() if port.mode}
    none: dict[int, OverlayVlan] = {}
    over_evpn = read_part("MAC-VRF", lambda: box.routing.mac_vrf.make_vlans(box.vlans, bridged), none)

    def routes_in(vrf: str) -> Iterator[OwnRoute]:
        return list_connected_routes(vrf, used, {}, vlans, loopbacks, by_vrf)

    def addresses_in(vrf: str) -> dict[str, Set[str]]:
        return {name: port.addresses for name, port in used.items() if port.vrf == vrf}

    families = {"v6" if ":" in address else "v4" for address in loopbacks}
    own_addresses = [address for name in management for address in box.ports[name].addresses]
    return Switch(
        hostname=box.managed.hostname,
        interfaces=used,
        unused=unused,
        loopbacks=loopbacks,
        vrf_loopbacks=by_vrf,
        vrfs=frozenset(box.routing.vrfs),
        management=read_part("management", lambda: box.managed.make_management(own_addresses), SwitchManagement()),
        vlans=vlans,
        bonds={number: bond for number, bond in bonds.items() if bond},
        bgp=read_part("BGP", lambda: box.routing.make_bgp(routes_in, addresses_in, loopbacks), {}),
        routes=read_part("routes", lambda: box.routing.make_routes(addresses_in), {}),
        drained=read_part("maintenance", box.routing.is_drained, False),
        qos=read_part(
            "QoS", lambda: box.qos.make_qos({n: f"ae{p.bond}" if p.bond else n for n, p in used.items()}), None
        ),
        balancing=read_part("load balancing", lambda: box.qos.make_balancing(families), Balancing()),
        overlay=read_part("overlay", lambda: box.routing.make_overlay(loopbacks, over_evpn), None),
    )


LLDP = frozenset(
    {
        "port-id-subtype interface-name",
        "port-description-type interface-description",
        "neighbour-port-info-display port-id",
        "interface all",
    }
)
"""The lines by which ports announce themselves to neighbours, and ask these."""


def _check_stanzas(box: JunosBox, management: list[str]) -> None:
    """Refuse a configuration that lacks lines which every switch has, or has another number of bonds or management
    ports.

    `management` are the names of its management ports. Raises UnknownTextError.
    """
    if is_tolerant():
        return
    required = {"PFE-LB load-balance per-packet", "export PFE-LB", "ecmp-fast-reroute"}
    if lacking := required - box.routing.words - box.routing.policies.words:
        report_misfit(f"routes over several links take one of them: {sorted(lacking)}")
    if box.lldp != LLDP:
        report_misfit(f"LLDP tells ports otherwise: {sorted(box.lldp ^ LLDP)}")
    if box.aggregates != max((number + 1 for number in map(_parse_bond, _list_bonds(box))), default=0):
        report_misfit(f"the device has {box.aggregates} bonds, and not those that are configured")
    if len(management) > 1:
        report_misfit(f"several ports are for management: {management}")


def _check_cages(box: JunosBox, cages: Mapping[str, JunosPort]) -> None:
    """Refuse ports of cages that are not split, and split cages whose ports are not all there;
    raises UnknownTextError.
    """
    of_cage: dict[str, set[str]] = {}
    for name in box.ports:
        if ":" in name and name.startswith("et-"):
            of_cage.setdefault(name.partition(":")[0], set()).add(name)
    for name, port in cages.items():
        expected = {f"{name}:{sub}" for sub in range(port.ways)}
        if of_cage.get(name, set()) != expected and not is_tolerant():
            report_misfit(f"{name} has {port.ways} ports, of which there are {sorted(of_cage.get(name, ()))}")
    strange = of_cage.keys() - cages.keys()
    if strange and not is_tolerant():
        report_misfit(f"ports of cages that are not split: {sorted(strange)}")


def _make_interface(box: JunosBox, name: str, cages: Mapping[str, JunosPort]) -> Interface:
    """Return one port as an interface; `cages` are the split cages, by name, whose speed applies to all their ports.

    The MTU is that of packets, without the Ethernet header.
    """
    port, cage = box.ports[name], cages.get(name.partition(":")[0])
    if cage and port.speed_gbps and port.speed_gbps != cage.speed_gbps:
        report_misfit(f"{name} has another speed than its cage")
    frame_mtu = box.open_port(f"ae{port.bond}").frame_mtu if port.bond else port.frame_mtu
    mtu = frame_mtu - FRAME_BYTES if frame_mtu else 0
    if any(family_mtu != mtu for family_mtu in port.families.values()) and not is_tolerant():
        report_misfit(f"{name} takes frames of {port.frame_mtu} bytes, and packets of {sorted(port.families.values())}")
    untagged, tagged = _find_vlans(box, name)
    if not is_tolerant() and port.admin_up and not (frame_mtu and (port.speed_gbps or cage)):
        report_misfit(f"{name} states no speed or no MTU")
    return Interface(
        admin_up=port.admin_up,
        mtu=mtu,
        speed_gbps=cage.speed_gbps if cage else port.speed_gbps,
        fec=FEC.get(port.fec, ""),
        states_no_fec=port.fec == "none",
        addresses=frozenset(port.addresses),
        link_local="inet6" in port.families and not any(":" in address for address in port.addresses),
        access_vlan=untagged,
        tagged_vlans=tagged,
        bond=port.bond,
        vrf=box.vrf_of(f"{name}.0"),
        description=port.description,
        relay=box.find_relay(f"{name}.0"),
        access=HostAccess(bpdu_guard=port.guarded),
    )


def _find_vlans(box: JunosBox, name: str) -> tuple[int, frozenset[int]]:
    """Return (untagged VLAN, tagged VLANs) of a port or bond; UnknownTextError if it is no access port or trunk."""
    port = box.ports[name]
    vlans = [box.vlans.get(member, 0) for member in port.members]
    if bool(vlans) != bool(port.mode) or 0 in vlans or (port.mode == "access" and len(vlans) != 1):
        report_misfit(f"{name} is neither a plain access port nor a plain trunk, or in a VLAN that is not there")
    if port.native and port.native not in vlans:
        report_misfit(f"{name} has untagged packets in VLAN {port.native}, which it is not in")
    untagged = port.native if port.mode == "trunk" else next(iter(vlans), 0)
    return untagged, frozenset(vlans) - {untagged}


def _list_bonds(box: JunosBox) -> list[str]:
    return [name for name in box.ports if name.startswith("ae")]


def _parse_bond(name: str) -> int:
    """Return the number of a bond: 3 for `ae3`."""
    return int(name.removeprefix("ae"))


def _make_bond(box: JunosBox, name: str) -> Bond:
    """Return the bond `aeN`, with the VLANs and MTU of its logical interface."""
    port, number = box.ports[name], _parse_bond(name)
    members = {member for member, far in box.ports.items() if far.bond == number and member != name}
    forced_up = [member for member in members if box.ports[member].forced_up]
    untagged, tagged = _find_vlans(box, name)
    if not is_tolerant() and len(forced_up) > 1:
        report_misfit(f"several ports of {name} carry traffic without LACP")
    return Bond(
        members=members,
        admin_up=port.admin_up,
        mtu=port.frame_mtu - FRAME_BYTES if port.frame_mtu else 0,
        access_vlan=untagged,
        tagged_vlans=tagged,
        description=port.description,
        access=HostAccess(bpdu_guard=port.guarded),
        fallback=bool(forced_up),
        segment=port.aggregate.find_segment(name),
    )


def _make_vlan(box: JunosBox, number: int) -> Vlan:
    """Return a VLAN with its gateway `irb.N`.

    Raises UnknownTextError if VLAN N has another gateway, or if the gateway's MTU is less than that of the VLAN's
    ports.
    """
    gateway = box.gateways.get(number, JunosGateway())
    if box.interface_of.get(number) != f"irb.{number}":
        report_misfit(f"VLAN {number} has no gateway, or another's")
    largest_frame = max((port.frame_mtu for port in box.ports.values() if port.mode), default=0)
    families = {"inet6" if ":" in address else "inet" for address in gateway.addresses}
    low_mtus = {
        family_word: gateway.mtus.get(family_word, 0)
        for family_word in families
        if gateway.mtus.get(family_word, 0) < largest_frame - FRAME_BYTES
    }
    if (low_mtus or box.irb_mtu < largest_frame) and not is_tolerant():
        report_misfit(
            f"the gateway of VLAN {number} takes packets of {low_mtus or box.irb_mtu} bytes, and its ports larger ones"
        )
    interface = f"irb.{number}"
    return Vlan(
        frozenset(gateway.addresses),
        box.vrf_of(interface),
        relay=box.find_relay(interface),
        advertised=gateway.advertising.make_advertised(gateway.addresses),
        silent=gateway.advertising.silent,
        anycast=bool(gateway.mac),
    )


CHASSIS, INTERFACES, VLANS = LineRules(), LineRules(), LineRules()
_PORT = LineRules()
STANZAS: Mapping[str, LineRules] = {
    "system": SYSTEM,
    "chassis": CHASSIS,
    "interfaces": INTERFACES,
    "snmp": SNMP,
    "forwarding-options": FORWARDING,
    "policy-options": POLICY,
    "class-of-service": QOS,
    "routing-instances": INSTANCES,
    "routing-options": OPTIONS,
    "protocols": PROTOCOLS,
    "vlans": VLANS,
}


CHASSIS.store_fields(
    {
        r"maximum-ecmp (\d+)": ("routing.max_paths", int),
        r"aggregated-devices ethernet device-count (\d+)": ("aggregates", int),
    }
)
INTERFACES.store_fields({r"irb mtu (\d+)": ("irb_mtu", int)})
_PORT.store_fields(
    {
        "disable": ("admin_up", mark_absent),
        "description (.+)": ("description", remove_quotes),
        r"mtu (\d+)": ("frame_mtu", int),
        r"number-of-sub-ports (\d+)": ("ways", int),
        r"native-vlan-id (\d+)": ("native", int),
        r"speed (\d+)g": ("speed_gbps", int),
        "ether-options fec (fec91|fec74|none)": ("fec", str),
        r"ether-options 802\.3ad ae(\d+)": ("bond", int),
        r"ether-options 802\.3ad lacp force-up": ("forced_up", mark_present),
        r"unit 0 family ethernet-switching interface-mode (\S+)": ("mode", str),
        r"unit 0 family ethernet-switching vlan members (\S+)": ("members", str),
        r"aggregated-ether-options lacp system-id (\S+)": ("aggregate.system", str),
        r"esi ((?:[\da-f]{2}:){9}[\da-f]{2})": ("aggregate.esi", str),
        "aggregated-ether-options (lacp active|lacp periodic fast)": ("aggregate.words", str),
        "esi (all-active)": ("aggregate.words", str),
    }
)
PROTOCOLS.store_fields({"lldp (.+)": ("lldp", str)})
VLANS.ignore_lines(r"\S+ description .+")
VLANS.store_fields({r"(\S+) vlan-id (\d+)": ("vlans", lambda name, number: {name: int(number)})})


@INTERFACES.line(r"lo0 unit (\d+) family inet6? address (\S+)")
def _read_loopback(box: JunosBox, line: Line, unit: str, address: str) -> None:
    box.loopbacks.setdefault(int(unit), []).append(address)


@INTERFACES.line(r"irb unit (\d+) (?:description .+|mac (\S+)|family (inet6?) (mtu|address) (\S+))")
def _read_gateway(box: JunosBox, line: Line, unit: str, mac: str, family: str, word: str, value: str) -> None:
    """Store a line of an `irb` unit in its gateway: MAC of an anycast gateway, MTU of a family, or an address."""
    gateway = box.gateways.setdefault(int(unit), JunosGateway())
    gateway.mac = mac or gateway.mac
    if word == "mtu":
        gateway.mtus[family] = int(value)
    elif word:
        gateway.addresses.append(value)


@INTERFACES.line(r"(\S+) (.+)")
def _read_port_line(box: JunosBox, line: Line, name: str, rest: str) -> None:
    pass_on(_PORT, line, rest, box.open_port(name))


@_PORT.line(r"unit 0 family (inet6?)(?: (mtu|address) (\S+))?")
def _read_family(port: JunosPort, line: Line, family: str, word: str, value: str) -> None:
    """Add a family to a port, and the MTU of that family or an address if the line states one."""
    port.families.setdefault(family, 0)
    if word == "mtu":
        port.families[family] = int(value)
    elif word:
        port.addresses.append(value)


@INSTANCES.line(rf"{INSTANCE} routing-options (?:rib {INSTANCE}\.inet6\.0 )?static route (\S+) next-hop (\S+)")
def _read_default_route(box: JunosBox, line: Line, prefix: str, hop: str) -> None:
    if prefix not in ("0.0.0.0/0", "::/0"):
        report_misfit(f"management has a route to {prefix}")
    box.managed.gateways[":" in hop] = hop


@FORWARDING.line(r"dhcp-relay (?:(dhcpv6) )?(.+)")
def _read_relay(box: JunosBox, line: Line, word: str, rest: str) -> None:
    pass_on(RELAY, line, rest, box.relays.setdefault(word or "", Relays()))


@INSTANCES.line(rf"{MAC_VRF} vlans (?:(\S+) vxlan vni (\d+)|(.+))")
def _read_bridged_vlan(box: JunosBox, line: Line, name: str, vni: str, rest: str) -> None:
    """Store the VNI of a VLAN of the MAC-VRF; any other line on such a VLAN is left to the rules `VLANS`."""
    if name:
        box.routing.mac_vrf.vni_of[name] = int(vni)
    else:
        pass_on(VLANS, line, rest, box)


@VLANS.line(r"(\S+) l3-interface (\S+)")
def _read_l3_interface(box: JunosBox, line: Line, name: str, interface: str) -> None:
    box.interface_of[box.vlans[name]] = interface


@PROTOCOLS.line(r"router-advertisement interface irb\.(\d+) (.+)")
def _read_advertisements(box: JunosBox, line: Line, unit: str, rest: str) -> None:
    pass_on(ADVERTISING, line, rest, box.gateways.setdefault(int(unit), JunosGateway()).advertising)


@PROTOCOLS.line(r"layer2-control bpdu-block interface (\S+)")
def _read_bpdu_block(box: JunosBox, line: Line, name: str) -> None:
    box.open_port(name).guarded = True

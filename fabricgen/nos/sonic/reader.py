"""SONiC's files read back: config_db.json, and the frr.conf beside it or what bgpcfgd makes of the tables.

Tables and fields: sonic-buildimage, src/sonic-yang-models/doc/Configuration.md. A table or field that is not known
here is an error.

"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import Any

from fabricgen.nos.frr import routing as frr
from fabricgen.nos.sonic.reading import hosts, overlay, platform
from fabricgen.nos.sonic.reading.management import MANAGEMENT_TABLES, read_management
from fabricgen.nos.sonic.reading.overlay import Tunnels
from fabricgen.nos.sonic.reading.qos import QOS_TABLES, read_balancing, read_qos, read_trimming
from fabricgen.nos.sonic.routing_daemon import make_frr_text
from fabricgen.running.policy import OwnRoute, list_connected_routes
from fabricgen.running.tree import allow_fields, is_tolerant, read_part, report_misfit, report_unknown
from fabricgen.switch.interfaces import (
    OPEN,
    PEER_LINK,
    Bond,
    Interface,
    LinkMacsec,
    Subinterface,
    Vlan,
    separate_unused,
)
from fabricgen.switch.model import Switch, SwitchManagement
from fabricgen.switch.qos import Balancing
from fabricgen.switch.routing import EvpnOverlay, find_network


def read_macsec(table: Mapping[str, Mapping[str, str]]) -> dict[str, LinkMacsec]:
    """Return the encryption of links by the name of its profile; raises UnknownTextError for one that does not
    encrypt.
    """
    macsecs = {}
    for name, row in table.items():
        allow_fields(row, "cipher_suite", "policy", "primary_cak", "primary_ckn")
        if row.get("policy", "security" if is_tolerant() else "") != "security":
            report_misfit(f"{name} does not encrypt")
        words = row.get("cipher_suite", "GCM-AES-128").removeprefix("GCM-AES-").split("-")
        cipher = "-".join([f"aes{words[-1]}", "gcm", *(["xpn"] if words[0] == "XPN" else [])])
        macsecs[name] = LinkMacsec(cipher, row.get("primary_ckn", ""), row.get("primary_cak", ""))
    return macsecs


Row = Mapping[str, str]
Table = Mapping[str, Row]


@dataclass
class SonicBox:
    """What config_db.json says, without QoS, routing and management, by SONiC's names of interfaces.

    `access`: the untagged VLAN, `tagged`: the other VLANs; `channels`: rows of bonds; `tags`: of sub-interfaces.
    """

    hostname: str = ""
    timezone: str = ""
    split: bool = False
    shifted: bool = False
    ports: dict[str, Interface] = field(default_factory=dict)
    keyed: dict[str, list[str]] = field(default_factory=dict)
    """Addresses by the interface, VLAN, sub-interface or loopback that has them."""
    vrf_of: dict[str, str] = field(default_factory=dict)
    link_local: set[str] = field(default_factory=set)
    routed: set[str] = field(default_factory=set)
    vlans: dict[str, int] = field(default_factory=dict)
    access: dict[str, str] = field(default_factory=dict)
    tagged: dict[str, set[str]] = field(default_factory=dict)
    channels: dict[str, Row] = field(default_factory=dict)
    bond_of: dict[str, str] = field(default_factory=dict)
    tags: dict[str, int] = field(default_factory=dict)
    vrfs: dict[str, int] = field(default_factory=dict)
    """The VNI of each VRF, 0 for none."""
    tunnels: Tunnels = field(default_factory=Tunnels)
    hosts: hosts.HostTables = field(default_factory=hosts.HostTables)
    managements: set[tuple[str, str]] = field(default_factory=set)
    secured: dict[str, str] = field(default_factory=dict)
    macsecs: dict[str, LinkMacsec] = field(default_factory=dict)
    """The encryption of each MACsec profile; `secured`: the profile of each port that has one."""

    def vrf_vlans(self) -> dict[str, int]:
        """Return, by VLAN, the VNI of each VLAN that carries the VNI of a VRF: such a VLAN has no address."""
        of_vrfs = set(self.vrfs.values())
        return {vlan: vni for vlan, vni in self.tunnels.vnis.items() if vni in of_vrfs or not self.keyed.get(vlan)}


def read(files: Mapping[str, str]) -> Switch:
    """Return a switch from its files by name.

    Raises UnknownTextError for text that is not understood or does not fit together.
    """
    tables = json.loads(files["config_db.json"])
    box = SonicBox()
    for name, table in tables.items():
        if name in _TABLES:
            read_part(f"table {name}", partial(_TABLES[name], box, table), None)
        elif name not in {*QOS_TABLES} | MANAGEMENT_TABLES | overlay.PAIR_TABLES | overlay.SEGMENT_TABLES | _ELSEWHERE:
            report_unknown(name, f"table {name}")
    if box.split != ("frr.conf" in files) or (box.split and "BGP_NEIGHBOR" in tables):
        report_misfit("the routing mode does not fit the files")
    read_part("services of hosts", lambda: hosts.check_acl_types(box.hosts), None)
    routing = read_part("BGP", lambda: frr.read_frr(files.get("frr.conf") or make_frr_text(tables)), frr.Frr())
    switch = _make_switch(box, tables, routing)
    if not is_tolerant():
        platform.check_platform(tables)
    return switch


def _make_switch(box: SonicBox, tables: Mapping[str, Any], routing: frr.Frr) -> Switch:
    """Return the model of a switch from what its tables and FRR's configuration say."""
    ports = {name: read_part(name, partial(_make_interface, box, name, port), port) for name, port in box.ports.items()}
    link = overlay.find_peer_link(tables)
    mlag_bonds = read_part("MCLAG", lambda: overlay.list_mlag_bonds(tables), frozenset[str]())
    macs = read_part("EVPN multihoming", lambda: overlay.read_segments(tables, routing.segments), dict[str, str]())
    ports |= {name: replace(ports[name], tracked=True) for name in routing.segments.tracked & ports.keys()}
    shared = read_part("gateways", lambda: overlay.find_shared_gateways(tables), frozenset[str]())
    ports |= {name: replace(ports[name], bond=PEER_LINK) for name, bond in box.bond_of.items() if bond == link}
    used, unused = separate_unused(ports)
    subinterfaces = {
        _split_subinterface(name, ports): Subinterface(box.vrf_of.get(name, ""), _list_addresses(box, name))
        for name in box.tags
    }
    vlans = {
        number: Vlan(_list_addresses(box, name), box.vrf_of.get(name, ""), anycast=name in shared)
        for name, number in box.vlans.items()
        if name not in {*box.vrf_vlans(), *tables.get("MCLAG_UNIQUE_IP", {})}
    }
    loopbacks = _list_addresses(box, "Loopback0")
    loopbacks_by_vrf = _list_vrf_loopbacks(box, tables)

    def routes_in(vrf: str) -> Iterator[OwnRoute]:
        yield from list_connected_routes(vrf, used, subinterfaces, vlans, loopbacks, loopbacks_by_vrf)
        if not vrf:
            yield from (OwnRoute(find_network(address), "eth0") for address, _ in box.managements)

    if routing.hostname != box.hostname and (routing.hostname or (box.split and not is_tolerant())):
        report_misfit(f"frr.conf is of {routing.hostname or 'nobody'}")
    return Switch(
        hostname=box.hostname,
        interfaces=used,
        unused=unused,
        loopbacks=loopbacks,
        vrf_loopbacks=loopbacks_by_vrf,
        management=read_part(
            "management", lambda: read_management(tables, box.managements, box.timezone), SwitchManagement()
        ),
        subinterfaces=subinterfaces,
        vlans=read_part("gateways", lambda: hosts.add_gateway_services(vlans, tables), vlans),
        bonds=read_part("bonds", lambda: dict(_make_bonds(box, link, mlag_bonds, macs)), {}),
        pair=read_part(
            "MCLAG",
            lambda: overlay.read_pair(
                tables, partial(_list_members, box), frozenset(box.tagged.get(link, ())), box.vrf_of
            ),
            None,
        ),
        vrfs=frozenset(map(frr.strip_vrf_prefix, box.vrfs)),
        bgp=read_part("BGP", lambda: routing.make_bgp(routes_in), {}),
        routes=routing.make_static_routes(),
        drained=read_part("maintenance", lambda: box.shifted or routing.is_drained(), False),
        overlay=read_part("overlay", lambda: _make_overlay(box, routing), None),
        qos=read_part("QoS", lambda: read_qos(tables), None),
        srv6=read_part("SRv6", lambda: overlay.read_srv6(tables), None),
        trimming=read_part("packet trimming", lambda: read_trimming(tables), None),
        balancing=read_part("load balancing", lambda: read_balancing(tables.get("SWITCH_HASH", {})), Balancing()),
    )


def _make_overlay(box: SonicBox, routing: frr.Frr) -> EvpnOverlay | None:
    """Return EVPN, None without it.

    Raises UnknownTextError if the VNIs of VRFs, of their VLANs and of FRR differ, and if a switch without EVPN
    announces routes before they are installed, or one with EVPN waits for it.
    """
    vnis_of_vlans = {box.vrf_of[vlan]: vni for vlan, vni in box.vrf_vlans().items()}
    vnis_of_vrfs = {frr.strip_vrf_prefix(name): vni for name, vni in box.vrfs.items() if vni}
    if not vnis_of_vlans == vnis_of_vrfs == {name: lines.vni for name, lines in routing.over_evpn.items()}:
        report_misfit(f"VRFs have the VNIs {vnis_of_vrfs}, their VLANs {vnis_of_vlans}")
    if used := box.vrf_vlans().keys() & {*box.access.values(), *chain(*box.tagged.values())}:
        report_misfit(f"the VLANs of VNIs have ports: {sorted(used)}")
    bridged = {box.vlans[vlan]: vni for vlan, vni in box.tunnels.vnis.items() if vlan not in box.vrf_vlans()}
    vlans = overlay.make_overlay_vlans(bridged, {vni: lines.make_vrf() for vni, lines in routing.of_vnis.items()})
    evpn = routing.make_overlay(box.tunnels.find_vtep(), vlans)
    if box.split and not is_tolerant() and any(instance.waits is bool(evpn) for instance in routing.instances.values()):
        report_misfit("routes are announced before they are installed")
    return evpn


def _list_addresses(box: SonicBox, name: str) -> frozenset[str]:
    """Return the addresses of an interface, with prefix lengths; none if it has no row."""
    return frozenset(box.keyed.get(name, ()))


def _list_vrf_loopbacks(box: SonicBox, tables: Mapping[str, Any]) -> dict[str, frozenset[str]]:
    """Return the addresses of the loopback of each VRF that has one, by VRF."""
    names = {key.partition("|")[0] for key in tables.get("LOOPBACK_INTERFACE", {})}
    return {
        box.vrf_of[name]: _list_addresses(box, name) for name in sorted(names - {"Loopback0"}) if box.vrf_of.get(name)
    }


def _split_subinterface(name: str, ports: Mapping[str, Interface]) -> tuple[str, int]:
    """Return (port, tag) of a sub-interface: Ethernet0.110, or Eth0.110 if the kernel takes no longer name."""
    port, _, tag = name.partition(".")
    return (port if port in ports else port.replace("Eth", "Ethernet", 1)), int(tag)


def _make_interface(box: SonicBox, name: str, port: Interface) -> Interface:
    """Return a port with what other tables say of it; a member of a bond has the bond's MTU.

    Raises UnknownTextError for a port with two uses, or for a member with an MTU of its own.
    """
    vlan, bond = box.access.get(name, ""), box.bond_of.get(name, "")
    if bond and (vlan or name in box.tagged or name in box.routed or port.mtu):
        report_misfit(f"{name} is in {bond}, and has another use or an MTU of its own")
    if vlan and name in box.routed:
        report_misfit(f"{name} is routed and in {vlan}")
    if not bond and not port.mtu and not is_tolerant():
        report_misfit(f"{name} has no MTU")
    return replace(
        port,
        mtu=int(box.channels[bond]["mtu"]) if bond else port.mtu,
        addresses=_list_addresses(box, name),
        link_local=name in box.link_local,
        access_vlan=box.vlans[vlan] if vlan else 0,
        tagged_vlans=frozenset(box.vlans[tagged] for tagged in box.tagged.get(name, ())),
        vrf=box.vrf_of.get(name, ""),
        bond=_parse_bond_number(bond) if bond else 0,
        macsec=box.macsecs.get(box.secured.get(name, "")),
        access=OPEN if bond else box.hosts.make_access(name, [name], port.speed_gbps),
    )


def _list_members(box: SonicBox, name: str) -> frozenset[str]:
    """Return the ports of a bond."""
    return frozenset(port for port, bond in box.bond_of.items() if bond == name)


def _make_bonds(
    box: SonicBox, peer_link: str, mlag_bonds: frozenset[str], segments: Mapping[str, str]
) -> Iterator[tuple[int, Bond]]:
    """Yield (number, bond) of each bond but the peer link; `segments` are the MACs of Ethernet segments by bond."""
    for name, row in box.channels.items():
        bond = _make_bond(box, name, row)
        if name != peer_link:
            mlag_id = _parse_bond_number(name) if name in mlag_bonds else 0
            yield _parse_bond_number(name), replace(bond, mlag_id=mlag_id, segment=segments.get(name, ""))


def _parse_bond_number(bond: str) -> int:
    """Return the number in the name of a bond: 3 for `PortChannel3`."""
    return int(bond.removeprefix("PortChannel"))


def _make_bond(box: SonicBox, name: str, row: Row) -> Bond:
    """Return the bond `name` from its row of PORTCHANNEL, with its members, VLANs and access settings.

    Raises UnknownTextError for fields other than those of LACP as hosts have it.
    """
    fallback = row.get("fallback", "false")
    if {**row, "description": "", "mtu": "", "admin_status": "", "fallback": "", "system_mac": ""} != _CHANNEL:
        report_misfit(f"{name} is no bond by LACP as hosts have it: {row}")
    vlan = box.access.get(name, "")
    members = _list_members(box, name)
    return Bond(
        members=members,
        admin_up={"up": True, "down": False}[row["admin_status"]],
        mtu=int(row["mtu"]),
        access_vlan=box.vlans[vlan] if vlan else 0,
        tagged_vlans=frozenset(box.vlans[tagged] for tagged in box.tagged.get(name, ())),
        description=row["description"],
        access=box.hosts.make_access(name, sorted(members), min(box.ports[port].speed_gbps for port in members)),
        fallback={"true": True, "false": False}[fallback],
    )


_CHANNEL = {
    "admin_status": "",
    "description": "",
    "fallback": "",
    "fast_rate": "true",
    "lacp_key": "auto",
    "min_links": "1",
    "mtu": "",
    "system_mac": "",
}


_ELSEWHERE = {
    *("BGP_NEIGHBOR", "STATIC_ROUTE", "SWITCH_HASH", "SWITCH_TRIMMING", "SRV6_MY_LOCATORS", "SRV6_MY_SIDS"),
    *platform.NAMES,
}
"""Read in the form that bgpcfgd gives them, load balancing, packet trimming, SRv6, and what the platform asks for."""


_METADATA = (
    "bgp_adv_lo_prefix_as_128",
    "bgp_asn",
    "buffer_model",
    "default_bgp_status",
    "docker_routing_config_mode",
    "frr_mgmt_framework_config",
    "has_sonic_dhcpv4_relay",
    "hostname",
    "hwsku",
    "mac",
    "platform",
    "suppress-fib-pending",
    "synchronous_mode",
    "timezone",
    "type",
)


def _read_metadata(box: SonicBox, table: Table) -> None:
    """Read DEVICE_METADATA: host name, time zone, and whether FRR has a configuration of its own (`split-unified`)."""
    allow_fields(table, "localhost")
    row = table["localhost"]
    allow_fields(row, *_METADATA)
    box.hostname = row["hostname"]
    box.timezone = row.get("timezone", "")
    box.split = row.get("docker_routing_config_mode") == "split-unified"


_PORT_FIELDS = (
    "admin_status",
    "alias",
    "autoneg",
    "description",
    "fec",
    "index",
    "lanes",
    "macsec",
    "mtu",
    "speed",
    "subport",
)
_FEC = {"rs": "rs", "fc": "fc", "none": ""}


def _read_ports(box: SonicBox, table: Table) -> None:
    """Read PORT into `box`: state, MTU, FEC, description and speed of each port, and the profile of MACsec.

    The table has speeds in Mb/s and the model in Gb/s; raises UnknownTextError for a speed of no whole Gb/s.
    """
    for name, row in table.items():
        allow_fields(row, *_PORT_FIELDS)
        if "macsec" in row:
            box.secured[name] = row["macsec"]
        is_up = row.get("admin_status") == "up"  # down is the default (sonic-port.yang)
        speed, remainder = divmod(int(row["speed"]), 1000)
        if remainder:
            report_misfit(f"{name} runs at {row['speed']} Mb/s")
        fec, description = _FEC[row.get("fec", "none")], row.get("description", "")
        states_no_fec, negotiates = row.get("fec") == "none", row.get("autoneg") == "on"
        interface = Interface(is_up, int(row.get("mtu", 0)), speed, fec, description=description)
        box.ports[name] = replace(interface, states_no_fec=states_no_fec, negotiates=negotiates)


def _read_addressed(box: SonicBox, table: Table, *other_fields: str) -> list[tuple[str, Row]]:
    """Read keys `NAME` and `NAME|ADDRESS` of a table of interfaces into `box`; return (name, row) of the keys without
    an address.

    `other_fields` are the fields that such a row may have besides its VRF. Raises UnknownTextError for addresses of an
    interface without a row.
    """
    named_rows = []
    for key, row in table.items():
        name, _, address = key.partition("|")
        if address:
            allow_fields(row)
            box.keyed.setdefault(name, []).append(address)
        else:
            allow_fields(row, "vrf_name", *other_fields)
            box.vrf_of[name] = frr.strip_vrf_prefix(row.get("vrf_name", ""))
            named_rows.append((name, row))
    if without_row := {key.partition("|")[0] for key in table} - {name for name, _ in named_rows}:
        report_misfit(f"{sorted(without_row)} have addresses and no row of their own")
    return named_rows


def _read_global(box: SonicBox, table: Table) -> None:
    """Read BGP_DEVICE_GLOBAL: whether traffic is shifted away (TSA), as in maintenance."""
    allow_fields(table, "STATE")
    row = table.get("STATE", {})
    allow_fields(row, "tsa_enabled", *(("wcmp_enabled", "idf_isolation_state") if is_tolerant() else ()))
    box.shifted = row.get("tsa_enabled") == "true"


def _read_interfaces(box: SonicBox, table: Table) -> None:
    """Read INTERFACE: the ports that are routed, with addresses or with link-local ones alone."""
    for name, row in _read_addressed(box, table, "ipv6_use_link_local_only"):
        box.routed.add(name)
        if row.get("ipv6_use_link_local_only") == "enable":
            box.link_local.add(name)


def _read_subinterfaces(box: SonicBox, table: Table) -> None:
    """Read VLAN_SUB_INTERFACE: the tag of each sub-interface, which its name repeats."""
    for name, row in _read_addressed(box, table, "admin_status", "vlan"):
        if row.get("admin_status", "up" if is_tolerant() else "") != "up" or row["vlan"] != name.partition(".")[2]:
            report_misfit(f"{name} is down or of another VLAN")
        box.tags[name] = int(row["vlan"])


def _read_vlans(box: SonicBox, table: Table) -> None:
    for name, row in table.items():
        allow_fields(row, "dhcp_servers", "vlanid")
        box.vlans[name] = int(row["vlanid"])


def _read_channels(box: SonicBox, table: Table) -> None:
    box.channels |= table


def _read_channel_members(box: SonicBox, table: Table) -> None:
    """Read PORTCHANNEL_MEMBER: the bond of each port."""
    for key, row in table.items():
        allow_fields(row)
        bond, _, port = key.partition("|")
        if box.bond_of.setdefault(port, bond) != bond:
            report_misfit(f"{port} is in two bonds")


def _read_vlan_members(box: SonicBox, table: Table) -> None:
    """Read VLAN_MEMBER: at most one untagged VLAN of a port, and any number of tagged ones."""
    for key, row in table.items():
        vlan, _, port = key.partition("|")
        if row == {"tagging_mode": "untagged"} and port not in box.access:
            box.access[port] = vlan
        elif row == {"tagging_mode": "tagged"}:
            box.tagged.setdefault(port, set()).add(vlan)
        else:
            report_misfit(f"VLAN_MEMBER {key}")


def _read_managements(box: SonicBox, table: Table) -> None:
    """Read MGMT_INTERFACE: addresses of eth0 with their gateways."""
    for key, row in table.items():
        allow_fields(row, "gwaddr")
        name, _, address = key.partition("|")
        if name != "eth0":
            report_misfit(f"MGMT_INTERFACE {key}")
        box.managements.add((address, row["gwaddr"]))


def _read_vrfs(box: SonicBox, table: Table) -> None:
    for name, row in table.items():
        allow_fields(row, "vni")
        box.vrfs[name] = int(row.get("vni", 0))


def _ignore_fields(*fields: str) -> Callable[[SonicBox, Table], None]:
    """Return a reader for a table that has nothing for the model; it refuses fields other than `fields`."""

    def take(box: SonicBox, table: Table) -> None:
        for row in table.values():
            allow_fields(row, *fields)

    return take


_TABLES: dict[str, Callable[[SonicBox, Table], Any]] = {
    "ACL_RULE": hosts.read_acl_rules,
    "ACL_TABLE": hosts.read_acl_tables,
    "BGP_DEVICE_GLOBAL": _read_global,
    "DEVICE_METADATA": _read_metadata,
    "DHCPV4_RELAY": _ignore_fields("dhcpv4_servers", "link_selection", "source_interface"),
    "DHCP_RELAY": _ignore_fields("dhcpv6_servers"),
    "FEATURE": _ignore_fields("state"),
    "INTERFACE": _read_interfaces,
    "LOOPBACK_INTERFACE": _read_addressed,
    "MACSEC_PROFILE": lambda box, table: box.macsecs.update(read_macsec(table)),
    "MGMT_INTERFACE": _read_managements,
    "PORT": _read_ports,
    "PORTCHANNEL": _read_channels,
    "PORTCHANNEL_MEMBER": _read_channel_members,
    "PORT_STORM_CONTROL": hosts.read_storms,
    "VERSIONS": _ignore_fields("VERSION"),
    "VLAN": _read_vlans,
    "VLAN_INTERFACE": lambda box, table: _read_addressed(
        box, table, "ipv6_use_link_local_only", "static_anycast_gateway"
    ),
    "VLAN_MEMBER": _read_vlan_members,
    "VLAN_SUB_INTERFACE": _read_subinterfaces,
    "VRF": _read_vrfs,
    "VXLAN_EVPN_NVO": lambda box, table: box.tunnels.read_evpn(table),
    "VXLAN_TUNNEL": lambda box, table: box.tunnels.read_tunnels(table),
    "VXLAN_TUNNEL_MAP": lambda box, table: box.tunnels.read_maps(table),
}

"""SONiC: a `config_db.json` for the box and, where SONiC's own templates fall short, an `frr.conf` for its routing.

Who configures FRR is said in DEVICE_METADATA, `docker_routing_config_mode`:

- `separated`: bgpcfgd renders sessions from BGP_NEIGHBOR, for numbered links. It announces Loopback0 and the subnets
  of VLAN_INTERFACE, not connected /31s (dockers/docker-fpm-frr/frr/bgpd/bgpd.main.conf.j2: no `redistribute connected`
  on a fixed switch). So a leaf with routed hosts has their whole block as a discard route in STATIC_ROUTE, which
  bgpcfgd announces (managers_static_rt.py: tag 1 unless `advertise` is false); the /31s below it forward. One route
  a leaf also keeps tables small. Newer images turn the word into `unified` by themselves (docker_init.sh).
- `split-unified`: FRR reads the frr.conf of this folder (/etc/sonic/frr/frr.conf) and SONiC generates none. Needed for
  unnumbered sessions, which images before mid-2026 refuse in BGP_NEIGHBOR (sonic-buildimage pull 27370), and for BFD,
  whose daemon the bgp container starts only with `frr_mgmt_framework_config` (supervisord.conf.j2). Some images lose
  the file when they reload (sonic-buildimage issue 27014): provision it after `config reload`, then restart bgp. The
  file has no `end`, since docker_init.sh appends zebra's FPM lines to it.

In both, routes are announced once they are in the hardware. FRR waits for word of it (`bgp suppress-fib-pending`, in
bgpd.main.conf.j2 and in our frr.conf), and fpmsyncd gives it when orchagent has it only with `suppress-fib-pending` in
DEVICE_METADATA; else at once (sonic-swss, fpmsyncd.cpp). That asks for `synchronous_mode` (sonic-device_metadata.yang).

With IPv6 beside IPv4 bgpcfgd has a session for each (its groups PEER_V4 and PEER_V6), and announces the IPv6 loopback
as a /64 unless `bgp_adv_lo_prefix_as_128` says otherwise. A switch without IPv4 has no Loopback0 that bgpcfgd could
take a router id from (`bgp_router_id` is not in all images), so that it takes an frr.conf.

Without BGP there is no AS number and bgpcfgd has STATIC_ROUTE alone: lists of one length, a next hop with its port, so
that it is never looked up through another route, and where a default route leads away again a last entry that drops
what the others do not take (managers_static_rt.py, IpNextHopSet). With `underlay: none` the bgp container is off, and
ports between switches are in neither INTERFACE nor VLAN_MEMBER: a controller gives them their use.

A guest fabric's hosts may live in a VRF (VRF, `vrf_name`; its name begins with Vrf, sonic-vrf.yang). Its routes travel
in sessions over 802.1Q sub-interfaces (VLAN_SUB_INTERFACE; HLD doc/subport) and takes an frr.conf: SONiC's YANG models
keep BGP_NEIGHBOR rows with a VRF in the key for frrcfgd (sonic-bgp-neighbor.yang, BGP_NEIGHBOR_LIST). bgpcfgd reads
such rows, but announces in a VRF what STATIC_ROUTE says and nothing else, and sets no `multipath-relax` there.

A session has one owner: with an frr.conf there are no BGP_NEIGHBOR rows, since bgpcfgd runs in every mode and would put
those peers into its own permit-all group if it came first (managers_bgp.py, add_peer).

VERSIONS says which schema the tables have, so that db_migrator (sonic-utilities, scripts/db_migrator.py) takes the file
for what it is and not for one of unknown age. It is the oldest schema with these tables, since an image refuses one
that is newer than itself; a newer image migrates it.

bgpcfgd's templates know no prefix limits: `max_prefixes` holds where FRR reads an frr.conf (templates/general/*.j2).

Buffers are those that the platform publishes, else the image's own (`writing/buffers.py`).
Tables and fields: sonic-buildimage, src/sonic-yang-models/doc/Configuration.md.

MACsec has a profile for each encrypted span, which its ports name, and a container that agrees on keys
(sonic-macsec.yang and sonic-port.yang).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.sonic_models import SonicPlatform
from fabricgen.kernel.diagnostics import fault
from fabricgen.nos.sonic.reading.qos import PFC_TABLES, QOS_TABLES
from fabricgen.nos.sonic.writing.buffers import list_buffer_lengths_m, list_cabled_ports, make_buffer_tables
from fabricgen.nos.sonic.writing.buffers import make_length_tables as buffers_by_length
from fabricgen.nos.sonic.writing.host_services import (
    has_sonic_relay,
    list_circuit_forms,
    make_host_tables,
    make_loopback_name,
    make_vlan_rows,
)
from fabricgen.nos.sonic.writing.management import PRINTED_WITH, make_management_values
from fabricgen.nos.sonic.writing.overlay import (
    list_vni_vlans,
    make_overlay_values,
    make_pair_rows,
    make_pair_tables,
    make_segment_tables,
    make_segment_values,
)
from fabricgen.nos.sonic.writing.ports import PortTable, TablePort, find_port_table
from fabricgen.nos.sonic.writing.qos import TRIM_TABLES, find_lossy_tables, make_balancing_values, make_qos_values
from fabricgen.nos.sonic.writing.routing import find_router_type, make_routing_values, make_vrf_name, owns_frr
from fabricgen.render.checks.config_db import check_config_db
from fabricgen.render.escape import make_one_line, require_token
from fabricgen.render.nos_protocol import Circuits, Shared
from fabricgen.render.trees import find_first_fault, merge_tree, read_data
from fabricgen.switch.interfaces import Bond, Interface
from fabricgen.views.model.ports import default_fec, model_bonds, model_interface
from fabricgen.views.model.routing import list_loopback_prefixes
from fabricgen.views.switch import PlacedSnippet, SwitchView

CIPHERS: dict[str, str] = {
    "aes128-gcm": "GCM-AES-128",
    "aes256-gcm": "GCM-AES-256",
    "aes128-gcm-xpn": "GCM-AES-XPN-128",
    "aes256-gcm-xpn": "GCM-AES-XPN-256",
}


def make_macsec_values(view: SwitchView) -> dict[str, Any]:
    """Return the rows of MACSEC_PROFILE; `macsec` says whether there are any."""
    rows = {
        name: {
            "cipher_suite": CIPHERS[span.cipher],
            "policy": "security",
            "primary_cak": span.cak,
            "primary_ckn": span.ckn,
        }
        for name, span in view.encrypted_spans
    }
    return {"MACSEC_PROFILE": rows, "macsec": bool(rows)}


SCHEMA_VERSION = "version_202305_01"
"""The version of the tables, as db_migrator.py names it."""

LARGEST_MTU = 9216
"""The MTU of a port without a cable, bytes (sonic-port.yang)."""

KERNEL_NAME = 15
"""The longest name of an interface in Linux, characters."""


def files(view: SwitchView) -> tuple[tuple[str, str], ...]:
    """Return (template, file name) of config_db.json, and of frr.conf if FRR is not left to bgpcfgd."""
    box = ("config_db.json.j2", "config_db.json")
    return (box, ("frr.conf.j2", "frr.conf")) if owns_frr(view) else (box,)


def values(view: SwitchView, catalog: Catalog) -> dict[str, Any]:
    """Return what the templates of `templates/sonic` name.

    The rows of a table, {key: {field: value}}, go by the table's name, and fields by the names that SONiC gives them; a
    field that a row does not have is None. The templates add fields that are the same in every row.
    """
    platform = _find_platform(view, catalog)
    port_table, common = find_port_table(view, platform), _make_common_tables(view, catalog)
    ports = {port.name: model_interface(view, port) for port in view.ports}
    spans = {port.name: port.span.settings_name for port in view.ports if port.span and port.span.macsec}
    contents = {
        **_make_device_values(view, platform, port_table),
        **_make_interface_rows(view, ports),
        **make_routing_values(view),
        **make_overlay_values(view),
        **make_management_values(view),
        **make_host_tables(view),
        **make_pair_tables(view),
        **make_segment_tables(view),
        **make_segment_values(view),
        **make_balancing_values(view),
        **make_macsec_values(view),
        "BREAKOUT_CFG": {port: {"brkout_mode": mode} for port, mode in port_table.breakouts},
        "PORT": {p.name: _make_port_fields(p, ports.get(p.name), spans.get(p.name)) for p in port_table.ports},
        "VERSIONS": {"DATABASE": {"VERSION": SCHEMA_VERSION}},
        "own_buffers": _find_template("BUFFER_POOL") in common,
    }
    with_rows = [table for table in _WHERE_FILLED if contents[table]]
    with_value = [table for table, value in PRINTED_WITH.items() if contents[value]]
    # in the order of the file's keys
    templates = sorted([*map(_find_template, (*_ALWAYS, *with_rows, *with_value)), *common])
    return {**contents, "tables": [{"template": name, "shared_values": common.get(name)} for name in templates]}


def _find_platform(view: SwitchView, catalog: Catalog) -> SonicPlatform:
    """Return the port table of a switch's model; raises InputError (FG026) if the catalogue has none."""
    platform = catalog.sonic_platform(view.profile.id)
    if platform is None:
        raise fault("FG026", f"the SONiC port table of {view.profile.id} is not in the catalogue", path=view.tier.path)
    return platform


def _find_template(table: str) -> str:
    return f"sonic/tables/{table}.j2"


def shared(view: SwitchView, lengths_m: Sequence[float], catalog: Catalog) -> Shared:
    """Return the tables of queues and buffers, by template, of a switch with a class for RoCE or
    with packet trimming.
    """
    platform = _find_platform(view, catalog)
    qos, port_table = make_qos_values(view), find_port_table(view, platform)
    ports = list_cabled_ports(view, lengths_m, platform, port_table)
    buffers = make_buffer_tables(view, ports, platform, port_table)
    left_out = {t for t in PFC_TABLES if qos and not (qos["pauses"] and (t != _SPECTRUM_ONLY or qos[t]))}
    queues = [t for t in QOS_TABLES if t not in left_out] if qos else []
    lossy = find_lossy_tables(view, platform, port_table)
    rows_of_table = {**dict.fromkeys(queues, qos or {}), **buffers, **lossy}
    tables = {_find_template(t): rows for t, rows in sorted(rows_of_table.items())}
    return Shared(tables, tuple(str(port.length_m) for port in ports))


def length_tables(view: SwitchView, lengths: Sequence[str], catalog: Catalog) -> Mapping[str, Mapping[str, Any]]:
    """Return the tables of cable lengths and priority groups, by template; `lengths` are the texts that they print."""
    platform = _find_platform(view, catalog)
    rows_of_table = buffers_by_length(view, lengths, platform, find_port_table(view, platform))
    return {_find_template(table): rows for table, rows in rows_of_table.items()}


def _make_common_tables(view: SwitchView, catalog: Catalog) -> Mapping[str, Mapping[str, Any]]:
    """Return the values of the tables that several switches may share, by template. BUFFER_PG, whose rows name profiles
    of BUFFER_PROFILE, is left out unless there is a BUFFER_POOL.
    """
    shared_tables, lengths = shared(view, [port.cable_m for port in view.ports], catalog)
    by_length = length_tables(view, lengths, catalog)
    sized = _find_template("BUFFER_POOL") in shared_tables
    return {
        **shared_tables,
        **{table: by_length[table] for table in by_length if sized or table != _find_template("BUFFER_PG")},
    }


def length_steps_m(view: SwitchView, catalog: Catalog) -> tuple[float, ...]:
    """Return the lengths of cables, m, ascending, that the platform publishes buffers for; () if it publishes none."""
    platform = _find_platform(view, catalog)
    return list_buffer_lengths_m(platform, find_port_table(view, platform))


def _make_device_values(view: SwitchView, platform: SonicPlatform, port_table: PortTable) -> dict[str, Any]:
    """Return the template's values of DEVICE_METADATA, and of what follows from who configures FRR, such as
    `routing_mode`.
    """
    own_frr = owns_frr(view)
    return {
        "hostname": require_token(view.name),
        "hwsku": port_table.hwsku,
        "platform": platform.platform,
        "router_type": find_router_type(view.level),
        "mac": view.mac,
        "asn": view.asn,
        "router_id": view.router_id,
        "dual_stack": view.has_v4 and view.has_v6,
        "routing_mode": "split-unified" if own_frr else "separated",
        "mgmt_framework": "true" if own_frr and view.fabric.bfd else "false",
        "bgp_state": "disabled" if view.fabric.underlay == "none" else "enabled",
    }


def _make_port_fields(port: TablePort, cabled: Interface | None, profile: str | None) -> dict[str, Any]:
    """Return the fields of PORT; `cabled` is the port as the fabric uses it, None for one without a cable.

    `profile` is its MACsec profile. The MTU of a member of a bond is that of the bond, beside which SONiC takes none
    (sonic-portchannel.yang).
    """
    fec = default_fec(port.speed_gbps, port.lanes.count(",") + 1)
    interface = cabled or Interface(
        False, LARGEST_MTU, port.speed_gbps, fec, description="unused", negotiates=port.copper
    )
    return {
        "admin_status": "up" if interface.admin_up else "down",
        "alias": port.alias,
        "autoneg": "on" if interface.negotiates else None,
        "description": make_one_line(interface.description, 255),
        "fec": "none" if interface.states_no_fec else interface.fec or None,
        "index": port.index,
        "lanes": port.lanes,
        "macsec": profile,
        "mtu": None if interface.bond else interface.mtu,
        "speed": interface.speed_gbps * 1000,
        "subport": port.subport or None,
    }


def _make_interface_rows(view: SwitchView, ports: Mapping[str, Interface]) -> dict[str, Any]:
    """Return the rows of the tables of interfaces, bonds, VLANs and VRFs, by table."""
    bonds = model_bonds(view)
    rows_of_table: dict[str, Any] = {
        "INTERFACE": _make_routed_port_rows(ports),
        "LOOPBACK_INTERFACE": {"Loopback0": {}}
        | {f"Loopback0|{prefix}": {} for prefix in list_loopback_prefixes(view)}
        | {
            key: row
            for loopback in view.vrf_loopbacks
            for key, row in _make_address_rows(
                make_loopback_name(loopback), loopback.prefixes, {"vrf_name": make_vrf_name(loopback.vrf)}
            ).items()
        },
        "MGMT_INTERFACE": {f"eth0|{a}": {"gwaddr": gateway} for a, gateway in view.managements if gateway},
        "PORTCHANNEL": {make_bond_name(number): _make_bond_fields(bond) for number, bond in bonds.items()},
        "PORTCHANNEL_MEMBER": {f"{make_bond_name(n)}|{port}": {} for n, bond in bonds.items() for port in bond.members},
        "VLAN": make_vlan_rows(view) | {f"Vlan{vlan}": {"vlanid": vlan} for vlan in list_vni_vlans(view).values()},
        "VLAN_INTERFACE": _make_vlan_interface_rows(view),
        "VLAN_MEMBER": _make_vlan_member_rows(
            {**ports, **{make_bond_name(number): bond for number, bond in bonds.items()}}
        ),
        "VLAN_SUB_INTERFACE": _make_subinterface_rows(view),
        "VRF": {make_vrf_name(vrf): {"vni": _find_vni(view, vrf)} for vrf in view.vrfs},
    }
    return rows_of_table | {table: rows_of_table[table] | rows for table, rows in make_pair_rows(view).items()}


def _find_vni(view: SwitchView, vrf: str) -> int | None:
    """Return the VNI of a VRF over EVPN; None for any other VRF."""
    over = view.overlay_in(vrf)
    return over.vni if over else None


def circuits(view: SwitchView, catalog: Catalog) -> Circuits:
    """Return how DHCP requests of hosts name the port that they came in at (`writing/host_services.py`).

    SONiC's own agent has no name for bonds (dhcp4relay_mgr.cpp, process_port_notification: aliases are those of PORT).
    """
    table, bond = (
        find_port_table(view, _find_platform(view, catalog)),
        "" if has_sonic_relay(view) else "PortChannel{number}",
    )
    return Circuits(list_circuit_forms(view), bond, {port.name: port.alias for port in table.ports})


def port_lanes(view: SwitchView, catalog: Catalog) -> dict[str, tuple[str, str]]:
    """Return (lanes, alias) of each port of a switch, as PORT has them."""
    return {port.name: (port.lanes, port.alias) for port in find_port_table(view, _find_platform(view, catalog)).ports}


def make_bond_name(number: int) -> str:
    """Return SONiC's name of a bond: `PortChannel3` for 3."""
    return f"PortChannel{number}"


def _make_bond_fields(bond: Bond) -> dict[str, Any]:
    """Return the fields of a bond's row in PORTCHANNEL; None for a field that the row does not have."""
    return {
        "admin_status": "up" if bond.admin_up else "down",
        "description": make_one_line(bond.description, 255),
        "fallback": "true" if bond.fallback else None,
        "fast_rate": "true",
        "lacp_key": "auto",
        "min_links": 1,
        "mtu": bond.mtu,
        "system_mac": bond.segment or None,
    }


def _make_vlan_member_rows(ports: Mapping[str, Interface | Bond]) -> dict[str, dict[str, Any]]:
    """Return the rows of VLAN_MEMBER: each port or bond in its untagged VLAN, if it has one, and in its tagged ones."""
    rows: dict[str, dict[str, Any]] = {}
    for name, port in ports.items():
        if port.access_vlan:
            rows[f"Vlan{port.access_vlan}|{name}"] = {"tagging_mode": "untagged"}
        rows |= {f"Vlan{vlan}|{name}": {"tagging_mode": "tagged"} for vlan in port.tagged_vlans}
    return rows


def _make_routed_port_rows(ports: Mapping[str, Interface]) -> dict[str, dict[str, Any]]:
    """Return the rows of INTERFACE: ports with addresses, and ports between switches with link-local ones alone."""
    rows: dict[str, dict[str, Any]] = {}
    for name, port in ports.items():
        if port.addresses:
            rows |= _make_address_rows(name, port.addresses, {"vrf_name": make_vrf_name(port.vrf) or None})
        elif port.link_local:
            rows[name] = {"ipv6_use_link_local_only": "enable"}
    return rows


def _make_vlan_interface_rows(view: SwitchView) -> dict[str, dict[str, Any]]:
    """Return the rows of VLAN_INTERFACE: gateways of hosts' VLANs, and the VLAN of each VRF's VNI,
    without an address.
    """
    rows: dict[str, dict[str, Any]] = {}
    for service in view.services:
        if service.gateways:
            shared = "true" if view.multihomed else None
            # a field that is None is not printed
            fields = {"static_anycast_gateway": shared, "vrf_name": make_vrf_name(service.vrf) or None}
            rows |= _make_address_rows(f"Vlan{service.vlan}", service.gateways, fields)
    return rows | {f"Vlan{vlan}": {"vrf_name": make_vrf_name(vrf)} for vrf, vlan in list_vni_vlans(view).items()}


def _make_subinterface_rows(view: SwitchView) -> dict[str, dict[str, Any]]:
    """Return the rows of VLAN_SUB_INTERFACE, with their addresses."""
    rows: dict[str, dict[str, Any]] = {}
    for port, sub in view.subinterfaces:
        fields = {"admin_status": "up", "vlan": sub.vlan, "vrf_name": make_vrf_name(sub.vrf)}
        rows |= _make_address_rows(make_subinterface_name(port.name, sub.vlan), sub.addresses, fields)
    return rows


def _make_address_rows(name: str, addresses: Iterable[str], fields: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the row of an interface, and a row without fields for each of its addresses."""
    return {name: fields, **{f"{name}|{address}": {} for address in addresses}}


def make_subinterface_name(port: str, vlan: int) -> str:
    """Return SONiC's name of a sub-interface: its short form if the kernel would not take the long one."""
    name = f"{port}.{vlan}"
    return name if len(name) <= KERNEL_NAME else name.replace("Ethernet", "Eth", 1)


_ALWAYS = ("DEVICE_METADATA", "FEATURE", "LOOPBACK_INTERFACE", "MGMT_PORT", "PORT", "VERSIONS")
_WHERE_FILLED = (
    "ACL_RULE",
    "ACL_TABLE",
    "BGP_DEVICE_GLOBAL",
    "BGP_NEIGHBOR",
    "BREAKOUT_CFG",
    "DEVICE_NEIGHBOR",
    "DEVICE_NEIGHBOR_METADATA",
    "DHCPV4_RELAY",
    "DHCP_RELAY",
    "DNS_NAMESERVER",
    "DNS_OPTIONS",
    "EVPN_ETHERNET_SEGMENT",
    "EVPN_MH_GLOBAL",
    "INTERFACE",
    "MACSEC_PROFILE",
    "MCLAG_DOMAIN",
    "MCLAG_INTERFACE",
    "MCLAG_UNIQUE_IP",
    "MGMT_INTERFACE",
    "NTP_SERVER",
    "PORTCHANNEL",
    "PORTCHANNEL_MEMBER",
    "PORT_STORM_CONTROL",
    "RADIUS_SERVER",
    "SAG",
    "SNMP_USER",
    "SRV6_MY_LOCATORS",
    "SRV6_MY_SIDS",
    "STATIC_ROUTE",
    "SWITCH_HASH",
    "SYSLOG_SERVER",
    "TACPLUS_SERVER",
    "VLAN",
    "VLAN_INTERFACE",
    "VLAN_MEMBER",
    "VLAN_SUB_INTERFACE",
    "VRF",
    "VXLAN_EVPN_NVO",
    "VXLAN_TUNNEL",
    "VXLAN_TUNNEL_MAP",
)
_SPECTRUM_ONLY = "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP"


def list_templates() -> Iterable[str]:
    """Yield the template of each table that some switch may have, such as `tables/PORT.j2`, as paths in
    `templates/sonic`.

    Some have a file of their own; `tables/NAME.j2` stands for the others. Tables of buffers are in TRIM_TABLES.
    """
    tables = {*_ALWAYS, *_WHERE_FILLED, *PRINTED_WITH, *QOS_TABLES, *TRIM_TABLES, "CABLE_LENGTH"}
    return (f"tables/{table}.j2" for table in sorted(tables))


def with_trees(file: str, text: str, snippets: tuple[PlacedSnippet, ...], judge: Catalog | None) -> str:
    """Return a config_db.json with the user's tables merged in; any other file as it is.

    Numbers and truth values become text, as every value of config_db is. With `judge` the result is checked against the
    catalogue. Raises InputError (FG052) for a snippet that is not table, key, field, or that SONiC would not take.
    """
    if file != "config_db.json":
        return text
    plain = read_data(file, text)
    tables = _merge_snippets(plain, snippets)
    if judge is not None:
        _require_sound(plain, tables, snippets, judge)
    return json.dumps(tables, indent=4, sort_keys=True) + "\n"


def _merge_snippets(tables: dict[str, Any], snippets: tuple[PlacedSnippet, ...]) -> dict[str, Any]:
    """Return tables with the trees of the user's snippets merged in."""
    for snippet in snippets:
        tables = merge_tree(tables, _convert_to_text(snippet.tree), snippet)
    return tables


def _require_sound(
    own_tables: dict[str, Any], tables: dict[str, Any], snippets: tuple[PlacedSnippet, ...], catalog: Catalog
) -> None:
    """Raise InputError (FG052) if snippets give tables a grave problem; its place is the snippet that brings the first.

    `own_tables` are the tables without the snippets, `tables` those with all of them.
    """
    known_problems = set(check_config_db(own_tables, catalog))
    # a problem of the tables that were generated is no fault of the snippets
    faults = [
        problem for problem in check_config_db(tables, catalog) if problem.grave and problem not in known_problems
    ]
    if faults:
        faulty = find_first_fault(
            snippets, lambda tried: faults[0] in check_config_db(_merge_snippets(own_tables, tried), catalog)
        )
        others = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        message = f"snippet '{faulty.name}': {faults[0].place}: {faults[0].found}{others}"
        raise fault("FG052", message, path=faulty.path, hint=faults[0].hint)


def _convert_to_text(value: Any) -> Any:
    """Return a tree of YAML as config_db has it: keys and scalars as text."""
    if isinstance(value, Mapping):
        return {str(key): _convert_to_text(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_convert_to_text(inner) for inner in value]
    return str(value).lower() if isinstance(value, bool) else value if value is None else str(value)

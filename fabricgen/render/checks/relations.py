"""Checks of consistency between rows of tables: addresses, members, sessions, thresholds, the PFC watchdog.

Sources: the `must` statements of sonic-buildimage, src/sonic-yang-models/yang-models, and what these do not check.

Of EVPN multihoming: the `must` statements of sonic-buildimage@086b03bd, src/sonic-yang-models/yang-models,
sonic-evpn.yang and sonic-vlan.yang; sonic-net/SONiC, doc/vxlan/EVPN/EVPN_VxLAN_Multihoming.md: `AUTO` is made of the
LACP system of a bond, and segments and MCLAG exclude each other.
"""

from __future__ import annotations

import ipaddress
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import lru_cache
from typing import TypeAlias

from fabricgen.render.checks.problem import ConfigProblem
from fabricgen.render.checks.shape import Fields, Tables

Interface: TypeAlias = ipaddress.IPv4Interface | ipaddress.IPv6Interface
KERNEL_NAME = 15
"""The longest name of an interface in Linux, characters."""

_ADDRESSED = ("INTERFACE", "LOOPBACK_INTERFACE", "PORTCHANNEL_INTERFACE", "VLAN_INTERFACE", "VLAN_SUB_INTERFACE")
_STATES = ("enabled", "disabled", "always_enabled", "always_disabled")
_CHASSIS = frozenset(("chassis-packet", "fabric", "voq"))
"""Kinds of switches some of whose ports have no lanes (the `when` of lanes in sonic-port.yang)."""


def check_relations(tables: Tables) -> Iterator[ConfigProblem]:
    """Yield problems that no single row shows, such as one address on two interfaces."""
    yield from _check_addresses(tables)
    yield from _check_ports(tables)
    yield from _check_as_numbers(tables)
    yield from _check_features(tables)
    yield from _check_sessions(tables)
    yield from _check_vrf_sessions(tables)
    yield from _check_vlan_members(tables)
    yield from _check_bonds(tables)
    yield from _check_vlans(tables)
    yield from _check_subinterfaces(tables)
    yield from _check_static_routes(tables)
    yield from _check_thresholds(tables)
    yield from _check_watchdog(tables)
    yield from _check_shapers(tables)
    yield from _check_fib(tables)


@lru_cache(maxsize=1 << 14)
def parse_interface(text: str) -> Interface | None:
    """Return an address with or without its prefix length; None for other text."""
    try:
        return ipaddress.ip_interface(text)
    except ValueError:
        return None


def _find_vrf(tables: Tables, table: str, name: str) -> str:
    """Return the VRF of an interface, by its row in a table; `default` for the default one."""
    return tables[table].get(name, {}).get("vrf_name", "") or "default"


def _list_own_addresses(tables: Tables) -> Iterator[tuple[str, str, str, Interface]]:
    """Yield (table, key, VRF, address) of every address of the switch, except its management port's."""
    for table in _ADDRESSED:
        for key in tables.get(table, {}):
            name, bar, text = key.partition("|")
            address = parse_interface(text) if bar else None
            if address:
                yield table, key, _find_vrf(tables, table, name), address


def _check_addresses(tables: Tables) -> Iterator[ConfigProblem]:
    """Yield addresses that two interfaces of a VRF have, and addresses of interfaces that have no row."""
    used = Counter((vrf, address.ip) for _, _, vrf, address in _list_own_addresses(tables))
    for table, key, vrf, address in _list_own_addresses(tables):
        name = key.partition("|")[0]
        if used[vrf, address.ip] > 1 and not address.ip.is_link_local:
            yield ConfigProblem(
                table, key, found=f"{address.ip} is on two interfaces", wanted="one interface an address"
            )
        if name not in tables[table]:
            yield ConfigProblem(table, key, found=f"'{name}' has no row in {table}", wanted=f"a row {table}|{name}")


def _check_ports(tables: Tables) -> Iterator[ConfigProblem]:
    """Yield ports without lanes; only those of a chassis may lack them (sonic-port.yang)."""
    if tables.get("DEVICE_METADATA", {}).get("localhost", {}).get("switch_type") not in _CHASSIS:
        for name, fields in tables.get("PORT", {}).items():
            if "lanes" not in fields:
                yield ConfigProblem("PORT", name, "lanes", "the field is missing", "every such row has it")


def _check_as_numbers(tables: Tables) -> Iterator[ConfigProblem]:
    """Yield AS number 0, which no speaker may have (RFC 7607) although sonic-bgp-common.yang accepts it."""
    for table, field in (("BGP_GLOBALS", "local_asn"), ("BGP_NEIGHBOR", "asn"), ("DEVICE_METADATA", "bgp_asn")):
        for key, fields in tables.get(table, {}).items():
            if fields.get(field, "").strip("0") == "" and field in fields:
                yield ConfigProblem(table, key, field, f"'{fields[field]}'", "a whole number from 1 to 4294967295")


def _check_features(tables: Tables) -> Iterator[ConfigProblem]:
    """Yield states of containers that are neither a known word nor a Jinja2 template, as init_cfg.json has some.

    sonic-feature.yang accepts any text.
    """
    for key, fields in tables.get("FEATURE", {}).items():
        state = fields.get("state", "enabled")
        if state not in _STATES and "{%" not in state:
            yield ConfigProblem("FEATURE", key, "state", f"'{state}'", f"one of {', '.join(_STATES)}")


def _check_sessions(tables: Tables) -> Iterator[ConfigProblem]:
    """Yield sessions without an AS number, or whose own end is no address of the switch in the peer's subnet.

    bgpcfgd's template general/instance.conf.j2 needs the number; frrcfgd takes that of a peer group.
    """
    subnets = {(vrf, address.ip): address for _, _, vrf, address in _list_own_addresses(tables)}
    for key, fields in tables.get("BGP_NEIGHBOR", {}).items():
        if not fields.keys() & {"asn", "peer_group_name"}:
            yield ConfigProblem("BGP_NEIGHBOR", key, "asn", "the field is missing", "the neighbour's AS number")
        vrf, _, peer = key.rpartition("|")
        local_address = fields.get("local_addr", "")
        near, far = parse_interface(local_address), parse_interface(peer)
        subnet = subnets.get((vrf or "default", near.ip)) if near else None
        if near and subnet is None:
            right = "an address in INTERFACE, VLAN_INTERFACE, ... or LOOPBACK_INTERFACE"
            yield ConfigProblem(
                "BGP_NEIGHBOR", key, "local_addr", f"'{local_address}' is no address of this switch", right
            )
        elif subnet and far and subnet.network.num_addresses > 1 and far.ip not in subnet.network:
            yield ConfigProblem(
                "BGP_NEIGHBOR", key, found="not in the subnet of local_addr", wanted=f"in {subnet.network}"
            )


def _check_vrf_sessions(tables: Tables) -> Iterator[ConfigProblem]:
    """Yield sessions with a VRF in the key on a switch without frrcfgd, which makes them (sonic-bgp-neighbor.yang)."""
    if tables.get("DEVICE_METADATA", {}).get("localhost", {}).get("frr_mgmt_framework_config") == "true":
        return
    right = "frr_mgmt_framework_config true in DEVICE_METADATA, or the session in an frr.conf"
    for key in tables.get("BGP_NEIGHBOR", {}):
        if "|" in key:
            yield ConfigProblem(
                "BGP_NEIGHBOR", key, found="frrcfgd makes sessions in a VRF, and does not run", wanted=right
            )


def _check_vlan_members(tables: Tables) -> Iterator[ConfigProblem]:
    """Yield ports that are both routed and in a VLAN, or in two VLANs without a tag."""
    routed = {key.partition("|")[0] for key in tables.get("INTERFACE", {})}
    untagged: dict[str, str] = {}
    for key, fields in tables.get("VLAN_MEMBER", {}).items():
        vlan, _, port = key.partition("|")
        if port in routed:
            yield ConfigProblem(
                "VLAN_MEMBER", key, found=f"{port} is a routed port too", wanted="INTERFACE or VLAN_MEMBER"
            )
        if fields.get("tagging_mode") == "untagged" and untagged.setdefault(port, vlan) != vlan:
            message = f"{port} is untagged in {untagged[port]} too"
            yield ConfigProblem("VLAN_MEMBER", key, "tagging_mode", message, "one untagged VLAN a port")


def _check_bonds(tables: Tables) -> Iterator[ConfigProblem]:
    """Yield ports of a bond that are in another too, or have a use or an MTU of their own (sonic-portchannel.yang)."""
    used = {key.partition("|")[0] for key in tables.get("INTERFACE", {})}
    used |= {key.partition("|")[2] for key in tables.get("VLAN_MEMBER", {})}
    bond_of: dict[str, str] = {}
    for key in tables.get("PORTCHANNEL_MEMBER", {}):
        bond, _, port = key.partition("|")
        port_mtu, bond_mtu = (
            tables.get(t, {}).get(n, {}).get("mtu", "") for t, n in (("PORT", port), ("PORTCHANNEL", bond))
        )
        if bond_of.setdefault(port, bond) != bond:
            yield ConfigProblem(
                "PORTCHANNEL_MEMBER", key, found=f"{port} is in {bond_of[port]} too", wanted="one bond a port"
            )
        if port in used:
            message = f"{port} is a routed port, or in a VLAN"
            yield ConfigProblem("PORTCHANNEL_MEMBER", key, found=message, wanted="the VLAN on the bond")
        if port_mtu and port_mtu != bond_mtu:
            yield ConfigProblem(
                "PORT", port, "mtu", f"'{port_mtu}' in {bond}", f"none, or that of the bond, {bond_mtu}"
            )


def _check_vlans(tables: Tables) -> Iterator[ConfigProblem]:
    """Yield VLANs whose name and number differ."""
    for key, fields in tables.get("VLAN", {}).items():
        if fields.get("vlanid") and key != f"Vlan{fields['vlanid']}":
            yield ConfigProblem("VLAN", key, "vlanid", f"'{fields['vlanid']}'", f"the number in its name, {key[4:]}")


def _check_static_routes(tables: Tables) -> Iterator[ConfigProblem]:
    """Yield routes whose lists differ in length, that have no next hop, or whose prefix or port is invalid."""
    for key, fields in tables.get("STATIC_ROUTE", {}).items():
        lengths = {f: fields[f].count(",") + 1 for f in ("nexthop", "ifname", "distance", "blackhole") if f in fields}
        if len(set(lengths.values())) > 1:
            counts = ", ".join(f"{n} in {field}" for field, n in lengths.items())
            yield ConfigProblem("STATIC_ROUTE", key, found=f"entries: {counts}", wanted="lists of one length")
        if not {"nexthop", "ifname", "blackhole"} & set(fields):
            yield ConfigProblem("STATIC_ROUTE", key, found="a route to nowhere", wanted="nexthop, ifname or blackhole")
        destination = parse_interface(key.rpartition("|")[2])
        if destination and destination.ip != destination.network.network_address:
            yield ConfigProblem("STATIC_ROUTE", key, found="a prefix with host bits", wanted=str(destination.network))
        for port in filter(None, fields.get("ifname", "").split(",")):
            if not any(port in tables.get(table, {}) for table in _ADDRESSED):
                yield ConfigProblem(
                    "STATIC_ROUTE", key, "ifname", f"'{port}' has no row in INTERFACE", "a routed interface"
                )


def _check_thresholds(tables: Tables) -> Iterator[ConfigProblem]:
    """Yield thresholds of WRED of which the minimum is missing or not below the maximum."""
    for key, fields in tables.get("WRED_PROFILE", {}).items():
        for colour in ("green", "yellow", "red"):
            low, high = (fields.get(f"{colour}_{end}_threshold", "") for end in ("min", "max"))
            if low.isdigit() and high.isdigit() and int(low) >= int(high):
                field = f"{colour}_min_threshold"
                yield ConfigProblem("WRED_PROFILE", key, field, f"'{low}'", f"less than {colour}_max_threshold, {high}")
            elif high and not low:
                yield ConfigProblem(
                    "WRED_PROFILE",
                    key,
                    f"{colour}_max_threshold",
                    f"'{high}' without a least one",
                    f"{colour}_min_threshold",
                )


def _check_watchdog(tables: Tables) -> Iterator[ConfigProblem]:
    """Yield watchdog times shorter than a poll, and watchdogs on ports without PFC."""
    rows: dict[str, Fields] = {key: row for key, row in tables.get("PFC_WD", {}).items() if key != "GLOBAL"}
    poll = tables.get("PFC_WD", {}).get("GLOBAL", {}).get("POLL_INTERVAL", "")
    maps = tables.get("PORT_QOS_MAP", {})
    for key, fields in rows.items():
        for field in ("detection_time", "restoration_time"):
            text = fields.get(field, "")
            if text.isdigit() and poll.isdigit() and int(text) < int(poll):
                yield ConfigProblem("PFC_WD", key, field, f"'{text}'", f"at least POLL_INTERVAL, {poll}")
        if not maps.get(key, {}).get("pfc_enable"):
            yield ConfigProblem(
                "PFC_WD", key, found="a watchdog on a port without PFC", wanted="pfc_enable in PORT_QOS_MAP"
            )
    for key, fields in maps.items():
        if fields.get("pfc_enable") and rows and key not in rows:
            text = f"'{fields['pfc_enable']}' without a watchdog"
            yield ConfigProblem("PORT_QOS_MAP", key, "pfc_enable", text, f"a row PFC_WD|{key}")


def _check_shapers(tables: Tables) -> Iterator[ConfigProblem]:
    """Yield limits of schedulers that do not fit together (sonic-scheduler.yang).

    The peak rate `pir` needs a committed rate `cir` that is not above it. The burst `cbs` needs `cir`; the burst `pbs`
    needs `pir` and must not be below `cbs`.
    """
    for key, fields in tables.get("SCHEDULER", {}).items():
        numbers = {name: int(fields[name]) for name in ("cir", "pir", "cbs", "pbs") if fields.get(name, "").isdigit()}
        committed = numbers.get("cir", 0)
        if "pir" in numbers and not 0 < committed <= numbers["pir"]:
            yield ConfigProblem(
                "SCHEDULER", key, "pir", f"'{fields['pir']}' with cir {committed}", "a cir from 1 to pir"
            )
        if "cbs" in numbers and not committed:
            yield ConfigProblem("SCHEDULER", key, "cbs", f"'{fields['cbs']}' without a cir", "a cir above 0")
        if "pbs" in numbers and not numbers.get("pir"):
            yield ConfigProblem("SCHEDULER", key, "pbs", f"'{fields['pbs']}' without a pir", "a pir above 0")
        elif "pbs" in numbers and numbers["pbs"] < numbers.get("cbs", 0):
            yield ConfigProblem("SCHEDULER", key, "pbs", f"'{fields['pbs']}'", f"at least cbs, {fields['cbs']}")


def _check_fib(tables: Tables) -> Iterator[ConfigProblem]:
    """Yield `suppress-fib-pending` (announce only what is in the hardware) without `synchronous_mode`, which it needs.

    See sonic-device_metadata.yang.
    """
    metadata = tables.get("DEVICE_METADATA", {}).get("localhost", {})
    if metadata.get("suppress-fib-pending") == "enabled" and metadata.get("synchronous_mode") != "enable":
        message = "'enabled' without synchronous mode"
        yield ConfigProblem("DEVICE_METADATA", "localhost", "suppress-fib-pending", message, "synchronous_mode enable")


def _check_subinterfaces(tables: Tables) -> Iterator[ConfigProblem]:
    """Yield sub-interfaces of no port, or with a name that the kernel would cut (sonic-vlan-sub-interface.yang)."""
    for key in tables.get("VLAN_SUB_INTERFACE", {}):
        name = key.partition("|")[0]
        parent = re.sub(r"^Po(?=\d)", "PortChannel", re.sub(r"^Eth(?=\d)", "Ethernet", name.partition(".")[0]))
        table = "PORTCHANNEL" if parent.startswith("PortChannel") else "PORT"
        if "|" not in key and parent not in tables.get(table, {}):
            message = f"'{parent}' has no row in {table}"
            yield ConfigProblem("VLAN_SUB_INTERFACE", key, found=message, wanted=f"a row of {table}")
        if "|" not in key and len(name) > KERNEL_NAME:
            message = f"a name of {len(name)} characters"
            yield ConfigProblem(
                "VLAN_SUB_INTERFACE", key, found=message, wanted=f"at most {KERNEL_NAME}, such as Eth0.100"
            )


def find_overlapping_queues(tables: Tables) -> Iterator[ConfigProblem]:
    """Yield queues and priority groups of a port that two rows configure."""
    for table in ("BUFFER_PG", "BUFFER_QUEUE", "QUEUE"):
        used: dict[str, set[int]] = defaultdict(set)
        for key in tables.get(table, {}):
            port, _, text = key.partition("|")
            first, _, last = text.partition("-")
            if not (first.isdecimal() and (last or first).isdecimal()):
                if table == "QUEUE" and "|" not in text:  # of queues in a chassis YANG says as little as of others
                    yield ConfigProblem(
                        table, key, found=f"'{text}' in the key", wanted="a queue, or a range such as 0-2"
                    )
                continue
            queues = set(range(int(first), int(last or first) + 1))
            if not queues or queues & used[port]:
                message = f"'{text}' is claimed twice" if queues else f"'{text}' runs backwards"
                yield ConfigProblem(table, key, found=message, wanted="each queue in one row")
            used[port] |= queues


SEGMENTS = "EVPN_ETHERNET_SEGMENT"


def check_segments(tables: Tables) -> Iterator[ConfigProblem]:
    """Yield problems with Ethernet segments and shared gateways that no single row shows."""
    bonds = tables.get("PORTCHANNEL", {})
    for name, row in tables.get(SEGMENTS, {}).items():
        esi, kind = row.get("esi", ""), row.get("type", "")
        if (esi == "AUTO") != (kind == "TYPE_3_MAC_BASED"):
            yield ConfigProblem(
                SEGMENTS, name, "esi", repr(esi), "AUTO for TYPE_3_MAC_BASED, and ten bytes for the other type"
            )
        elif esi == "AUTO" and not bonds.get(name, {}).get("system_mac"):
            yield ConfigProblem(SEGMENTS, name, "esi", "AUTO without a MAC", f"system_mac in PORTCHANNEL|{name}")
        elif not esi.replace("0", "").replace(":", ""):
            yield ConfigProblem(SEGMENTS, name, "esi", repr(esi), "an ESI that is not all zeros")
    if tables.get(SEGMENTS) and tables.get("MCLAG_DOMAIN"):
        yield ConfigProblem(SEGMENTS, found="rows beside MCLAG_DOMAIN", wanted="one of the two")
    for name, row in tables.get("VLAN_INTERFACE", {}).items():
        if row.get("static_anycast_gateway") == "true" and not tables.get("SAG", {}).get("GLOBAL", {}).get(
            "gateway_mac"
        ):
            yield ConfigProblem("VLAN_INTERFACE", name, "static_anycast_gateway", "'true'", "gateway_mac in SAG|GLOBAL")

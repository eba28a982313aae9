"""Consistency between rows of tables: addresses, members, sessions, thresholds, the PFC watchdog."""

from __future__ import annotations

import ipaddress
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import lru_cache
from typing import TypeAlias

from fabricgen.render.checks.problem import Problem
from fabricgen.render.checks.rows import Fields, Tables

Interface: TypeAlias = ipaddress.IPv4Interface | ipaddress.IPv6Interface
_ADDRESSED = ("INTERFACE", "LOOPBACK_INTERFACE", "VLAN_INTERFACE", "VLAN_SUB_INTERFACE")


def check_relations(tables: Tables) -> Iterator[Problem]:
    """Yield problems that no single row shows."""
    yield from _addresses(tables)
    yield from _sessions(tables)
    yield from _sessions_in_vrfs(tables)
    yield from _members(tables)
    yield from _vlans(tables)
    yield from _management(tables)
    yield from _static_routes(tables)
    yield from _thresholds(tables)
    yield from _watchdog(tables)
    yield from _shapers(tables)
    yield from _logins(tables)


@lru_cache(maxsize=1 << 14)
def _interface(text: str) -> Interface | None:
    try:
        return ipaddress.ip_interface(text)
    except ValueError:
        return None


def _vrf(tables: Tables, table: str, name: str) -> str:
    return tables[table].get(name, {}).get("vrf_name", "") or "default"


def _own(tables: Tables) -> Iterator[tuple[str, str, str, Interface]]:
    """(table, key, VRF, address) of every address of the switch, except its management port's."""
    for table in _ADDRESSED:
        for key in tables.get(table, {}):
            name, bar, text = key.partition("|")
            found = _interface(text) if bar else None
            if found:
                yield table, key, _vrf(tables, table, name), found


def _addresses(tables: Tables) -> Iterator[Problem]:
    used = Counter((vrf, found.ip) for _, _, vrf, found in _own(tables))
    for table, key, vrf, found in _own(tables):
        if used[vrf, found.ip] > 1:
            yield Problem(table, key, found=f"{found.ip} is on two interfaces", wanted="one interface an address")


def _sessions(tables: Tables) -> Iterator[Problem]:
    """Yield sessions whose own end is no address of the switch in the peer's subnet."""
    subnets: dict[tuple[str, str], Interface] = {}
    for _, _, vrf, found in _own(tables):
        subnets[vrf, str(found.ip)] = found
    for key, fields in tables.get("BGP_NEIGHBOR", {}).items():
        vrf, _, peer = key.rpartition("|")
        own = fields.get("local_addr", "")
        subnet, far = subnets.get((vrf or "default", own)), _interface(peer)
        if _interface(own) and subnet is None:
            wanted = "an address in INTERFACE, VLAN_INTERFACE, VLAN_SUB_INTERFACE or LOOPBACK_INTERFACE"
            yield Problem("BGP_NEIGHBOR", key, "local_addr", f"'{own}' is no address of this switch", wanted)
        elif subnet and far and subnet.network.num_addresses > 1 and far.ip not in subnet.network:
            yield Problem("BGP_NEIGHBOR", key, found="not in the subnet of local_addr", wanted=f"in {subnet.network}")


def _sessions_in_vrfs(tables: Tables) -> Iterator[Problem]:
    """Yield sessions with a VRF in the key where frrcfgd, which makes them, does not run (sonic-bgp-neighbor.yang)."""
    if tables.get("DEVICE_METADATA", {}).get("localhost", {}).get("frr_mgmt_framework_config") == "true":
        return
    wanted = "frr_mgmt_framework_config true in DEVICE_METADATA, or the session in an frr.conf"
    for key in tables.get("BGP_NEIGHBOR", {}):
        if "|" in key:
            yield Problem("BGP_NEIGHBOR", key, found="frrcfgd makes sessions in a VRF, and does not run", wanted=wanted)


def _members(tables: Tables) -> Iterator[Problem]:
    routed = {key.partition("|")[0] for key in tables.get("INTERFACE", {})}
    untagged: dict[str, str] = {}
    for key, fields in tables.get("VLAN_MEMBER", {}).items():
        vlan, _, port = key.partition("|")
        if port in routed:
            yield Problem("VLAN_MEMBER", key, found=f"{port} is a routed port too", wanted="INTERFACE or VLAN_MEMBER")
        if fields.get("tagging_mode") == "untagged" and untagged.setdefault(port, vlan) != vlan:
            found = f"{port} is untagged in {untagged[port]} too"
            yield Problem("VLAN_MEMBER", key, "tagging_mode", found, "one untagged VLAN a port")


def _vlans(tables: Tables) -> Iterator[Problem]:
    for key, fields in tables.get("VLAN", {}).items():
        if fields.get("vlanid") and key != f"Vlan{fields['vlanid']}":
            yield Problem("VLAN", key, "vlanid", f"'{fields['vlanid']}'", f"the number in its name, {key[4:]}")


def _management(tables: Tables) -> Iterator[Problem]:
    for key, fields in tables.get("MGMT_INTERFACE", {}).items():
        own, gateway = _interface(key.partition("|")[2]), _interface(fields.get("gwaddr", ""))
        if own and gateway and gateway.ip not in own.network:
            found = f"'{gateway.ip}' is not in the subnet"
            yield Problem("MGMT_INTERFACE", key, "gwaddr", found, f"an address of {own.network}")


def _static_routes(tables: Tables) -> Iterator[Problem]:
    for key, fields in tables.get("STATIC_ROUTE", {}).items():
        lengths = {f: fields[f].count(",") + 1 for f in ("nexthop", "ifname", "distance", "blackhole") if f in fields}
        if len(set(lengths.values())) > 1:
            said = ", ".join(f"{n} in {field}" for field, n in lengths.items())
            yield Problem("STATIC_ROUTE", key, found=f"entries: {said}", wanted="lists of one length")
        if not {"nexthop", "ifname", "blackhole"} & set(fields):
            yield Problem("STATIC_ROUTE", key, found="a route to nowhere", wanted="nexthop, ifname or blackhole")


def _thresholds(tables: Tables) -> Iterator[Problem]:
    for key, fields in tables.get("WRED_PROFILE", {}).items():
        for colour in ("green", "yellow", "red"):
            low, high = (fields.get(f"{colour}_{end}_threshold", "") for end in ("min", "max"))
            if low.isdigit() and high.isdigit() and int(low) >= int(high):
                field = f"{colour}_min_threshold"
                yield Problem("WRED_PROFILE", key, field, f"'{low}'", f"less than {colour}_max_threshold, {high}")


def _watchdog(tables: Tables) -> Iterator[Problem]:
    """Yield watchdog times shorter than a poll, and watchdogs on ports without PFC."""
    rows: dict[str, Fields] = tables.get("PFC_WD", {})
    poll = rows.get("GLOBAL", {}).get("POLL_INTERVAL", "")
    maps = tables.get("PORT_QOS_MAP", {})
    for key, fields in rows.items():
        for field in ("detection_time", "restoration_time"):
            found = fields.get(field, "")
            if found.isdigit() and poll.isdigit() and int(found) < int(poll):
                yield Problem("PFC_WD", key, field, f"'{found}'", f"at least POLL_INTERVAL, {poll}")
        if key in maps and not maps[key].get("pfc_enable"):
            yield Problem("PFC_WD", key, found="a watchdog on a port without PFC", wanted="pfc_enable in PORT_QOS_MAP")
    for key, fields in maps.items():
        if fields.get("pfc_enable") and rows and key not in rows:
            found = f"'{fields['pfc_enable']}' without a watchdog"
            yield Problem("PORT_QOS_MAP", key, "pfc_enable", found, f"a row PFC_WD|{key}")


def _shapers(tables: Tables) -> Iterator[Problem]:
    """Yield peak rates without a committed rate, or below it (sonic-scheduler.yang)."""
    for key, fields in tables.get("SCHEDULER", {}).items():
        peak, committed = fields.get("pir", ""), fields.get("cir", "0")
        if peak.isdigit() and committed.isdigit() and not 0 < int(committed) <= int(peak):
            yield Problem("SCHEDULER", key, "pir", f"'{peak}' with cir {committed}", "a cir from 1 to pir")


def _logins(tables: Tables) -> Iterator[Problem]:
    """Yield login methods whose servers are missing (sonic-system-aaa.yang: TACACS+ with its key)."""
    for key, fields in tables.get("AAA", {}).items():
        for word, servers in (("tacacs+", "TACPLUS_SERVER"), ("radius", "RADIUS_SERVER")):
            if word in fields.get("login", "").split(",") and not tables.get(servers):
                yield Problem("AAA", key, "login", f"'{word}' without servers", f"rows in {servers}")


def overlapping_queues(tables: Tables) -> Iterator[Problem]:
    """Yield queues and priority groups of a port that two rows configure."""
    for table in ("BUFFER_PG", "BUFFER_QUEUE", "QUEUE"):
        taken: dict[str, set[int]] = defaultdict(set)
        for key in tables.get(table, {}):
            port, _, text = key.partition("|")
            first, _, last = text.partition("-")
            if not (first.isdigit() and (last or first).isdigit()):
                continue
            mine = set(range(int(first), int(last or first) + 1))
            if not mine or mine & taken[port]:
                found = f"'{text}' is claimed twice" if mine else f"'{text}' runs backwards"
                yield Problem(table, key, found=found, wanted="each queue in one row")
            taken[port] |= mine

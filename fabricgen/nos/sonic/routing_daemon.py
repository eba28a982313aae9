"""What FRR runs on a SONiC switch: its own configuration, or what bgpcfgd makes of config_db tables, as text.

After sonic-buildimage, dockers/docker-fpm-frr/frr/bgpd: bgpd.main.conf.j2, templates/general/{instance,peer-group,
policies}.conf.j2; and src/sonic-bgpcfgd/bgpcfgd/managers_{bgp,static_rt}.py. Left out is what no route depends on here:
graceful restart, allow lists, isolation maps that permit all, `bgp suppress-fib-pending`. `maximum-paths` is what
Debian's FRR takes; SONiC builds its own for 514.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from ipaddress import IPv4Address, IPv6Address, ip_interface
from typing import Any

from fabricgen.running.tree import is_tolerant, report_misfit

MAX_PATHS = 256

_OFF = ("nhopself", "rrclient")
"""Options that only sessions inside one AS need, and that are turned off."""

Tables = Mapping[str, Mapping[str, Any]]


def read_frr_text(files: Mapping[str, str]) -> str:
    """Return the configuration of FRR on a switch: frr.conf if it is among the files, else what bgpcfgd makes."""
    return files["frr.conf"] if "frr.conf" in files else make_frr_text(json.loads(files["config_db.json"]))


def make_frr_text(tables: Tables) -> str:
    """Return the configuration that bgpcfgd gives FRR; static routes alone for a switch without an AS number."""
    metadata = tables["DEVICE_METADATA"]["localhost"]
    lines = [
        line for key, row in sorted(tables.get("STATIC_ROUTE", {}).items()) for line in _write_static_routes(key, row)
    ]
    if "bgp_asn" in metadata:
        lines += _write_policies()
        for vrf in sorted({"default", *(_find_vrf(key) for key in tables.get("BGP_NEIGHBOR", {}))}):
            lines += _write_instance(tables, vrf)
    return "\n".join([*lines, ""])


def _find_vrf(key: str) -> str:
    return key.rpartition("|")[0] or "default"


def _write_static_routes(key: str, row: Mapping[str, str]) -> Iterator[str]:
    """Yield FRR's lines of a row of STATIC_ROUTE (managers_static_rt.py: IpNextHopSet, generate_command).

    Raises UnknownTextError for lists of different lengths.
    """
    vrf, _, prefix = key.partition("|")
    columns = {field: text.split(",") for field, text in row.items() if field != "advertise"}
    lengths = {len(column) for column in columns.values()}
    if len(lengths) != 1:
        report_misfit(f"bgpcfgd refuses lists of different lengths: {key}")
    for n in range(lengths.pop()):
        fields = {field: column[n] for field, column in columns.items()}
        hop = "blackhole" if fields.get("blackhole") == "true" else f"{fields['nexthop']} {fields['ifname']}"
        distance = f" {fields['distance']}" if fields.get("distance", "0") != "0" else ""
        tag = 2 if row.get("advertise") == "false" else 1
        in_vrf = "" if vrf == "default" else f" vrf {vrf}"
        yield f"{'ipv6' if ':' in prefix else 'ip'} route {prefix} {hop}{distance} tag {tag}{in_vrf}"


def _write_policies() -> list[str]:
    """Return the route maps that bgpcfgd's templates define for all sessions."""
    lines = ["route-map STATIC_ROUTE_FILTER permit 10\n match tag 1\nexit"]
    for group in ("PEER_V4", "PEER_V6"):
        lines.append(f"route-map FROM_BGP_{group} permit 100\nexit\nroute-map TO_BGP_{group} permit 100\nexit")
    return lines


def _write_instance(tables: Tables, vrf: str) -> Iterator[str]:
    """Yield the lines of BGP in a VRF, as bgpcfgd's templates write them from BGP_NEIGHBOR."""
    metadata = tables["DEVICE_METADATA"]["localhost"]
    peers = {k.rpartition("|")[2]: row for k, row in tables.get("BGP_NEIGHBOR", {}).items() if _find_vrf(k) == vrf}
    router_ids = [str(address) for address in _list_loopbacks(tables) if address.version == 4]
    yield f"router bgp {metadata['bgp_asn']}" + ("" if vrf == "default" else f" vrf {vrf}")
    yield " no bgp default ipv4-unicast\n no bgp ebgp-requires-policy\n bgp bestpath as-path multipath-relax"
    yield from (f" bgp router-id {address}" for address in router_ids)
    yield " neighbor PEER_V4 peer-group\n neighbor PEER_V6 peer-group"
    for address, row in peers.items():
        if not row.get("local_addr") or {row.get(word, "0" if is_tolerant() else "") for word in _OFF} != {"0"}:
            stated = {word: value for word, value in row.items() if word in ("local_addr", *_OFF)}
            report_misfit(f"a session that bgpcfgd does not make, or as one inside of an AS: {address} {stated}")
        yield f" neighbor {address} remote-as {row['asn']}\n neighbor {address} description {row.get('name', '-')}"
        timers = f"{row.get('keepalive', 60)} {row.get('holdtime', 180)}"
        yield f" neighbor {address} timers {timers}\n neighbor {address} timers connect 10"
        if row.get("admin_status", "up") == "down":
            yield f" neighbor {address} shutdown"
    for family, group in (("ipv4", "PEER_V4"), ("ipv6", "PEER_V6")):
        yield f" address-family {family}"
        networks = dict.fromkeys(_list_networks(tables, vrf))  # a VLAN of each tenant has the subnet of its leaf
        yield from (f"  network {prefix}" for prefix in networks if (":" in prefix) == (family == "ipv6"))
        yield f"  maximum-paths {MAX_PATHS}"
        if any(_find_vrf(key) == vrf for key in tables.get("STATIC_ROUTE", {})):
            yield "  redistribute static route-map STATIC_ROUTE_FILTER"
        if metadata.get("type") == "ToRRouter":
            yield f"  neighbor {group} allowas-in 1"
        yield f"  neighbor {group} soft-reconfiguration inbound"
        yield f"  neighbor {group} route-map FROM_BGP_{group} in\n  neighbor {group} route-map TO_BGP_{group} out"
        for address in peers:
            if (":" in address) == (family == "ipv6"):
                yield f"  neighbor {address} peer-group {group}\n  neighbor {address} activate"
        yield " exit-address-family"
    yield "exit"


def _list_loopbacks(tables: Tables) -> list[IPv4Address | IPv6Address]:
    """Return the addresses of Loopback0, the only loopback that bgpd.main.conf.j2 reads."""
    names_and_addresses = (key.partition("|") for key in tables.get("LOOPBACK_INTERFACE", {}))
    return [ip_interface(address).ip for name, _, address in names_and_addresses if address and name == "Loopback0"]


def _list_networks(tables: Tables, vrf: str) -> Iterator[str]:
    """Yield the prefixes of `network` lines in a VRF: loopbacks, and the subnets of VLANs of any VRF."""
    if vrf != "default":
        return
    as_128 = tables["DEVICE_METADATA"]["localhost"].get("bgp_adv_lo_prefix_as_128") == "true"
    for address in _list_loopbacks(tables):
        yield f"{address}/{32 if address.version == 4 else 128 if as_128 else 64}"
    yield from (key.partition("|")[2] for key in tables.get("VLAN_INTERFACE", {}) if "|" in key)

"""Example blueprints rendered once, and what their files say, for the tests of this folder."""

from __future__ import annotations

import json
import re
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from ruamel.yaml import YAML

from fabricgen.kernel.nos_rooms import load_part
from fabricgen.numbering.underlay import runs_bgp
from fabricgen.render.engine import render_configs
from fabricgen.running.statements import Statements
from fabricgen.views.switch import SwitchView
from tests.conftest import example_cluster, example_design

BLUEPRINTS = Path(__file__).resolve().parents[2] / "blueprints"
EXAMPLES = tuple(sorted(p.stem for p in BLUEPRINTS.glob("*.yaml") if not p.stem.endswith(".lock")))

CUMULUS = ("nos=cumulus",)
ALL_EOS = ("nos=eos", "fabrics.compute.tiers.leaf.switch=7060dx5-64s", "fabrics.compute.tiers.spine.switch=7060dx5-64s")
EVPN_JUNOS = (
    "nos=junos",
    "fabrics.compute.tiers.leaf={switch: qfx5240-64od, per: su}",
    "fabrics.compute.tiers.spine={switch: qfx5240-64od, count: 2}",
)
JUNOS = ("nos=junos", *(f"fabrics.compute.tiers.{tier}.switch=qfx5230-64cd" for tier in ("leaf", "spine")))
EXITS_JUNOS = (
    "nos=junos",
    *(f"fabrics.compute.tiers.{tier}.switch=qfx5130-32cd" for tier in ("leaf", "spine", "border")),
)
"""The example `two-exits` on another NOS."""
EVPN_EXITS_JUNOS = (
    "nos=junos",
    "fabrics.compute.tiers.leaf={switch: qfx5130-32cd, per: su}",
    "fabrics.compute.tiers.spine={switch: qfx5130-32cd, count: 2}",
)
"""The example `evpn-guests` on switches with ports for routers outside."""
EVPN_EOS = (
    "nos=eos",
    "fabrics.compute.tiers.leaf={switch: 7060x6-64de, per: su}",
    "fabrics.compute.tiers.spine={switch: 7060x6-64de, count: 2}",
)
"""The example `evpn-guests` on another NOS."""
EVPN_PAIRS = (
    "nos=eos",
    "fabrics.compute.tiers.leaf={switch: 7060x6-64de, per: su, count: 2, spread: stripe, pair: evpn}",
    "fabrics.compute.tiers.spine={switch: 7060x6-64de, count: 2}",
    "fabrics.compute.hosts=bridged",
    "fabrics.compute.bond=node",
)
"""The example `evpn-guests` with bonds over two leaves by EVPN multihoming."""
EVPN_PAIRS_CUMULUS = (
    "nos=cumulus",
    "fabrics.compute.tiers.leaf={switch: sn5600, per: su, count: 2, spread: stripe, pair: evpn}",
    *EVPN_PAIRS[-2:],
)
EVPN_PAIRS_JUNOS = (
    "nos=junos",
    *(pair.replace("7060x6-64de", "qfx5130-32cd") for pair in EVPN_PAIRS[1:3]),
    *EVPN_PAIRS[3:],
)
EVPN_PAIRS_SONIC = ("nos=sonic", *EVPN_PAIRS_CUMULUS[1:])
COPPER = (
    "fabrics.oob.nos=eos",
    "fabrics.oob.tiers.leaf.switch=7010tx",
    "fabrics.oob.tiers.spine.switch=7060dx5-64s",
)
UNNUMBERED = ("routing.underlay=ebgp-unnumbered",)
STATIC = ("routing.underlay=static",)
BARE = ("routing.underlay=none",)
BRIDGED = ("fabrics.compute.hosts=bridged",)
DUAL = ("ip=dual",)
V6 = ("ip=v6",)
RAILS = ("fabrics.compute.hosts=rail-subnets",)
PER_RACK = ("routing.asn={plan: per-rack, pool: 65000.1-65000.500}",)
ONE_NUMBER = ("routing.asn={tiers: {leaf: 65001, spine: 65000}}",)
BFD = ("routing.bfd=true",)
LEAKS = (
    'tenants.blue.nodes=["p1/su-*/node-1"]',
    'tenants.green.nodes=["p1/su-*/node-2"]',
    "leaks.all={between: [blue, green]}",
    "leaks.some={between: [blue, default], prefixes: {default: [10.128.0.0/24, 192.0.2.0/24]}}",
)
"""Two tenants of which one sees the other, and a part of what is nobody's."""

EVPN_LEAKS = (
    'tenants.blue.nodes=["p1/su-1/node-1"]',
    'tenants.green.nodes=["p1/su-2/node-2"]',
    'tenants.red.nodes=["p1/su-*/node-3"]',
    "leaks.some={between: [blue, green]}",
    "leaks.all={between: [green, red], prefixes: {red: [10.128.0.0/25]}}",
    "fabrics.compute.tiers.leaf.per=su",
    "fabrics.compute.tiers.leaf.uplinks=2 x 400G",
    "fabrics.compute.tiers.spine.count=2",
    "routing.overlay=evpn",
)
"""Three tenants over EVPN, of which blue and green have no leaf with hosts of both."""

MANAGED = (
    "management.users.ops={password: 'env:FABRICGEN_OPS', ssh_keys: [ssh-ed25519 AAAAC3Nz, ssh-rsa AAAAB3Nz]}",
    "management.users.look={role: operator, ssh_keys: [ssh-ed25519 AAAAC3Nw]}",
    "management.aaa={servers: [10.16.0.20, 10.16.0.21], key: 'env:FABRICGEN_TACACS'}",
    "management.ntp=[10.16.0.30, ntp.example.net]",
    "management.dns={servers: [10.16.0.40, 10.16.0.41], domain: fabric.example.net}",
    "management.syslog={servers: [10.16.0.50], level: warning}",
    "management.snmp={users: {poller: {auth: 'env:FABRICGEN_AUTH', privacy: 'env:FABRICGEN_PRIVACY'}}, contact: noc}",
    "management.gnmi.port=6030",
    "management.tls={certificate: switch.crt, key: switch.key}",
    "management.timezone=Europe/Berlin",
    'management.banner={login: "Keep out!\\nEOF\\nrouter bgp 1", motd: "  {{ hostname }}"}',
)
RADIUS = (
    "management.users.admin.password=env:FABRICGEN_OPS",
    "management.aaa={protocol: radius, servers: 10.16.0.20, key: 'env:FABRICGEN_RADIUS'}",
)
TUNED = (
    "routing.bfd={interval_ms: 100, multiplier: 5}",
    "routing.max_prefixes=0",
    "routing.load_balance=dynamic",
    "qos={roce_dscp: 29, cnp_dscp: 43, ecn: {400G: 311-907}, mark_percent: 43, roce_percent: 83, cnp_max_percent: 7}",
    "qos.roce_class=4",
    "qos.cnp_class=5",
    "qos.watchdog={detect_ms: 390, restore_ms: 910, poll_ms: 130, action: forward}",
)
BY_HAND = (
    "config_of.compute-leaf-p1-su01-r1-01.ports.Ethernet1/1={description: spare, mtu: 9216, shutdown: true, fec: fc}",
    "config_of.compute-leaf-p1-su01-r1-01.ports.Ethernet1/5={fec: none, mtu: 9000}",
    "config_of.compute-leaf-p1-su01-r1-01.snippets.a={nos: eos, at: bgp, text: neighbor UP weight 10}",
    'config_of.compute-leaf-p1-su01-r1-01.snippets.z={nos: eos, text: "alias a show arp\\nmonitor twamp\\n   delay 5"}',
    "snippets.first={nos: eos, at: top, text: alias first show version}",
    'fabrics.compute.snippets.mid={nos: eos, at: interfaces, text: "interface Loopback9\\n   shutdown"}',
)
"""Ports and raw text of an EOS leaf."""


class Peer(NamedTuple):
    """A session as one end has it: the peer's address or the own interface, and the AS numbers of both ends."""

    key: str
    own_asn: int
    far_asn: int
    own_address: str


def has_sessions(name: str) -> bool:
    """Whether switches of an example meet over BGP: not where all is InfiniBand, static or a single tier."""
    design = example_design(name)
    return any(
        runs_bgp(design, f) and (len(f.tiers) > 1 or (f.tiers and f.tiers[0].links_inside)) for f in design.fabrics
    )


cluster_of = example_cluster


@cache
def files_of(name: str, *sets: str) -> dict[str, str]:
    return {path: content.decode() for path, content in render_configs(cluster_of(name, *sets))}


def config_db(files: dict[str, str], device: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(files[f"configs/{device}/config_db.json"])
    return found


def startup(files: dict[str, str], device: str) -> dict[str, Any]:
    """What is under `set:` of a Cumulus switch's file; a key that stands twice is a fault."""
    return _startup(files[f"configs/{device}/startup.yaml"])


@lru_cache(maxsize=64)
def _startup(text: str) -> dict[str, Any]:
    (item,) = YAML(typ="safe").load(text)
    assert set(item) == {"set"}
    found: dict[str, Any] = item["set"]
    return found


def peers_in(files: dict[str, str], switch: SwitchView) -> set[Peer]:
    """The BGP sessions that a switch's files configure."""
    folder = f"configs/{switch.name}/"
    if folder + f"{switch.name}.cfg" in files:
        return _peers_in_text(files[folder + f"{switch.name}.cfg"], "peer group", r"interface (\S+) peer-group \S+")
    if folder + "juniper.conf" in files:
        statements = load_part("junos", "statements")
        return _peers_in_junos(statements.read_statements({"juniper.conf": files[folder + "juniper.conf"]}))
    if folder + "startup.yaml" in files:
        instances = [vrf["router"]["bgp"] for vrf in startup(files, switch.name)["vrf"].values() if "router" in vrf]
        return {
            Peer(key, bgp["autonomous-system"], row["remote-as"], "")
            for bgp in instances
            for key, row in bgp.get("neighbor", {}).items()
            if not row.get("peer-group", "").startswith("OVERLAY") and " exit " not in row.get("description", "")
        }
    if folder + "frr.conf" in files:
        assert "BGP_NEIGHBOR" not in config_db(files, switch.name)
        return _peers_in_text(files[folder + "frr.conf"], "peer-group", r"(Ethernet\d+)")
    tables = config_db(files, switch.name)
    own = int(tables["DEVICE_METADATA"]["localhost"]["bgp_asn"])
    rows = tables.get("BGP_NEIGHBOR", {}).items()
    return {Peer(address.rpartition("|")[2], own, int(row["asn"]), row["local_addr"]) for address, row in rows}


def _peers_in_junos(stated: Statements) -> set[Peer]:
    """Sessions with neighbours of addresses, and on ports that find theirs: a group of these has one AS number."""
    own = int(stated["routing-options", "autonomous-system"])
    found = set()
    for path, value in stated.items():
        if path[:3] != ("protocols", "bgp", "group"):
            continue
        if path[4] == "neighbor" and path[-1] == "peer-as":
            found.add(Peer(path[5], own, int(value), stated[(*path[:-1], "local-address")]))
        elif path[4] == "dynamic-neighbor" and path[-2] == "interface":
            (asn,) = (key[-1] for key in stated if key[:4] == ("policy-options", "as-list", path[3], "members"))
            found.add(Peer(path[-1].removesuffix(".0"), own, int(asn), ""))
    return found


def _peers_in_text(text: str, group: str, interface: str) -> set[Peer]:
    own = int(re.findall(r"^router bgp (\d+)$", text, re.M)[0])
    found = set()
    groups = set(re.findall(rf"^ +neighbor (\S+) {group} (\S+)$", text, re.M))
    outside = set(re.findall(r"^ +neighbor (\S+) description .* exit \S+$", text, re.M))
    between_loopbacks = {address for address, name in groups if name.startswith("OVERLAY_")}
    in_vrf = set(re.findall(r"^ +neighbor (\S+) route-map IN-\S+ in$", text, re.M))  # EOS has no groups there
    for address, asn in re.findall(r"^ +neighbor (\d[\d.]+|[\da-f]+:[\da-f:]*) remote-as (\d+)$", text, re.M):
        family = "6" if ":" in address else ""
        if address in outside | between_loopbacks:
            continue
        assert address in in_vrf or groups & {(address, f"{word}{family}") for word in ("UP", "DOWN", "PEER")}
        found.add(Peer(address, own, int(asn), ""))
    for names, asn in re.findall(rf"^ +neighbor {interface} remote-as (\d+)$", text, re.M):
        for name in names.split(","):
            found.add(Peer(f"Ethernet{name.removeprefix('Ethernet')}", own, int(asn), ""))
    return found

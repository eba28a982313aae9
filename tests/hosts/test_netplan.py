"""netplan itself takes the files, and the kernel routes by what netplan makes of them."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from netplans import COMMAND, Section, files_of, needs, networkd, plans

from tests.conftest import EXAMPLES

pytestmark = pytest.mark.daemon

HOSTED = tuple(name for name in EXAMPLES if name != "superpod-b200-3tier")
"""Examples whose nodes have Ethernet ports."""

VARIANTS = [
    *((name, ()) for name in HOSTED),
    ("leaf-spine", ("ip=v6",)),
    ("leaf-spine", ("ip=dual", "fabrics.compute.hosts=bridged")),
    ("leaf-spine", ("fabrics.compute.hosts=none",)),
    ("bonded-pair", ("tenants.blue.nodes=[p1/su-1/node-1]",)),
    ("leaf-spine", ("names.interfaces={generic-server: {eth1: 'on', eth2: en0.7_x-y}}",)),
]


def case_id(case: tuple[str, tuple[str, ...]]) -> str:
    return " ".join((case[0], *case[1]))


@pytest.mark.parametrize("case", VARIANTS, ids=case_id)
def test_netplan_takes_it_and_leaves_nothing_out(case: tuple[str, tuple[str, ...]], tmp_path: Path) -> None:
    """The first and the last node of each: what systemd-networkd is told is what the file says."""
    needs("netplan")
    written = files_of(case[0], *case[1])
    for number, (node, ports) in enumerate(sorted(plans(written, most=2).items())):
        made = networkd(tmp_path / str(number), written[f"hosts/{node}/60-fabric.yaml"])
        assert {name for name in made if name.endswith(".network")} == {f"{name}.network" for name in ports}
        for name, port in ports.items():
            assert_told(made[f"{name}.network"], name, port)


def test_bonds_are_what_the_switches_expect(tmp_path: Path) -> None:
    """LACP with PDUs every second, over the ports that links.csv has, and VLANs on the bond."""
    needs("netplan")
    made = networkd(tmp_path, files_of("bonded-pair")["hosts/p1-su01-n001/60-fabric.yaml"])
    own = {section.name: dict(section.values) for section in made["bond-inband.netdev"]}
    assert own["NetDev"]["Kind"] == ["bond"]
    assert own["Bond"] == {
        "Mode": ["802.3ad"],
        "LACPTransmitRate": ["fast"],
        "MIIMonitorSec": ["100ms"],
        "TransmitHashPolicy": ["layer3+4"],
    }
    network = {name: {s.name: s.values for s in sections}.get("Network", {}) for name, sections in made.items()}
    members = {name for name, values in network.items() if values.get("Bond") == ["bond-inband"]}
    assert members == {"SLOT1P2.network", "SLOT2P2.network"}
    assert network["bond-inband.network"]["VLAN"] == ["bond-inband.200"]
    assert not any("Address" in network[name] for name in members)


def assert_told(sections: list[Section], name: str, port: dict[str, Any]) -> None:
    by_name = {section.name: section.values for section in sections}
    mac = port.get("match", {}).get("macaddress")
    matched = {key: value for key, value in by_name["Match"].items() if key != "Name"}
    assert by_name["Match"]["Name"] == [name]
    assert [*matched.values()] == ([[mac]] if mac else []), "a port is found by its MAC where that is known"
    assert by_name["Link"]["MTUBytes"] == [str(port["mtu"])]
    assert by_name["Link"].get("RequiredForOnline", []) == (["no"] if port["optional"] else [])
    assert by_name["Network"].get("Address", []) == port.get("addresses", [])
    assert by_name["Network"]["IPv6AcceptRA"] == ["no"]
    assert "DHCP" not in by_name["Network"]
    told = [route_of(section) for section in sections if section.name == "Route"]
    assert told == [wanted(route) for route in port.get("routes", [])]
    rules = [
        {k: v[0] for k, v in section.values.items()} for section in sections if section.name == "RoutingPolicyRule"
    ]
    assert rules == [
        {"From": rule["from"], "Table": str(rule["table"]), "Priority": str(rule["priority"])}
        for rule in port.get("routing-policy", [])
    ]


def route_of(section: Section) -> dict[str, str]:
    found = {key: values[0] for key, values in section.values.items()}
    if found["Destination"] in ("0.0.0.0/0", "::/0"):
        found["Destination"] = "default"
    return found


def wanted(route: dict[str, Any]) -> dict[str, str]:
    keys = {"to": "Destination", "via": "Gateway", "metric": "Metric", "table": "Table", "scope": "Scope"}
    return {keys[key]: str(value) for key, value in route.items()}


def test_a_second_file_tells_interfaces_by_their_mac(tmp_path: Path) -> None:
    """What docs/hosts.md says of an inventory of MAC addresses: a file that is read later, merged by name."""
    needs("netplan")
    own = """
network:
  ethernets:
    eth1: {match: {macaddress: "02:00:00:00:00:01"}, set-name: eth1}
"""
    made = networkd(tmp_path, files_of("leaf-spine")["hosts/p1-su01-n001/60-fabric.yaml"], own, generator=COMMAND)
    match = next(section for section in made["eth1.network"] if section.name == "Match")
    assert match.values["MACAddress" if "MACAddress" in match.values else "PermanentMACAddress"] == [
        "02:00:00:00:00:01"
    ]
    network = next(section for section in made["eth1.network"] if section.name == "Network")
    assert network.values["Address"] == ["10.128.0.1/31"]
    assert next(s for s in made["eth1.link"] if s.name == "Link").values["Name"] == ["eth1"]


@pytest.fixture
def space() -> Iterator[str]:
    needs("netplan", "ip", root=True)
    name = f"fg-host-{os.getpid()}"
    subprocess.run(["ip", "netns", "add", name], check=True)
    yield name
    subprocess.run(["ip", "netns", "del", name], check=True)


def ip(space: str, *words: str) -> list[dict[str, Any]]:
    done = subprocess.run(["ip", "-n", space, "-j", *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"ip {' '.join(words)}: {done.stderr}"
    return json.loads(done.stdout) if done.stdout.strip() else []


def apply(space: str, made: dict[str, list[Section]]) -> None:
    """Set up veth interfaces as systemd-networkd would."""
    ports = {name.removesuffix(".network"): found for name, found in made.items() if name.endswith(".network")}
    for number, (name, sections) in enumerate(ports.items()):
        ip(space, "link", "add", name, "type", "veth", "peer", "name", f"far{number}")
        network = next(section.values for section in sections if section.name == "Network")
        for address in network["Address"]:
            ip(space, "addr", "add", address, "dev", name, *(["nodad"] if ":" in address else []))
        for end in (name, f"far{number}"):
            ip(space, "link", "set", end, "up")
        for section in sections:
            values = {key: found[0] for key, found in section.values.items()}
            six = ["-6"] if ":" in "".join(section.values["Destination"] + section.values["From"]) else []
            if section.name == "Route":
                keys = (("via", "Gateway"), ("metric", "Metric"), ("scope", "Scope"), ("table", "Table"))
                words = [
                    word
                    for key, of in keys
                    if of in values and not (six and key == "scope")
                    for word in (key, values[of])
                ]
                ip(space, *six, "route", "add", values["Destination"], *words, "dev", name)
            elif section.name == "RoutingPolicyRule":
                words = ["from", values["From"], "table", values["Table"], "priority", values["Priority"]]
                ip(space, *six, "rule", "add", *words)


LIVE = [
    ("leaf-spine", ()),
    ("leaf-spine", ("fabrics.compute.hosts=bridged", "fabrics.compute.tiers.leaf.per=su", "ip=dual")),
    ("mi300x-roce", ()),
    ("dual-stack", ()),
]


def way(space: str, *words: str) -> str:
    """The interface by which the kernel would send, "" for none."""
    done = subprocess.run(
        ["ip", "-n", space, "-j", "route", "get", *words], capture_output=True, text=True, check=False
    )
    return str(json.loads(done.stdout)[0]["dev"]) if done.returncode == 0 else ""


@pytest.mark.parametrize("case", LIVE, ids=case_id)
def test_the_kernel_sends_by_the_nic_whose_address_it_is(
    case: tuple[str, tuple[str, ...]], space: str, tmp_path: Path
) -> None:
    """To every address of the last node, of its rail and of others; the rest leaves by the default route alone."""
    written = files_of(case[0], *case[1])
    [(name, ports), *_, (_, far)] = plans(written, most=2).items()
    apply(space, networkd(tmp_path, written[f"hosts/{name}/60-fabric.yaml"]))
    ruled = {name: port["routing-policy"] for name, port in ports.items() if "routing-policy" in port}
    theirs = [a.partition("/")[0] for port in ruled for a in far[port]["addresses"]]
    rules = [(port, rule["from"]) for port, found in ruled.items() for rule in found]
    pairs = [(port, own, address) for port, own in rules for address in theirs if (":" in own) == (":" in address)]
    assert len(ruled) > 1
    assert [way(space, address, "from", own) for _, own, address in pairs] == [port for port, _, _ in pairs]
    assert {way(space, address) for address in theirs} <= ruled.keys()
    first = [name for name, port in ports.items() if not port["optional"]]
    assert way(space, "192.0.2.1") == "".join(first)
    for _, own in rules:
        ip(space, *(["-6"] if ":" in own else []), "rule", "del", "from", own)
    assert [way(space, address, "from", own) for _, own, address in pairs] != [port for port, _, _ in pairs]

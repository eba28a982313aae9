"""Hosts send what is for elsewhere to where an exit leads out, and operators reach them there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from netplans import ethernets, files, files_of

from fabricgen.blueprint.load import load_blueprint
from fabricgen.cluster import Cluster, build_cluster
from fabricgen.design.build import build_design
from fabricgen.export.operations import find_device_addresses, list_named_addresses
from fabricgen.lint.rules.plan.addressing.fg752_no_default_route import NoDefaultRoute
from tests.conftest import example_cluster

OWN = ("10.128.", "172.16.")
"""How addresses of nodes begin."""
CARRIED = """
fabricgen: 1
name: carried
scalable_unit: {nodes: 4 x dgx-b200}
pods: {p1: {su: 1}}
fabrics:
  front:
    protocol: ethernet
    attach: storage
    speed: 200G
    tiers:
      leaf: {switch: sn4700, count: 2, spread: stripe}
      spine: {switch: sn4700, count: 2}
  inband:
    protocol: ethernet
    carried_by: front
    host_ports: tagged
    speed: 200G
    VRF
    extra: {wan: {device: external-router, names: [br-1, br-2], attach: inband, ports: 1, to: spine}}
    exits: {out: {to: wan, asn: 65101, EXIT}}
"""


def compiled(folder: Path, text: str) -> Cluster:
    file = folder / "blueprint.yaml"
    file.write_text(text, encoding="utf-8")
    return build_cluster(build_design(load_blueprint(str(file))))


def mains(ports: dict[str, Any]) -> dict[str, list[str]]:
    """By interface, where routes of the main table lead that are no nodes of its own fabric."""
    return {
        name: [r["to"] for r in port.get("routes", []) if "table" not in r and not r["to"].startswith(OWN)]
        for name, port in ports.items()
    }


@pytest.mark.parametrize("vrf", ["", "vrf: default"])
def test_the_default_route_is_of_the_fabric_with_the_exit(tmp_path: Path, vrf: str) -> None:
    cluster = compiled(tmp_path, CARRIED.replace("VRF", vrf).replace("EXIT", "announce: 10.128.0.0/9"))
    ports = ethernets(files(cluster)["hosts/p1-su01-n001/60-fabric.yaml"])
    assert mains(ports) == {"SLOT1P1": [], "SLOT2P1": [], "SLOT1P1.100": ["default"], "SLOT2P1.100": ["default"]}
    own = [address.partition("/")[0] for address in ports["SLOT1P1.100"]["addresses"]]
    assert [rule["from"] for rule in ports["SLOT1P1.100"]["routing-policy"]] == own
    assert [name for name, port in ports.items() if not port["optional"]] == ["SLOT1P1.100"]
    assert find_device_addresses(cluster)["p1-su01-n001"] == own[0]
    main = [
        found.address for found in list_named_addresses(cluster) if found.device == "p1-su01-n001" and found.is_main
    ]
    assert main == own
    assert not list(NoDefaultRoute().check(cluster))


def test_prefixes_that_an_exit_accepts_lead_there_too(tmp_path: Path) -> None:
    accept = "default: false, accept: [203.0.113.0/24 le 28, 198.51.100.0/24]"
    cluster = compiled(tmp_path, CARRIED.replace("VRF", "").replace("EXIT", accept))
    ports = ethernets(files(cluster)["hosts/p1-su01-n001/60-fabric.yaml"])
    assert mains(ports)["SLOT2P1.100"] == ["198.51.100.0/24", "203.0.113.0/24"]
    assert mains(ports)["SLOT1P1"] == []


def test_an_exit_in_the_gpus_network_leads_its_nodes_out() -> None:
    """They keep the tables by which each NIC sends what is from its own address."""
    ports = ethernets(files_of("two-exits")["hosts/p1-su01-n001/60-fabric.yaml"])
    found = mains(ports)
    assert set(map(tuple, found.values())) == {("default", "203.0.113.0/24")}
    assert all(port["routing-policy"] for port in ports.values())


def test_hosts_without_a_default_route_are_told() -> None:
    rule = NoDefaultRoute()
    sets = ("tenants={blue: {nodes: [p1/su-1/node-1]}}", "fabrics.compute.hosts=routed")
    (found,) = rule.check(example_cluster("two-exits", *sets))
    assert found.path == ("fabrics", "compute", "exits", "wan")
    assert found.message == (
        "1 host of blue gets no default route: p1-su01-n001 has no port in the VRF default of compute, which wan leads "
        "out of"
    )
    assert not list(rule.check(example_cluster("two-exits")))
    written = files_of("two-exits", *sets)
    assert not any("default" in to for to in mains(ethernets(written["hosts/p1-su01-n001/60-fabric.yaml"])).values())
    assert all(mains(ethernets(written["hosts/p1-su01-n002/60-fabric.yaml"])).values())

"""Gateways of management ports: what a switch of the management fabric has, or the first of a flat subnet."""

from __future__ import annotations

from ipaddress import ip_interface

import pytest

from fabricgen.cluster import Cluster, build_cluster
from fabricgen.export.files.addresses import make_table

FABRIC = """
fabricgen: 1
name: managed
ip: dual
scalable_unit: {nodes: 4 x dgx-b200}
pods: {p1: {su: 2, reserve: 3}}
fabrics:
  compute:
    protocol: roce
    tiers: {leaf: {switch: sn5600, per: [su, rail]}, spine: {switch: sn5600, count: 4}}
"""
OOB = """
  oob:
    protocol: ethernet
    attach: bmc
    also: switches
    hosts: HOSTS
    tiers: {leaf: {switch: sn2201, per: su}, spine: {switch: sn2201, count: 2}}
"""


def list_managed_switches(cluster: Cluster) -> dict[str, list[tuple[str, str]]]:
    """(address, gateway) in each family of the compute switches."""
    switches = (cluster.switch(row) for row in cluster.switch_rows())
    return {s.name: list(s.managements) for s in switches if s.name.startswith("compute-")}


def map_prefixes_to_devices(cluster: Cluster) -> dict[str, str]:
    """The device that has each address with its prefix length, as addresses.csv says."""
    return {prefix: device for prefix, _, device, _ in make_table(cluster).rows()}


@pytest.mark.parametrize("hosts", ["bridged", "routed"])
def test_the_gateway_is_the_switch_that_the_port_is_on(design_of, hosts: str) -> None:
    cluster = build_cluster(design_of(FABRIC + OOB.replace("HOSTS", hosts).removeprefix("\n")))
    links, names = cluster.plan.links, cluster.names
    beside = {
        names[a]: names[b]
        for a, b in zip(links.a_device.tolist(), links.b_device.tolist(), strict=True)
        if names[b].startswith("oob-leaf") and names[a].startswith("compute-")
    }
    held = map_prefixes_to_devices(cluster)
    switches = list_managed_switches(cluster)
    assert len(switches) == 20
    for name, ports in switches.items():
        assert len(ports) == 2
        for address, gateway in ports:
            interface = ip_interface(address)
            assert held[address] == name
            assert held[f"{gateway}/{interface.network.prefixlen}"] == beside[name]
            assert ip_interface(f"{gateway}/{interface.network.prefixlen}").network == interface.network


def test_the_gateway_of_a_flat_subnet_is_its_first_address_and_no_switch(design_of) -> None:
    cluster = build_cluster(design_of(FABRIC))
    held, switches = map_prefixes_to_devices(cluster), list_managed_switches(cluster)
    assert len(switches) == 20
    for ports in switches.values():
        assert len(ports) == 2
        for address, gateway in ports:
            network = ip_interface(address).network
            assert gateway == str(network.network_address + 1)
            assert f"{gateway}/{network.prefixlen}" not in held


def test_switches_that_are_managed_in_band_have_no_gateway(design_of) -> None:
    cluster = build_cluster(design_of(FABRIC + OOB.replace("HOSTS", "bridged").removeprefix("\n")))
    switches = [cluster.switch(row) for row in cluster.switch_rows()]
    oob = [s for s in switches if s.name.startswith("oob-")]
    assert len(oob) == 4
    for switch in oob:
        assert switch.managements == ((f"{switch.loopback}/32", ""), (f"{switch.loopback6}/128", ""))

"""Subnets of rails: a node has one host number on every rail and plane, in either family, and keeps it."""

from __future__ import annotations

from collections import defaultdict
from ipaddress import ip_interface

import pytest

from fabricgen.cluster import Cluster, build_cluster
from fabricgen.export.files.addresses import make_table
from fabricgen.kernel.diagnostics import InputError

HEAD = "fabricgen: 1\nname: rails\nip: dual\nfabrics:\n  compute:\n    protocol: roce\n    hosts: rail-subnets\n"
RAIL_OPTIMIZED = f"""{HEAD}    tiers:
      leaf: {{switch: sn5600, per: [su, rail]}}
      spine: {{switch: sn5600, count: 4}}
scalable_unit: {{nodes: 4 x dgx-b200}}
pods: {{p1: {{su: 2, reserve: 3}}}}
omit: [p1/su-1/node-2]
"""
TWIN_PLANES = f"""{HEAD}    planes: 2
    tiers:
      leaf: {{switch: sn5600, per: [pod, rail, plane]}}
      spine: {{switch: sn5600, per: plane, count: 4}}
scalable_unit: {{nodes: 4 x dgx-b300}}
pods: {{p1: {{su: 2, reserve: 3}}}}
"""
TOP_OF_RACK = f"""{HEAD}    tiers:
      leaf: {{switch: sn5600, per: rack}}
      spine: {{switch: sn5600, count: 4}}
scalable_unit: {{nodes: 8 x dgx-b200, racks: {{nodes_per_rack: 4}}}}
pods: {{p1: {{su: 2}}}}
"""
DUAL_TOR = f"""{HEAD}    nic: 2x400
    tiers:
      leaf: {{switch: sn5600, per: [su, rail], count: 2, spread: stripe}}
      spine: {{switch: sn5600, count: 4}}
    extra: {{gate: {{device: generic-server, attach: compute, ports: 2, to: leaf, speed: 100G}}}}
scalable_unit: {{nodes: 4 x dgx-b300}}
pods: {{p1: {{su: 2}}}}
"""
FAMILIES = {"rail-optimized": RAIL_OPTIMIZED, "planes": TWIN_PLANES, "top-of-rack": TOP_OF_RACK, "dual-tor": DUAL_TOR}
every_family = pytest.mark.parametrize("text", FAMILIES.values(), ids=FAMILIES)


def list_host_addresses(cluster: Cluster) -> dict[str, list]:
    """Addresses of the ports of each node and extra device."""
    addresses = defaultdict(list)
    for prefix, kind, device, _ in make_table(cluster).rows():
        if kind == "host" and "leaf" not in device:
            addresses[device].append(ip_interface(prefix))
    return addresses


def find_host_number(address) -> int:
    return int(address) - int(address.network.network_address)


@every_family
def test_a_node_has_one_number_everywhere(text: str, design_of) -> None:
    cluster = build_cluster(design_of(text))
    numbers = {}
    for device, addresses in list_host_addresses(cluster).items():
        if not device.startswith("gate"):
            assert len({a.network for a in addresses}) == len(addresses)
            (numbers[device],) = {find_host_number(a) for a in addresses}
            assert {a.ip.packed[-1] for a in addresses if a.version == 4} == {numbers[device] % 256}
            assert {a.network.prefixlen for a in addresses} == {24, 64}
    everywhere = [a.ip for addresses in list_host_addresses(cluster).values() for a in addresses]
    assert len(set(everywhere)) == len(everywhere)


@pytest.mark.slow
@every_family
def test_each_subnet_has_a_gateway_on_its_leaf_and_a_vlan_of_its_own(text: str, design_of) -> None:
    cluster = build_cluster(design_of(text))
    used = {a.network for addresses in list_host_addresses(cluster).values() for a in addresses}
    gateways = [ip_interface(prefix) for prefix, kind, _, _ in make_table(cluster).rows() if kind == "gateway"]
    assert used <= {gateway.network for gateway in gateways}
    assert {find_host_number(gateway) for gateway in gateways} == {1}
    for switch in cluster.switches():
        vlans = [service.vlan for service in switch.services if service.gateway]
        assert len(set(vlans)) == len(vlans)
        for port in (p for p in switch.ports if p.role == "host"):
            service = switch.find_service(port)
            assert service is not None
            assert service.vlan == port.vlan
            far = next(a for a in list_port_addresses(cluster, port.peer, port.peer_port) if a.version == 4)
            assert far.network == ip_interface(service.gateway).network


def list_port_addresses(cluster: Cluster, device: str, port: str) -> list:
    rows = make_table(cluster).rows()
    return [ip_interface(p) for p, kind, d, port_name in rows if (kind, d, port_name) == ("host", device, port)]


def test_numbers_follow_slots_of_the_group(design_of) -> None:
    hosts = list_host_addresses(build_cluster(design_of(RAIL_OPTIMIZED)))
    assert "p1-su01-n002" not in hosts
    assert {d: find_host_number(a[0]) for d, a in hosts.items() if "su01" in d} == {
        "p1-su01-n001": 2,
        "p1-su01-n003": 4,
        "p1-su01-n004": 5,
    }
    planes = list_host_addresses(build_cluster(design_of(TWIN_PLANES)))
    assert [find_host_number(planes[f"p1-su02-n00{n}"][0]) for n in (1, 4)] == [6, 9]
    racks = list_host_addresses(build_cluster(design_of(TOP_OF_RACK)))
    assert sorted({find_host_number(a[0]) for a in racks.values()}) == [2, 3, 4, 5]


def test_growth_within_the_reserve_moves_nothing(design_of) -> None:
    before = list_host_addresses(build_cluster(design_of(TWIN_PLANES)))
    after = list_host_addresses(build_cluster(design_of(TWIN_PLANES.replace("su: 2", "su: 3"))))
    assert len(after) > len(before)
    assert all(after[device] == addresses for device, addresses in before.items())


def test_extra_devices_count_from_the_end(design_of) -> None:
    gates = {d: a for d, a in list_host_addresses(build_cluster(design_of(DUAL_TOR))).items() if d.startswith("gate")}
    numbers = sorted(find_host_number(a) for addresses in gates.values() for a in addresses if a.version == 4)
    assert numbers == [253, 254]


def test_vlans_that_run_into_another_fabric_are_refused(design_of) -> None:
    text = TOP_OF_RACK.replace(
        "scalable_unit", "  inband: {protocol: ethernet, carried_by: compute, vlan: 103}\nscalable_unit"
    )
    with pytest.raises(InputError, match="inband has 103") as caught:
        build_cluster(design_of(text))
    assert caught.value.diagnostics[0].code == "FG114"

"""Tenants: what they name, their numbers, and where their VRFs, VLANs and gateways are."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fabricgen.blueprint.beside.lock import format_lock, parse_lock
from fabricgen.cluster import Cluster, build_cluster
from fabricgen.design.kept.release import find_holes, release_paths
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import InputError
from fabricgen.lint.rules.plan.addressing.fg752_no_default_route import NoDefaultRoute
from fabricgen.lint.rules.plan.tenants.fg821_tenants_meet import TenantsMeet, walk_vrfs
from fabricgen.views.switch import SwitchView
from tests.conftest import built_files, example_cluster, example_design

BLUE = "tenants.blue.nodes=[p1/su-1/node-1]"


def leaf(cluster: Cluster, name: str) -> SwitchView:
    return cluster.switch(list(cluster.names).index(name))


@pytest.mark.parametrize(
    ("sets", "code", "says"),
    [
        (("tenants.blue.nodes=[p1/su-9]",), "FG078", "p1 has 2 scalable units, there is no su-9"),
        (("tenants.blue.nodes=[p7]",), "FG078", "there is no pod 'p7'"),
        ((BLUE, "tenants.blue.fabrics=[storage]"), "FG078", "there is no fabric 'storage'"),
        (("tenants.blue.extra=[filer]",), "FG078", "there are no extra devices 'filer'"),
        ((BLUE, "routing.underlay=static"), "FG078", "static routes do not run in those"),
        ((BLUE, "omit=[p1/su-1/node-1]"), "FG078", "p1/su-1/node-1 is omitted"),
        ((BLUE, "tenants.green.nodes=[p1]"), "FG093", "p1 names 1 of the nodes that are blue's already"),
        (("tenants.mgmt.nodes=[p1]",), "FG093", "that of the switches, or reserved|the switches' own"),
        ((BLUE, "fabrics.compute.vlan=2000"), "FG114", "compute has VLAN 2000, which is that of compute in blue"),
        (
            (BLUE, "routing.overlay=evpn", "fabrics.compute.vlan=3400"),
            "FG114",
            "compute has VLAN 3400, which is that of the VNI of VRF blue",
        ),
    ],
)
def test_what_cannot_be_is_refused_where_it_stands(sets: tuple[str, ...], code: str, says: str) -> None:
    with pytest.raises(InputError, match=says) as refused:
        example_design("leaf-spine", *sets)
    assert {d.code for d in refused.value.diagnostics} == {code}
    assert all(d.span for d in refused.value.diagnostics)


def test_a_name_is_not_that_of_the_vrf_of_a_carried_fabric() -> None:
    with pytest.raises(InputError, match="there is one: that of fabric files"):
        example_design("host-vlans", "tenants.files.nodes=[p1/su-1/node-1]")


def test_fabrics_are_those_of_its_nodes_but_for_management_ports() -> None:
    design = example_design("full-cluster", "tenants.blue.nodes=[p1/su-1/node-1]")
    (blue,) = design.tenants
    assert blue.fabrics == ("compute", "storage", "inband")


def test_a_leaf_has_the_vrfs_of_its_ports_and_no_others() -> None:
    cluster = example_cluster("tenants", "tenants.green.nodes=[p1/su-2/node-3]")
    one, other = (leaf(cluster, f"compute-leaf-p1-su0{n}-01") for n in (1, 2))
    assert (one.vrfs, other.vrfs) == (("blue",), ("blue", "green"))
    spine = leaf(cluster, "compute-spine-01")
    assert {port.peer for port, _ in spine.links_in("green")} == {other.name}


def test_each_tenant_on_a_bridged_leaf_has_a_vlan_and_the_one_gateway() -> None:
    storage = leaf(example_cluster("tenants"), "storage-leaf-01")
    gateways = {(s.vrf, s.vlan): s.gateway for s in storage.services}
    assert len(gateways) == 3
    assert len(set(gateways.values())) == 1
    assert {(port.tenant, storage.list_vlans(port)[0]) for port in storage.ports if port.role == "host"} == {
        ({"": "", "blue": "blue", "green": "green"}[vrf], vlan) for vrf, vlan in gateways
    }


def test_each_subnet_of_a_rail_has_a_vlan_in_each_tenant() -> None:
    sets = ("fabrics.compute.hosts=rail-subnets", "fabrics.compute.tiers.leaf.per=su", BLUE)
    cluster = example_cluster("leaf-spine", *sets)
    (blue,) = cluster.design.tenants
    assert len(blue.vlans["compute"]) == 2
    found = leaf(cluster, "compute-leaf-p1-su01-01")
    mine = [port for port in found.ports if port.tenant == "blue"]
    assert {port.vlan for port in mine} == set(blue.vlans["compute"])
    assert {found.find_service(port).gateway for port in mine} == {s.gateway for s in found.services if not s.tenant}


def test_shared_ports_are_in_the_vlans_of_the_tenant_and_the_host_knows() -> None:
    cluster = example_cluster("host-vlans", BLUE)
    (blue,) = cluster.design.tenants
    found = leaf(cluster, "inband-leaf-01")
    port = next(port for port in found.ports if port.tenant == "blue")
    vlans = blue.vlans["inband"][0], tuple(sorted(blue.vlans[name][0] for name in ("files", "provision")))
    assert found.list_vlans(port) == vlans
    netplan = built_files(cluster, "hosts")["hosts/p1-su01-n001/60-fabric.yaml"].decode()
    assert all(f"id: {vlan}" in netplan for vlan in vlans[1])
    other = built_files(cluster, "hosts")["hosts/p1-su01-n002/60-fabric.yaml"].decode()
    assert "id: 200" in other


@pytest.mark.parametrize("name", ["bonded-pair", "host-vlans", "three-generations"])
def test_a_pair_of_switches_joins_what_each_tenant_has_on_both(name: str) -> None:
    slots = "[p1/su-1/node-1, p1/su-1/node-3]"
    cluster = example_cluster(name, f"tenants.blue.nodes={slots}", "tenants.green.nodes=[p1/su-1/node-2]")
    found = list(walk_vrfs(cluster.switches(), cluster.design))
    assert all(len(one.ports) < 2 for one in found)


def test_numbers_stay_with_tenants_whoever_comes_and_goes() -> None:
    first = example_cluster("tenants")
    lock = parse_lock(format_lock(first.lock).encode(), "tenants.lock.yaml")
    assert lock.find_allocations("tenants") == first.lock.find_allocations("tenants")
    assert {name: some[0].first for name, some in lock.find_allocations("tenants").items()} == {"blue": 1, "green": 2}
    assert lock.find_allocations("vlans")["storage in green"][0].first >= 2000


def test_what_a_tenant_had_is_kept_until_it_is_released() -> None:
    """Its number, VLANs and addresses of links: nobody else gets them."""
    cluster, plain = example_cluster("tenants"), example_cluster("tenants", "tenants={blue: {nodes: [p1/su-1/node-1]}}")
    gone = find_holes(cluster.lock, plain.holders, plain.design.layout, {})
    own = {kind: [name for k, name in gone if k == kind] for kind in ("tenants", "vlans", "ipv4")}
    assert (own["tenants"], own["vlans"]) == (["green"], ["compute in green", "storage in green"])
    assert all(name.endswith("in vrf green") for name in own["ipv4"])
    left = release_paths(cluster.lock, ["tenants/green"], gone)
    assert not any("green" in name for held in left.held.values() for name in held)


OF_CARRIED = """
fabricgen: 1
name: carried
scalable_unit: {nodes: 2 x dgx-b200}
pods: {p1: {su: 1}}
tenants:
  bolt: {nodes: [p1/su-1/node-1], fabrics: [inband, files], extra: [EXTRA]}
  box: {fabrics: [inband], extra: [array]}
fabrics:
  inband:
    protocol: ethernet
    speed: 200G
    tiers:
      leaf: {switch: sn4700, count: 2, spread: stripe}
      spine: {switch: sn4700, count: 2}
      border: {switch: sn4700, count: 2, below: spine}
    extra: {array: {device: storage-array, count: 2, to: border, attach: storage}}
  files:
    protocol: ethernet
    carried_by: inband
    host_ports: tagged
    speed: 200G
    extra:
      wan: {device: external-router, names: [br-1, br-2], attach: inband, ports: 1, to: border}
      nas: {device: storage-array, count: 2, to: border, attach: storage}
"""


@pytest.mark.parametrize(
    ("extra", "exits", "role"),
    [("wan", "    exits: {out: {to: wan, asn: 65101}}\n", "exit"), ("nas", "", "host")],
)
def test_devices_of_a_carried_fabric_are_in_their_tenants_vrf(
    design_of: Callable[..., Design], extra: str, exits: str, role: str
) -> None:
    """A border without nodes of the tenant has its VRF, and the tenant's devices meet nobody's."""
    cluster = build_cluster(design_of(OF_CARRIED.replace("EXTRA", extra) + exits))
    border = leaf(cluster, "inband-border-01")
    port = next(port for port in border.ports if port.role == role and port.tenant == "bolt")
    service = border.find_service(port)
    assert service is not None
    assert (service.fabric, service.vrf) == ("files", "bolt")
    assert all("bolt" in {sub.vrf for sub in up.subinterfaces} for up in border.ports if up.role == "up")
    assert not list(TenantsMeet().check(cluster))


BRIDGED_LEAK = """
fabricgen: 1
name: leaking
scalable_unit: {nodes: 4 x dgx-b200}
pods: {p1: {su: 2}}
tenants: {blue: {nodes: [p1/su-1]}, green: {nodes: [NODES]}}
leaks: {both: {between: [blue, green]}}
fabrics:
  storage:
    protocol: ethernet
    speed: 200G
    tiers:
      leaf: {switch: sn4700, per: su, count: 2, spread: stripe}
      spine: {switch: sn4700, count: 2}
"""


def test_vrfs_leak_where_no_leaf_has_hosts_of_both(design_of: Callable[..., Design]) -> None:
    build_cluster(design_of(BRIDGED_LEAK.replace("NODES", "p1/su-2")))


def test_a_leaf_with_hosts_of_both_vrfs_of_a_leak_is_named(design_of: Callable[..., Design]) -> None:
    text = BRIDGED_LEAK.replace("blue: {nodes: [p1/su-1]}", "blue: {nodes: [p1/su-1/node-1]}")
    with pytest.raises(InputError) as refused:
        build_cluster(design_of(text.replace("NODES", "p1/su-1/node-3, p1/su-2")))
    (found,) = refused.value.diagnostics
    assert (found.code, found.path) == ("FG098", ("leaks", "both"))
    assert found.message == (
        "storage-leaf-p1-su01-01 and 1 more leaves have hosts of blue and of green in the one subnet of a leaf of "
        "storage: it would be on both sides"
    )
    build_cluster(design_of(text.replace("NODES", "p1/su-2").replace("between:", "fabrics: [storage], between:")))


BORDER = """
fabricgen: 1
name: border
scalable_unit: {nodes: 2 x dgx-b200}
pods: {p1: {su: 1}}
tenants:
  blue: {nodes: [p1/su-1/node-1], extra: [fw-blue]}
  green: {nodes: [p1/su-1/node-2], extra: [fw-green]}
fabrics:
  inband:
    protocol: ethernet
    speed: 200G
    tiers:
      leaf: {switch: sn4700, count: 2, spread: stripe}
      spine: {switch: sn4700, count: 2}
    extra:
      fw-blue: {device: firewall, names: [fw-1, fw-2], ports: 1, to: spine}
      fw-green: {device: firewall, names: [fw-1, fw-2], PORTS to: spine}
    exits:
      blue: {to: fw-blue, asn: 65001}
      green: {to: fw-green, asn: 65001}
"""


def test_one_border_device_serves_two_tenants(design_of: Callable[..., Design]) -> None:
    """Each tenant has a port of its own of each device, in its VRF; the device is one in racks, names and bills."""
    cluster = build_cluster(design_of(BORDER.replace("PORTS", "ports: 1,")))
    names = list(cluster.names)
    assert [name for name in names if name.startswith("fw")] == ["fw-1", "fw-2"]
    ends = []
    for row in cluster.switch_rows():
        switch = cluster.switch(row)
        for port in switch.ports:
            service = switch.find_service(port) if port.role == "exit" else None
            if service is not None:
                ends.append((port.peer, port.peer_port, port.tenant, service.vrf))
    assert sorted(ends) == [
        ("fw-1", "port1", "blue", "blue"),
        ("fw-1", "port2", "green", "green"),
        ("fw-2", "port1", "blue", "blue"),
        ("fw-2", "port2", "green", "green"),
    ]
    assert not list(TenantsMeet().check(cluster))
    assert not list(NoDefaultRoute().check(cluster)), "each tenant's hosts have the exit of their VRF"
    files = built_files(cluster, "devices", "bom")
    assert files["devices.csv"].decode().count("\nfw-") == 2
    assert "\nfirewall,Generic firewall,node,2," in files["bom.csv"].decode()


def test_sets_of_one_device_do_not_take_more_ports_than_it_has(design_of: Callable[..., Design]) -> None:
    with pytest.raises(InputError) as refused:
        design_of(BORDER.replace("ports: 1", "ports: 2").replace("PORTS", ""))
    (found,) = refused.value.diagnostics
    assert (found.code, found.path) == ("FG014", ("fabrics", "inband", "extra", "fw-green"))
    assert found.message == "all 2 'inband' ports of fw-1 are those of its other extra sets"

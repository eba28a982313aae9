"""The part `hosts` says of every port what the listings say, and routes what a NIC sends by that NIC."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from ipaddress import ip_interface
from pathlib import Path
from typing import Any

import pytest
from netplans import Row, ethernets, files, files_of, listed_addresses, plans, rows, said_addresses
from ruamel.yaml import YAML

from fabricgen.cluster import Cluster, build_cluster
from fabricgen.design.fabric_model import Attachment
from fabricgen.design.model import Design
from fabricgen.export.files import addresses, hosts, links
from fabricgen.export.table import ExportContext
from fabricgen.kernel.diagnostics import InputError
from fabricgen.views.mtu import find_largest_mtu
from tests.conftest import EXAMPLES, example_cluster

RAILS = ("fabrics.compute.hosts=rail-subnets",)
CASES = [
    *((name, ()) for name in EXAMPLES),
    ("leaf-spine", ("fabrics.compute.hosts=bridged",)),
    ("leaf-spine", ("ip=v6",)),
    ("leaf-spine", (*RAILS, "ip=dual")),
    ("leaf-spine", ("fabrics.compute.hosts=none",)),
    ("leaf-spine", ("routing.underlay=none",)),
    ("collapsed-pair", RAILS),
    ("multi-plane", (*RAILS, "fabrics.compute.address_per=port", "fabrics.compute.routing.underlay=static")),
]


def case_id(case: tuple[str, tuple[str, ...]]) -> str:
    return " ".join((case[0], *case[1]))


@pytest.fixture(params=CASES, ids=case_id, scope="module")
def case(request: pytest.FixtureRequest) -> tuple[Cluster, dict[str, dict[str, Any]]]:
    name, sets = request.param
    return example_cluster(name, *sets), plans(files_of(name, *sets))


def host_links(cluster: Cluster) -> Iterator[tuple[Row, str]]:
    """Links of nodes with the interface at their lower end."""
    return ((row, row.a_port.replace("/", "-")) for row in rows(links.make_table(cluster)))


@pytest.mark.tenth
@pytest.mark.parametrize("case", CASES, ids=case_id)
def test_addresses_are_those_of_the_listing(case: tuple[str, tuple[str, ...]]) -> None:
    """Of every node: each address that is listed is on its interface, once, and none that is not."""
    said = said_addresses(files_of(case[0], *case[1]))
    listed = listed_addresses(example_cluster(case[0], *case[1]))
    assert said[:3] == listed[:3]
    assert (said == listed) is True
    assert len({address for _, _, address in said}) == len(said)


@pytest.mark.tenth
def test_gateways_are_on_the_leaf_and_near(case: tuple[Cluster, dict[str, dict[str, Any]]]) -> None:
    cluster, written = case
    on_switch: dict[str, set[str]] = {}
    for row in rows(addresses.make_table(cluster)):
        on_switch.setdefault(row.device, set()).add(row.prefix.partition("/")[0])
    for row, name in host_links(cluster):
        port = written.get(row.a_device, {}).get(name)
        if port is None:
            continue
        near = [ip_interface(address).network for address in port.get("addresses", [])]
        gateways = {route["via"] for route in port.get("routes", []) if "via" in route}
        assert len(gateways) == len(near)
        assert gateways <= on_switch.get(row.b_device, set())
        assert all(any(ip_interface(gateway).ip in network for network in near) for gateway in gateways)


@pytest.mark.tenth
def test_each_port_routes_what_it_sends(case: tuple[Cluster, dict[str, dict[str, Any]]]) -> None:
    """A rule for each own address leads to a table of the port's own, whose default is its gateway."""
    _, written = case
    for ports in written.values():
        tables: Counter[int] = Counter()
        for port in ports.values():
            own = sorted(address.partition("/")[0] for address in port.get("addresses", []))
            routes = port.get("routes", [])
            is_main = any(route["to"] == "default" and "table" not in route for route in routes)
            if is_main and "routing-policy" not in port:
                assert not any("table" in route for route in routes)
                continue
            assert sorted(rule["from"] for rule in port.get("routing-policy", [])) == own
            used = {rule["table"] for rule in port.get("routing-policy", [])}
            assert len(used) == (1 if own else 0)
            tables.update(used)
            defaults = [route for route in routes if route["to"] == "default" and "table" in route]
            assert {route["table"] for route in defaults} == used
            assert len(defaults) == len(own)
            bridged = {str(n) for a in port.get("addresses", []) if (n := ip_interface(a).network).num_addresses > 2}
            assert {r["to"] for r in routes if r.get("scope") == "link" and r["table"] in used} == bridged
        assert not tables or max(tables.values()) == 1


@pytest.mark.tenth
def test_one_fabric_has_the_default_route(case: tuple[Cluster, dict[str, dict[str, Any]]]) -> None:
    cluster, written = case
    roles = {
        (segment.fabric, segment.a.profile.id): segment.a.role
        for segment in cluster.plan.links.segments
        if isinstance(segment.a, Attachment)
    }
    models = {
        cluster.names[row]: c.profile.id
        for c in cluster.plan.devices.classes
        for row in range(c.first, c.first + c.count)
    }
    with_exits = {name for name, fabric in cluster.design.loaded.blueprint.fabrics.items() if fabric.exits}
    found: dict[str, set[str]] = {}
    for row, name in host_links(cluster):
        port = written.get(row.a_device, {}).get(name, {})
        if any(route["to"] == "default" and "table" not in route for route in port.get("routes", [])):
            found.setdefault(row.a_device, set()).add(roles[row.fabric, models[row.a_device]])
    assert all(len(roles) == 1 for roles in found.values())
    assert with_exits or all(roles in ({"inband"}, {"frontend"}) for roles in found.values())
    for ports in written.values():
        waited = [name for name, port in ports.items() if not port["optional"]]
        mains = [
            route["metric"]
            for port in ports.values()
            for route in port.get("routes", [])
            if route["to"] == "default" and "table" not in route and ":" not in route["via"]
        ]
        assert len(waited) <= 1
        assert len(set(mains)) == len(mains)


@pytest.mark.tenth
def test_frames_fit_the_switches(case: tuple[Cluster, dict[str, dict[str, Any]]]) -> None:
    cluster, written = case
    lossless = {fabric.name for fabric in cluster.design.fabrics if fabric.protocol == "roce"}
    switches = [c for c in cluster.plan.devices.classes if c.nos not in ("", "opensm")]
    least = min((find_largest_mtu(cluster.design.catalog, c) for c in switches), default=0)
    for row, name in host_links(cluster):
        port = written.get(row.a_device, {}).get(name)
        if port is not None:
            assert port["mtu"] in ((9000,) if row.fabric in lossless else (1500, 9000))
            assert port["mtu"] < least


def test_frames_fit_a_port_whose_mtu_is_stated() -> None:
    stated = "config_of={compute-leaf-p1-su01-r1-01: {ports: {Ethernet0: {mtu: 4000}, Ethernet4: {mtu: 9100}}}}"
    usual, written = plans(files_of("leaf-spine")), plans(files_of("leaf-spine", stated))
    changed = {(node, name) for node, ports in usual.items() for name in ports if ports[name] != written[node][name]}
    assert changed == {("p1-su01-n001", "eth1")}
    assert written["p1-su01-n001"]["eth1"] == usual["p1-su01-n001"]["eth1"] | {"mtu": 4000}


def test_infiniband_bmcs_and_foreign_devices_are_left_out() -> None:
    written = plans(files_of("full-cluster"))
    assert "p1-su01-n001" in written
    assert not {"oob", "compute"} & {name for ports in written.values() for name in ports}
    assert all(
        name in ("left-BF3-P1", "right-BF3-P1", "left-BF3-P2", "right-BF3-P2") for name in written["p1-su01-n001"]
    )
    assert plans(files_of("superpod-b200-3tier")) == {}
    external = [name for name in example_cluster("full-cluster").names if name.startswith("isp")]
    assert not set(external) & written.keys()


def test_kernel_settings_are_those_of_ports_with_ipv4() -> None:
    written = files_of("leaf-spine")
    assert written["hosts/p1-su01-n001/90-fabric.conf"].splitlines()[1:] == [
        f"net/ipv4/conf/{port}/{key}"
        for port in ("eth1", "eth2")
        for key in ("arp_ignore = 1", "arp_announce = 2", "rp_filter = 2")
    ]
    assert not [path for path in files_of("leaf-spine", "ip=v6") if path.endswith(".conf")]


def test_routes_to_a_fabric_hold_its_nodes_and_no_others() -> None:
    """Pools are shared here: the blocks of each fabric are told apart."""
    cluster = example_cluster("full-cluster")
    written = plans(files_of("full-cluster"))
    own: dict[str, set[Any]] = {}
    for row, name in host_links(cluster):
        for address in written.get(row.a_device, {}).get(name, {}).get("addresses", []):
            own.setdefault(row.fabric, set()).add(ip_interface(address).ip)
    routes = written["p1-su01-n001"]["left-BF3-P1"]["routes"]
    networks = [ip_interface(route["to"]).network for route in routes if "metric" in route]
    assert all(any(address in network for network in networks) for address in own["storage"])
    assert not any(address in network for network in networks for address in own["inband"])


def test_routes_stay_as_they_are_where_a_fabric_has_its_pool_to_itself() -> None:
    few = plans(files_of("leaf-spine"))["p1-su01-n001"]
    many = plans(files_of("leaf-spine", "pods.p1.su=4"))["p1-su01-n001"]
    assert few == many
    assert few["eth1"]["routes"][0] == {"to": "10.128.0.0/9", "via": "10.128.0.0", "metric": 1001}


def test_tables_are_numbered_by_fabric_and_port() -> None:
    """The number of a table is that of its fabric, which the lock keeps, and of the port."""
    tables = {
        name: port["routing-policy"][0]["table"] for name, port in plans(files_of("leaf-spine"))["p1-su01-n001"].items()
    }
    assert tables == {"eth1": 100001, "eth2": 100002}
    extra = "fabrics.storage={protocol: ethernet, attach: bmc, tiers: {leaf: {switch: sn2201, per: su}}}"
    assert plans(files_of("leaf-spine", extra))["p1-su01-n001"]["eth2"]["routing-policy"][0]["table"] == 100002


def test_interfaces_are_called_as_the_blueprint_says() -> None:
    sets = ("names.interfaces={generic-server: {eth1: enp24s0np0, eth2: enp64s0.x}}",)
    written = files_of("leaf-spine", *sets)
    assert set(ethernets(written["hosts/p1-su01-n001/60-fabric.yaml"])) == {"enp24s0np0", "enp64s0.x"}

    def renamed(text: str) -> str:
        for port, name in (("eth1", "enp24s0np0"), ("eth2", "enp64s0.x")):
            for place in ('"{}"', "conf/{}/", "named {} "):
                text = text.replace(place.format(port), place.format(name))
        return text

    assert written == {path: renamed(text) for path, text in files_of("leaf-spine").items()}


@pytest.mark.slow
def test_ports_of_a_split_nic_have_names() -> None:
    ports = plans(files_of("multi-plane"))["p1-su01-n001"]
    assert all("/" not in name for name in ports)
    label = next(name for name in ports if name.endswith("-2"))
    stated = label[:-2] + "/2"
    profile = example_cluster("multi-plane").design.layout.node_sets[0].profile.id
    named = plans(files_of("multi-plane", f"names.interfaces={{{profile}: {{{stated}: mp1}}}}"))["p1-su01-n001"]
    assert named["mp1"] == ports[label]


def test_ports_cabled_twice_are_a_fault(tmp_path: Path, design_of: Callable[..., Design]) -> None:
    text = """
fabricgen: 1
name: twice
scalable_unit: {nodes: 2 x generic-server}
fabrics:
  compute: {protocol: roce, tiers: {leaf: {switch: sn4700, per: su}}}
  second: {protocol: roce, attach: compute, tiers: {leaf: {switch: sn4700, per: su}}}
"""
    with pytest.raises(
        InputError, match=r"FG041.*ports eth1 \(compute\) and eth1 \(second\) of generic-server are both"
    ):
        files(build_cluster(design_of(text)))


def test_names_that_linux_does_not_take_are_a_fault(tmp_path: Path, design_of: Callable[..., Design]) -> None:
    from fabricgen.catalog import loader

    source = Path(loader.__file__).parent / "data" / "nodes" / "generic-server.yaml"
    (tmp_path / "catalog" / "nodes").mkdir(parents=True)
    own = tmp_path / "catalog" / "nodes" / "long-server.yaml"
    shutil.copy(source, own)
    own.write_text(
        own.read_text().replace("id: generic-server", "id: long-server").replace("name: eth1", "name: a-very-long-port")
    )
    text = """
fabricgen: 1
name: long
scalable_unit: {nodes: 2 x long-server}
fabrics:
  compute: {protocol: roce, tiers: {leaf: {switch: sn4700, per: su}}}
"""
    with pytest.raises(
        InputError, match=r"blueprint.yaml:6:\d+: .*port a-very-long-port of long-server cannot be interface"
    ):
        files(build_cluster(design_of(text)))
    named = design_of(text, ("names.interfaces={long-server: {a-very-long-port: eth7}}",))
    assert set(plans(files(build_cluster(named)))["p1-su01-n001"]) == {"eth7", "eth2"}


@pytest.mark.slow
def test_files_come_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """In pieces of whole nodes, whatever their size, the files are the same."""
    cluster = example_cluster("full-cluster")
    whole = list(hosts.files(cluster, ExportContext()))
    monkeypatch.setattr(hosts, "BATCH_NODES", 3)
    assert list(hosts.files(cluster, ExportContext())) == whole
    assert len({path for path, _ in whole}) == len(whole)


def test_yaml_is_the_same_to_strict_readers() -> None:
    """No key is there twice, and words such as `on` are text."""
    for path, text in files_of("leaf-spine", "names.interfaces={generic-server: {eth1: 'on', eth2: 'null'}}").items():
        if path.endswith(".yaml"):
            assert list(YAML().load(text)["network"]["ethernets"]) == ["on", "null"]

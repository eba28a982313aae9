"""The view of the API holds what the files of a build hold, and its paths are those of the wired graph."""

from __future__ import annotations

import csv
import re
import subprocess
import sys
from io import StringIO
from ipaddress import ip_address, ip_interface, ip_network
from itertools import pairwise

import networkx
import numpy as np
import pytest

from fabricgen import api
from fabricgen.export.graph import make_graph
from fabricgen.plugins.columns import Columns
from fabricgen.plugins.view import ClusterView
from tests.conftest import BLUEPRINTS, built_files, example_cluster

PAGE = BLUEPRINTS.parent / "docs" / "api.md"
RENAMED = {
    "devices": {"name": "device"},
    "links": {"name": "link"},
    "addresses": {},
    "endpoints": {},
    "cables": {"name": "cable"},
    "ends": {},
    "racks": {"name": "rack"},
}
OWN = {
    "devices": {"kind", "aisle", "serial", "bmc_mac", "power_supplies", "torus"},
    "links": {"a", "a_interface", "a_nic", "b", "cable", "length_m", "lane_gbps", "protocol"}
    | {f"{end}_{name}" for end in "ab" for name in ("cage", "form", "management", "bond")},
    "cables": {"run_m", "links", "fibre"},
    "addresses": {"vrf"},
}
"""Columns of the view that no file of the same name has, or that are numbers of rows there."""


NUMBERS = ("speed_gbps", "length_m", "accelerator", "row", "column", "x_m", "y_m", "weight_kg", "power_w")
"""Columns that files spell otherwise, or whose numbers may be below 0."""


def text_of(value: object) -> str:
    """A cell as a file has it: nothing for the number that says so."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return "" if value in (0, -1) or np.isnan(value) else str(value)
    return str(value)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["full-cluster", "host-vlans", "spare-nodes"])
def test_columns_are_those_of_the_files(name: str) -> None:
    cluster = example_cluster(name)
    view, files = ClusterView(cluster), built_files(cluster, *RENAMED.keys() - {"ends"})
    for table, renamed in RENAMED.items():
        file = "cables.csv" if table == "ends" else f"{table}.csv"
        rows = list(csv.DictReader(StringIO(files[file].decode())))
        if table == "cables":  # a row a far end there
            rows = list({row["cable"]: row for row in rows}.values())
        seen: Columns = getattr(view, table)
        assert len(seen) == len(rows)
        for column in set(seen.names()) - OWN.get(table, set()):
            told = [row.get(renamed.get(column, column), "no") for row in rows]
            own = [text_of(value) for value in seen[column].tolist()]
            if column in NUMBERS:
                told, own = [float(text or 0) for text in told], np.nan_to_num(seen[column]).tolist()
            assert own == told, (table, column)


def test_rows_lead_to_rows_and_to_the_blueprint() -> None:
    view = ClusterView(example_cluster("full-cluster"))
    devices, links, cables = view.devices, view.links, view.cables
    assert (devices.name[links.a] == links.a_device).all()
    assert (devices.name[links.b] == links.b_device).all()
    carried = links.cable >= 0
    assert (np.bincount(links.cable[carried], minlength=len(cables)) == cables.links).all()
    assert (links.length_m[carried] == cables.length_m[links.cable[carried]]).all()
    assert np.isnan(links.length_m[~carried]).all()
    assert not carried.all()
    leaf = int(np.flatnonzero((devices.fabric == "storage") & (devices.tier == "leaf"))[0])
    assert devices.path_of(leaf) == ("fabrics", "storage", "tiers", "leaf")
    assert links.path_of(int(np.flatnonzero(links.fabric == "storage")[0]))[:2] == ("fabrics", "storage")


def test_groups_are_the_nodes_of_the_same_switches() -> None:
    """Logical leaves by the leaves of endpoints, and what lies in what by the chain of rows."""
    view = ClusterView(example_cluster("superpod-b200-3tier"))
    groups, places, endpoints = view.groups, view.places, view.endpoints
    assert (view.devices.name[places.device] == places.node).all()
    assert (view.devices.kind[places.device] == "node").all()
    compute = endpoints.fabric == "compute"
    leaves = {
        node: frozenset(endpoints.leaf[compute & (endpoints.node == node)].tolist()) for node in places.node.tolist()
    }
    by_group: dict[int, set[frozenset[str]]] = {}
    for group, node in zip(places.group.tolist(), places.node.tolist(), strict=True):
        by_group.setdefault(group, set()).add(leaves[node])
    assert all(len(of_group) == 1 for of_group in by_group.values())
    assert len(set.union(*by_group.values())) == len(by_group) == int((groups.level == 0).sum())
    inside = np.flatnonzero(groups.above >= 0)
    assert (groups.level[groups.above[inside]] == groups.level[inside] + 1).all()
    assert set(groups.level[groups.above < 0].tolist()) == {groups.level.max()}
    assert len(set(groups.name.tolist())) == len(groups)


@pytest.mark.parametrize("name", ["bonded-pair", "full-cluster"])
def test_links_and_addresses_say_more_than_their_files(name: str) -> None:
    view = ClusterView(example_cluster(name))
    links, ends = view.links, view.ends
    sockets = set(zip(ends.a_device, ends.a_cage, ends.b_device, ends.b_cage, strict=True))
    cabled = links.cable >= 0
    columns = (links[column][cabled] for column in ("a_device", "a_cage", "b_device", "b_cage"))
    assert set(zip(*columns, strict=True)) == sockets
    managed = set(view.addresses.device[view.addresses.kind == "management"])
    at_management = links.a_device[links.a_management]
    assert len(at_management) > 0
    assert set(at_management) <= managed
    assert not (links.a_bond != "").any() or name == "bonded-pair"
    is_host = (links.a_bond != "") & (view.devices.kind[links.a] != "switch")
    bonds = set(zip(links.a_device[is_host], links.a_bond[is_host], strict=True))
    named = set(zip(view.addresses.device, view.addresses.port, strict=True))
    assert bonds <= named
    assert set(links.protocol) - {""} <= {"infiniband", "ethernet", "roce"}
    assert (links.lane_gbps <= links.speed_gbps).all()


def test_models_places_and_pools_are_those_of_the_plan() -> None:
    view = ClusterView(example_cluster("full-cluster"))
    models, racks = view.models, view.racks
    by_kind = {kind: set(models.model[models.kind == kind]) for kind in set(models.kind)}
    assert by_kind["node"] | by_kind["switch"] == set(view.devices.model)
    assert by_kind["rack"] == set(racks.kind)
    assert by_kind["transceiver"] >= (set(view.ends.a_transceiver) | set(view.ends.b_transceiver)) - {""}
    assert set(zip(racks.site, racks.hall, strict=True)) <= set(zip(view.halls.site, view.halls.name, strict=True))
    assert set(view.halls.site) <= set(view.sites)
    assert set(view.devices.rack) <= set(racks.name)
    assert set(view.devices.aisle) <= {"hot", "cold", ""}
    assert view.platforms.keys() == {*view.devices.nos} - {""}
    assert set(view.colors) >= set(view.fabrics)
    assert all(re.fullmatch("#[0-9A-F]{6}", color) for color in view.colors.values())
    pools = [ip_network(prefix) for prefix in view.pools.prefix]
    loopbacks = view.addresses.prefix[view.addresses.kind == "loopback"]
    assert all(any(ip_interface(text).ip in pool for pool in pools) for text in loopbacks)
    tenants = ClusterView(example_cluster("tenants"))
    own = [(vlan["fabric"], vlan["tenant"]) for vlan in tenants.vlans.rows() if vlan["tenant"]]
    assert own == [(fabric, t.name) for t in example_cluster("tenants").design.tenants for fabric in t.vlans]
    text = api.write_csv({"a": ['x,"y"', "z"], "b": [1.50, 2.0]}).decode()
    assert text == 'a,b\n"x,""y""",1.5\nz,2\n'


def test_clients_are_at_the_ports_and_addresses_of_the_plan() -> None:
    """Their subnets hold their addresses, and their ports are the far ends of their links."""
    view = ClusterView(example_cluster("full-cluster"))
    devices, links, subnets, clients = view.devices, view.links, view.subnets, view.clients
    assert len(clients) > len(subnets) > 0
    planned = set(zip(view.addresses.device, (text.partition("/")[0] for text in view.addresses.prefix), strict=True))
    ends = set(zip(links.a_device, map(":".join, zip(links.b_device, links.b_port, strict=True)), strict=True))
    for client in clients.rows():
        device, prefix = devices.name[client["device"]], subnets.prefix[client["subnet"]]
        assert (device, client["address"]) in planned
        assert ip_address(client["address"]) in ip_network(prefix)
        assert {(device, port) for port in client["ports"].split()} <= ends
        assert client["name"].removesuffix("-bmc") == device
        assert client["bmc"] or client["name"] == device
    assert set(next(clients.rows())) == set(clients.names())


def test_where_no_fabric_joins_nodes_there_are_no_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fabricgen.export.locality.list_networks", lambda cluster, **_: iter(()))
    view = ClusterView(example_cluster("leaf-spine"))
    for table in ("groups", "places"):
        with pytest.raises(api.InputError, match=r"leaf-spine.yaml:\d+:.*FG155.*nothing to tell a scheduler"):
            getattr(view, table)


def test_nothing_of_the_view_can_be_changed() -> None:
    view = ClusterView(example_cluster("leaf-spine"))
    for table in (
        view.devices,
        view.links,
        view.cables,
        view.addresses,
        view.endpoints,
        view.groups,
        view.places,
        view.subnets,
        view.clients,
    ):
        for name in table:
            with pytest.raises(ValueError, match="read-only"):
                table[name][:] = 0
    with pytest.raises(KeyError):
        view.devices["_cluster"]
    frame = view.links.to_pandas()
    frame["rail"] = 7
    assert set(view.links.rail.tolist()) == {1, 2}
    assert list(frame.columns) == list(view.links.names())


def fabric_graph(view: ClusterView, fabric: str) -> networkx.MultiGraph:
    """The links of a fabric."""
    rows = np.flatnonzero(view.links.fabric == fabric)
    return make_graph(view._cluster, rows)


@pytest.mark.parametrize(
    ("name", "fabric"), [("leaf-spine", "compute"), ("four-tier", "compute"), ("uneven-spread", "compute")]
)
def test_paths_are_the_shortest_of_the_graph(name: str, fabric: str) -> None:
    view = ClusterView(example_cluster(name))
    nodes = view.devices.name[view.devices.kind == "node"].tolist()
    a, b = nodes[0], nodes[-1]
    graph = fabric_graph(view, fabric)
    graph.remove_nodes_from(set(nodes) - {a, b})
    lines = list(networkx.all_shortest_paths(networkx.Graph(graph), a, b))
    ways = [np.prod([graph.number_of_edges(*pair) for pair in pairwise(line)]) for line in lines]
    assert view.path_count(a, b, fabric=fabric) == sum(ways)
    found = view.paths(a, b, fabric=fabric, most=10**6)
    assert len(set(found)) == len(found) == sum(ways)
    assert {path.devices for path in found} == {tuple(line) for line in lines}
    assert [path.links for path in found] == sorted(path.links for path in found)
    assert view.distances(b, fabric=fabric)[view.devices.name == a].tolist() == [len(lines[0]) - 1]
    for path in found[:: max(1, len(found) // 50)]:
        for link, pair in zip(path.links, pairwise(path.devices), strict=True):
            assert {view.links.a_device[link], view.links.b_device[link]} == set(pair)
        assert path.gbps == view.links.speed_gbps[list(path.links)].min()


def test_a_port_is_an_end_and_the_way_round_is_found_where_rails_meet() -> None:
    view = ClusterView(example_cluster("superpod-b300"))
    links = view.links
    a, b = view.devices.name[view.devices.kind == "node"][[0, 1]]
    own = links.name[(links.a_device == a) & (links.fabric == "compute")].tolist()
    assert sum(view.path_count(port, b, fabric="compute") for port in own) == len(own)
    first, second = own[0], own[2].replace(a, b)  # the same plane, another rail: through a spine
    (path, *_) = found = view.paths(first, second, fabric="compute")
    assert [view.devices.tier[view.devices.name == name][0] for name in path.devices] == [
        "node",
        "leaf",
        "spine",
        "leaf",
        "node",
    ]
    assert len(found) == view.path_count(first, second, fabric="compute") > 1
    assert {links.name[path.links[0]] for path in found} == {first}
    assert {links.name[path.links[-1]] for path in found} == {second}


def test_rails_without_spines_do_not_meet_and_guests_have_the_switches_of_their_carrier() -> None:
    view = ClusterView(example_cluster("full-cluster"))
    nodes = view.devices.name[view.devices.kind == "node"]
    assert [view.path_count(nodes[0], nodes[-1], fabric=fabric) for fabric in view.fabrics] == [0, 0, 0, 2]
    assert view.distances(nodes[0], fabric="compute")[view.devices.name == nodes[-1]] == -1
    shared = ClusterView(example_cluster("host-vlans"))  # VLANs on the ports of inband
    a, b = shared.devices.name[shared.devices.kind == "node"][[0, -1]]
    assert {shared.paths(a, b, fabric=fabric) for fabric in shared.fabrics} == {shared.paths(a, b, fabric="inband")}
    sites = ClusterView(example_cluster("two-site"))  # compute at each, and borders above the spines of both
    a, b = sites.devices.name[sites.devices.kind == "node"][[0, -1]]
    (path,) = sites.paths(a, b, fabric="compute", most=1)
    tiers = dict(zip(sites.devices.name.tolist(), sites.devices.tier.tolist(), strict=True))
    assert [tiers[name] for name in path.devices[1:5]] == ["leaf", "spine", "border", "border"]
    carried = ClusterView(example_cluster("mixed-speeds"))  # inband has ports of its own, and the spines of compute
    a, b = carried.devices.name[carried.devices.kind == "node"][[0, -1]]
    ways = [[carried.links.fabric[link] for link in path.links] for path in carried.paths(a, b, fabric="inband")]
    assert len(ways) == 400
    assert all({way[0], way[-1]} == {"inband"} for way in ways)


def test_what_there_is_not_is_said() -> None:
    view = ClusterView(example_cluster("leaf-spine"))
    for ends, fabric, said in (
        (("p1-su01-n001", "p1-su01-n002"), "computr", "there is no fabric 'computr'. did you mean 'compute'?"),
        (("p1-su01-n01", "p1-su01-n002"), "compute", "there is no device 'p1-su01-n01'. did you mean"),
        (("p1-su01-n001:eth9", "p1-su01-n002"), "compute", "has no port 'eth9' with a link in compute"),
        (("p1-su01-n001", "p1-su01-n001:eth1"), "compute", "are one device"),
    ):
        with pytest.raises(ValueError, match=re.escape(said)):
            view.paths(*ends, fabric=fabric)


def test_a_blueprint_is_compiled_as_by_a_build(tmp_path) -> None:
    view = api.compile_blueprint(BLUEPRINTS / "leaf-spine.yaml", ["pods.p1.su=3"])
    assert (view.name, view.fabrics, view.devices.su.max()) == ("leaf-spine", ("compute",), 3)
    with pytest.raises(api.InputError) as refused:
        api.compile_blueprint(BLUEPRINTS / "leaf-spine.yaml", ["pods.p1.su=none"])
    assert refused.value.diagnostics[0].span
    first, whole = (api.compile_blueprint(BLUEPRINTS / "phased-planes.yaml", phase=name) for name in ("now", None))
    assert set(first.devices.name) < set(whole.devices.name)
    assert (first.devices.name[first.links.a] == first.links.a_device).all()
    assert api.ClusterView is ClusterView
    assert re.fullmatch(r"\d+\.\d+", api.API_VERSION)


@pytest.mark.slow
def test_the_notebook_of_the_manual_prints_what_it_says() -> None:
    cells = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(cells) >= 4
    program = "print(chr(12), end='')\n".join(code for code, _ in cells)
    done = subprocess.run(
        [sys.executable, "-c", program], check=False, cwd=PAGE.parents[1], capture_output=True, text=True
    )
    assert (done.stderr, done.stdout.split("\f")) == ("", [printed for _, printed in cells])


def test_the_manual_names_every_column() -> None:
    text = PAGE.read_text(encoding="utf-8")
    tables = [table for name in api.__all__ if isinstance(table := getattr(api, name), type) and table is not Columns]
    tables = [table for table in tables if issubclass(table, Columns)]
    assert len(tables) >= 9
    for table in tables:
        heading = f"| `{table.__name__.lower()}` |"
        rows = text.partition(heading)[2].partition("\n")[2].partition("\n\n")[0]
        named = re.findall(r"`([a-z_]+)`", "".join(line.split("|")[1] for line in rows.splitlines()))
        assert named == list(table.names())

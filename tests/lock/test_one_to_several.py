"""The step from one to several, under a lock, of everything that is numbered or named only where there are several:
what was alone keeps its name, rack, ports and numbers.
"""

from __future__ import annotations

import csv
from copy import deepcopy
from typing import Any

import pytest
import yaml

from tests.conftest import built_files
from tests.properties.compiling import compiled
from tests.properties.halls import Tree
from tests.properties.test_history_laws import lock_of

BASE: Tree = yaml.safe_load("""
fabricgen: 1
name: base
scalable_unit: {nodes: 3 x dgx-b200, racks: {nodes_per_rack: 3, devices: {shelf: 1 x power-shelf}}}
spare_nodes: {per: su, count: 1}
pods: {hall: {su: 1}}
fabrics:
  compute:
    protocol: roce
    tiers:
      leaf: {switch: sn5600, per: su}
      spine: {switch: sn5600, count: 4}
  inband:
    protocol: ethernet
    tiers:
      leaf: {switch: sn5600, count: 2, spread: stripe, uplinks: 8}
      spine: {switch: sn5600, count: 2}
      border: {switch: sn4700, count: 1, below: spine}
    extra:
      array: {device: storage-array, to: leaf, attach: storage, ports: 1}
      wan: {device: external-router, ports: 1, to: border, speed: 100G}
    exits: {out: {to: wan, asn: 65101}}
  oob:
    protocol: ethernet
    attach: bmc
    also: switches
    tiers: {leaf: {switch: sn2201, per: su}}
""")
ROUTER = {"device": "external-router", "ports": 1, "to": "border", "speed": "100G"}
STEPS: dict[str, dict[str, Any]] = {
    "an extra device": {"fabrics.inband.extra.array.count": 2},
    "a router": {"fabrics.inband.extra.wan.count": 2},
    "a port of an extra device": {"fabrics.inband.extra.array.ports": 2},
    "an exit": {"fabrics.inband.extra.gate": ROUTER, "fabrics.inband.exits.more": {"to": "gate", "asn": 65102}},
    "a border": {"fabrics.inband.tiers.border.count": 2},
    "a pod like the first": {"pods.hall.count": 2},
    "a site": {"pods.far": {"su": 1, "site": "east"}},
    "a spare node": {"spare_nodes.count": 2},
    "a kind beside the shelf whose name comes first": {"scalable_unit.racks.devices.a-cdu": "1 x cdu-4u"},
    "a power shelf": {"scalable_unit.racks.devices.shelf": "2 x power-shelf"},
}
KEYS = {"devices.csv": ("device",), "links.csv": ("a_device", "a_port"), "addresses.csv": ("device", "port", "prefix")}


def edit_tree(tree: Tree, values: dict[str, Any]) -> Tree:
    """A copy of a blueprint with other values at some paths."""
    tree = deepcopy(tree)
    for path, value in values.items():
        *parents, last = path.split(".")
        section = tree
        for key in parents:
            section = section.setdefault(key, {})
        section[last] = value
    return tree


def build_tables(tree: Tree, before: Any = None) -> tuple[Any, dict[str, dict[tuple[str, ...], dict[str, str]]]]:
    """(the cluster of a blueprint, under the lock of the one `before`; the rows of its lists by file and key)."""
    cluster = compiled(tree, lock_of(before) if before else None)
    files = built_files(cluster, *(name.removesuffix(".csv") for name in KEYS))
    tables = {}
    for name, keys in KEYS.items():
        rows = csv.DictReader(files[name].decode().splitlines())
        tables[name] = {tuple(row[key] for key in keys): row for row in rows}
    return cluster, tables


def find_changed_rows(was: dict[Any, dict[str, str]], now: dict[Any, dict[str, str]]) -> dict[Any, Any]:
    """What of the rows of a list is there no longer, or is not as it was."""
    numbers = ("link",)
    compared = [
        {key: [v for k, v in row.items() if k not in numbers] for key, row in rows.items()} for rows in (was, now)
    ]
    return {key: (row, compared[1].get(key)) for key, row in compared[0].items() if compared[1].get(key) != row}


@pytest.mark.tenth
@pytest.mark.parametrize("step", STEPS)
def test_what_was_alone_stays_as_it_is(step: str) -> None:
    first, was = build_tables(BASE)
    _, now = build_tables(edit_tree(BASE, STEPS[step]), first)
    assert {name: lost for name in KEYS if (lost := find_changed_rows(was[name], now[name]))} == {}


@pytest.mark.parametrize("site", [None, "east"])
def test_a_hall_whose_name_comes_first_takes_no_racked_switch(site: str | None) -> None:
    hall = edit_tree(BASE, {"floor.halls": {"main": {"rows": 20}}, "pods.hall.hall": "main"})
    further = {"rows": 20, "at_m": [200, 0]} | ({"site": site} if site else {})
    pod = {"su": 1, "hall": "annex"} | ({"site": site} if site else {})
    first, was = build_tables(hall)
    second, now = build_tables(edit_tree(hall, {"floor.halls.annex": further, "pods.far": pod}), first)
    assert {name: lost for name in KEYS if (lost := find_changed_rows(was[name], now[name]))} == {}
    assert {row["rack"] for row in now["devices.csv"].values()} > {row["rack"] for row in was["devices.csv"].values()}
    again = build_tables(edit_tree(hall, {"floor.halls.annex": further, "pods.far": pod}), second)[1]
    assert again == now


PATCHED = {
    "cabling.copper_to_m": 0,
    "cabling.patch.uplinks": {"fabrics": "compute", "between": "leaf-spine", "at": "row-end"},
    "floor.halls.main": {"rows": 20},
    "pods.hall.hall": "main",
}


@pytest.mark.parametrize(("hall", "between"), [("annex", "annex-row01:row01"), ("west", "row01:west-row01")])
def test_rows_of_panels_keep_their_names_when_a_second_hall_comes(hall: str, between: str) -> None:
    def list_trunk_places(cluster: Any) -> set[str]:
        rows = csv.DictReader(built_files(cluster, "trunks")["trunks.csv"].decode().splitlines())
        return {row["trunk"].rpartition(":")[0] for row in rows}

    first = compiled(edit_tree(BASE, PATCHED))
    further = {f"floor.halls.{hall}": {"rows": 20, "at_m": [200, 0]}, "pods.far": {"su": 1, "hall": hall}}
    second = compiled(edit_tree(BASE, PATCHED | further), lock_of(first))
    assert list_trunk_places(first) == {"uplinks:row01:row02"}
    assert list_trunk_places(second) == {"uplinks:row01:row02", f"uplinks:{between}"}


def test_the_second_is_numbered_and_the_first_is_not_until_the_lock_goes() -> None:
    first, _ = build_tables(BASE)
    three = edit_tree(BASE, {"fabrics.inband.extra.array.count": 3})
    names = {name for (name,) in build_tables(three, first)[1]["devices.csv"] if name.startswith("array")}
    assert names == {"array", "array-2", "array-3"}
    assert {name for name in compiled(three).names if name.startswith("array")} == {"array-1", "array-2", "array-3"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("values", "stay"),
    [
        ({"fabrics.inband.extra.array.count": 2}, "array-1"),
        ({"pods.hall.count": 2}, "hall1-su01-n001"),
        ({"pods.far": {"su": 1, "site": "east"}}, "inband-leaf-site1-01"),
    ],
)
def test_what_was_one_of_several_keeps_its_number(values: dict[str, Any], stay: str) -> None:
    several, was = build_tables(edit_tree(BASE, values))
    again, now = build_tables(BASE, several)
    assert set(was["devices.csv"]) >= set(now["devices.csv"])
    assert (stay,) in now["devices.csv"]
    _, third = build_tables(edit_tree(BASE, values), again)
    assert set(third["devices.csv"]) == set(was["devices.csv"])


def test_a_second_run_of_network_racks_leaves_the_first_its_name() -> None:
    def list_spine_racks(rows: dict[Any, dict[str, str]]) -> list[str]:
        return [row["rack"] for (name,), row in sorted(rows.items()) if name.startswith("compute-spine")]

    one_run, was = build_tables(BASE)
    two_runs, now = build_tables(edit_tree(BASE, {"fabrics.compute.tiers.spine.racks": 2}), one_run)
    first, second = "net-compute-spine-01", "net-compute-spine-b-01"
    assert list_spine_racks(was["devices.csv"]) == [first] * 4
    assert list_spine_racks(now["devices.csv"]) == [first, second] * 2
    third = ("compute-spine-03",)  # it stays in its rack, and at its rack unit too
    assert now["devices.csv"][third]["u"] == was["devices.csv"][third]["u"] == "41"
    assert list_spine_racks(build_tables(BASE, two_runs)[1]["devices.csv"]) == [first] * 4


PLANES = {
    "scalable_unit.nodes": "2 x dgx-b300",
    "fabrics.compute.tiers.leaf.per": ["su", "plane"],
    "fabrics.compute.tiers.spine.per": "plane",
}


@pytest.mark.tenth
@pytest.mark.parametrize("names", [["a", "b", "c"], ["b", "d"], ["d", "b"], ["c", "b", "a", "d"]])
def test_a_named_device_stands_where_it_stood_whoever_is_named_beside_it(names: list[str]) -> None:
    array = BASE["fabrics"]["inband"]["extra"]["array"]
    first, was = build_tables(edit_tree(BASE, {"fabrics.inband.extra.array": array | {"names": ["b", "d"]}}))
    second, now = build_tables(edit_tree(BASE, {"fabrics.inband.extra.array": array | {"names": names}}), first)
    lost = {name: find_changed_rows(was[name], now[name]) for name in KEYS}
    assert {key for table in lost.values() for key in table if key[0] in names} == set()
    again = build_tables(edit_tree(BASE, {"fabrics.inband.extra.array": array | {"names": ["b", "d"]}}), second)[1]
    assert again == was


def test_nodes_keep_their_names_beside_a_set_whose_name_comes_first() -> None:
    gpu, aux = {"gpu": "3 x dgx-b200"}, {"aux": {"nodes": "1 x generic-server", "skip": ["compute"]}}
    sets = edit_tree(BASE, {"scalable_unit.nodes": gpu, "scalable_unit.racks.nodes_per_rack": 4})
    first, was = build_tables(sets)
    second, now = build_tables(edit_tree(sets, {"scalable_unit.nodes": aux | gpu}), first)
    fixed = ("rack", "u", "model")
    places = {name: [row[key] for key in fixed] for (name,), row in was["devices.csv"].items() if "-gpu-" in name}
    assert len(places) == 3
    assert {name: [now["devices.csv"][(name,)][key] for key in fixed] for name in places} == places
    assert second.lock.find_words("sets") == {"nodes": "gpu, aux", "racks": "shelf"}
    fresh = build_tables(edit_tree(sets, {"scalable_unit.nodes": aux | gpu}))[1]
    assert ("hall-su01-gpu-002",) in fresh["devices.csv"]
    assert ("hall-su01-aux-001",) in fresh["devices.csv"]


def test_a_lock_that_has_places_by_set_alone_gives_them_to_the_names_in_their_order() -> None:
    array = BASE["fabrics"]["inband"]["extra"]["array"]
    numbered = edit_tree(BASE, {"fabrics.inband.extra.array.count": 2})
    first, was = build_tables(numbered)
    second, now = build_tables(edit_tree(BASE, {"fabrics.inband.extra.array": array | {"names": ["x", "y"]}}), first)
    assert {key: set(value) for key, value in second.lock.held.items() if key == "shelved"} == {
        "shelved": {"device x", "device y", "wan"}
    }
    for old, new in (("array-1", "x"), ("array-2", "y")):
        assert now["devices.csv"][(new,)]["u"] == was["devices.csv"][(old,)]["u"]


def test_switches_of_the_first_plane_keep_their_numbers() -> None:
    first, was = build_tables(edit_tree(BASE, PLANES))
    second, now = build_tables(edit_tree(BASE, PLANES | {"fabrics.compute.planes": 2}), first)
    assert find_changed_rows(was["devices.csv"], now["devices.csv"]) == {}
    switches = [row for (name,), row in now["devices.csv"].items() if name.startswith("compute-") and row["loopback"]]
    assert len({row["loopback"] for row in switches}) == len(switches) == 10
    assert build_tables(edit_tree(BASE, PLANES), second)[1]["devices.csv"] == was["devices.csv"]


def test_racks_of_the_first_plane_keep_their_names() -> None:
    first, was = build_tables(edit_tree(BASE, PLANES))
    second, now = build_tables(edit_tree(BASE, PLANES | {"fabrics.compute.planes": 2}), first)
    racks = {name: (was["devices.csv"][name]["rack"], now["devices.csv"][name]["rack"]) for name in was["devices.csv"]}
    assert {pair for pair in racks.values() if pair[0] != pair[1]} == set()
    assert now["devices.csv"][("compute-spine-pl2-01",)]["rack"] == "net-compute-spine-pl2-01"
    assert (
        build_tables(edit_tree(BASE, PLANES | {"fabrics.compute.planes": 2}), second)[1]["devices.csv"]
        == now["devices.csv"]
    )

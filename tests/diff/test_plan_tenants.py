"""Moves of nodes between tenants, in words and as JSON, and nothing else beside them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from fabricgen.diff.compare import ClusterChange, compare_sides
from fabricgen.diff.reports.json import make_json
from fabricgen.diff.tenant_moves import join_names
from tests.conftest import BLUEPRINTS, Ran, built_files, example_cluster
from tests.diff.conftest import side_of

BLUE = "tenants.blue.nodes=[p1/su-1/node-1,p1/su-2/node-1]"
RED = "tenants.red.nodes=[p1/su-1/node-2,p1/su-2/node-2,p1/su-2/node-3]"


def test_a_node_that_moves_is_said_and_nothing_else(fabricgen: Callable[..., Ran]) -> None:
    file = BLUEPRINTS / "pkeys.yaml"
    ran = fabricgen("plan", file, file, "--set", BLUE, "--set", RED)
    assert ran.code == 1
    said = " ".join(ran.out.split())
    assert "p1-su01-n002 moves from tenant blue to tenant red: compute 8 ports in partitions.conf" in said
    assert said.count("no change") == 6
    assert "1 file of 1 switch, +1 -1 lines" in said

    ran = fabricgen("plan", file, file, "--set", BLUE, "--set", RED, "--format", "json")
    found = json.loads(ran.out)
    move = {"fabric": "compute", "ports": 8, "switches": 1, "file": "partitions.conf"}
    assert found["tenants"] == [{"old": "blue", "new": "red", "devices": ["p1-su01-n002"], "fabrics": [move]}]
    assert [(f["device"], f["file"]) for f in found["configs"]["files"]] == [("compute", "partitions.conf")]
    assert not any(sum(counts.values()) for counts in found["counts"].values())


def test_a_node_that_leaves_is_of_none() -> None:
    change = compare_sides(side_of("pkeys"), side_of("pkeys", BLUE))
    assert [move["new"] for move in make_json(change)["tenants"]] == [None]
    assert change.reasons == ("p1-su01-n002 moves from tenant blue to no tenant: compute 8 ports in partitions.conf",)


def test_many_nodes_are_drawn_together(change: Callable[..., ClusterChange]) -> None:
    """Two units on InfiniBand and two Ethernet fabrics, with storage of their own that no tenant has before."""
    was = ("tenants={blue: {nodes: [p1/su-1, p1/su-2]}, red: {nodes: [p1/su-3]}}",)
    now = ("tenants={blue: {nodes: [p1/su-1]}, red: {nodes: [p1/su-2, p1/su-3], extra: [array]}}",)
    found = change("superpod-b200", was, now)
    blue, none = sorted(found.tenants, key=lambda move: move.old, reverse=True)
    assert (blue.old, blue.new, len(blue.devices)) == ("blue", "red", 32)
    assert {t.fabric: (t.ports, t.switches, t.file) for t in blue.touched} == {
        "compute": (256, 8, "partitions.conf"),
        "inband": (64, 2, ""),
        "storage": (64, 2, ""),
    }
    assert none.devices == ("array-1", "array-2", "array-3", "array-4")
    words = [reason for reason in found.reasons if "move" in reason]
    assert any(w.startswith("p1-su02-n001..n032 move from tenant blue to tenant red: ") for w in words)
    assert any(w.startswith("array-1..4 move from no tenant to tenant red: ") for w in words)
    assert not any(found.deltas[kind] for kind in ("devices", "cables", "links", "optics"))


def test_other_fabrics_of_a_tenant_are_said(change: Callable[..., ClusterChange]) -> None:
    was = "tenants={blue: {nodes: [p1/su-1], fabrics: [compute]}}"
    now = "tenants={blue: {nodes: [p1/su-1], fabrics: [compute, storage]}}"
    found = change("superpod-b200", (was,), (now,))
    (only,) = (reason for reason in found.reasons if "blue" in reason and "VRF" not in reason)
    assert only == ("p1-su01-n001..n032 of tenant blue: other fabrics keep them apart: storage 64 ports of 2 switches")


def test_what_tenants_share_is_said(fabricgen: Callable[..., Ran]) -> None:
    file = BLUEPRINTS / "pkeys.yaml"
    ran = fabricgen("plan", file, file, "--set", "tenants.red.shared=[]", "--configs")
    assert "tenant red no longer shares array" in ran.out
    gone = [line for line in ran.out.splitlines() if line.startswith("-red=0x0002")]
    assert len(gone) == 1
    assert "# array" in gone[0]


def test_names_are_drawn_together_where_they_follow_each_other() -> None:
    assert join_names(["a-n001", "a-n002", "a-n003", "a-n005", "b"]) == "a-n001..n003, a-n005, b"
    assert join_names([f"x{i}a" for i in range(6)]) == "x0a, x1a, x2a, x3a and 2 more"


def test_sides_without_tenants_have_none(fabricgen: Callable[..., Ran], tmp_path: Path) -> None:
    assert fabricgen("build", BLUEPRINTS / "pkeys.yaml", "-o", tmp_path / "out").code == 0
    ran = fabricgen("plan", tmp_path / "out", BLUEPRINTS / "pkeys.yaml", "--format", "json")
    assert ran.code == 0
    assert json.loads(ran.out)["tenants"] == []


@pytest.mark.parametrize("overlay", ["none", "evpn"])
def test_the_first_node_of_a_tenant_on_a_leaf_brings_its_vrf(overlay: str) -> None:
    """Sub-interfaces on its uplinks, and so at their far ends, or nothing beyond the leaf."""
    way = f"routing.overlay={overlay}"
    found = compare_sides(side_of("tenants", way, "tenants.green.nodes=[p1/su-1/node-3]"), side_of("tenants", way))
    assert "VRF green appears on compute-leaf-p1-su02-01" in found.reasons
    assert {d for d in found.deltas if found.deltas[d]} == ({"addresses"} if overlay == "none" else set())


@pytest.mark.parametrize("overlay", ["none", "evpn"])
def test_a_node_that_moves_touches_its_leaves_alone(overlay: str) -> None:
    way, more = f"routing.overlay={overlay}", 'tenants.green.nodes=["p1/su-*/node-3", p1/su-1/node-4]'
    before, after = (built_files(example_cluster("tenants", way, *sets), "configs") for sets in ((), (more,)))
    changed = {path.split("/")[1] for path in before if before[path] != after[path]}
    assert changed == {"compute-leaf-p1-su01-01", "storage-leaf-01", "storage-leaf-02"}

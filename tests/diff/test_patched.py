"""`plan` tells which jumpers go to other panels."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Ran

OLD = """
fabricgen: 1
name: patched
scalable_unit: {nodes: 2 x dgx-b200, racks: {nodes_per_rack: 2}}
fabrics:
  compute:
    protocol: roce
    tiers: {leaf: {switch: sn5600, per: su}, spine: {switch: sn5600, count: 2}}
  oob:
    protocol: ethernet
    attach: bmc
    also: switches
    tiers: {leaf: {switch: sn2201, per: su}, spine: {switch: sn4700, count: 2}}
nos: sonic
cabling:
  copper_to_m: 0
  avoid: [AOC]
  patch:
    nodes: {fabrics: compute, between: node-leaf}
"""
FIRST = "    aside: {fabrics: oob, between: leaf-spine, panel: mpo-72}\n"
"""A rule whose panels come before those of `nodes` in the unit's network rack."""


@pytest.mark.slow
def test_a_rule_that_comes_first_moves_panels_and_plan_says_so(tmp_path: Path, fabricgen: Callable[..., Ran]) -> None:
    old, new, built = tmp_path / "old.yaml", tmp_path / "new.yaml", tmp_path / "built"
    old.write_text(OLD)
    new.write_text(OLD.replace("  patch:\n", f"  patch:\n{FIRST}"))
    assert fabricgen("build", old, "-o", built, "--jobs", "1").code == 0
    assert fabricgen("plan", built, old).out == "no differences\n"
    for side in (old, built):
        change = json.loads(fabricgen("plan", side, new, "--format", "json", "--fail-on", "none").out)
        counts = change["counts"]["patches"]
        assert (counts["added"], counts["removed"]) == (8, 0)
        assert counts["re-patched"] == counts["moved"] == 16
        assert {row["new"]["panel"] for row in change["patches"]["changed"]} == {"p1-su01-net01-pp02"}
    text = fabricgen("plan", old, new, "--fail-on", "none").out
    assert "  jumpers to panels  8 added, 16 re-patched, 16 moved\n" in text

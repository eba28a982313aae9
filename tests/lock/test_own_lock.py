"""A blueprint is built the same without a lock and under the lock that was made of it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from fabricgen.blueprint.beside.lock import format_lock
from fabricgen.pipeline import compile_cluster, compile_design
from tests.conftest import BLUEPRINTS, EXAMPLES, SMALLER, Ran, built_files
from tests.laws import law_cases

FabricGen = Callable[..., Ran]
LISTS = ("devices", "links", "cables", "addresses")

BORDER = """\
fabricgen: 1
name: border
scalable_unit: {nodes: 2 x dgx-b200}
pods: {p1: {su: 1}}
fabrics:
  inband:
    protocol: ethernet
    speed: 200G
    tiers:
      leaf: {switch: sn4700, count: 2, spread: stripe}
      spine: {switch: sn4700, count: 2}
      border: {switch: sn4700, count: 2, below: spine}
    extra:
      array: {device: storage-array, count: 2, to: border, attach: storage}
      wan: {device: external-router, names: [br-1, br-2], ports: 1, to: border, speed: 100G}
    exits: {out: {to: wan, asn: 65101}}
"""
"""Two kinds of ports on a tier without nodes: those of the first kind decide the speed of its uplinks."""


def check_same_under_lock(blueprint: Path, *sets: str) -> None:
    """Build a blueprint twice and compare; its lock lies beside it in between."""
    fresh = compile_cluster(compile_design(str(blueprint), sets))
    blueprint.with_suffix(".lock.yaml").write_text(format_lock(fresh.lock), encoding="utf-8")
    locked = compile_cluster(compile_design(str(blueprint), sets))
    assert format_lock(locked.lock) == format_lock(fresh.lock)
    assert built_files(locked, *LISTS) == built_files(fresh, *LISTS)


@pytest.mark.tenth
@pytest.mark.law
@pytest.mark.parametrize("name", law_cases("examples are the same under their own locks", EXAMPLES))
def test_example_is_the_same_under_its_lock(name: str, tmp_path: Path) -> None:
    shutil.copytree(BLUEPRINTS, tmp_path / "blueprints")  # a table beside a blueprint may not be a link that leads out
    check_same_under_lock(tmp_path / "blueprints" / f"{name}.yaml", *SMALLER.get(name, ()))


@pytest.mark.parametrize("cages", ["", "down: '2,1,4,3,6,5'", "extra.wan: 1-4, down: 5-28"])
def test_ports_of_several_kinds_on_a_tier_without_nodes(cages: str, tmp_path: Path) -> None:
    file = tmp_path / "border.yaml"
    file.write_text(BORDER.replace("below: spine", f"below: spine, cages: {{{cages}}}"), encoding="utf-8")
    check_same_under_lock(file)


def test_what_is_adopted_without_a_lock_is_built_as_before(tmp_path: Path, fabricgen: FabricGen) -> None:
    file, have = tmp_path / "border.yaml", tmp_path / "have.csv"
    file.write_text(BORDER, encoding="utf-8")
    have.write_text("device,name\ninband-spine-01,old-sp1\n", encoding="utf-8")
    before = built_files(compile_cluster(compile_design(str(file))), "links")["links.csv"]
    assert fabricgen("lock", file, "--import", have).code == 0
    after = built_files(compile_cluster(compile_design(str(file))), "links")["links.csv"]
    assert after == before.replace(b"inband-spine-01", b"old-sp1")

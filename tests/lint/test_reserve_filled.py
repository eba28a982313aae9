"""FG209 tells of a reserve that is filled what lint will tell once its units are there."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabricgen.blueprint.load import load_blueprint
from fabricgen.design.build import build_design, grow_design
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Severity
from fabricgen.lint.engine import lint
from fabricgen.lint.rules.design.capacity.fg209_reserve_filled import JUDGED
from tests.conftest import BLUEPRINTS, EXAMPLES

INBAND = """\
fabricgen: 1
name: small
scalable_unit: {nodes: 16 x dgx-b200}
pods: {p1: {su: 2, reserve: 4}}
fabrics:
  inband:
    protocol: ethernet
    attach: inband
    tiers:
      leaf: {switch: sn5600, per: rail, count: 1, uplinks: 32 x 400G}
      spine: {switch: sn5600, count: 2}
"""


def findings(file: Path, *sets: str) -> list[Diagnostic]:
    return list(lint(build_design(load_blueprint(str(file), sets))).findings)


@pytest.fixture
def inband(tmp_path: Path) -> Path:
    file = tmp_path / "small.yaml"
    file.write_text(INBAND, encoding="utf-8")
    return file


def test_a_fabric_that_is_wide_enough_now_and_narrow_with_the_reserve_is_told(inband: Path) -> None:
    found = [d for d in findings(inband) if d.code in (*JUDGED, "FG209")]
    (narrow,) = found
    assert narrow.severity is Severity.INFO
    assert narrow.path[-3:] == ("tiers", "leaf", "uplinks")
    assert narrow.message.startswith("when the reserve of p1 is filled (4 units): inband leaf is 2:1 (64 x 400G down")


@pytest.mark.parametrize("change", ["pods.p1.reserve=2", "fabrics.inband.tiers.leaf.uplinks=64 x 400G"])
def test_it_is_silent_without_a_reserve_or_with_uplinks_for_it(inband: Path, change: str) -> None:
    assert [d for d in findings(inband, change) if d.code == "FG209"] == []


def test_what_is_narrow_now_is_told_once(inband: Path) -> None:
    codes = [d.code for d in findings(inband, "fabrics.inband.tiers.leaf.uplinks=16 x 400G")]
    assert "FG201" in codes
    assert "FG209" not in codes


def test_a_reserve_that_cannot_be_wired_is_told_by_one_rule(inband: Path) -> None:
    codes = [d.code for d in findings(inband, "pods.p1.reserve=64") if d.code in ("FG106", "FG209")]
    assert codes
    assert len(set(codes)) == 1


RESERVING = [name for name in EXAMPLES if "reserve:" in (BLUEPRINTS / f"{name}.yaml").read_text(encoding="utf-8")]


@pytest.mark.tenth
@pytest.mark.parametrize("name", RESERVING)
def test_growth_brings_what_was_told_and_nothing_else(name: str) -> None:
    """The verdicts on the filled reserve are those of the same blueprint with all units there."""
    file = BLUEPRINTS / f"{name}.yaml"
    design = build_design(load_blueprint(str(file)))
    pods = design.loaded.blueprint.pods
    filled = [f"pods.{pod}.su={pods[pod].slots}" for pod in pods]
    told = [d.message.partition(" units)")[2] for d in findings(file) if d.code == "FG209"]
    try:
        later = build_design(load_blueprint(str(file), tuple(filled)))
    except InputError as error:
        wired = [f", the cluster cannot be wired: {d.message}" for d in error.diagnostics[:1]]
        assert told in ([], wired)
        assert told or "FG106" in {d.code for d in findings(file)}
        return
    assert grow_design(design).fabrics == later.fabrics
    now = {d.path for d in findings(file) if d.code in JUDGED}
    come = {f": {d.message}" for d in findings(file, *filled) if d.code in JUDGED and d.path not in now}
    assert set(told) == come

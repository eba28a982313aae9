"""A shortage of ports hides no other finding: rules that count no ports are judged beside it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fabricgen.lint.rule import DesignRule, load_all_rules

SHORT = """
fabricgen: 1
name: short
scalable_unit: {nodes: 64 x dgx-b300}
pods: {p1: {su: 4}}
pools: {loopback: 10.0.0.0/16, fabric: 10.0.0.0/10}
fabrics:
  compute:
    protocol: roce
    planes: 2
    tiers:
      leaf: {switch: sn5600, per: [su, rail]}
      spine: {switch: sn5600, count: 4}
nos: {leef: sonic}
"""


@pytest.fixture
def said(tmp_path: Path, fabricgen):
    def of(text: str, *options: str) -> list[tuple[str, int]]:
        file = tmp_path / "short.yaml"
        file.write_text(text, encoding="utf-8")
        ran = fabricgen("lint", file, "--fast", "--format", "json", *options)
        assert ran.code == 2
        return [(found["code"], found["line"]) for found in json.loads(ran.out)["findings"]]

    return of


@pytest.mark.slow
def test_the_missing_plane_comes_first_and_the_rest_after_the_shortage(said) -> None:
    found = said(SHORT)
    assert found[:3] == [("FG132", 12), ("FG132", 13), ("FG101", 13)]
    assert {("FG503", 6), ("FG803", 14)} <= set(found[3:])


@pytest.mark.slow
def test_a_shortage_of_one_plane_names_no_planes(said) -> None:
    found = said(SHORT.replace("    planes: 2\n", ""))
    assert found[0] == ("FG101", 12)
    assert "FG132" not in {code for code, _ in found}
    assert ("FG503", 6) in found


@pytest.mark.slow
def test_what_is_ignored_stays_so(said) -> None:
    assert "FG503" not in {code for code, _ in said(SHORT, "--ignore", "FG5")}


def test_where_more_than_ports_is_missing_nothing_else_is_judged(said) -> None:
    assert [code for code, _ in said(SHORT.replace("switch: sn5600, count: 4", "switch: nosuch"))] == ["FG011"]


def test_only_design_rules_count_no_ports() -> None:
    assert all(isinstance(rule, DesignRule) for rule in load_all_rules() if not rule.counts_ports)

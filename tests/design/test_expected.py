"""Expected figures: a blueprint that states what its author believes is refused when it is not so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "blueprints"
SUPERPOD = """
expect:
  gpus: {gpus}
  nodes: 127
  switches: {{compute: {{leaf: 32, spine: 16}}}}
  cables: {{compute: {{leaf-spine: 1024}}}}
"""
"""DGX SuperPOD B200: four scalable units, a node given up for UFM; 32 leaves, 16 spines. NVIDIA DGX SuperPOD Reference
Architecture with DGX B200 (docs.nvidia.com/dgx-superpod), table of the compute fabric's components."""


def written(folder: Path, example: str, more: str) -> Path:
    file = folder / f"{example}.yaml"
    file.write_text((EXAMPLES / f"{example}.yaml").read_text(encoding="utf-8") + more, encoding="utf-8")
    return file


def lines_of(file: Path) -> int:
    return len(file.read_text(encoding="utf-8").splitlines())


def test_published_counts_hold(tmp_path: Path, fabricgen) -> None:
    file = written(tmp_path, "superpod-b200", SUPERPOD.format(gpus=1016))
    shown = fabricgen("show", file, "--format", "json")
    assert (shown.code, json.loads(shown.out)["findings"]["error"]) == (0, 0), shown.err


def test_what_is_not_so_is_told_at_its_figure_and_refused(tmp_path: Path, fabricgen, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    file = written(tmp_path, "superpod-b200", SUPERPOD.format(gpus=1024))
    line = file.read_text(encoding="utf-8").splitlines().index("  gpus: 1024") + 1
    said = f"{file.name}:{line}:9: error[FG820]: accelerators: 1024 expected, the design has 1016"
    linted = fabricgen("lint", "--fast", file.name, "--fail-on", "error")
    assert (linted.code, said in linted.out) == (1, True)
    for command in (["build", file.name, "-o", "out"], ["wiring", file.name], ["bom", file.name], ["lock", file.name]):
        ran = fabricgen(*command)
        assert (ran.code, ran.out, said in ran.err) == (2, "", True), command
    assert not Path("out").exists()


@pytest.mark.parametrize(
    "more", ["lint: {severity: {FG820: ignore}}\n", "lint: {waive: [{rule: FG820, why: known}]}\n"]
)
def test_no_setting_hides_it(more: str, tmp_path: Path, fabricgen) -> None:
    file = written(tmp_path, "leaf-spine", f"expect: {{nodes: 9}}\n{more}")
    assert "error[FG820]" in fabricgen("build", file, "-o", tmp_path / "out").err


@pytest.mark.parametrize(
    ("expect", "code", "said"),
    [
        ("{switches: 9}", "FG820", "switches: 9 expected, the design has 8"),
        (
            "{switches: {compute: 8, leaf: 4, spine: 5}}",
            "FG820",
            "switches of compute spine: 5 expected, the design has 4",
        ),
        ("{links: {node-leaf: 15}}", "FG820", "links of compute node-leaf: 15 expected, the design has 16"),
        (
            '{oversubscription: {leaf: "2:1"}}',
            "FG820",
            "oversubscription of compute leaf: 2 expected, the design has 0.25",
        ),
        ("{oversubscription: {compute: {spine: 1}}}", "FG820", "compute spine: 1 expected, the design has none"),
        ("{power_w: 10}", "FG820", "W of power: 10 expected"),
        ("{switches: {leef: 4}}", "FG016", "there is no fabric or tier 'leef'"),
        ("{switches: {compute: {spin: 4}}}", "FG016", "compute has no 'spin'"),
        ("{switches: {compote: {spine: 4}}}", "FG016", "there is no fabric 'compote'"),
    ],
)
def test_each_figure(expect: str, code: str, said: str, tmp_path: Path, fabricgen) -> None:
    ran = fabricgen("wiring", written(tmp_path, "leaf-spine", f"expect: {expect}\n"))
    assert (ran.code, code in ran.err, said in ran.err) == (2, True, True), ran.err


def test_a_tier_of_two_fabrics_is_named_with_its_fabric(tmp_path: Path, fabricgen) -> None:
    ran = fabricgen("show", written(tmp_path, "full-cluster", "expect: {switches: {leaf: 4}}\n"))
    assert ran.code == 2
    assert "'leaf' is of compute and of " in ran.err
    assert "write {compute: {leaf: 4}}" in ran.err

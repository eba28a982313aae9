"""Expected figures: a blueprint that states what its author believes is refused when it is not so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fabricgen.blueprint.sections.expect import Bound

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
        ("{bisection_gbps_per_accelerator: 200}", "FG820", "the cluster: 200 expected, the design has none"),
        ('{left_after_switch: ">= 80%"}', "FG820", "compute: at least 80% expected, the design has 50%"),
        ("{left_after_switch: {compute: 49.9%}}", "FG820", "compute: 49.9% expected, the design has 50%"),
        ("{hops: 1}", "FG819", "compute: 1 expected, the wired plan has 3"),
        ("{paths: {compute: 4}}", "FG819", "share no leaf, compute: 4 expected, the wired plan has 8"),
        ('{latency_us: "<= 2"}', "FG819", "compute: at most 2 expected, the wired plan has 2.296"),
        ("{slowdown: {everyone: 1.01}}", "FG819", "slowdown of everyone, compute: 1.01 expected, the wired plan has 1"),
        (
            '{busbw_gbytes: {all-reduce: {8G: ">= 25"}}}',
            "FG819",
            "bus GB/s of all-reduce at 8G, compute: at least 25 expected, the wired plan has 22.49",
        ),
        ("{hops: {compote: 3}}", "FG016", "there is no fabric 'compote'"),
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


def test_figures_of_the_wired_plan_are_those_of_analyze(tmp_path: Path, fabricgen) -> None:
    """What `analyze` tells is what `expect` holds to; and it tells of a blueprint whose figures are not so, too."""
    file = written(tmp_path, "superpod-b200", "expect: {hops: 5}\n")
    told = json.loads(fabricgen("analyze", file, "--sizes", "256M,8G", "--format", "json").out)
    structure, collectives = (told[section]["compute"] for section in ("structure", "collectives"))
    apart = [pair for pair in structure["pairs"] if pair.get("switches", 1) > 1]
    expect = {
        "bisection_gbps_per_accelerator": {"compute": structure["bisection_gbps_per_rank"]},
        "left_after_switch": {"compute": "93.7%"},
        "hops": max(pair["switches"] for pair in apart),
        "paths": min(pair["paths"] for pair in apart),
        "latency_us": {"compute": max(pair["latency_us"] for pair in apart)},
        "slowdown": {name: crowded["slowdown"] for name, crowded in collectives["crowding"].items()},
        "busbw_gbytes": {
            name: {"256M": rows[0]["busbw_gbytes"], "8G": f">= {rows[1]['busbw_gbytes']}"}
            for name, rows in collectives["collectives"].items()
        },
    }
    assert len(expect["busbw_gbytes"]) == 5
    ran = fabricgen("wiring", written(tmp_path, "superpod-b200", f"expect: {json.dumps(expect)}\n"))
    assert ran.code == 0, ran.err


def test_figures_are_of_the_whole_cluster_at_every_phase(tmp_path: Path, fabricgen) -> None:
    """The first unit alone is joined by its leaves; what is expected is said of what will stand in the end."""
    file = written(tmp_path, "leaf-spine", "expect: {hops: 3}\nphases: {now: {units: {p1: 1}}, end: {}}\n")
    told = json.loads(fabricgen("analyze", file, "--phase", "now", "--section", "structure", "--format", "json").out)
    assert max(pair["switches"] for pair in told["structure"]["compute"]["pairs"]) == 1
    for command in ("wiring", "lint"):
        ran = fabricgen(command, file, "--phase", "now")
        assert "FG819" not in ran.out + ran.err
        assert ran.code == 0, ran.err


@pytest.mark.parametrize(
    ("stated", "right", "wrong"),
    [
        (3, (3, 3.49), (2.4, 3.51)),
        (0.65, (0.645, 0.6549), (0.6449, 0.66)),
        ("<= 0.65", (0.1, 0.65), (0.6501,)),
        (">= 380", (380, 400), (379.9,)),
    ],
)
def test_a_number_holds_to_its_digits_and_a_bound_on_its_side(stated, right, wrong) -> None:
    bound = Bound.model_validate(Bound.read(stated))
    assert [bound.holds(found) for found in (*right, *wrong)] == [True] * len(right) + [False] * len(wrong)

"""What cannot be plugged together is not built; findings about quality are built and counted."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabricgen.lint.engine import LintResult
from fabricgen.lint.examples import BASE
from fabricgen.lint.rule import load_all_rules

SECOND = "  second: {protocol: roce, attach: compute, tiers: {leaf: {switch: sn5600, per: [su, rail]}}}\n"
TWICE = BASE.replace("management:", f"{SECOND}management:")
NARROW = """
fabricgen: 1
name: narrow
scalable_unit: {nodes: 4 x dgx-b200}
pods: {p1: {su: 5}}
fabrics:
  compute:
    protocol: roce
    speed: 200G
    tiers: {leaf: {switch: sn4700, per: [su, rail], uplinks: 4 x 200G}, spine: {switch: sn4700, count: 4}}
"""
ERRORS = Path(__file__).resolve().parent.parent / "errors"
WAIVED = "lint: {waive: [{rule: FG603, why: a fan-out box of our own}]}\n"


@pytest.fixture
def blueprint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path / "b.yaml"


@pytest.mark.parametrize(
    "more",
    [
        "",
        "lint: {waive: [{rule: FG306, why: known}, {rule: FG310, why: known}]}\n",
        "lint: {severity: {FG306: info, FG310: ignore}}\n",
    ],
)
def test_two_cables_in_a_port_are_not_built(more: str, blueprint: Path, fabricgen) -> None:
    blueprint.write_text(TWICE + more, encoding="utf-8")
    built = fabricgen("build", blueprint, "-o", "out", "--fail-on", "never")
    assert built.code == 2
    assert "error[FG306]" in built.err
    assert "error[FG310]" in built.err
    assert not Path("out").exists()
    assert not blueprint.with_suffix(".lock.yaml").exists()
    linted = fabricgen("lint", blueprint)
    assert linted.code == 1
    assert "error[FG306]" in linted.out


OTHERS = (
    ("plan", "good.yaml", "b.yaml"),
    ("plan", "netbox:https://127.0.0.1:9", "b.yaml", "--token", "env:FABRICGEN_TOKEN"),
    ("bom", "b.yaml"),
    ("bom", "b.yaml", "--diff", "good.yaml"),
    ("wiring", "b.yaml"),
    ("view", "b.yaml", "-o", "b.svg"),
    ("push", "netbox", "b.yaml", "--url", "https://127.0.0.1:9", "--token", "env:FABRICGEN_TOKEN"),
)
"""What prices, lists, draws or records a cluster."""


@pytest.mark.parametrize("words", OTHERS, ids=" ".join)
def test_what_is_not_built_is_neither_priced_nor_listed(
    words: tuple[str, ...], blueprint: Path, fabricgen, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FABRICGEN_TOKEN", "0123456789")
    Path("good.yaml").write_text(BASE, encoding="utf-8")
    blueprint.write_text(TWICE, encoding="utf-8")
    ran = fabricgen(*words)
    assert (ran.code, ran.out) == (2, "")
    assert "error[FG306]" in ran.err
    assert not Path("b.svg").exists()


@pytest.mark.slow
def test_a_change_from_what_cannot_be_built_is_told_with_a_note(blueprint: Path, fabricgen) -> None:
    Path("good.yaml").write_text(BASE, encoding="utf-8")
    blueprint.write_text(TWICE, encoding="utf-8")
    ran = fabricgen("plan", blueprint, "good.yaml")
    assert ran.code == 1
    assert f"{blueprint} cannot be built; `fabricgen lint` says why" in ran.out


def test_settings_of_a_project_hide_nothing_impossible(blueprint: Path, fabricgen) -> None:
    (blueprint.parent / ".fabricgen.yaml").write_text("lint: {ignore: [FG3]}\n", encoding="utf-8")
    blueprint.write_text(TWICE, encoding="utf-8")
    assert fabricgen("build", blueprint, "-o", "out").code == 2


def test_more_cables_than_a_cage_takes_are_not_built(blueprint: Path, fabricgen) -> None:
    blueprint.write_text(NARROW, encoding="utf-8")
    built = fabricgen("build", blueprint, "-o", "out")
    assert "error[FG603]" in built.err
    assert (built.code, Path("out").exists()) == (2, False)
    blueprint.write_text(NARROW + WAIVED, encoding="utf-8")
    assert fabricgen("build", blueprint, "-o", "out", "--only", "links").code == 0


def test_a_finding_about_quality_is_built_and_counted(blueprint: Path, fabricgen) -> None:
    text = BASE.replace("per: [su, rail]}", "per: [su, rail], uplinks: 2 x 400G}")
    blueprint.write_text(text, encoding="utf-8")
    built = fabricgen("build", blueprint, "-o", "out", "--only", "links")
    assert built.code == 1
    assert Path("out/links.csv").exists()


def test_each_such_rule_says_so() -> None:
    such = [rule for rule in load_all_rules() if rule.impossible]
    assert {"FG306", "FG310", "FG603"} <= {rule.id for rule in such}
    assert all("`build` writes nothing" in rule.about for rule in such)
    assert LintResult((), ()).impossible == ()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["no-port-table", "split-not-in-port-table"])
def test_configurations_whose_ports_have_no_names_are_not_compared(name: str, fabricgen, tmp_path: Path) -> None:
    """Lists need no port table; a plan that renders configurations ends as their build does, on either side."""
    nameless, good = ERRORS / f"{name}.yaml", tmp_path / "good.yaml"
    good.write_text(BASE, encoding="utf-8")
    for sides in ((good, nameless), (nameless, good)):
        ran = fabricgen("plan", *sides)
        assert (ran.code, ran.out) == (2, "")
        assert f"{nameless}:" in ran.err
        assert "error[FG026]" in ran.err

"""Findings stand where their value is written; the hint says where it is used, if that is elsewhere."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from fabricgen.blueprint.load import load_blueprint
from fabricgen.design.build import build_design
from fabricgen.kernel.diagnostics import Diagnostic, InputError
from fabricgen.lint.engine import lint
from fabricgen.lint.examples import BASE
from fabricgen.lint.report import FileReport, write_report


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("base.yaml").write_text(BASE, encoding="utf-8")


def found(code: str, text: str, *sets: str, **files: str) -> Diagnostic:
    """The one finding of a code on a blueprint that includes the base, with further files beside it."""
    for name, content in files.items():
        Path(f"{name}.yaml").write_text(dedent(content).lstrip(), encoding="utf-8")
    Path("b.yaml").write_text("include: base.yaml\n" + dedent(text).lstrip(), encoding="utf-8")
    try:
        findings = lint(build_design(load_blueprint("b.yaml", sets))).findings
    except InputError as error:
        findings = error.diagnostics
    (one,) = (d for d in findings if d.code == code)
    return one


SPINE = "fabrics: {compute: {tiers: {spine: %s}}}"


@pytest.mark.parametrize(
    ("text", "place", "used"),
    [
        (SPINE % "{count: 2}", "b.yaml:2:44", ""),
        ("x-n: &n 2\n" + SPINE % "{count: *n}", "b.yaml:2:6", "b.yaml:3:44"),
        ("x-s: &s {switch: sn5600, count: 2}\n" + SPINE % "*s", "b.yaml:2:33", "b.yaml:3:36"),
        ("x-s: &s {count: 2}\n" + SPINE % "{<<: *s, switch: sn5600}", "b.yaml:2:17", "b.yaml:3:41"),
        ("x-s: &s {count: 3}\n" + SPINE % "{<<: *s, count: 2}", "b.yaml:3:52", ""),
        ("x-s: &s {count: 2}\nx-t: &t {}\n" + SPINE % "{<<: [*t, *s]}", "b.yaml:2:17", "b.yaml:4:46"),
        ("x-s: &s {count: 2}\nx-t: &t {<<: *s}\n" + SPINE % "{<<: *t}", "b.yaml:2:17", "b.yaml:4:41"),
        ("x-t: &t {spine: {count: 2}}\nfabrics: {compute: {tiers: *t}}", "b.yaml:2:25", "b.yaml:3:28"),
        (SPINE % "!include own.yaml", "own.yaml:1:8", "b.yaml:2:36"),
        (SPINE % "{count: !include two.yaml}", "two.yaml:1:1", "b.yaml:2:44"),
    ],
)
def test_a_value_is_shown_where_it_is_written(text: str, place: str, used: str) -> None:
    one = found("FG303", text, own="count: 2", two="2")
    assert str(one.span) == place
    assert one.hint.endswith(f" (used at {used})") if used else "used at" not in one.hint


def test_a_value_of_an_included_blueprint_stands_there() -> None:
    one = found("FG303", "description: over two", base=BASE.replace("count: 4", "count: 2"))
    assert (str(one.span), "used at" in one.hint) == ("base.yaml:10:38", False)


def test_what_an_overlay_leaves_of_an_aliased_mapping_is_noted_still() -> None:
    base = BASE.replace("{switch: sn5600, count: 4}", "*s").replace(
        "name:", "x-s: &s {switch: sn5600, count: 2}\nname:"
    )
    one = found("FG303", SPINE % "{switch: sn5610}", base=base)
    assert (str(one.span), one.hint.partition("(")[2]) == ("base.yaml:2:33", "used at base.yaml:11:14)")


def test_a_value_that_is_set_has_the_option_as_its_place_and_no_excerpt() -> None:
    one = found("FG303", "", "fabrics.compute.tiers.spine.count=2")
    assert str(one.span) == "--set fabrics.compute.tiers.spine.count:1:1"
    lines = write_report("text", [FileReport("b.yaml", (one,))]).splitlines()
    assert [line.partition(" ")[0] for line in lines] == ["--set", "", "1"]


def test_setting_one_value_of_an_aliased_mapping_changes_it_there_alone() -> None:
    text = """
        x-s: &s {switch: sn5600, count: 2}
        fabrics:
          compute: {tiers: {spine: *s}}
          storage: {protocol: roce, attach: storage, tiers: {leaf: {switch: sn5600, per: [su, rail]}, spine: *s}}
    """
    one = found("FG303", text, "fabrics.storage.tiers.spine.count=4")
    assert (str(one.span), one.path[1]) == ("b.yaml:2:33", "compute")
    still = found("FG303", text, "fabrics.storage.tiers.spine.count=4", "fabrics.compute.tiers.spine.switch=sn5610")
    assert still.hint.endswith("(used at b.yaml:4:28)")


def test_a_mapping_is_shown_at_its_key_and_its_alias_is_on_that_line() -> None:
    text = """
        x-leaf: &leaf {switch: sn5600, per: [su, rail]}
        scalable_unit: {nodes: 64 x dgx-b200}
        pods: {p1: {su: 1}}
        fabrics:
          compute: {tiers: {leaf: *leaf}}
    """
    one = found("FG105", text)
    assert (str(one.span), one.hint) == ("b.yaml:6:21", "")


@pytest.mark.parametrize(
    ("code", "text", "place", "hint"),
    [
        ("FG010", "x-n: &n 2.5\n" + SPINE % "{count: *n}", "b.yaml:2:6", "it is used at b.yaml:3:44"),
        ("FG010", "x-s: &s {cout: 2}\n" + SPINE % "*s", "b.yaml:2:10", "(used at b.yaml:3:36)"),
        ("FG013", "x-o: &o p1/su-9\nomit: [*o]", "b.yaml:2:6", "(used at b.yaml:3:8)"),
        ("FG011", SPINE % "!include own.yaml", "own.yaml:1:9", "(used at b.yaml:2:36)"),
        ("FG003", SPINE % "!include twice.yaml", "twice.yaml:2:1", "each key may be given once"),
    ],
)
def test_faults_too(code: str, text: str, place: str, hint: str) -> None:
    one = found(code, text, own="switch: sn5601", twice="count: 2\ncount: 3")
    assert str(one.span) == place
    assert one.hint.endswith(hint)


def test_what_is_missing_is_shown_at_the_key_that_lacks_it() -> None:
    one = found("FG010", "fabrics:\n  storage:\n    tiers: {leaf: {switch: sn5600}}")
    assert (str(one.span), one.message) == ("b.yaml:3:3", "fabrics.storage needs 'protocol'")

"""Every code that is raised anywhere is documented once, and each fault's own examples show it."""

from __future__ import annotations

import ast
import json
import re
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

import fabricgen as package
from fabricgen.blueprint.load import load_blueprint
from fabricgen.cluster import build_cluster
from fabricgen.design.build import build_design
from fabricgen.kernel.diagnostics import Diagnostic, InputError
from fabricgen.lint.docs import explain_code, write_rules_page
from fabricgen.lint.documented import FAMILIES
from fabricgen.lint.engine import LintSettings, lint
from fabricgen.lint.examples import BASE, MARK
from fabricgen.lint.fault import FOLDER, Fault, find_page, list_documented_codes, load_faults
from fabricgen.lint.rule import load_all_rules
from fabricgen.pipeline import collect_other_findings
from tests.lint.golden_findings import assert_as_kept

SOURCE = Path(package.__file__).parent
SHOWN = [f for f in load_faults() if not f.in_words]


def raised() -> set[str]:
    """Every code that stands in the source as a value, outside of the rules and faults that document it."""
    own = "lint/rules/"
    files = [f for f in SOURCE.rglob("*.py") if not f.relative_to(SOURCE).as_posix().startswith(own)]
    files = [f for f in files if b'"FG' in f.read_bytes()]
    constants = (n.value for f in files for n in ast.walk(ast.parse(f.read_bytes())) if isinstance(n, ast.Constant))
    return {value for value in constants if isinstance(value, str) and re.fullmatch(r"FG\d{3}", value)}


@pytest.mark.slow
def test_every_code_is_documented_and_every_documented_fault_is_raised() -> None:
    rules, faults = {r.id for r in load_all_rules()}, {f.id for f in load_faults()}
    assert raised() - rules == faults
    assert [c.id for c in list_documented_codes()] == sorted(rules | faults)


def test_a_fault_is_a_table_in_the_file_of_its_family() -> None:
    codes = [code for file in FOLDER.glob("*.toml") for code in tomllib.loads(file.read_text(encoding="utf-8"))]
    assert sorted(codes) == [f.id for f in load_faults()]


def read(file: Path) -> object:
    return load_blueprint(str(file))


def designed(file: Path) -> object:
    return build_design(load_blueprint(str(file)))


def judged(file: Path) -> object:
    """Judge a cluster; what is found is raised, as faults are."""
    design = build_design(load_blueprint(str(file)))
    cluster = build_cluster(design)
    raise InputError(
        lint(design, cluster, LintSettings(as_of="2026-01-01"), collect_other_findings(cluster, None)).findings
    )


STAGES = (read, designed, judged)


def said(stage: Callable[[Path], object], code: str, file: Path, example: str) -> list[Diagnostic]:
    """The findings of a code on an example, laid over the small valid blueprint, up to a stage."""
    file.write_text(f"include: base.yaml\n{example}\n", encoding="utf-8")
    try:
        stage(file)
    except InputError as error:
        return [d for d in error.diagnostics if d.code == code]
    return []


@pytest.mark.tenth
@pytest.mark.parametrize("fault", SHOWN, ids=lambda f: f.id)
def test_bad_is_refused_where_it_is_marked_and_good_is_taken(
    fault: Fault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.setattr(
        "fabricgen.design.advice.hints.find_advice", lambda *_: ()
    )  # looking for advice is what takes time
    (tmp_path / "base.yaml").write_text(BASE, encoding="utf-8")
    bad, good = fault.examples
    file = tmp_path / "example.yaml"
    stage, refused = next((s, found) for s in STAGES if (found := said(s, fault.id, file, bad)))
    marked = [i for i, line in enumerate(bad.splitlines(), start=2) if line.endswith(MARK)]
    assert [(d.span.file, d.span.line) for d in refused if d.span] == [(str(file), line) for line in marked]
    assert all(d.severity is fault.severity for d in refused)
    assert said(stage, fault.id, file, good) == []
    assert_as_kept(fault.id, refused, tmp_path, request)


@pytest.mark.parametrize("fault", load_faults(), ids=lambda f: f.id)
def test_a_fault_says_what_why_and_how(fault: Fault) -> None:
    page = explain_code(fault)
    assert len(fault.about.split("\n\n")) >= 2 or fault.in_words
    assert page.startswith(
        f"{fault.id} {fault.title} ({fault.severity.label}, {fault.kind}, {FAMILIES[fault.id[:3]]})\n"
    )
    assert all(fault.examples)
    assert find_page(fault.id) is not None


def test_no_two_codes_have_one_name_or_title() -> None:
    codes = list_documented_codes()
    assert len({c.name for c in codes}) == len({c.title for c in codes}) == len(codes)
    assert all(re.fullmatch(r"[A-Z][A-Za-z0-9]+", c.name) for c in codes)


def test_the_page_has_every_code_under_its_family() -> None:
    family = ""
    for line in write_rules_page().splitlines():
        family = line[3:6] if line.startswith("## ") else family
        if line.startswith("- **"):
            assert line[4:].startswith(family)
    listed = re.findall(r"^- \*\*(FG\d{3})\*\*", write_rules_page(), re.MULTILINE)
    assert listed == [c.id for c in list_documented_codes()]


def test_the_manual_explains_every_code_that_begins_so(fabricgen) -> None:
    manual = fabricgen("rules", "FG30", "--format", "markdown").out
    chosen = [c for c in list_documented_codes() if c.id.startswith("FG30")]
    assert re.findall(r"^## (FG\d{3})", manual, re.MULTILINE) == [c.id for c in chosen]
    assert all(c.about in manual and all(example in manual for example in c.examples) for c in chosen)


def test_rules_lists_by_family_and_by_prefix(fabricgen) -> None:
    whole, part = fabricgen("rules").out, fabricgen("rules", "fg2").out
    assert [line[:3] for line in whole.splitlines() if line.startswith("FG")] == sorted(FAMILIES)
    assert re.findall(r"^  (FG\d{3})", whole, re.MULTILINE) == [c.id for c in list_documented_codes()]
    assert re.findall(r"^  (FG\d{3})", part, re.MULTILINE) == [
        c.id for c in list_documented_codes() if c.id.startswith("FG2")
    ]
    assert fabricgen("rules", "fg101").out == explain_code(find_page("FG101"))


def test_rules_as_json(fabricgen) -> None:
    listed = json.loads(fabricgen("rules", "--format", "json").out)
    assert [c["code"] for c in listed] == [c.id for c in list_documented_codes()]
    (one,) = json.loads(fabricgen("rules", "FG303", "--format", "json").out)
    assert {key: one[key] for key in ("code", "family", "kind", "severity", "examples")} == {
        "code": "FG303",
        "family": "topology",
        "kind": "design rule",
        "severity": "warning",
        "examples": "blueprint",
    }


def test_an_unknown_code_is_told_what_is_near(fabricgen) -> None:
    ran = fabricgen("rules", "FG1O1")
    assert (ran.code, ran.out) == (2, "")
    assert "error[FG034]: there is no rule or fault 'FG1O1'\n  hint: did you mean 'FG" in ran.err


def test_a_fault_cannot_be_waived(tmp_path: Path) -> None:
    file = tmp_path / "b.yaml"
    file.write_text(f"{BASE}lint: {{severity: {{FG101: info, FG999: info}}}}\n", encoding="utf-8")
    found = lint(build_design(load_blueprint(str(file)))).findings
    assert [d.hint.partition(":")[0].partition(" 'FG")[0] for d in found] == ["that is a fault", "did you mean"]

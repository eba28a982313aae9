"""Each rule's own examples: the bad one is flagged at its marked line, in kept words, the good one is clean of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

from fabricgen.blueprint.load import load_blueprint
from fabricgen.cluster import build_cluster
from fabricgen.design.build import build_design
from fabricgen.kernel.diagnostics import Severity
from fabricgen.lint.docs import explain_code
from fabricgen.lint.engine import LintResult, LintSettings, lint
from fabricgen.lint.examples import BASE, MARK
from fabricgen.lint.fault import load_faults
from fabricgen.lint.rule import Rule, load_all_rules
from tests.conftest import EXAMPLES, example_cluster, example_design
from tests.lint.golden_findings import FINDINGS, assert_as_kept


@pytest.fixture
def judged(tmp_path: Path) -> Callable[[str], LintResult]:
    """Lint an example laid over the small valid blueprint."""
    (tmp_path / "base.yaml").write_text(BASE, encoding="utf-8")

    def judge(example: str, settings: LintSettings | None = None) -> LintResult:
        file = tmp_path / "example.yaml"
        file.write_text("include: base.yaml\n" + dedent(example), encoding="utf-8")
        design = build_design(load_blueprint(str(file)))
        return lint(design, build_cluster(design), settings)

    return judge


@pytest.mark.tenth
@pytest.mark.parametrize("rule", load_all_rules(), ids=lambda r: r.id)
def test_bad_is_flagged_where_it_is_marked(rule: Rule, judged, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    lines = ("include: base.yaml\n" + dedent(rule.bad)).splitlines()
    marked = [i for i, line in enumerate(lines, start=1) if line.rstrip().endswith(MARK)]
    found = [d for d in judged(rule.bad).findings if d.code == rule.id]
    assert [d.span.line for d in found] == marked
    assert all(d.span.file.endswith("example.yaml") for d in found)
    assert all(d.severity is rule.severity for d in found)
    assert_as_kept(rule.id, found, tmp_path, request)


@pytest.mark.tenth
@pytest.mark.parametrize("rule", load_all_rules(), ids=lambda r: r.id)
def test_good_is_clean(rule: Rule, judged) -> None:
    assert rule.id not in {d.code for d in judged(rule.good).findings}


def test_every_kept_finding_is_of_a_rule_or_a_fault_with_examples() -> None:
    codes = {rule.id for rule in load_all_rules()} | {fault.id for fault in load_faults() if not fault.in_words}
    assert {file.stem for file in FINDINGS.iterdir()} == codes


@pytest.mark.parametrize("rule", load_all_rules(), ids=lambda r: r.id)
def test_a_rule_says_what_why_and_how(rule: Rule) -> None:
    paragraphs = (rule.__doc__ or "").strip().split("\n\n")
    assert len(paragraphs) >= 2
    assert rule.title in explain_code(rule)


@pytest.mark.tenth
@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_raise_nothing_above_info(name: str) -> None:
    result = lint(example_design(name), example_cluster(name))
    assert [d.text() for d in result.findings if d.severity > Severity.INFO] == []


WAIVED = """
fabrics: {{compute: {{tiers: {{spine: {{switch: sn5600, count: 2}}}}}}}}
lint: {{severity: {{FG657: ignore, FG659: ignore}}, waive: [{{rule: FG303, at: {at}, why: pilot, until: 2027-01-31}}]}}
floor: {{trays: {{cold_ports: [sn5600]}}}}
"""


def test_a_waiver_covers_its_place_until_its_day(judged) -> None:
    covered = judged(WAIVED.format(at="fabrics/compute"), LintSettings(as_of="2027-01-31"))
    assert covered.findings == ()
    assert [(w.finding.code, w.reason) for w in covered.waived] == [("FG303", "pilot (until 2027-01-31)")]
    elsewhere = judged(WAIVED.format(at="fabrics/storage"))
    assert [d.code for d in elsewhere.findings] == ["FG303", "FG802"]
    late = judged(WAIVED.format(at="fabrics/compute"), LintSettings(as_of="2027-02-01"))
    assert [d.code for d in late.findings] == ["FG303", "FG801"]


def test_codes_are_selected_and_ignored_by_prefix(judged) -> None:
    text = "fabrics: {compute: {tiers: {spine: {switch: sn5600, count: 3}}}}\nfloor: {trays: {cold_ports: [sn5600]}}"
    text += "\nlint: {severity: {FG657: ignore, FG659: ignore}}"
    codes = lambda s: [d.code for d in judged(text, s).findings]  # noqa: E731
    assert codes(None) == ["FG303"]
    assert codes(LintSettings(select=("FG2",))) == []
    assert codes(LintSettings(ignore=("FG30",))) == []

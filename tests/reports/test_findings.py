"""Formats of findings: whoever judges has all of them, and they say the same of the same."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from fabricgen.kernel.diagnostics import Severity, Span
from fabricgen.kernel.discovery import list_modules, load_module
from fabricgen.reports.formats import FINDINGS, list_formats
from fabricgen.reports.judgement import Case, Finding, Judgement, Suite
from fabricgen.verify.drift.finding import Checked, Drift
from fabricgen.verify.drift.finding import DriftFinding as Drifted
from fabricgen.verify.drift.reports._findings import describe_findings

ERROR = Finding(Severity.ERROR, "port: down", "one, two", span=Span("a,b.yaml", 0, 0))
WARNING = Finding(Severity.WARNING, "late", "50%", lines=("50%", "soon"), details=("<all>",), kind="time")
INFO = Finding(Severity.INFO, "full", "nearly full")
CASES = (Case("both", [ERROR, WARNING]), Case("info", [INFO]), Case("waived", skipped="a pilot"), Case("fine"))


def write(form: str, *suites: Suite) -> str:
    findings = [finding for suite in suites for case in suite.cases for finding in case.findings]
    text = load_module(FINDINGS, form).write(Judgement("fabricgen test", findings, suites))
    assert isinstance(text, str)
    return text


@pytest.mark.parametrize(
    "reports", ["fabricgen.lint.reports", "fabricgen.verify.reports", "fabricgen.verify.drift.reports"]
)
def test_whoever_judges_has_all_formats_of_findings_and_its_own(reports: str) -> None:
    own = set(list_modules(reports))
    assert {"json", "text"} <= own
    assert list_formats(reports) == tuple(sorted(own | {"github", "junit"}))


def test_annotations_have_a_place_a_title_and_lines() -> None:
    assert write("github", Suite("s", CASES)).splitlines() == [
        "::error file=a%2Cb.yaml,title=port%3A down::one, two",
        "::warning title=late::50%25%0Asoon",
        "::notice title=full::nearly full",
    ]


@pytest.mark.parametrize(("usable", "tag"), [(True, "failure"), (False, "error")])
def test_junit_fails_a_case_by_what_is_worse_than_information(usable: bool, tag: str) -> None:
    root = ElementTree.fromstring(write("junit", Suite("s", CASES, usable=usable), Suite("clean", ())))
    suite, clean = root
    counts = {"tests": "4", "failures": str(int(usable)), "errors": str(int(not usable)), "skipped": "1"}
    assert suite.attrib == {"name": "s", **counts}
    assert (root.get("tests"), root.get("failures"), root.get("skipped")) == ("5", counts["failures"], None)
    both, info, waived, fine = suite
    assert [(found.tag, found.get("type"), found.get("message"), found.text) for found in both] == [
        (tag, None, "one, two", None),
        (tag, "time", "50%", "<all>"),
    ]
    assert [(told.tag, told.text) for told in info] == [("system-out", "nearly full")]
    assert [(told.tag, told.get("message")) for told in waived] == [("skipped", "a pilot")]
    assert not len(fine)
    assert [(case.get("name"), len(case)) for case in clean] == [("no findings", 0)]


def test_what_is_only_information_beside_devices_fails_no_case_of_drift() -> None:
    told = Drifted("a.yaml:3:1", "", "the waiver of mtu covers no difference", Severity.INFO)
    judgement = describe_findings(Drift((Checked("leaf", (), (Drifted("leaf", "", "is off"),)),), (), (), (), (told,)))
    (suite,) = ElementTree.fromstring(load_module(FINDINGS, "junit").write(judgement))
    assert suite.attrib == {"name": "running configurations", "tests": "2", "failures": "1", "errors": "0"}
    assert [[found.tag for found in case] for case in suite] == [["failure"], ["system-out"]]

"""Report formats: what people, programs and CI systems are handed."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from fabricgen.kernel.diagnostics import Diagnostic, Severity, Span
from fabricgen.lint.report import FileReport, report_formats, write_report

AWKWARD = "50% of p1:leaf, [su] & <rail>\nsecond line"


@pytest.fixture
def results(tmp_path: Path) -> list[FileReport]:
    """One blueprint with findings of each severity, one with none."""
    file = tmp_path / "a, b.yaml"
    file.write_text("name: x\nfabrics: {compute: 1}\n", encoding="utf-8")
    findings = (
        Diagnostic("FG201", Severity.ERROR, AWKWARD, ("fabrics", "compute"), "a hint", Span(str(file), 2, 11, 2, 18)),
        Diagnostic("FG303", Severity.WARNING, "few", ("fabrics",), "", Span(str(file), 1, 7, 1, 8)),
        Diagnostic("FG105", Severity.INFO, "full", (), "", Span(str(file), 1, 1)),
    )
    return [FileReport(str(file), findings, 2), FileReport("clean.yaml", ())]


def test_the_folder_is_the_list_of_formats() -> None:
    assert report_formats() == ("github", "json", "junit", "sarif", "text")
    with pytest.raises(KeyError):
        write_report("yaml", [])


@pytest.mark.parametrize("form", report_formats())
def test_every_format_is_the_same_twice_and_takes_nothing(form: str, results: list[FileReport]) -> None:
    assert write_report(form, results) == write_report(form, results)
    assert isinstance(write_report(form, []), str)


def test_text_shows_the_place_the_line_and_the_hint(results: list[FileReport]) -> None:
    lines = write_report("text", results).splitlines()
    assert any(line.startswith(results[0].file + ":2:11: error[FG201]: 50% of") for line in lines)
    at = next(i for i, line in enumerate(lines) if "fabrics: {compute: 1}" in line)
    assert lines[at + 1].index("^") == lines[at].index("compute")
    assert lines[at + 1].count("^") == len("compute")
    assert "  hint: a hint" in lines
    assert lines[-1].startswith("2 blueprints: ")
    assert {"1 error", "1 warning", "1 info", "2 waived"} <= set(lines[-1].partition(": ")[2].split(", "))


def test_json_has_every_field_and_the_totals(results: list[FileReport]) -> None:
    report = json.loads(write_report("json", results))
    assert report["totals"] == {"error": 1, "warning": 1, "info": 1, "waived": 2}
    assert report["findings"][0] == {
        "code": "FG201",
        "severity": "error",
        "message": AWKWARD,
        "hint": "a hint",
        "path": "fabrics.compute",
        "file": results[0].file,
        "line": 2,
        "column": 11,
        "end_line": 2,
        "end_column": 18,
    }


def test_github_commands_are_escaped(results: list[FileReport]) -> None:
    lines = write_report("github", results).splitlines()
    assert [line.partition(" ")[0] for line in lines] == ["::error", "::warning", "::notice"]
    properties, _, message = lines[0].removeprefix("::error ").partition("::")
    assert dict(p.split("=", 1) for p in properties.split(",")) == {
        "file": results[0].file.replace(",", "%2C"),
        "line": "2",
        "col": "11",
        "title": "FG201",
    }
    assert message == "50%25 of p1:leaf, [su] & <rail>%0Asecond line%0Aa hint"


def test_junit_parses_and_counts_what_it_says(results: list[FileReport]) -> None:
    root = ElementTree.fromstring(write_report("junit", results))
    suites = root.findall("testsuite")
    assert [s.get("name") for s in suites] == [r.file for r in results]
    for suite in suites:
        assert int(suite.get("tests", "0")) == len(suite.findall("testcase")) > 0
        assert int(suite.get("failures", "-1")) == len(suite.findall("testcase/failure"))
    assert AWKWARD.splitlines()[0] in (suites[0].find("testcase/failure").text or "")


def test_sarif_has_what_the_standard_requires(results: list[FileReport]) -> None:
    log = json.loads(write_report("sarif", results))
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert run["tool"]["driver"]["name"] == "fabricgen"
    assert [r["level"] for r in run["results"]] == ["error", "warning", "note"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["message"]["text"]
        place = result["locations"][0]["physicalLocation"]
        assert not set(" ,<>") & set(place["artifactLocation"]["uri"])
        assert place["region"]["startLine"] >= 1
        assert place["region"]["startColumn"] >= 1
    assert run["results"][0]["locations"][0]["physicalLocation"]["region"] == {
        "startLine": 2,
        "startColumn": 11,
        "endLine": 2,
        "endColumn": 18,
    }


def test_codes_that_are_no_rules_are_reported_too() -> None:
    fault = Diagnostic("FG002", Severity.ERROR, "not valid YAML", span=Span("x.yaml", 1, 1))
    for form in report_formats():
        assert "FG002" in write_report(form, [FileReport("x.yaml", (fault,))])

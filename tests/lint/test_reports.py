"""Report formats: what they show, that they keep to their standards, and that no name or message can forge output."""

from __future__ import annotations

import io
import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

import jsonschema
import pytest

from fabricgen.kernel.diagnostics import Diagnostic, Edit, Severity, Span
from fabricgen.lint.examples import BASE
from fabricgen.lint.fault import find_page
from fabricgen.lint.report import REPORTS, FileReport, write_report
from fabricgen.lint.rule import load_all_rules
from fabricgen.lint.waived import Softened, Waived
from fabricgen.reports.formats import list_formats
from tests.effort import calls
from tests.lint import sarif_profile

AWKWARD = "50% of p1:leaf, [su] & <rail>"
HOSTILE = "a\n::error file=x::forged\r\x1b[31m]]>&\"'<b>\x00\udcff\ufffe\u2028%0A"


def finding(code: str, severity: Severity, message: str, *, path: str = "", **place: Any) -> Diagnostic:
    return Diagnostic(code, severity, message, tuple(path.split(".")) if path else (), "a hint", Span(**place))


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("a, b.yaml").write_text("name: x\nfabrics: {compute: 1}\n", encoding="utf-8")
    return "a, b.yaml"


@pytest.fixture
def results(file: str) -> list[FileReport]:
    """One blueprint with findings of each severity and a waived one, one with none, one that cannot be used."""
    region = {"line": 2, "column": 11, "end_line": 2, "end_column": 18}
    findings = (
        finding("FG201", Severity.ERROR, AWKWARD, path="fabrics.compute", file=file, **region),
        finding(
            "FG303", Severity.WARNING, "few", path="fabrics", file=file, line=1, column=7, end_line=2, end_column=1
        ),
        finding("FG105", Severity.INFO, "full", file=file, line=1, column=1),
    )
    few = finding("FG303", Severity.WARNING, "few", path="fabrics.storage", file=file, line=2, column=1)
    waived = Waived(few, "a pilot", "2027-01-31", Span(file, 1, 1))
    broken = finding("FG002", Severity.ERROR, "a second document begins here", file="-bad.yaml", line=3, column=1)
    return [
        FileReport(file, findings, (waived,)),
        FileReport("clean.yaml", (), softened=(Softened("project", "ignore", "FG604", Severity.INFO, 2),)),
        FileReport("-bad.yaml", (broken,), usable=False),
    ]


@pytest.fixture
def hostile() -> list[FileReport]:
    """Names and messages that would break out of every format."""
    found = Diagnostic("FG010", Severity.ERROR, HOSTILE, ("a", HOSTILE), HOSTILE, Span(HOSTILE, 1, 2, 3, 4))
    waived = Waived(found, HOSTILE, "", Span(HOSTILE, 1, 1))
    return [FileReport(HOSTILE, (found,), (waived,)), FileReport(HOSTILE, (found,), usable=False)]


def test_the_folder_is_the_list_of_formats() -> None:
    assert list_formats(REPORTS) == ("github", "json", "junit", "sarif", "text")
    with pytest.raises(KeyError):
        write_report("yaml", [])


@pytest.mark.parametrize("form", list_formats(REPORTS))
def test_every_format_is_the_same_twice_and_takes_nothing(form: str, results: list[FileReport]) -> None:
    assert write_report(form, results) == write_report(form, results)
    assert isinstance(write_report(form, []), str)


@pytest.mark.parametrize("form", list_formats(REPORTS))
def test_no_name_or_message_adds_a_line_or_a_control_character(form: str, hostile: list[FileReport]) -> None:
    text = write_report(form, hostile)
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f\ud800-\udfff\u2028]", text)
    assert not any(line.lstrip().startswith("::error file=x") for line in text.splitlines())
    text.encode()


@pytest.mark.parametrize("form", list_formats(REPORTS))
def test_standard_input_is_no_file(form: str) -> None:
    found = finding("FG002", Severity.ERROR, "a second document begins here", file="<stdin>", line=1, column=1)
    text = write_report(form, [FileReport("-", (found,), usable=False)])
    assert "stdin" in text
    if form == "sarif":
        (location,) = json.loads(text)["runs"][0]["results"][0]["locations"]
        assert location == {"message": {"text": "<stdin>:1:1"}}
    if form == "github":
        assert text.startswith("::error title=FG002%3A ")


def test_a_value_that_is_set_is_shown_with_its_blueprint(file: str) -> None:
    found = finding("FG303", Severity.WARNING, "few", path="x", file="--set fabrics.compute.planes", line=1, column=1)
    reports = [FileReport(file, (found,))]
    (location,) = json.loads(write_report("sarif", reports))["runs"][0]["results"][0]["locations"]
    assert location["physicalLocation"] == {"artifactLocation": {"uri": "a%2C%20b.yaml", "uriBaseId": "%SRCROOT%"}}
    assert location["message"]["text"] == "--set fabrics.compute.planes:1:1"
    command = write_report("github", reports)
    assert command.startswith("::warning file=a%2C b.yaml,title=FG303")
    assert command.endswith("at --set fabrics.compute.planes:1:1")
    assert len(write_report("text", reports).splitlines()) == 3


def test_text_shows_the_place_the_line_and_the_hint(results: list[FileReport]) -> None:
    lines = write_report("text", results).splitlines()
    assert lines[0] == f"a, b.yaml:2:11: error[FG201]: {AWKWARD}"
    at = lines.index("    2 | fabrics: {compute: 1}")
    assert lines[at + 1].index("^") == lines[at].index("compute")
    assert lines[at + 1].count("^") == len("compute")
    assert lines[at + 2] == "  hint: a hint"
    assert lines[-2] == "3 blueprints: 2 errors, 1 warning, 1 info, 1 waived"
    assert lines[-1] == "ignored by project settings: 2 info[FG604]"


@pytest.mark.parametrize(
    ("line", "stretch", "shown", "under"),
    [
        ("\tcount: 4", (9, 10), "\tcount: 4", "\t       ^"),
        ("名前: spine", (5, 10), "名前: spine", "      ^^^^^"),
        ("e\u0301: 名", (5, 6), "e\u0301: 名", "   ^^"),
        ("why: |", (6, 0), "why: |", "     ^"),
        ("a: {b: 1,  ", (4, 0), "a: {b: 1,  ", "   ^^^^^^"),
        ("name: \x1b[31mred", (7, 15), "name: \ufffd[31mred", "      ^^^^^^^^"),
        ("why: \u202etxt", (6, 10), "why: \ufffdtxt", "     ^^^^"),
        ("x" * 200 + ": " + "y" * 20, (203, 223), "…" + "x" * 15 + ": " + "y" * 20, " " * 18 + "^" * 20),
        ("k: " + "y" * 300, (4, 304), "k: " + "y" * 25 + "…", "   " + "^" * 26),
        ("k: 1 # " + "z" * 300, (4, 5), "k: 1 # " + "z" * 45 + "…", "   ^"),
    ],
)
def test_the_caret_stands_under_the_fault(
    tmp_path: Path, line: str, stretch: tuple[int, int], shown: str, under: str
) -> None:
    """Tabs, wide and combining characters, values that go on below, control characters, long lines."""
    file = tmp_path / "b.yaml"
    file.write_bytes(f"\ufefffirst: 1\r\n{line}\r\nlast: 2\r\n".encode())
    start, end = stretch
    span = Span(str(file), 2, start, 2 if end else 3, end or 4)
    _, excerpt, caret, *_ = write_report("text", [_one(span)]).split("\n")
    assert excerpt == f"    2 | {shown}"
    assert caret == f"        {under}"


def _one(span: Span) -> FileReport:
    return FileReport(span.file, (Diagnostic("FG105", Severity.WARNING, "full", span=span),))


def test_text_says_how_many_findings_can_be_mended(file: str) -> None:
    found = Diagnostic("FG803", Severity.WARNING, "no effect", ("name",), fix=(Edit("remove", ("name",)),))
    last = write_report("text", [FileReport(file, (found, found))]).splitlines()[-1]
    assert last == "1 blueprint: 0 errors, 2 warnings, 0 infos; --fix mends 2"


def test_a_byte_order_mark_moves_no_caret(tmp_path: Path) -> None:
    file = tmp_path / "b.yaml"
    file.write_bytes("\ufeffname: x".encode())
    lines = write_report("text", [_one(Span(str(file), 1, 7, 1, 8))]).splitlines()
    assert lines[1:3] == ["    1 | name: x", "              ^"]


def test_json_has_every_field_and_the_totals(results: list[FileReport]) -> None:
    report = json.loads(write_report("json", results))
    assert list(report) == ["version", "blueprints", "findings", "waived", "softened", "totals", "fast"]
    assert report["totals"] == {"error": 2, "warning": 1, "info": 1, "waived": 1}
    assert report["blueprints"] == [
        {"file": "a, b.yaml", "usable": True},
        {"file": "clean.yaml", "usable": True},
        {"file": "-bad.yaml", "usable": False},
    ]
    assert report["findings"][0] == {
        "code": "FG201",
        "severity": "error",
        "message": AWKWARD,
        "hint": "a hint",
        "path": "fabrics.compute",
        "fixable": False,
        "file": "a, b.yaml",
        "line": 2,
        "column": 11,
        "end_line": 2,
        "end_column": 18,
        "blueprint": "a, b.yaml",
    }
    (waived,) = report["waived"]
    assert (waived["why"], waived["until"], waived["waiver"]["line"]) == ("a pilot", "2027-01-31", 1)


def test_the_page_on_reports_has_every_key_of_the_json(results: list[FileReport]) -> None:
    page = (Path(__file__).parents[2] / "docs" / "lint.md").read_text(encoding="utf-8").partition("### JSON")[2]
    report = json.loads(write_report("json", results))
    keys = {*report, *report["blueprints"][0], *report["findings"][0], *report["waived"][0], *report["softened"][0]}
    cells = re.findall(r"^\| ([^|]*) \|", page, re.MULTILINE)
    assert {key for cell in cells for key in re.findall(r"`(\w+)`", cell)} == keys


def test_github_commands_are_escaped(results: list[FileReport]) -> None:
    lines = write_report("github", results).splitlines()
    assert [line.partition(" ")[0] for line in lines] == ["::error", "::warning", "::notice", "::error"]
    properties, _, message = lines[0].removeprefix("::error ").partition("::")
    assert dict(p.split("=", 1) for p in properties.split(",")) == {
        "file": "a%2C b.yaml",
        "line": "2",
        "col": "11",
        "endLine": "2",
        "endColumn": "18",
        "title": "FG201%3A a tier is more oversubscribed than allowed",
    }
    assert message == "50%25 of p1:leaf, [su] & <rail>%0Aa hint"
    assert lines[1].startswith("::warning file=a%2C b.yaml,line=1,endLine=1,title=FG303"), "no columns over lines"


JUNIT: Mapping[str, tuple[set[str], set[str], set[str]]] = {
    "testsuites": (set(), {"name", "time", "tests", "failures", "errors"}, {"testsuite"}),
    "testsuite": ({"name", "tests", "failures", "errors"}, {"skipped", "time", "id"}, {"testcase"}),
    "testcase": ({"name"}, {"classname", "time"}, {"failure", "error", "skipped", "system-out"}),
    "failure": (set(), {"type", "message"}, set()),
    "error": (set(), {"type", "message"}, set()),
    "skipped": (set(), {"type", "message"}, set()),
    "system-out": (set(), set(), set()),
}
"""What junit-10.xsd of Jenkins' xUnit plugin asks: attributes that must be there, that may, and children."""


def test_junit_keeps_to_its_schema_and_counts_what_it_says(
    results: list[FileReport], hostile: list[FileReport]
) -> None:
    for reports in (results, hostile):
        root = ElementTree.fromstring(write_report("junit", reports))
        for element in root.iter():
            required, allowed, children = JUNIT[element.tag]
            assert required <= set(element.keys()) <= required | allowed
            assert {child.tag for child in element} <= children
        for suite in root:
            assert int(suite.get("tests", "")) == len(suite.findall("testcase")) > 0
            for count, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
                assert int(suite.get(count, "")) == len(suite.findall(f"testcase/{tag}"))
        assert int(root.get("tests", "")) == len(root.findall("testsuite/testcase"))


def test_junit_says_what_is_wrong(results: list[FileReport]) -> None:
    suites = ElementTree.fromstring(write_report("junit", results))
    assert [s.get("name") for s in suites] == ["a, b.yaml", "clean.yaml", "-bad.yaml"]
    assert [s.get("errors") for s in suites] == ["0", "0", "1"]
    failed = suites[0].find("testcase/failure")
    assert failed is not None
    assert failed.get("message") == AWKWARD
    assert failed.text == f"a, b.yaml:2:11: error[FG201]: {AWKWARD}\n  hint: a hint"
    assert [s.get("message") for s in suites.iter("skipped")] == ["few: a pilot (until 2027-01-31)"]


def sarif(reports: list[FileReport]) -> dict[str, Any]:
    log = json.loads(write_report("sarif", reports))
    (run,) = log["runs"]
    assert isinstance(run, dict)
    return run


@pytest.mark.slow
def test_sarif_keeps_to_the_standard(results: list[FileReport], hostile: list[FileReport]) -> None:
    """By our own words for what we write; by the schema of OASIS itself where SARIF_SCHEMA names its file."""
    schemas = [sarif_profile.SCHEMA]
    if official := os.environ.get("SARIF_SCHEMA"):
        schemas.append(json.loads(Path(official).read_text(encoding="utf-8")))
    for schema in schemas:
        validator = jsonschema.validators.validator_for(schema)(schema)
        for reports in (results, hostile, []):
            assert [e.message for e in validator.iter_errors(json.loads(write_report("sarif", reports)))] == []


def test_sarif_describes_every_rule_and_the_faults_found(results: list[FileReport]) -> None:
    run = sarif(results)
    rules = run["tool"]["driver"]["rules"]
    assert [r["id"] for r in rules] == sorted({*(r.id for r in load_all_rules()), "FG002"})
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
    described = next(r for r in rules if r["id"] == "FG303")
    page = find_page("FG303")
    assert page
    assert described["name"] == page.name
    assert described["properties"] == {"tags": ["topology", "design rule"], "problem.severity": "warning"}
    assert page.examples[0] in described["help"]["markdown"]


def test_sarif_has_places_suppressions_and_levels(results: list[FileReport]) -> None:
    found = sarif(results)["results"]
    assert [r["level"] for r in found] == ["error", "warning", "note", "error", "warning"]
    (place,) = found[0]["locations"]
    assert place["physicalLocation"] == {
        "artifactLocation": {"uri": "a%2C%20b.yaml", "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": 2, "startColumn": 11, "endLine": 2, "endColumn": 18},
    }
    assert place["logicalLocations"][0]["fullyQualifiedName"] == "fabrics.compute"
    assert [len(r["suppressions"]) for r in found] == [0, 0, 0, 0, 1]
    (waived,) = found[4]["suppressions"]
    assert (waived["kind"], waived["justification"]) == ("inSource", "a pilot (until 2027-01-31)")
    assert waived["location"]["physicalLocation"]["region"]["startLine"] == 1


def test_sarif_names_files_from_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = tmp_path / "50% #1"
    here.mkdir()
    monkeypatch.chdir(here)
    uris = [
        sarif([_one(Span(name, 1, 1))])["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
        for name in ("./x y.yaml", str(here / "ü" / "z.yaml"), "../out.yaml")
    ]
    assert [unquote(u["uri"]) for u in uris[:2]] == ["x y.yaml", "ü/z.yaml"]
    assert all(u["uriBaseId"] == "%SRCROOT%" and not set(' #"<>') & set(u["uri"]) for u in uris[:2])
    assert uris[2] == {"uri": (tmp_path / "out.yaml").as_uri()}


def test_fingerprints_stay_when_lines_move_and_numbers_change(file: str) -> None:
    def prints(*found: Diagnostic) -> list[str]:
        return [r["partialFingerprints"]["fabricgenPath/v1"] for r in sarif([FileReport(file, found)])["results"]]

    few = {"code": "FG303", "severity": Severity.WARNING, "path": "fabrics.compute", "file": file, "column": 1}
    first = prints(finding(message="2 spines", line=3, **few))
    assert prints(finding(message="3 spines", line=9, **few)) == first
    twice = prints(finding(message="2 spines", line=3, **few), finding(message="another", line=3, **few))
    assert twice[0] == first[0] != twice[1]
    other = prints(finding(message="2 spines", line=3, **few | {"path": "fabrics.storage"}))
    assert other != first


@pytest.mark.parametrize("form", list_formats(REPORTS))
def test_every_blueprint_is_in_the_report(form: str, file: str, fabricgen, monkeypatch: pytest.MonkeyPatch) -> None:
    """Several, one of them from standard input, of which some cannot be used."""
    Path("good.yaml").write_text(BASE, encoding="utf-8")
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(b"name: {")))
    ran = fabricgen("lint", "--fast", "-", file, "good.yaml", "none.yaml", "--format", form)
    assert ran.code == 2
    assert ran.err == ""
    codes = ["FG001", "FG002", "FG010"] if form != "github" else ["title=FG001", "title=FG002", "title=FG010"]
    assert all(code in ran.out for code in codes)
    assert "good.yaml" in ran.out or form not in ("json", "junit")


def test_what_several_blueprints_include_is_shown_once(tmp_path: Path) -> None:
    shared = tmp_path / "pools.yaml"
    shared.write_text("pools: {}\n", encoding="utf-8")
    found = Diagnostic("FG506", Severity.WARNING, "nearly full", ("pools",), span=Span(str(shared), 1, 1))
    results = [FileReport("a.yaml", (found,)), FileReport("b.yaml", (found,)), FileReport("c.yaml", ())]
    text = write_report("text", results)
    assert text.count("nearly full") == 1
    assert "\n  in: a.yaml, b.yaml\n3 blueprints: 0 errors, 2 warnings, 0 infos" in text
    assert write_report("github", results).count("::nearly full") == 1


@pytest.mark.slow
def test_many_faults_on_one_long_line_do_not_go_through_it_each(tmp_path: Path) -> None:
    file = tmp_path / "long.yaml"
    file.write_text("a" * 3_000_000, encoding="utf-8")
    faults = tuple(
        Diagnostic("FG010", Severity.ERROR, f"no. {at}", span=Span(str(file), 1, at, 1, at + 3)) for at in range(1, 300)
    )
    result = FileReport(str(file), faults, usable=False)
    assert calls(lambda: write_report("text", [result])) < len(faults) * 10_000
    text = write_report("text", [result])
    assert max(map(len, text.splitlines())) < 120 + len(str(file))

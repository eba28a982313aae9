"""Severities, limits and choices that a blueprint or its project states."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from fabricgen.blueprint.load import load_blueprint
from fabricgen.blueprint.sections.lint_settings import Waiver
from fabricgen.cli.main import run_command
from fabricgen.design.build import build_design
from fabricgen.kernel.diagnostics import InputError, Severity
from fabricgen.lint.documented import ToDo
from fabricgen.lint.engine import LintSettings, lint
from fabricgen.lint.examples import BASE
from fabricgen.lint.rule import load_all_rules
from fabricgen.models.validation import MOST_FAULTS, MOST_TEXT

THREE_SPINES = BASE.replace("count: 4", "count: 3")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with one blueprint, three spines short of a warning, two folders down."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "site" / "blueprints").mkdir(parents=True)
    (tmp_path / "site" / "blueprints" / "pod.yaml").write_text(THREE_SPINES, encoding="utf-8")
    return tmp_path


def judged(project: Path, own: str = "", settings: LintSettings | None = None) -> list[tuple[str, str]]:
    """(code, severity) of what lint finds; `own` is added to the blueprint."""
    file = project / "site" / "blueprints" / "pod.yaml"
    file.write_text(THREE_SPINES + own, encoding="utf-8")
    found = lint(build_design(load_blueprint(str(file))), None, settings).findings
    return [(d.code, d.severity.label) for d in found]


def test_a_project_sets_severities_and_a_blueprint_has_the_last_word(project: Path) -> None:
    assert judged(project) == [("FG303", "warning")]
    (project / ".fabricgen.yaml").write_text("lint: {severity: {FG303: error}}", encoding="utf-8")
    assert judged(project) == [("FG303", "error")]
    assert judged(project, "lint: {severity: {FG303: info}}") == [("FG303", "info")]
    assert judged(project, "lint: {severity: {FG303: ignore}}") == []


def test_the_nearest_settings_count_and_none_above_the_repository(project: Path) -> None:
    (project / ".fabricgen.yaml").write_text("lint: {severity: {FG303: error}}", encoding="utf-8")
    (project / "site" / ".fabricgen.yaml").write_text("lint: {ignore: [FG3]}", encoding="utf-8")
    assert judged(project) == []
    (project / "site" / ".git").mkdir()
    (project / "site" / ".fabricgen.yaml").unlink()
    assert judged(project) == [("FG303", "warning")]


def test_rules_selected_by_an_option_replace_the_projects(project: Path) -> None:
    (project / ".fabricgen.yaml").write_text("lint: {select: [FG2]}", encoding="utf-8")
    assert judged(project) == []
    assert judged(project, settings=LintSettings(select=("FG3",))) == [("FG303", "warning")]


def test_a_severity_of_no_rule_is_found(project: Path) -> None:
    found = judged(project, "lint: {severity: {FG303: ignore, FG399: error}}")
    assert found == [("FG802", "warning")]


def test_settings_that_cannot_be_read_are_located(project: Path) -> None:
    (project / ".fabricgen.yaml").write_text("lint:\n  severity: {FG303: grave}\n", encoding="utf-8")
    with pytest.raises(InputError) as error:
        judged(project)
    (found,) = error.value.diagnostics
    assert (found.span.line, found.span.column) == (2, 21)
    assert found.span.file.endswith(".fabricgen.yaml")


def test_the_projects_severity_fails_the_command_unless_another_is_stated(project: Path) -> None:
    file = str(project / "site" / "blueprints" / "pod.yaml")
    assert run_command(["lint", "--fast", file]) == 0
    (project / ".fabricgen.yaml").write_text("lint: {fail_on: warning}", encoding="utf-8")
    assert run_command(["lint", "--fast", file]) == 1
    assert run_command(["lint", "--fast", "--fail-on", "error", file]) == 0
    other = project / "other.yaml"
    other.write_text("lint: {ignore: [FG]}", encoding="utf-8")
    assert run_command(["lint", "--fast", "--settings", str(other), file]) == 0


def test_an_option_that_names_no_code_is_refused(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(project / "site" / "blueprints" / "pod.yaml")
    assert run_command(["lint", "--fast", "--select", "fg3,FG399", file]) == 2
    assert "--select: no code begins with 'FG399'" in capsys.readouterr().err
    assert run_command(["lint", "--fast", "--ignore", "fg3,FG0", "--fail-on", "warning", file]) == 0


def test_limits_of_the_blueprint_stand_over_those_of_the_project(project: Path) -> None:
    (project / ".fabricgen.yaml").write_text(
        "lint: {limits: {pool_use: 1%, watchdog_detect_ms: 300, after_loss: {switch: 99%, rack: 0%}}}",
        encoding="utf-8",
    )
    own = "qos: {watchdog: {detect_ms: 400}}\nlint: {limits: {pool_use: 90%, after_loss: {switch: 50%, plane: 20%}}}"
    # FG806: no fabric has planes, of which one could be lost
    assert judged(project, own) == [("FG303", "warning"), ("FG709", "warning"), ("FG806", "warning")]
    loaded = load_blueprint(str(project / "site" / "blueprints" / "pod.yaml"))
    left = loaded.limits.after_loss
    assert (left.switch, left.plane, left.rack, left.row) == (0.5, 0.2, 0, None)


def test_codes_that_the_project_misspells_are_told_at_their_place(project: Path) -> None:
    settings = project / ".fabricgen.yaml"
    settings.write_text("lint:\n  ignore: [FG6, FG99]\n  severity: {FG999: error}\n", encoding="utf-8")
    file = project / "site" / "blueprints" / "pod.yaml"
    found = [d for d in lint(build_design(load_blueprint(str(file)))).findings if d.code == "FG802"]
    assert [(d.message, d.span.line, d.span.column) for d in found] == [
        ("no rule is FG99", 2, 17),
        ("no rule is FG999", 3, 14),
    ]
    assert all(d.span.file.endswith(".fabricgen.yaml") for d in found)


def test_a_blueprint_is_judged_alike_however_it_is_named(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / ".git").rmdir()
    (project / "site" / ".fabricgen.yaml").write_text("lint: {severity: {FG303: error}}", encoding="utf-8")
    (project / "other" / "deep").mkdir(parents=True)
    (project / "other" / ".fabricgen.yaml").write_text("lint: {ignore: [FG3]}", encoding="utf-8")
    (project / "other" / "link").symlink_to(project / "site" / "blueprints")
    monkeypatch.chdir(project / "other")
    for path in ("link/pod.yaml", "deep/../../site/blueprints/pod.yaml"):
        assert run_command(["lint", "--fast", path]) == 1


@pytest.mark.parametrize(
    ("at", "covered"),
    [
        ("config_of/spine-1.a/ports/Ethernet1/1", True),
        ("config_of.spine-1.a.ports.Ethernet1/1.mtu", True),
        ("/config_of/", True),
        ("config_of/spine-1.a/ports/Ethernet1", False),
        ("config_of/spine-1", False),
        ("", True),
    ],
)
def test_waivers_reach_names_with_dots_and_slashes(at: str, covered: bool) -> None:
    path = ("config_of", "spine-1.a", "ports", "Ethernet1/1", "mtu")
    assert Waiver(rule="FG813", at=at, why="pilot").covers(path) is covered


def test_days_are_of_the_calendar_however_they_are_written(project: Path) -> None:
    with pytest.raises(InputError, match="write the date as 2027-06-30, not '2027-02-31'"):
        judged(project, "lint: {waive: [{rule: FG303, why: pilot, until: 2027-02-31}]}")
    file = project / "site" / "blueprints" / "pod.yaml"
    own = "lint: {waive: [{rule: FG303, why: pilot, until: 2027-01-31}]}\n"
    file.write_text(THREE_SPINES + own, encoding="utf-8")
    for day, code in (("20270131", 0), ("20270201", 1)):
        assert run_command(["lint", "--fast", "--fail-on", "warning", "--as-of", day, str(file)]) == code


def test_a_report_tells_what_settings_and_blueprints_make_less_of(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = project / "site" / "blueprints" / "pod.yaml"
    (project / ".fabricgen.yaml").write_text("lint: {ignore: [FG3]}", encoding="utf-8")
    run_command(["lint", "--fast", str(file)])
    assert capsys.readouterr().out.endswith("\nignored by project settings: 1 warning[FG303]\n")
    (project / ".fabricgen.yaml").write_text("lint: {severity: {FG303: ignore}}", encoding="utf-8")
    run_command(["lint", "--fast", str(file), "--format", "json"])
    (told,) = json.loads(capsys.readouterr().out)["softened"]
    assert told == {
        "by": "project",
        "counts_as": "ignore",
        "code": "FG303",
        "severity": "warning",
        "findings": 1,
        "blueprint": str(file),
    }
    file.write_text(THREE_SPINES + "lint: {severity: {FG303: info}}", encoding="utf-8")
    run_command(["lint", "--fast", str(file), str(file.parent)])
    assert "taken for info by blueprint: 1 warning[FG303]" in capsys.readouterr().out
    run_command(["lint", "--fast", "--ignore", "FG3", str(file)])
    assert "FG3" not in capsys.readouterr().out


def test_a_graver_word_is_no_news(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / ".fabricgen.yaml").write_text("lint: {severity: {FG303: error}}", encoding="utf-8")
    run_command(["lint", "--fast", str(project / "site" / "blueprints")])
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith("1 blueprint: 1 error, 0 warnings, 0 infos")


@pytest.mark.slow
def test_a_flood_of_faults_is_told_in_few_words(project: Path) -> None:
    """Each unknown key is a search for a like one: of hundreds of thousands that took minutes."""
    file = project / "site" / "blueprints" / "pod.yaml"
    file.write_text(BASE + "".join(f"key{n}: 1\n" for n in range(MOST_FAULTS + 20)), encoding="utf-8")
    with pytest.raises(InputError) as raised:
        load_blueprint(str(file))
    *told, last = raised.value.diagnostics
    assert len(told) == MOST_FAULTS
    assert last.message == "20 more values or keys do not fit"
    assert last.span is not None
    assert last.span.line == BASE.count("\n") + MOST_FAULTS + 1


def test_a_message_does_not_quote_a_page(project: Path) -> None:
    file = project / "site" / "blueprints" / "pod.yaml"
    file.write_text(BASE.replace("name: example", f"name: {'A' * 100_000}"), encoding="utf-8")
    with pytest.raises(InputError) as raised:
        load_blueprint(str(file))
    assert max(len(d.message) for d in raised.value.diagnostics) <= MOST_TEXT + 100


def test_a_project_that_selects_no_rule_is_told(project: Path) -> None:
    (project / ".fabricgen.yaml").write_text("lint: {select: [FG999]}", encoding="utf-8")
    assert judged(project) == [("FG802", "warning")]


def test_infos_are_counted_and_shown_where_they_matter(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Neither errors nor warnings: one line, unless infos are asked for, chosen by code, or may fail."""
    file = project / "site" / "blueprints" / "pod.yaml"
    file.write_text(THREE_SPINES + "lint: {severity: {FG303: info}, limits: {spare_ports: 1}}\n", encoding="utf-8")

    def lint_file(*options: str) -> list[str]:
        run_command(["lint", "--fast", str(file), *options])
        return capsys.readouterr().out.splitlines()

    last, softened = lint_file()
    assert last.endswith("0 errors, 0 warnings, 1 info; plan rules not run (--fast); --verbose shows infos")
    assert softened == "taken for info by blueprint: 1 warning[FG303]"
    for options in (["--verbose"], ["--fail-on", "info"], ["--select", "FG303"]):
        heading, shown, *_ = lint_file(*options)
        assert heading == "infos: know it"
        assert "info[FG303]" in shown
    assert [finding["code"] for finding in json.loads("".join(lint_file("--format", "json")))["findings"]] == ["FG303"]
    (project / ".fabricgen.yaml").write_text("lint: {fail_on: info}", encoding="utf-8")
    assert any("info[FG303]" in line for line in lint_file())


def test_infos_stand_under_what_to_do_about_them(capsys: pytest.CaptureFixture[str]) -> None:
    """After warnings, each under one heading, and every rule that tells of no more than an info has one."""
    blueprint = Path(__file__).parents[2] / "blueprints" / "superpod-b300.yaml"
    run_command(["lint", str(blueprint), "--verbose"])
    lines = capsys.readouterr().out.splitlines()
    codes_by_heading: dict[str, list[str]] = {}
    for line in lines:
        if line.startswith("infos: "):
            codes = codes_by_heading.setdefault(line.removeprefix("infos: "), [])
        elif match := re.search(r" info\[(FG\d+)\]: ", line):
            codes.append(match[1])
    assert set(codes_by_heading[ToDo.STATE_FACTS]) == {"FG657"}
    assert "FG105" in codes_by_heading[ToDo.DECIDE_GROWTH]
    assert [*codes_by_heading] == [to_do for to_do in ToDo if to_do in codes_by_heading]
    without = [r.id for r in load_all_rules() if r.severity == Severity.INFO and r.to_do == ToDo.KNOW]
    assert without == []

"""`lint --fix`: certain repairs are made in the text, all else stays as it is."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from fabricgen.cli.main import run_command
from fabricgen.kernel.diagnostics import Diagnostic, InputError
from fabricgen.lint.engine import LintSettings, lint
from fabricgen.lint.examples import BASE
from fabricgen.lint.repair import repair_blueprint, write_repaired_files
from fabricgen.pipeline import compile_cluster, compile_design
from fabricgen.publish.files import replace_file

ODD = "# the NOS\nnos: {middle: sonic, leaf: sonic}   # of what?\n"


@pytest.fixture
def blueprint(tmp_path: Path) -> Path:
    """One that names the NOS of a tier it does not have."""
    file = tmp_path / "pod.yaml"
    file.write_text(BASE + ODD, encoding="utf-8")
    return file


def test_what_is_certain_is_mended_and_told(blueprint: Path, capsys: pytest.CaptureFixture[str]) -> None:
    blueprint.chmod(0o640)
    assert run_command(["lint", "--fast", "--fix", "--fail-on", "warning", str(blueprint)]) == 0
    assert blueprint.read_text(encoding="utf-8") == BASE + ODD.replace("middle: sonic, ", "")
    assert blueprint.stat().st_mode & 0o777 == 0o640
    assert f"{blueprint}:13:15: mended FG803: no fabric has a tier 'middle'" in capsys.readouterr().err
    assert [f.name for f in blueprint.parent.iterdir()] == ["pod.yaml"]


def test_line_ends_and_mark_of_the_file_stay(blueprint: Path) -> None:
    windows = b"\xef\xbb\xbf" + (BASE + ODD).replace("\n", "\r\n").encode()
    blueprint.write_bytes(windows)
    assert run_command(["lint", "--fast", "--fix", str(blueprint)]) == 0
    assert blueprint.read_bytes() == windows.replace(b"middle: sonic, ", b"")


def test_diff_shows_and_changes_nothing(blueprint: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["lint", "--fast", "--diff", str(blueprint)]) == 0
    shown = capsys.readouterr().out
    assert "-nos: {middle: sonic, leaf: sonic}   # of what?\n+nos: {leaf: sonic}   # of what?\n" in shown
    assert blueprint.read_text(encoding="utf-8") == BASE + ODD


def test_diff_says_why_there_is_none(blueprint: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = blueprint.with_name("good.yaml")
    good.write_text(BASE + ODD, encoding="utf-8")
    blueprint.write_text("a: [", encoding="utf-8")
    assert run_command(["lint", "--fast", "--fix", "--diff", str(good), str(blueprint), "gone.yaml"]) == 2
    said = capsys.readouterr()
    assert said.out.startswith(f"--- {good}\n")  # what can be mended is a patch still
    assert f"{blueprint}:1:5: error[FG002]" in said.err
    assert "gone.yaml:1:1: error[FG001]" in said.err


def test_diff_says_that_findings_remain(blueprint: Path, capsys: pytest.CaptureFixture[str]) -> None:
    blueprint.write_text(BASE + ODD.replace("middle", "spin"), encoding="utf-8")
    assert run_command(["lint", "--fast", "--diff", "--fail-on", "warning", str(blueprint)]) == 1
    assert capsys.readouterr() == ("", "what --fix cannot mend remains: `fabricgen lint` shows it\n")


def test_a_misspelling_is_no_certain_repair(blueprint: Path) -> None:
    blueprint.write_text(BASE + ODD.replace("middle", "spin"), encoding="utf-8")
    assert run_command(["lint", "--fast", "--fix", "--fail-on", "warning", str(blueprint)]) == 1
    assert "spin: sonic" in blueprint.read_text(encoding="utf-8")


def test_a_waived_finding_is_left_alone(blueprint: Path) -> None:
    text = BASE + ODD + "lint: {waive: [{rule: FG803, at: nos/middle, why: it comes next year}]}\n"
    blueprint.write_text(text, encoding="utf-8")
    assert run_command(["lint", "--fast", "--fix", str(blueprint)]) == 0
    assert blueprint.read_text(encoding="utf-8") == text


def test_an_included_file_is_mended_where_the_value_stands(blueprint: Path) -> None:
    (blueprint.parent / "common.yaml").write_text("include: deep/nos.yaml\n", encoding="utf-8")
    deep = blueprint.parent / "deep" / "nos.yaml"
    deep.parent.mkdir()
    deep.write_text("nos:\n  leaf: sonic\n  middle: sonic\n", encoding="utf-8")
    text = "include: common.yaml\n" + BASE
    blueprint.write_text(text, encoding="utf-8")
    assert run_command(["lint", "--fast", "--fix", str(blueprint)]) == 0
    assert deep.read_text(encoding="utf-8") == "nos:\n  leaf: sonic\n"
    assert blueprint.read_text(encoding="utf-8") == text


def test_what_another_blueprint_includes_too_is_left_to_people(blueprint: Path) -> None:
    common = blueprint.parent / "common.yaml"
    common.write_text("nos:\n  leaf: sonic\n  middle: sonic\n", encoding="utf-8")
    blueprint.write_text("include: common.yaml\n" + BASE, encoding="utf-8")
    (blueprint.parent / "three-tiers.yaml").write_text("include: [common.yaml]\n", encoding="utf-8")
    assert run_command(["lint", "--fast", "--fix", "--fail-on", "warning", str(blueprint)]) == 1
    assert common.read_text(encoding="utf-8") == "nos:\n  leaf: sonic\n  middle: sonic\n"


def test_a_repair_that_needs_another_change_is_left_to_the_user(blueprint: Path) -> None:
    """Taking the key away would leave `nos:` with nothing, and nothing takes away what is included."""
    (blueprint.parent / "common.yaml").write_text("nos: {leaf: sonic}\n", encoding="utf-8")
    text = "include: common.yaml\n" + BASE + "nos:\n  middle: sonic\n"
    blueprint.write_text(text, encoding="utf-8")
    assert run_command(["lint", "--fast", "--fix", "--fail-on", "warning", str(blueprint)]) == 1
    assert blueprint.read_text(encoding="utf-8") == text


@pytest.mark.parametrize("arguments", [["-"], ["pod.yaml", "--set", "pods.p1.su=1"]])
def test_what_is_no_file_cannot_be_mended(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["lint", "--fix", *arguments]) == 2
    assert "--fix mends files" in capsys.readouterr().err


JSON = '{{\n "name": "pod", "scalable_unit": {{"nodes": "4 x dgx-b200"}},\n "fabrics": {fabrics}\n}}'
FABRICS = '{"compute": {"protocol": "roce", "tiers": {"leaf": {"switch": "sn5600"}}}}'


@pytest.mark.tenth
@pytest.mark.parametrize(
    ("before", "after"),
    [
        (BASE.replace("fabricgen: 1\n", "").replace("\n", "\r\n"), BASE.replace("\n", "\r\n")),
        (BASE + "nos: {\n  edge: sonic,  # e\n  leaf: sonic  # l\n}\n", BASE + "nos: {\n  leaf: sonic  # l\n}\n"),
        (BASE + "nos: {\n  leaf: sonic\n  , edge: sonic\n}\n", BASE + "nos: {\n  leaf: sonic\n}\n"),
        (
            BASE + "omit:\n  - p1/su-1/node-4  # all\n  - p1/su-1/node-4\n  - p1/su-1/node-4  # none\n",
            BASE + "omit:\n  - p1/su-1/node-4  # all\n",
        ),
        (
            JSON.format(fabrics=FABRICS),
            JSON.format(fabrics=FABRICS).replace('{\n "name"', '{\n "fabricgen": 1,\n "name"'),
        ),
        (
            BASE + "address_of: {compute-spine-01: {'mgmt': 10.16.0.30}}\n",
            BASE + "address_of: {compute-spine-01: {'management': 10.16.0.30}}\n",
        ),
    ],
    ids=["crlf", "flow-over-lines", "comma-before", "items", "json", "quoted"],
)
def test_layout_stays_as_it_was(blueprint: Path, before: str, after: str) -> None:
    blueprint.write_bytes(before.encode())
    for _ in range(2):
        assert run_command(["lint", "--fast", "--fix", str(blueprint)]) == 0
        assert blueprint.read_bytes() == after.encode()


def test_a_diff_says_where_a_line_break_is_missing(blueprint: Path, capsys: pytest.CaptureFixture[str]) -> None:
    blueprint.write_text(BASE + "nos:\n  leaf: sonic\n  edge: sonic", encoding="utf-8")
    assert run_command(["lint", "--fast", "--diff", str(blueprint)]) == 0
    assert capsys.readouterr().out.endswith("-  edge: sonic\n\\ No newline at end of file\n")


def test_a_link_out_of_the_folder_is_not_followed_unless_allowed(
    blueprint: Path, tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    outside = tmp_path_factory.mktemp("elsewhere") / "pod.yaml"
    blueprint.rename(outside)
    blueprint.symlink_to(outside)
    assert run_command(["lint", "--fast", "--fix", str(blueprint)]) == 2
    assert outside.read_text(encoding="utf-8") == BASE + ODD
    assert f"{blueprint}:1:1: error[FG023]: cannot mend '{blueprint}': it leads to {outside}" in capsys.readouterr().out
    assert run_command(["lint", "--fast", "--fix", "--allow-outside", str(blueprint)]) == 0
    assert blueprint.is_symlink()
    assert "middle" not in outside.read_text(encoding="utf-8")


def test_what_cannot_be_written_stays_whole(blueprint: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("fabricgen.lint.repair.replace_file", full)
        assert run_command(["lint", "--fast", "--fix", str(blueprint)]) == 2
    assert "no space left on device" in capsys.readouterr().out
    blueprint.chmod(0o440)
    assert run_command(["lint", "--fast", "--fix", str(blueprint)]) == 2
    assert "it is read-only" in capsys.readouterr().out
    assert blueprint.read_text(encoding="utf-8") == BASE + ODD


def test_a_file_that_changed_meanwhile_is_left_to_its_writer(blueprint: Path) -> None:
    design = compile_design(str(blueprint))
    repaired = repair_blueprint(lambda unsaved: ((d := compile_design(str(blueprint), unsaved=unsaved)), lint(d)))
    assert repaired.design != design
    blueprint.write_text(BASE + ODD + "# and another word\n", encoding="utf-8")
    with pytest.raises(InputError, match="it has changed meanwhile"):
        write_repaired_files(repaired)
    assert "another word" in blueprint.read_text(encoding="utf-8")


def test_a_write_that_is_interrupted_leaves_nothing_behind(blueprint: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        replace_file(blueprint, b"new")
    assert [f.name for f in blueprint.parent.iterdir()] == ["pod.yaml"]
    assert blueprint.read_text(encoding="utf-8") == BASE + ODD


@pytest.mark.tenth
@pytest.mark.parametrize(
    ("said", "code"),
    [
        ("nos: {compute: cumulus}\n", "FG803"),  # a fabric in place of a tier
        ("nos: {compute: sonic, leaf: sonic}\n", "FG803"),
        ("nos: {middle: sonic}\n", "FG803"),  # the only entry
        ("nos: {middle: cumulus, leaf: sonic}\n", "FG803"),  # nothing else is told to run it
        ("qos: {ecn: {800G: 1000-2000}}\n", "FG816"),  # ports run at 400G, and lack them
        ("lint: {waive: [{rule: FG657, at: fabrics/computer, why: later}]}\n", "FG802"),  # a misspelt place
        ("lint: {waive: [{rule: FG657, why: order 77}, {rule: FG657, why: approved}]}\n", "FG812"),  # two reasons
        ('pools: {hosts: [10.128.0.0/9, "fd5a::/48"]}\n', "FG805"),  # both families, of which `ip` lacks one
        ("lint: {severity: {FG657: ignore}, waive: [{rule: FG657, why: later}]}\n", "FG802"),  # ignored for now
        ("routing: {first_vni: 20000}\n", "FG806"),  # before the first tenant
        ("qos: {ecn: {400G: 256-512, 800G: 512-1024}}\n", "FG816"),  # ports to come
    ],
)
def test_what_somebody_meant_is_not_taken_away(blueprint: Path, said: str, code: str) -> None:
    blueprint.write_text(BASE + said, encoding="utf-8")
    run_command(["lint", "--fix", str(blueprint)])
    assert said in blueprint.read_text(encoding="utf-8")
    found = lint_of(blueprint)
    assert code in {d.code for d in found}
    assert not any(d.fix for d in found if d.code == code)


def test_a_waiver_of_what_a_phase_has_not_yet_stays(blueprint: Path) -> None:
    text = BASE + "phases: {first: {units: {p1: 1}}, all: {}}\n"
    text += "lint: {waive: [{rule: FG659, at: fabrics, why: cold aisle}, {rule: FG827, why: reached later}]}\n"
    blueprint.write_text(text, encoding="utf-8")
    assert run_command(["lint", "--fix", "--phase", "first", "--fail-on", "warning", str(blueprint)]) == 0
    assert blueprint.read_text(encoding="utf-8") == text
    assert run_command(["lint", "--fix", str(blueprint)]) == 0
    assert "FG827" not in blueprint.read_text(encoding="utf-8")


def test_a_fabric_in_place_of_a_tier_is_told_where_it_goes(blueprint: Path) -> None:
    blueprint.write_text(BASE + "nos: {compute: cumulus}\n", encoding="utf-8")
    (found,) = (d for d in lint_of(blueprint) if d.code == "FG803")
    assert found.hint == "compute is a fabric: state `fabrics.compute.nos: cumulus`"


def lint_of(file: Path) -> list[Diagnostic]:
    design = compile_design(str(file))
    return list(lint(design, compile_cluster(design), LintSettings()).findings)

"""Files of a built folder that are not as they were built: refused where builds are compared, told where not."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import BLUEPRINTS, Ran

pytestmark = pytest.mark.slow

Run = Callable[..., Ran]
LEAF = "configs/compute-leaf-p1-su01-r1-01"


@pytest.fixture(scope="module")
def pristine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a blueprint and what was built of it."""
    from fabricgen.cli.main import run_command

    folder = tmp_path_factory.mktemp("pristine")
    shutil.copy(BLUEPRINTS / "leaf-spine.yaml", folder / "pod.yaml")
    assert run_command(["build", str(folder / "pod.yaml"), "-o", str(folder / "out")]) == 0
    return folder


@pytest.fixture
def project(pristine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it, which is the current folder."""
    shutil.copytree(pristine, tmp_path / "project")
    monkeypatch.chdir(tmp_path / "project")
    return tmp_path / "project"


def without_last_row(file: Path) -> None:
    file.write_text("".join(file.read_text().splitlines(keepends=True)[:-1]))


def refused(ran: Ran, file: str) -> bool:
    where = f"{file}:1:1: error[FG054]: {Path(file).name} is not as built (sha256 differs from manifest.json)"
    return (ran.code, ran.out) == (2, "") and ran.err.startswith(where)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["devices.csv", "links.csv", "cables.csv", "addresses.csv", "bom.csv"])
def test_a_deleted_row_is_no_change_of_the_design(project: Path, fabricgen: Run, name: str) -> None:
    assert fabricgen("plan", "out", "pod.yaml").code == 0
    without_last_row(project / "out" / name)
    for sides in (("out", "pod.yaml"), ("pod.yaml", "out")):
        assert refused(fabricgen("plan", *sides), f"out/{name}")
    assert "--force" in fabricgen("plan", "out", "pod.yaml").err
    assert fabricgen("build", "pod.yaml", "-o", "out", "--force").code == 0  # as the hint has it
    assert fabricgen("plan", "out", "pod.yaml").code == 0


def test_new_content_beside_an_edited_list_is_named(project: Path, fabricgen: Run) -> None:
    without_last_row(project / "out" / "links.csv")
    assert fabricgen("build", "pod.yaml", "--set", "pods.p1.su=3", "-o", "out").code == 0
    ran = fabricgen("plan", "out", "pod.yaml")
    assert refused(ran, "out/links.csv")
    assert "what was built is in links.csv.new beside it" in ran.err


def test_an_edit_taken_back_is_not_the_list_of_the_last_build(project: Path, fabricgen: Run) -> None:
    """What was built before the edit is not what was built since."""
    links = project / "out" / "links.csv"
    before = links.read_bytes()
    without_last_row(links)
    assert fabricgen("build", "pod.yaml", "--set", "pods.p1.su=3", "-o", "out").code == 0
    links.write_bytes(before)
    assert refused(fabricgen("plan", "out", "pod.yaml"), "out/links.csv")
    (project / "out" / "links.csv.new").replace(links)
    assert fabricgen("plan", "out", "pod.yaml").code == 1


def test_line_ends_alone_are_no_edit(project: Path, fabricgen: Run) -> None:
    for file in (project / "out").glob("*.csv"):
        file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    ran = fabricgen("plan", "out", "pod.yaml")
    assert (ran.code, ran.out) == (0, "no differences\n")


NOTE = "is not as built (sha256 differs from manifest.json); it is compared as it stands"


def test_an_edited_configuration_is_compared_and_told(project: Path, fabricgen: Run) -> None:
    with (project / "out" / LEAF / "config_db.json").open("a") as file:
        file.write("\n")
    ran = fabricgen("plan", "out", "pod.yaml")
    assert ran.code == 1
    assert "config_db.json: changed, +0 -1 lines" in ran.out
    assert f"{LEAF}/config_db.json of out {NOTE}" in ran.out


def test_what_is_beside_an_edited_configuration_is_what_was_built_last(project: Path, fabricgen: Run) -> None:
    """Where a file was edited, the manifest goes on telling what was written before."""
    with (project / "out" / LEAF / "config_db.json").open("a") as file:
        file.write("\n")
    shutil.copytree("out", "before")
    assert fabricgen("build", "pod.yaml", "--set", "management.ntp=[192.0.2.1]", "-o", "out").code == 0
    (project / "out" / LEAF / "config_db.json.new").replace(project / "out" / LEAF / "config_db.json")
    ran = fabricgen("plan", "before", "out", "--format", "json")
    found = json.loads(ran.out)
    assert f"{LEAF}/config_db.json of before {NOTE}" in found["notes"]
    assert not [note for note in found["notes"] if " of out " in note]
    assert LEAF.split("/")[1] in {file["device"] for file in found["configs"]["files"]}


def test_many_edited_configurations_are_counted(project: Path, fabricgen: Run) -> None:
    for file in (project / "out").rglob("config_db.json"):
        file.write_bytes(file.read_bytes() + b"\n")
    assert "3 more configurations of out are not as built" in fabricgen("plan", "out", "pod.yaml").out


def test_a_folder_without_a_manifest_is_compared_and_said_to_be_unknown(project: Path, fabricgen: Run) -> None:
    (project / "out" / "manifest.json").unlink()
    ran = fabricgen("plan", "out", "pod.yaml")
    assert (ran.code, ran.err) == (0, "")
    assert "out has no manifest.json, so whether its files are as they were built is not known" in ran.out


def test_lists_of_several_blueprints_are_not_compared(project: Path, fabricgen: Run) -> None:
    grown = ("build", "pod.yaml", "--set", "pods.p1.su=3", "-o", "out")
    assert fabricgen(*grown, "--only", "links").code == 0
    ran = fabricgen("plan", "out", "pod.yaml")
    assert (ran.code, ran.out) == (2, "")
    said = (
        "out/links.csv:1:1: error[FG028]: links.csv was built of another blueprint than devices.csv, by `build --only`"
    )
    assert ran.err.startswith(said)
    assert fabricgen(*grown, "--only", "bom").code == 0  # the others are told apart still
    assert fabricgen("plan", "out", "pod.yaml").err.startswith(said)
    assert fabricgen(*grown, "--only", "devices,cables").code == 0
    assert fabricgen("plan", "out", "pod.yaml").code == 1
    assert fabricgen(*grown).code == 0
    assert "digest" not in json.loads((project / "out" / "manifest.json").read_text())["files"]["links.csv"]


def test_a_bill_in_a_folder_is_refused_and_one_that_is_named_is_told(project: Path, fabricgen: Run) -> None:
    without_last_row(project / "out" / "bom.csv")
    assert refused(fabricgen("bom", "pod.yaml", "--diff", "out"), "out/bom.csv")
    named = fabricgen("bom", "pod.yaml", "--diff", "out/bom.csv")
    assert named.code == 1
    told = "out/bom.csv is not as built (sha256 differs from manifest.json); it is compared as it stands\n"
    assert named.err == told


def test_check_judges_an_edited_file_and_says_so(project: Path, fabricgen: Run) -> None:
    file = project / "out" / LEAF / "config_db.json"
    data = json.loads(file.read_text())
    file.write_text(json.dumps(data))
    for named in ("out", f"out/{LEAF}", f"out/{LEAF}/config_db.json"):
        ran = fabricgen("check", named)
        assert ran.code == 0
        assert f"out/{LEAF}/config_db.json:1:1: warning[FG054]: " in ran.out
        assert "it is judged as it stands" in ran.out
        assert fabricgen("check", named, "--fail-on", "warning").code == 1


def test_check_tells_of_configurations_that_are_gone(project: Path, fabricgen: Run) -> None:
    assert fabricgen("check", "out").out == "8 files: 0 problems\n"
    shutil.rmtree(project / "out" / LEAF)
    ran = fabricgen("check", "out", "--fail-on", "warning")
    assert ran.code == 1
    assert f"out/{LEAF}/config_db.json:1:1: warning[FG054]: config_db.json is gone" in ran.out


def test_check_leaves_out_what_is_only_staged(project: Path, fabricgen: Run) -> None:
    for stage in ("out/.fabricgen-stage", ".out.fabricgen-stage-0123abcd"):
        shutil.copytree(f"out/{LEAF}", f"{stage}/tree/{LEAF}")
    assert fabricgen("check", ".").out == "8 files: 0 problems\n"


def git(*arguments: str) -> None:
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "core.autocrlf=false")
    subprocess.run(["git", *identity, *arguments], check=True, capture_output=True)


def test_a_revision_is_held_to_its_manifest_as_well(project: Path, fabricgen: Run) -> None:
    git("init", "-q")
    without_last_row(project / "out" / "links.csv")
    git("add", ".")
    git("commit", "-qm", "edited")
    place = "git:HEAD:out/links.csv"
    ran = fabricgen("plan", "git:HEAD:out", "pod.yaml")
    assert (ran.code, ran.err.startswith(f"{place}:1:1: error[FG054]: links.csv is not as built")) == (2, True), ran.err
    without_last_row(project / "out" / "bom.csv")
    git("commit", "-qam", "another")
    assert (
        "git:HEAD:out/bom.csv:1:1: error[FG054]: bom.csv is not as built"
        in fabricgen("bom", "pod.yaml", "--diff", "git:HEAD:out").err
    )


def test_a_revision_that_lacks_a_configuration_is_refused(project: Path, fabricgen: Run) -> None:
    git("init", "-q")
    git("add", ".")
    git("rm", "-q", "--cached", f"out/{LEAF}/config_db.json")
    git("commit", "-qm", "not whole")
    ran = fabricgen("plan", "git:HEAD:out", "pod.yaml")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"git:HEAD:out/{LEAF}/config_db.json:1:1: error[FG028]")


def test_a_revision_with_half_a_build_is_refused(project: Path, fabricgen: Run) -> None:
    stage = project / "out" / ".fabricgen-stage"
    stage.mkdir()
    (stage / "fabricgen-stage").touch()
    (stage / "journal.json").write_text('{"remove": [], "prune": [], "replace": ["links.csv"]}')
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "half")
    shutil.rmtree(stage)
    for command in (("plan", "git:HEAD:out", "pod.yaml"), ("bom", "pod.yaml", "--diff", "git:HEAD:out")):
        ran = fabricgen(*command)
        assert (ran.code, ran.out) == (2, "")
        assert ran.err.startswith("git:HEAD:out:1:1: error[FG028]: git:HEAD:out holds files of two builds"), ran.err


def test_a_folder_whose_manifest_names_no_file_is_refused(project: Path, fabricgen: Run) -> None:
    manifest = project / "out" / "manifest.json"
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {"files": {}}), encoding="utf-8")
    ran = fabricgen("plan", "out", "pod.yaml")
    assert ran.code == 2
    assert "manifest.json names no file: nothing was built" in ran.err


def test_a_list_that_the_manifest_does_not_name_is_refused(project: Path, fabricgen: Run) -> None:
    manifest = project / "out" / "manifest.json"
    told = json.loads(manifest.read_text())
    del told["files"]["links.csv"]
    manifest.write_text(json.dumps(told), encoding="utf-8")
    ran = fabricgen("plan", "out", "pod.yaml")
    assert ran.code == 2
    assert "links.csv is of no build" in ran.err


def test_a_built_folder_tells_reasons(project: Path, fabricgen: Run) -> None:
    """Those that its lists have, without what a blueprint alone knows."""
    sets = ("--set", "fabrics.compute.tiers.spine.count=2", "--set", "pods.p1.su=3")
    ran = fabricgen("plan", "out", "pod.yaml", *sets)
    reasons = [line.strip() for line in ran.out.partition("\nwhy\n")[2].partition("\n\n")[0].splitlines()]
    assert reasons == [
        "scalable units: p1 2 -> 3; nodes: 8 -> 12",
        "compute leaf: 4 -> 6 switches; links of each to each spine 1 -> 2",
        "compute spine: 4 -> 2 switches: of 16 links up to it, 8 move",
    ]
    ran = fabricgen("plan", "out", "pod.yaml", *sets, "--set", "spare_nodes=[p1/su-1/node-1]")
    assert "out does not say which slots are omitted and which nodes spare" in ran.out
    ran = fabricgen("plan", "pod.yaml", "out")
    assert (ran.code, ran.out.strip()) == (0, "no differences")

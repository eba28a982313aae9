"""An archive of a build is read like the folder; what is none is refused under its own name."""

from __future__ import annotations

import io
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import BLUEPRINTS, Ran
from tests.own_files.test_law_of_own_files import NO_DIFFERENCES, said
from tests.own_files.written import Written, write_example

Run = Callable[..., Ran]
SMALL = "leaf-spine"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("archives") / "site"


@pytest.fixture
def written(folder: Path, fabricgen: Run) -> Written:
    if not folder.exists():
        return write_example(SMALL, folder, fabricgen)
    return Written(folder / f"{SMALL}.yaml", fabricgen)


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".tar", ".tar.zst", ".zip"])
def test_an_archive_is_read_as_the_folder_is(suffix: str, written: Written) -> None:
    archive, run = written.folder / f"built{suffix}", written.run
    assert run("build", written.blueprint, "--archive", archive, "--jobs", "1").code == 0
    assert said(run("plan", archive, written.blueprint)) == NO_DIFFERENCES
    assert said(run("plan", written.blueprint, archive)) == NO_DIFFERENCES
    assert said(run("bom", written.blueprint, "--diff", archive)) == NO_DIFFERENCES
    page = written.folder / "page.html"
    assert said(run("view", written.blueprint, "--against", archive, "-o", page)) == (0, "", "")
    assert said(run("check", archive)) == (0, "8 files: 0 problems\n", "")
    for plan in (written.blueprint, archive):
        ran = run("check", plan, "--running", archive, "--strict", "--jobs", "1")
        assert said(ran) == (0, "8 devices compared: 0 errors, 0 warnings, 0 infos\n", "")
    assert run("verify", archive, written.hall, "--jobs", "1").code == 0
    refused = run("verify", archive, written.hall, "--accept", "all", "-o", written.folder / "overlay.yaml")
    assert (refused.code, "give the blueprint in place of what it built" in refused.err) == (2, True)


def test_an_archive_that_holds_no_build_is_refused_by_its_name(tmp_path: Path, fabricgen: Run) -> None:
    archive = tmp_path / "dumps.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("leaf.json", "{}")
    ran = fabricgen("plan", archive, BLUEPRINTS / f"{SMALL}.yaml")
    message = f"{archive}:1:1: error[FG028]: {archive} holds no build: it has no manifest.json"
    assert (ran.code, ran.err.splitlines()[0]) == (2, message)
    archive.write_bytes(archive.read_bytes()[:20])
    ran = fabricgen("plan", archive, BLUEPRINTS / f"{SMALL}.yaml")
    assert (ran.code, f"{archive}:1:1: error[FG065]: cannot read '{archive}'" in ran.err) == (2, True)


def test_a_list_that_was_edited_is_named_in_the_archive_and_nothing_leaves_it(tmp_path: Path, fabricgen: Run) -> None:
    whole, archive = tmp_path / "whole.tar", tmp_path / "edited.tar"
    blueprint = BLUEPRINTS / f"{SMALL}.yaml"
    assert fabricgen("build", blueprint, "--archive", whole, "--only", "devices,links,cables", "--jobs", "1").code == 0
    with tarfile.open(whole) as source, tarfile.open(archive, "w") as target:
        for member in source:
            opened = source.extractfile(member)
            assert opened is not None
            content = opened.read() + b"\n" * (member.name == "links.csv")
            member.size = len(content)
            target.addfile(member, io.BytesIO(content))
        outside = tarfile.TarInfo("../outside")
        target.addfile(outside, io.BytesIO())
    ran = fabricgen("plan", archive, blueprint)
    assert (ran.code, ran.err.splitlines()[0].partition(" (")[0]) == (
        2,
        f"{archive}/links.csv:1:1: error[FG054]: links.csv is not as built",
    )
    assert not (tmp_path / "outside").exists()

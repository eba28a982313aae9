"""Files in which a secret was put are for their owner alone: in folders, in archives, and the archives themselves."""

from __future__ import annotations

import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest

from fabricgen.lab.files import Build
from fabricgen.lab.state import LabState
from tests.render.test_secret_leaks import KEY, folder

__all__ = ["folder"]

SECRET = KEY.encode()


def _modes(root: Path) -> dict[str, tuple[int, bool]]:
    """(mode, whether the key is in it) of each file of a built folder, the manifest apart."""
    files = [file for file in root.rglob("*") if file.is_file() and file.name != "manifest.json"]
    return {
        file.relative_to(root).as_posix(): (file.stat().st_mode & 0o777, SECRET in file.read_bytes()) for file in files
    }


def _packed(archive: Path) -> dict[str, tuple[int, bool]]:
    """Likewise of each member of an archive."""
    if archive.suffix == ".zip":
        with zipfile.ZipFile(archive) as unpacked:
            members = {
                each.filename: (each.external_attr >> 16 & 0o777, unpacked.read(each)) for each in unpacked.infolist()
            }
    else:
        with tarfile.open(archive) as tarred:
            members = {each.name: (each.mode, tarred.extractfile(each).read()) for each in tarred}  # type: ignore[union-attr]
    del members["manifest.json"]
    return {name: (mode, SECRET in content) for name, (mode, content) in members.items()}


@pytest.mark.slow
def test_what_has_a_secret_is_its_owners(folder: Path, fabricgen: Any) -> None:
    """And nothing else is, nor anything of a build without secrets. (lint has a word about the blueprint: 1.)"""
    build = ("build", folder / "cluster.yaml", "--only", "configs,devices")
    out, archives = folder / "out", (folder / "out.tar", folder / "out.zip")
    assert fabricgen(*build, "-o", out).code == 1
    for archive in archives:
        assert fabricgen(*build, "--archive", archive).code == 1
        assert (archive.stat().st_mode & 0o777, _packed(archive)) == (0o600, _modes(out))
    private = [path for path, (_, has_key) in _modes(out).items() if has_key]
    assert len(private) == 8
    assert {mode for mode, has_key in _modes(out).values() if has_key} == {0o600}
    assert {mode for mode, has_key in _modes(out).values() if not has_key} == {0o644}
    before = {path: (out / path).stat().st_ino for path in _modes(out)}
    for path in private[:3]:
        (out / path).chmod(0o644)
    assert fabricgen(*build, "-o", out).code == 1
    changed = {path for path, inode in before.items() if (out / path).stat().st_ino != inode}
    assert (changed, {_modes(out)[path][0] for path in private}) == (set(private[:3]), {0o600})
    assert fabricgen(*build, "-o", out, "--redact-secrets").code == 1
    assert {mode for mode, _ in _modes(out).values()} == {0o644}
    assert fabricgen(*build, "--archive", archives[0], "--redact-secrets").code == 1
    assert archives[0].stat().st_mode & 0o777 == 0o644


def test_a_lab_keeps_what_it_runs_to_itself(tmp_path: Path) -> None:
    """A built folder that it comes of may have secrets."""
    state = LabState(tmp_path, {"a": f"{tmp_path.name}-a"}, ())
    state.write(Build({"configs/a/frr.conf": f"password {KEY}\n", "devices.csv": "device\n"}))
    assert {file.stat().st_mode & 0o777 for file in (tmp_path / "build").rglob("*") if file.is_file()} == {0o600}

"""Checksums for devices are what the real `sha256sum -c` holds files to, on the build and where they were copied to."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from tests.conftest import BLUEPRINTS, Ran

LEAF = "compute-leaf-p1-su01-r1-01"


def held(lines: str, folder: Path) -> tuple[int, list[str]]:
    """How `sha256sum -c` ends in a folder, and the files that it finds otherwise."""
    command = ["sha256sum", "--strict", "-c", "-"]
    done = subprocess.run(command, input=lines, cwd=folder, check=False, capture_output=True, text=True)
    return done.returncode, [line for line in done.stdout.splitlines() if not line.endswith(": OK")]


def test_sha256sum_holds_files_to_what_was_built(fabricgen: Callable[..., Ran], tmp_path: Path) -> None:
    built, box = tmp_path / "built", tmp_path / "box"
    build = ("build", BLUEPRINTS / "leaf-spine.yaml", "-o", built, "--only", "configs,hosts,devices")
    assert fabricgen(*build).code == 0
    every, own = fabricgen("checksums", built).out, fabricgen("checksums", built, "--device", LEAF).out
    files = [p for folder in ("configs", "hosts") for p in (built / folder).glob("*/*") if p.is_file()]
    assert len(every.splitlines()) == len(files)
    assert held(every, built) == (0, [])

    shutil.copytree(built / "configs" / LEAF, box)
    assert held(own, box) == (0, [])
    name = own.split()[1]
    for file in (box / name, built / "configs" / LEAF / name):
        file.write_bytes(file.read_bytes() + b" ")
    assert held(own, box) == (1, [f"{name}: FAILED"])
    assert held(every, built) == (1, [f"configs/{LEAF}/{name}: FAILED"])

    fabricgen(*build, "--set", "management.timezone=UTC")  # leaves the new file beside the edited one
    assert f"configs/{LEAF}/{name}.new: FAILED" not in held(fabricgen("checksums", built).out, built)[1]
    assert held(fabricgen("checksums", built).out, built)[1] == [f"configs/{LEAF}/{name}: FAILED"]


def test_checksums_of_nothing_are_refused(fabricgen: Callable[..., Ran], tmp_path: Path) -> None:
    ran = fabricgen("checksums", tmp_path)
    assert (ran.code, "holds no files of devices" in ran.err) == (2, True)
    fabricgen("build", BLUEPRINTS / "leaf-spine.yaml", "-o", tmp_path / "built", "--only", "configs")
    ran = fabricgen("checksums", tmp_path / "built", "--device", "compute-leaf-p1-su01-r1-1")
    assert (ran.code, f"did you mean '{LEAF}'?" in ran.err) == (2, True)

"""Builds that are killed: at random moments, and at every single step; run as a script, it is the victim."""

from __future__ import annotations

import functools
import hashlib
import itertools
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import fabricgen
import fabricgen.publish.folder as folders
from fabricgen.publish import FileBundle, publish_folder, recover_build
from fabricgen.publish.folder import can_exchange
from fabricgen.publish.manifest import STAGE

KILLS = 16
MOST_KILLS = 10 * KILLS
"""On a busy machine many kills come before anything is done."""

OWN = {"notes.md": b"mine", "configs/both-1/patch": b"mine too", "photos/.keep": b""}
EDITED, EDIT = "configs/both-0/changed", b"edited by hand"


needs_exchange = pytest.mark.skipif(
    not can_exchange() and os.environ.get("CI") != "true",
    reason="this system has no renameat2: run on Linux to test the exchange of folders",
)


def files(version: str, count: int) -> Iterator[tuple[str, str, bytes]]:
    for index in range(count):
        yield "configs", f"configs/both-{index}/same", b"same" * 100
        yield "configs", f"configs/both-{index}/changed", f"{version}{index}".encode() * 100
        yield "configs", f"configs/{version}-{index}/alone", version.encode()
    yield "links", "swap/inner" if version == "A" else "swap", b"a folder or a file"


def publish(target: Path, version: str, count: int) -> None:
    bundles = [
        FileBundle(part, path, functools.partial(list, [(path, content)]))
        for part, path, content in files(version, count)
    ]
    publish_folder(target, bundles, header={"blueprint": version, "version": "1"})


def check(target: Path, count: int) -> str:
    """Assert that the folder is one version, whole, beside the user's own files and what he edited; tell which."""
    found = {path.relative_to(target).as_posix(): path.read_bytes() for path in target.rglob("*") if path.is_file()}
    manifest = json.loads(found.pop("manifest.json"))
    version = str(manifest["blueprint"])
    expected = {path: content for _, path, content in files(version, count)}
    expected[f"{EDITED}.new"] = expected[EDITED]
    assert found == {**expected, **OWN, EDITED: EDIT}, f"a mixture, or not all of version {version}"
    before_edit = {path: content for _, path, content in files("A", count)}[EDITED]
    told = {**expected, EDITED: before_edit}
    digests = {path: hashlib.sha256(content).hexdigest() for path, content in told.items()}
    assert {path: entry["sha256"] for path, entry in manifest["files"].items()} == digests
    return version


def start(folder: Path, count: int) -> Path:
    target = folder / "out"
    publish(target, "A", count)
    for name, content in OWN.items():
        (target / name).parent.mkdir(exist_ok=True)
        (target / name).write_bytes(content)
    (target / EDITED).write_bytes(EDIT)
    publish(target, "A", count)
    return target


def victim(*arguments: object) -> subprocess.Popen[str]:
    """Start this file as a script."""
    environment = {**os.environ, "PYTHONPATH": str(Path(fabricgen.__file__).parents[1])}
    command = [sys.executable, __file__, *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)


def kill_at_random(target: Path, mechanism: str, count: int) -> None:
    chance = random.Random(20)
    began = time.monotonic()
    for version in "BA":
        publish(target, version, count)
    both = time.monotonic() - began
    seen, dirty, last = set(), 0, "A"
    for kills in range(MOST_KILLS):
        if kills >= KILLS and dirty and seen == {"A", "B"}:
            break
        with victim("loop", target, mechanism, count, last) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            time.sleep(chance.uniform(0, 2 * both))
            process.send_signal(signal.SIGKILL)
            assert process.wait() == -signal.SIGKILL
        dirty += len(list(target.parent.iterdir())) > 1 or (target / STAGE).exists()
        if mechanism == "journal":
            recover_build(target)
        last = check(target, count)
        seen.add(last)
    assert seen == {"A", "B"}
    assert dirty > 0, "no kill hit a build"
    publish(target, "B", count)
    assert check(target, count) == "B"
    assert [path.name for path in target.parent.iterdir()] == ["out"]


@pytest.mark.slow
@needs_exchange
def test_a_killed_exchange_leaves_one_version_at_once(tmp_path: Path) -> None:
    kill_at_random(start(tmp_path, 15), "exchange", 15)


@pytest.mark.slow
def test_a_killed_journal_leaves_one_version_after_recovery(tmp_path: Path) -> None:
    kill_at_random(start(tmp_path, 15), "journal", 15)


def kill_at_every_step(folder: Path, mechanism: str) -> None:
    with victim("steps", start(folder, 2), mechanism, 2) as process:
        output = process.communicate()[0]
    assert process.returncode == 0
    kills, versions = output.split()
    assert int(kills) > 40
    assert versions == "AB"


@pytest.mark.slow
@needs_exchange
def test_an_exchange_survives_a_kill_before_every_step(tmp_path: Path) -> None:
    kill_at_every_step(tmp_path, "exchange")


@pytest.mark.slow
def test_a_journal_survives_a_kill_before_every_step(tmp_path: Path) -> None:
    kill_at_every_step(tmp_path, "journal")


def _loop(target: Path, count: int, last: str) -> None:
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    for version in itertools.cycle("BA" if last == "A" else "AB"):
        publish(target, version, count)


def _arm(module: Any, name: str, steps: Iterator[int]) -> None:
    real: Callable[..., object] = getattr(module, name)

    @functools.wraps(real)
    def step(*args: object, **kwargs: object) -> object:
        if next(steps, None) is None:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*args, **kwargs)

    setattr(module, name, step)


def _survives(target: Path, count: int, allowed: int) -> bool:
    """Publish in a child that is killed before its next step after `allowed` ones."""
    child = os.fork()
    if child:
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        assert status in (0, -signal.SIGKILL), f"the child ended with {status}"
        return status == 0
    steps = iter(range(allowed))
    _arm(folders, "exchange_paths", steps)
    for name in ("open", "write", "mkdir", "link", "rename", "replace", "unlink", "rmdir", "fsync"):
        _arm(os, name, steps)
    publish(target, "B", count)
    os._exit(0)


def _steps(target: Path, mechanism: str, count: int) -> None:
    seen = set()
    for allowed in itertools.count():
        survived = _survives(target, count, allowed)
        if mechanism != "exchange":
            recover_build(target)
        seen.add(check(target, count))
        if survived:
            break
        publish(target, "B", count)
        assert check(target, count) == "B"
        publish(target, "A", count)
        assert [path.name for path in target.parent.iterdir()] == ["out"]
        assert not (target / STAGE).exists()
    sys.stdout.write(f"{allowed} {''.join(sorted(seen))}\n")


def main(task: str, target: Path, mechanism: str, count: int, last: str = "A") -> None:
    if mechanism == "journal":
        os.chdir(target)
    if task == "loop":
        _loop(target, count, last)
    else:
        _steps(target, mechanism, count)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3], int(sys.argv[4]), *sys.argv[5:])

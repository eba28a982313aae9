"""`lint --watch`: judged again at every save, until Ctrl-C."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.conftest import BLUEPRINTS, Ran

TEXT = (BLUEPRINTS / "leaf-spine.yaml").read_text(encoding="utf-8")


@pytest.fixture
def watch() -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Start a watch; it is stopped after the test."""
    with ExitStack() as stack:

        def start(*args: object) -> subprocess.Popen[str]:
            command = [sys.executable, "-m", "fabricgen", "lint", "--watch", *map(str, args)]
            process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
            stack.enter_context(process)
            stack.callback(process.kill)
            return process

        yield start


def next_report(process: subprocess.Popen[str]) -> str:
    """What is told up to the line that ends a report."""
    assert process.stdout
    lines = []
    for line in process.stdout:
        lines.append(line)
        if line.startswith("watching "):
            return "".join(lines)
    raise AssertionError("".join(lines))


def save(file: Path, text: str) -> None:
    """Save as editors do: write another file, and put it in place."""
    beside = file.with_suffix(".new")
    beside.write_text(text, encoding="utf-8")
    beside.replace(file)


def test_every_save_is_judged(tmp_path: Path, watch: Callable[..., subprocess.Popen[str]]) -> None:
    blueprint = tmp_path / "blueprint.yaml"
    save(blueprint, TEXT)
    process = watch(blueprint)
    assert "1 blueprint: 0 errors" in next_report(process)
    save(blueprint, TEXT.replace("protocol: roce", "protocol: rocee"))
    assert f"{blueprint}:" in (told := next_report(process))
    assert "error[FG010]" in told
    assert "1 blueprint: 1 error" in told
    save(blueprint, "include: part.yaml\n" + TEXT)
    assert "part.yaml" in next_report(process)
    save(tmp_path / "part.yaml", "lint: {waive: [{rule: FG999, why: no such rule}]}\n")
    assert "FG811" in next_report(process)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=300) == 0


def test_a_folder_may_have_no_blueprint_for_a_while(
    tmp_path: Path, watch: Callable[..., subprocess.Popen[str]]
) -> None:
    process = watch(tmp_path)
    assert "error[FG001]: there is no blueprint in the folder" in next_report(process)
    save(tmp_path / "mine.yaml", TEXT)
    assert "1 blueprint: 0 errors" in next_report(process)
    (tmp_path / "mine.yaml").unlink()
    assert "error[FG001]" in next_report(process)
    save(tmp_path / "mine.yaml", TEXT)
    assert "1 blueprint: 0 errors" in next_report(process)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=300) == 0


@pytest.mark.parametrize("more", [["--fix"], ["--diff"], ["--format", "json"], ["-"]])
def test_what_is_not_of_a_watch_is_refused(fabricgen: Callable[..., Ran], more: list[str]) -> None:
    ran = fabricgen("lint", "--watch", BLUEPRINTS / "leaf-spine.yaml", *more)
    assert (ran.code, "--watch tells of files in text" in ran.err) == (2, True)

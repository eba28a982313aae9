"""How the process ends: with the code of its command, and with all that it wrote, or a word on why not."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import BLUEPRINTS, require

LEAF_SPINE = str(BLUEPRINTS / "leaf-spine.yaml")

FULL = Path("/dev/full")
"""A device on which nothing has room, where there is one."""


def ended(*command: str, stdout: object = subprocess.PIPE) -> subprocess.CompletedProcess[bytes]:
    """What a process of fabricgen wrote, and how it ended."""
    whole = [sys.executable, "-m", "fabricgen", *command]
    return subprocess.run(whole, stdout=stdout, stderr=subprocess.PIPE, check=False, timeout=300)  # type: ignore[call-overload,no-any-return]


@pytest.mark.slow
def test_all_is_written_before_the_end() -> None:
    done = ended("schema")
    assert done.returncode == 0
    assert done.stdout.endswith(b"}\n")
    assert len(done.stdout) > 2**16  # more than a pipe holds at once


def test_the_code_is_that_of_the_command() -> None:
    done = ended("no-such-command")
    assert done.returncode == 2
    assert b"there is no command 'no-such-command'" in done.stderr


CLOSED = (
    sys.executable,
    "-c",
    "import os, sys; os.close(1); os.execv(sys.executable, [sys.executable, *sys.argv[1:]])",
)
"""Runs Python with standard output closed, as a shell does with `>&-`."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        ("schema",),
        ("wiring", LEAF_SPINE),
        ("bom", LEAF_SPINE, "--format", "xlsx"),
        ("build", LEAF_SPINE, "--archive", "-"),
    ],
)
def test_standard_output_that_is_closed_is_told(command: tuple[str, ...]) -> None:
    done = subprocess.run([*CLOSED, "-m", "fabricgen", *command], capture_output=True, check=False, timeout=300)
    assert done.returncode == 2
    assert b"error[FG023]: cannot write to standard output: it is closed\n" in done.stderr


def test_what_finds_no_room_is_told_once() -> None:
    require("" if FULL.exists() else "/dev/full is missing: run on Linux", marked=False)
    with FULL.open("wb") as full:
        done = ended("--version", stdout=full)
    assert (done.returncode, done.stderr) == (2, b"fabricgen: No space left on device\n")


INTERRUPTED = """
import sys

interrupted = sys.argv.pop(1)

class Finder:
    def find_spec(self, name, path, target=None):
        if name == interrupted:
            raise KeyboardInterrupt

sys.meta_path.insert(0, Finder())
from fabricgen.__main__ import main
main()
"""
"""fabricgen, interrupted as it imports a module: what Ctrl-C does at that time."""


@pytest.mark.parametrize(
    "module", ["click", pytest.param("numpy", marks=pytest.mark.slow), "fabricgen.cli.commands.lint"]
)
def test_an_interruption_while_it_imports_is_one_as_later(module: str) -> None:
    command = [sys.executable, "-c", INTERRUPTED, module, "lint", LEAF_SPINE]
    done = subprocess.run(command, capture_output=True, check=False, timeout=300)
    assert (done.returncode, done.stdout) == (130, b"")
    assert done.stderr.strip() == b"fabricgen: interrupted; no file is left half-written"


def test_the_script_is_the_one_that_can_be_interrupted() -> None:
    settings = (Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    assert '\nfabricgen = "fabricgen.__main__:main"\n' in settings

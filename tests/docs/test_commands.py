"""Every command that README and docs show is run, in the order of its page, and prints what the page shows."""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path

import pytest

from tests.conftest import Ran
from tests.docs.pages import PAGES, ROOT, Shown, commands
from tests.docs.workspace import fill

INSTALLS: Mapping[str, str] = {
    "python3 -m venv": "makes an environment; what README runs in it is run, or stands in .ci/run word for word",
    "pip install": "asks the package index",
}
"""Beginnings of what no test runs, and why."""

OF_THE_SYSTEM = {"cut", "sha256sum"}
"""Programs that every system has, and that pages show."""

COMPARE = {"accept", "as-built", "bom", "check", "lint", "lock", "plan", "probe", "verify"}
"""Commands that may end with 1, for differences or findings; all others must end with 0."""

WITH_COMMANDS = [
    pytest.param(page, marks=() if page == "README.md" else pytest.mark.slow)
    for page in PAGES
    if any(True for _ in commands(page))
]
"""Pages with commands: plain `pytest` leaves all but README's to .ci/run."""


@pytest.mark.parametrize("page", WITH_COMMANDS)
def test_commands_of_a_page_run_and_print_what_it_shows(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fabricgen: Callable[..., Ran]
) -> None:
    shown = list(commands(page))
    fill(tmp_path, shown, fabricgen)
    monkeypatch.chdir(tmp_path)
    for each in shown:
        words = shlex.split(each.command.rpartition(" && ")[2], comments=True)
        if words[0] in ("fabricgen", ".venv/bin/fabricgen"):
            _runs(each, words[1:], fabricgen)
        elif each.command.startswith(tuple(INSTALLS)):
            continue
        elif words[0] in OF_THE_SYSTEM:
            subprocess.run(["sh", "-c", each.command], check=True)
        else:
            assert _is_held(words), f"{each.place} is run by no test"


def _runs(shown: Shown, words: list[str], fabricgen: Callable[..., Ran]) -> None:
    """Run a command as a shell would, with globs and `> FILE`; compare its standard output, if none its messages."""
    target = None
    if ">" in words:
        at = words.index(">")
        words, target = [*words[:at], *words[at + 2 :]], words[at + 1]
    words = [path for word in words for path in (sorted(map(str, Path().glob(word))) if "*." in word else [word])]
    ran = fabricgen(*words)
    if target:
        Path(target).write_text(ran.out, encoding="utf-8")
    refused = shown.printed is not None and "error[FG" in shown.printed
    allowed = {0, 1, 2} if refused else {0, 1} if words[0] in COMPARE else {0}
    assert ran.code in allowed, f"{shown.place} ends with {ran.code}: {ran.err}{ran.out[-2000:]}"
    if shown.printed is not None:
        printed = ran.out or ran.err
        assert re.fullmatch(_pattern(shown.printed), "\n".join([*_lines(printed), ""])), (
            f"{shown.place} prints\n{printed}"
        )


def _pattern(printed: str) -> str:
    """What is shown, as a pattern: a line `...` stands for any lines, ` ...` at an end for the rest of its line."""
    lines = []
    for line in _lines(printed):
        if line.strip() == "...":
            lines.append(r"(?:.*\n)*")
        elif line.endswith(" ..."):
            lines.append(re.escape(line.removesuffix("...")) + ".*\n")
        else:
            lines.append(re.escape(line) + "\n")
    return "".join(lines)


def _lines(text: str) -> list[str]:
    """Lines without blanks at their ends, and without how long something took."""
    text = re.sub(r"\b\d+\.\d s\b", "N s", text.strip("\n"))
    return [line.rstrip() for line in text.split("\n")]


def _is_held(words: list[str]) -> bool:
    """Whether something else holds a command: CI runs it, or its options are read and its files are there."""
    if words[:3] == ["python", "-m", "benchmarks"]:
        from benchmarks.__main__ import options

        options().parse_args(words[3:])
        return True
    if words in [["python", "-m", f"benchmarks.{name}"] for name in ("profile", "picture", "hall", "foresight")]:
        return callable(import_module(words[2]).main)
    if words[:3] == [".venv/bin/python", "-m", "pytest"]:
        paths = [word for word in words[3:] if not word.startswith("-")]
        return all((ROOT / path.partition("::")[0]).exists() for path in paths)
    if words[:2] == [".venv/bin/python", "tools/generate.py"]:
        return (ROOT / words[1]).is_file()
    return shlex.join(words) in (ROOT / ".ci" / "run").read_text(encoding="utf-8")

"""Completion as docs/hook.md sets it up, in bash."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.delivery.programs import ROOT, environment

PAGE = ROOT / "docs" / "hook.md"

ASK = """
{setup}
complete -p fabricgen
compopt() {{ printf 'compopt %s %s\\n' "$@"; }}
ask() {{
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
  _fabricgen_completion fabricgen
  echo "${{COMPREPLY[*]}}"
}}
ask fabricgen bu
ask fabricgen lint --for
ask fabricgen lint --format js
ask fabricgen build blueprints/le
ask fabricgen plan a.yaml b
"""


@pytest.mark.slow
def test_commands_options_words_and_files_are_completed(tmp_path: Path) -> None:
    (setup,) = re.findall(r"^eval .*bash_source.*$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    done = subprocess.run(
        ["bash", "--norc", "-c", ASK.format(setup=setup)],
        check=True,
        capture_output=True,
        text=True,
        env=environment(tmp_path),
    )
    assert done.stderr == ""
    assert [line.strip() for line in done.stdout.splitlines() if line.strip()] == [
        "complete -o nosort -F _fabricgen_completion fabricgen",
        "build",
        "--format",
        "json",
        *["compopt -o default"] * 2,
    ]


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_have_a_script(shell: str, tmp_path: Path) -> None:
    assert f"_FABRICGEN_COMPLETE={shell}_source fabricgen" in PAGE.read_text(encoding="utf-8")
    done = subprocess.run(
        ["fabricgen"],
        check=True,
        capture_output=True,
        text=True,
        env=environment(tmp_path) | {"_FABRICGEN_COMPLETE": f"{shell}_source"},
    )
    assert f"_FABRICGEN_COMPLETE={shell}_complete" in done.stdout

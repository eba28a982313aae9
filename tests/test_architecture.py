"""The house stays livable: sizes of files and functions, and what start-up may load."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SOURCES = sorted((ROOT / "fabricgen").rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("*.py"))


@pytest.mark.parametrize("file", SOURCES + TESTS, ids=lambda p: str(p.relative_to(ROOT)))
def test_files_stay_under_500_lines(file: Path) -> None:
    assert len(file.read_text(encoding="utf-8").splitlines()) <= 500


def test_most_files_stay_under_300_lines() -> None:
    long = [f for f in SOURCES if len(f.read_text(encoding="utf-8").splitlines()) > 300]
    assert len(long) <= len(SOURCES) // 20, long


@pytest.mark.parametrize("file", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_functions_fit_a_screen(file: Path) -> None:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert (node.end_lineno or 0) - node.lineno < 60, node.name


def loaded_by(*arguments: str) -> set[str]:
    """Top-level modules that a command has loaded when it ends."""
    code = (
        "import sys, json\nfrom fabricgen.cli.main import run\n"
        f"code = run({list(arguments)!r})\n"
        "print('\\n' + json.dumps(sorted(m for m in sys.modules if '.' not in m)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_a_build_into_a_folder_loads_nothing_of_archives(tmp_path: Path) -> None:
    loaded = loaded_by("build", "blueprints/superpod-b300.yaml", "-o", str(tmp_path / "out"), "--jobs", "1")
    assert "jinja2" in loaded
    assert not loaded & {"tarfile", "zstandard"}

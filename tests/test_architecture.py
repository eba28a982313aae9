"""The house stays livable: sizes of files and functions, and what start-up may load."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SOURCES = sorted((ROOT / "fabricgen").rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("*.py"))


@pytest.mark.parametrize("file", SOURCES + TESTS, ids=lambda p: str(p.relative_to(ROOT)))
def test_files_stay_under_500_lines(file: Path) -> None:
    assert len(file.read_text(encoding="utf-8").splitlines()) <= 500


def test_folders_have_rooms_inside_once_they_are_large() -> None:
    """A reader finds a file among 25; rules are looked up by their code."""
    sizes = Counter(file.parent.relative_to(ROOT) for file in SOURCES)
    large = {str(folder): size for folder, size in sizes.items() if size > 25}
    assert set(large) == {"fabricgen/lint/rules"}, large


def foreign_names(tree: ast.AST) -> set[str]:
    """Names that a module imports from other packages than fabricgen."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not (node.module or "").startswith("fabricgen"):
            found |= {alias.asname or alias.name for alias in node.names}
    return found


def root_name(node: ast.expr) -> str:
    """The name at the start of `a.b.c`; "" where there is none."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.endswith("__")


@pytest.mark.parametrize("file", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_libraries_are_used_by_their_public_names(file: Path) -> None:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    foreign = foreign_names(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and root_name(node.value) in foreign and ast.unparse(node) != "os._exit":
            assert not is_private(node.attr), f"{node.lineno}: {ast.unparse(node)}"
        if isinstance(node, ast.ImportFrom) and not (node.module or "").startswith("fabricgen"):
            assert not any(map(is_private, (node.module or "").split("."))), f"{node.lineno}: {node.module}"
        if isinstance(node, ast.Assign | ast.Delete):
            assert not any("sys.modules" in ast.unparse(target) for target in node.targets), f"{node.lineno}"


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

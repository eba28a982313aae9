"""The house stays livable: sizes of files and functions, and what start-up may load."""

from __future__ import annotations

import ast
import importlib
import json
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Container, Iterable, Iterator
from functools import cache
from pathlib import Path
from types import ModuleType

import networkx as nx
import pytest

from fabricgen.kernel.nos_rooms import list_nos

ROOT = Path(__file__).resolve().parent.parent
SOURCES = sorted((ROOT / "fabricgen").rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("*.py"))


def place(file: Path) -> str:
    return str(file.relative_to(ROOT))


@cache
def trees() -> dict[Path, ast.Module]:
    """What each module of the program says; a law over all of them is one test, for a test a file costs more."""
    return {file: ast.parse(file.read_text(encoding="utf-8"), place(file)) for file in SOURCES}


def test_files_stay_under_500_lines() -> None:
    lines = {place(file): len(file.read_text(encoding="utf-8").splitlines()) for file in SOURCES + TESTS}
    assert {file: count for file, count in lines.items() if count > 500} == {}


def test_test_files_have_names_of_their_own() -> None:
    """pytest imports them by their name alone, unless their folder is a package."""
    files = [file for file in TESTS if file.name.startswith("test_") and not (file.parent / "__init__.py").exists()]
    names = Counter(file.name for file in files)
    assert sorted(place(file) for file in files if names[file.name] > 1) == []


def test_folders_have_rooms_inside_once_they_are_large() -> None:
    """A reader finds a file among 25."""
    sizes = Counter(file.parent.relative_to(ROOT) for file in SOURCES)
    assert {str(folder): size for folder, size in sizes.items() if size > 25} == {}


def imported_modules(tree: ast.Module, modules: Container[str]) -> Iterator[str]:
    """Modules of the program that a module imports anywhere: at its head, in a function, or for types alone."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                module = f"{node.module}.{alias.name}"
                yield module if module in modules else node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def test_add_ons_are_barred_from_every_room_but_the_api() -> None:
    """The contract names each room: import-linter has no word for all others."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    (barred,) = (contract["forbidden_modules"] for contract in contracts if contract["type"] == "forbidden")
    rooms = {file.relative_to(ROOT).with_suffix("").parts[1] for file in SOURCES} - {"__init__", "__main__"}
    assert set(barred) == {f"fabricgen.{room}" for room in rooms - {"addons", "api"}}


@pytest.mark.slow
def test_no_two_modules_import_each_other() -> None:
    """Nor in a circle of several: whoever changes one of them would have to know them all."""
    modules = {".".join(file.relative_to(ROOT).with_suffix("").parts): tree for file, tree in trees().items()}
    pairs = ((name, other) for name, tree in modules.items() for other in imported_modules(tree, modules))
    graph = nx.DiGraph((name, other) for name, other in pairs if other in modules and other != name)
    assert [sorted(circle) for circle in nx.strongly_connected_components(graph) if len(circle) > 1] == []


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


def uses_of_private_names(tree: ast.Module) -> Iterator[str]:
    """Yield line and text of what a module takes of other packages that is not theirs to give."""
    foreign = foreign_names(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and is_private(node.attr) and root_name(node.value) in foreign:
            if (text := ast.unparse(node)) != "os._exit":
                yield f"{node.lineno}: {text}"
        elif isinstance(node, ast.ImportFrom) and not (node.module or "").startswith("fabricgen"):
            if any(map(is_private, (node.module or "").split("."))):
                yield f"{node.lineno}: {node.module}"
        elif isinstance(node, ast.Assign | ast.Delete) and any("sys.modules" in ast.unparse(t) for t in node.targets):
            yield f"{node.lineno}: sys.modules"


@pytest.mark.slow
def test_libraries_are_used_by_their_public_names() -> None:
    assert [f"{place(file)}:{use}" for file, tree in trees().items() for use in uses_of_private_names(tree)] == []


@pytest.mark.parametrize(
    ("code", "use"),
    [
        ("import numpy as np\nnp.core._multiarray.x = 1", ["2: np.core._multiarray"]),
        ("from click._compat import strip_ansi", ["1: click._compat"]),
        ("import sys\nsys.modules['a'] = None", ["2: sys.modules"]),
        ("import sys\ndel sys.modules['a']", ["2: sys.modules"]),
        ("import os\nos._exit(0)\nclass A:\n  def f(self): return self._own", []),
    ],
)
def test_what_is_private_to_a_library_is_found(code: str, use: list[str]) -> None:
    assert list(uses_of_private_names(ast.parse(code))) == use


OF_NAMED_TUPLES = {"_asdict", "_field_defaults", "_fields", "_make", "_replace"}
"""Documented names of every named tuple; the underscore keeps them apart from its fields."""


def own_names(body: ast.ClassDef) -> set[str]:
    """The names that a class defines: methods, attributes, and what its methods assign to `self`."""
    attributes = (
        node for node in ast.walk(body) if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
    )
    found = {node.attr for node in attributes if ast.unparse(node.value) == "self"}
    for node in body.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found.add(node.name)
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        found |= {target.id for target in targets if isinstance(target, ast.Name)}
    return found


def inherited_private_names(body: ast.ClassDef) -> set[str]:
    """The private names of `self`, `cls` or `super()` that a class uses and does not define itself."""
    used: dict[str, set[str]] = {"self": set(), "cls": set(), "super()": set()}
    for node in ast.walk(body):
        if isinstance(node, ast.Attribute) and is_private(node.attr):
            used.setdefault(ast.unparse(node.value), set()).add(node.attr)
    return ((used["self"] | used["cls"]) - own_names(body) | used["super()"]) - OF_NAMED_TUPLES


def overridden_private_names(body: ast.ClassDef, bases: Iterable[type]) -> set[str]:
    """The private names that a class defines although its bases from other packages have them."""
    foreign = [base for base in bases if not base.__module__.startswith("fabricgen")]
    return {name for name in own_names(body) if is_private(name) and any(hasattr(base, name) for base in foreign)}


def private_names_of_libraries(tree: ast.Module, module: ModuleType) -> dict[str, set[str]]:
    """By class: the private names of its bases from other packages that it uses or overrides; `tree` is of `module`."""
    foreign, found = foreign_names(tree), {}
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            names = overridden_private_names(node, getattr(module, node.name).__mro__[1:])
            if any(root_name(base) in foreign for base in node.bases):
                names |= inherited_private_names(node)
            if names:
                found[node.name] = names
    return found


@pytest.mark.slow
def test_classes_leave_the_private_names_of_libraries_alone() -> None:
    found = {}
    for file, tree in trees().items():
        if any(isinstance(node, ast.ClassDef) and node.bases for node in tree.body):
            module = importlib.import_module(".".join(file.relative_to(ROOT).with_suffix("").parts))
            found[place(file)] = private_names_of_libraries(tree, module)
    assert len(found) > 100
    assert {file: names for file, names in found.items() if names} == {}


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("def _write_rows(self): pass", {"_write_rows"}),
        ("_write_rows = None", {"_write_rows"}),
        ("def rows(self): return self._rows()", {"_rows"}),
        ("def rows(self): return super()._rows()", {"_rows"}),
        ("def rows(self): self._mine = {}; return self._mine", set()),
        ("_mine = 1; rows = lambda self: self._mine", set()),
    ],
)
def test_a_class_that_uses_or_overrides_what_a_library_keeps_private_is_found(line: str, names: set[str]) -> None:
    code = f"from xlsxwriter.worksheet import Worksheet\nclass Sheet(Worksheet):\n  {line}\n"
    module = ModuleType("fabricgen.example")
    exec(code, vars(module))
    assert private_names_of_libraries(ast.parse(code), module) == ({"Sheet": names} if names else {})


@pytest.mark.slow
def test_functions_fit_a_screen() -> None:
    lines = {
        f"{place(file)}:{node.lineno}: {node.name}": (node.end_lineno or 0) - node.lineno + 1
        for file, tree in trees().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    assert {function: count for function, count in lines.items() if count > 60} == {}


def loaded_by(*arguments: str) -> set[str]:
    """Top-level modules that a command has loaded when it ends."""
    code = (
        "import sys, json\nfrom fabricgen.cli.main import run_command\n"
        f"code = run_command({list(arguments)!r})\n"
        "print('\\n' + json.dumps(sorted(m for m in sys.modules if '.' not in m)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    return set(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.slow
def test_a_build_into_a_folder_loads_nothing_of_archives(tmp_path: Path) -> None:
    loaded = loaded_by("build", "blueprints/superpod-b300.yaml", "-o", str(tmp_path / "out"), "--jobs", "1")
    assert "jinja2" in loaded
    assert not loaded & {"tarfile", "zstandard"}


@pytest.mark.slow
@pytest.mark.parametrize("command", [("show",), ("lint", "--fast")], ids=" ".join)
def test_what_only_reads_the_design_loads_no_columns(command: tuple[str, ...]) -> None:
    """numpy and the wiring plan are a tenth of their time, and no design rule needs them."""
    loaded = loaded_by(*command, "blueprints/leaf-spine.yaml")
    assert "pydantic" in loaded
    assert "numpy" not in loaded


NOS_NAMES = frozenset((*list_nos("writer"), "nvos"))
NOS_ROOMS = "nos/"
"""Where a NOS is known by its name; what else has to know of one asks its facts (catalog/platforms/NOS.yaml)."""
STILL_NAMING = {
    "blueprint/sections/fabric.py",  # words of the language: the subnet managers that a blueprint may name
}
"""Files outside that name one as yet: none may come, and one that no longer does goes."""


def names_of_nos(tree: ast.Module) -> set[str]:
    """The names of NOSes that are texts of a module."""
    texts = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str))
    return NOS_NAMES.intersection(texts)


@pytest.mark.slow
def test_no_other_file_names_a_nos() -> None:
    package = ROOT / "fabricgen"
    naming = {
        file.relative_to(package).as_posix()
        for file, tree in trees().items()
        if package in file.parents and names_of_nos(tree)
    }
    assert {file for file in naming if not file.startswith(NOS_ROOMS)} == STILL_NAMING

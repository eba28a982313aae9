"""A command loads no library that it does not need: each would take longer than the command itself."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from fabricgen.lint.report import REPORTS
from fabricgen.reports.formats import list_formats
from tests.conftest import BLUEPRINTS

EXPANDING = {"numpy", "networkx", "jinja2", "jsonschema", "openpyxl", "xlsxwriter"}
"""What only wiring, rendering and files of other programs take."""

READING = {"pydantic", "ruamel"}
"""What reads files."""

RUN = """
import json, sys
from fabricgen.cli.main import run_command

run_command(sys.argv[1:])
print(json.dumps(sorted(sys.modules)))
"""

MOST_MODULES = 291
"""Modules of ours that a lint loads at most, rules aside: each takes a thousandth of the three imports that
limits of speed are told in."""

MOST_CALLS = 1_170_000
"""Calls of functions in a lint of superpod-b300 at most, imports included; no machine changes them."""

COUNT = """
import sys
from fabricgen.cli.main import run_command
from tests.effort import calls

print(calls(lambda: run_command(sys.argv[1:])))
"""


def loaded(*arguments: str) -> set[str]:
    """Modules that a command has loaded when it ends."""
    command = [sys.executable, "-c", RUN, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_help_loads_neither_models_nor_what_stands_on_them() -> None:
    found = loaded("--help")
    assert not found & (EXPANDING | READING | {"rich"})
    assert not any(name.startswith(("fabricgen.blueprint", "fabricgen.design", "fabricgen.wiring")) for name in found)


@pytest.mark.slow
@pytest.mark.parametrize(
    "command", [("show",), *(("lint", "--fast", "--format", form) for form in list_formats(REPORTS))]
)
def test_what_reads_only_the_design_loads_nothing_that_expands(command: tuple[str, ...]) -> None:
    found = loaded(*command, str(BLUEPRINTS / "colossus-200k.yaml"))
    assert "pydantic" in found
    assert not found & (EXPANDING | {"fabricgen.wiring.expand", "fabricgen.catalog.constant_models"})


def test_lint_loads_nothing_that_renders() -> None:
    found = loaded("lint", str(BLUEPRINTS / "leaf-spine.yaml"))
    assert "numpy" in found
    assert not found & (EXPANDING - {"numpy"})
    ours = {name for name in found if name.startswith("fabricgen.") and not name.startswith("fabricgen.lint.rules.")}
    assert len(ours) <= MOST_MODULES


@pytest.mark.slow
def test_lint_makes_no_more_calls_than_it_did() -> None:
    command = [sys.executable, "-c", COUNT, "lint", str(BLUEPRINTS / "superpod-b300.yaml")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert int(done.stdout.splitlines()[-1]) <= MOST_CALLS


@pytest.mark.slow
@pytest.mark.parametrize("command", ["lint", "analyze"])
def test_what_reads_the_plan_loads_nothing_that_writes_or_verifies(command: str) -> None:
    found = loaded(command, str(BLUEPRINTS / "superpod-b300.yaml"))
    assert "fabricgen.wiring.expand" in found
    assert not found & (EXPANDING - {"numpy"} | {"numpy.ma", "multiprocessing"})
    assert not any(name.startswith(("fabricgen.publish", "fabricgen.verify", "fabricgen.render")) for name in found)


def test_models_have_types_and_no_text_that_pydantic_would_evaluate() -> None:
    code = """
from __future__ import annotations
import sys
from fabricgen.blueprint.models import Blueprint
from fabricgen.catalog import constant_models, loader, sonic_models
from fabricgen.models.forms import FrozenModel

models, pending = set(), [FrozenModel]
while pending:
    subclasses = pending.pop().__subclasses__()
    models.update(subclasses)
    pending += subclasses
print(len(models))
print(*sorted({m.__module__ for m in models if m.__annotations__ and "annotations" in vars(sys.modules[m.__module__])}))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    count, late = done.stdout.split("\n")[:2]
    assert int(count) > 100
    assert late == "", "`from __future__ import annotations` makes text of types: a third of the time of such a class"

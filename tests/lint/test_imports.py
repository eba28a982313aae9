"""Judging a design loads nothing that expands or renders: start-up is a budget."""

from __future__ import annotations

import json
import subprocess
import sys

from tests.conftest import BLUEPRINTS

UNREAD = {
    "numpy.ma",
    "fabricgen.allocate.overrides",
    "fabricgen.catalog.sonic_buffers",
    "fabricgen.design.hints",
    "fabricgen.intent",
    "fabricgen.kernel.publish",
    "fabricgen.switch_view",
}
"""What no rule reads where a blueprint has nothing of the kind."""

HEAVY = {"numpy", "networkx", "jinja2", "jsonschema", "rich", "xlsxwriter"}

UNUSED = {"email", "importlib.metadata", "zipfile"}
"""What pydantic would load to look for plug-ins."""

JUDGE = """
import json, sys
from fabricgen.blueprint.load import load_blueprint
from fabricgen.design.build import build_design
from fabricgen.lint.engine import lint
from fabricgen.lint.report import FileReport, report_formats, write_report

found = lint(build_design(load_blueprint(sys.argv[1])))
for form in report_formats():
    write_report(form, [FileReport(sys.argv[1], found.findings)])
print(json.dumps(sorted(sys.modules)))
"""

ALL_RULES = """
import json, sys
from fabricgen.cli.main import run

run(["lint", sys.argv[1], "--format", "github"])
print(json.dumps(sorted(sys.modules)))
"""

FAST = ALL_RULES.replace('"lint"', '"lint", "--fast"')


def loaded(program: str, blueprint: str) -> set[str]:
    """Modules that a program loads, of which the last line it writes is the list."""
    command = [sys.executable, "-c", program, str(BLUEPRINTS / blueprint)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_design_rules_and_reports_load_nothing_heavy() -> None:
    assert not loaded(JUDGE, "superpod-b300.yaml") & (HEAVY | UNREAD)


def test_all_rules_load_no_more_than_they_read() -> None:
    found = loaded(ALL_RULES, "leaf-spine.yaml")
    assert "numpy" in found
    assert not found & (UNREAD | UNUSED | (HEAVY - {"numpy"})) - {"fabricgen.catalog.sonic_buffers"}


def test_fast_lint_loads_nothing_heavy() -> None:
    assert not loaded(FAST, "colossus-200k.yaml") & (HEAVY | UNREAD | UNUSED)

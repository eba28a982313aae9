"""Judging a design loads nothing that expands or renders: start-up is a budget."""

from __future__ import annotations

import json
import subprocess
import sys

from tests.conftest import BLUEPRINTS

UNREAD = {
    "numpy.ma",
    "fabricgen.numbering.link_ends",
    "fabricgen.numbering.overrides",
    "fabricgen.numbering.addresses.rail_subnets",
    "fabricgen.catalog.sonic_buffers",
    "fabricgen.design.advice.tiers",
    "fabricgen.design.advice.hints",
    "fabricgen.views.intent",
    "fabricgen.publish",
    "fabricgen.wiring.patching.trunks",
    "fabricgen.wiring.racks.stated_devices",
    "fabricgen.as_built.overrides.built",
    "fabricgen.views.switch",
}
"""What no rule reads where a blueprint has nothing of the kind."""

HEAVY = {"numpy", "pydantic", "pydantic_core", "networkx", "jinja2", "jsonschema", "rich", "xlsxwriter"}

UNUSED = {"difflib", "email", "importlib.metadata", "socket", "zipfile"}
"""What only hints and IPv6 take, and what libraries would load to look for plug-ins."""

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


HELP = """
import json, sys
from fabricgen.cli.main import run

run(["--help"])
print(json.dumps(sorted(sys.modules)))
"""


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
    tried = {
        "fabricgen.design.advice.tiers",
        "fabricgen.catalog.sonic_buffers",
    }  # its uplinks are stated, its leaves SONiC's
    assert not found & (UNREAD | UNUSED | (HEAVY - {"numpy"})) - tried


def test_fast_lint_loads_nothing_heavy() -> None:
    assert not loaded(FAST, "colossus-200k.yaml") & (HEAVY | UNREAD | UNUSED)


def test_help_loads_neither_models_nor_what_stands_on_them() -> None:
    found = loaded(HELP, "superpod-b300.yaml")
    assert not found & (HEAVY | {"ruamel.yaml"})
    assert not any(name.startswith(("fabricgen.blueprint", "fabricgen.design", "fabricgen.wiring")) for name in found)

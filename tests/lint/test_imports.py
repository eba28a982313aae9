"""Judging a design loads nothing that expands or renders: start-up is a budget."""

from __future__ import annotations

import json
import subprocess
import sys

from tests.conftest import BLUEPRINTS

HEAVY = {"numpy", "networkx", "jinja2", "jsonschema", "rich", "xlsxwriter"}

JUDGE = """
import json, sys
from fabricgen.blueprint.load import load_blueprint
from fabricgen.design.build import build_design
from fabricgen.lint.engine import lint
from fabricgen.lint.report import FileReport, report_formats, write_report

found = lint(build_design(load_blueprint(sys.argv[1])))
for form in report_formats():
    write_report(form, [FileReport(sys.argv[1], found.findings)])
print(json.dumps(sorted({name.partition(".")[0] for name in sys.modules})))
"""


def test_design_rules_and_reports_load_nothing_heavy() -> None:
    blueprint = str(BLUEPRINTS / "superpod-b300.yaml")
    done = subprocess.run([sys.executable, "-c", JUDGE, blueprint], capture_output=True, text=True, check=True)
    assert not set(json.loads(done.stdout)) & HEAVY

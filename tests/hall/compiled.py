"""Examples compiled once, and `fabricgen verify` run on dumps of their halls: the one door from here to the package."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from fabricgen.addons.emulation.plan import PARTS, Plan, read_plan
from fabricgen.cli.main import run_command
from tests.conftest import BLUEPRINTS, built_files, example_cluster
from tests.hall.examples import EXAMPLES


@dataclass(frozen=True)
class Verdict:
    """How `verify` ended, and its JSON report."""

    code: int
    report: dict[str, Any]
    errors: str

    @property
    def actions(self) -> list[dict[str, Any]]:
        """What is to be done."""
        return self.report.get("actions", [])


@cache
def plan_of(example: str) -> Plan:
    """The plan of an example, read from the lists that a build writes."""
    cluster = example_cluster(example.partition(" ")[0], *EXAMPLES[example])
    return read_plan(built_files(cluster, *PARTS))


def verify(example: str, dumps: Mapping[str, str], *options: str) -> Verdict:
    """Hold dumps, by their file names, against an example."""
    settings = [text for setting in EXAMPLES[example] for text in ("--set", setting)]
    blueprint = str(BLUEPRINTS / f"{example.partition(' ')[0]}.yaml")
    with TemporaryDirectory() as folder:
        dump_folder = Path(folder, "dumps")
        dump_folder.mkdir()
        for name, text in dumps.items():
            (dump_folder / name).write_text(text, encoding="utf-8")
        report = Path(folder, "report.json")
        errors = io.StringIO()
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(errors):
            code = run_command(["verify", blueprint, str(dump_folder), "-o", str(report), *settings, *options])
        text = report.read_text(encoding="utf-8") if report.exists() else "{}"
        return Verdict(code, json.loads(text), errors.getvalue())

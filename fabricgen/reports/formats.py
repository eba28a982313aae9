"""The formats of a report: modules of the reporting command's folder, and the formats of all findings."""

from __future__ import annotations

import importlib
from typing import Any

from fabricgen.kernel import discovery

FINDINGS = "fabricgen.reports.findings"


def list_formats(reports: str) -> tuple[str, ...]:
    """Return the sorted names of the formats of a report on findings; `reports` is the package of its own formats."""
    return tuple(sorted({*discovery.list_modules(reports), *discovery.list_modules(FINDINGS)}))


def write_report(reports: str, form: str, judged: Any) -> Any:
    """Write what was judged in a format by name, as text without its last line end, or as bytes.

    A format of the package `reports` is a module with `report(judged)`; for the formats of all findings its module
    `_findings` has `describe_findings(judged)`, which makes a `Judgement`. Raises KeyError for an unknown format.
    """
    if form in discovery.list_modules(reports):
        return discovery.load_module(reports, form).report(judged)
    writer = discovery.load_module(FINDINGS, form)
    return writer.write(importlib.import_module(f"{reports}._findings").describe_findings(judged))

"""Lint reports for programs: stable JSON that docs/lint.md describes. Lines and columns count from 1, end columns are
exclusive.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from fabricgen.kernel.diagnostics import Diagnostic, Span
from fabricgen.lint.report import FileReport, count_findings
from fabricgen.lint.waived import Softened, Waived
from fabricgen.models.validation import format_path

VERSION = 1
"""Rises when a key goes or changes its meaning, not when one is added."""

NOWHERE = Span("", 0, 0)


def report(results: Sequence[FileReport]) -> str:
    """Return one JSON object as text: the judged blueprints, their findings in order, what is waived or softened, and
    totals by severity.
    """
    document = {
        "version": VERSION,
        "blueprints": [{"file": result.file, "usable": result.usable} for result in results],
        "findings": [make_finding_record(f) | {"blueprint": r.file} for r in results for f in r.findings],
        "waived": [_make_waived_record(w) | {"blueprint": r.file} for r in results for w in r.waived],
        "softened": [_make_softened_record(s) | {"blueprint": r.file} for r in results for s in r.softened],
        "totals": count_findings(results),
        "fast": any(result.fast for result in results),
    }
    return json.dumps(document, indent=2)


def make_finding_record(finding: Diagnostic) -> dict[str, Any]:
    """Return a finding as data for JSON."""
    return {
        "code": finding.code,
        "severity": finding.severity.label,
        "message": finding.message,
        "hint": finding.hint,
        "path": format_path(finding.path),
        "fixable": bool(finding.fix),
    } | (finding.span or NOWHERE)._asdict()


def _make_waived_record(waived: Waived) -> dict[str, Any]:
    """Return a waived finding as data for JSON, with the reason, last day and place of its waiver."""
    return make_finding_record(waived.finding) | {
        "why": waived.why,
        "until": waived.until,
        "waiver": (waived.place or NOWHERE)._asdict(),
    }


def _make_softened_record(softened: Softened) -> dict[str, Any]:
    return softened._asdict() | {"severity": softened.severity.label}

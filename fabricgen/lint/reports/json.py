"""For programs: stable JSON that docs/reports.md describes: lines and columns from 1, end columns exclusive."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from fabricgen.kernel.diagnostics import Diagnostic, Span
from fabricgen.lint.report import FileReport, totals
from fabricgen.lint.waived import Softened, Waived
from fabricgen.models.validation import dotted

VERSION = 1
"""Rises when a key goes or changes its meaning, not when one is added."""


def report(results: Sequence[FileReport]) -> str:
    """One object: the blueprints judged, their findings in order, what is waived, and totals by severity."""
    whole = {
        "version": VERSION,
        "blueprints": [{"file": result.file, "usable": result.usable} for result in results],
        "findings": [as_dict(f) | {"blueprint": r.file} for r in results for f in r.findings],
        "waived": [_waived(w) | {"blueprint": r.file} for r in results for w in r.waived],
        "softened": [_softened(s) | {"blueprint": r.file} for r in results for s in r.softened],
        "totals": totals(results),
        "fast": any(result.fast for result in results),
    }
    return json.dumps(whole, indent=2)


def as_dict(finding: Diagnostic) -> dict[str, Any]:
    """A finding as plain data."""
    return {
        "code": finding.code,
        "severity": finding.severity.label,
        "message": finding.message,
        "hint": finding.hint,
        "path": dotted(finding.path),
        "fixable": bool(finding.fix),
    } | _place(finding.span)


def _waived(waived: Waived) -> dict[str, Any]:
    return as_dict(waived.finding) | {"why": waived.why, "until": waived.until, "waiver": _place(waived.place)}


def _softened(softened: Softened) -> dict[str, Any]:
    return asdict(softened) | {"severity": softened.severity.label}


def _place(span: Span | None) -> dict[str, Any]:
    return {
        "file": span.file if span else "",
        "line": span.line if span else 0,
        "column": span.column if span else 0,
        "end_line": span.end_line if span else 0,
        "end_column": span.end_column if span else 0,
    }

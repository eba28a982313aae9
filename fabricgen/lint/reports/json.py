"""For programs: stable JSON; columns and lines count from 1, an end column is exclusive."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.report import FileReport


def report(results: Sequence[FileReport]) -> str:
    """One object: `findings` in order, and `totals` by severity with what is waived."""
    findings = [finding for result in results for finding in result.findings]
    totals = {s.label: sum(f.severity is s for f in findings) for s in Severity}
    waived = sum(result.waived for result in results)
    return json.dumps({"findings": [as_dict(f) for f in findings], "totals": totals | {"waived": waived}}, indent=2)


def as_dict(finding: Diagnostic) -> dict[str, Any]:
    """A finding as plain data."""
    span = finding.span
    return {
        "code": finding.code,
        "severity": finding.severity.label,
        "message": finding.message,
        "hint": finding.hint,
        "path": ".".join(str(part) for part in finding.path),
        "file": span.file if span else "",
        "line": span.line if span else 0,
        "column": span.column if span else 0,
        "end_line": span.end_line if span else 0,
        "end_column": span.end_column if span else 0,
    }

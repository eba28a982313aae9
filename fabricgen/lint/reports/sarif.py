"""For code scanning: SARIF 2.1.0 (OASIS) with the metadata of every rule that found something."""

from __future__ import annotations

import inspect
import json
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from fabricgen import __version__
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.report import FileReport
from fabricgen.lint.rule import all_rules

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}


def report(results: Sequence[FileReport]) -> str:
    """One run of the tool with a result for each finding."""
    findings = [finding for result in results for finding in result.findings]
    codes = sorted({f.code for f in findings})
    driver = {
        "name": "fabricgen",
        "version": __version__,
        "rules": [_rule(code) for code in codes],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(f, codes) for f in findings],
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2)


def _rule(code: str) -> dict[str, Any]:
    rule = next((r for r in all_rules() if r.id == code), None)
    if rule is None:
        return {"id": code}
    return {
        "id": code,
        "name": type(rule).__name__,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": inspect.cleandoc(rule.__doc__ or rule.title)},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
    }


def _result(finding: Diagnostic, codes: list[str]) -> dict[str, Any]:
    text = finding.message + (f" ({finding.hint})" if finding.hint else "")
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": codes.index(finding.code),
        "level": _LEVELS[finding.severity],
        "message": {"text": text},
    }
    span = finding.span
    if span:
        region = {"startLine": span.line, "startColumn": span.column}
        if span.end_line:
            region |= {"endLine": span.end_line, "endColumn": span.end_column}
        artifact = {"uri": quote(span.file.replace("\\", "/"))}
        result["locations"] = [{"physicalLocation": {"artifactLocation": artifact, "region": region}}]
    return result

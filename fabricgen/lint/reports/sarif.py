"""Lint reports for code scanning: SARIF 2.1.0 (OASIS Standard with errata 01), which GitHub, GitLab, Azure DevOps and
editors read.

A report describes every rule, and those faults that were found; waived findings are listed as suppressed. Files are
named relative to the folder in which the command runs, and nothing says where that folder is, so that the same input
gives the same bytes on any machine.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path as FilePath
from typing import Any
from urllib.parse import quote

from fabricgen import __version__
from fabricgen.kernel.diagnostics import Diagnostic, Severity, Span, make_printable
from fabricgen.lint.docs import explain_code, format_markdown_page
from fabricgen.lint.documented import Documented
from fabricgen.lint.fault import find_page
from fabricgen.lint.report import FileReport, is_in_file
from fabricgen.lint.rule import load_all_rules
from fabricgen.lint.waived import Waived
from fabricgen.models.validation import format_path
from fabricgen.reports.judgement import make_relative_path

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
ROOT = "%SRCROOT%"
FINGERPRINT = "fabricgenPath/v1"
"""The name of a fingerprint of a code and a place in the data, since lines may move and numbers in messages change."""

_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
_PROBLEMS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "recommendation"}


def report(results: Sequence[FileReport]) -> str:
    """Return SARIF 2.1.0 as JSON text: one run with a result for each finding, waived findings included."""
    unwaived = [(result, finding, None) for result in results for finding in result.findings]
    accepted = [(result, waived.finding, waived) for result in results for waived in result.waived]
    rules = _list_rules({finding.code for _, finding, _ in (*unwaived, *accepted)})
    index = {rule["id"]: number for number, rule in enumerate(rules)}
    occurrences: Counter[str] = Counter()
    driver = {"name": "fabricgen", "version": __version__, "semanticVersion": __version__, "rules": rules}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {ROOT: {"description": {"text": "The folder in which fabricgen ran."}}},
        "results": [_make_result(*judged, index, occurrences) for judged in (*unwaived, *accepted)],
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2)


def _list_rules(codes: set[str]) -> list[dict[str, Any]]:
    """Return the descriptions of all rules, and of the faults and plug-in rules among `codes`, in the order
    of codes.
    """
    pages: dict[str, Documented | None] = {rule.id: rule for rule in load_all_rules()}
    pages |= {code: find_page(code) for code in codes - set(pages)}
    return [_describe_rule(page) if page else {"id": code} for code, page in sorted(pages.items())]


def _describe_rule(page: Documented) -> dict[str, Any]:
    """Return a rule or fault as SARIF's `reportingDescriptor`."""
    return {
        "id": page.id,
        "name": page.name,
        "shortDescription": {"text": page.title},
        "fullDescription": {"text": page.about},
        "help": {"text": explain_code(page), "markdown": format_markdown_page(page)},
        "defaultConfiguration": {"level": _LEVELS[page.severity]},
        "properties": {"tags": [page.family, page.kind], "problem.severity": _PROBLEMS[page.severity]},
    }


def _make_result(
    result: FileReport, finding: Diagnostic, waived: Waived | None, index: dict[str, int], occurrences: Counter[str]
) -> dict[str, Any]:
    """Return a finding as SARIF's `result`.

    `index` has the position of each code among the descriptions. `occurrences` counts the findings of each fingerprint,
    so that several findings of one fingerprint are numbered; this finding is added to it.
    """
    hint = f" ({finding.hint})" if finding.hint else ""
    path = format_path(finding.path)
    # A fault without a path, such as one of syntax, is told from others by its message without numbers.
    location_text = path or re.sub(r"\d+", "", finding.message)
    identity = "\0".join((finding.code, make_relative_path(result.file) or result.file, location_text))
    fingerprint = hashlib.sha256(identity.encode(errors="backslashreplace")).hexdigest()[:16]
    occurrences[fingerprint] += 1
    return {
        "ruleId": finding.code,
        "ruleIndex": index[finding.code],
        "level": _LEVELS[finding.severity],
        "message": {"text": make_printable(finding.message + hint)},
        "locations": [_make_location(result, finding.span, path)],
        "partialFingerprints": {FINGERPRINT: f"{fingerprint}:{occurrences[fingerprint]}"},
        "suppressions": [_make_suppression(result, waived)] if waived else [],
        "properties": {"blueprint": result.file},
    }


def _make_suppression(result: FileReport, waived: Waived) -> dict[str, Any]:
    """Return a waiver as SARIF's `suppression`, which stands in the source: a waiver is written in the blueprint."""
    suppression = {"kind": "inSource", "status": "accepted", "justification": make_printable(waived.reason)}
    return suppression | ({"location": _make_location(result, waived.place, "lint.waive")} if waived.place else {})


def _make_location(result: FileReport, span: Span | None, path: str) -> dict[str, Any]:
    """Return a place as SARIF's `location`: in a file and, by its path, in the data. A value that is given by --set, or
    on standard input, is located in the file of the blueprint.
    """
    location: dict[str, Any] = {}
    if span is not None and is_in_file(span):
        region = {"startLine": span.line, "startColumn": span.column}
        if span.end_line:
            region |= {"endLine": span.end_line, "endColumn": span.end_column}
        location["physicalLocation"] = {"artifactLocation": _make_artifact(span.file), "region": region}
    elif result.file != "-":
        location["physicalLocation"] = {"artifactLocation": _make_artifact(result.file)}
    if span is not None and not is_in_file(span):
        location["message"] = {"text": make_printable(str(span))}
    if path:
        location["logicalLocations"] = [{"fullyQualifiedName": make_printable(path), "kind": "member"}]
    return location


def _make_artifact(file: str) -> dict[str, str]:
    """Return the name of a file as a URI (RFC 3986), relative to the working folder if the file is below it."""
    relative = make_relative_path(file)
    if relative is None:
        return {"uri": FilePath(os.path.abspath(file)).as_uri()}  # noqa: PTH100 - links are not followed
    return {"uri": quote(relative, errors="surrogateescape"), "uriBaseId": ROOT}

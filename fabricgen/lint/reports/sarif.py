"""For code scanning: SARIF 2.1.0 (OASIS Standard with errata 01), read by GitHub, GitLab, Azure DevOps and editors.

Every rule is described, whether it found something or not, and of faults those that did; waived findings are there as
suppressed. Files are named from the folder in which the command runs, and nothing says where that folder is: the same
input gives the same bytes on any machine.
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
from fabricgen.kernel.diagnostics import Diagnostic, Severity, Span, printable
from fabricgen.lint.docs import explain, markdown
from fabricgen.lint.documented import Documented
from fabricgen.lint.fault import page_of
from fabricgen.lint.report import FileReport, below_here, in_file
from fabricgen.lint.rule import all_rules
from fabricgen.lint.waived import Waived
from fabricgen.models.validation import dotted

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
ROOT = "%SRCROOT%"
FINGERPRINT = "fabricgenPath/v1"
"""Of a code and a place in the data rather than in the text: lines may move, and numbers in messages change."""

_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
_PROBLEMS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "recommendation"}


def report(results: Sequence[FileReport]) -> str:
    """One run of the tool with a result for each finding, also for those that are waived."""
    found = [(result, finding, None) for result in results for finding in result.findings]
    accepted = [(result, waived.finding, waived) for result in results for waived in result.waived]
    rules = _rules({finding.code for _, finding, _ in (*found, *accepted)})
    index = {rule["id"]: number for number, rule in enumerate(rules)}
    seen: Counter[str] = Counter()
    driver = {"name": "fabricgen", "version": __version__, "semanticVersion": __version__, "rules": rules}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {ROOT: {"description": {"text": "The folder in which fabricgen ran."}}},
        "results": [_result(*each, index, seen) for each in (*found, *accepted)],
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2)


def _rules(codes: set[str]) -> list[dict[str, Any]]:
    known: dict[str, Documented | None] = {rule.id: rule for rule in all_rules()}
    known |= {code: page_of(code) for code in codes - set(known)}
    return [_rule(page) if page else {"id": code} for code, page in sorted(known.items())]


def _rule(page: Documented) -> dict[str, Any]:
    return {
        "id": page.id,
        "name": page.name,
        "shortDescription": {"text": page.title},
        "fullDescription": {"text": page.about},
        "help": {"text": explain(page), "markdown": markdown(page)},
        "defaultConfiguration": {"level": _LEVELS[page.severity]},
        "properties": {"tags": [page.family, page.kind], "problem.severity": _PROBLEMS[page.severity]},
    }


def _result(
    result: FileReport, finding: Diagnostic, waived: Waived | None, index: dict[str, int], seen: Counter[str]
) -> dict[str, Any]:
    hint = f" ({finding.hint})" if finding.hint else ""
    path = dotted(finding.path)
    # Of a fault without a path, such as one of syntax, the message tells where it is, but for its numbers.
    place = path or re.sub(r"\d+", "", finding.message)
    identity = "\0".join((finding.code, below_here(result.file) or result.file, place))
    print_ = hashlib.sha256(identity.encode(errors="backslashreplace")).hexdigest()[:16]
    seen[print_] += 1
    return {
        "ruleId": finding.code,
        "ruleIndex": index[finding.code],
        "level": _LEVELS[finding.severity],
        "message": {"text": printable(finding.message + hint)},
        "locations": [_location(result, finding.span, path)],
        "partialFingerprints": {FINGERPRINT: f"{print_}:{seen[print_]}"},
        "suppressions": [_suppression(result, waived)] if waived else [],
        "properties": {"blueprint": result.file},
    }


def _suppression(result: FileReport, waived: Waived) -> dict[str, Any]:
    """A waiver stands in the blueprint, so it is in the source."""
    found = {"kind": "inSource", "status": "accepted", "justification": printable(waived.reason)}
    return found | ({"location": _location(result, waived.place, "lint.waive")} if waived.place else {})


def _location(result: FileReport, span: Span | None, path: str) -> dict[str, Any]:
    """Where it is in a file, and in the data; of a value that is --set, the file is that of the blueprint."""
    location: dict[str, Any] = {}
    if span is not None and in_file(span):
        region = {"startLine": span.line, "startColumn": span.column}
        if span.end_line:
            region |= {"endLine": span.end_line, "endColumn": span.end_column}
        location["physicalLocation"] = {"artifactLocation": _artifact(span.file), "region": region}
    elif result.file != "-":
        location["physicalLocation"] = {"artifactLocation": _artifact(result.file)}
    if span is not None and not in_file(span):
        location["message"] = {"text": printable(str(span))}
    if path:
        location["logicalLocations"] = [{"fullyQualifiedName": printable(path), "kind": "member"}]
    return location


def _artifact(file: str) -> dict[str, str]:
    """A file's name as a URI (RFC 3986), relative to where the command runs if it is below that."""
    here = below_here(file)
    if here is None:
        return {"uri": FilePath(os.path.abspath(file)).as_uri()}  # noqa: PTH100 - links are not followed
    return {"uri": quote(here, errors="surrogateescape"), "uriBaseId": ROOT}

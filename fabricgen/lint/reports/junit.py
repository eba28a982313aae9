"""For CI dashboards: JUnit XML, a suite for each blueprint and a case for each finding, failed above info."""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.report import FileReport


def report(results: Sequence[FileReport]) -> str:
    """Suites in order; a blueprint without findings is one passed case."""
    suites = [_suite(result) for result in results]
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', "<testsuites>", *suites, "</testsuites>"])


def _suite(result: FileReport) -> str:
    failures = sum(finding.severity > Severity.INFO for finding in result.findings)
    tests = max(1, len(result.findings))
    cases = [_case(finding) for finding in result.findings] or [f"    <testcase name={quoteattr(result.file)}/>"]
    head = f'  <testsuite name={quoteattr(result.file)} tests="{tests}" failures="{failures}">'
    return "\n".join([head, *cases, "  </testsuite>"])


def _case(finding: Diagnostic) -> str:
    name = quoteattr(f"{finding.code} {finding.span or ''}".strip())
    if finding.severity is Severity.INFO:
        return f"    <testcase name={name}>\n      <system-out>{escape(finding.text())}</system-out>\n    </testcase>"
    failure = f"      <failure type={quoteattr(finding.severity.label)} message={quoteattr(finding.message)}>"
    return f"    <testcase name={name}>\n{failure}{escape(finding.text())}</failure>\n    </testcase>"

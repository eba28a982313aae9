"""Describe lint's findings for the formats that all commands share: a suite for each blueprint, a case for each
finding.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fabricgen.kernel.diagnostics import Diagnostic, Span
from fabricgen.lint.fault import find_page
from fabricgen.lint.report import FileReport, is_in_file
from fabricgen.reports.judgement import Case, Finding, Judgement, Suite


def describe_findings(results: Sequence[FileReport]) -> Judgement:
    """Return the findings on blueprints and their suites, in order; a finding that several blueprints share is listed
    once, but has a case in each of their suites.
    """
    findings = dict.fromkeys(_describe_finding(result, finding) for result in results for finding in result.findings)
    suites = [Suite(result.shown_as, [*_list_cases(result)], usable=result.usable) for result in results]
    return Judgement("fabricgen lint", [*findings], suites)


def _list_cases(result: FileReport) -> Iterator[Case]:
    """Yield a case for each finding of a blueprint, and then a skipped case for each waived finding."""
    for finding in result.findings:
        yield Case(_name_case(finding), [_describe_finding(result, finding)])
    for waived in result.waived:
        yield Case(_name_case(waived.finding), skipped=f"{waived.finding.message}: {waived.reason}")


def _name_case(finding: Diagnostic) -> str:
    return f"{finding.code} {finding.span or ''}".strip()


def _describe_finding(result: FileReport, finding: Diagnostic) -> Finding:
    """Return a finding with its place; a finding on a value that is in no file, such as one of --set, is placed at the
    blueprint as a whole.
    """
    page, span = find_page(finding.code), finding.span
    lines = [finding.message, *([finding.hint] if finding.hint else [])]
    if not is_in_file(span):
        lines += [f"at {span}"] if span else []
        span = None if result.file == "-" else Span(result.file, 0, 0)
    title = f"{finding.code}: {page.title}" if page else finding.code
    details = tuple(finding.text().split("\n"))
    return Finding(finding.severity, title, finding.message, tuple(lines), details, finding.severity.label, span)

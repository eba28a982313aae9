"""For CI dashboards: JUnit XML, a suite for each blueprint and a case for each finding, failed above info.

It keeps to the schema of Jenkins' xUnit plugin (junit-10.xsd), which that of Maven Surefire is a part of.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from xml.sax.saxutils import escape, quoteattr

from fabricgen.kernel.diagnostics import Diagnostic, Severity, make_printable
from fabricgen.lint.report import FileReport
from fabricgen.lint.waived import Waived


def report(results: Sequence[FileReport]) -> str:
    """Suites in order; a blueprint without findings is one passed case, one that cannot be used has errors."""
    counts = [_count_cases(result) for result in results]
    sums = {key: sum(count[key] for count in counts) for key in ("tests", "failures", "errors")}
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f"<testsuites{_write_attributes(name='fabricgen lint', **sums)}>",
    ]
    for result, count in zip(results, counts, strict=True):
        lines.append(f"  <testsuite{_write_attributes(name=result.shown_as, **count)}>")
        lines += [f"    {case}" for case in _list_cases(result)]
        lines.append("  </testsuite>")
    return "\n".join([*lines, "</testsuites>"])


def _count_cases(result: FileReport) -> dict[str, int]:
    """The counts of a suite; a blueprint without findings is one passed case."""
    grave = sum(finding.severity > Severity.INFO for finding in result.findings)
    return {
        "tests": max(1, len(result.findings) + len(result.waived)),
        "failures": grave if result.usable else 0,
        "errors": 0 if result.usable else grave,
        "skipped": len(result.waived),
    }


def _list_cases(result: FileReport) -> Iterator[str]:
    """The cases of a blueprint: findings, waived ones as skipped, or a passed one where there are none."""
    for finding in result.findings:
        yield _write_case(result, finding, _write_verdict(finding, "failure" if result.usable else "error"))
    for waived in result.waived:
        yield _write_case(result, waived.finding, _write_skipped(waived))
    if not result.findings and not result.waived:
        yield f"<testcase{_write_attributes(classname=result.shown_as, name='no findings')}/>"


def _write_case(result: FileReport, finding: Diagnostic, verdict: str) -> str:
    name = f"{finding.code} {finding.span or ''}".strip()
    return f"<testcase{_write_attributes(classname=result.shown_as, name=name)}>{verdict}</testcase>"


def _write_verdict(finding: Diagnostic, element: str) -> str:
    """The element of a finding within its case; what is only information fails nothing."""
    text = "\n".join(escape(make_printable(line)) for line in finding.text().split("\n"))
    if finding.severity is Severity.INFO:
        return f"<system-out>{text}</system-out>"
    return f"<{element}{_write_attributes(type=finding.severity.label, message=finding.message)}>{text}</{element}>"


def _write_skipped(waived: Waived) -> str:
    return f"<skipped{_write_attributes(message=f'{waived.finding.message}: {waived.reason}')}/>"


def _write_attributes(**values: str | int) -> str:
    """Attributes of an element; characters that XML 1.0 cannot hold are spelled out."""
    return "".join(f" {key}={quoteattr(make_printable(str(value)))}" for key, value in values.items())

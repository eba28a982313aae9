"""For CI dashboards: JUnit XML, with a failed case for what is wrong; what is only information fails nothing.

It keeps to the schema of Jenkins' xUnit plugin (junit-10.xsd), which that of Maven Surefire is a part of.
"""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

from fabricgen.kernel.diagnostics import Severity, make_printable
from fabricgen.reports.judgement import Case, Finding, Judgement, Suite


def write(judgement: Judgement) -> str:
    """Return the suites as JUnit XML, in order.

    A suite without cases has one passed case, and the failures of a suite that is not usable are errors.
    """
    counts_of_suites = [_count_cases(suite) for suite in judgement.suites]
    totals = {
        attribute: sum(suite_counts[attribute] for suite_counts in counts_of_suites)
        for attribute in ("tests", "failures", "errors")
    }
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f"<testsuites{_write_attributes(name=judgement.name, **totals)}>",
    ]
    for suite, suite_counts in zip(judgement.suites, counts_of_suites, strict=True):
        lines.append(f"  <testsuite{_write_attributes(name=suite.name, **suite_counts)}>")
        lines += [f"    {_write_case(suite, case)}" for case in suite.cases]
        if not suite.cases:
            lines.append(f"    <testcase{_write_attributes(classname=suite.name, name='no findings')}/>")
        lines.append("  </testsuite>")
    return "\n".join([*lines, "</testsuites>"])


def _count_cases(suite: Suite) -> dict[str, int]:
    """Return the counts of a suite that JUnit wants, by attribute: tests, failures, errors and, if it may have any,
    skipped.

    A case with a finding above information is a failure; if the suite cannot be used, it is an error instead.
    """
    failed_cases = sum(any(finding.severity > Severity.INFO for finding in case.findings) for case in suite.cases)
    failures, errors = (failed_cases, 0) if suite.usable else (0, failed_cases)
    skipped = {"skipped": sum(bool(case.skipped) for case in suite.cases)} if suite.may_skip else {}
    return {"tests": max(1, len(suite.cases)), "failures": failures, "errors": errors, **skipped}


def _write_case(suite: Suite, case: Case) -> str:
    """Return the element of a case, with what is wrong in it, or why it was skipped."""
    elements = [_write_verdict(finding, "failure" if suite.usable else "error") for finding in case.findings]
    elements += [f"<skipped{_write_attributes(message=case.skipped)}/>"] if case.skipped else []
    attributes = _write_attributes(classname=suite.kind or suite.name, name=case.name)
    return f"<testcase{attributes}>{''.join(elements)}</testcase>"


def _write_verdict(finding: Finding, element: str) -> str:
    """Return the element of a finding, of the name `element`; a finding that is only information is `system-out`."""
    text = "\n".join(escape(make_printable(line)) for line in finding.details)
    if finding.severity is Severity.INFO:
        return f"<system-out>{text or escape(make_printable(finding.message))}</system-out>"
    type_attribute = {"type": finding.kind} if finding.kind else {}
    opening_tag = f"<{element}{_write_attributes(**type_attribute, message=finding.message)}"
    return f"{opening_tag}>{text}</{element}>" if text else f"{opening_tag}/>"


def _write_attributes(**values: str | int) -> str:
    """Return values as XML attributes, each after a blank: ` name="..."`; characters that XML 1.0 cannot hold are
    spelled out.
    """
    return "".join(f" {key}={quoteattr(make_printable(str(value)))}" for key, value in values.items())

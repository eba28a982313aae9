"""What results of probes say, for the formats of all findings: a suite of parts, a case for each that is named."""

from __future__ import annotations

from fabricgen.addons.probing.judge import Verdict
from fabricgen.addons.probing.reports.text import describe_named, list_gaps
from fabricgen.api import Case, Finding, Judgement, Severity, Suite


def describe_findings(verdict: Verdict) -> Judgement:
    """Return named parts as errors, in the order of their likelihood, and what was not measured as a warning."""
    cases = [
        Case(named.name, [Finding(Severity.ERROR, "lossy or slow", describe_named(named), kind=named.kind)])
        for named in verdict.named
    ]
    cases += [Case("coverage", [Finding(Severity.WARNING, "not measured", text)]) for text in list_gaps(verdict)]
    findings = [finding for case in cases for finding in case.findings]
    return Judgement("fabricgen probe", findings, [Suite(verdict.name, cases, kind="part", may_skip=False)])

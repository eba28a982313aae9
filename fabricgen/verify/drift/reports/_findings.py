"""What drifted, for the formats of all findings: a suite of all devices and a case for each."""

from __future__ import annotations

from fabricgen.kernel.diagnostics import Severity
from fabricgen.reports.judgement import Case, Finding, Judgement, Suite
from fabricgen.verify.drift import finding as drifted
from fabricgen.verify.drift.finding import Drift
from fabricgen.verify.drift.reports.text import format_line


def describe_findings(drift: Drift) -> Judgement:
    """Return findings in the order of devices; errors and warnings are in the case of their device."""
    cases = [
        Case(device.device, [_describe_finding(f) for f in device.findings if f.severity > Severity.INFO])
        for device in drift.checked
    ]
    cases += [Case(finding.device, [_describe_finding(finding)]) for finding in drift.beside]
    suite = Suite("running configurations", cases, kind="device", may_skip=False)
    return Judgement("fabricgen check", [_describe_finding(finding) for finding in drift.list_findings()], [suite])


def _describe_finding(finding: drifted.DriftFinding) -> Finding:
    return Finding(finding.severity, "running configuration", format_line(finding, [finding.subject]))

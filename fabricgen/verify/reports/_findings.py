"""A verification as a `Judgement`, for the formats that all judges share: a suite for each unit, a case by action."""

from __future__ import annotations

from collections.abc import Sequence

from fabricgen.kernel.diagnostics import Severity
from fabricgen.reports.judgement import Case, Finding, Judgement, Suite
from fabricgen.verify.actions import Action
from fabricgen.verify.progress.counts import Progress, name_units
from fabricgen.verify.report import Report
from fabricgen.verify.reports._words import describe_cost, describe_place, describe_work, name_end
from fabricgen.verify.reports.text import summarize_hall


def describe_findings(report: Report) -> Judgement:
    """Describe a report as findings: a summary, the actions in their order, and extra links; none is of a file."""
    severity = Severity.ERROR if report.has_differences() else Severity.INFO
    extra = [
        Finding(Severity.WARNING, "extra link", text, details=(text,), kind="extra") for text in report.diagnosis.extra
    ]
    actions = [_describe_action(report, action) for action in report.actions]
    findings = [Finding(severity, "fabricgen verify", summarize_hall(report)), *actions, *extra]
    suites = _list_suites(report, actions)
    if extra:
        suites.append(Suite("extra links", [Case(finding.message, [finding]) for finding in extra]))
    return Judgement(f"fabricgen verify {report.name}", findings, suites)


def _list_suites(report: Report, findings: Sequence[Finding]) -> list[Suite]:
    """Return a suite for each unit with the actions whose first end is there, and one (`other`) for further actions."""
    unit_of_device = name_units(report.plan)
    cases: dict[str, list[Case]] = {unit.name: [] for unit in report.units}
    for action, finding in zip(report.actions, findings, strict=True):
        name = unit_of_device.get(action.ends[0].device, "") if action.ends else ""
        cases.setdefault(name or "other", []).append(Case(f"{action.kind.value} {action.id}", [finding]))
    counted = {unit.name: [_count_verified(unit)] for unit in report.units}
    return [Suite(name, unit_cases or counted[name]) for name, unit_cases in cases.items()]


def _count_verified(unit: Progress) -> Case:
    """Return the case of a unit without actions; it is skipped if none of its cables is verified."""
    text = f"{unit.verified:,} of {unit.total:,} cables verified"
    return Case(text, skipped="" if unit.verified else "no dump shows any")


def _describe_action(report: Report, action: Action) -> Finding:
    """Return an action as a finding: its text, its ends, and what it costs until it is done."""
    costs, work = describe_cost(action.consequence), describe_work(action)
    until_then = [f"until then: {costs}"] if costs else []
    ends = [f"{name_end(end)} {describe_place(report, end)}" for end in action.ends]
    return Finding(
        Severity.ERROR,
        title=f"{action.kind.value}: {work} ({action.id})",
        message=f"{action.text} ({work})",
        lines=(action.text, *until_then),
        details=(action.text, *ends, *until_then),
        kind=action.kind.value,
    )

"""For CI dashboards: JUnit XML, a suite for each unit, with a failed case for each action that begins there.

It keeps to the schema of Jenkins' xUnit plugin (junit-10.xsd), as the reports of `lint` do.
"""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

from fabricgen.kernel.diagnostics import make_printable
from fabricgen.verify.actions import Action
from fabricgen.verify.progress.counts import Progress, unit_names
from fabricgen.verify.report import Report
from fabricgen.verify.reports._words import describe_cost, describe_place, describe_work, name_end


def report(report: Report) -> bytes:
    """Suites in the order of units; one without actions is a passed case, or a skipped one where nothing is seen."""
    of_device = unit_names(report.plan)
    actions: dict[str, list[Action]] = {unit.name: [] for unit in report.units}
    for action in report.actions:
        name = of_device.get(action.ends[0].device, "") if action.ends else ""
        actions.setdefault(name or "other", []).append(action)
    units = {unit.name: unit for unit in report.units}
    suites = [_write_suite(report, name, units.get(name), suite_actions) for name, suite_actions in actions.items()]
    extra = report.diagnosis.extra
    if extra:
        cases = [_write_case("extra links", text, _write_failure("extra", text, [text])) for text in extra]
        suites.append(_wrap_suite("extra links", cases, len(cases), 0))
    failures = len(report.actions) + len(extra)
    tests = sum(max(1, len(suite_actions)) for suite_actions in actions.values()) + len(extra)
    head = _write_attributes(name=f"fabricgen verify {report.name}", tests=tests, failures=failures, errors=0)
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f"<testsuites{head}>", *suites, "</testsuites>"]
    return ("\n".join(lines) + "\n").encode(errors="backslashreplace")


def _write_suite(report: Report, name: str, unit: Progress | None, actions: list[Action]) -> str:
    cases = [
        _write_case(name, f"{action.kind.value} {action.id}", _describe_action(report, action)) for action in actions
    ]
    if cases or unit is None:
        return _wrap_suite(name, cases, len(cases), 0)
    text = f"{unit.verified:,} of {unit.total:,} cables verified"
    if not unit.verified:
        return _wrap_suite(
            name, [_write_case(name, text, f"<skipped{_write_attributes(message='no dump shows any')}/>")], 0, 1
        )
    return _wrap_suite(name, [_write_case(name, text, "")], 0, 0)


def _wrap_suite(name: str, cases: list[str], failures: int, skipped: int) -> str:
    counts = _write_attributes(name=name, tests=len(cases), failures=failures, errors=0, skipped=skipped)
    return "\n".join([f"  <testsuite{counts}>", *(f"    {case}" for case in cases), "  </testsuite>"])


def _write_case(suite: str, name: str, inside: str) -> str:
    return f"<testcase{_write_attributes(classname=suite, name=name)}>{inside}</testcase>"


def _describe_action(report: Report, action: Action) -> str:
    lines = [action.text, *(f"{name_end(end)} {describe_place(report, end)}" for end in action.ends)]
    costs = describe_cost(action.consequence)
    lines += [f"until then: {costs}"] if costs else []
    return _write_failure(action.kind.value, f"{action.text} ({describe_work(action)})", lines)


def _write_failure(kind: str, message: str, lines: list[str]) -> str:
    shown = "\n".join(escape(make_printable(line)) for line in lines)
    return f"<failure{_write_attributes(type=kind, message=message)}>{shown}</failure>"


def _write_attributes(**values: str | int) -> str:
    """Attributes of an element; characters that XML 1.0 cannot hold are spelled out."""
    return "".join(f" {key}={quoteattr(make_printable(str(value)))}" for key, value in values.items())

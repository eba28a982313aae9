"""For CI dashboards: JUnit XML, a suite for each unit, with a failed case for each action that begins there.

It keeps to the schema of Jenkins' xUnit plugin (junit-10.xsd), as the reports of `lint` do.
"""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

from fabricgen.kernel.diagnostics import make_printable
from fabricgen.verify.actions import Action
from fabricgen.verify.progress.counts import Progress, unit_names
from fabricgen.verify.report import Report
from fabricgen.verify.reports._words import at, meanwhile, place, work


def report(report: Report) -> bytes:
    """Suites in the order of units; one without actions is a passed case, or a skipped one where nothing is seen."""
    of_device = unit_names(report.plan)
    actions: dict[str, list[Action]] = {unit.name: [] for unit in report.units}
    for action in report.actions:
        name = of_device.get(action.ends[0].device, "") if action.ends else ""
        actions.setdefault(name or "other", []).append(action)
    units = {unit.name: unit for unit in report.units}
    suites = [_suite(report, name, units.get(name), found) for name, found in actions.items()]
    extra = report.diagnosis.extra
    if extra:
        cases = [_case("extra links", text, _failure("extra", text, [text])) for text in extra]
        suites.append(_suite_of("extra links", cases, len(cases), 0))
    failures = len(report.actions) + len(extra)
    tests = sum(max(1, len(found)) for found in actions.values()) + len(extra)
    head = _attributes(name=f"fabricgen verify {report.name}", tests=tests, failures=failures, errors=0)
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f"<testsuites{head}>", *suites, "</testsuites>"]
    return ("\n".join(lines) + "\n").encode(errors="backslashreplace")


def _suite(report: Report, name: str, unit: Progress | None, actions: list[Action]) -> str:
    cases = [_case(name, f"{action.kind.value} {action.id}", _told(report, action)) for action in actions]
    if cases or unit is None:
        return _suite_of(name, cases, len(cases), 0)
    told = f"{unit.verified:,} of {unit.total:,} cables verified"
    if not unit.verified:
        return _suite_of(name, [_case(name, told, f"<skipped{_attributes(message='no dump shows any')}/>")], 0, 1)
    return _suite_of(name, [_case(name, told, "")], 0, 0)


def _suite_of(name: str, cases: list[str], failures: int, skipped: int) -> str:
    counts = _attributes(name=name, tests=len(cases), failures=failures, errors=0, skipped=skipped)
    return "\n".join([f"  <testsuite{counts}>", *(f"    {case}" for case in cases), "  </testsuite>"])


def _case(suite: str, name: str, inside: str) -> str:
    return f"<testcase{_attributes(classname=suite, name=name)}>{inside}</testcase>"


def _told(report: Report, action: Action) -> str:
    lines = [action.text, *(f"{at(end)} {place(report, end)}" for end in action.ends)]
    costs = meanwhile(action.consequence)
    lines += [f"until then: {costs}"] if costs else []
    return _failure(action.kind.value, f"{action.text} ({work(action)})", lines)


def _failure(kind: str, message: str, lines: list[str]) -> str:
    shown = "\n".join(escape(make_printable(line)) for line in lines)
    return f"<failure{_attributes(type=kind, message=message)}>{shown}</failure>"


def _attributes(**values: str | int) -> str:
    """Attributes of an element; characters that XML 1.0 cannot hold are spelled out."""
    return "".join(f" {key}={quoteattr(make_printable(str(value)))}" for key, value in values.items())

"""What `check --running` prints: for people, for programs, and for CI."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from xml.sax.saxutils import quoteattr

from fabricgen.kernel.diagnostics import Severity, make_printable
from fabricgen.verify.drift.finding import Checked, Drift, Finding

FEW = 4
"""Subjects of one sentence, and foreign differences, that are named; of more, how many."""
_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def write_report(form: str, drift: Drift) -> str:
    """The report in a format by name: text, json, junit or github."""
    return _FORMS[form](drift)


def _write_text(drift: Drift) -> str:
    lines = [line for device in drift.checked for line in _list_device_lines(device)]
    lines += [_format_line(finding, [finding.subject]) for finding in drift.beside]
    if drift.ignored:
        ignored = _shorten_list(map(make_printable, drift.ignored))
        lines.append(f"{_format_count(len(drift.ignored), 'file')} passed over: {ignored}")
    counts = Counter(finding.severity for finding in drift.list_findings())
    totals = [f"{counts[s]} {s.label}{'s' * (counts[s] != 1)}" for s in sorted(Severity, reverse=True)]
    more = (("foreign", "foreign"), ("waived", "waived"), ("neutral", "neutral"))
    sums = [(word, sum(sum(getattr(device, name).values()) for device in drift.checked)) for name, word in more]
    totals += [f"{number:,} {word}" for word, number in sums if number]
    devices = len(drift.checked) + len(drift.missing)
    compared = f"{len(drift.checked):,} of " if drift.missing else ""
    return "\n".join([*lines, f"{compared}{_format_count(devices, 'device')} compared: {', '.join(totals)}"])


def _list_device_lines(device: Checked) -> Iterator[str]:
    together: dict[tuple[Severity, str], list[Finding]] = {}
    for finding in device.findings:
        together.setdefault((finding.severity, finding.text), []).append(finding)
    for findings in together.values():
        yield _format_line(findings[0], list(dict.fromkeys(finding.subject for finding in findings)))
    if device.foreign:
        number = sum(device.foreign.values())
        yield f"{device.device}: note: {number:,} foreign: {make_printable(_shorten_list(sorted(device.foreign)))}"


def _format_line(finding: Finding, subjects: list[str]) -> str:
    subject = f"{_shorten_list(subjects)}: " if any(subjects) else ""
    return make_printable(f"{finding.device}: {finding.severity.label}: {subject}{finding.text}")


def _shorten_list(words: Iterable[str]) -> str:
    every = list(words)
    more = f" and {len(every) - FEW} more" if len(every) > FEW else ""
    return ", ".join(every[:FEW]) + more


def _format_count(number: int, word: str) -> str:
    return f"{number:,} {word}{'s' * (number != 1)}"


def _write_json(drift: Drift) -> str:
    value = {
        "devices": {
            device.device: {
                "files": list(device.files),
                "findings": [_describe_finding(finding) for finding in device.findings],
                "neutral": dict(sorted(device.neutral.items())),
                "foreign": dict(sorted(device.foreign.items())),
                "waived": dict(sorted(device.waived.items())),
            }
            for device in drift.checked
        },
        "missing": list(drift.missing),
        "unknown": [{"file": file, "hostname": name} for file, name in drift.unknown],
        "ignored": list(drift.ignored),
    }
    return json.dumps(value, indent=2)


def _describe_finding(finding: Finding) -> dict[str, str | list[str]]:
    fields: dict[str, str | list[str]] = {"severity": finding.severity.label, "subject": finding.subject}
    return fields | {"path": list(finding.path), "text": finding.text}


def _write_junit(drift: Drift) -> str:
    """A suite of all devices and a case for each, failed by errors and warnings (junit-10.xsd of Jenkins' plugin)."""
    cases = [(device.device, [f for f in device.findings if f.severity > Severity.INFO]) for device in drift.checked]
    cases += [(finding.device, [finding]) for finding in drift.beside]
    failed = sum(bool(findings) for _, findings in cases)
    counts = f'tests="{len(cases)}" failures="{failed}" errors="0"'
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f'<testsuites name="fabricgen check" {counts}>']
    lines.append(f'  <testsuite name="running configurations" {counts}>')
    for name, findings in cases:
        failures = "".join(f"<failure message={quoteattr(_format_line(f, [f.subject]))}/>" for f in findings)
        lines.append(f'    <testcase classname="device" name={quoteattr(make_printable(name))}>{failures}</testcase>')
    return "\n".join([*lines, "  </testsuite>", "</testsuites>"])


def _write_github(drift: Drift) -> str:
    """A workflow command for each finding (actions/toolkit, command.ts)."""
    # `%` begins an escape in workflow commands
    lines = [(_COMMANDS[f.severity], _format_line(f, [f.subject]).replace("%", "%25")) for f in drift.list_findings()]
    return "\n".join(f"::{command} title=running configuration::{text}" for command, text in lines)


_FORMS: dict[str, Callable[[Drift], str]] = {
    "text": _write_text,
    "json": _write_json,
    "junit": _write_junit,
    "github": _write_github,
}
FORMATS = tuple(_FORMS)

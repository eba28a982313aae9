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


def write(form: str, drift: Drift) -> str:
    """The report in a format by name: text, json, junit or github."""
    return _FORMS[form](drift)


def _text(drift: Drift) -> str:
    lines = [line for device in drift.checked for line in _device(device)]
    lines += [_line(finding, [finding.subject]) for finding in drift.beside]
    if drift.ignored:
        lines.append(f"{_count(len(drift.ignored), 'file')} passed over: {_few(map(make_printable, drift.ignored))}")
    counts = Counter(finding.severity for finding in drift.findings())
    totals = [f"{counts[s]} {s.label}{'s' * (counts[s] != 1)}" for s in sorted(Severity, reverse=True)]
    more = (("foreign", "foreign"), ("waived", "waived"), ("neutral", "neutral"))
    sums = [(word, sum(sum(getattr(each, name).values()) for each in drift.checked)) for name, word in more]
    totals += [f"{number:,} {word}" for word, number in sums if number]
    devices = len(drift.checked) + len(drift.missing)
    compared = f"{len(drift.checked):,} of " if drift.missing else ""
    return "\n".join([*lines, f"{compared}{_count(devices, 'device')} compared: {', '.join(totals)}"])


def _device(device: Checked) -> Iterator[str]:
    together: dict[tuple[Severity, str], list[Finding]] = {}
    for finding in device.findings:
        together.setdefault((finding.severity, finding.text), []).append(finding)
    for found in together.values():
        yield _line(found[0], list(dict.fromkeys(finding.subject for finding in found)))
    if device.foreign:
        number = sum(device.foreign.values())
        yield f"{device.device}: note: {number:,} foreign: {make_printable(_few(sorted(device.foreign)))}"


def _line(finding: Finding, subjects: list[str]) -> str:
    what = f"{_few(subjects)}: " if any(subjects) else ""
    return make_printable(f"{finding.device}: {finding.severity.label}: {what}{finding.text}")


def _few(words: Iterable[str]) -> str:
    every = list(words)
    more = f" and {len(every) - FEW} more" if len(every) > FEW else ""
    return ", ".join(every[:FEW]) + more


def _count(number: int, word: str) -> str:
    return f"{number:,} {word}{'s' * (number != 1)}"


def _json(drift: Drift) -> str:
    value = {
        "devices": {
            each.device: {
                "files": list(each.files),
                "findings": [_found(finding) for finding in each.findings],
                "neutral": dict(sorted(each.neutral.items())),
                "foreign": dict(sorted(each.foreign.items())),
                "waived": dict(sorted(each.waived.items())),
            }
            for each in drift.checked
        },
        "missing": list(drift.missing),
        "unknown": [{"file": file, "hostname": name} for file, name in drift.unknown],
        "ignored": list(drift.ignored),
    }
    return json.dumps(value, indent=2)


def _found(finding: Finding) -> dict[str, str | list[str]]:
    told: dict[str, str | list[str]] = {"severity": finding.severity.label, "subject": finding.subject}
    return told | {"path": list(finding.path), "text": finding.text}


def _junit(drift: Drift) -> str:
    """A suite of all devices and a case for each, failed by errors and warnings (junit-10.xsd of Jenkins' plugin)."""
    cases = [(each.device, [f for f in each.findings if f.severity > Severity.INFO]) for each in drift.checked]
    cases += [(finding.device, [finding]) for finding in drift.beside]
    failed = sum(bool(found) for _, found in cases)
    counts = f'tests="{len(cases)}" failures="{failed}" errors="0"'
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f'<testsuites name="fabricgen check" {counts}>']
    lines.append(f'  <testsuite name="running configurations" {counts}>')
    for name, found in cases:
        told = "".join(f"<failure message={quoteattr(_line(f, [f.subject]))}/>" for f in found)
        lines.append(f'    <testcase classname="device" name={quoteattr(make_printable(name))}>{told}</testcase>')
    return "\n".join([*lines, "  </testsuite>", "</testsuites>"])


def _github(drift: Drift) -> str:
    """A workflow command for each finding (actions/toolkit, command.ts)."""
    lines = [(_COMMANDS[f.severity], _line(f, [f.subject]).replace("%", "%25")) for f in drift.findings()]
    return "\n".join(f"::{command} title=running configuration::{text}" for command, text in lines)


_FORMS: dict[str, Callable[[Drift], str]] = {"text": _text, "json": _json, "junit": _junit, "github": _github}
FORMATS = tuple(_FORMS)

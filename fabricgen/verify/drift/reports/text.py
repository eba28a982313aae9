"""For people: a line for what is alike on a device, and one that counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from fabricgen.kernel.diagnostics import Severity, make_printable
from fabricgen.verify.drift.finding import Checked, Drift, DriftFinding
from fabricgen.verify.sightings import format_count, list_few

FEW = 4
"""The most subjects of a sentence, and foreign differences, that are named; further ones are counted."""


def report(drift: Drift) -> str:
    """Return lines: devices in order, what is beside them, and the numbers of findings and differences by kind."""
    lines = [line for device in drift.checked for line in _list_device_lines(device)]
    lines += [format_line(finding, [finding.subject]) for finding in drift.beside]
    if drift.ignored:
        ignored = list_few([*map(make_printable, drift.ignored)], FEW)
        lines.append(f"{format_count(len(drift.ignored), 'file')} passed over: {ignored}")
    counts = Counter(finding.severity for finding in drift.list_findings())
    totals = [f"{counts[s]} {s.label}{'s' * (counts[s] != 1)}" for s in sorted(Severity, reverse=True)]
    for kind in ("foreign", "waived", "neutral"):
        number = sum(sum(getattr(device, kind).values()) for device in drift.checked)
        totals += [f"{number:,} {kind}"] if number else []
    devices = len(drift.checked) + len(drift.missing)
    compared = f"{len(drift.checked):,} of " if drift.missing else ""
    return "\n".join([*lines, f"{compared}{format_count(devices, 'device')} compared: {', '.join(totals)}"])


def _list_device_lines(device: Checked) -> Iterator[str]:
    """Yield the lines of a device: one for all findings of the same words and severity, one for the foreign count."""
    findings_by_text: dict[tuple[Severity, str], list[DriftFinding]] = {}
    for finding in device.findings:
        findings_by_text.setdefault((finding.severity, finding.text), []).append(finding)
    for findings in findings_by_text.values():
        yield format_line(findings[0], list(dict.fromkeys(finding.subject for finding in findings)))
    if device.foreign:
        count = sum(device.foreign.values())
        yield f"{device.device}: note: {count:,} foreign: {make_printable(list_few(sorted(device.foreign), FEW))}"


def format_line(finding: DriftFinding, subjects: list[str]) -> str:
    """Return a finding as a line about some subjects: its own, or those of all findings with the same words."""
    subject = f"{list_few(subjects, FEW)}: " if any(subjects) else ""
    return make_printable(f"{finding.device}: {finding.severity.label}: {subject}{finding.text}")

"""Findings of `check --running`, and the waivers of a blueprint that accept some."""

from __future__ import annotations

import glob
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from fabricgen.blueprint.load import LoadedBlueprint
from fabricgen.blueprint.sections.lint_settings import DriftWaiver
from fabricgen.kernel.diagnostics import Severity
from fabricgen.running.differences import Verdict


@dataclass(frozen=True, slots=True)
class DriftFinding:
    """One thing that is not as planned: the device, a subject on it such as `port Ethernet0` ("": all of it), a text.

    `path` leads to the statement that differs: table, row and field, or the sections of a line and the line. It is ()
    if no statement is the cause, such as for a device with another NOS.
    """

    device: str
    subject: str
    text: str
    severity: Severity = Severity.ERROR
    path: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Checked:
    """A device whose running configuration was compared.

    `files` are the files that were read, by their names in the folder; `ignored` its files in no form that is read.
    `neutral` and `foreign` count differences by the name of the rule, `waived` by the place of the waiver.
    """

    device: str
    files: tuple[str, ...]
    findings: tuple[DriftFinding, ...]
    neutral: Mapping[str, int] = field(default_factory=dict)
    foreign: Mapping[str, int] = field(default_factory=dict)
    waived: Mapping[str, int] = field(default_factory=dict)
    ignored: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Drift:
    """All devices that were compared, and what was not.

    `missing` are planned devices without a configuration in the folder; `unknown` are (file, host name in it) of files
    of no planned device; `ignored` are files that are not running configurations.
    """

    checked: tuple[Checked, ...]
    missing: tuple[str, ...]
    unknown: tuple[tuple[str, str], ...]
    ignored: tuple[str, ...]
    beside: tuple[DriftFinding, ...] = ()
    """Findings about what was missing or unknown, and about waivers."""

    def list_findings(self) -> list[DriftFinding]:
        """Return all findings: those of compared devices in order, then those in `beside`."""
        return [finding for device in self.checked for finding in device.findings] + list(self.beside)


# Differences that a blueprint accepts (`drift.waive`), and waivers that have ended or cover nothing.


@dataclass(frozen=True, slots=True)
class PlacedWaiver:
    """A waiver, and where the blueprint states it (FILE:LINE:COLUMN)."""

    rule: DriftWaiver
    place: str

    def covers(self, nos: str, verdict: Verdict) -> bool:
        """Whether a difference is at the path of the waiver: equally many steps, each of the stated form."""
        path = verdict.difference.path
        return (
            self.rule.nos == nos
            and len(self.rule.path) == len(path)
            and all(_matches_form(step, form) for step, form in zip(path, self.rule.path, strict=True))
        )


def _matches_form(step: str, form: str) -> bool:
    """Whether a step of a path has a form, in which `*` stands for any text, and all else for itself.

    The time of matching does not grow with the number of `*`.
    """
    return fnmatchcase(step, "*".join(map(glob.escape, form.split("*"))))


def list_waivers(loaded: LoadedBlueprint) -> tuple[PlacedWaiver, ...]:
    """Return the waivers of a blueprint, in its order."""
    rules = loaded.blueprint.drift.waive
    return tuple(PlacedWaiver(rule, str(loaded.source.span(("drift", "waive", i)))) for i, rule in enumerate(rules))


def find_valid_waivers(waivers: Sequence[PlacedWaiver], as_of: str) -> tuple[PlacedWaiver, ...]:
    """Return the waivers that hold on a day (YYYY-MM-DD)."""
    return tuple(waiver for waiver in waivers if not waiver.rule.until or waiver.rule.until >= as_of)


def judge_waivers(
    waivers: Sequence[PlacedWaiver], as_of: str, checked: Sequence[Checked], all_there: bool
) -> Iterator[DriftFinding]:
    """Yield a warning for each waiver that has ended or covers no difference.

    A waiver that covers nothing is only an info if not all devices were compared.
    """
    used = {place for device in checked for place in device.waived}
    valid_waivers = find_valid_waivers(waivers, as_of)
    for waiver in waivers:
        subject = f"the waiver of {' | '.join(waiver.rule.path)}"
        if waiver not in valid_waivers:
            yield DriftFinding(waiver.place, "", f"{subject} ended on {waiver.rule.until}", Severity.WARNING)
        elif waiver.place not in used:
            severity = Severity.WARNING if all_there else Severity.INFO
            yield DriftFinding(waiver.place, "", f"{subject} covers no difference", severity)

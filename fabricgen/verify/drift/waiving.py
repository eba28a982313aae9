"""Differences that a blueprint accepts (`drift.waive`), and waivers that have ended or cover nothing."""

from __future__ import annotations

import glob
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from fabricgen.blueprint.load import LoadedBlueprint
from fabricgen.blueprint.sections.lint_settings import DriftWaiver
from fabricgen.kernel.diagnostics import Severity
from fabricgen.running.differences import Verdict
from fabricgen.verify.drift.finding import Checked, Finding


@dataclass(frozen=True, slots=True)
class Waiver:
    """A waiver, and where the blueprint states it (FILE:LINE:COLUMN)."""

    stated: DriftWaiver
    place: str

    def covers(self, nos: str, verdict: Verdict) -> bool:
        """Whether a difference is at its path: as many steps, each of its form."""
        path = verdict.difference.path
        return (
            self.stated.nos == nos
            and len(self.stated.path) == len(path)
            and all(_fits(step, form) for step, form in zip(path, self.stated.path, strict=True))
        )


def _fits(step: str, form: str) -> bool:
    """Whether a step is of a form, in which `*` alone stands for any text; its time does not grow with many of them."""
    return fnmatchcase(step, "*".join(map(glob.escape, form.split("*"))))


def waivers_of(loaded: LoadedBlueprint) -> tuple[Waiver, ...]:
    """The waivers of a blueprint, in its order."""
    stated = loaded.blueprint.drift.waive
    return tuple(Waiver(each, str(loaded.source.span(("drift", "waive", i)))) for i, each in enumerate(stated))


def valid_waivers(waivers: Sequence[Waiver], as_of: str) -> tuple[Waiver, ...]:
    """Those that hold on a day (YYYY-MM-DD)."""
    return tuple(each for each in waivers if not each.stated.until or each.stated.until >= as_of)


def judge_waivers(
    waivers: Sequence[Waiver], as_of: str, checked: Sequence[Checked], all_there: bool
) -> Iterator[Finding]:
    """Yield a warning for each waiver that has ended or covers nothing; an info where not all devices were compared."""
    used = {place for device in checked for place in device.waived}
    holding = valid_waivers(waivers, as_of)
    for each in waivers:
        what = f"the waiver of {' | '.join(each.stated.path)}"
        if each not in holding:
            yield Finding(each.place, "", f"{what} ended on {each.stated.until}", Severity.WARNING)
        elif each.place not in used:
            severity = Severity.WARNING if all_there else Severity.INFO
            yield Finding(each.place, "", f"{what} covers no difference", severity)

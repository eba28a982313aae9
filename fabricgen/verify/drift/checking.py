"""Running configurations against planned ones, device by device, in several processes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from fabricgen.catalog.loader import Catalog
from fabricgen.diff.compare import collector_paused
from fabricgen.kernel.diagnostics import InputError, Severity, printable
from fabricgen.publish.workers import in_order, processors
from fabricgen.render.secrets import without_secrets
from fabricgen.running.differences import Verdict, prepare_files, rules_of
from fabricgen.running.statements import nos_of_files, spelling_of
from fabricgen.running.tree import CANNOT_READ
from fabricgen.verify.drift.collected import Collected, collected, shown_by
from fabricgen.verify.drift.finding import Checked, Drift, Finding
from fabricgen.verify.drift.planned import Planned
from fabricgen.verify.drift.waiving import Waiver, judge_waivers, valid_waivers
from fabricgen.verify.drift.wording import by_path, findings_of
from fabricgen.verify.dumps._sources import Source

BATCH = 64
"""Devices that a process compares in one go: switches of one shape are rendered together."""

Files = Mapping[str, str]


@dataclass(frozen=True)
class Asked:
    """What a comparison is asked for: whether foreign differences are errors, and what is waived on a day."""

    strict: bool = False
    waivers: tuple[Waiver, ...] = ()
    as_of: str = ""


def check_running(folder: str, planned: Planned, jobs: int = 0, asked: Asked = Asked()) -> Drift:
    """Compare what is collected in a folder with the plan.

    `jobs` is a number of processes, 0 for as many as there are processors; the result does not depend on it. Raises
    InputError (FG144) where the folder has nothing of the plan's devices, and for planned files that cannot be read.
    """
    devices = planned.devices()
    found = collected(folder, devices)
    there = [name for name in devices if name in found.files]
    batches = [there[at : at + BATCH] for at in range(0, len(there), BATCH)]
    work = _Work(planned, found, batches, asked)
    checked = [device for batch in in_order(work, len(batches), jobs or processors()) for device in batch]
    missing = tuple(name for name in devices if name not in found.files)
    beside = (*_beside(found, missing), *judge_waivers(asked.waivers, asked.as_of, checked, not missing))
    ignored = sorted({*found.ignored, *(file for device in checked for file in device.ignored)})
    return Drift(tuple(checked), missing, tuple(found.unknown), tuple(ignored), beside)


def _beside(found: Collected, missing: tuple[str, ...]) -> Iterator[Finding]:
    for name in missing:
        yield Finding(name, "", "no running configuration of it was collected", Severity.WARNING)
    for file, name in found.unknown:
        what = f"calls itself {name}, which the plan does not have" if name else "says of no device that it is of it"
        yield Finding(printable(file), "", what, Severity.WARNING)


@dataclass(frozen=True)
class _Work:
    """What a process does: all devices of a batch."""

    planned: Planned
    found: Collected
    batches: list[list[str]]
    asked: Asked

    def __call__(self, number: int) -> list[Checked]:
        with collector_paused():
            return [
                _checked(device, self.found.files[device], files, self.asked)
                for device, files in self.planned.read(self.batches[number])
            ]


def _checked(device: str, sources: list[Source], planned: Files, asked: Asked) -> Checked:
    try:
        shown = shown_by(sources)
    except InputError as error:
        return Checked(device, (), (Finding(device, "", error.diagnostics[0].message),))
    files, ignored = tuple(shown.files), tuple(shown.ignored)
    nos = nos_of_files(planned)
    if nos not in shown.by_nos:
        return Checked(device, files, (Finding(device, "", _of_another(nos, sorted(shown.by_nos))),), ignored=ignored)
    prepared = prepare_files(nos, shown.by_nos[nos], planned)
    if prepared.lack:
        return Checked(device, files, (Finding(device, "", prepared.lack),), ignored=ignored)
    findings = [
        Finding(device, "", f"{printable(other)} and {printable(one)} are both its {name}, and differ")
        for name, one, other in shown.twice
    ]
    findings += [by_path(device, verdict, Severity.ERROR) for verdict in prepared.verdicts]
    findings += [Finding(device, subject, text, severity) for subject, text, severity in prepared.notes]
    if prepared.files == dict(planned):
        return Checked(device, files, tuple(findings), ignored=ignored)
    return _judged(Checked(device, files, tuple(findings), ignored=ignored), nos, (prepared.files, planned), asked)


def _of_another(nos: str, found: list[str]) -> str:
    if not found:
        return "what was collected is no running configuration"
    catalog = Catalog()
    runs = " and ".join(catalog.naming(each).title for each in found)
    return f"runs {runs}; the plan has {catalog.naming(nos).title}"


def _judged(begun: Checked, nos: str, files: tuple[Files, Files], asked: Asked) -> Checked:
    """The findings of (running, planned) files, statement by statement."""
    device, spelling = begun.device, spelling_of(nos)
    planned = spelling.read_statements(files[1])
    try:
        verdicts = rules_of(nos).judge(spelling.read_statements(files[0]), planned)
    except CANNOT_READ as error:
        why = _safe(str(error).splitlines()[0] if str(error) else type(error).__name__)
        text = f"its configuration cannot be understood: {why}"
        return Checked(device, begun.files, (*begun.findings, Finding(device, "", text)), ignored=begun.ignored)
    held = valid_waivers(asked.waivers, asked.as_of)
    waived, errors = _waived(nos, verdicts.errors + (verdicts.foreign if asked.strict else []), held)
    findings = list(begun.findings)
    findings += findings_of(device, nos, [each for each in errors if each.kind == "error"], planned, spelling)
    findings += [by_path(device, each, Severity.ERROR) for each in errors if each.kind == "foreign"]
    findings += [by_path(device, each, Severity.INFO) for each in verdicts.descriptions]
    foreign = Counter(each.name for each in verdicts.foreign)
    return Checked(
        device, begun.files, tuple(findings), dict(verdicts.neutral), dict(foreign), dict(waived), begun.ignored
    )


def _waived(nos: str, verdicts: list[Verdict], waivers: tuple[Waiver, ...]) -> tuple[Counter[str], list[Verdict]]:
    """How many differences each waiver covers, by its place, and those that none does."""
    waived: Counter[str] = Counter()
    kept = []
    for verdict in verdicts:
        covering = [each.place for each in waivers if each.covers(nos, verdict)]
        waived.update(covering[:1])
        if not covering:
            kept.append(verdict)
    return waived, kept


def _safe(text: str) -> str:
    """A reader's words without secrets of the line that they may repeat."""
    return printable(without_secrets(text[:300].encode()).decode())

"""Running configurations against planned ones, device by device, in several processes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module

from ruamel.yaml.error import YAMLError

from fabricgen.diff.compare import collector_paused
from fabricgen.kernel.diagnostics import InputError, Severity, printable
from fabricgen.publish.workers import in_order, processors
from fabricgen.render.redaction import without_secrets
from fabricgen.running.form import Switch
from fabricgen.running.tree import STUMBLES, Notes, tolerant
from fabricgen.verify.drift.collected import Collected, collected, told_of
from fabricgen.verify.drift.comparing import differences
from fabricgen.verify.drift.finding import Checked, Drift, Finding
from fabricgen.verify.drift.planned import Planned, nos_of
from fabricgen.verify.dumps._sources import Source

BATCH = 64
"""Devices that a process compares in one go: switches of one shape are rendered together."""

UNREADABLE = (*STUMBLES, RecursionError, YAMLError, MemoryError)
"""What reading text of any kind may raise."""

Files = Mapping[str, str]


def check_running(folder: str, planned: Planned, jobs: int = 0) -> Drift:
    """Compare what is collected in a folder with the plan.

    `jobs` is a number of processes, 0 for as many as there are processors; the result does not depend on it. Raises
    InputError (FG144) where the folder has nothing of the plan's devices, and for planned files that cannot be read.
    """
    devices = planned.devices()
    found = collected(folder, devices)
    there = [name for name in devices if name in found.files]
    batches = [there[at : at + BATCH] for at in range(0, len(there), BATCH)]
    work = _Work(planned, found, batches)
    checked = [each for batch in in_order(work, len(batches), jobs or processors()) for each in batch]
    missing = tuple(name for name in devices if name not in found.files)
    return Drift(tuple(checked), missing, tuple(found.unknown), tuple(found.ignored), tuple(_beside(found, missing)))


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

    def __call__(self, number: int) -> list[Checked]:
        with collector_paused():
            return [
                _checked(device, self.found.files[device], files)
                for device, files in self.planned.read(self.batches[number])
            ]


def _checked(device: str, sources: list[Source], planned: Files) -> Checked:
    try:
        shown, by_nos = told_of(sources)
    except InputError as error:
        return Checked(device, (), (Finding(device, "", error.diagnostics[0].message),))
    nos = nos_of(planned)
    if nos not in by_nos:
        return Checked(device, tuple(shown), (Finding(device, "", _of_another(nos, sorted(by_nos))),))
    running = by_nos[nos]
    if nos == "sonic" and "config_db.json" not in running:
        text = "only FRR's configuration was collected; config_db.json is needed too"
        return Checked(device, tuple(shown), (Finding(device, "", text),))
    files, findings = _fitting(device, dict(running), planned)
    if files == dict(planned):
        return Checked(device, tuple(shown), tuple(findings))
    more, notes = _compared(device, nos, files, planned)
    return Checked(device, tuple(shown), (*findings, *more), notes)


def _of_another(nos: str, found: list[str]) -> str:
    names = {"sonic": "SONiC", "eos": "EOS", "cumulus": "Cumulus Linux"}
    runs = " and ".join(names[each] for each in found)
    return f"runs {runs}; the plan has {names[nos]}" if found else "what was collected is no running configuration"


def _fitting(device: str, running: dict[str, str], planned: Files) -> tuple[dict[str, str], list[Finding]]:
    """SONiC's files: FRR's own is left out where bgpcfgd writes it, and taken from the plan where it is not there."""
    findings = []
    if "frr.conf" in running and "frr.conf" not in planned:
        del running["frr.conf"]
    if "frr.conf" in planned and "frr.conf" not in running:
        text = "no configuration of FRR was collected (`vtysh -c 'show running-config'`): sessions are not compared"
        findings.append(Finding(device, "BGP", text, Severity.WARNING))
        running["frr.conf"] = planned["frr.conf"]
    return running, findings


def _compared(device: str, nos: str, running: Files, planned: Files) -> tuple[list[Finding], tuple[str, ...]]:
    wanted, known = _read(nos, planned)
    try:
        found, notes = _read(nos, running)
    except UNREADABLE as error:
        why = _safe(str(error).splitlines()[0] if str(error) else type(error).__name__)
        return [Finding(device, "", f"its configuration cannot be understood: {why}")], ()
    findings = [Finding(device, part, f"cannot be read: {_safe(why)}") for part, why in sorted(notes.unread.items())]
    findings += differences(device, found, wanted, frozenset(notes.unread) | frozenset(known.unread))
    odd = Counter(notes.unfit) - Counter(known.unfit)
    findings += [Finding(device, "", f"does not fit together: {_safe(text)}", Severity.WARNING) for text in sorted(odd)]
    return findings, tuple(sorted((Counter(notes.unknown) - Counter(known.unknown)).elements()))


def _read(nos: str, files: Files) -> tuple[Switch, Notes]:
    reader: Callable[[Files], Switch] = import_module(f"fabricgen.running.{nos}.device").read
    with tolerant() as notes:
        return reader(files), notes


def _safe(text: str) -> str:
    """A reader's words without secrets of the line that they may repeat."""
    return printable(without_secrets(text[:300].encode()).decode())

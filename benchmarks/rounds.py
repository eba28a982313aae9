"""Rounds of measurements of one blueprint: every case once, its output judged and removed.

Files are created in fresh folders, with everything earlier on the disk. A file system is slow at creating files right
after it has deleted many (ext4 passes over inodes that were freed within a minute), so folders are kept until the round
is over, or the disk would be full; after their removal the next case waits.

A virtual machine gives freed memory back to its host bit by bit, and is slow to have it again (Linux, free page
reporting). What writes first after deletions finds memory at hand, what writes next does not: before a folder and its
floor are measured, the same files are written once without being measured, and kept, so that all start alike.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.cases import PASS, TAR, Case, cases, starts
from benchmarks.measure import Run, run
from benchmarks.sizes import ROOT, Size

_ROOM = 2.5
"""Free space that a build must find, in multiples of what it will write: it may stage beside what is there."""


@dataclass(slots=True)
class Row:
    """All runs of a case, and of what was measured as its floor in the same rounds."""

    size: str
    name: str
    runs: list[Run] = field(default_factory=list)
    floors: list[list[Run]] = field(default_factory=list)
    output: dict[str, Any] = field(default_factory=dict)
    checks: list[str] = field(default_factory=list)

    @property
    def problems(self) -> list[str]:
        """Why the row cannot be trusted: what failed, and what was written wrong; each once."""
        return list(dict.fromkeys([*(each.problem for each in self.runs if each.problem), *self.checks]))


@dataclass(frozen=True, slots=True)
class Lab:
    """Where and how to measure: a folder for outputs, seconds for a command, seconds of rest after deletions."""

    scratch: Path
    timeout_s: float
    rest_s: float
    say: Callable[[str], None]

    def run(self, command: Sequence[str], codes: Sequence[int] = (0,), folder: Path = ROOT) -> tuple[Run, str]:
        """Run a command in a folder (usually the checkout), with caches of its own and bytecode as usual."""
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
        environment["XDG_CACHE_HOME"] = str(self.scratch / "cache")
        return run(command, codes=codes, environment=environment, folder=folder, timeout_s=self.timeout_s)

    def remove(self, folder: Path) -> None:
        """Delete a folder and let the file system rest."""
        shutil.rmtree(folder, ignore_errors=True)
        self.settle()

    def settle(self) -> None:
        """Write everything to the disk, and let the file system and memory rest."""
        os.sync()
        time.sleep(self.rest_s)


def start_rows(lab: Lab, runs: int) -> list[Row]:
    """Start-up: commands in turn, so that a disturbance meets all of them; a first round writes bytecode."""
    rows = {case.name: Row("", case.name) for case in starts()}
    for number in range(runs + 1):
        for case in starts():
            found, _ = lab.run(case.command, case.codes)
            if number:
                rows[case.name].runs.append(found)
    lab.say(f"start-up: {rows[PASS].runs[0].wall_s:.3f} s for an empty Python")
    return list(rows.values())


def size_rows(lab: Lab, size: Size, runs: int, *, quick: bool) -> list[Row]:
    """Everything about one size."""
    rows = {case.name: Row(size.name, case.name) for case in cases(size, quick=quick)}
    for number in range(1, runs + 1):
        folder = lab.scratch / f"{size.name}-{number}"
        folder.mkdir()
        for case in cases(size, quick=quick):
            if number > 1 and not case.again(size):
                continue
            _measure(lab, size, case, rows, folder)
            lab.say(f"{size.name} {number}/{runs} {case.name}: {_told(rows[case.name])}")
        lab.remove(folder)
    return list(rows.values())


def _told(row: Row) -> str:
    last = row.runs[-1]
    figures = f"{last.wall_s:.2f} s, CPU {last.cpu_s:.2f} s, {last.peak_mb:.0f} MB"
    return "; ".join([figures, *row.problems])


def _measure(lab: Lab, size: Size, case: Case, rows: dict[str, Row], folder: Path) -> None:
    row = rows[case.name]
    listing = folder / "listing.json"
    if case.target:
        _make_room(lab, folder, rows)
    before = []
    if case.floor == "files":
        lab.settle()
        _floor(lab, case, listing, folder, "unmeasured")
        before = _floor(lab, case, listing, folder, "before")
    command = [argument.replace("{}", str(folder), 1) for argument in case.command]
    found, _ = lab.run(command, case.codes)
    row.runs.append(found)
    output = folder / case.target
    if case.target and not found.problem:
        row.output = _judged(lab, output, listing, row)
        row.checks += _wrong(size, case, rows)
    if case.floor:
        row.floors.append([*before, *_floor(lab, case, listing, folder, "after")])
    if output.is_file():
        output.unlink()


def _make_room(lab: Lab, folder: Path, rows: dict[str, Row]) -> None:
    """Remove what earlier cases of the round wrote where the disk would not hold more, and write all to the disk."""
    largest = max((row.output.get("bytes", 0) for row in rows.values()), default=0)
    if shutil.disk_usage(folder).free < _ROOM * largest:
        for path in folder.iterdir():
            if path.is_dir() and path.name != "folder":
                shutil.rmtree(path)
        lab.settle()
    os.sync()


def _floor(lab: Lab, case: Case, listing: Path, folder: Path, when: str) -> list[Run]:
    if not listing.exists():
        return []
    options = ["--one"] if case.floor == "one" else []
    target = folder / f"floor-{case.floor}-{when}"
    found, _ = lab.run([sys.executable, "-m", "benchmarks.floor", *options, str(listing), str(target)])
    os.sync()
    if target.is_file():
        target.unlink()
    return [found]


def _judged(lab: Lab, output: Path, listing: Path, row: Row) -> dict[str, Any]:
    """What `verify` says of an output; the listing is that of the first whole one."""
    keep = [] if listing.exists() or output.is_dir() else [str(listing)]
    found, text = lab.run([sys.executable, "-m", "benchmarks.verify", str(output), *keep])
    if found.problem:
        row.checks.append(f"cannot be judged: {found.problem}")
        return {}
    judged: dict[str, Any] = json.loads(text)
    row.checks += judged.pop("problems")
    return judged


def _wrong(size: Size, case: Case, rows: dict[str, Row]) -> Iterator[str]:
    """What is not as it must be: bytes that differ from those of another way, and counts."""
    parts = rows[case.name].output.get("parts", {})
    if not parts:
        yield "nothing was written"
    if case.like:
        reference = rows[case.like].output.get("parts", {})
        expected = {part: reference.get(part) for part in parts} if "--only" in case.command else reference
        differ = sorted(part for part in expected.keys() | parts.keys() if expected.get(part) != parts.get(part))
        if differ:
            yield f"not the bytes of `{case.like}`: {', '.join(differ)}"
    summary = rows[case.name].output.get("summary", {})
    if any(option in case.command for option in size.grown):
        before = rows[TAR].output.get("summary", {})
        if summary and before and _above_leaves(summary) != _above_leaves(before):
            yield "the edit changes counts above the leaves: another one has to be found"
    elif summary:
        yield from _miscounted(size, summary)


def _above_leaves(summary: dict[str, Any]) -> dict[tuple[str, str], int]:
    fabrics = summary["fabrics"].items()
    tiers = ((name, tier, count) for name, fabric in fabrics for tier, count in fabric["switches"].items())
    return {(name, tier): count for name, tier, count in tiers if tier != "leaf"}


def _miscounted(size: Size, summary: dict[str, Any]) -> Iterator[str]:
    found = counts(summary)
    expected = {"accelerators": size.gpus, "switches": size.switches, "links": size.links}
    expected |= dict(zip(("error", "warning"), size.findings, strict=True))
    for name, value in expected.items():
        if found[name] != value:
            yield f"{found[name]} x {name}, not {value}"


def counts(summary: dict[str, Any]) -> dict[str, int]:
    """Accelerators, switches, links without scale-up, errors and warnings of a `summary.json`."""
    fabrics = summary["fabrics"].values()
    return {
        "accelerators": summary["accelerators"],
        "switches": sum(sum(fabric["switches"].values()) for fabric in fabrics),
        "links": sum(sum(fabric["links"].values()) for fabric in fabrics),
        "error": summary["findings"]["error"],
        "warning": summary["findings"]["warning"],
    }

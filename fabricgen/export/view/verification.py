"""What `fabricgen verify` found in the hall, read from its JSON report and held against the cluster that is drawn.

Only the keys of the contract are needed: counts of cables, and actions. Where the report lists the cables that are
right (`verified`), all others that are in no action are unseen; else the picture cannot tell these two apart.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from fabricgen.cluster import Cluster
from fabricgen.kernel.diagnostics import InputError, Span, fault
from fabricgen.kernel.text_input import decode_text, read_bytes
from fabricgen.models.validation import format_path
from fabricgen.wiring.arrays import Ints

AS_PLANNED, HARMLESS, UNSEEN, CHECK, DARK, ELSEWHERE = range(6)
"""States of a cable, from the best to the worst; CHECK: its port or optic is to be looked at."""

LARGEST = 256 * 1024 * 1024
"""Bytes of the largest report that is read."""

MOST_TEXT = 4_000
"""Characters of a sentence that are shown."""

Count = Annotated[int, Field(ge=0, le=10**9)]


class _ReportPart(BaseModel):
    """A part of a report; it may say more than is used here."""

    model_config = ConfigDict(extra="ignore", frozen=True, strict=True)


class Place(_ReportPart):
    """An end of an action."""

    device: str
    port: str = ""
    rack: str = ""
    u: int | str | None = None
    label: str = ""


class Step(_ReportPart):
    """A plug that is pulled and put elsewhere."""

    cable: str = ""
    pull: Place
    put: Place
    reaches: bool | None = None


class Alternative(_ReportPart):
    """Another way to mend the same."""

    text: str = ""
    moves: Count = 0
    boxes: Count = 0


class Consequence(_ReportPart):
    """What it costs until it is mended, in words."""

    text: str = ""


class Action(_ReportPart):
    """One thing to do."""

    id: str
    kind: str
    moves: Count
    cables: list[str]
    ends: list[Place]
    text: str
    alternatives: list[Alternative]
    boxes: Count = 0
    status: str = ""
    steps: list[Step] = []
    consequence: Consequence = Consequence()
    renamed: dict[str, str] = {}

    @property
    def boxes_alone(self) -> bool:
        """Whether it is about whole boxes: exchanged ones, or one that sees nobody."""
        return not self.steps and bool(self.ends) and not any(end.port for end in self.ends)

    @property
    def devices(self) -> set[str]:
        """Names of the devices where one has to go."""
        return {end.device for end in self.ends} | set(self.renamed) | set(self.renamed.values())


class Counts(_ReportPart):
    """How many cables are in which state, and links that nobody planned."""

    as_planned: Count
    dark: Count
    elsewhere: Count
    unseen: Count
    harmless: Count
    extra: Count


class Done(_ReportPart):
    """How far a unit is."""

    name: str
    total: Count
    verified: Count
    elsewhere: Count = 0
    dark: Count = 0
    unseen: Count = 0


class Progress(_ReportPart):
    """How far units are."""

    units: list[Done] = []


class Report(_ReportPart):
    """A report of `verify`. `verified` and `harmless_cables` have cages by device, with blanks between."""

    cables: Counts
    actions: list[Action]
    name: str = ""
    scope: list[str] = []
    verified: dict[str, str] | None = None
    verified_earlier: Count = 0
    harmless_cables: dict[str, str] = {}
    extra: list[str] = []
    notes: list[str] = []
    progress: Progress = Progress()


@dataclass(frozen=True)
class Verification:
    """A report, and the state of each cable of the cluster; int32."""

    report: Report
    states: Ints


def read_verification(file: str, cluster: Cluster) -> Verification:
    """Read a report of the cluster's hall.

    Raises InputError: FG001 or FG002 for a file that cannot be read, FG066 at its place for what is no report, or that
    of another cluster.
    """
    text = decode_text(read_bytes(Path(file), file, limit=LARGEST), file, limit=LARGEST, kind="JSON")
    try:
        report = Report.model_validate_json(text)
    except ValidationError as error:
        raise _make_format_error(file, error) from error
    name, numbers = cluster.design.loaded.blueprint.name, {cable: row for row, cable in enumerate(cluster.cable_ids)}
    if report.name not in ("", name):
        raise _make_foreign_error(
            file, text, report.name, f"it is of '{report.name[:80]}', and the blueprint is '{name}'"
        )
    counted = sum(count for key, count in report.cables if key != "extra")
    if counted > len(numbers):
        complaint = f"it counts {counted:,} cables, and the blueprint has {len(numbers):,}"
        raise _make_foreign_error(file, text, "cables", complaint)
    for cable in _list_named_cables(report):
        if cable not in numbers:
            raise _make_foreign_error(file, text, cable, f"the blueprint has no cable '{cable[:80]}'")
    return Verification(report, _find_states(report, numbers))


def _list_named_cables(report: Report) -> Iterator[str]:
    """Ids of all cables that a report names."""
    for action in report.actions:
        yield from action.cables
    yield from list_verified_ids(report)


def list_verified_ids(report: Report) -> Iterator[str]:
    """Ids of the cables that a report found right, or harmless."""
    for listed in (report.verified or {}, report.harmless_cables):
        yield from _list_cable_ids(listed)


def _list_cable_ids(listed: dict[str, str]) -> Iterator[str]:
    return (f"{device}:{cage}" for device, cages in listed.items() for cage in cages.split())


def _find_states(report: Report, numbers: dict[str, int]) -> Ints:
    is_complete = report.verified is not None or not report.cables.unseen
    states = np.full(
        len(numbers), UNSEEN if report.verified is not None or not is_complete else AS_PLANNED, dtype=np.int32
    )

    def set_state(ids: Sequence[str], state: int) -> None:
        rows = [numbers[cable] for cable in ids]
        states[rows] = np.maximum(states[rows], state) if state > UNSEEN else state

    set_state(list(_list_cable_ids(report.verified or {})), AS_PLANNED)
    set_state(list(_list_cable_ids(report.harmless_cables)), HARMLESS)
    for action in report.actions:
        moved = {step.cable for step in action.steps if step.cable}
        for cable in action.cables:
            set_state([cable], _choose_state(action, cable, moved))
    return states


def _choose_state(action: Action, cable: str, moved: set[str]) -> int:
    """The state of a cable of an action: of moved plugs, one without a step is at nobody's end."""
    if action.kind in ("optic", "port"):
        return CHECK
    return DARK if action.kind == "dark" or (moved and cable not in moved) else ELSEWHERE


def _make_format_error(file: str, error: ValidationError) -> InputError:
    """What is wrong with the first thing that does not fit."""
    first = error.errors(include_url=False, include_input=False)[0]
    position = re.search(r"line (\d+) column (\d+)", first["msg"])
    span = Span(file, int(position[1]), max(1, int(position[2]))) if position else Span(file, 1, 1)
    location = format_path(tuple(first["loc"])) or "all of it"
    reason = "not JSON, or cut short" if first["type"] == "json_invalid" else f"{location}: {first['msg'].lower()}"
    return fault("FG066", f"{file} is no report of `verify`: {reason[:300]}", hint=_HINT, span=span)


_HINT = "give what `fabricgen verify --format json` wrote for this blueprint, and the same --phase and --set"


def _make_foreign_error(file: str, text: str, foreign_text: str, reason: str) -> InputError:
    """A report of something else, at the first place that says so."""
    start = max(text.find(json.dumps(foreign_text, ensure_ascii=False)), 0)
    before = text[:start]
    span = Span(file, before.count("\n") + 1, start - before.rfind("\n"))
    return fault("FG066", f"{file} is a report of another hall: {reason}", hint=_HINT, span=span)

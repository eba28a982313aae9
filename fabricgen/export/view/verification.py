"""What `fabricgen verify` found in the hall, read from its JSON report and matched to the cluster that is drawn.

Only the keys of the contract are needed: counts of cables, and actions. If the report lists the cables that are right
(`verified`), all others that are in no action are unseen; otherwise the picture cannot tell right cables from unseen
ones.
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
"""States of a cable, from the best to the worst. CHECK: its port or optic has to be looked at."""

LARGEST = 256 * 1024 * 1024
"""Largest report that is read, in bytes."""

MOST_TEXT = 4_000
"""Characters of a sentence that are shown."""

Count = Annotated[int, Field(ge=0, le=10**9)]


class _ReportPart(BaseModel):
    """An object of a report; further keys are ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True, strict=True)


class Place(_ReportPart):
    """One end of a cable that an action is about."""

    device: str
    port: str = ""
    rack: str = ""
    u: int | str | None = None
    label: str = ""


class Step(_ReportPart):
    """A plug to pull at one place (`pull`) and put in at another (`put`).

    `cable` is the planned cable that the step makes right, "" for none. `reaches` says whether that cable could reach
    `pull`, where the plug is now; None if that is not known.
    """

    cable: str = ""
    pull: Place
    put: Place
    reaches: bool | None = None


class Alternative(_ReportPart):
    """Another way to mend the same fault, with numbers as in `Action`."""

    text: str = ""
    moves: Count = 0
    boxes: Count = 0


class Consequence(_ReportPart):
    """What a fault costs until it is mended, in words."""

    text: str = ""


class Action(_ReportPart):
    """One thing to do in the hall: `moves` plugs to put elsewhere, or `boxes` to exchange.

    `status` is `new` or `open`, "" for a report without `--since`. `renamed` maps the name that an exchanged box tells
    to the planned device in whose place it stands.
    """

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
        """Whether the action is about whole boxes: boxes that were exchanged, or one that sees no neighbour."""
        return not self.steps and bool(self.ends) and not any(end.port for end in self.ends)

    @property
    def devices(self) -> set[str]:
        """Names of the devices at which something is to be done."""
        return {end.device for end in self.ends} | set(self.renamed) | set(self.renamed.values())


class Counts(_ReportPart):
    """How many cables are in each state, and how many links nobody planned (`extra`)."""

    as_planned: Count
    dark: Count
    elsewhere: Count
    unseen: Count
    harmless: Count
    extra: Count


class UnitProgress(_ReportPart):
    """How many cables of a unit are in each state."""

    name: str
    total: Count
    verified: Count
    elsewhere: Count = 0
    dark: Count = 0
    unseen: Count = 0


class Progress(_ReportPart):
    """The progress of all units."""

    units: list[UnitProgress] = []


class Report(_ReportPart):
    """A report of `verify`. `verified` and `harmless_cables` map a device to its cages, separated by blanks."""

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
    """Return the report in a file, and the states of the cluster's cables that follow from it.

    Raises InputError: FG001 or FG002 if the file cannot be read, FG066 with its position if it is no report, or a
    report of another cluster.
    """
    text = decode_text(read_bytes(Path(file), file, limit=LARGEST), file, limit=LARGEST, kind="JSON")
    try:
        report = Report.model_validate_json(text)
    except ValidationError as error:
        raise _make_format_error(file, error) from error
    name, numbers = cluster.design.loaded.blueprint.name, {cable: row for row, cable in enumerate(cluster.cable_ids)}
    if report.name not in ("", name):
        complaint = f"it is of '{report.name[:80]}', and the blueprint is '{name}'"
        raise _make_foreign_error(file, text, report.name, complaint)
    counted = sum(count for key, count in report.cables if key != "extra")
    if counted > len(numbers):
        complaint = f"it counts {counted:,} cables, and the blueprint has {len(numbers):,}"
        raise _make_foreign_error(file, text, "cables", complaint)
    for cable in (*(cable for action in report.actions for cable in action.cables), *list_verified_ids(report)):
        if cable not in numbers:
            raise _make_foreign_error(file, text, cable, f"the blueprint has no cable '{cable[:80]}'")
    return Verification(report, _find_states(report, numbers))


def list_verified_ids(report: Report) -> Iterator[str]:
    """Yield the ids of the cables that a report found right, and of those whose difference is harmless."""
    for listed in (report.verified or {}, report.harmless_cables):
        yield from _list_cable_ids(listed)


def _list_cable_ids(listed: dict[str, str]) -> Iterator[str]:
    """Return the cable ids, `DEVICE:CAGE`, of cages listed by device."""
    return (f"{device}:{cage}" for device, cages in listed.items() for cage in cages.split())


def _find_states(report: Report, numbers: dict[str, int]) -> Ints:
    """Return the state of each cable, int32; `numbers` has the row of each cable id."""
    other_state = UNSEEN if report.verified is not None or report.cables.unseen else AS_PLANNED
    states = np.full(len(numbers), other_state, dtype=np.int32)

    def set_state(ids: Sequence[str], state: int) -> None:
        rows = [numbers[cable] for cable in ids]
        # of several actions the worst state counts; a state up to UNSEEN comes of lists, before all actions
        states[rows] = np.maximum(states[rows], state) if state > UNSEEN else state

    set_state(list(_list_cable_ids(report.verified or {})), AS_PLANNED)
    set_state(list(_list_cable_ids(report.harmless_cables)), HARMLESS)
    for action in report.actions:
        moved = {step.cable for step in action.steps if step.cable}
        for cable in action.cables:
            set_state([cable], _choose_state(action, cable, moved))
    return states


def _choose_state(action: Action, cable: str, moved: set[str]) -> int:
    """Return the state of a cable that an action names; `moved` are the cables whose plugs the action moves.

    It is CHECK for an optic or a port. It is DARK for the kind `dark`, and if the action moves plugs but none of this
    cable. Otherwise it is ELSEWHERE.
    """
    if action.kind in ("optic", "port"):
        return CHECK
    return DARK if action.kind == "dark" or (moved and cable not in moved) else ELSEWHERE


def _make_format_error(file: str, error: ValidationError) -> InputError:
    """Return FG066 for a report that does not fit the contract, at the first thing that does not fit."""
    first_fault = error.errors(include_url=False, include_input=False)[0]
    position = re.search(r"line (\d+) column (\d+)", first_fault["msg"])
    span = Span(file, int(position[1]), max(1, int(position[2]))) if position else Span(file, 1, 1)
    location = format_path(tuple(first_fault["loc"])) or "all of it"
    reason = (
        "not JSON, or cut short"
        if first_fault["type"] == "json_invalid"
        else f"{location}: {first_fault['msg'].lower()}"
    )
    return fault("FG066", f"{file} is no report of `verify`: {reason[:300]}", hint=_HINT, span=span)


_HINT = "give what `fabricgen verify --format json` wrote for this blueprint, and the same --phase and --set"


def _make_foreign_error(file: str, text: str, foreign_text: str, reason: str) -> InputError:
    """Return FG066 for a report of another hall, at the first position of `foreign_text` in the report."""
    start = max(text.find(json.dumps(foreign_text, ensure_ascii=False)), 0)
    text_before = text[:start]
    return fault(
        "FG066",
        f"{file} is a report of another hall: {reason}",
        hint=_HINT,
        span=Span(file, text_before.count("\n") + 1, start - text_before.rfind("\n")),
    )

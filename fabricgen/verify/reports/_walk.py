"""What is to be done as a technician walks past, rack by rack: a row a plug, or a place to look at."""

from __future__ import annotations

from dataclasses import dataclass

from fabricgen.blueprint.models import natural
from fabricgen.kernel.diagnostics import printable
from fabricgen.verify.actions import Action, End
from fabricgen.verify.report import Report

NOWHERE = End("", "")


@dataclass(frozen=True, slots=True)
class Stop:
    """One thing to do at a rack: pull a plug (or a box that is exchanged) at `here` and put it at `put`; where that is
    NOWHERE, look at `here`.

    `action` numbers actions from 1 in the order of the walk, `step` their rows from 1. `cable` is the planned one that
    is then right.
    """

    number: int
    action: Action
    step: int
    cable: str
    here: End
    put: End
    reaches: bool | None = None


def walk(report: Report) -> list[Stop]:
    """All rows: actions by the rack where they begin, from the top of it, and the rows of one action together."""

    def key(action: Action) -> tuple[object, ...]:
        first = min((_place(report, end) for end in _ends(action)), default=((0, ""), 0, "", ()))
        return *first, action.id

    ordered = sorted(report.actions, key=key)
    return [stop for number, action in enumerate(ordered, start=1) for stop in _stops(report, number, action)]


def _ends(action: Action) -> list[End]:
    return [step.pull for step in action.steps] or list(action.ends)


def _place(report: Report, end: End) -> tuple[object, ...]:
    return report.rack_order.of(end.rack), -end.u, end.device, natural(end.port)


def _stops(report: Report, number: int, action: Action) -> list[Stop]:
    """The plugs of an action in the order of its steps, which matters; places to look at as one walks."""
    if action.steps:
        rows = [(step.cable, step.pull, step.put, step.reaches) for step in action.steps]
    else:
        cables = action.cables if len(action.cables) == 1 else ("",)
        goes_to = {place: told for told, place in action.renamed.items()}
        places = {end.device: end for end in action.ends}
        ends = sorted(action.ends, key=lambda end: _place(report, end))
        rows = [(cables[0], end, places.get(goes_to.get(end.device, ""), NOWHERE), None) for end in ends]
    return [Stop(number, action, step, *row) for step, row in enumerate(rows, start=1)]


def cells(end: End) -> tuple[str, ...]:
    """Device, port, cage, connector, rack, unit and label of an end as text; the unit is "" where there is none."""
    u = str(end.u) if end.u else ""
    return tuple(printable(t) for t in (end.device, end.port, end.cage, end.connector, end.rack, u, end.label))

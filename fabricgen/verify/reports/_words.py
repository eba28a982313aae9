"""How reports for people say where something is, and what it costs."""

from __future__ import annotations

from dataclasses import dataclass

from fabricgen.blueprint.models import make_natural_key
from fabricgen.kernel.diagnostics import make_printable
from fabricgen.verify.actions import Action, Alternative, Consequence, End
from fabricgen.verify.consequences.wording import consequence_text
from fabricgen.verify.report import Report
from fabricgen.verify.sightings import counted


def at(end: End) -> str:
    """DEVICE:PORT."""
    return make_printable(f"{end.device}:{end.port}" if end.port else end.device)


def place(report: Report, end: End) -> str:
    """`rack p1-su01-rk01 (h1.R01.01) U12, cage 5`, or `connector 5/2` of a cage that has several."""
    stands = report.rack_order.places.get(end.rack, "")
    told = [f"rack {end.rack}{f' ({stands})' if stands else ''}{f' U{end.u}' if end.u else ''}"] if end.rack else []
    return ", ".join([*map(make_printable, told), *filter(None, [cage(end)])])


def cage(end: End) -> str:
    """`cage 5`, or `connector 5/2` of a cage that has several, where the port is not called the same."""
    if not end.cage or end.port in (end.cage, end.connector):
        return ""
    return make_printable(f"connector {end.connector}" if end.connector not in ("", end.cage) else f"cage {end.cage}")


def work(action: Action) -> str:
    """What an action takes: `2 plugs moved`, `2 boxes exchanged`."""
    told = [counted(action.boxes, "box", "boxes")] if action.boxes else []
    told += [counted(action.moves, "plug")] if action.moves else []
    return " and ".join(told) or "look"


def instead(action: Action) -> list[str]:
    """What may be done in place of an action, unless its text says so."""
    found = [priced(other) for other in action.alternatives if other.text not in action.text]
    return [*found, *([f"or leave them, and let the plan follow: --accept {action.id}"] if action.renamed else [])]


def priced(other: Alternative) -> str:
    """An alternative and what it takes, unless its text says so."""
    told = [counted(other.boxes, "box", "boxes")] if other.boxes else []
    price = " and ".join([*told, *([counted(other.moves, "plug")] if other.moves else [])])
    return make_printable(other.text if price in other.text else f"{other.text} ({price})")


def meanwhile(consequence: Consequence) -> str:
    """What it costs until it is mended; "" where nothing is known."""
    return make_printable(consequence_text(consequence))


# What is to be done as a technician walks past, rack by rack: a row a plug, or a place to look at.

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
    return report.rack_order.of(end.rack), -end.u, end.device, make_natural_key(end.port)


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
    return tuple(make_printable(t) for t in (end.device, end.port, end.cage, end.connector, end.rack, u, end.label))

"""Words of reports for people: where something is, and what it takes and costs."""

from __future__ import annotations

from dataclasses import dataclass

from fabricgen.blueprint.models import make_natural_key
from fabricgen.kernel.diagnostics import make_printable
from fabricgen.verify.actions import Action, Alternative, Consequence, End
from fabricgen.verify.consequences.wording import describe_consequence
from fabricgen.verify.report import Report
from fabricgen.verify.sightings import format_count


def name_end(end: End) -> str:
    """Return DEVICE:PORT, or DEVICE if the end has no port."""
    return make_printable(f"{end.device}:{end.port}" if end.port else end.device)


def describe_place(report: Report, end: End) -> str:
    """Return where an end is: `rack p1-su01-rk01 (h1.R01.01) U12, cage 5`."""
    location = report.rack_order.places.get(end.rack, "")
    rack_text = f"rack {end.rack}{f' ({location})' if location else ''}{f' U{end.u}' if end.u else ''}"
    return ", ".join(filter(None, [make_printable(rack_text) if end.rack else "", describe_cage(end)]))


def describe_cage(end: End) -> str:
    """Return `cage 5`, or `connector 5/2` in a cage with several; "" if the port itself has that name."""
    if not end.cage or end.port in (end.cage, end.connector):
        return ""
    return make_printable(f"connector {end.connector}" if end.connector not in ("", end.cage) else f"cage {end.cage}")


def describe_work(action: Action) -> str:
    """Return the work of an action: `2 plugs`, `2 boxes and 1 plug`, or `look`."""
    phrases = [format_count(action.boxes, "box", "boxes")] if action.boxes else []
    phrases += [format_count(action.moves, "plug")] if action.moves else []
    return " and ".join(phrases) or "look"


def list_alternatives(action: Action) -> list[str]:
    """Return what may be done instead of an action, without what its text says already."""
    alternatives = [
        price_alternative(alternative) for alternative in action.alternatives if alternative.text not in action.text
    ]
    return [
        *alternatives,
        *([f"or leave them, and let the plan follow: --accept {action.id}"] if action.renamed else []),
    ]


def price_alternative(alternative: Alternative) -> str:
    """Return the text of an alternative with the work that it takes, unless the text says that already."""
    phrases = [format_count(alternative.boxes, "box", "boxes")] if alternative.boxes else []
    price = " and ".join([*phrases, *([format_count(alternative.moves, "plug")] if alternative.moves else [])])
    return make_printable(alternative.text if price in alternative.text else f"{alternative.text} ({price})")


def describe_cost(consequence: Consequence) -> str:
    """Return, in words, what a fault costs until it is mended; "" if that is not known."""
    return make_printable(describe_consequence(consequence))


# What is to be done in the order of a technician's walk, rack by rack: one row for each plug, or place to look at.

NOWHERE = End("", "")


@dataclass(frozen=True, slots=True)
class Stop:
    """One thing to do at a rack: pull a plug (or a box that is exchanged) at `pull_end` and put it at `put_end`.

    If `put_end` is NOWHERE, look at `pull_end`. `number` counts actions from 1 in the order of the walk, `step` the
    rows of an action from 1. `cable` is the planned cable that is then right, and `reaches` is as in `Step`.
    """

    number: int
    action: Action
    step: int
    cable: str
    pull_end: End
    put_end: End
    reaches: bool | None = None


def list_stops(report: Report) -> list[Stop]:
    """Return all stops: actions by the rack where they begin, from its top down, each with all of its stops."""

    def make_key(action: Action) -> tuple[object, ...]:
        first_place = min((_make_key(report, end) for end in _list_ends(action)), default=((0, ""), 0, "", ()))
        return *first_place, action.id

    ordered = sorted(report.actions, key=make_key)
    return [
        stop for number, action in enumerate(ordered, start=1) for stop in _list_action_stops(report, number, action)
    ]


def _list_ends(action: Action) -> list[End]:
    return [step.pull for step in action.steps] or list(action.ends)


def _make_key(report: Report, end: End) -> tuple[object, ...]:
    return report.rack_order.make_key(end.rack), -end.u, end.device, make_natural_key(end.port)


def _list_action_stops(report: Report, number: int, action: Action) -> list[Stop]:
    """Return the stops of an action, numbered from 1.

    They are its steps in their order, which matters. If it has none, they are its ends in the order of the walk: for
    exchanged boxes each with the end to which the box that stands there has to go, otherwise with NOWHERE.
    """
    if action.steps:
        rows = [(step.cable, step.pull, step.put, step.reaches) for step in action.steps]
    else:
        cables = action.cables if len(action.cables) == 1 else ("",)
        box_standing_at = {planned_name: box for box, planned_name in action.renamed.items()}
        end_of_device = {end.device: end for end in action.ends}
        walked_ends = sorted(action.ends, key=lambda end: _make_key(report, end))
        rows = [
            (cables[0], end, end_of_device.get(box_standing_at.get(end.device, ""), NOWHERE), None)
            for end in walked_ends
        ]
    return [Stop(number, action, step, *row) for step, row in enumerate(rows, start=1)]


def list_cells(end: End) -> tuple[str, ...]:
    """Return device, port, cage, connector, rack, unit and label of an end as texts; the unit is "" if not known."""
    u = str(end.u) if end.u else ""
    texts = (end.device, end.port, end.cage, end.connector, end.rack, u, end.label)
    return tuple(map(make_printable, texts))

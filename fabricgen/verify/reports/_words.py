"""How reports for people say where something is, and what it costs."""

from __future__ import annotations

from fabricgen.kernel.diagnostics import printable
from fabricgen.verify.actions import Action, Alternative, Consequence, End
from fabricgen.verify.consequences.wording import consequence_text
from fabricgen.verify.notes import counted
from fabricgen.verify.report import Report


def at(end: End) -> str:
    """DEVICE:PORT."""
    return printable(f"{end.device}:{end.port}" if end.port else end.device)


def place(report: Report, end: End) -> str:
    """`rack p1-su01-rk01 (h1.R01.01) U12, cage 5`, or `connector 5/2` of a cage that has several."""
    stands = report.rack_order.places.get(end.rack, "")
    told = [f"rack {end.rack}{f' ({stands})' if stands else ''}{f' U{end.u}' if end.u else ''}"] if end.rack else []
    return ", ".join([*map(printable, told), *filter(None, [cage(end)])])


def cage(end: End) -> str:
    """`cage 5`, or `connector 5/2` of a cage that has several, where the port is not called the same."""
    if not end.cage or end.port in (end.cage, end.connector):
        return ""
    return printable(f"connector {end.connector}" if end.connector not in ("", end.cage) else f"cage {end.cage}")


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
    return printable(other.text if price in other.text else f"{other.text} ({price})")


def meanwhile(consequence: Consequence) -> str:
    """What it costs until it is mended; "" where nothing is known."""
    return printable(consequence_text(consequence))

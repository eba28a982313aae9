"""Whether what a report tells of a hall is right: the law of the hall, case by case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fabricgen.addons.emulation.faults.laid import Laid
from fabricgen.addons.emulation.model import Hall
from tests.hall.judge import Outcome, carry_out, joined_ports, wrong_links
from tests.hall.optimum import EXCHANGE, fewest_with_boxes


def mistakes(hall: Hall, laid: Sequence[Laid], code: int, actions: Sequence[Mapping[str, Any]]) -> list[str]:
    """What is wrong with a report of everything in a hall: its exit code and actions. The hall is left alone."""
    wrong = wrong_links(hall)
    if code == 0 and wrong:
        return [f"exit 0 though {len(wrong)} links are wrong: {wrong[0]}"]
    if code != (1 if actions else 0):
        return [f"exit {code} with {len(actions)} actions"]
    mended = hall.copy()
    outcome = carry_out(mended, actions)
    complaints = list(outcome.complaints)
    left = wrong_links(mended)
    if left:
        complaints.append(f"{len(left)} of {len(wrong)} links are still wrong: " + "; ".join(left[:3]))
    elif not complaints:
        complaints += _dear(hall, laid, outcome)
    return complaints


def _dear(hall: Hall, laid: Sequence[Laid], outcome: Outcome) -> list[str]:
    """What is told that could be had for less."""
    pairs = [fault.boxes for fault in laid if len(fault.boxes) == 2]
    dear = []
    least = fewest_with_boxes(hall, _explained(hall, pairs))
    price = outcome.pulls + len(outcome.exchanged) * (1 if pairs else EXCHANGE // 2)
    if price > least:
        dear.append(f"{outcome.pulls} pulls and {len(outcome.exchanged)} boxes, though {least} pulls are enough")
    causes = sum(1 for fault in laid if fault.cords)
    if outcome.looks > causes:
        dear.append(f"{outcome.looks} looks for {causes} causes")
    return dear


def _explained(hall: Hall, pairs: list[frozenset[str]]) -> list[frozenset[str]]:
    """The exchanged boxes whose exchange makes every link of both right, port by port; of others plugs may be told."""
    racked = hall.copy()
    for first, second in map(sorted, pairs):
        racked.exchange_boxes(first, second)
    joined = joined_ports(racked)
    astray = {port[0] for link in set(hall.plan.links) ^ joined for port in link}
    return [pair for pair in pairs if not pair & astray]


def contradictions(hall: Hall, actions: Sequence[Mapping[str, Any]]) -> list[str]:
    """What of a report of fewer dumps the full ones contradict: carrying it out makes more links wrong."""
    mended = hall.copy()
    outcome = carry_out(mended, actions, partial=True)
    before, after = set(wrong_links(hall)) | set(wrong_links(_racked(hall, actions))), set(wrong_links(mended))
    worse = sorted(text for text in after - before if text.startswith("missing"))
    complaints = [text for text in outcome.complaints if "told" not in text]
    return complaints + ([f"made wrong: {'; '.join(worse[:3])}"] if worse else [])


def _racked(hall: Hall, actions: Sequence[Mapping[str, Any]]) -> Hall:
    """The hall once exchanges are carried out that put boxes where they belong.

    A link may have been right only because a plug is where a box that stands wrong would have it.
    """
    racked = hall.copy()
    # partial: where only one of two boxes is seen, only that one is told
    boxes = [{**action, "steps": [], "moves": 0} for action in actions if action.get("renamed")]
    carry_out(racked, boxes, partial=True)
    home = all(racked.names[place] in (place, name) for place, name in hall.names.items())
    return racked if home else hall

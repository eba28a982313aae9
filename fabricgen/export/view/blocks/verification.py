"""What `verify` found in the hall: states of cables, how many are in each box and ribbon, and what is to be done."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from fabricgen.export.view.boxes import make_bundles
from fabricgen.export.view.source import Packed, PageSource, pack_numbers, pack_table, pack_texts
from fabricgen.export.view.verification import (
    AS_PLANNED,
    CHECK,
    DARK,
    ELSEWHERE,
    HARMLESS,
    MOST_TEXT,
    UNSEEN,
    Action,
    Place,
    Verification,
)
from fabricgen.wiring.arrays import Ints, Ints64

COUNTED = {"harmless": HARMLESS, "unseen": UNSEEN, "check": CHECK, "dark": DARK, "elsewhere": ELSEWHERE}
"""States that are counted by box and ribbon; all other cables are as planned."""

MOST_ACTIONS, MOST_ENDS = 20_000, 400
"""Actions that are listed, and ends, steps and cables that are listed of an action."""


def block(source: PageSource) -> dict[str, Any] | None:
    """Return states by cable, device, box and bundle, and the actions; None without a report."""
    verification = source.beside.verification
    if verification is None:
        return None
    report, links = verification.report, source.cluster.plan.links
    link_states = np.where(links.cable >= 0, verification.states[links.cable], -1).astype(np.int32)
    right_links = _find_right_links(source, verification)
    link_states[right_links] = AS_PLANNED
    return {
        "counts": dict(report.cables),
        "earlier": report.verified_earlier,
        "told": report.verified is not None or not report.cables.unseen,
        "scope": [_shorten_text(place) for place in report.scope[:MOST_ENDS]],
        "units": [list(dict(unit).values()) for unit in report.progress.units[:MOST_ACTIONS]],
        "extra": [_shorten_text(text) for text in report.extra[:MOST_ENDS]],
        "notes": [_shorten_text(text) for text in report.notes[:MOST_ENDS]],
        "cable": pack_numbers(verification.states),
        "right_links": pack_numbers(right_links),
        "device": pack_numbers(_find_worst_states(source, link_states)),
        "boxes": _count_by_box(source, verification),
        "bundles": _count_by_bundle(source, link_states),
        "left_out": max(0, len(report.actions) - MOST_ACTIONS),
        "actions": pack_texts(_list_actions(source, verification)),
    }


def _find_right_links(source: PageSource, verification: Verification) -> Ints64:
    """Return the rows of links that are right although their cable is not, int64.

    These are the links of a breakout cable that do not lead to the box that is the cable's only fault.
    """
    links, rows = source.cluster.plan.links, {name: row for row, name in enumerate(source.cluster.names)}
    actions = verification.report.actions
    plug_cables = {cable for action in actions if not action.boxes_alone for cable in action.cables}
    box_cables = {cable for action in actions if action.boxes_alone for cable in action.cables} - plug_cables
    box_rows = [rows[name] for action in actions if action.boxes_alone for name in action.devices if name in rows]
    is_wrong = np.zeros(len(source.cluster.plan.cables), dtype=bool)
    is_wrong[[row for row, cable in enumerate(source.cluster.cable_ids) if cable in box_cables]] = True
    in_box = np.zeros(len(rows), dtype=bool)
    in_box[box_rows] = True
    touches_box = in_box[links.a_device] | in_box[links.b_device]
    return np.flatnonzero((links.cable >= 0) & is_wrong[links.cable] & ~touches_box)


def _find_worst_states(source: PageSource, link_states: Ints) -> Ints:
    """Return the worst state of the links of each device, int32; -1 for a device without cabled links."""
    links = source.cluster.plan.links
    worst = np.full(len(source.cluster.plan.devices), -1, dtype=np.int32)
    for ends in (links.a_device, links.b_device):
        # states are numbered by how bad they are
        np.maximum.at(worst, ends, link_states)
    return worst


def _count_by_box(source: PageSource, verification: Verification) -> Packed:
    """Return how many cables of each counted state end in each box, boxes inside it included."""
    places, links = source.scene.places, source.cluster.plan.links
    rows = np.flatnonzero(links.cable >= 0)
    rows = rows[verification.states[links.cable[rows]] > 0]
    cable = links.cable[rows].astype(np.int64)
    counts = np.zeros((len(places), ELSEWHERE + 1), dtype=np.int64)
    # a cable counts once for each box even if both its ends are inside: pairs of box and cable are made distinct
    for level in range(places.ancestors.shape[1]):
        ends = [places.ancestors[places.device_box[end[rows]], level] for end in (links.a_device, links.b_device)]
        pairs = np.concatenate([box[box >= 0] * np.int64(len(verification.states)) + cable[box >= 0] for box in ends])
        box, number = np.divmod(np.unique(pairs), len(verification.states))
        np.add.at(counts, (box, verification.states[number]), 1)
    return pack_table({name: counts[:, state] for name, state in COUNTED.items()})


def _count_by_bundle(source: PageSource, link_states: Ints) -> Packed:
    """Return how many links of each bundle are in each counted state."""
    number = {bundle.place: i for i, bundle in enumerate(source.scene.bundles)}
    columns: dict[str, Any] = {name: np.zeros(len(number), dtype=np.int64) for name in COUNTED}
    for name, state in COUNTED.items():
        for bundle in make_bundles(source.cluster, source.scene.places, link_states == state):
            columns[name][number[bundle.place]] = bundle.links
    return pack_table(columns)


def _list_actions(source: PageSource, verification: Verification) -> list[dict[str, Any]]:
    """Return the first MOST_ACTIONS actions in the form that the page reads."""
    devices = {name: row for row, name in enumerate(source.cluster.names)}
    listed_actions = verification.report.actions[:MOST_ACTIONS]
    listed_cables = {cable for action in listed_actions for cable in action.cables}
    cables = {cable: row for row, cable in enumerate(source.cluster.cable_ids) if cable in listed_cables}
    return [_describe_action(action, devices, cables) for action in listed_actions]


def _describe_action(action: Action, devices: Mapping[str, int], cables: Mapping[str, int]) -> dict[str, Any]:
    """Return an action for the page; `devices` and `cables` have the row of each name."""

    def describe_end(end: Place) -> list[Any]:
        """Return the row of the device (-1 if the plan has no such device), its name, port, rack, unit and label."""
        u = "" if end.u is None else str(end.u)
        return [devices.get(end.device, -1), *map(_shorten_text, (end.device, end.port, end.rack, u, end.label))]

    return {
        "id": _shorten_text(action.id),
        "kind": _shorten_text(action.kind),
        "status": _shorten_text(action.status),
        "text": _shorten_text(action.text),
        "moves": action.moves,
        "boxes": action.boxes,
        "costs": _shorten_text(action.consequence.text),
        "cables": [cables[name] for name in action.cables[:MOST_ENDS]],
        "ends": [describe_end(end) for end in action.ends[:MOST_ENDS]],
        "steps": [
            [cables.get(step.cable, -1), describe_end(step.pull), describe_end(step.put), step.reaches]
            for step in action.steps[:MOST_ENDS]
        ],
        "alternatives": [
            [_shorten_text(other.text), other.moves, other.boxes] for other in action.alternatives[:MOST_ENDS]
        ],
        "renamed": [[devices.get(name, -1), devices.get(other, -1)] for name, other in action.renamed.items()],
    }


def _shorten_text(text: str) -> str:
    """Return a text, cut to MOST_TEXT characters."""
    return text if len(text) <= MOST_TEXT else text[:MOST_TEXT] + "…"

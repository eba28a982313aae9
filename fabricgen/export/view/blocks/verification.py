"""What `verify` found in the hall: states of cables, how many are in which place and ribbon, and what is to be done."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from fabricgen.export.view.bundles import bundles_of
from fabricgen.export.view.source import Packed, PageSource, packed_numbers, packed_table, packed_texts
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
"""States that are counted by place and ribbon; all other cables are as planned."""

MOST_ACTIONS, MOST_ENDS = 20_000, 400
"""Actions that are listed, and ends, steps and cables of one that are told; of more, their number."""


def block(source: PageSource) -> dict[str, Any] | None:
    """States by cable, device, place and bundle, and actions; None without a report."""
    found = source.beside.verification
    if found is None:
        return None
    report, links = found.report, source.cluster.plan.links
    of_link = np.where(links.cable >= 0, found.states[links.cable], -1).astype(np.int32)
    right = _beside_boxes(source, found)
    of_link[right] = AS_PLANNED
    return {
        "counts": dict(report.cables),
        "earlier": report.verified_earlier,
        "told": report.verified is not None or not report.cables.unseen,
        "scope": [_short(place) for place in report.scope[:MOST_ENDS]],
        "units": [list(dict(unit).values()) for unit in report.progress.units[:MOST_ACTIONS]],
        "extra": [_short(text) for text in report.extra[:MOST_ENDS]],
        "notes": [_short(text) for text in report.notes[:MOST_ENDS]],
        "cable": packed_numbers(found.states),
        "right_links": packed_numbers(right),
        "device": packed_numbers(_by_device(source, of_link)),
        "boxes": _by_box(source, found),
        "bundles": _by_bundle(source, of_link),
        "left_out": max(0, len(report.actions) - MOST_ACTIONS),
        "actions": packed_texts(_actions(source, found)),
    }


def _beside_boxes(source: PageSource, found: Verification) -> Ints64:
    """Links that are right although their cable is not: of breakouts to a box that is the only thing that is wrong."""
    links, rows = source.cluster.plan.links, {name: row for row, name in enumerate(source.cluster.names)}
    actions = found.report.actions
    plugs = {one for action in actions if not action.boxes_alone for one in action.cables}
    boxes = {one for action in actions if action.boxes_alone for one in action.cables} - plugs
    own = [rows[name] for action in actions if action.boxes_alone for name in action.devices if name in rows]
    wrong = np.zeros(len(source.cluster.plan.cables), dtype=bool)
    wrong[[row for row, one in enumerate(source.cluster.cable_ids) if one in boxes]] = True
    is_own = np.zeros(len(rows), dtype=bool)
    is_own[own] = True
    touched = is_own[links.a_device] | is_own[links.b_device]
    return np.flatnonzero((links.cable >= 0) & wrong[links.cable] & ~touched)


def _by_device(source: PageSource, of_link: Ints) -> Ints:
    """The worst state of the links of each device; -1 for none."""
    links = source.cluster.plan.links
    worst = np.full(len(source.cluster.plan.devices), -1, dtype=np.int32)
    for ends in (links.a_device, links.b_device):
        np.maximum.at(worst, ends, of_link)
    return worst


def _by_box(source: PageSource, found: Verification) -> Packed:
    """How many cables of each state end in each box, or in one that is in it."""
    places, links = source.scene.places, source.cluster.plan.links
    rows = np.flatnonzero(links.cable >= 0)
    rows = rows[found.states[links.cable[rows]] > 0]
    cable = links.cable[rows].astype(np.int64)
    counts = np.zeros((len(places), ELSEWHERE + 1), dtype=np.int64)
    for level in range(places.ancestors.shape[1]):
        ends = [places.ancestors[places.device_box[end[rows]], level] for end in (links.a_device, links.b_device)]
        pairs = np.concatenate([box[box >= 0] * np.int64(len(found.states)) + cable[box >= 0] for box in ends])
        box, number = np.divmod(np.unique(pairs), len(found.states))
        np.add.at(counts, (box, found.states[number]), 1)
    return packed_table({name: counts[:, state] for name, state in COUNTED.items()})  # type: ignore[misc]


def _by_bundle(source: PageSource, of_link: Ints) -> Packed:
    """How many links of each bundle are in each state."""
    number = {bundle.place: i for i, bundle in enumerate(source.scene.bundles)}
    columns: dict[str, Any] = {}
    for name, state in COUNTED.items():
        columns[name] = np.zeros(len(number), dtype=np.int64)
        for bundle in bundles_of(source.cluster, source.scene.places, of_link == state):
            columns[name][number[bundle.place]] = bundle.links
    return packed_table(columns)


def _actions(source: PageSource, found: Verification) -> list[dict[str, Any]]:
    devices = {name: row for row, name in enumerate(source.cluster.names)}
    wanted = {one for action in found.report.actions[:MOST_ACTIONS] for one in action.cables}
    cables = {one: row for row, one in enumerate(source.cluster.cable_ids) if one in wanted}
    return [_action(action, devices, cables) for action in found.report.actions[:MOST_ACTIONS]]


def _action(action: Action, devices: Mapping[str, int], cables: Mapping[str, int]) -> dict[str, Any]:
    def place(end: Place) -> list[Any]:
        """Row of the device (-1: not of the plan), its name, port, rack, unit, label."""
        u = "" if end.u is None else str(end.u)
        return [devices.get(end.device, -1), *map(_short, (end.device, end.port, end.rack, u, end.label))]

    return {
        "id": _short(action.id),
        "kind": _short(action.kind),
        "status": _short(action.status),
        "text": _short(action.text),
        "moves": action.moves,
        "boxes": action.boxes,
        "costs": _short(action.consequence.text),
        "cables": [cables[one] for one in action.cables[:MOST_ENDS]],
        "ends": [place(end) for end in action.ends[:MOST_ENDS]],
        "steps": [
            [cables.get(step.cable, -1), place(step.pull), place(step.put), step.reaches]
            for step in action.steps[:MOST_ENDS]
        ],
        "alternatives": [[_short(other.text), other.moves, other.boxes] for other in action.alternatives[:MOST_ENDS]],
        "renamed": [[devices.get(one, -1), devices.get(other, -1)] for one, other in action.renamed.items()],
    }


def _short(text: str) -> str:
    return text if len(text) <= MOST_TEXT else text[:MOST_TEXT] + "…"

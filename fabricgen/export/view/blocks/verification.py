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
    """Return what the page reads of a verification; None without a report.

    Counts of cables by state come first, then what was verified (`scope`), its units, extra things and notes. `told`
    says whether right cables can be told from unseen ones, of which an earlier report verified `earlier`. `cable`
    and `device` have a state for each, `boxes` and `bundles` the counts of each state in `COUNTED`, `right_links` the
    rows of links that are right although their cable is not. `actions` are the first `MOST_ACTIONS`, and `left_out` is
    the number of the others.
    """
    verification = source.beside.verification
    if verification is None:
        return None
    report, links = verification.report, source.cluster.plan.links
    # the state of its cable; -1 for a link of a backplane, which has no cable
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

    A breakout cable may be wrong only because of a box at one of its ends; its links that do not lead to that box are
    right.
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
    for devices in (links.a_device, links.b_device):
        # states are numbered by how bad they are
        np.maximum.at(worst, devices, link_states)
    return worst


def _count_by_box(source: PageSource, verification: Verification) -> Packed:
    """Return how many cables of each state in `COUNTED` end in each box or in a box inside it: a column for each
    state, int64, by box.
    """
    places, links = source.scene.places, source.cluster.plan.links
    cabled_links = np.flatnonzero(links.cable >= 0)
    # state 0 is as planned, which is not counted
    rows = cabled_links[verification.states[links.cable[cabled_links]] > AS_PLANNED]
    cable, cables = links.cable[rows].astype(np.int64), len(verification.states)
    counts = np.zeros((len(places), ELSEWHERE + 1), dtype=np.int64)
    # a cable counts once for each box even if both its ends are inside: pairs of box and cable are made distinct
    for level in range(places.ancestors.shape[1]):
        boxes_of_ends = [
            places.ancestors[places.device_box[device[rows]], level] for device in (links.a_device, links.b_device)
        ]
        # a pair as one number, box * cables + cable; an end without a box of this level (-1) is left out
        pairs = np.concatenate([box[box >= 0] * np.int64(cables) + cable[box >= 0] for box in boxes_of_ends])
        box_of_pair, cable_of_pair = np.divmod(np.unique(pairs), cables)
        np.add.at(counts, (box_of_pair, verification.states[cable_of_pair]), 1)
    return pack_table({name: counts[:, state] for name, state in COUNTED.items()})


def _count_by_bundle(source: PageSource, link_states: Ints) -> Packed:
    """Return how many links of each bundle are in each state of `COUNTED`: a column for each state, by bundle."""
    number_of_bundle = {bundle.place: i for i, bundle in enumerate(source.scene.bundles)}
    columns: dict[str, Any] = {name: np.zeros(len(number_of_bundle), dtype=np.int64) for name in COUNTED}
    for name, state in COUNTED.items():
        for bundle in make_bundles(source.cluster, source.scene.places, link_states == state):
            columns[name][number_of_bundle[bundle.place]] = bundle.links
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

"""A change for the picture: what became of each device, link and cable of the new side, and what is gone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePath
from typing import Any

import numpy as np

from fabricgen.diff.compare import ClusterChange, Side
from fabricgen.diff.delta import Delta
from fabricgen.diff.listing import Rows, find_among
from fabricgen.diff.reports.json import count_by_kind
from fabricgen.diff.wording import list_totals

SAME, CHANGED, CABLED, MOVED, ADDED = range(-1, 4)
"""What became of a device, link or cable; if two states apply, the greater one counts.

`CABLED` is the state of a device of which only cables change.
"""


def make_picture(change: ClusterChange) -> dict[str, Any]:
    """Return what the picture of a change shows, by name.

    `device` and `link` are the states of all rows of the new side, int64; `cable` has the states of changed and added
    cables by id. `gone` are (device, rack) of removed devices, `gone_cables` the ids of removed cables. The other
    entries are the title, totals, reasons, notes and counts of the change, in the words of `plan`.
    """
    devices, cables = change.devices, change.cables
    new = devices.new
    device_states = _classify_rows(devices, len(new))
    end_columns = [change.links.new[f"{end}_device"] for end in "ab"]
    # devices at links that come, go or change
    names = {name for column in end_columns for rows in (change.links.added, change.links.now) for name in column[rows]}
    names |= {name for end in "ab" for name in change.links.old[f"{end}_device"][change.links.removed].tolist()}
    has_changed_links = find_among(names, new["device"])
    device_states[has_changed_links] = np.maximum(device_states[has_changed_links], CABLED)
    cable_states = dict.fromkeys(cables.new["cable"][cables.now].tolist(), CHANGED)
    cable_states |= dict.fromkeys(cables.new["cable"][cables.find_changed("moved")[1]].tolist(), MOVED)
    cable_states |= dict.fromkeys(cables.new["cable"][cables.added].tolist(), ADDED)
    removed = devices.old.pick_rows(devices.removed)
    return {
        "title": " -> ".join(_shorten_name(side).title for side in change.sides),
        "totals": [list(line) for line in list_totals(change)],
        "reasons": list(change.reasons),
        "notes": list(change.notes),
        "counts": count_by_kind(change),
        "device": device_states,
        "link": _classify_rows(change.links, len(change.links.new)),
        "cable": cable_states,
        "gone": list(zip(removed["device"].tolist(), removed["rack"].tolist(), strict=True)),
        "gone_cables": cables.old["cable"][cables.removed].tolist(),
    }


def _shorten_name(side: Side) -> Side:
    """Return a side named without the folder that it was read from, which differs from machine to machine."""
    return side if side.name.startswith("git:") else replace(side, name=PurePath(side.name).name)


def _classify_rows(delta: Delta, rows: int) -> Rows:
    """Return the state (`SAME` to `ADDED`) of each of the `rows` rows that a list has on the new side; int64."""
    states = np.full(rows, SAME, dtype=np.int64)
    states[delta.now] = CHANGED
    states[delta.find_changed("moved")[1]] = MOVED
    states[delta.added] = ADDED
    return states

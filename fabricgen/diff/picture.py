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
"""What became of a device, link or cable; if two are true, the greater one counts. `CABLED`: only cables change."""


def make_picture(change: ClusterChange) -> dict[str, Any]:
    """Return totals in the words of `plan`, states of devices and links (int64) and of cables (by id), and losses."""
    devices, cables = change.devices, change.cables
    new = devices.new
    device_states = _classify_rows(devices, len(new))
    ends = [change.links.new[f"{end}_device"] for end in "ab"]
    # devices at links that come, go or change
    touched = {name for column in ends for rows in (change.links.added, change.links.now) for name in column[rows]}
    touched |= {name for end in "ab" for name in change.links.old[f"{end}_device"][change.links.removed].tolist()}
    cabled = find_among(touched, new["device"])
    device_states[cabled] = np.maximum(device_states[cabled], CABLED)
    cable_states = dict.fromkeys(cables.new["cable"][cables.now].tolist(), CHANGED)
    cable_states |= dict.fromkeys(cables.new["cable"][cables.find_changed("moved")[1]].tolist(), MOVED)
    cable_states |= dict.fromkeys(cables.new["cable"][cables.added].tolist(), ADDED)
    gone = devices.old.pick_rows(devices.removed)
    return {
        "title": " -> ".join(_shorten_name(side).title for side in change.sides),
        "totals": [list(line) for line in list_totals(change)],
        "reasons": list(change.reasons),
        "notes": list(change.notes),
        "counts": count_by_kind(change),
        "device": device_states,
        "link": _classify_rows(change.links, len(change.links.new)),
        "cable": cable_states,
        "gone": list(zip(gone["device"].tolist(), gone["rack"].tolist(), strict=True)),
        "gone_cables": cables.old["cable"][cables.removed].tolist(),
    }


def _shorten_name(side: Side) -> Side:
    """Return a side named without the folder that it was read from, which differs from machine to machine."""
    return side if side.name.startswith("git:") else replace(side, name=PurePath(side.name).name)


def _classify_rows(delta: Delta, rows: int) -> Rows:
    """Return the state of each row of the new side of a list; int64."""
    states = np.full(rows, SAME, dtype=np.int64)
    states[delta.now] = CHANGED
    states[delta.find_changed("moved")[1]] = MOVED
    states[delta.added] = ADDED
    return states

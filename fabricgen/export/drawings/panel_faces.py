"""Both faces of patch panels in elevations: positions with a jumper, with a trunk behind them, and with neither."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fabricgen.export.drawings.svg import draw_path, trace_box
from fabricgen.wiring.patching.tables import Patching

EMPTY, READY, PLUGGED = "012"
"""States of a position: nothing, only a trunk behind it, and a plug in it."""

_STYLES = {EMPTY: ("v", ""), READY: ("c", ""), PLUGGED: ("f", "#333333")}
"""By state, how a position is drawn: class and colour."""

_ROWS = 3
"""Rows of positions in a rack unit, as in panels of 72 positions in 1 U; profiles do not tell the true arrangement."""


def list_panel_faces(patching: Patching) -> list[tuple[str, str]]:
    """Return the states of the positions at each panel's front and of the connectors at its rear, one digit each.

    The rear of a fibre shuffle is "".
    """
    panels, trunks, patches, shuffles = patching.panels, patching.trunks, patching.patches, patching.shuffles
    profiles = [policy.panel for policy in patching.policies]
    state = np.zeros((len(panels), max(panel.ports for panel in profiles)), dtype=np.int8)
    per_trunk = np.array([policy.ports_per_trunk for policy in patching.policies])[trunks.policy]
    trunk_of_port = np.repeat(np.arange(len(trunks)), per_trunk)
    port_in_trunk = np.arange(len(trunk_of_port)) - np.repeat(np.cumsum(per_trunk) - per_trunk, per_trunk)
    for panel, first_port in ((trunks.a_panel, trunks.a_port), (trunks.b_panel, trunks.b_port)):
        state[panel[trunk_of_port], first_port[trunk_of_port] + port_in_trunk] = READY
        state[panel[patches.trunk], first_port[patches.trunk] + patches.port] = PLUGGED
    ports_in = np.array([panel.shuffle for panel in profiles])[panels.policy[shuffles.panel]]
    for offset in (shuffles.port_in, ports_in + shuffles.port_out):  # ports in of a shuffle come before its ports out
        state[shuffles.panel, 2 * ports_in * shuffles.shuffle + offset] = PLUGGED
    faces = []
    for row, policy in zip(state, panels.policy.tolist(), strict=True):
        panel = profiles[policy]
        front, split = "".join(map(str, row[: panel.ports].tolist())), len(panel.positions)
        behind = (front[i : i + split] for i in range(0, panel.ports, split))
        rear = "".join(EMPTY if set(states) == {EMPTY} else PLUGGED for states in behind)
        faces.append((front, "" if panel.shuffle else rear))
    return faces


def draw_positions(states: str, box: tuple[float, float, float, float], units: int, *, mirrored: bool) -> Iterator[str]:
    """Yield the positions of a panel of `units` rack units in a box (left, top, width, height; mm).

    They stand in the order of their numbers, row by row from the left, or from the right if `mirrored`, which is the
    view from behind.
    """
    (left, top, width, height), rows = box, _ROWS * units
    columns = -(-len(states) // rows)
    across, down = width / columns, height / rows
    pieces: dict[str, list[str]] = {}
    for number, state in enumerate(states):
        row, column = divmod(number, columns)
        x = columns - 1 - column if mirrored else column
        pieces.setdefault(state, []).append(trace_box(left + x * across, top + row * down, across * 0.8, down * 0.75))
    for state, boxes in sorted(pieces.items()):
        yield draw_path(boxes, *_STYLES[state])

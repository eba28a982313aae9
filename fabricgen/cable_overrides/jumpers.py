"""Cables of several fibres whose plugs were moved one by one: a row of the cable table for each fibre."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from fabricgen.cable_overrides.cage_resolver import CagePosition, CageResolver
from fabricgen.cable_overrides.ends import CableEnd, CableIndex
from fabricgen.cable_overrides.moves import Move
from fabricgen.cable_overrides.other_device import NOT_THERE, PULL
from fabricgen.kernel.diagnostics import Diagnostic, fault
from fabricgen.wiring.patching.tables import Patching
from fabricgen.wiring.tables import Ints, WiringPlan

EndKey = tuple[int, bool, str, int]
"""A cable, whether the end is its upper one, and the planned place and connector of the end."""


@dataclass(frozen=True, slots=True)
class Jumper:
    """A fibre of a cable: the rows of its links, and where its plugs at the a and b end are now."""

    rows: tuple[int, ...]
    a: CagePosition
    b: CagePosition


def with_rows_of_jumpers(
    plan: WiringPlan, cables: CableIndex, places: CageResolver, moves: Sequence[Move], faults: list[Diagnostic]
) -> WiringPlan:
    """The plan with a cable row for each fibre of those rows whose fibres do not run side by side any more.

    Fibres of a patched cable keep together, as they run through one trunk: others are added to `faults` (FG077).
    """
    moved = {_key(move.cable, move.end): move.spot for move in moves}
    paths = {move.cable: move.path for move in reversed(moves)}
    split: dict[int, list[Jumper]] = {}
    for cable, path in sorted(paths.items()):
        apart = [row for row in _rows_of(cables, cable, places, moved) if len(row) > 1 and not _run_side_by_side(row)]
        if apart and plan.patching is not None and plan.patching.policy[cable] >= 0:
            message = f"{cables.ids[cable]} is patched, and its jumpers would not run side by side any more"
            faults += fault(NOT_THERE, message, path=path, hint=PULL).diagnostics
        else:
            split |= {min(row for jumper in jumpers for row in jumper.rows): jumpers for jumpers in apart}
    return _with_more_rows(plan, split) if split else plan


def _key(cable: int, end: CableEnd) -> EndKey:
    return cable, end.upper, end.place, end.connector


def _rows_of(
    cables: CableIndex, cable: int, places: CageResolver, moved: Mapping[EndKey, CagePosition]
) -> Iterator[list[Jumper]]:
    """The fibres of a cable, those together that are planned between the same two cages."""
    between: dict[tuple[str, str], list[Jumper]] = {}
    for a in cables.ends(cable, upper=False):
        for b in cables.ends(cable, upper=True):
            if rows := tuple(row for row in a.rows if row in b.rows):
                at_a, at_b = (moved.get(_key(cable, end), places.planned(end)) for end in (a, b))
                between.setdefault((a.place, b.place), []).append(Jumper(rows, at_a, at_b))
    yield from between.values()


def _run_side_by_side(jumpers: Sequence[Jumper]) -> bool:
    """Whether fibres go from one cage to one other, the first from the first connector to the first, and so on."""
    cages = {((j.a.device, j.a.cage), (j.b.device, j.b.cage)) for j in jumpers}
    order = [(j.a.connector, j.b.connector) for j in jumpers]
    return len(cages) == 1 and order == sorted(order) and [b for _, b in order] == sorted(b for _, b in order)


def _with_more_rows(plan: WiringPlan, split: Mapping[int, Sequence[Jumper]]) -> WiringPlan:
    """A plan with the cable rows of some links replaced by one for each fibre, in the order of cables as before."""
    table, rows, first = plan.cables, list[tuple[int, int, int]](), list[int]()
    columns = (table.end_cable.tolist(), table.end_link.tolist(), table.end_links.tolist())
    for cable, link, carried in zip(*columns, strict=True):
        first.append(len(rows))
        if link in split and carried > 1:
            rows += [(cable, jumper.rows[0], len(jumper.rows)) for jumper in split[link]]
        else:
            rows.append((cable, link, carried))
    end_cable, end_link, end_links = (np.ascontiguousarray(column) for column in np.array(rows, dtype=np.int32).T)
    cables = replace(table, end_cable=end_cable, end_link=end_link, end_links=end_links)
    return replace(plan, cables=cables, patching=_renumbered(plan.patching, np.array(first, dtype=np.int32)))


def _renumbered(patching: Patching | None, first: Ints) -> Patching | None:
    """Structured cabling with other numbers of cable rows; `first` has the new one by the former."""
    if patching is None:
        return None
    patches = replace(patching.patches, row=first[patching.patches.row])
    return replace(patching, patches=patches, shuffles=replace(patching.shuffles, row=first[patching.shuffles.row]))

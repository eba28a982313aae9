"""The rack table: racks of units and shared racks, at computed or stated positions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fabricgen.catalog.models import RackProfile
from fabricgen.design.floor.floor_plan import FloorPlan, NetworkRun
from fabricgen.design.floor.halls import Hall, face_of, row_number
from fabricgen.design.floor.unit_kind import UnitKind
from fabricgen.design.layout import Layout
from fabricgen.kernel.diagnostics import InputError, did_you_mean, fault
from fabricgen.wiring.tables import Ints, RackTable

NODE_RACK, NETWORK_RACK = range(2)
"""Kinds of rack: indexes of `RackTable.kinds`; node racks of further kinds of units come after these."""


def node_rack_kind(layout: Layout, kind: UnitKind) -> int:
    """The index in `RackTable.kinds` of the node racks of a kind of unit."""
    number = layout.kinds.index(kind)
    return NETWORK_RACK + number if number else NODE_RACK


@dataclass(frozen=True, slots=True)
class RackRows:
    """Some racks: names, and int32 columns of hall, row, column and kind."""

    names: list[str]
    hall: Ints
    row: Ints
    column: Ints
    kind: Ints


def rack_table(
    floor: FloorPlan, units: RackRows, shared: Sequence[tuple[NetworkRun, int]], layout: Layout
) -> RackTable:
    """All racks: those of units, shared ones, and new ones that the blueprint states.

    Raises InputError for a place that is not there (FG016, FG068) or that two racks have (FG069).
    """
    stated, holding = floor.stated_racks, {place.rack for place in floor.stated_devices.values()}
    names = [*units.names, *(floor.shared_rack_name(run, place) for run, place in shared)]
    known = set(names)
    new = sorted(name for name in stated if name not in known)
    for name in new:
        if name not in holding:
            raise _unknown(name, names)
    spots = [floor.shared_spot(run, place) for run, place in shared]
    at = {name: i for i, name in enumerate((*names, *new))} if stated else {}
    hall = np.concatenate([units.hall, _ints([spot.hall for spot in spots]), np.zeros(len(new), dtype=np.int32)])
    row = np.concatenate([units.row, _ints([spot.row for spot in spots]), np.zeros(len(new), dtype=np.int32)])
    column = np.concatenate([units.column, _ints([spot.column for spot in spots]), np.zeros(len(new), dtype=np.int32)])
    kind = np.concatenate([units.kind, np.full(len(shared) + len(new), NETWORK_RACK, dtype=np.int32)])
    for name, place in stated.items():
        spot, i = floor.spot_of(name, place), at[name]
        hall[i], row[i], column[i] = spot.hall, spot.row, spot.column
    nodes = [kind.node_rack for kind in layout.kinds]
    kinds = nodes[0], layout.network_rack, *nodes[1:]
    made = _table(floor.halls, kinds, (*names, *new), (hall, row, column, kind))
    if stated or any(one.rows for one in floor.halls):
        _check_apart(made, frozenset(stated))
    return made


def _ints(values: Sequence[int]) -> Ints:
    return np.array(values, dtype=np.int32)


def with_network_racks(racks: RackTable, names: Sequence[str], like: Ints, column: Ints) -> RackTable:
    """The rack table with further network racks: each in the row of rack `like`, at a column of its own."""
    hall, row = (np.concatenate([of, of[like]]) for of in (racks.hall, racks.row))
    kind = np.concatenate([racks.kind, np.full(len(names), NETWORK_RACK, dtype=np.int32)])
    columns = hall, row, np.concatenate([racks.column, column]), kind
    return _table(racks.halls, racks.kinds, (*racks.names, *names), columns)


def _table(
    halls: tuple[Hall, ...], kinds: tuple[RackProfile, ...], names: tuple[str, ...], columns: tuple[Ints, ...]
) -> RackTable:
    hall, row, column, kind = columns
    x_m, y_m = np.zeros(len(names)), np.zeros(len(names))
    for i, one in enumerate(halls):
        here = np.flatnonzero(hall == i)
        x_m[here], y_m[here] = one.x_of(column[here]), one.y_of(row[here])
    return RackTable(
        names=names,
        halls=halls,
        kinds=kinds,
        site=_ints([one.site for one in halls])[hall],
        hall=hall,
        row=row,
        column=column,
        x_m=x_m,
        y_m=y_m,
        faces=face_of(row).astype(np.int32),
        kind=kind,
    )


def _unknown(name: str, names: Sequence[str]) -> InputError:
    return fault(
        "FG068",
        f"there is no rack {name}, and no device is put into a new one of that name",
        path=("floor", "racks", name),
        hint=f"{did_you_mean(name, names)} (names are those of racks.csv)",
    )


def _check_apart(racks: RackTable, stated: frozenset[str]) -> None:
    """Raise InputError (FG069), at the stated one, for two racks at one position."""
    order = np.lexsort((racks.column, racks.row, racks.hall))
    same = np.ones(max(0, len(order) - 1), dtype=bool)
    for key in (racks.hall, racks.row, racks.column):
        same &= key[order[1:]] == key[order[:-1]]
    for i in np.flatnonzero(same).tolist():
        one, other = (racks.names[j] for j in sorted(order[i : i + 2].tolist()))
        named = next((name for name in (other, one) if name in stated), None)
        at = int(order[i])
        hall, row, place = racks.halls[racks.hall[at]].name, row_number(int(racks.row[at])), racks.column[at] + 1
        raise fault(
            "FG069",
            f"{one} and {other} stand in one place: hall {hall}, row {row}, place {place}",
            path=("floor", "racks", named) if named else ("floor", "halls"),
            hint="state another place for one of them",
        )

"""Which racks go into which workbook, so that each opens quickly: neighbouring rows together, up to so many racks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from fabricgen.cluster import Cluster
from fabricgen.export.technician.locations import rack_order, row_numbers, row_places
from fabricgen.plan.tables import RackTable

MOST_RACKS = 64
"""Racks of one workbook, each with a sheet of its own."""


@dataclass(frozen=True, slots=True)
class Volume:
    """A workbook: the stem of its file, and its racks in the order in which they stand."""

    name: str
    racks: tuple[int, ...]


def volumes(cluster: Cluster) -> tuple[Volume, ...]:
    """The workbooks of a cluster: one, named like it, or one for rows that stand together.

    Rows fill workbooks from the first on, node rows and network rows apart, so that a row that is added changes only
    the last of them. A row of more racks than a workbook takes is cut.
    """
    racks = cluster.plan.racks
    walk = np.argsort(rack_order(racks)).tolist()
    if len(walk) <= MOST_RACKS:
        return (Volume(cluster.design.loaded.blueprint.name, tuple(walk)),)
    places = row_places(cluster)
    return tuple(
        Volume(_span(places[piece[0]], places[piece[-1]], part), piece) for part, piece in _pieces(racks, walk)
    )


def _span(first: str, last: str, part: int) -> str:
    """`h1.R01-R04` for rows that go together, `h1.R01.2` for the second part of a row that was cut."""
    together = first if first == last else f"{first}-{last.rsplit('.', 1)[1]}"
    return f"{together}.{part}" if part else together


def _pieces(racks: RackTable, walk: list[int]) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Racks that share a workbook, and the number of the part where a row was cut (else 0)."""
    gathered: list[int] = []
    for row in _rows(racks, walk):
        alike = gathered and _area(racks, gathered[0]) == _area(racks, row[0])
        if gathered and not (alike and len(gathered) + len(row) <= MOST_RACKS):
            yield 0, tuple(gathered)
            gathered = []
        if len(row) > MOST_RACKS:
            parts = range(0, len(row), MOST_RACKS)
            yield from ((n, tuple(row[at : at + MOST_RACKS])) for n, at in enumerate(parts, start=1))
        else:
            gathered += row
    if gathered:
        yield 0, tuple(gathered)


def _rows(racks: RackTable, walk: list[int]) -> list[list[int]]:
    numbers = row_numbers(racks).tolist()
    rows: dict[int, list[int]] = {}
    for rack in walk:
        rows.setdefault(numbers[rack], []).append(rack)
    return list(rows.values())


def _area(racks: RackTable, rack: int) -> tuple[int, bool]:
    """What rows of one workbook have in common: the hall, and whether they are network rows."""
    return int(racks.hall[rack]), bool(racks.row[rack] < 0)

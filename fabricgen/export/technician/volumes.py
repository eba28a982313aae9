"""Which racks go into which workbook: neighbouring rows, up to a limit, so that each workbook opens quickly."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from fabricgen.cluster import Cluster
from fabricgen.export.locations import rack_order, row_numbers, row_places
from fabricgen.export.technician.records import ends_per_rack
from fabricgen.numbering.lazy_columns import Strings

MOST_RACKS = 64
"""The most racks of one workbook; each has a sheet."""

MOST_ENDS = 20_000
"""The most cable ends in the racks of one workbook, each a row; a single rack may have more."""


@dataclass(frozen=True, slots=True)
class Volume:
    """A workbook: the stem of its file name, and its racks in the order in which they stand."""

    name: str
    racks: tuple[int, ...]


def volumes(cluster: Cluster) -> tuple[Volume, ...]:
    """The workbooks of a cluster: a single one with the cluster's name, or one for each group of neighbouring rows.

    Rows fill one workbook after another, node rows and network rows separately, so that an added row changes only the
    last one. A row with more racks or ends than the limits is split.
    """
    racks, ends = cluster.plan.racks, ends_per_rack(cluster).tolist()
    walk = np.argsort(rack_order(racks)).tolist()
    if _fits(walk, ends):
        return (Volume(cluster.design.loaded.blueprint.name, tuple(walk)),)
    area = list(zip(racks.hall.tolist(), (racks.row < 0).tolist(), strict=True))
    number, places = row_numbers(racks).tolist(), row_places(cluster)
    found: list[Volume] = []
    for _, together in groupby(walk, key=area.__getitem__):
        rows = [list(row) for _, row in groupby(together, key=number.__getitem__)]
        found += [Volume(_span(places, piece, part), piece) for part, piece in _pieces(rows, ends)]
    return tuple(found)


def _fits(racks: list[int], ends: list[int]) -> bool:
    return len(racks) <= MOST_RACKS and (len(racks) == 1 or sum(ends[rack] for rack in racks) <= MOST_ENDS)


def _span(places: Strings, racks: tuple[int, ...], part: int) -> str:
    """`h1.R01-R04` for rows in one workbook, `h1.R01.2` for the second part of a split row."""
    first, last = places[racks[0]], places[racks[-1]]
    together = first if first == last else f"{first}-{last.rsplit('.', 1)[1]}"
    return f"{together}.{part}" if part else together


def _pieces(rows: list[list[int]], ends: list[int]) -> Iterator[tuple[int, tuple[int, ...]]]:
    """(number of the part, 0 unless a row was split; racks) of each workbook."""
    gathered: list[int] = []
    for row in rows:
        if gathered and not _fits(gathered + row, ends):
            yield 0, tuple(gathered)
            gathered = []
        if _fits(row, ends):
            gathered += row
        else:
            yield from enumerate(_cut(row, ends), start=1)
    if gathered:
        yield 0, tuple(gathered)


def _cut(row: list[int], ends: list[int]) -> Iterator[tuple[int, ...]]:
    """The parts of a split row, each filled up to the limits."""
    part: list[int] = []
    for rack in row:
        if part and not _fits([*part, rack], ends):
            yield tuple(part)
            part = []
        part.append(rack)
    yield tuple(part)

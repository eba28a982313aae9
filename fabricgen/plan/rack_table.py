"""The rack table from where racks stand in their halls."""

from __future__ import annotations

import numpy as np

from fabricgen.catalog.models import RackProfile
from fabricgen.design.halls import Hall, face_of
from fabricgen.plan.tables import Ints, RackTable


def rack_table(
    names: tuple[str, ...],
    halls: tuple[Hall, ...],
    kinds: tuple[RackProfile, ...],
    hall: Ints,
    row: Ints,
    column: Ints,
    kind: Ints,
) -> RackTable:
    """Racks by name with hall, row, column and kind, int32; their site, centre and front follow from these."""
    x_m, y_m = np.zeros(len(names)), np.zeros(len(names))
    for i, one in enumerate(halls):
        here = np.flatnonzero(hall == i)
        x_m[here], y_m[here] = one.x_of(column[here]), one.y_of(row[here])
    site = np.array([one.site for one in halls], dtype=np.int32)[hall]
    faces = face_of(row).astype(np.int32)
    return RackTable(names, halls, kinds, site, hall, row, column, x_m, y_m, faces, kind)

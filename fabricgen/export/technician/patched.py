"""Sheets of structured cabling: the jumpers at a workbook's racks, and the trunks that begin there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from fabricgen.cluster import Cluster
from fabricgen.export.files import patches, trunks
from fabricgen.export.technician.sheet import BOLD, NUMBER, SMALL, Column, Sheet, make_redline_columns
from fabricgen.numbering.lazy_columns import Strings
from fabricgen.reports.table import Cell, Table

THROUGH = "panels"
"""The text on rack and pull sheets for a cable that goes through patch panels."""

_JUMPER_COLUMNS = (
    "rack",
    "u",
    "panel",
    "port",
    "device",
    "socket",
    "part",
    "length_m",
    "trunk",
    "connector",
    "fibres",
    "cable",
)
"""Columns of patches.csv in the order of work: from panel to cage."""

_RENAMED = {"cable": "channel"}
"""Renamed columns: a sheet with the column `cable` would be read back as a list of cables."""

_WIDTHS = {
    "channel": 19, "trunk": 21, "part": 21, "panel": 18, "rack": 15, "device": 18,
    "fibres": 8, "connector": 9, "u": 5, "port": 6, "ports": 7, "used": 6,
}  # fmt: skip
"""Widths of columns, in characters, by name without `a_` and `b_`: small text is printed with 6 pt or more on A4."""


def mark_patched_cables(cluster: Cluster) -> Strings | None:
    """`THROUGH` for every patched cable, "" for others; None where nothing is patched."""
    patching = cluster.plan.patching
    if patching is None:
        return None
    return np.array(["", THROUGH], dtype=object)[(patching.policy >= 0).astype(np.int32)]


def make_patch_sheets(cluster: Cluster, zones: Mapping[str, tuple[int, ...]]) -> Iterator[tuple[str, Sheet]]:
    """(zone, sheet) for the trunks whose a ends are in racks of a zone, and for jumpers whose panels are there, by
    rack, panel and port.
    """
    patching = cluster.plan.patching
    if patching is None:
        return
    jumpers, trunk_table = patches.make_table(cluster, patching), trunks.make_table(cluster, patching)
    rack_names_by_zone = {
        zone: frozenset(cluster.plan.racks.names[rack] for rack in racks) for zone, racks in zones.items()
    }
    for zone, racks in rack_names_by_zone.items():
        yield (
            zone,
            _make_sheet(
                _select_racks(trunk_table, "a_rack", racks, ("trunk",)), "Trunks: lay them before all other cables"
            ),
        )
    for zone, racks in rack_names_by_zone.items():
        zone_jumpers = _select_racks(jumpers, "rack", racks, ("panel", "port", "end"))
        ordered = replace(
            zone_jumpers, columns={_RENAMED.get(name, name): zone_jumpers.columns[name] for name in _JUMPER_COLUMNS}
        )
        yield zone, _make_sheet(ordered, "Jumpers: from each panel port to the cage in front of it")


def _select_racks(table: Table, column: str, racks: frozenset[str], order: tuple[str, ...]) -> Table:
    """The rows of a table in some racks, sorted by the columns `order`."""
    rows = [i for i, rack in enumerate(table.columns[column]) if rack in racks]
    rows.sort(key=lambda i: tuple(table.columns[name][i] for name in (column, *order)))
    return replace(table, columns={name: [cells[i] for i in rows] for name, cells in table.columns.items()})


def _make_sheet(table: Table, title: str) -> Sheet:
    """A sheet to tick off, without redline columns: these are on the sheets of cables."""
    planned = [
        Column(name, _WIDTHS.get(name.removeprefix("a_").removeprefix("b_"), 8), _choose_use(name, cells), cells)
        for name, cells in table.columns.items()
    ]
    done, *_, remark = make_redline_columns()
    return Sheet(table.name, title, len(table), (*planned, done, remark))


def _choose_use(name: str, cells: Sequence[Cell]) -> str:
    # how a column is printed: numbers, panels in bold, all else small
    if cells and not isinstance(cells[0], str):
        return NUMBER
    panel = name.endswith("panel") and max((len(str(cell)) for cell in cells), default=0) <= _WIDTHS["panel"]
    return BOLD if panel else SMALL  # a name that takes two lines is small

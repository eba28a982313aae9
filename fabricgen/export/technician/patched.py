"""Sheets of structured cabling: the jumpers at a workbook's racks, and the trunks that begin there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from fabricgen.cluster import Cluster
from fabricgen.export.files import patches, trunks
from fabricgen.export.locations import locate_racks
from fabricgen.export.technician.sheet import BOLD, NUMBER, SMALL, SheetColumn, WorkSheet, make_redline_columns
from fabricgen.numbering.lazy_columns import Strings
from fabricgen.reports.table import Cell, Table

THROUGH = "panels"
"""The text on rack and pull sheets for a cable that goes through what has no ports on them."""

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


def locate_panel_ports(cluster: Cluster, *, whole: bool = False) -> tuple[Strings, Strings] | None:
    """The panel ports that the jumpers at the a end and at the b end of each cable end row go to, without what they
    share with the place of that end, unless as a `whole`: `U48:1+2` in its rack, `P01-U48:1+2` in its row. `THROUGH` of
    one through a fibre shuffle, "" of a direct one. None where nothing is patched.
    """
    patching, cables = cluster.plan.patching, cluster.plan.cables
    if patching is None:
        return None
    columns = patches.make_table(cluster, patching).columns
    places = dict(zip(cluster.plan.racks.names, locate_racks(cluster).tolist(), strict=True))
    cells = zip(*(columns[name] for name in ("rack", "u", "port")), strict=True)
    # the jumper at the common end of a breakout is with the first row of its cable
    first = cables.find_first_rows()[cables.end_cable].tolist()
    links, sides = cluster.plan.links, []
    for end, device in enumerate((links.a_device, links.b_device)):
        rows = patches.find_jumper_ends(cluster, patching, end).row
        own_places = locate_racks(cluster)[cluster.plan.devices.rack[device[cables.end_link]]].tolist()
        ports_by_row: dict[int, dict[str, list[str]]] = {}
        # `rows` is first, so that no cell of the other side is taken
        for row, (rack, u, port) in zip(rows.tolist(), cells, strict=False):
            place = places[str(rack)]
            panel = (f"{place}-" if whole else _shorten_place(place, own_places[row])) + f"U{u:02d}"
            ports_by_row.setdefault(row, {}).setdefault(panel, []).append(str(port))
        texts = np.array(["", THROUGH], dtype=object)[(patching.policy[cables.end_cable] >= 0).astype(np.int32)]
        for row, first_row in enumerate(first):
            panels = ports_by_row.get(row) or ports_by_row.get(first_row)
            if panels:
                texts[row] = ", ".join(f"{panel}:{'+'.join(ports)}" for panel, ports in panels.items())
        sides.append(texts)
    return sides[0], sides[1]


def _shorten_place(place: str, own: str) -> str:
    """What of a rack's place tells it from a rack nearby: `` of the same, `P01-` in its row, else all of it."""
    return "" if place == own else place.removeprefix(f"{own.rpartition('.')[0]}.") + "-"


def make_patch_sheets(cluster: Cluster, zones: Mapping[str, tuple[int, ...]]) -> Iterator[tuple[str, WorkSheet]]:
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
            _make_sheet(_select_racks(trunk_table, "a_rack", racks, ()), "Trunks: lay them before all other cables"),
        )
    for zone, racks in rack_names_by_zone.items():
        zone_jumpers = _select_racks(jumpers, "rack", racks, ("panel", "port", "end"))
        columns = {_RENAMED.get(name, name): zone_jumpers.columns[name] for name in _JUMPER_COLUMNS}
        yield (
            zone,
            _make_sheet(
                replace(zone_jumpers, columns=columns), "Jumpers: from each panel port to the cage in front of it"
            ),
        )


def _select_racks(table: Table, column: str, racks: frozenset[str], order: tuple[str, ...]) -> Table:
    """The rows of a table in some racks, by rack and then by the columns `order`, or as they are in the table."""
    rows = [i for i, rack in enumerate(table.columns[column]) if rack in racks]
    rows.sort(key=lambda i: tuple(table.columns[name][i] for name in (column, *order)))
    return replace(table, columns={name: [cells[i] for i in rows] for name, cells in table.columns.items()})


def _make_sheet(table: Table, title: str) -> WorkSheet:
    """A sheet to tick off, without redline columns: these are on the sheets of cables."""
    planned = [
        SheetColumn(name, _WIDTHS.get(name.removeprefix("a_").removeprefix("b_"), 8), _choose_use(name, cells), cells)
        for name, cells in table.columns.items()
    ]
    done, *_, remark = make_redline_columns()
    return WorkSheet(table.name, title, len(table), (*planned, done, remark))


def _choose_use(name: str, cells: Sequence[Cell]) -> str:
    # how a column is printed: numbers, panels in bold, all else small
    if cells and not isinstance(cells[0], str):
        return NUMBER
    panel = name.endswith("panel") and max((len(str(cell)) for cell in cells), default=0) <= _WIDTHS["panel"]
    return BOLD if panel else SMALL  # a name that takes two lines is small

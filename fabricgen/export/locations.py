"""Locations in the style of ANSI/TIA-606, the same on labels, lists, floor plans, elevations and in the picture: hall,
row, rack, rack unit and port.

TIA-606-B (kept in C and D) names a port `[floor].[row][cabinet]-[rack unit]:[port]` and a cord by its near and then its
far end, for example `4BK01-55:50/DC.C03-14:04`, the rack unit counted from the bottom of the cabinet
(https://test.expresscorp.com/blogs/cable-label-standards-ansi-tia-606-b). Here an end reads `h1.R03.07-U42:12/2`: hall
h1, row 3, seventh rack, unit 42, port 12/2. Network rows, which have numbers of their own, read N01, and patch racks
before the first place of a row P01, P02 and so on; where a cluster has several sites the site comes first. As the slash
occurs in port names, the far end is on a line of its own.
"""

from __future__ import annotations

import numpy as np

from fabricgen.cluster import Cluster
from fabricgen.design.floor.halls import DEFAULT_HALL
from fabricgen.numbering.lazy_columns import Strings
from fabricgen.wiring.arrays import Ints
from fabricgen.wiring.tables import RackTable

SHORT_HALL = "h1"
"""The short label of the default hall; not used if a blueprint has a hall of that name."""


def rank_racks(racks: RackTable) -> Ints:
    """Return the position of each rack in a walk through the sites, int32 from 0.

    The walk goes by hall, node rows before network rows, then along each row.
    """
    is_network_row = racks.row < 0
    distance = np.where(is_network_row, -racks.row, racks.row)
    walk = np.lexsort((racks.column, distance, is_network_row, racks.hall, racks.site))
    position = np.empty(len(walk), dtype=np.int32)
    position[walk] = np.arange(len(walk), dtype=np.int32)
    return position


def number_rows(racks: RackTable) -> Ints:
    """Return the row of each rack, numbered from 0 in the order of `rank_racks`; int32."""
    walk = np.argsort(rank_racks(racks))
    hall, row = racks.hall[walk], racks.row[walk]
    is_new_row = (hall[1:] != hall[:-1]) | (row[1:] != row[:-1])
    numbers = np.empty(len(walk), dtype=np.int32)
    # each rack that begins a row raises the number; the cut at the end makes it empty if there are no racks
    numbers[walk] = np.concatenate([[0], np.cumsum(is_new_row)])[: len(walk)]
    return numbers


def locate_halls(cluster: Cluster) -> list[str]:
    """Return the label of each hall: `h1`, or `west.h1` if names have the site."""
    halls, layout = cluster.plan.racks.halls, cluster.design.layout
    site_prefixes = ["" if site == layout.unnamed_site else f"{site}." for site in layout.sites]
    short = "" if any(hall.name == SHORT_HALL for hall in halls) else SHORT_HALL
    names = [short if hall.name == DEFAULT_HALL and short else hall.name for hall in halls]
    return [f"{site_prefixes[hall.site]}{word}" for hall, word in zip(halls, names, strict=True)]


def locate_rows(cluster: Cluster) -> Strings:
    """Return `h1.R03` for every rack; object array of str."""
    racks = cluster.plan.racks
    halls = np.array(locate_halls(cluster), dtype=object)
    texts_by_row = {row: f".{format_row(row)}" for row in set(racks.row.tolist())}
    places: Strings = halls[racks.hall] + np.array([texts_by_row[row] for row in racks.row.tolist()], dtype=object)
    return places


def locate_racks(cluster: Cluster) -> Strings:
    """Return `h1.R03.07` for every rack; object array of str."""
    column = np.array([f".{format_column(column)}" for column in cluster.plan.racks.column.tolist()], dtype=object)
    places: Strings = locate_rows(cluster) + column
    return places


def format_row(row: int) -> str:
    """Return `R03` for the third row, `N01` for the first of the network rows before it."""
    return f"R{row + 1:02d}" if row >= 0 else f"N{-row:02d}"


def format_column(column: int) -> str:
    """Return `07` for the seventh place of a row, `P01` for the last place before the first."""
    return f"{column + 1:02d}" if column >= 0 else f"P{-column:02d}"


def locate_devices(cluster: Cluster) -> Strings:
    """Return `h1.R03.07-U42` for every device, by its lowest rack unit; object array of str."""
    devices = cluster.plan.devices
    units = np.array([f"-U{u:02d}" for u in range(int(devices.u.max(initial=0)) + 1)], dtype=object)
    places: Strings = locate_racks(cluster)[devices.rack] + units[devices.u]
    return places

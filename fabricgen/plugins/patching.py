"""Structured cabling as the view has it: panels, trunks, and which ports of panels each link passes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from fabricgen.bom.trunks import PatchParts
from fabricgen.cluster import Cluster
from fabricgen.design.media.patching import FIBRES
from fabricgen.export.files.panels import make_table as make_panels
from fabricgen.export.files.shuffles import make_table as make_shuffles
from fabricgen.export.files.trunks import make_table as make_trunks
from fabricgen.plugins.columns import TableColumns, table_column, to_float_array, to_integer_array, to_text_array
from fabricgen.reports.table import Table
from fabricgen.wiring.arrays import Ints64
from fabricgen.wiring.cabling.end_numbers import number_device_connectors, number_ends
from fabricgen.wiring.cabling.far_ends import are_common_ends_lower
from fabricgen.wiring.patching.tables import AT_COMMON_END, AT_FAR_END, Patching


class Panels(TableColumns):
    """Patch panels and housings of fibre shuffles, in the order of panels.csv."""

    name = table_column(to_text_array, "Its name.", "panel")
    model = table_column(to_text_array, "Id of its profile in the catalogue.", "part")
    kind = table_column(to_text_array, "`panel`, or `shuffle` for a housing of fibre shuffles.")
    description = table_column(to_text_array, "What it is, for people.")
    units = table_column(to_integer_array, "Height in rack units, int32.")
    site = table_column(to_text_array, "Name of its site.")
    rack = table_column(to_text_array, "Name of its rack.")
    u = table_column(to_integer_array, "Its lowest rack unit, int32.")
    ports = table_column(to_integer_array, "Ports of its face, int32.")
    front = table_column(to_text_array, "Connector of a port of its face: MPO-12/APC, LC duplex, ...")
    rear = table_column(to_text_array, "Connector of trunks behind.")
    pairs = table_column(to_integer_array, "Fibre pairs that a shuffle spreads of each port, int32; 0 of a panel.")


class Trunks(TableColumns):
    """Trunks between panels, in the order of trunks.csv."""

    name = table_column(to_text_array, "Its name.", "trunk")
    part = table_column(to_text_array, "What is ordered.")
    fibre = table_column(to_text_array, "The kind of its fibre: mmf-om4, smf-os2, ...")
    length_m = table_column(to_float_array, "Length as ordered, m, float64.")
    ports = table_column(to_integer_array, "Ports of each panel that it serves, int32.")
    a_panel = table_column(to_text_array, "The panel at one end.")
    a_port = table_column(to_integer_array, "The first port that it serves there, from 1, int32.")
    b_panel = table_column(to_text_array, "The panel at its other end.")
    b_port = table_column(to_integer_array, "The first port that it serves there, from 1, int32.")


class Patches(TableColumns):
    """Which ports of panels each patched link passes: a row for each link, end and port."""

    link = table_column(to_integer_array, "A row of `links`, int32.")
    end = table_column(to_text_array, "The end of the link whose jumper is in the port, `a` or `b`.")
    jumper = table_column(to_integer_array, "Number of the jumper, int32: rows of one share it.")
    length_m = table_column(to_float_array, "Length of the jumper as ordered, m, float64.")
    panel = table_column(to_text_array, "The panel.")
    port = table_column(to_integer_array, "Its port, from 1, int32.")
    pair = table_column(to_integer_array, "In a shuffle the fibre pair of that port, from 1, int32; else 0.")


class _Passage(NamedTuple):
    """One port of a panel that a link passes at one of its ends: a row of `Patches`, whose columns have the same names.

    `link` is a row of the links, `end` is `a` or `b`, and `port` counts from 1. `pair` is the fibre pair of the port,
    from 1, in a shuffle, and 0 in other panels.
    """

    link: int
    end: str
    jumper: int
    length_m: float
    panel: str
    port: int
    pair: int


def make_patching_tables(cluster: Cluster) -> tuple[Panels, Trunks, Patches]:
    """Return panels, trunks, and the ports that links pass; all empty if nothing is patched."""
    patching = cluster.plan.patching
    rows = (
        []
        if patching is None
        else [*_list_trunk_passages(cluster, patching), *_list_shuffle_passages(cluster, patching)]
    )
    patches = Table("patches", {name: [row[at] for row in rows] for at, name in enumerate(_Passage._fields)})
    return Panels(_make_panel_table(cluster, patching)), Trunks(_make_trunk_table(cluster, patching)), Patches(patches)


def _make_panel_table(cluster: Cluster, patching: Patching | None) -> Table:
    """Return the panels as panels.csv has them, with further columns from their profiles."""
    if patching is None:
        return Table("panels", {name: [] for name in (*Panels.names(), "panel", "part")})
    table = make_panels(cluster, patching)
    racks, sites = cluster.plan.racks, cluster.design.layout.sites
    profiles = [patching.policies[policy].panel for policy in patching.panels.policy.tolist()]
    return Table(
        "panels",
        {
            **table.columns,
            "kind": ["shuffle" if profile.shuffle else "panel" for profile in profiles],
            "description": [profile.name for profile in profiles],
            "units": [profile.rack_units for profile in profiles],
            "site": [sites[site] for site in racks.site[patching.panels.rack].tolist()],
            "front": [profile.front for profile in profiles],
            "rear": [profile.rear for profile in profiles],
            "pairs": [profile.shuffle for profile in profiles],
        },
    )


def _make_trunk_table(cluster: Cluster, patching: Patching | None) -> Table:
    """Return the trunks as trunks.csv has them, with their fibres and first ports."""
    if patching is None:
        return Table("trunks", {name: [] for name in (*Trunks.names(), "trunk")})
    table, trunks = make_trunks(cluster, patching), patching.trunks
    return Table(
        "trunks",
        {
            **table.columns,
            "fibre": [FIBRES[fibre] for fibre in trunks.fibre.tolist()],
            "a_port": (trunks.a_port + 1).tolist(),
            "b_port": (trunks.b_port + 1).tolist(),
        },
    )


def _list_trunk_passages(cluster: Cluster, patching: Patching) -> Iterator[_Passage]:
    """Yield the passages of links through the panels at the ends of trunks: those at the a ends of all links, then
    those at the b ends; either by channel (`_list_channels`).

    A channel has links and, at each end, ports of a panel, which are matched in order: of four links over two ports,
    the first two pass the first port. Jumpers are numbered from 0 over both ends.
    """
    patches, trunks, cables = patching.patches, patching.trunks, cluster.plan.cables
    panels, links_of_row = PatchParts(cluster, patching).panels, _find_links_of_rows(cluster)
    common_a, jumper = are_common_ends_lower(cluster.plan.links, cables), -1
    for end, jumper_m in enumerate((patching.a_jumper_m, patching.b_jumper_m)):
        # a flipped patch passes its trunk from b to a
        at_b = (patches.flipped == 1) != (end == 1)
        panel = np.where(at_b, trunks.b_panel[patches.trunk], trunks.a_panel[patches.trunk])
        port = np.where(at_b, trunks.b_port[patches.trunk], trunks.a_port[patches.trunk]) + patches.port + 1
        jumper_of_cable: dict[int, int] = {}
        for cable, rows in _list_channels(cluster, patching):
            links = [link for row in dict.fromkeys(patches.row[rows].tolist()) for link in links_of_row[row]]
            ports = list(dict.fromkeys(zip(panel[rows].tolist(), port[rows].tolist(), strict=True)))
            # whether the common end of the cable is at this end, and a splitter is there
            splits_here = patching.split[cable] == AT_COMMON_END and common_a[cable] == (end == 0)
            count, last = max(len(links), len(ports)), (-1, -1)
            for number in range(count):
                link_index, port_index = number * len(links) // count, number * len(ports) // count
                # a jumper begins where link and port are both new, but a breakout that splits here has one alone
                if link_index != last[0] and port_index != last[1] and not (splits_here and cable in jumper_of_cable):
                    jumper += 1
                    jumper_of_cable[cable] = jumper
                last = link_index, port_index
                link, (panel_row, panel_port) = links[link_index], ports[port_index]
                metres = float(jumper_m[cable])
                yield _Passage(link, "ab"[end], jumper_of_cable[cable], metres, panels[panel_row], panel_port, 0)


def _list_channels(cluster: Cluster, patching: Patching) -> Iterator[tuple[int, Ints64]]:
    """Yield (cable, its rows of patches) for each channel.

    A breakout that splits at its far end is one channel; of any other cable each leg, an end row, is a channel of its
    own.
    """
    row = patching.patches.row
    cable = cluster.plan.cables.end_cable[row]
    is_one_channel = patching.split[cable] == AT_FAR_END
    # a channel begins where the cable changes, or for cables with a channel for each leg where the end row does; the
    # first row always begins one, if there is any
    changes = np.where(is_one_channel[1:], np.diff(cable), np.diff(row)) != 0
    starts = np.flatnonzero(np.append(True, changes)[: len(row)])
    for rows in np.split(np.arange(len(row)), starts[1:]) if len(row) else ():
        yield int(cable[rows[0]]), rows


def _find_links_of_rows(cluster: Cluster) -> dict[int, list[int]]:
    """Return the links that each end row of a cable carries, in the order of their ports: end row -> links.

    An end row is a pair of connectors, one at each end of the cable, so that a breakout has several. It carries the
    links between these two connectors.
    """
    links, cables = cluster.plan.links, cluster.plan.cables
    numbers = number_ends(cluster.plan.devices, links, number_device_connectors)
    keys = list(zip(links.cable.tolist(), numbers.a.tolist(), numbers.b.tolist(), strict=True))
    row_of_key = {keys[link]: row for row, link in enumerate(cables.end_link.tolist())}
    links_of_row: dict[int, list[int]] = defaultdict(list)
    for link in np.lexsort((links.b_port, links.a_port)).tolist():
        if links.cable[link] >= 0:
            links_of_row[row_of_key[keys[link]]].append(link)
    return links_of_row


def _list_shuffle_passages(cluster: Cluster, patching: Patching) -> Iterator[_Passage]:
    """Yield two passages for each link through a fibre shuffle: its lower end is at a port in, its upper end at a port
    out. Jumpers have the numbers after those of `_list_trunk_passages`.
    """
    shuffles, cables, jumper_of_port = patching.shuffles, cluster.plan.cables, dict[tuple[str, str, int], int]()
    if not len(shuffles):
        return
    columns = make_shuffles(cluster, patching).columns
    names = ("panel", "in_port", "in_pair", "out_port", "out_pair")
    rows = zip(shuffles.row.tolist(), *(columns[name] for name in names), strict=True)
    first = 1 + max((passage.jumper for passage in _list_trunk_passages(cluster, patching)), default=-1)
    for row, panel, in_port, in_pair, out_port, out_pair in rows:
        cable, link = int(cables.end_cable[row]), int(cables.end_link[row])
        ends = (("a", in_port, in_pair, patching.a_jumper_m), ("b", out_port, out_pair, patching.b_jumper_m))
        for end, port, pair, metres in ends:
            jumper = jumper_of_port.setdefault((end, panel, port), first + len(jumper_of_port))
            yield _Passage(link, end, jumper, float(metres[cable]), panel, port, pair)

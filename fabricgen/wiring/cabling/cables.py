"""Cables: which links share one, how long it is, and the cheapest medium whose reach suffices.

A cable hangs on one connector. Where the lower end splits a connector into several links it is a breakout from
there; else where the upper end does; else it carries one link. Cables that share a cage share its transceiver,
and so take one medium.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.catalog.models import CableProfile
from fabricgen.design.fabric_model import Attachment
from fabricgen.design.media.policy import list_stock
from fabricgen.design.model import Design
from fabricgen.design.ports import PortRun
from fabricgen.wiring.arrays import Flags, Floats, Ints, Ints64, unique_inverse, unique_values
from fabricgen.wiring.cabling.assemblies import find_cage_sharing, merge_assemblies
from fabricgen.wiring.cabling.end_kinds import are_common_ends_lower
from fabricgen.wiring.cabling.end_numbers import (
    CableEnds,
    EndNumbers,
    hangs_on_lower_end,
    number_cages_of_ports,
    number_connectors,
    number_ends,
    number_two_kinds,
)
from fabricgen.wiring.cabling.media import choose_media, list_made_media
from fabricgen.wiring.cabling.offers import find_sold_lengths, make_shelf
from fabricgen.wiring.cabling.routes import measure_device_runs
from fabricgen.wiring.cabling.stock import choose_order_length
from fabricgen.wiring.patching.patching import Patcher
from fabricgen.wiring.tables import CableTable, DeviceTable, LinkTable, RackTable, Side, WiringPlan

if TYPE_CHECKING:
    from fabricgen.wiring.patching.tables import Patching


def make_cables(
    design: Design, devices: DeviceTable, racks: RackTable, links: LinkTable
) -> tuple[Ints, CableTable, RackTable, Patching | None]:
    """Group links into cables and choose the length and medium of each cable.

    Returns the cable of each link (int32, -1 for backplane links), the cable table, the rack table with patch racks,
    and the patching (None without patch panels). A cable that is too long for every medium gets the one of the longest
    reach, and its `reaches` is false; lint reports it. Raises InputError as `lay_trunks` does, such as FG086 if a rack
    has no room for its panels.
    """
    connector_numbers, cage_numbers = number_two_kinds(devices, links, number_connectors, number_cages_of_ports)
    common_connector, far_connector = _find_cable_connectors(links, connector_numbers)
    # twice the connectors: common ends that are upper ones are numbered behind all lower ones
    cable_of_link = _number_cables(common_connector, 2 * connector_numbers.count)
    ends = _make_end_rows(cable_of_link, far_connector, connector_numbers.count, cage_numbers)
    # a breakout has far ends at several distances, and is ordered for the farthest
    run_m = ends.find_longest(measure_runs(design, devices, racks, links, ends.link))
    segment = links.segment[ends.link[ends.last]]
    media = _list_media(design, links)
    sharing = find_cage_sharing(links, segment, ends)
    # lengths, too, are those of the product lists by which `add_offers` preferred media
    shelf = make_shelf(design)
    # through panels a cable's medium sets the trunks, these its length, and that its medium: the patcher asks for media
    # again until they settle; without panels it asks once
    patcher = Patcher.make_patcher(design, devices, racks, links, media, shelf)
    choice = patcher.settle_media(partial(choose_media, links, segment, sharing), ends, sharing.group, run_m)
    # a cable with ends of its own may fill both connectors of a cage: what was two cables then is one
    attached = np.array([profile.attached for profile in media], dtype=bool)
    merged = merge_assemblies(sharing, attached[choice.medium], ends)
    medium, reaches, longest_m = choice.medium, choice.reaches, run_m
    if len(merged.first) < len(run_m):
        medium, reaches, longest_m = medium[merged.first], reaches[merged.first], np.zeros(len(merged.first))
        # `maximum.at`, since several old cables fall on one number: plain indexing would keep the last of them
        np.maximum.at(longest_m, merged.number, run_m)
        # backplane links have the cable -1, which indexes the last place: the -1 that is put there
        cable_of_link = np.append(merged.number, np.int32(-1))[cable_of_link]
    length_m, ends = _choose_lengths(media, medium, longest_m), merged.ends
    if shelf:
        # above, lengths are those of the trade; where a list sells the product, its own lengths win
        sold_m = find_sold_lengths(shelf, links, ends, merged.cables_merged, (medium, media, longest_m))
        length_m = np.where(np.isnan(sold_m), length_m, sold_m)
    end_link = ends.link.astype(np.int32)
    table = CableTable(
        media, length_m, longest_m, medium, reaches, merged.cables_merged, ends.cable, end_link, ends.links
    )
    return cable_of_link, *patcher.patch_cables(table, ends, choice, merged.first)


def measure_runs(design: Design, devices: DeviceTable, racks: RackTable, links: LinkTable, link: Ints64) -> Floats:
    """Return the length of the run of some links, m, float64: through the halls, or the stated fibre between sites."""
    run = measure_device_runs(devices, racks, design.loaded.blueprint.floor, links.a_device[link], links.b_device[link])
    if any(s.km for s in links.segments):
        # 0 km is a link inside a site, whose run is measured
        long_haul = np.array([1000 * s.km for s in links.segments])[links.segment[link]]
        run = np.where(long_haul > 0, long_haul, run)
    return run


def _list_media(design: Design, links: LinkTable) -> tuple[CableProfile, ...]:
    """Return the media that may be chosen for any link: those on sale by default, asked for or permitted; cheapest
    first.
    """
    asked_for = {
        name for segment in links.segments for names in (segment.media, *list_made_media(segment)) for name in names
    }
    policies = {segment.policy for segment in links.segments}
    return tuple(
        c
        for c in list_stock(design.loaded.blueprint, design.catalog)
        if c.selectable or c.id in asked_for or any(policy.permits(c) for policy in policies)
    )


def _choose_lengths(media: tuple[CableProfile, ...], medium: Ints, run_m: Floats) -> Floats:
    """Return the length to order of each cable's medium for its run, m, float64."""
    length_m = np.zeros(len(run_m))
    for i in unique_values(medium):
        rows = np.flatnonzero(medium == i)
        length_m[rows] = choose_order_length(media[i], run_m[rows])
    return length_m


def _find_cable_connectors(links: LinkTable, connectors: EndNumbers) -> tuple[Ints, Ints]:
    """Return (connector at the common end of the cable of each link, connector at its other end), int32.

    Common ends that are upper ends are numbered behind all lower ones. Backplane links have no cable: -1 and 0.
    """
    # backplane links keep these; their -1 makes any key of theirs negative
    common_connector, far_connector = np.full(len(links), -1, dtype=np.int32), np.zeros(len(links), dtype=np.int32)
    for i, segment in enumerate(links.segments):
        rows = links.find_rows(i)
        if segment.backplane:
            continue
        if hangs_on_lower_end(segment):
            common_connector[rows], far_connector[rows] = connectors.a[rows], connectors.b[rows]
        else:
            # beyond all lower ends, since a connector may be the common end of one cable and the far end of another
            common_connector[rows], far_connector[rows] = connectors.count + connectors.b[rows], connectors.a[rows]
    return common_connector, far_connector


def _number_cables(common: Ints, connectors: int) -> Ints:
    """Return the cable of each link, int32, numbered in the order of first links; -1 for backplane links.

    `common` is the connector at the common end of each link, from 0 below `connectors`, -1 for backplane links.
    """
    # no sort: a column by connector is filled backwards, so that the first link of each connector is written last and
    # stays
    links, connector = np.arange(len(common), dtype=np.int32), common.astype(np.int64)
    link_of_connector = np.empty(connectors + 1, dtype=np.int32)
    link_of_connector[connector[::-1]] = links[::-1]
    link_of_connector[-1] = -1  # no connector has this place: it is that of backplane links
    connectors_in_use = connector[link_of_connector[connector] == links]
    link_of_connector[connectors_in_use] = np.arange(len(connectors_in_use), dtype=np.int32)
    return link_of_connector[connector]


def find_common_ends(links: LinkTable, cables: CableTable) -> tuple[Ints64, Flags, Ints]:
    """Return for each cable: its first link, whether its common end is the lower end, its connector in the cage there.

    The connector is -1 if it is the only one of the cage, or the cable fills the cage.
    """
    first_link = np.full(len(cables), len(links), dtype=np.int64)
    wired = np.flatnonzero(links.cable >= 0)
    # backwards, so that the first link of a cable is written last and stays
    first_link[links.cable[wired[::-1]]] = wired[::-1]
    connector = np.full(len(cables), -1, dtype=np.int32)
    segment_of_cable = links.segment[first_link]
    for i in unique_values(segment_of_cable):
        segment, cables_here = links.segments[i], np.flatnonzero(segment_of_cable == i)
        common_side, column = (segment.a, links.a_port) if hangs_on_lower_end(segment) else (segment.b, links.b_port)
        ports, row_of_port = unique_inverse(column[first_link[cables_here]])
        connector[cables_here] = np.array([find_connector(common_side, port) for port in ports], dtype=np.int32)[
            row_of_port
        ]
    # a cable that fills the cage hangs on all its connectors
    connector[cables.connectors > 1] = -1
    return first_link, are_common_ends_lower(links, cables), connector


def find_connector(side: Side, port: int) -> int:
    """Return the connector (from 0) of its cage that a port uses; -1 if the cage has only one."""
    if isinstance(side, PortRun):
        # ports are numbered cage by cage, those of one connector side by side
        return port % side.ways // side.per_connector if side.connectors > 1 else -1
    if isinstance(side, Attachment):
        leg = side.legs[port]
        return leg.connector if any(o.connector for o in side.legs if o.cage == leg.cage) else -1
    return -1


def find_socket(side: Side, port: int, links: int, at_common_end: bool) -> int:
    """Return the connector (from 0) of the cage that a cable of `links` links uses, by one of its ports; -1 if it uses
    the whole cage.

    At a far end where several cables share a connector it is the index of the cable among those in the cage.
    """
    if links > side.per_connector:
        return -1
    if at_common_end or links == side.per_connector:
        return find_connector(side, port)
    return find_share_of_cage(side, port, links) if isinstance(side, PortRun | Attachment) else -1


def find_share_of_cage(side: Side, port: int, links: int) -> int:
    """Return the index, from 0, of the group of `links` ports within its cage that a port is in.

    It is 0 for scale-up and management ports.
    """
    if isinstance(side, PortRun):
        return port % side.ways // links
    if isinstance(side, Attachment):
        ports_of_cage = [i for i, leg in enumerate(side.legs) if leg.cage == side.legs[port].cage]
        return ports_of_cage.index(port) // links
    return 0


def number_cages(plan: WiringPlan) -> EndNumbers:
    """Return the numbers of the cages at the a and b end of each cable end row, over the whole cluster."""
    numbers, rows = number_ends(plan.devices, plan.links, number_cages_of_ports), plan.cables.end_link
    return EndNumbers(numbers.a[rows], numbers.b[rows], numbers.count)


def _make_end_rows(of_link: Ints, far_connector: Ints, connector_count: int, cages: EndNumbers) -> CableEnds:
    """Return the end rows of all cables, cable by cable: one for each connector at the end that is not the common one.

    `of_link` is the cable of each link (-1: none), `far_connector` its connector there, below `connector_count`.
    """
    # cable and far connector in one number, that sorts by cable first; in place, as columns may have fifty million rows
    cable_and_connector = of_link.astype(np.int64)
    cable_and_connector *= connector_count
    cable_and_connector += far_connector
    order = None
    # links are mostly in this order already, which saves the sort
    if (cable_and_connector[1:] < cable_and_connector[:-1]).any():
        order = np.argsort(cable_and_connector, kind="stable")
        cable_and_connector = cable_and_connector[order]
    # cut to the length, so that no links have no row
    first_links = np.flatnonzero(
        np.r_[True, cable_and_connector[1:] != cable_and_connector[:-1]][: len(cable_and_connector)]
    )
    link_counts = np.diff(first_links, append=len(cable_and_connector)).astype(np.int32)
    wired = cable_and_connector[first_links] >= 0  # backplane links are of no cable
    if not wired.all():
        first_links, link_counts = first_links[wired], link_counts[wired]
    link = first_links if order is None else order[first_links]
    return CableEnds(of_link[link], link, link_counts, EndNumbers(cages.a[link], cages.b[link], cages.count))

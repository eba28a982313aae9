"""Cables: which links share one, how long it is, and which medium it is of.

The medium is the first whose reach suffices: media that product lists sell come before others, then the order of the
policy counts, then the price.

A cable hangs on one connector. Where the lower end splits a connector into several links it is a breakout from
there; else where the upper end does; else it carries one link. Cables that share a cage share its transceiver,
and so take one medium.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from fabricgen.catalog.models import CableProfile
from fabricgen.design.media.policy import list_media_with_stock
from fabricgen.design.model import Design
from fabricgen.wiring.arrays import Floats, Ints, Ints64, unique_values
from fabricgen.wiring.cabling.assemblies import find_cage_sharing, merge_assemblies
from fabricgen.wiring.cabling.end_numbers import (
    CableEnds,
    EndNumbers,
    hangs_on_lower_end,
    number_cages_of_ports,
    number_device_connectors,
    number_two_kinds,
)
from fabricgen.wiring.cabling.media import choose_media, list_made_media_ids
from fabricgen.wiring.cabling.offers import find_sold_lengths
from fabricgen.wiring.cabling.routes import measure_device_runs
from fabricgen.wiring.cabling.shelf import Shelf
from fabricgen.wiring.cabling.stock import choose_order_length
from fabricgen.wiring.patching.patching import Patcher
from fabricgen.wiring.tables import CableTable, DeviceTable, LinkTable, RackTable

if TYPE_CHECKING:
    from fabricgen.wiring.patching.tables import Patching


def make_cables(
    design: Design, devices: DeviceTable, racks: RackTable, links: LinkTable, shelf: Shelf | None
) -> tuple[Ints, CableTable, RackTable, Patching | None]:
    """Group links into cables and choose the length and medium of each cable.

    `shelf` are the product lists to order from, None for none; their media are in the segments of `links` already
    (`offers.add_offers`), and their lengths are chosen here. Returns the cable of each link (int32, -1 for backplane
    links), the cable table, the rack table with patch racks, and the patching (None without patch panels).

    A cable that is too long for every medium gets the legal medium of the longest `reach_m`, even if policy or product
    lists allow less of it; its `reaches` is false, and lint reports it. Raises InputError as `lay_trunks` does, such as
    FG086 if a rack has no room for its panels.
    """
    connector_numbers, cage_numbers = number_two_kinds(devices, links, number_device_connectors, number_cages_of_ports)
    common_connector, far_connector = _find_cable_connectors(links, connector_numbers)
    # twice the connectors: common ends that are upper ones are numbered behind all lower ones
    cable_of_link = _number_cables(common_connector, 2 * connector_numbers.count)
    ends = _make_end_rows(cable_of_link, far_connector, connector_numbers.count, cage_numbers)
    # a breakout has far ends at several distances, and is ordered for the farthest
    run_m = ends.find_longest(measure_runs(design, devices, racks, links, ends.link))
    segment = ends.find_segments(links)
    media = _list_media(design, links)
    sharing = find_cage_sharing(links, segment, ends)
    # patched cables go in a circle: the medium decides the trunks, these the length, the length the medium; the patcher
    # repeats until nothing changes, and without panels asks once
    patcher = Patcher.make_patcher(design, devices, racks, links, media, shelf)
    choice = patcher.settle_media(partial(choose_media, links, segment, sharing), ends, sharing.group, run_m)
    # a cable with fixed ends may fill both connectors of a cage: what was two cables then is one
    attached = np.array([profile.attached for profile in media], dtype=bool)
    merged = merge_assemblies(sharing, attached[choice.medium], ends)
    medium, reaches, longest_m = choice.medium, choice.reaches, run_m
    if len(merged.first) < len(run_m):
        # those that merge are of one medium
        medium, reaches, longest_m = medium[merged.first], reaches[merged.first], np.zeros(len(merged.first))
        # `maximum.at`, since several old cables fall on one number: plain indexing would keep the last of them
        np.maximum.at(longest_m, merged.number, run_m)
        # backplane links have the cable -1, which indexes the last entry: the -1 that is put there
        cable_of_link = np.append(merged.number, np.int32(-1))[cable_of_link]
    length_m, ends = _choose_lengths(media, medium, longest_m), merged.ends
    if shelf:
        # above, lengths are those of the trade; where a list sells the product, its own lengths win
        sold_m = find_sold_lengths(shelf, links, ends, merged.cables_merged, (medium, media, longest_m))
        length_m = np.where(np.isnan(sold_m), length_m, sold_m)
    table = CableTable(
        media=media,
        length_m=length_m,
        run_m=longest_m,
        medium=medium,
        reaches=reaches,
        connectors=merged.cables_merged,
        end_cable=ends.cable,
        end_link=ends.link.astype(np.int32),
        end_links=ends.links,
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
        name for segment in links.segments for names in (segment.media, *list_made_media_ids(segment)) for name in names
    }
    policies = {segment.policy for segment in links.segments}
    return tuple(
        c
        for c in list_media_with_stock(design.loaded.blueprint, design.catalog)
        if c.selectable or c.id in asked_for or any(policy.permits(c) for policy in policies)
    )


def _choose_lengths(media: tuple[CableProfile, ...], medium: Ints, run_m: Floats) -> Floats:
    """Return the length to order for each cable, given its medium (an index of `media`) and its run, m, float64."""
    length_m = np.zeros(len(run_m))
    for i in unique_values(medium):
        rows = np.flatnonzero(medium == i)
        length_m[rows] = choose_order_length(media[i], run_m[rows])
    return length_m


def _find_cable_connectors(links: LinkTable, connectors: EndNumbers) -> tuple[Ints, Ints]:
    """Return (connector at the common end of the cable of each link, connector at its other end), int32.

    Common ends that are upper ends are numbered behind all lower ones. Backplane links have no cable: -1 and 0.
    """
    # backplane links keep these: -1 x count + 0 is below 0, by which `_make_end_rows` drops them
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
    # stays; it has one entry more, which -1, the connector of backplane links, indexes
    links, connector = np.arange(len(common), dtype=np.int32), common.astype(np.int64)
    first_link = np.empty(connectors + 1, dtype=np.int32)
    first_link[connector[::-1]] = links[::-1]
    first_link[-1] = -1
    connectors_in_use = connector[first_link[connector] == links]
    # the same memory, which may be of a hundred million connectors; the entry of -1 stays
    cable_of_connector = first_link
    cable_of_connector[connectors_in_use] = np.arange(len(connectors_in_use), dtype=np.int32)
    return cable_of_connector[connector]


def _make_end_rows(of_link: Ints, far_connector: Ints, connector_count: int, cages: EndNumbers) -> CableEnds:
    """Return the end rows of all cables, cable by cable: one for each connector at the far ends of a cable.

    Columns by link: `of_link` is its cable (-1: none), `far_connector` the number of its connector at the far end of
    that cable, from 0 below `connector_count`; `cages` are its cages.
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
    # an end row begins where the number changes; without links there are no rows: `True` alone would make one
    starts = np.flatnonzero(
        np.r_[True, cable_and_connector[1:] != cable_and_connector[:-1]][: len(cable_and_connector)]
    )
    link_counts = np.diff(starts, append=len(cable_and_connector)).astype(np.int32)
    is_cabled = cable_and_connector[starts] >= 0  # backplane links are of no cable
    if not is_cabled.all():
        starts, link_counts = starts[is_cabled], link_counts[is_cabled]
    link = starts if order is None else order[starts]
    return CableEnds(of_link[link], link, link_counts, EndNumbers(cages.a[link], cages.b[link], cages.count))

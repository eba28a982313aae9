"""Cables that share cages: fibres in a twin-port transceiver, or one assembly with fixed ends, of copper or an AOC,
that fills the whole cage.

Where all links of a twin-port cage go to one other cage, they may be
one straight cable (NVIDIA MCP4Y10: 2x400G at both ends, also from a switch to a DGX); where it goes to cages of one
connector each, one splitter (MCP7Y00, MCP7Y10: 2x400G to 400G twice). Source: docs.nvidia.com, product specifications
of these, overview and use cases.
"""

from typing import NamedTuple

import numpy as np

from fabricgen.design.fabric_model import Attachment
from fabricgen.design.ports import PortRun
from fabricgen.wiring.arrays import Flags, Ints, Ints64, all_alike, join_components
from fabricgen.wiring.cabling.end_numbers import CableEnds, EndNumbers, hangs_on_lower_end
from fabricgen.wiring.tables import LinkTable, Side


class CageSharing(NamedTuple):
    """How cables share cages: columns with a row for each cable.

    `alone`: it shares no cage. `group` (int32): the lowest-numbered cable of those connected to it through shared
    cages. `one_cable`: it is not alone, and one assembly with fixed ends could replace all of these. `is_breakout`:
    it splits into several links.
    """

    alone: Flags
    group: Ints
    one_cable: Flags
    is_breakout: Flags


def count_connectors(side: Side) -> int:
    """Return how many cable connectors a cage has at one side of a link; the most if cages differ."""
    if isinstance(side, PortRun):
        return max(1, side.connectors)
    if isinstance(side, Attachment):
        return max(len({o.connector for o in side.legs if o.cage == leg.cage}) for leg in side.legs)
    return 1


def find_cage_sharing(links: LinkTable, segment: Ints, ends: CableEnds) -> CageSharing:
    """Return how cables share cages; `segment` is that of each cable."""
    alone, group = _join_over_cages(ends, len(segment))
    is_breakout = ends.last > ends.first
    # a breakout of the upper end of which one leg is used has a single end row, and is known by its segment; at the
    # lower end only legs in use count, as in `count_far_ends`: nothing else takes what a device does not link up
    is_breakout |= np.array([not hangs_on_lower_end(s) for s in links.segments], dtype=bool)[segment]
    one_cable = np.zeros(len(segment), dtype=bool)
    if not alone.all():
        rows = np.flatnonzero(~alone[ends.cable])
        one_cable = _could_be_one_cable(links, segment, group, ends, rows) & ~alone
    return CageSharing(alone, group, one_cable, is_breakout)


def _could_be_one_cable(links: LinkTable, segment: Ints, group: Ints, ends: CableEnds, rows: Ints64) -> Flags:
    """Return for each cable whether one assembly could replace it and all cables that share cages with it; bool.

    They have to be of one segment, and connect one cage to one cage, or to cages of one connector each.
    """
    cable = ends.cable[rows].astype(np.int64)
    group_of_row = group[cable].astype(np.int64)
    is_same_segment = all_alike(group_of_row, segment[cable], len(segment))
    # both ends in one cage each is a straight assembly; one cage against cages of one connector is a splitter
    one_a, one_b = (all_alike(group_of_row, cage[rows], len(segment)) for cage in (ends.cage.a, ends.cage.b))
    single_a, single_b = (
        np.array([count_connectors(side) == 1 for side in sides], dtype=bool)[segment]
        for sides in ([s.a for s in links.segments], [s.b for s in links.segments])
    )
    # `one_a` and `one_b` are by group, at the row of its lowest cable, `single_a` and `single_b` by cable: [group]
    # reads all of them at the row of the lowest cable, whose segment is that of the whole group if `is_same_segment`
    replaceable: Flags = (is_same_segment & ((one_a & one_b) | (one_a & single_b) | (one_b & single_a)))[group]
    return replaceable


def _join_over_cages(ends: CableEnds, cables: int) -> tuple[Flags, Ints]:
    """Return (whether each cable shares no cage, bool; the lowest-numbered cable that it is connected to through shared
    cages, int32: its own number if it is alone).
    """
    is_alone = np.ones(cables, dtype=bool)
    lowest, highest = np.full(ends.cage.count, cables, dtype=np.int32), np.full(ends.cage.count, -1, dtype=np.int32)
    for cage in (ends.cage.a, ends.cage.b):
        np.minimum.at(lowest, cage, ends.cable)
        np.maximum.at(highest, cage, ends.cable)
    shared = lowest < highest
    rows_of_sides = [np.flatnonzero(shared[cage]) for cage in (ends.cage.a, ends.cage.b)]
    shared_cage = np.concatenate([ends.cage.a[rows_of_sides[0]], ends.cage.b[rows_of_sides[1]]], dtype=np.int64)
    cable = np.concatenate([ends.cable[rows_of_side] for rows_of_side in rows_of_sides], dtype=np.int64)
    is_alone[cable] = False
    # each joins the lowest of its cage, and all that this is joined with
    label = join_components(np.arange(cables, dtype=np.int64), cable, lowest[shared_cage])
    return is_alone, label.astype(np.int32)


class MergedCables(NamedTuple):
    """Cables after merging those that are one assembly.

    `number` (int32) is the new number of each former cable. Columns by new cable, int32: `first`, the lowest number of
    the former cables that it replaces, and `cables_merged`, how many these are, each on a connector of its own: 1 if it
    replaces only itself. `ends` are the end rows of new cables.
    """

    number: Ints
    first: Ints
    cables_merged: Ints
    ends: CableEnds


def merge_assemblies(sharing: CageSharing, attached: Flags, ends: CableEnds) -> MergedCables:
    """Return the cables after merging those with fixed ends that share cages and could be one assembly.

    The order of cables is kept. `attached` says whether the medium of each cable has fixed ends.
    """
    number = cable_numbers = np.arange(len(attached), dtype=np.int32)
    # of a group that one cable could replace all are merged or none: they are of one segment, so that `choose_media`
    # gave them one medium, and a patcher changed that of all
    is_merged = attached & sharing.one_cable
    stays = ~is_merged | (sharing.group == cable_numbers)
    if not stays.all():
        # what stays is numbered through in its old order; cables that merge then take the number of the first of theirs
        number = np.cumsum(stays, dtype=np.int32) - 1
        number[is_merged] = number[sharing.group[is_merged]]
    merges_ends = attached & (is_merged | sharing.is_breakout)
    cables_merged = np.bincount(number, minlength=int(stays.sum())).astype(np.int32)
    rows = _merge_end_rows(number, merges_ends, ends) if merges_ends.any() else ends
    return MergedCables(number, cable_numbers[stays], cables_merged, rows)


def _merge_end_rows(number: Ints, merges_ends: Flags, ends: CableEnds) -> CableEnds:
    """Return the end rows by the new `number` of each cable, in cable order.

    Of a former cable with `merges_ends` there is one row for each pair of cages, with the sum of the links.
    """
    cable, links = number[ends.cable], ends.links.copy()
    touched = np.flatnonzero(merges_ends[ends.cable])
    cable_and_cages = (cable[touched], ends.cage.a[touched], ends.cage.b[touched])
    # the last key counts first: by cable, then by cages; rows of one pair of cages stay in their order
    order = np.lexsort((touched, cable_and_cages[2], cable_and_cages[1], cable_and_cages[0]))
    starts_pair = np.ones(len(order), dtype=bool)
    starts_pair[1:] = np.logical_or.reduce([column[order[1:]] != column[order[:-1]] for column in cable_and_cages])
    # nothing to add up, and still in cable order
    if starts_pair.all() and (cable[1:] >= cable[:-1]).all():
        return CableEnds(cable, ends.link, ends.links, ends.cage)
    merged_rows = touched[order[starts_pair]]
    links[merged_rows] = np.add.reduceat(links[touched[order]], np.flatnonzero(starts_pair))
    stays = np.ones(len(cable), dtype=bool)
    stays[touched] = False
    stays[merged_rows] = True
    rows = np.flatnonzero(stays)
    rows = rows[np.argsort(cable[rows], kind="stable")]  # the far ends of a cable in the order that they had
    cages = EndNumbers(ends.cage.a[rows], ends.cage.b[rows], ends.cage.count)
    return CableEnds(cable[rows], ends.link[rows], links[rows], cages)

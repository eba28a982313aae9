"""Cables: which links share one, how long it is, and the cheapest medium that reaches.

A cable hangs on one connector. Where the lower end splits a connector into several links it is a breakout from
there; else where the upper end does; else it carries one link. Cables that share a cage share its transceiver,
and so take one medium.
"""

from __future__ import annotations

import numpy as np

from fabricgen.catalog.models import CableProfile
from fabricgen.design.fabric_model import Attachment
from fabricgen.design.model import Design
from fabricgen.design.ports import PortRun
from fabricgen.plan.routes import run_length, stocked
from fabricgen.plan.scale_up_ports import ScaleUpPort
from fabricgen.plan.tables import (
    CableTable,
    DeviceTable,
    Flags,
    Floats,
    Ints,
    LinkTable,
    Plan,
    RackTable,
    Segment,
    Side,
    Wide,
)

_STRIDE = 1 << 20
"""Connectors and cages of one device are numbered below this."""

_MANAGEMENT = _STRIDE // 4
"""Numbers of management ports: beyond those of any face."""

_SCALE_UP = _STRIDE // 8
"""Numbers of scale-up ports: between the two."""


def connectors(side: Side, ports: Ints) -> Ints:
    """The connector (from 0, within the device and side) of each port; int32."""
    if isinstance(side, PortRun):
        per_cage = max(1, side.connectors)
        in_cage = ports % side.ways // side.per_connector
        return (cages(side, ports) * per_cage + in_cage).astype(np.int32)
    if isinstance(side, Attachment):
        return _leg_numbers(side, cages=False)[ports]
    return ports + (_SCALE_UP if isinstance(side, ScaleUpPort) else _MANAGEMENT)


def cages(side: Side, ports: Ints) -> Ints:
    """The cage (from 0, within the device and side) of each port; int32."""
    if isinstance(side, PortRun):
        return (np.array(side.cages, dtype=np.int32)[ports // side.ways] - 1).astype(np.int32)
    if isinstance(side, Attachment):
        return _leg_numbers(side, cages=True)[ports]
    return ports + (_SCALE_UP if isinstance(side, ScaleUpPort) else _MANAGEMENT)


def _leg_numbers(side: Attachment, *, cages: bool) -> Ints:
    """Connector or cage of each leg: unlike for ports of different roles, so numbered through the role's name."""
    keys = [leg.cage if cages else (leg.cage, leg.connector) for leg in side.legs]
    order = sorted(set(keys))
    base = 1024 * (1 + sorted(side.profile.roles).index(side.role))
    return np.array([base + order.index(key) for key in keys], dtype=np.int32)


def cable(design: Design, devices: DeviceTable, racks: RackTable, links: LinkTable) -> tuple[Ints, CableTable]:
    """Group links into cables and choose each cable's length and medium; returns (cable of each link, cables).

    A cable that no medium reaches keeps the one of the longest reach and is marked; lint reports it.
    """
    hung, keys = _anchors(links)
    wired = np.flatnonzero(hung)
    _, first, inverse = np.unique(keys[wired], return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    number = np.empty(len(order), dtype=np.int32)
    number[order] = np.arange(len(order), dtype=np.int32)
    of_link = np.full(len(links), -1, dtype=np.int32)
    of_link[wired] = number[inverse]
    ends = _ends(links, of_link, wired)
    floor = design.loaded.blueprint.floor
    run = run_length(devices, racks, floor, links.a_device[ends.link], links.b_device[ends.link])
    long_haul = np.array([1000 * s.km for s in links.segments])[links.segment[ends.link]]
    run = np.where(long_haul > 0, long_haul, run)
    run_m = np.zeros(len(order))
    np.maximum.at(run_m, ends.cable, run)
    asked_for = {name for segment in links.segments for name in segment.media}
    media = tuple(c for c in design.catalog.cables if c.selectable or c.id in asked_for)
    medium, reaches = _choose(links, ends, stocked(run_m), media)
    return of_link, CableTable(media, stocked(run_m), run_m, medium, reaches, ends.cable, ends.link, ends.links)


def _anchors(links: LinkTable) -> tuple[Flags, Wide]:
    """(whether a link is cabled, the key of the connector its cable hangs on)."""
    hung = np.zeros(len(links), dtype=bool)
    keys = np.zeros(len(links), dtype=np.int64)
    for i, segment in enumerate(links.segments):
        if segment.backplane:
            continue
        rows = np.flatnonzero(links.segment == i)
        lower = hangs_on_lower(segment)
        side, device, port = (
            (segment.a, links.a_device[rows], links.a_port[rows])
            if lower
            else (segment.b, links.b_device[rows], links.b_port[rows])
        )
        offset = 0 if lower else _STRIDE // 2
        keys[rows] = device.astype(np.int64) * _STRIDE + offset + connectors(side, port)
        hung[rows] = True
    return hung, keys


def anchor_rows(links: LinkTable, cables: int) -> tuple[Wide, Flags, Ints]:
    """For each cable: a link of it, whether it hangs on the lower end, and its connector in the cage (-1: the only)."""
    first = np.full(cables, len(links), dtype=np.int64)
    wired = np.flatnonzero(links.cable >= 0)
    np.minimum.at(first, links.cable[wired], wired)
    lower, connector = np.zeros(cables, dtype=bool), np.full(cables, -1, dtype=np.int32)
    of_segment = links.segment[first]
    for i in np.unique(of_segment).tolist():
        segment, here = links.segments[i], np.flatnonzero(of_segment == i)
        lower[here] = hangs_on_lower(segment)
        side, column = (segment.a, links.a_port) if hangs_on_lower(segment) else (segment.b, links.b_port)
        ports, place = np.unique(column[first[here]], return_inverse=True)
        connector[here] = np.array([_connector_in_cage(side, port) for port in ports.tolist()], dtype=np.int32)[place]
    return first, lower, connector


def hangs_on_lower(segment: Segment) -> bool:
    """Whether the cables of a segment hang on a connector of their lower end."""
    return segment.a.per_connector > 1 or segment.b.per_connector == 1


def _connector_in_cage(side: Side, port: int) -> int:
    if isinstance(side, PortRun):
        return port % side.ways // side.per_connector if side.connectors > 1 else -1
    if isinstance(side, Attachment):
        leg = side.legs[port]
        return leg.connector if any(o.connector for o in side.legs if o.cage == leg.cage) else -1
    return -1


class _Ends:
    """Pairs of connectors that a cable joins, with one of the links between them and how many there are."""

    def __init__(self, cable: Ints, link: Ints, links: Ints, cage: tuple[Wide, Wide]) -> None:
        self.cable, self.link, self.links, self.cage = cable, link, links, cage


def side_columns(links: LinkTable, rows: Ints, *, cage: bool) -> tuple[Ints, Ints]:
    """Connector (or cage) numbers of both ends of some links, within their devices; int32."""
    number = cages if cage else connectors
    a, b = np.zeros(len(rows), dtype=np.int32), np.zeros(len(rows), dtype=np.int32)
    for i, segment in enumerate(links.segments):
        here = links.segment[rows] == i
        a[here] = number(segment.a, links.a_port[rows][here])
        b[here] = number(segment.b, links.b_port[rows][here])
    return a, b


def cages_of_ends(plan: Plan) -> tuple[Wide, Wide]:
    """The cage at the a and at the b end of each cable end row, by a number of its own in the cluster; int64."""
    links, rows = plan.links, plan.cables.end_link
    a, b = side_columns(links, rows, cage=True)
    wide = np.int64
    return links.a_device[rows].astype(wide) * _STRIDE + a, links.b_device[rows].astype(wide) * _STRIDE + b


def _ends(links: LinkTable, of_link: Ints, wired: Wide | Ints) -> _Ends:
    rows = wired.astype(np.int32)
    a_conn, b_conn = side_columns(links, rows, cage=False)
    a = links.a_device[rows].astype(np.int64) * _STRIDE + a_conn
    b = links.b_device[rows].astype(np.int64) * _STRIDE + b_conn
    order = np.lexsort((b, a, of_link[rows]))
    ordered = np.stack([of_link[rows].astype(np.int64), a, b])[:, order]
    fresh = np.r_[True, (np.diff(ordered) != 0).any(axis=0)] if len(order) else np.zeros(0, dtype=bool)
    start = np.flatnonzero(fresh)
    count = np.diff(np.r_[start, len(order)]).astype(np.int32)
    link = rows[order[start]]
    a_cage, b_cage = side_columns(links, link, cage=True)
    cage = (
        links.a_device[link].astype(np.int64) * _STRIDE + a_cage,
        links.b_device[link].astype(np.int64) * _STRIDE + b_cage,
    )
    return _Ends(of_link[link], link, count, cage)


def _choose(links: LinkTable, ends: _Ends, length_m: Floats, media: tuple[CableProfile, ...]) -> tuple[Ints, Flags]:
    """The cheapest medium of each cable that reaches, fits its cages and may hang there."""
    cables = len(length_m)
    segment = np.zeros(cables, dtype=np.int32)
    segment[ends.cable] = links.segment[ends.link]
    alone, together = _sharing(ends, cables)
    breakout = np.bincount(ends.cable, minlength=cables) > 1
    split = np.array([not hangs_on_lower(s) and s.b.per_connector > 1 for s in links.segments], dtype=bool)
    breakout |= split[segment]
    longest = length_m.copy()
    np.maximum.at(longest, together, length_m)
    longest = longest[together]
    alone_all = alone.copy()
    np.logical_and.at(alone_all, together, alone)
    split_any = breakout.copy()
    np.logical_or.at(split_any, together, breakout)

    def legal(profile: CableProfile) -> Flags:
        fits = _fits(links.segments, profile)[segment]
        fits &= alone_all[together] | (not profile.attached and not profile.link_gbps)
        fits &= ~split_any[together] | _splits(links.segments, profile)[segment]
        return fits

    medium = np.full(cables, -1, dtype=np.int32)
    reaches = np.zeros(cables, dtype=bool)
    for i, profile in sorted(enumerate(media), key=lambda m: (-m[1].reach_m, m[1].cost_rank)):
        medium[legal(profile) & (medium < 0)] = i
    for i, profile in reversed(list(enumerate(media))):
        fits = legal(profile) & (longest <= profile.reach_m)
        medium[fits], reaches[fits] = i, True
    if any(s.stated for s in links.segments):
        _agree(medium, reaches, together, [legal(p) & (longest <= p.reach_m) for p in media])
    if (medium < 0).any():
        _make_do(medium, segment, links.segments, media)
    return medium, reaches


def _agree(medium: Ints, reaches: Flags, together: Ints, usable: list[Flags]) -> None:
    """Let cables that share cages, but are told otherwise, take the cheapest medium that all of them may."""
    for i, fits in reversed(list(enumerate(usable))):
        every = fits.copy()
        np.logical_and.at(every, together, fits)
        every = every[together]
        medium[every], reaches[every] = i, True


def _make_do(medium: Ints, segment: Ints, segments: tuple[Segment, ...], media: tuple[CableProfile, ...]) -> None:
    """Give cables that nothing legal serves what is stated, else what carries their lanes; none of it reaches."""
    by_reach = sorted(enumerate(media), key=lambda m: (-m[1].reach_m, m[1].cost_rank))
    for stated, ordered in ((True, by_reach), (False, list(enumerate(media)))):
        for i, profile in ordered:
            allowed = [profile.id in s.media if stated else profile.selectable for s in segments]
            carries = [s.lane_gbps in profile.lane_gbps for s in segments]
            medium[np.logical_and(allowed, carries)[segment] & (medium < 0)] = i


def _fits(segments: tuple[Segment, ...], profile: CableProfile) -> Flags:
    """For each segment, whether a medium carries its lanes and fits the cages at both ends."""
    return np.array([fits_segment(segment, profile) for segment in segments])


def _splits(segments: tuple[Segment, ...], profile: CableProfile) -> Flags:
    """For each segment, whether a medium may serve several of its links from one cage."""
    return np.array([profile.splits_for(-int(-s.speed_gbps // s.lane_gbps)) for s in segments])


def fits_segment(segment: Segment, profile: CableProfile) -> bool:
    """Whether a medium carries a segment's lane rate and speed; copper pairs go to RJ45 cages and nothing else does.

    A module of one link (`link_gbps`) needs a connector that is not split at either end. A segment that names its
    media takes no other; those of a scale-up domain are taken as they are.
    """
    carries = segment.lane_gbps in profile.lane_gbps
    if segment.media and segment.tier is None:
        return carries and profile.id in segment.media
    if not (profile.id in segment.media if segment.stated else profile.selectable):
        return False
    whole = segment.a.per_connector == 1 and segment.b.per_connector == 1
    if profile.link_gbps and not (whole and segment.speed_gbps in profile.link_gbps):
        return False
    return carries and all(profile.plugs_into(side.form_factor) for side in (segment.a, segment.b))


def _sharing(ends: _Ends, cables: int) -> tuple[Flags, Ints]:
    """(whether a cable has all its cages to itself, the first cable of those joined to it by shared cages)."""
    cage = np.concatenate(ends.cage)
    cable = np.concatenate([ends.cable, ends.cable])
    pairs = np.unique(np.stack([cage, cable.astype(np.int64)]), axis=1)
    _, number = np.unique(pairs[0], return_inverse=True)
    held_by = np.bincount(number)
    alone = np.ones(cables, dtype=bool)
    np.logical_and.at(alone, pairs[1], held_by[number] == 1)
    label = np.arange(cables, dtype=np.int64)
    while True:
        lowest = np.full(len(held_by), cables, dtype=np.int64)
        np.minimum.at(lowest, number, label[pairs[1]])
        fresh = label.copy()
        np.minimum.at(fresh, pairs[1], lowest[number])
        if (fresh == label).all():
            return alone, label.astype(np.int32)
        label = fresh

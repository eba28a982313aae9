"""Buffers of a lossless SONiC switch, from what the device tree publishes for its HwSKU and from nothing else.

The tables are those of SONiC's own templates (sonic-buildimage, files/build_templates/buffers_config.j2), in the
traditional buffer model, which DEVICE_METADATA then names: pools are fixed, and a lossless priority group takes the
headroom of pg_profile_lookup.ini for its port's speed and the next longer cable there. The profiles are called as
buffermgrd calls those that it makes by itself (sonic-swss, cfgmgr/buffermgr.cpp), so that it finds them done. In the
dynamic model buffermgrd computes all sizes: delete `buffer_model` and the BUFFER_ tables, keep CABLE_LENGTH.

No sizes are written where one is missing: for a HwSKU that publishes none, for a speed that its table lacks, or where
the headroom of all ports does not fit beside the pools. The image's own model then holds, and CABLE_LENGTH says what it
computes from; without it where a cable is longer than all lengths published.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

from fabricgen.catalog.sonic_models import BufferRole, BufferSet, Headroom, PortBuffers, RoleBuffers, SonicPlatform
from fabricgen.design.inside.scale_across import count_bytes_in_flight
from fabricgen.nos.sonic.writing.ports import PortTable
from fabricgen.views.switch import SwitchPort, SwitchView

Rows: TypeAlias = dict[str, dict[str, object]]
"""The rows of a table: fields by key."""

LOSSLESS_POOL = "ingress_lossless_pool"
WHOLE_BUFFER = "egress_lossless_pool"
"""Profiles that are published as large as the whole buffer, in every role."""

LOSSY_GROUP = 0
LAST_QUEUE = 6
"""The last queue that published profiles cover."""


class CabledPort(NamedTuple):
    """A cabled port: its name, speed in Gb/s and the published length that its cable does not exceed, m.

    A span has its own length; a span that drops (`pauses` is False) has the shortest one, as it needs no headroom.
    """

    name: str
    speed_gbps: int
    length_m: int
    pauses: bool = True


def make_lossless_profile_name(speed_gbps: int, length: str) -> str:
    """Return the profile name of a port's lossless priority group as buffermgrd forms it:
    `pg_lossless_400000_40m_profile`.

    `length` is the length of cable in metres, as text.
    """
    return f"pg_lossless_{speed_gbps * 1000}_{length}m_profile"


@dataclass(frozen=True, slots=True)
class _BufferKey:
    """Cache key of the buffer tables of a switch without cable lengths; `buffers` are compared by identity, as
    `set_id`.
    """

    set_id: int
    ports: tuple[str, ...]
    """Names of all ports."""
    cabled: frozenset[str]
    roce_class: int
    buffers: BufferSet = field(compare=False)


def list_buffer_lengths_m(platform: SonicPlatform, port_table: PortTable) -> tuple[float, ...]:
    """Return the published lengths of cables, m, ascending; cables between two of them are treated alike."""
    buffers = platform.find_buffers(port_table.hwsku)
    return tuple(sorted(buffers.headroom)) if buffers else ()


def list_cabled_ports(
    view: SwitchView, lengths_m: Sequence[float], platform: SonicPlatform, port_table: PortTable
) -> tuple[CabledPort, ...]:
    """Return the cabled ports of a switch, each with a published length of cable that stands for its own
    (`_choose_length_m`).

    `lengths_m` are the lengths of the cables at its ports. Empty for a best-effort fabric, for a HwSKU without
    published buffers, and if a cable is longer than all published.
    """
    buffers = platform.find_buffers(port_table.hwsku)
    if buffers is None or not view.fabric.qos.lossless:
        return ()
    lengths = [_choose_length_m(buffers, port, length) for port, length in zip(view.ports, lengths_m, strict=True)]
    # one cable that is longer than all published: no table holds then, since sizes depend on each other
    if None in lengths:
        return ()
    return tuple(
        CabledPort(p.name, p.speed_gbps, m, p.may_pause)
        for p, m in zip(view.ports, lengths, strict=True)
        if m is not None
    )


def _choose_length_m(buffers: BufferSet, port: SwitchPort, cable_m: float) -> int | None:
    """Return the length by which the buffers of a port are chosen, m; None if its cable is longer than all published.

    It is the next published length above the cable's; for a lossless span that of the span; else the least published.
    """
    if port.span is None:
        return buffers.length_m(cable_m)
    return port.span.length_m if port.span.lossless else min(buffers.headroom)


def find_headroom(buffers: BufferSet, length_m: int, gbps: int) -> Headroom | None:
    """Return the headroom of a port, bytes; None for a speed that the table lacks.

    For a span longer than all published it is the headroom of the longest, with what is in flight over the difference.
    """
    if length_m in buffers.headroom:
        return buffers.headroom[length_m].get(gbps)
    # `length_m` rounds up to a published length; beyond the last there is none
    shorter = buffers.length_m(length_m) or max(buffers.headroom)
    row = buffers.headroom[shorter].get(gbps)
    if row is None or shorter >= length_m:
        return row
    # a pause takes as long as the light to arrive, and what is on the way meanwhile has to be held
    more = round(count_bytes_in_flight((length_m - shorter) / 1000, gbps))
    # xon, at which the sender goes on, is the same for every length
    return row._replace(size=row.size + more, xoff=row.xoff + more)


def make_buffer_tables(
    view: SwitchView, ports: Sequence[CabledPort], platform: SonicPlatform, port_table: PortTable
) -> Mapping[str, Mapping[str, Any]]:
    """Return, by buffer table that prints no length, the values of its template: its rows.

    Empty without ports, without published buffers, and if neither the pools for leaves nor those for the switches above
    leave room for the headroom of all ports.
    """
    key = _make_key(view, platform, port_table) if ports else None
    # SONiC's words for a leaf (t0) and for what is above it (t1)
    role = choose_role(key.buffers, "t0" if view.is_lowest else "t1", ports) if key else None
    if key is None or role is None:
        return {}
    pools: Rows = {name: dict(pool) for name, pool in role.pools.items()}
    profiles: Rows = {name: dict(profile) for name, profile in role.profiles.items()}
    profiles |= _make_lossless_profiles(key.buffers, ports)
    tables = {"BUFFER_POOL": pools, "BUFFER_PROFILE": profiles, **_make_port_tables(key)}
    return {table: _share_rows(table, rows) for table, rows in tables.items() if rows}


def make_length_tables(
    view: SwitchView, lengths: Sequence[str], platform: SonicPlatform, port_table: PortTable
) -> Mapping[str, Mapping[str, Any]]:
    """Return, by table that prints the lengths of cables, the values of its template: its rows.

    `lengths` is a text for each port: metres, or what stands for them.
    """
    key = _make_key(view, platform, port_table) if lengths else None
    if key is None:
        return {}
    # for ports without a cable
    shortest = min(key.buffers.headroom)
    cables = {port.name: f"{length}m" for port, length in zip(view.ports, lengths, strict=True)}
    profiles = {
        port.name: make_lossless_profile_name(port.speed_gbps, length)
        for port, length in zip(view.ports, lengths, strict=True)
    }
    pausing = {port.name for port in view.ports if port.may_pause}
    groups: Rows = {}
    for name, use in _list_port_buffers(key):
        groups[f"{name}|{LOSSY_GROUP}"] = {"profile": use.group}
        if name in pausing:
            groups[f"{name}|{key.roce_class}"] = {"profile": profiles[name]}
    return {
        "CABLE_LENGTH": _share_rows("CABLE_LENGTH", {"AZURE": {n: cables.get(n, f"{shortest}m") for n in key.ports}}),
        "BUFFER_PG": _share_rows("BUFFER_PG", groups),
    }


def _make_key(view: SwitchView, platform: SonicPlatform, port_table: PortTable) -> _BufferKey | None:
    buffers = platform.find_buffers(port_table.hwsku)
    # all ports of the face, since an unused one holds buffers too
    names, cabled = tuple(port.name for port in port_table.ports), frozenset(port.name for port in view.ports)
    return _BufferKey(id(buffers), names, cabled, view.fabric.qos.roce_class, buffers) if buffers else None


@lru_cache(maxsize=64)
def _make_port_tables(key: _BufferKey) -> Mapping[str, Rows]:
    """Return the buffer tables that follow from which ports are cabled."""
    used = _list_port_buffers(key)
    queues: Rows = {
        f"{name}|{queues}": {"profile": profile}
        for name, use in used
        for queues, profile in _list_queue_profiles(use, key.roce_class).items()
    }
    return {
        "BUFFER_QUEUE": queues,
        "BUFFER_PORT_INGRESS_PROFILE_LIST": {n: {"profile_list": ",".join(u.ingress)} for n, u in used if u.ingress},
        "BUFFER_PORT_EGRESS_PROFILE_LIST": {n: {"profile_list": ",".join(u.egress)} for n, u in used if u.egress},
    }


def _list_port_buffers(key: _BufferKey) -> list[tuple[str, PortBuffers]]:
    """Return (name, buffer profiles) of every port that has any."""
    cabled, unused = key.buffers.cabled, key.buffers.unused
    uses = ((name, cabled if name in key.cabled else unused) for name in key.ports)
    return [(name, use) for name, use in uses if use]


def _share_rows(table: str, rows: Rows) -> Mapping[str, Rows]:
    """Return the rows of a table under its name, as a mapping that is the same object whenever the rows are equal.

    So a table is rendered once for all switches that have it.
    """
    # as tuples, which can be keys of the cache
    return _intern_rows(table, tuple((key, tuple(fields.items())) for key, fields in rows.items()))


@lru_cache(maxsize=4096)
def _intern_rows(table: str, rows: tuple[tuple[str, tuple[tuple[str, object], ...]], ...]) -> Mapping[str, Rows]:
    return {table: {key: dict(fields) for key, fields in rows}}


def choose_role(buffers: BufferSet, preferred: BufferRole, ports: Iterable[CabledPort]) -> RoleBuffers | None:
    """Return the buffer pools of a role, "t0" (a leaf) or "t1" (a switch above), that leave room for all headroom.

    The preferred role is tried first. None if neither leaves room, or for a port's speed that the table lacks. Ports
    with a shared headroom pool (`xoff`) need no room of their own, but spans beyond the published lengths have to fit
    into it together.
    """
    pausing = [port for port in ports if port.pauses]
    rows = [find_headroom(buffers, port.length_m, port.speed_gbps) for port in pausing]
    if None in rows:
        return None
    # published headroom is in the shared pool by its maker's sizes; only what spans add has to be proven to fit
    spans = sum(
        row.xoff for port, row in zip(pausing, rows, strict=True) if row and port.length_m > max(buffers.headroom)
    )
    needed = sum(row.size for row in rows if row)
    for role in (buffers.find_role(name) for name in dict.fromkeys((preferred, "t1", "t0"))):
        # what the pools of arriving packets leave of the whole is for headroom
        room = role.pools[WHOLE_BUFFER].size - sum(p.size for p in role.pools.values() if p.type == "ingress")
        shared = role.pools[LOSSLESS_POOL].xoff
        if (needed <= room) if shared is None else (spans <= shared):
            return role
    return None


def _make_lossless_profiles(buffers: BufferSet, ports: Iterable[CabledPort]) -> Rows:
    """Return a lossless profile for each speed and cable length of ports that pause."""
    kinds = sorted({(port.speed_gbps, port.length_m) for port in ports if port.pauses})
    rows = ((gbps, m, find_headroom(buffers, m, gbps)) for gbps, m in kinds)
    return {make_lossless_profile_name(gbps, f"{m}"): _make_headroom_fields(row) for gbps, m, row in rows if row}


def _make_headroom_fields(row: Headroom) -> dict[str, object]:
    """Return the fields of BUFFER_PROFILE; None for a field that is not there."""
    return {
        "pool": LOSSLESS_POOL,
        "dynamic_th": row.threshold,
        "size": row.size,
        "xon": row.xon,
        "xoff": row.xoff,
        "xon_offset": row.xon_offset,
    }


def _list_queue_profiles(port_buffers: PortBuffers, roce_class: int) -> dict[str, str]:
    """Return the buffer profile of each range of queues, such as 0-2: lossless for the RoCE class, lossy for the
    others.
    """
    # a range is empty if the RoCE class is the first or the last one
    queues_below, queues_above = (0, roce_class - 1), (roce_class + 1, LAST_QUEUE)
    lossy = {
        _write_run(*queue_range): port_buffers.lossy_queue
        for queue_range in (queues_below, queues_above)
        if queue_range[0] <= queue_range[1]
    }
    return {**lossy, str(roce_class): port_buffers.lossless_queue}


def _write_run(lowest: int, highest: int) -> str:
    """Return a range of queues as config_db writes it: `3-4`, or `3` for a single queue."""
    return str(lowest) if lowest == highest else f"{lowest}-{highest}"

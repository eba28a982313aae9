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

from fabricgen.catalog.sonic_buffers import BufferRole, BufferSet, Headroom, PortBuffers, RoleBuffers
from fabricgen.catalog.sonic_models import SonicPlatform
from fabricgen.render.escape import json_text
from fabricgen.render.nos._sonic_ports import Face
from fabricgen.views.switch import SwitchView

_Tables: TypeAlias = Mapping[str, tuple[tuple[Any, ...], ...]]
"""Rows by table."""

LOSSLESS_POOL = "ingress_lossless_pool"
WHOLE_BUFFER = "egress_lossless_pool"
"""Published as large as the whole buffer, in every role."""

LOSSY_GROUP = 0
LAST_QUEUE = 6
"""Of those that published profiles cover."""


class Cabled(NamedTuple):
    """A cabled port: its name, speed in Gb/s and the published length that its cable does not exceed, m."""

    name: str
    speed_gbps: int
    length_m: int


def lossless_profile(speed_gbps: int, length: str) -> str:
    """The profile of a port's lossless priority group, as buffermgrd names it."""
    return f"pg_lossless_{speed_gbps * 1000}_{length}m_profile"


@dataclass(frozen=True, slots=True)
class _Shape:
    """What switches share whose buffer tables differ by cable lengths alone; the set stands for itself by its id."""

    set_id: int
    face: tuple[str, ...]
    cabled: frozenset[str]
    roce_class: int
    buffers: BufferSet = field(compare=False)


def buffer_lengths_m(platform: SonicPlatform, face: Face) -> tuple[float, ...]:
    """Published lengths of cables, ascending: those between two of them are treated alike."""
    found = platform.buffers_of(face.hwsku)
    return tuple(sorted(found.headroom)) if found else ()


def cabled_ports(
    switch: SwitchView, lengths_m: Sequence[float], platform: SonicPlatform, face: Face
) -> tuple[Cabled, ...]:
    """The ports of a switch; none where the fabric is best-effort, nothing is published, or a cable is too long."""
    found = platform.buffers_of(face.hwsku)
    if found is None or not switch.fabric.qos.lossless:
        return ()
    published = {length: length_m for length in set(lengths_m) if (length_m := found.length_m(length)) is not None}
    if not published.keys() >= set(lengths_m):
        return ()
    return tuple(Cabled(p.name, p.speed_gbps, published[m]) for p, m in zip(switch.ports, lengths_m, strict=True))


def buffer_tables(
    switch: SwitchView, ports: Sequence[Cabled], platform: SonicPlatform, face: Face
) -> Mapping[str, Mapping[str, Any]]:
    """`rows` of each buffer table that prints no length of a port; none without a role that fits the cables."""
    shape = _shape(switch, platform, face) if ports else None
    role = fitting_role(shape.buffers, "t0" if switch.is_lowest else "t1", ports) if shape else None
    if shape is None or role is None:
        return {}
    tables = {
        "BUFFER_POOL": tuple(sorted((name, _fields(dict(pool))) for name, pool in role.pools.items())),
        "BUFFER_PROFILE": tuple(sorted([*_profiles(role), *_lossless_profiles(shape.buffers, ports)])),
        **_by_port(shape),
    }
    return {table: _held(rows) for table, rows in tables.items() if rows}


def length_tables(
    switch: SwitchView, lengths: Sequence[str], platform: SonicPlatform, face: Face
) -> Mapping[str, Mapping[str, Any]]:
    """`rows` of the tables that print the length of each port, which is a text here: m, or what stands for it."""
    shape = _shape(switch, platform, face) if lengths else None
    if shape is None:
        return {}
    known = {port.name: (port.speed_gbps, length) for port, length in zip(switch.ports, lengths, strict=True)}
    none, uses = (0, str(min(shape.buffers.headroom))), _uses(shape)
    groups = (row for name, text, use in uses if use for row in _groups(text, use, known.get(name), shape.roce_class))
    return {
        "CABLE_LENGTH": _held(tuple(sorted((text, f"{known.get(name, none)[1]}m") for name, text, _ in uses))),
        "BUFFER_PG": _held(tuple(sorted(groups))),
    }


def _shape(switch: SwitchView, platform: SonicPlatform, face: Face) -> _Shape | None:
    found = platform.buffers_of(face.hwsku)
    names, cabled = tuple(port.name for port in face.ports), frozenset(port.name for port in switch.ports)
    return _Shape(id(found), names, cabled, switch.fabric.qos.roce_class, found) if found else None


@lru_cache(maxsize=64)
def _by_port(shape: _Shape) -> _Tables:
    """The tables that follow from which ports are cabled."""
    used = [(text, use) for _, text, use in _uses(shape) if use]
    return {
        "BUFFER_QUEUE": tuple(sorted(row for text, use in used for row in _queues(text, use, shape.roce_class))),
        "BUFFER_PORT_INGRESS_PROFILE_LIST": tuple(sorted((t, ",".join(use.ingress)) for t, use in used if use.ingress)),
        "BUFFER_PORT_EGRESS_PROFILE_LIST": tuple(sorted((t, ",".join(use.egress)) for t, use in used if use.egress)),
    }


@lru_cache(maxsize=64)
def _uses(shape: _Shape) -> tuple[tuple[str, str, PortBuffers | None], ...]:
    """(name, name as JSON has it, profiles or None) of every port of the face."""
    cabled, unused = shape.buffers.cabled, shape.buffers.unused
    return tuple((name, json_text(name), cabled if name in shape.cabled else unused) for name in shape.face)


@lru_cache(maxsize=4096)
def _held(rows: tuple[tuple[Any, ...], ...]) -> Mapping[str, Any]:
    """The same object for the same rows, so that a table is rendered once for all switches that have it."""
    return {"rows": rows}


def fitting_role(buffers: BufferSet, wanted: BufferRole, ports: Iterable[Cabled]) -> RoleBuffers | None:
    """The pools of a role, or of the other where only those leave room for the headroom of all ports.

    None where neither does, or a port's speed is not in the table. Ports with a shared headroom pool (`xoff`) need no
    room of their own.
    """
    rows = [buffers.headroom[port.length_m].get(port.speed_gbps) for port in ports]
    if None in rows:
        return None
    needed = sum(row.size for row in rows if row)
    for role in (buffers.role(name) for name in dict.fromkeys((wanted, "t1", "t0"))):
        left = role.pools[WHOLE_BUFFER].size - sum(p.size for p in role.pools.values() if p.type == "ingress")
        if role.pools[LOSSLESS_POOL].xoff is not None or needed <= left:
            return role
    return None


def _fields(values: Mapping[str, object]) -> tuple[tuple[str, str], ...]:
    """The fields of a row that are there, as text and in order."""
    return tuple(sorted((key, str(value)) for key, value in values.items() if value is not None))


def _profiles(role: RoleBuffers) -> list[tuple[str, tuple[tuple[str, str], ...]]]:
    return [(name, _fields(dict(profile))) for name, profile in role.profiles.items()]


def _lossless_profiles(buffers: BufferSet, ports: Iterable[Cabled]) -> list[tuple[str, tuple[tuple[str, str], ...]]]:
    found = {(port.speed_gbps, port.length_m) for port in ports}
    return [(lossless_profile(gbps, f"{m}"), _fields(_lossless(buffers.headroom[m][gbps]))) for gbps, m in found]


def _lossless(row: Headroom) -> dict[str, object]:
    own = row._asdict()
    return {"pool": LOSSLESS_POOL, "dynamic_th": own.pop("threshold"), **own}


def _groups(name: str, use: PortBuffers, port: tuple[int, str] | None, roce_class: int) -> list[tuple[str, str]]:
    lossless = [(f"{name}|{roce_class}", lossless_profile(*port))] if port else []
    return [(f"{name}|{LOSSY_GROUP}", use.group), *lossless]


def _queues(name: str, use: PortBuffers, roce_class: int) -> list[tuple[str, str]]:
    below, above = (0, roce_class - 1), (roce_class + 1, LAST_QUEUE)
    lossy = [(f"{name}|{_run(*run)}", use.lossy_queue) for run in (below, above) if run[0] <= run[1]]
    return [*lossy, (f"{name}|{roce_class}", use.lossless_queue)]


def _run(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}-{last}"

"""The comparable facts of one side: of a compiled cluster, or of the folder that a build wrote."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from fabricgen.design.summary import whole

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster
    from fabricgen.plan.tables import Ints

LinkKey: TypeAlias = tuple[str, str]
"""A link by its lower end: device and port."""

CableEnd: TypeAlias = tuple[str, str, str, str]
"""A pair of cages that a cable joins: a_device, a_cage, b_device, b_cage."""


class DeviceFacts(NamedTuple):
    """What is compared of a device; "" or None where it has no such value."""

    fabric: str
    tier: str
    model: str
    nos: str
    rack: str
    u: int | None
    asn: int | None
    loopback: str
    mgmt: str


class LinkFacts(NamedTuple):
    """What is compared of a link; addresses carry prefix lengths, "" for none."""

    fabric: str
    b_device: str
    b_port: str
    speed_gbps: int | float
    a_ip: str
    b_ip: str


class CableFacts(NamedTuple):
    """What is compared of a cable; a breakout has several ends, sorted."""

    fabric: str
    medium: str
    length_m: int | float
    ends: tuple[CableEnd, ...]


@dataclass(frozen=True, slots=True)
class Inventory:
    """One side of a comparison: devices by name, links by their lower end, cables by id."""

    devices: dict[str, DeviceFacts]
    links: dict[LinkKey, LinkFacts]
    cables: dict[str, CableFacts]


def from_cluster(cluster: Cluster) -> Inventory:
    """Take the facts of a compiled cluster."""
    with collector_paused():
        return Inventory(_cluster_devices(cluster), _cluster_links(cluster), _cluster_cables(cluster))


def from_folder(path: str | Path) -> Inventory:
    """Read the facts of a folder that a build wrote: devices.csv, links.csv and cables.csv.

    Raises InputError, naming the file, for one that is missing or not as its contract says.
    """
    from fabricgen.diff.folder import read_cables, read_devices, read_links

    folder = Path(path)
    with collector_paused():
        return Inventory(read_devices(folder), read_links(folder), read_cables(folder))


@contextmanager
def collector_paused() -> Iterator[None]:
    """Hold cyclic garbage collection: facts form no cycles, and scanning a million is slower than making it."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _cluster_devices(cluster: Cluster) -> dict[str, DeviceFacts]:
    devices, allocated = cluster.plan.devices, cluster.addresses
    classes = [(c.fabric, c.tier, c.profile.id, c.nos) for c in devices.classes]
    racks = cluster.plan.racks.names
    rows = zip(
        devices.device_class.tolist(),
        devices.rack.tolist(),
        devices.u.tolist(),
        allocated.asn.tolist(),
        *allocated.of_devices(),
        strict=True,
    )
    facts = (
        (*classes[cls], racks[rack], u or None, asn or None, loopback, mgmt)
        for cls, rack, u, asn, loopback, mgmt in rows
    )
    return dict(zip(cluster.names, map(DeviceFacts._make, facts), strict=True))


def _cluster_links(cluster: Cluster) -> dict[LinkKey, LinkFacts]:
    links, allocated, names = cluster.plan.links, cluster.addresses, cluster.name_column
    fabrics = [s.fabric for s in links.segments]
    speeds = [whole(s.speed_gbps) for s in links.segments]
    segment = links.segment.tolist()
    facts = zip(
        [fabrics[i] for i in segment],
        names[links.b_device].tolist(),
        cluster.b_port.tolist(),
        [speeds[i] for i in segment],
        *allocated.of_links(),
        strict=True,
    )
    keys = zip(names[links.a_device].tolist(), cluster.a_port.tolist(), strict=True)
    return dict(zip(keys, map(LinkFacts._make, facts), strict=True))


def _cluster_cables(cluster: Cluster) -> dict[str, CableFacts]:
    cables, links = cluster.plan.cables, cluster.plan.links
    fabrics = [s.fabric for s in links.segments]
    media = [m.medium for m in cables.media]
    order = cables.end_cable.argsort(kind="stable")
    first = cables.end_cable[order].searchsorted(range(len(cables) + 1))
    ends = _cable_ends(cluster, cables.end_link[order])
    spans = zip(first[:-1].tolist(), first[1:].tolist(), strict=True)
    facts = zip(
        [fabrics[i] for i in links.segment[cables.end_link[order[first[:-1]]]].tolist()],
        [media[i] for i in cables.medium.tolist()],
        [whole(metres) for metres in cables.length_m.tolist()],
        [(ends[i],) if j - i == 1 else tuple(sorted(ends[i:j])) for i, j in spans],
        strict=True,
    )
    return dict(zip(cluster.cable_ids, map(CableFacts._make, facts), strict=True))


def _cable_ends(cluster: Cluster, rows: Ints) -> list[CableEnd]:
    links, names = cluster.plan.links, cluster.name_column
    a_cage, b_cage = cluster.cages
    columns = (names[links.a_device[rows]], a_cage[rows], names[links.b_device[rows]], b_cage[rows])
    a_devices, a_cages, b_devices, b_cages = (column.tolist() for column in columns)
    return list(zip(a_devices, a_cages, b_devices, b_cages, strict=True))

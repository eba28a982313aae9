"""Names of addresses in the DNS: PORT.DEVICE for each, and DEVICE for the one by which a device is known."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import numpy as np

from fabricgen.cluster import Cluster
from fabricgen.design.extras.exits import NEVER, DefaultRoutes
from fabricgen.design.fabric_model import Attachment
from fabricgen.export.files.addresses import table
from fabricgen.numbering.addresses.exit_links import find_exit_segments
from fabricgen.numbering.addresses.family_tables import FamilyAddresses
from fabricgen.numbering.addresses.shared_ports import find_sharing_fabrics
from fabricgen.wiring.tables import NODE, SWITCH
from fabricgen.wiring.tenants import NOBODY, find_device_tenants

_UNNAMED = ("router-id", "exit")
"""Kinds of addresses without a name: on no interface, or of a network that others number."""


class Named(NamedTuple):
    """An address and the name of its port; `is_main`: it is that of the device, too."""

    address: str
    device: str
    label: str
    is_main: bool


def named_addresses(cluster: Cluster) -> Iterator[Named]:
    """Every address with a name, in the order of addresses.csv.

    A switch is known by its management address, else by its loopback. A node is known by the address of its first port
    of the fabric with its default route, else of its first port, never by its BMC.
    """
    mains = [
        dict(zip(cluster.names, main_addresses(cluster, found), strict=True)) for found in cluster.addresses.families
    ]
    known = {":" in next(filter(None, some.values()), ""): some for some in mains}
    for prefix, kind, device, port in table(cluster).rows():
        if kind in _UNNAMED or not port:
            continue
        address, name = str(prefix).partition("/")[0], str(device)
        yield Named(address, name, _label(str(port)), known[":" in address].get(name) == address)


def known_addresses(cluster: Cluster) -> dict[str, str]:
    """The address by which each device is known, as `named_addresses` has it, by its name: IPv4 where it has one.

    A switch that is managed by IPv6 alone is known by that, and not by a loopback of IPv4.
    """
    known = dict[str, str]()
    for found in cluster.addresses.families:
        managed = found.management.texts()
        for cls in cluster.plan.devices.classes:
            if cls.kind == SWITCH:
                pairs = zip(cluster.names[cls.rows], managed[cls.rows], strict=True)
                known = {name: address for name, address in pairs if address} | known
    for found in cluster.addresses.families:
        for name, address in zip(cluster.names, main_addresses(cluster, found), strict=True):
            if address:
                known.setdefault(name, address)
    return known


@cache
def _label(port: str) -> str:
    """The name of a port as a label of host names (RFC 1123, 2.1): `ethernet1-1` for Ethernet1/1."""
    return re.sub("[^a-z0-9]+", "-", port.lower()).strip("-")


def main_addresses(cluster: Cluster, found: FamilyAddresses) -> list[str]:
    """The address of each device by which it is known; "" for none."""
    links, exits = cluster.plan.links, find_exit_segments(cluster.design, cluster.plan)
    own = zip(found.management.texts(), found.loopback.texts(), strict=True)
    texts = [management or loopback for management, loopback in own]
    for cls in cluster.plan.devices.classes:
        if cls.kind == NODE:
            texts[cls.rows] = [""] * cls.count
    routes, tenant = DefaultRoutes(cluster.design), find_device_tenants(cluster.design, cluster.plan.devices)
    sharing = find_sharing_fabrics(cluster.plan, cluster.design, cluster.phase.absent if cluster.phase else frozenset())
    best = np.full(len(cluster.names), NEVER + 1, dtype=np.int64)
    for i, segment in enumerate(links.segments):
        if i in exits or not isinstance(segment.a, Attachment) or segment.a.role == "bmc":
            continue
        of_segment = np.flatnonzero(links.segment == i)
        for fabric in (segment.fabric, *sharing.get(i, ())):
            column = found.a if fabric == segment.fabric else found.shared[fabric]
            rows = of_segment[column.present[of_segment]]
            preferences = [
                routes.rank_fabric(fabric, segment.a.role, at, is_shared=fabric != segment.fabric)
                for at in range(NOBODY, len(cluster.design.tenants))
            ]
            devices, first = np.unique(links.a_device[rows], return_index=True)
            preference = np.array(preferences, dtype=np.int64)[tenant[devices] - NOBODY]
            better = np.flatnonzero(preference < best[devices])
            best[devices[better]] = preference[better]
            addresses = column[rows[first[better]]].texts()
            for device, address in zip(devices[better].tolist(), addresses, strict=True):
                texts[device] = address
    return texts

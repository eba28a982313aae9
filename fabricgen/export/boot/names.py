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
from fabricgen.export.files.addresses import make_table
from fabricgen.numbering.addresses.exit_links import find_exit_segments
from fabricgen.numbering.addresses.family_tables import FamilyAddresses
from fabricgen.numbering.addresses.shared_ports import find_sharing_fabrics
from fabricgen.wiring.tables import NODE, SWITCH
from fabricgen.wiring.tenants import NOBODY, find_device_tenants

_UNNAMED = ("router-id", "exit")
"""Kinds of addresses without a name: on no interface, or of a network that others number."""


class NamedAddress(NamedTuple):
    """An address and the name of its port; `is_main`: it is that of the device, too."""

    address: str
    device: str
    label: str
    is_main: bool


def list_named_addresses(cluster: Cluster) -> Iterator[NamedAddress]:
    """Every address with a name, in the order of addresses.csv.

    A switch is known by its management address, else by its loopback. A node is known by the address of its first port
    of the fabric with its default route, else of its first port, never by its BMC.
    """
    main_by_family = [
        dict(zip(cluster.names, find_main_addresses(cluster, family), strict=True))
        for family in cluster.addresses.families
    ]
    main_by_version = {
        ":" in next(filter(None, main_by_device.values()), ""): main_by_device for main_by_device in main_by_family
    }
    for prefix, kind, device, port in make_table(cluster).rows():
        if kind in _UNNAMED or not port:
            continue
        address, name = str(prefix).partition("/")[0], str(device)
        yield NamedAddress(address, name, _make_label(str(port)), main_by_version[":" in address].get(name) == address)


def find_device_addresses(cluster: Cluster) -> dict[str, str]:
    """The address by which each device is known, as `list_named_addresses` has it, by its name: IPv4 where it has one.

    A switch that is managed by IPv6 alone is known by that, and not by a loopback of IPv4.
    """
    addresses = dict[str, str]()
    for family in cluster.addresses.families:
        management_texts = family.management.texts()
        for cls in cluster.plan.devices.classes:
            if cls.kind == SWITCH:
                pairs = zip(cluster.names[cls.rows], management_texts[cls.rows], strict=True)
                addresses = {name: address for name, address in pairs if address} | addresses
    for family in cluster.addresses.families:
        for name, address in zip(cluster.names, find_main_addresses(cluster, family), strict=True):
            if address:
                addresses.setdefault(name, address)
    return addresses


@cache
def _make_label(port: str) -> str:
    """The name of a port as a label of host names (RFC 1123, 2.1): `ethernet1-1` for Ethernet1/1."""
    return re.sub("[^a-z0-9]+", "-", port.lower()).strip("-")


def find_main_addresses(cluster: Cluster, family: FamilyAddresses) -> list[str]:
    """The address of each device by which it is known; "" for none."""
    links, exits = cluster.plan.links, find_exit_segments(cluster.design, cluster.plan)
    candidates = zip(family.management.texts(), family.loopback.texts(), strict=True)
    texts = [management or loopback for management, loopback in candidates]
    for cls in cluster.plan.devices.classes:
        if cls.kind == NODE:
            texts[cls.rows] = [""] * cls.count
    routes, tenant = DefaultRoutes(cluster.design), find_device_tenants(cluster.design, cluster.plan.devices)
    sharing = find_sharing_fabrics(cluster.plan, cluster.design, cluster.phase.absent if cluster.phase else frozenset())
    # the least rank so far, by device: fabrics of lower rank win
    best = np.full(len(cluster.names), NEVER + 1, dtype=np.int64)
    for i, segment in enumerate(links.segments):
        if i in exits or not isinstance(segment.a, Attachment) or segment.a.role == "bmc":
            continue
        segment_rows = np.flatnonzero(links.segment == i)
        for fabric in (segment.fabric, *sharing.get(i, ())):
            column = family.a if fabric == segment.fabric else family.shared[fabric]
            rows = segment_rows[column.present[segment_rows]]
            preferences = [
                routes.rank_fabric(fabric, segment.a.role, tenant_number, is_shared=fabric != segment.fabric)
                for tenant_number in range(NOBODY, len(cluster.design.tenants))
            ]
            devices, first = np.unique(links.a_device[rows], return_index=True)
            preference = np.array(preferences, dtype=np.int64)[tenant[devices] - NOBODY]
            better = np.flatnonzero(preference < best[devices])
            best[devices[better]] = preference[better]
            addresses = column[rows[first[better]]].texts()
            for device, address in zip(devices[better].tolist(), addresses, strict=True):
                texts[device] = address
    return texts

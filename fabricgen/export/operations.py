"""Devices as the systems that run a cluster know them: their names and addresses in the DNS, labels, and what to expect
of them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from fabricgen.catalog.loader import Catalog
from fabricgen.cluster import Cluster
from fabricgen.design.extras.exits import NEVER, DefaultRoutes
from fabricgen.design.fabric_model import Attachment
from fabricgen.design.ports import PortRun
from fabricgen.export.files import devices
from fabricgen.export.files.addresses import make_table
from fabricgen.numbering.addresses.exit_links import find_exit_segments
from fabricgen.numbering.addresses.family_tables import FamilyAddresses
from fabricgen.numbering.addresses.shared_ports import find_sharing_fabrics
from fabricgen.numbering.underlay import runs_bgp
from fabricgen.reports.table import Cell
from fabricgen.wiring.links.columns import index_switch_ends
from fabricgen.wiring.tables import NODE, SWITCH, Segment
from fabricgen.wiring.tenants import NOBODY, find_device_tenants

LABEL_COLUMNS = ("fabric", "tier", "model", "nos", "site", "pod", "su", "rack", "rail", "plane")
"""Columns of devices.csv that become labels of metrics; numbers and addresses, by which no query groups, do not."""

Labels = dict[str, str]


def list_labels(cluster: Cluster) -> Iterator[Labels]:
    """Yield, for each device, the columns of devices.csv in which it has a value, in the order of that table.

    In place of `mgmt` there is `address`, under which the DNS knows the device: for a node the address of its host, and
    `bmc` has the address of its BMC.
    """
    table, addresses = devices.make_table(cluster), find_device_addresses(cluster)
    columns: list[Sequence[Cell]] = list(table.columns.values())
    for row in zip(*columns, strict=True):
        labels = {name: str(cell) for name, cell in zip(table.columns, row, strict=True) if cell != ""}
        management, address = labels.pop("mgmt", ""), addresses.get(labels["device"], "")
        if address:
            labels["address"] = address
        if management and "fabric" not in labels and management != address:
            labels["bmc"] = management
        yield labels


def make_metric_labels(labels: Labels, profile: str | None) -> Labels:
    """Return the labels of a device's metrics, with its alert profile if it has one.

    The device's name is `host`, because exporters call ports `device`.
    """
    device_labels = {name: labels[name] for name in LABEL_COLUMNS if name in labels}
    return {"host": labels["device"], **device_labels, **({"profile": profile} if profile else {})}


def make_identifier(text: str) -> str:
    """Return a text with only letters, digits and underscores, as Ansible and Prometheus require of names."""
    return re.sub(r"[^A-Za-z0-9_]", "_", text)


def list_configured_nos(catalog: Catalog) -> tuple[str, ...]:
    """Return every NOS for whose switches a build writes configurations, sorted."""
    return tuple(nos for nos in catalog.list_known_nos() if catalog.naming(nos).configuration.claims)


# What is expected of switches: ports by speed, uplinks among them, and sessions. Switches alike share a profile.

Ports = tuple[tuple[float, tuple[str, ...]], ...]
"""Names of ports by their speed, Gb/s, ascending."""


class ExpectedCounts(NamedTuple):
    """What is expected of a switch: its uplinks (names of ports to switches above or beside it), its ports with a link,
    and the number of its sessions.

    `sessions` is the least number of BGP sessions with other switches: one for each link between two switches that run
    BGP. Address families and VRFs may add more.
    """

    fabric: str
    tier: str
    uplinks: tuple[str, ...]
    ports: Ports
    sessions: int


class AlertProfile(NamedTuple):
    """Switches of which the same is expected: a name, and their rows of the device table, ascending."""

    name: str
    expected: ExpectedCounts
    switches: tuple[int, ...]


def list_profiles(cluster: Cluster) -> list[AlertProfile]:
    """Return the profiles of all switches that have a configuration, in the order of the device table."""
    rows_by_expected = dict[ExpectedCounts, list[int]]()
    for row, expected in _list_expected(cluster):
        rows_by_expected.setdefault(expected, []).append(row)
    numbers, named_profiles = Counter[str](), list[AlertProfile]()
    for expected, rows in rows_by_expected.items():
        tier = f"{expected.fabric}-{expected.tier}"  # two tiers may share this text: a-b and c, a and b-c
        numbers[tier] += 1
        named_profiles.append(AlertProfile(f"{tier}-{numbers[tier]}", expected, tuple(rows)))
    return named_profiles


def map_switch_profiles(cluster: Cluster, profiles: Iterable[AlertProfile]) -> dict[str, str]:
    """Return the name of the profile of each switch by the switch's name."""
    return {cluster.names[row]: profile.name for profile in profiles for row in profile.switches}


def _list_expected(cluster: Cluster) -> Iterator[tuple[int, ExpectedCounts]]:
    """Yield (row of the device table, what is expected of its ports and sessions) for each switch that a build
    configures.
    """
    plan, classes = cluster.plan, cluster.plan.devices.classes
    links, (pointer, link_of, upper_of) = plan.links, index_switch_ends(plan)
    joins_switches = np.array(
        [isinstance(s.a, PortRun) and isinstance(s.b, PortRun) for s in links.segments], dtype=bool
    )
    routed = np.array([_has_sessions(cluster, segment) for segment in links.segments], dtype=bool)
    outside_bonds = plan.bonds.of_link < 0 if plan.bonds else np.ones(len(links), dtype=bool)
    speeds = [float(segment.speed_gbps) for segment in links.segments]
    configured = list_configured_nos(cluster.design.catalog)
    for row in cluster.switch_rows():
        cls = classes[plan.devices.device_class[row]]
        if cls.nos not in configured:
            continue
        # ends are sorted by switch: those of one switch are a slice
        ends = slice(pointer[row], pointer[row + 1])
        row_links, upper = link_of[ends], upper_of[ends]
        segment = links.segment[row_links]
        names = np.where(upper, cluster.b_port[row_links], cluster.a_port[row_links]).tolist()
        uplink_flags = (joins_switches[segment] & ~upper).tolist()
        by_speed = dict[float, list[str]]()
        for name, number in zip(names, segment.tolist(), strict=True):
            by_speed.setdefault(speeds[number], []).append(name)
        uplinks = tuple(name for name, is_up in zip(names, uplink_flags, strict=True) if is_up)
        ports = tuple((speed, tuple(port_names)) for speed, port_names in sorted(by_speed.items()))
        yield (
            row,
            ExpectedCounts(
                cls.fabric, cls.tier, uplinks, ports, int((routed[segment] & outside_bonds[row_links]).sum())
            ),
        )


def _has_sessions(cluster: Cluster, segment: Segment) -> bool:
    """Whether each link of a segment has a session, because both its ends are switches that run BGP."""
    if not (isinstance(segment.a, PortRun) and isinstance(segment.b, PortRun)) or segment.lower_tier is None:
        return False
    return segment.protocol in ("ethernet", "roce") and runs_bgp(cluster.design, cluster.design.fabric(segment.fabric))


# Names of addresses in the DNS: PORT.DEVICE for each, and DEVICE for the address by which a device is known.

_UNNAMED = ("router-id", "exit")
"""Kinds of addresses without a name: on no interface, or of a network that others number."""


class NamedAddress(NamedTuple):
    """An address and the name of its port; `is_main` says that it is also the address of its device."""

    address: str
    device: str
    label: str
    is_main: bool


def list_named_addresses(cluster: Cluster) -> Iterator[NamedAddress]:
    """Yield every address that has a name, in the order of addresses.csv.

    A switch is known by its management address, else by its loopback. A node is known by the address of its first port
    on the fabric with its default route, else of its first port, never by its BMC.
    """
    # by whether addresses are of IPv6
    main_by_version: dict[bool, dict[str, str]] = {}
    for family in cluster.addresses.families:
        main_by_device = dict(zip(cluster.names, find_main_addresses(cluster, family), strict=True))
        main_by_version[":" in next(filter(None, main_by_device.values()), "")] = main_by_device
    for prefix, kind, device, port in make_table(cluster).rows():
        if kind in _UNNAMED or not port:
            continue
        address, name = str(prefix).partition("/")[0], str(device)
        yield NamedAddress(address, name, _make_label(str(port)), main_by_version[":" in address].get(name) == address)


def find_device_addresses(cluster: Cluster) -> dict[str, str]:
    """Return the address by which each device is known, by its name: IPv4 if it has one.

    The addresses are the main ones of `list_named_addresses`. A switch that is managed by IPv6 alone is known by that
    address, not by a loopback of IPv4.
    """
    addresses = dict[str, str]()
    for family in cluster.addresses.families:
        for cls in cluster.plan.devices.classes:
            if cls.kind == SWITCH:
                pairs = zip(cluster.names[cls.rows], family.management.texts()[cls.rows], strict=True)
                addresses = {name: address for name, address in pairs if address} | addresses
    for family in cluster.addresses.families:
        for name, address in zip(cluster.names, find_main_addresses(cluster, family), strict=True):
            if address:
                addresses.setdefault(name, address)
    return addresses


@cache
def _make_label(port: str) -> str:
    """Return the name of a port as a label of host names (RFC 1123, 2.1): `ethernet1-1` for Ethernet1/1."""
    return re.sub("[^a-z0-9]+", "-", port.lower()).strip("-")


def find_main_addresses(cluster: Cluster, family: FamilyAddresses) -> list[str]:
    """Return the address of a family by which each device is known; "" for none."""
    links, exits = cluster.plan.links, find_exit_segments(cluster.design, cluster.plan)
    candidates = zip(family.management.texts(), family.loopback.texts(), strict=True)
    texts = [management or loopback for management, loopback in candidates]
    for cls in cluster.plan.devices.classes:
        if cls.kind == NODE:
            texts[cls.rows] = [""] * cls.count
    routes, tenant = DefaultRoutes(cluster.design), find_device_tenants(cluster.design, cluster.plan.devices)
    sharing = find_sharing_fabrics(cluster.plan, cluster.design, cluster.phase.absent if cluster.phase else frozenset())
    # by device, the least rank so far: fabrics of lower rank win
    best_rank = np.full(len(cluster.names), NEVER + 1, dtype=np.int64)
    for i, segment in enumerate(links.segments):
        if i in exits or not isinstance(segment.a, Attachment) or segment.a.role == "bmc":
            continue
        segment_rows = np.flatnonzero(links.segment == i)
        for fabric in (segment.fabric, *sharing.get(i, ())):
            column = family.a if fabric == segment.fabric else family.shared[fabric]
            rows = segment_rows[column.present[segment_rows]]
            # the first is for devices of no tenant (NOBODY, -1), so that a tenant is found at its number + 1
            preferences = [
                routes.rank_fabric(fabric, segment.a.role, tenant_number, is_shared=fabric != segment.fabric)
                for tenant_number in range(NOBODY, len(cluster.design.tenants))
            ]
            devices, first_index = np.unique(links.a_device[rows], return_index=True)
            preference = np.array(preferences, dtype=np.int64)[tenant[devices] - NOBODY]
            is_better = np.flatnonzero(preference < best_rank[devices])
            best_rank[devices[is_better]] = preference[is_better]
            addresses = column[rows[first_index[is_better]]].texts()
            for device, address in zip(devices[is_better].tolist(), addresses, strict=True):
                texts[device] = address
    return texts

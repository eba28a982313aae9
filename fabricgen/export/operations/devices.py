"""Devices as the systems that run a cluster know them: by what the plan says of each."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from fabricgen.catalog.loader import Catalog
from fabricgen.cluster import Cluster
from fabricgen.design.ports import PortRun
from fabricgen.export.boot.names import find_device_addresses
from fabricgen.export.files import devices
from fabricgen.numbering.underlay import runs_bgp
from fabricgen.reports.table import Cell
from fabricgen.wiring.links.columns import index_switch_ends
from fabricgen.wiring.tables import Segment

LABEL_COLUMNS = ("fabric", "tier", "model", "nos", "site", "pod", "su", "rack", "rail", "plane")
"""Columns of devices.csv that are labels of metrics; numbers and addresses that no query groups by are not."""

Labels = dict[str, str]


def list_labels(cluster: Cluster) -> Iterator[Labels]:
    """Each device with the columns of devices.csv that it has a value in, in the order of that table.

    In place of `mgmt` is `address`, by which the DNS knows it: a node's is that of its host, and `bmc` its BMC's.
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
    """The labels of a device's metrics: its name as `host`, as exporters call ports `device`, and its profile."""
    device_labels = {name: labels[name] for name in LABEL_COLUMNS if name in labels}
    return {"host": labels["device"], **device_labels, **({"profile": profile} if profile else {})}


def make_identifier(text: str) -> str:
    """Text as part of a name of letters, digits and underscores, which Ansible and Prometheus ask for."""
    return re.sub(r"[^A-Za-z0-9_]", "_", text)


def list_configured_nos(catalog: Catalog) -> tuple[str, ...]:
    """Every NOS for whose switches a build writes configurations, sorted."""
    return tuple(nos for nos in catalog.list_known_nos() if catalog.naming(nos).configuration.claims)


# What is expected of switches: ports by speed, uplinks among them, and sessions; switches alike are one profile.

Ports = tuple[tuple[float, tuple[str, ...]], ...]
"""Names of ports by their speed, Gb/s, ascending."""


class ExpectedCounts(NamedTuple):
    """Of a switch: ports to switches above it or beside it, all that have a link, and sessions with switches at least.

    There is a session for each link between switches that run BGP; families and VRFs may have more of them.
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
    """The profiles of all switches that have a configuration, in the order of the device table."""
    rows_by_expected = dict[ExpectedCounts, list[int]]()
    for row, expected in _list_expected(cluster):
        rows_by_expected.setdefault(expected, []).append(row)
    numbers, named_profiles = Counter[str](), list[AlertProfile]()
    for expected, rows in rows_by_expected.items():
        tier = f"{expected.fabric}-{expected.tier}"  # which two may have: a-b and c, a and b-c
        numbers[tier] += 1
        named_profiles.append(AlertProfile(f"{tier}-{numbers[tier]}", expected, tuple(rows)))
    return named_profiles


def map_switch_profiles(cluster: Cluster, profiles: Iterable[AlertProfile]) -> dict[str, str]:
    """The profile of each switch by the switch's name."""
    return {cluster.names[row]: profile.name for profile in profiles for row in profile.switches}


def _list_expected(cluster: Cluster) -> Iterator[tuple[int, ExpectedCounts]]:
    # (row, what is expected of its ports and sessions) of each switch that a build configures
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
        # ends are by switch, each switch's a slice
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
    """Whether each link has a session: both ends are switches that run BGP."""
    if not (isinstance(segment.a, PortRun) and isinstance(segment.b, PortRun)) or segment.lower_tier is None:
        return False
    return segment.protocol in ("ethernet", "roce") and runs_bgp(cluster.design, cluster.design.fabric(segment.fabric))

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
from fabricgen.export.boot.names import known_addresses
from fabricgen.export.files import devices
from fabricgen.export.table import Cell
from fabricgen.numbering.underlay import runs_bgp
from fabricgen.wiring.links.columns import index_switch_ends
from fabricgen.wiring.tables import Segment

TOLD = ("fabric", "tier", "model", "nos", "site", "pod", "su", "rack", "rail", "plane")
"""Columns of devices.csv that are labels of metrics; numbers and addresses that no query groups by are not."""

Labels = dict[str, str]


def labelled(cluster: Cluster) -> Iterator[Labels]:
    """Each device with the columns of devices.csv that it has a value in, in the order of that table.

    In place of `mgmt` is `address`, by which the DNS knows it: a node's is that of its host, and `bmc` its BMC's.
    """
    table, known = devices.table(cluster), known_addresses(cluster)
    columns: list[Sequence[Cell]] = list(table.columns.values())
    for row in zip(*columns, strict=True):
        labels = {name: str(cell) for name, cell in zip(table.columns, row, strict=True) if cell != ""}
        management, address = labels.pop("mgmt", ""), known.get(labels["device"], "")
        if address:
            labels["address"] = address
        if management and "fabric" not in labels and management != address:
            labels["bmc"] = management
        yield labels


def of_metrics(labels: Labels, profile: str | None) -> Labels:
    """The labels of a device's metrics: its name as `host`, as exporters call ports `device`, and its profile."""
    told = {name: labels[name] for name in TOLD if name in labels}
    return {"host": labels["device"], **told, **({"profile": profile} if profile else {})}


def word(text: str) -> str:
    """Text as part of a name of letters, digits and underscores, which Ansible and Prometheus ask for."""
    return re.sub(r"[^A-Za-z0-9_]", "_", text)


def configured_nos(catalog: Catalog) -> tuple[str, ...]:
    """Every NOS for whose switches a build writes configurations, sorted."""
    return tuple(nos for nos in catalog.known_nos() if catalog.naming(nos).configuration.claims)


# What is expected of switches: ports by speed, uplinks among them, and sessions; switches alike are one profile.

Ports = tuple[tuple[float, tuple[str, ...]], ...]
"""Names of ports by their speed, Gb/s, ascending."""


class Expected(NamedTuple):
    """Of a switch: ports to switches above it or beside it, all that have a link, and sessions with switches at least.

    There is a session for each link between switches that run BGP; families and VRFs may have more of them.
    """

    fabric: str
    tier: str
    uplinks: tuple[str, ...]
    ports: Ports
    sessions: int


class Profile(NamedTuple):
    """Switches of which the same is expected: a name, and their rows of the device table, ascending."""

    name: str
    expected: Expected
    switches: tuple[int, ...]


def profiles(cluster: Cluster) -> list[Profile]:
    """The profiles of all switches that have a configuration, in the order of the device table."""
    found = dict[Expected, list[int]]()
    for row, expected in _expected(cluster):
        found.setdefault(expected, []).append(row)
    numbers, named = Counter[str](), list[Profile]()
    for expected, rows in found.items():
        tier = f"{expected.fabric}-{expected.tier}"  # which two may have: a-b and c, a and b-c
        numbers[tier] += 1
        named.append(Profile(f"{tier}-{numbers[tier]}", expected, tuple(rows)))
    return named


def by_name(cluster: Cluster, found: Iterable[Profile]) -> dict[str, str]:
    """The profile of each switch by the switch's name."""
    return {cluster.names[row]: profile.name for profile in found for row in profile.switches}


def _expected(cluster: Cluster) -> Iterator[tuple[int, Expected]]:
    plan, classes = cluster.plan, cluster.plan.devices.classes
    links, (pointer, link_of, upper_of) = plan.links, index_switch_ends(plan)
    between = np.array([isinstance(s.a, PortRun) and isinstance(s.b, PortRun) for s in links.segments], dtype=bool)
    routed = np.array([_has_sessions(cluster, segment) for segment in links.segments], dtype=bool)
    alone = plan.bonds.of_link < 0 if plan.bonds else np.ones(len(links), dtype=bool)
    speeds = [float(segment.speed_gbps) for segment in links.segments]
    configured = configured_nos(cluster.design.catalog)
    for row in cluster.switch_rows():
        cls = classes[plan.devices.device_class[row]]
        if cls.nos not in configured:
            continue
        ends = slice(pointer[row], pointer[row + 1])
        here, upper = link_of[ends], upper_of[ends]
        segment = links.segment[here]
        names = np.where(upper, cluster.b_port[here], cluster.a_port[here]).tolist()
        up = (between[segment] & ~upper).tolist()
        by_speed = dict[float, list[str]]()
        for name, number in zip(names, segment.tolist(), strict=True):
            by_speed.setdefault(speeds[number], []).append(name)
        uplinks = tuple(name for name, is_up in zip(names, up, strict=True) if is_up)
        ports = tuple((speed, tuple(some)) for speed, some in sorted(by_speed.items()))
        yield row, Expected(cls.fabric, cls.tier, uplinks, ports, int((routed[segment] & alone[here]).sum()))


def _has_sessions(cluster: Cluster, segment: Segment) -> bool:
    """Whether each link has a session: both ends are switches that run BGP."""
    if not (isinstance(segment.a, PortRun) and isinstance(segment.b, PortRun)) or segment.lower_tier is None:
        return False
    return segment.protocol in ("ethernet", "roce") and runs_bgp(cluster.design, cluster.design.fabric(segment.fabric))

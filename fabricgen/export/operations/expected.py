"""What is expected of switches: ports by speed, uplinks among them, and sessions; switches alike are one profile."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from fabricgen.cluster import Cluster
from fabricgen.design.ports import PortRun
from fabricgen.export.operations.devices import configured_nos
from fabricgen.numbering.underlay import runs_bgp
from fabricgen.wiring.links.switch_ends import switch_ends
from fabricgen.wiring.tables import Segment

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
    links, (pointer, link_of, upper_of) = plan.links, switch_ends(plan)
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

"""Static routes as a forwarding machine: every branch of every path arrives, nothing loops, planes stay apart."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabricgen.cluster import Cluster, build_cluster
from fabricgen.design.model import Design
from fabricgen.views.static_routes import merge_ranges, split_range
from fabricgen.views.switch import SwitchView
from tests.render.rendered import STATIC, cluster_of

THREE_TIERS = """
fabricgen: 1
name: three
scalable_unit: {nodes: 4 x generic-server}
pods: {p1: {su: 2, reserve: 3}, p2: {su: 2}}
omit: [p1/su-1/node-2]
routing: {underlay: static}
fabrics:
  compute:
    protocol: roce
    tiers:
      leaf: {switch: sn4700, per: [su, rail], uplinks: 4 x 400G}
      spine: {switch: sn4700, per: pod, count: 2, uplinks: 4 x 200G}
      core: {switch: sn4700, per: spine, count: 2}
    extra: {wall: {device: xe9680-h200, attach: compute, ports: 1, to: core}}
"""
TWIN_PLANES = """
fabricgen: 1
name: twin
scalable_unit: {nodes: 2 x dgx-b300}
pods: {p1: {su: 2}}
routing: {underlay: static}
fabrics:
  compute:
    protocol: roce
    planes: 2
    tiers:
      leaf: {switch: sn5600, per: [su, rail, plane]}
      spine: {switch: sn5600, per: plane, count: 2}
"""


@pytest.mark.slow
@pytest.mark.parametrize("text", [THREE_TIERS, TWIN_PLANES], ids=["three-tiers", "twin-planes"])
def test_ipv6_goes_where_ipv4_goes(text: str, design_of: Callable[..., Design]) -> None:
    both, alone = (build_cluster(design_of(text, [f"ip={ip}"])) for ip in ("dual", "v6"))
    for switch, six in zip(both.switches(), alone.switches(), strict=True):
        ways = [
            [
                (tuple(port for port, _ in route.hops), route.discard)
                for (_, prefix), route in switch.routes.items()
                if (":" in prefix) == v6
            ]
            for v6 in (False, True)
        ]
        assert ways[0] == ways[1]
        assert ways[1]
        assert six.routes == {key: route for key, route in switch.routes.items() if ":" in key[1]}
        assert all(":" in address for route in six.routes.values() for _, address in route.hops)


class Machine:
    """Looks addresses up as switches do, and follows every next hop."""

    def __init__(self, cluster: Cluster, cut: frozenset[tuple[str, str]] = frozenset()) -> None:
        self.switches = {s.name: s for s in cluster.switches()}
        self.cut = cut
        self.ends = {(s.name, p.name): p for s in self.switches.values() for p in s.ports}

    def outcomes(self, at: str, address: str, hops: int = 0) -> set[str]:
        """Where packets end: a device, `drop`, or `loop`."""
        if hops > 8:
            return {"loop"}
        switch = self.switches[at]
        if address == switch.loopback:
            return {at}
        for port in switch.ports:
            if port.peer_address and port.peer_address.partition("/")[0] == address:
                return {port.peer}
        found: set[str] = set()
        for port_name in self.best(switch, address):
            found |= self.outcomes(self.ends[at, port_name].peer, address, hops + 1)
        return found or {"drop"}

    def best(self, switch: SwitchView, address: str) -> list[str]:
        """Ports of the longest match that has a live next hop, unless it says to drop."""
        for (_, prefix), route in sorted(switch.routes.items(), key=lambda item: -length(item[0][1])):
            if ipaddress.ip_address(address) in ipaddress.ip_network(prefix):
                live = [
                    port for port, _ in route.hops if (switch.name, self.ends[switch.name, port].peer) not in self.cut
                ]
                if live or route.discard:
                    return live
        return []


def length(prefix: str) -> int:
    return int(prefix.partition("/")[2])


@pytest.fixture(params=["two tiers", "three tiers", "planes"])
def cluster(request: pytest.FixtureRequest, design_of: Callable[..., Design]) -> Cluster:
    if request.param == "two tiers":
        return cluster_of("leaf-spine", *STATIC)
    return build_cluster(design_of(THREE_TIERS if request.param == "three tiers" else TWIN_PLANES))


def plane_of(name: str) -> str:
    return "1" if "-pl1-" in name else "2" if "-pl2-" in name else ""


@pytest.mark.slow
def test_every_host_and_leaf_is_reached_over_every_branch(cluster: Cluster) -> None:
    machine = Machine(cluster)
    leaves = [s for s in machine.switches.values() if s.is_lowest]
    targets = {(s.name, s.loopback, s.name) for s in leaves}
    targets |= {
        (s.name, p.peer_address.partition("/")[0], p.peer)
        for s in machine.switches.values()
        for p in s.ports
        if p.role == "host" and p.peer_address
    }
    for leaf in leaves:
        for owner, address, device in sorted(targets):
            reached = machine.outcomes(leaf.name, address)
            same = plane_of(owner) == plane_of(leaf.name)
            assert reached == ({device} if same else {"drop"}), (leaf.name, owner, address)


def test_routes_lie_exactly_over_what_is_below(cluster: Cluster) -> None:
    machine = Machine(cluster)
    known: set[int] = set()
    for switch in machine.switches.values():
        known.add(int(ipaddress.ip_address(switch.loopback)))
        if switch.services[0].host_subnet:
            net = ipaddress.ip_network(switch.services[0].host_subnet)
            known |= set(range(int(net[0]), int(net[-1]) + 1))
    for switch in machine.switches.values():
        for _, prefix in switch.routes:
            net = ipaddress.ip_network(prefix)
            if net.prefixlen:
                assert set(range(int(net[0]), int(net[-1]) + 1)) <= known, (switch.name, prefix)


def test_the_lowest_tier_has_a_default_route_over_all_uplinks(cluster: Cluster) -> None:
    top = max(s.level for s in cluster.switches())
    for switch in cluster.switches():
        default = [r for (_, prefix), r in switch.routes.items() if prefix == "0.0.0.0/0"]
        ups = {(p.name, p.peer_address.partition("/")[0]) for p in switch.ports if p.role == "up"}
        assert bool(default) == (switch.level < top)
        assert {hop for r in default for hop in r.hops} == ups
        assert switch.asn == 0


@pytest.mark.slow
def test_addresses_of_nobody_are_dropped_and_do_not_bounce(cluster: Cluster) -> None:
    machine = Machine(cluster)
    for leaf in (s for s in machine.switches.values() if s.is_lowest):
        for owner in machine.switches.values():
            subnet = owner.services[0].host_subnet
            last = str(ipaddress.ip_network(subnet)[-1]) if subnet else ""
            if last and all(port.peer_address.partition("/")[0] != last for port in owner.ports):
                assert machine.outcomes(leaf.name, last) == {"drop"}
        assert machine.outcomes(leaf.name, "192.0.2.1") == {"drop"}


def test_lost_links_make_holes_and_no_loops(design_of: Callable[..., Design]) -> None:
    cluster = build_cluster(design_of(THREE_TIERS))
    spine, leaf = "compute-spine-p1-01", "compute-leaf-p1-su01-r1-01"
    machine = Machine(cluster, cut=frozenset([(spine, leaf), (leaf, spine)]))
    host = next(p for p in machine.switches[leaf].ports if p.role == "host")
    for source in (s for s in machine.switches.values() if s.is_lowest):
        assert "loop" not in machine.outcomes(source.name, host.peer_address.partition("/")[0])


def test_switches_between_the_same_others_share_their_prefixes(design_of: Callable[..., Design]) -> None:
    cores = [switch for switch in build_cluster(design_of(THREE_TIERS)).switches() if switch.tier.name == "core"]
    one, other = (core.routes for core in cores[:2])
    assert len(one) == len(other) > 4
    assert all(a is b for (_, a), (_, b) in zip(one, other, strict=True))
    assert all(a.hops != b.hops for a, b in zip(one.values(), other.values(), strict=True) if a.hops)


def test_neighbouring_blocks_become_one_route(design_of: Callable[..., Design]) -> None:
    core = next(s for s in build_cluster(design_of(THREE_TIERS)).switches() if s.tier.name == "core")
    blocks = [prefix for _, prefix in core.routes if length(prefix) < 32]
    assert blocks == ["10.0.0.50/31", "10.0.0.56/31", "10.128.0.0/23", "10.128.3.0/24", "10.128.4.0/24"]


@given(st.lists(st.tuples(st.integers(0, 300), st.integers(1, 40)), max_size=12))
def test_prefixes_cover_intervals_exactly(spans: list[tuple[int, int]]) -> None:
    wanted = {n for first, size in spans for n in range(first, first + size)}
    found: list[int] = []
    for first, end in merge_ranges((first, first + size) for first, size in spans):
        for base, bits in split_range(first, end):
            assert base % (1 << 32 - bits) == 0
            found += range(base, base + (1 << 32 - bits))
    assert sorted(found) == sorted(wanted)

"""`weights: link-bandwidth` in FRR and the kernel: next hops weigh as many shortest paths as lead on from them.

FRR 8 divides 100 among the next hops of a route and rounds down (bgp_zebra.c); later versions give the widest 254.
"""

from __future__ import annotations

import json
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from fabricgen.lab.fabric import Lab
from fabricgen.lab.files import Build, kernel_name
from tests.conftest import built_files
from tests.render.frr_lab import lab
from tests.render.lab_files import PARTS
from tests.srv6.fabrics import compile_page

pytestmark = [pytest.mark.daemon, pytest.mark.slow]

WEIGHED = "routing.weights=link-bandwidth"
HEAD = """
fabricgen: 1
name: weighed
scalable_unit: {nodes: 2 x dgx-b200}
omit: [p1/su-1/node-1]
"""
UNEVEN = f"""{HEAD}
pods: {{p1: {{su: 1}}}}
fabrics:
  compute:
    protocol: roce
    rail_groups: [[1, 2], [3, 4], [5, 6], [7, 8]]
    tiers:
      leaf: {{switch: sn5600, per: [su, rail-group], uplinks: 5 x 400G}}
      spine: {{switch: sn5600, count: 3, spread: uneven}}
"""
"""One or two links from a leaf to a spine, dealt in turn."""
THREE_TIERS = f"""{HEAD}
pods: {{p1: {{su: 1}}, p2: {{su: 1}}}}
fabrics:
  compute:
    protocol: roce
    rail_groups: [[1, 2, 3, 4], [5, 6, 7, 8]]
    tiers:
      leaf: {{switch: sn5600, per: [su, rail-group], uplinks: 2 x 400G}}
      spine: {{switch: sn5600, per: pod, count: 2, uplinks: 5 x 400G}}
      core: {{switch: sn5600, count: 3, spread: uneven}}
"""
GROUPS = """
fabricgen: 1
name: weighed
scalable_unit: {nodes: 2 x generic-server}
pods: {p1: {su: 3}}
fabrics:
  compute:
    protocol: ethernet
    hosts: routed
    tiers:
      router: {switch: sn4700, per: su, count: 3, spread: stripe, mesh: {router: 1, su: {links: 4, spread: true}}}
nos: sonic
"""
"""A dragonfly: of four links between two groups of three routers, one router of a group has two."""
CASES = [
    (UNEVEN, ()),
    (UNEVEN, ("nos={leaf: cumulus, spine: sonic}",)),
    (UNEVEN, ("ip=v6", "routing.underlay=ebgp-unnumbered")),
    (THREE_TIERS, ()),
    (GROUPS, ()),
]
"""Cumulus Linux takes part with what its files come to, SONiC with its own."""


def built(page: str, *sets: str) -> Build:
    files = built_files(compile_page(page, *sets, WEIGHED), *PARTS)
    return Build({path: content.decode() for path, content in files.items()})


def count_ways(build: Build, target: str) -> tuple[dict[str, int], dict[str, int]]:
    """(links to a switch, how many shortest paths those make), by switch; parallel links are paths of their own."""
    links = [(link.a.device, link.b.device) for link in build.links]
    ends = Counter((a, b) for pair in links for a, b in (pair, pair[::-1]) if {a, b} <= set(build.switches))
    distance, ways, ring = {target: 0}, {target: 1}, [target]
    while ring:
        found: Counter[str] = Counter()
        for near in ring:
            for (a, b), number in ends.items():
                if a == near and b not in distance:
                    found[b] += ways[near] * number
        distance |= dict.fromkeys(found, distance[ring[0]] + 1)
        ways |= found
        ring = list(found)
    return distance, ways


def list_wanted(build: Build) -> Iterator[tuple[str, str, dict[str, float]]]:
    """(switch, loopback of a leaf, the share of flows by own port) of every route over several next hops."""
    for target in build.lowest:
        distance, ways = count_ways(build, target)
        (loopback,) = build.forms[target].loopbacks
        for switch in set(distance) - {target}:
            far = {near.port: end.device for near, end in build.far.items() if near.device == switch}
            hops = {p: ways[d] for p, d in far.items() if distance.get(d, 99) == distance[switch] - 1}
            total = sum(hops.values())
            if len(hops) > 1:
                yield switch, loopback, {kernel_name(port): number / total for port, number in hops.items()}


def shares_of(running: Lab, switch: str, prefix: str) -> dict[str, float]:
    """The share of flows by port that the kernel of a switch has for a route; empty where it has none."""
    words = ["ip", "-j", "-n", running.spaces[switch], *(["-6"] if ":" in prefix else []), "route", "show", prefix]
    routes = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout or "[]")
    hops = [hop for route in routes for hop in route.get("nexthops", [])]
    total = sum(hop["weight"] for hop in hops)
    return {hop["dev"]: hop["weight"] / total for hop in hops}


def find_strange(running: Lab, build: Build) -> list[str]:
    """Routes whose next hops are not those that the plan has, or do not weigh as much within a hundredth."""
    return [
        f"{switch} to {prefix}: {found}, wanted {shares}"
        for switch, prefix, shares in list_wanted(build)
        if (found := shares_of(running, switch, prefix)).keys() != shares.keys()
        or any(abs(found[port] - share) > 0.01 for port, share in shares.items())
    ]


def await_shares(running: Lab, build: Build) -> None:
    """Ask again until all routes are as the plan has them."""
    deadline = time.monotonic() + 300
    while (strange := find_strange(running, build)) and time.monotonic() < deadline:
        time.sleep(0.5)
    assert not strange, strange[:3]


@pytest.mark.parametrize(("page", "sets"), CASES)
def test_next_hops_weigh_the_paths_behind_them(page: str, sets: tuple[str, ...], short_path: Path) -> None:
    build = built(page, *sets)
    wanted = list(list_wanted(build))
    assert any(len({round(share, 6) for share in shares.values()}) > 1 for *_, shares in wanted)
    with lab(build, short_path) as running:
        await_shares(running, build)


def test_a_lost_link_is_known_beyond_the_switch_that_lost_it(short_path: Path) -> None:
    """A spine with one of two links to a leaf gets half as much for it from every other leaf."""
    build = built(UNEVEN, "fabrics.compute.tiers.leaf.uplinks=6 x 400G")
    assert {round(share, 3) for *_, shares in list_wanted(build) for share in shares.values()} == {0.167, 0.5}
    number = next(n for n, link in enumerate(build.links) if {link.a.device, link.b.device} <= set(build.switches))
    head, *rows = build.files["links.csv"].splitlines(keepends=True)
    rest = Build({**build.files, "links.csv": "".join([head, *rows[:number], *rows[number + 1 :]])})
    with lab(build, short_path) as running:
        await_shares(running, build)
        end = build.links[number].a
        subprocess.run(
            ["ip", "-n", running.spaces[end.device], "link", "set", kernel_name(end.port), "down"], check=True
        )
        await_shares(running, rest)

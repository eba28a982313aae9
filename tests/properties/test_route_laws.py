"""What lint says of sessions and routes is never more than the wired cluster has: a finding on them is never false."""

from __future__ import annotations

from collections import Counter, defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabricgen.design.capacity.bisection import list_chains
from fabricgen.design.ports import PortRun
from fabricgen.lint.rule import DesignRule, load_all_rules
from fabricgen.lint.subjects.route_counts import count_announced, count_ecmp_groups, count_ecmp_paths, count_sessions
from fabricgen.numbering.underlay import runs_bgp
from fabricgen.wiring.tables import DeviceClass
from tests.properties.blueprints import FAMILIES
from tests.properties.case import Case
from tests.properties.compiling import cases, compiled_or_dropped

NEVER = ("FG410", "FG411", "FG516", "FG718", "FG724", "FG725", "FG726", "FG728", "FG744", "FG745", "FG816")
"""Rules on what no generated blueprint states: limits, feeds, servers, thresholds, and tables of toys."""


@pytest.mark.slow
@pytest.mark.law
@pytest.mark.parametrize("family", FAMILIES)
def test_routes_and_sessions_are_those_of_the_links(family: str) -> None:
    @cases(20)
    @given(st.deferred(FAMILIES[family]))
    def judge(tree: dict) -> None:
        case = Case(compiled_or_dropped(tree))
        _judge_sessions(case)
        _judge_announced(case)
        said = [
            d.text()
            for r in load_all_rules()
            if r.id in NEVER and isinstance(r, DesignRule)
            for d in r.check(case.cluster.design)
        ]
        assert said == []

    judge()


def _judge_sessions(case: Case) -> None:
    """The counts of a tier are those of its busiest switch."""
    design = case.cluster.design
    peers: dict[int, Counter[int]] = defaultdict(Counter)
    for link in case.network:
        if isinstance(link.segment.a, PortRun):
            peers[link.a][link.b] += 1
            peers[link.b][link.a] += 1
    for tier, cls in case.classes():
        fabric = design.fabric(tier.fabric)
        if runs_bgp(design, fabric):
            most = max((peers[row].total() for row in _rows(cls)), default=0)
            assert count_sessions(design, fabric, tier) >= most
            assert count_ecmp_paths(tier) <= max(1, most)
            parallel = max((sum(n > 1 for n in peers[row].values()) for row in _rows(cls)), default=0)
            assert count_ecmp_groups(design, fabric, tier) <= 2 * (parallel + 1)


def _judge_announced(case: Case) -> None:
    """Some leaf is announced as many loopbacks of leaves, and prefixes of nodes, as lint says at least."""
    design = case.cluster.design
    ups: dict[int, set[int]] = defaultdict(set)
    downs: dict[int, set[int]] = defaultdict(set)
    for link in case.network:
        if isinstance(link.segment.a, PortRun):
            ups[link.a].add(link.b)
            downs[link.b].add(link.a)
    for fabric in design.fabrics:
        least = count_announced(design, fabric)
        if least is None:
            continue
        leaves = {row for chain in list_chains(design, fabric) for row in _rows(case.class_of(chain[0].key))}
        most = max(len(leaves & _closure(_closure({leaf}, ups), downs)) for leaf in leaves)
        assert least.loopbacks <= most, (fabric.name, least, most)
        hosts = sum(link.segment.fabric == fabric.name and link.b in leaves for link in case.links)
        assert least.hosts <= max(hosts, most)


def _rows(cls: DeviceClass) -> range:
    return range(cls.first, cls.first + cls.count)


def _closure(start: set[int], edges: dict[int, set[int]]) -> set[int]:
    found, pending = set(start), list(start)
    while pending:
        for other in edges[pending.pop()] - found:
            found.add(other)
            pending.append(other)
    return found

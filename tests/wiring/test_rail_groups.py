"""A rail is in one group: leaves per rail meet the spines of their own rails' group and no other."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fabricgen.cluster import build_cluster
from fabricgen.design.capacity.bisection import count_strands
from fabricgen.design.capacity.counts import count_links
from fabricgen.design.fabric_model import TierKey
from fabricgen.design.model import Design
from fabricgen.wiring.tables import SWITCH

TEXT = """
fabricgen: 1
name: grouped
scalable_unit: {{nodes: 4 x dgx-b200}}
pods: {{p1: {{su: 3}}}}
fabrics:
  compute:
    protocol: roce
    rail_groups: {groups}
    tiers:
      leaf: {{switch: sn5600, per: [su, rail]}}
      spine: {{switch: sn5600, per: rail-group, count: 2}}
"""
HALVES, UNEVEN = [[1, 2, 3, 4], [5, 6, 7, 8]], [[8, 1, 3], [2, 4, 5, 6, 7]]


@pytest.mark.parametrize("groups", [HALVES, UNEVEN])
def test_a_leaf_meets_the_spines_of_its_rails_group(groups: list[list[int]], design_of: Callable[..., Design]) -> None:
    cluster = build_cluster(design_of(TEXT.format(groups=groups)))
    plan, group_of = cluster.plan, {rail: i for i, group in enumerate(groups) for rail in group}
    first = {c.tier: c.first for c in plan.devices.classes if c.kind == SWITCH}
    met: dict[int, set[int]] = {}
    for i, segment in enumerate(plan.links.segments):
        if segment.upper == "spine":
            rows = plan.links.find_rows(i)
            for a, b in zip(plan.links.a_device[rows].tolist(), plan.links.b_device[rows].tolist(), strict=True):
                met.setdefault(a, set()).add((b - first["spine"]) // 2)
    assert len(met) == 24
    for leaf, spines in met.items():
        assert spines == {group_of[int(plan.devices.rail[leaf]) + 1]}


@pytest.mark.parametrize(("groups", "lowers"), [(HALVES, 12), (UNEVEN, 15)])
def test_a_spine_has_ports_for_the_leaves_of_its_group(
    groups: list[list[int]], lowers: int, design_of: Callable[..., Design]
) -> None:
    design = design_of(TEXT.format(groups=groups))
    leaf, fabric = design.tier(TierKey("compute", "leaf")), design.fabric("compute")
    assert leaf.uplink is not None
    assert (leaf.uplink.upper_groups, leaf.uplink.lowers_per_group) == (1, lowers)
    assert design.tier(TierKey("compute", "spine")).groups == 2
    assert count_strands(design, fabric) == 2
    assert {c.key: c.links for c in count_links(design, fabric)}["leaf-spine"] == 24 * 4


def test_a_group_beside_its_rails_makes_no_further_switches(design_of: Callable[..., Design]) -> None:
    text = TEXT.format(groups=HALVES)
    both = design_of(text.replace("[su, rail]", "[su, rail, rail-group]"))
    assert both.tier(TierKey("compute", "leaf")).switches == 24

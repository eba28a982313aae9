"""FG401 where a fabric is carried by another: it is the carried one's own rails and planes that count."""

from __future__ import annotations

import pytest

from fabricgen.cluster import build_cluster
from fabricgen.lint.engine import lint

CARRIED = """
fabricgen: 1
name: carried
scalable_unit: {{nodes: 8 x dgx-b200}}
fabrics:
  compute:
    protocol: roce
    rail_groups: [[1, 3, 5, 7], [2, 4, 6, 8]]
    tiers: {{leaf: {{switch: sn5600, per: [su, rail-group]}}, spine: {{switch: sn5600, count: 4}}}}
  inband: {{protocol: ethernet, carried_by: compute, speed: 100G{groups}}}
"""


@pytest.mark.parametrize(("groups", "codes"), [("", ["FG401"]), (", rail_groups: [[1], [2]]", [])])
def test_nodes_of_a_carried_fabric_meet_two_leaves(groups: str, codes: list[str], design_of) -> None:
    design = design_of(CARRIED.format(groups=groups))
    found = [d for d in lint(design, build_cluster(design)).findings if d.code == "FG401"]
    assert [d.code for d in found] == codes
    assert all(d.path == ("fabrics", "inband", "carried_by") for d in found)

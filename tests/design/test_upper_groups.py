"""Uplinks to several groups above: equally many to each, or the switch is too small."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fabricgen.design.fabric_model import TierKey
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import InputError

GROUPS = """
fabricgen: 1
name: groups
scalable_unit: {nodes: 4 x dgx-b200}
pods: {p1: {su: 1}}
fabrics:
  compute:
    protocol: roce
    rail_groups: [[1, 2, 3], [4, 5], [6, 7, 8]]
    tiers:
      leaf: {switch: sn5600, per: [su, rail]}
      spine: {switch: sn4700, count: 4, per: su}
      core: {switch: sn5600, per: rail-group, count: 1}
"""


def test_every_upper_group_gets_equally_many_uplinks(design_of: Callable[..., Design]) -> None:
    design = design_of(GROUPS)
    spine = design.tier(TierKey("compute", "spine"))
    assert spine.up is not None
    assert spine.uplink is not None
    assert spine.uplink.upper_groups == 3
    assert spine.up.count == 3 * spine.uplink.links_per_group == 9  # eight would do
    assert spine.up.bandwidth_gbps >= sum(run.bandwidth_gbps for run in spine.downs)


@pytest.mark.slow
def test_a_switch_that_lacks_ports_for_that_is_told_with_what_it_needs(design_of: Callable[..., Design]) -> None:
    blueprint = GROUPS.replace("count: 4, per: su", "count: 2, per: su, peer: 2 x 400G").replace("4 x dgx", "16 x dgx")
    with pytest.raises(InputError) as refused:
        design_of(blueprint)
    (found,) = refused.value.diagnostics
    assert found.code == "FG101"
    assert "beside 2 peer links of 400G and uplinks at 1:1, equally many to each of 3 groups of core" in found.message

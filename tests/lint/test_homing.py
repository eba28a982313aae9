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


SHARED = """
fabricgen: 1
name: shared
scalable_unit: {{nodes: 8 x hgx-h200, racks: {{nodes_per_rack: 4}}}}
fabrics:
  inband:
    protocol: ethernet
    attach: frontend
    tiers: {{leaf: {{switch: sn4700, per: {per}}}, spine: {{switch: sn4700, count: 2}}}}
  files:
    protocol: ethernet
    carried_by: inband
    host_ports: tagged
    extra: {{array: {{device: storage-array, attach: storage, switches: [inband-leaf-p1-su01-{leaf}-01]}}}}
"""


@pytest.mark.parametrize(("per", "leaf", "codes"), [("rack", "rk01", []), ("[su, rail]", "r1", ["FG309"])])
def test_extra_devices_of_a_tagged_fabric_are_judged_by_the_ports_of_its_carrier(
    per: str, leaf: str, codes: list[str], design_of
) -> None:
    """Beside nodes with both ports on one leaf (FG401 of the carrier), an array on one leaf is no further fault."""
    findings = lint(design_of(SHARED.format(per=per, leaf=leaf))).findings
    assert [d.code for d in findings if d.code == "FG309"] == codes
    assert ("FG401" in {d.code for d in findings}) == (not codes)


def test_fabrics_that_share_node_ports_are_told_of_vlans(design_of) -> None:
    """A carried fabric that attaches the ports of its carrier can have a VLAN on them instead."""
    text = SHARED.format(per="rack", leaf="rk01").replace("host_ports: tagged", "attach: frontend")
    hints = [d.hint for d in lint(design_of(text)).findings if d.code == "FG306"]
    assert ["`host_ports: tagged`" in hint for hint in hints] == [True]

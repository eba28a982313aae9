"""Nodes of several kinds in one cluster."""

from __future__ import annotations

from collections.abc import Callable

from fabricgen.design.capacity.counts import link_counts
from fabricgen.design.model import Design
from fabricgen.design.unattached import unattached

TWO_GENERATIONS = """
fabricgen: 1
name: two-generations
scalable_unit:
  nodes:
    new: {nodes: 4 x dgx-b300, skip: [ndr, storage]}
    old: {nodes: 4 x dgx-h100, skip: [xdr]}
fabrics:
  xdr: {protocol: infiniband, attach: compute, planes: 2, tiers: {leaf: {switch: qm9700, per: [rail, plane]}}}
  ndr: {protocol: infiniband, attach: compute, tiers: {leaf: {switch: qm9700, per: rail}}}
  storage: {protocol: roce, tiers: {leaf: {switch: sn5600, count: 2}}}
"""


def test_node_sets_of_two_generations_have_a_fabric_each(design_of: Callable[..., Design]) -> None:
    """Of DGX H100 (eight 400G ports) and DGX B300 (eight of 800G) in one unit, each goes to switches of its own."""
    design = design_of(TWO_GENERATIONS)
    speeds = {fabric.name: {a.speed_gbps for _, a in fabric.attachments} for fabric in design.fabrics}
    assert {a.profile.id for _, a in design.fabric("ndr").attachments} == {"dgx-h100"}
    assert {a.profile.id for _, a in design.fabric("xdr").attachments} == {"dgx-b300"}
    assert speeds["ndr"] == {400}
    assert sum(found.links for found in link_counts(design, design.fabric("ndr")) if found.lower == "node") == 4 * 8
    assert {a.profile.id for _, a in design.fabric("storage").attachments} == {"dgx-h100"}
    assert {one.profile.id: "storage" in one.missing for one in unattached(design)} == {
        "dgx-b300": True,
        "dgx-h100": False,
    }

"""Fabrics that join others: their lowest tier takes nodes where these ask for it, beside the switches below it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fabricgen.design.attach import list_unattached
from fabricgen.design.capacity.counts import count_links
from fabricgen.design.model import Design

HALL = """
fabricgen: 1
name: joined
scalable_unit: {nodes: 4 x dgx-b200}
pods: {p1: {su: 2}}
fabrics:
  compute: {protocol: roce, tiers: {leaf: {switch: sn5600, per: [su, rail]}}}
"""
ABOVE = "tiers: {leaf: {switch: sn5600, above: compute.leaf}}"


def links(design: Design, fabric: str) -> dict[str, int]:
    return {count.key: count.links for count in count_links(design, design.fabric(fabric))}


@pytest.mark.parametrize(
    ("fabrics", "node_links"),
    [
        (
            (
                "  storage:\n    protocol: roce\n    tiers:\n      leaf: {switch: sn5600, per: su}\n"
                "      spine: {switch: sn5600, count: 4, above: [leaf, compute.leaf]}"
            ),
            16,
        ),
        ("  storage: {protocol: roce, carried_by: compute}", 16),
        (f"  across: {{protocol: roce, {ABOVE}}}", 0),
        (f"  storage: {{protocol: roce, {ABOVE}}}", 16),
        (f"  across: {{protocol: roce, attach: storage, {ABOVE}}}", 16),
        (f"  across: {{protocol: roce, {ABOVE}}}\n  storage: {{protocol: roce, carried_by: across}}", 16),
    ],
)
def test_nodes_attach_where_they_are_asked_for(fabrics: str, node_links: int, design_of: Callable[..., Design]) -> None:
    design = design_of(HALL + fabrics)
    others = [fabric.name for fabric in design.fabrics if fabric.name != "compute"]
    assert sum(links(design, name).get("node-leaf", 0) for name in others) == node_links


def test_ports_without_a_cable_are_told(design_of: Callable[..., Design]) -> None:
    extra = "  oob: {protocol: ethernet, attach: bmc, tiers: {leaf: {switch: sn2201}}, extra: {ufm: {device: ufm}}}"
    found = {one.profile.id: (one.attached, one.missing) for one in list_unattached(design_of(HALL + extra))}
    assert found["dgx-b200"] == (("bmc", "compute"), ("inband", "storage"))
    assert found["ufm"] == (("bmc",), ("compute", "inband"))

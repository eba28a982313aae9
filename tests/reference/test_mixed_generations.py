"""Several generations of nodes on one fabric: published tables that must hold for any mix of units, and hand counts.

Sources: NVIDIA DGX SuperPOD H100 and DGX SuperPOD B200 reference architectures, network fabrics (docs.nvidia.com): both
have units of 32 nodes with eight 400G ports and eight leaves, so that a cluster of both has the switches and cables of
the table of either. NHR@ZIB publish such a fabric: GPU and CPU partitions of nodes with unequal NICs in one fat tree
under the same spines, which also reach the storage (nhr-zib.atlassian.net, network of the Lise system).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from fabricgen.design.capacity.bisection import compute_bisection_per_accelerator
from fabricgen.design.model import Design
from fabricgen.design.summary import summarize_design

DesignOf = Callable[..., Design]

SUPERPOD = """\
fabricgen: 1
name: mixed
scalable_units:
  h100: {{nodes: 32 x dgx-h100, racks: {{nodes_per_rack: 4}}}}
  b200: {{nodes: 32 x dgx-b200, racks: {{nodes_per_rack: 4}}}}
pods: {{p1: {{unit: h100, su: {old}}}, p2: {{unit: b200, su: {new}}}}}
fabrics:
  compute:
    protocol: infiniband
    tiers: {{leaf: {{switch: qm9700, per: [su, rail]}}, spine: {{switch: qm9700}}}}
"""

# units in all, nodes, leaf, spine, node-leaf, leaf-spine: the tables without the slot that is given up for UFM
TWO_TIERS = {2: (64, 16, 8, 512, 512), 4: (128, 32, 16, 1024, 1024), 8: (256, 64, 32, 2048, 2048)}


@pytest.mark.parametrize(("old", "new"), [(1, 1), (1, 3), (2, 2), (3, 1), (5, 3)])
def test_units_of_h100_and_b200_are_those_of_the_superpod_tables(design_of: DesignOf, old: int, new: int) -> None:
    figures = summarize_design(design_of(SUPERPOD.format(old=old, new=new)))
    compute, (nodes, leaf, spine, below, above) = figures["fabrics"]["compute"], TWO_TIERS[old + new]
    assert (figures["nodes"], figures["accelerators"]) == (nodes, 8 * nodes)
    assert compute["switches"] == {"leaf": leaf, "spine": spine}
    assert compute["links"] == {"node-leaf": below, "leaf-spine": above}
    assert compute["oversubscription"] == {"leaf": 1.0}
    assert {part: own["switches"] for part, own in compute["parts"].items()} == {
        "h100": {"leaf": 8 * old},
        "b200": {"leaf": 8 * new},
    }


TWO_SPEEDS = """\
fabricgen: 1
name: mixed
scalable_units: {h100: {nodes: 32 x dgx-h100}, b300: {nodes: 16 x dgx-b300}}
pods: {p1: {unit: h100, su: 2}, p2: {unit: b300, su: 2}}
fabrics:
  compute:
    protocol: roce
    tiers: {leaf: {switch: sn5600, per: [su, rail]}, spine: {switch: sn5600}}
"""


def test_400g_and_800g_nodes_share_spines(design_of: DesignOf) -> None:
    """16 leaves of 32 x 400G and 16 of 16 x 800G have 12.8 Tb/s up each: 409.6 Tb/s, which eight switches of 64 x 800G
    take; half of the cages of each are split for 2 x 400G.
    """
    design = design_of(TWO_SPEEDS)
    compute = summarize_design(design)["fabrics"]["compute"]
    assert compute["switches"] == {"leaf": 32, "spine": 8}
    assert compute["links"] == {"node-leaf": 2 * 32 * 8 + 2 * 16 * 8, "leaf-spine": 16 * 32 + 16 * 16}
    assert compute["oversubscription"] == {"leaf": 1.0}
    (spine,) = [tier for tier in design.tiers if tier.name == "spine"]
    assert [(run.count, run.speed_gbps, run.ways) for run in spine.downs] == [(64, 400, 2), (32, 800, 1)]
    assert {tier.part: tier.up.speed_gbps for tier in design.tiers if tier.up} == {"h100": 400, "b300": 800}


def test_the_bisection_of_two_generations_is_half_of_all_ports(design_of: DesignOf) -> None:
    """512 ports of 400G and 256 of 800G: any half of them by bandwidth sends to the other at full speed."""
    design = design_of(TWO_SPEEDS)
    per_gpu = compute_bisection_per_accelerator(design, design.fabric("compute"))
    assert per_gpu == Fraction(512 * 400 + 256 * 800, 512 + 256)


THREE_PODS = """\
fabricgen: 1
name: mixed
scalable_units:
  h100: {nodes: 32 x dgx-h100}
  b200: {nodes: 16 x dgx-b200}
  b300: {nodes: 16 x dgx-b300}
pods:
  p1: {unit: h100, su: 2}
  p2: {unit: b200, su: 2, tiers: {compute.spine: {count: 4, uplinks: 32 x 400G}}}
  p3: {unit: b300, su: 1, tiers: {compute.leaf: {oversubscription: "2:1"}}}
fabrics:
  compute:
    protocol: roce
    tiers:
      leaf: {switch: sn5600, per: [su, rail]}
      spine: {switch: sn5600, per: pod}
      core: {switch: sn5600}
  storage:
    protocol: roce
    speed: 200G
    tiers: {leaf: {switch: sn5600, count: 2, spread: stripe}}
"""


def test_pods_have_spines_and_ratios_of_their_own(design_of: DesignOf) -> None:
    """By hand: p1 has 16 leaves of 32 uplinks of 400G, which 8 spines of 64 x 400G down take; p2 has 16 leaves of 16
    uplinks, 64 on each of the four spines that it asks for, of which only 32 go up; p3 has 8 leaves of 16 x 800G down
    and, at 2:1, 8 x 800G up: 64 in all, which two spines take at 32 down and 32 up.
    """
    design = design_of(THREE_PODS)
    found: dict[str, Any] = summarize_design(design)["fabrics"]
    parts = found["compute"]["parts"]
    assert {part: own["switches"] for part, own in parts.items()} == {
        "h100": {"leaf": 16, "spine": 8},
        "b200+p2": {"leaf": 16, "spine": 4},
        "b300+p3": {"leaf": 8, "spine": 2},
    }
    assert {part: own["oversubscription"] for part, own in parts.items()} == {
        "h100": {"leaf": 1.0, "spine": 1.0},
        "b200+p2": {"leaf": 1.0, "spine": 2.0},
        "b300+p3": {"leaf": 2.0, "spine": 1.0},
    }
    assert found["compute"]["switches"]["leaf"] == 16 + 16 + 8
    assert found["compute"]["oversubscription"] == {"leaf": 2.0, "spine": 2.0}
    assert found["storage"]["links"] == {"node-leaf": 2 * (64 + 32 + 16)}
    (pair,) = design.fabric("storage").tiers
    assert [(run.count, run.speed_gbps) for run in pair.downs] == [(64 + 32 + 16, 200)]


def test_kinds_that_skip_a_fabric_have_no_switches_in_it(design_of: DesignOf) -> None:
    text = THREE_PODS.replace(
        "b300: {nodes: 16 x dgx-b300}", "b300: {nodes: {b300: {nodes: 16 x dgx-b300, skip: storage}}}"
    )
    design = design_of(text.replace("count: 2, spread: stripe", "per: su"))
    parts = summarize_design(design)["fabrics"]["storage"]["parts"]
    assert {part: own["switches"] for part, own in parts.items()} == {"h100": {"leaf": 2}, "b200+p2": {"leaf": 2}}

"""The bisection of the design is that of the plan: the least maximum flow over all even cuts of the nodes."""

from __future__ import annotations

from fractions import Fraction

import pytest

from fabricgen.cluster import build_cluster
from fabricgen.design.capacity.bisection import (
    SwitchLoss,
    compute_bisection,
    compute_bisection_per_accelerator,
    count_strands,
    sum_node_bandwidth,
)
from fabricgen.design.fabric_model import TierKey
from fabricgen.design.model import Design
from tests.conftest import example_design
from tests.cuts import least_cut


def blueprint(units: str, pods: str, tiers: str, more: str = "") -> str:
    """A small cluster with one fabric."""
    return (
        f"fabricgen: 1\nname: small\nscalable_unit: {{nodes: {units}}}\npods: {{{pods}}}\n"
        f"fabrics: {{compute: {{protocol: roce, {more}tiers: {{{tiers}}}}}}}\n"
    )


UNITS = blueprint(
    "2 x dgx-b200",
    "p1: {su: 3}",
    "leaf: {switch: sn5600, per: su, uplinks: 8 x 400G, oversubscription: 2}, spine: {switch: sn5600, count: 4}",
)
RAILS = blueprint(
    "2 x dgx-b200",
    "p1: {su: 2}",
    "leaf: {switch: sn5600, per: [su, rail], uplinks: 3 x 400G}, spine: {switch: sn5600, per: rail, count: 3}",
)
PODS = blueprint(
    "1 x dgx-b200",
    "p1: {su: 2, count: 3}",
    "leaf: {switch: sn5600, per: su, uplinks: 8 x 400G}, "
    "spine: {switch: sn5600, per: pod, count: 4, uplinks: 2 x 400G, oversubscription: 4}, "
    "core: {switch: sn5600, per: spine, count: 2}",
)
UNEQUAL = PODS.replace("count: 3}", "}, p2: {su: 4}", 1)
PLANES = blueprint(
    "2 x dgx-b300",
    "p1: {su: 2}",
    "leaf: {switch: sn5600, per: [su, plane], uplinks: 8 x 400G, oversubscription: 2}, "
    "spine: {switch: sn5600, per: plane, count: 4}",
    "planes: 2, ",
)
PAIRS = blueprint(
    "4 x dgx-b200",
    "p1: {su: 1}",
    "leaf: {switch: sn5600, per: [su, rail], count: 2, uplinks: 1 x 400G, oversubscription: 2}, "
    "spine: {switch: sn5600, count: 1}",
)
STRIPED = (
    PAIRS.replace("[su, rail], count: 2", "su, count: 2, spread: stripe").replace("1 x", "2 x").replace("2}", "8}")
)
APART = blueprint("2 x dgx-b200", "p1: {su: 2}", "leaf: {switch: sn5600, per: [su, rail]}")

PART_FILLED = (
    UNITS.replace("2 x dgx", "3 x dgx").replace("oversubscription: 2}", "oversubscription: 3}")
    + "omit: [p1/su-last/node-last]\n"
)
SHELVES = (
    blueprint(
        "4 x dgx-b200, racks: {nodes_per_rack: 1, devices: {shelf: 1 x power-shelf}}",
        "p1: {su: 2}",
        "leaf: {switch: sn5600, per: su, uplinks: 4 x 400G, oversubscription: 8}, spine: {switch: sn5600, count: 2}",
    )
    + "omit: [p1/su-2/rack-1, p1/su-2/rack-2]\n"
)
RACKS = (
    blueprint(
        "4 x dgx-b200, racks: {nodes_per_rack: 1}",
        "p1: {su: 1}",
        "leaf: {switch: sn5600, per: rack, uplinks: 2 x 400G, oversubscription: 4}, "
        "spine: {switch: sn5600, per: pod, count: 2}",
    )
    + "omit: [p1/su-1/rack-1, p1/su-1/rack-2]\n"
)
LEAF, SPINE, CORE = (TierKey("compute", name) for name in ("leaf", "spine", "core"))
CASES = [
    (UNITS, {}),
    (UNITS, {LEAF: ["1"]}),
    (RAILS, {SPINE: ["1"]}),
    (RAILS, {LEAF: ["1"]}),
    (PODS, {}),
    (PODS, {SPINE: ["1"]}),
    (PODS, {CORE: ["1"]}),
    (UNEQUAL, {}),
    (PLANES, {LEAF: ["1"]}),
    (PAIRS, {}),
    (STRIPED, {}),
    (APART, {}),
    (PART_FILLED, {}),
    (PART_FILLED, {LEAF: ["3"]}),
    (SHELVES, {}),
    (RACKS, {}),
]


def _least_cut(design: Design, lost: dict[TierKey, list[str]]) -> Fraction:
    """The bisection of the plan without some switches of a tier, by their place in its table."""
    plan = build_cluster(design).plan
    gone = set()
    for c in plan.devices.classes:
        gone |= {c.first + int(i) - 1 for i in lost.get(TierKey(c.fabric, c.tier), [])}
    return least_cut(plan, gone)


@pytest.mark.parametrize(("text", "lost"), CASES)
def test_it_is_the_least_even_cut_of_the_plan(design_of, text: str, lost: dict[TierKey, list[str]]) -> None:
    design = design_of(text)
    losses = {key: SwitchLoss(len(switches)) for key, switches in lost.items()}
    assert compute_bisection(design, design.fabric("compute"), losses) == _least_cut(design, lost)


@pytest.mark.parametrize(
    ("name", "gbps"), [("superpod-b300", 800), ("rail-only", 400), ("colossus-200k", 400), ("gaudi3", 600)]
)
def test_full_bisection_gives_an_accelerator_all_its_ports(name: str, gbps: int) -> None:
    design = example_design(name)
    assert compute_bisection_per_accelerator(design, design.fabric("compute")) == gbps


def test_a_plane_is_a_strand_and_its_loss_takes_its_share() -> None:
    design = example_design("superpod-b300")
    compute = design.fabric("compute")
    assert count_strands(design, compute) == compute.planes
    spines = compute.tier("spine")
    plane = {spines.key: SwitchLoss(spines.count)}
    assert compute_bisection(design, compute, plane) == Fraction(sum_node_bandwidth(design, compute), 4)
    both = {spines.key: SwitchLoss(spines.count, strands=0)}
    assert compute_bisection(design, compute, both) == 0


def test_losses_in_every_place_add_up() -> None:
    design = example_design("superpod-b200-3tier")
    compute = design.fabric("compute")
    whole = compute_bisection(design, compute)
    half = {compute.tier("spine").key: SwitchLoss(2, places=0, strands=0)}
    assert compute_bisection(design, compute, half) == whole / 2


def test_without_nodes_there_is_none() -> None:
    design = example_design("two-site")
    assert compute_bisection(design, design.fabric("across")) == 0
    assert compute_bisection_per_accelerator(design, design.fabric("across")) is None

"""A few more uplinks than the oversubscription calls for, where the tier above would otherwise be far too large."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from fabricgen.design.advice.choices import find_more_uplinks
from fabricgen.design.fabric_model import TierDesign, TierKey
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import InputError
from fabricgen.lint.rules.design.capacity.fg105_no_spare_port import NoSparePort
from fabricgen.lint.rules.design.capacity.fg124_uplinks_of_few_divisors import UplinksOfFewDivisors
from tests.conftest import EXAMPLES, example_design

DesignOf = Callable[..., Design]

TWO_TIERS = """\
fabricgen: 1
name: demo
scalable_unit: {nodes: 29 x dgx-h100}
pods: {p1: {su: 4}}
fabrics:
  compute:
    protocol: roce
    tiers:
      leaf: {switch: sn5600, per: [su, rail]}
      spine: {switch: sn5600}
"""

LEAF = "fabrics.compute.tiers.leaf"
SPINE = "fabrics.compute.tiers.spine"


def nodes(count: int) -> str:
    return f"scalable_unit.nodes={count} x dgx-h100"


def tier(design: Design, name: str) -> TierDesign:
    return design.tier(TierKey("compute", name))


def sized(design: Design) -> tuple[int, int]:
    """(uplinks of a leaf, spines in all)."""
    up = tier(design, "leaf").up
    return up.count if up else 0, tier(design, "spine").switches


@pytest.mark.parametrize(
    ("sets", "uplinks", "spines", "fewest"),
    [
        ([nodes(29)], 32, 8, (29, 29)),
        ([nodes(61)], 64, 16, (61, 61)),
        ([nodes(56), "pods.p1.su=5", "fabrics.compute.oversubscription=1:1.16"], 66, 22, (65, 65)),
        ([nodes(32)], 32, 8, (0, 0)),
        ([nodes(56)], 56, 14, (0, 0)),
        ([nodes(30)], 30, 10, (0, 0)),  # fewest is 8: an even share may cost up to twice that
        ([nodes(29), f"{LEAF}.uplinks=29 x 400G"], 29, 29, (0, 0)),
        ([nodes(29), f"{SPINE}.count=29"], 29, 29, (0, 0)),
        ([nodes(29), f"{SPINE}.count=10"], 30, 10, (0, 0)),
        ([nodes(29), "fabrics.compute.size_for=reserve"], 32, 8, (29, 29)),
    ],
)
def test_uplinks_are_rounded_up_only_where_that_saves_half_of_the_switches_above(
    design_of: DesignOf, sets: list[str], uplinks: int, spines: int, fewest: tuple[int, int]
) -> None:
    design = design_of(TWO_TIERS, sets)
    assert sized(design) == (uplinks, spines)
    leaf = tier(design, "leaf")
    assert leaf.uplink
    assert leaf.uplink.fewest == fewest
    assert leaf.uplink.links_per_group % leaf.uplink.upper_count == 0
    assert leaf.oversubscription is not None
    assert leaf.oversubscription <= leaf.allowed


def test_the_choice_is_told(design_of: DesignOf) -> None:
    design = design_of(TWO_TIERS)
    assert [more.text for more in find_more_uplinks(design, design.fabric("compute"))] == [
        "32 uplinks a leaf instead of 29: 8 spine switches instead of 29"
    ]


@pytest.mark.parametrize("reserve", [8, 16])
def test_growth_inside_the_reserve_changes_no_number_of_uplinks(design_of: DesignOf, reserve: int) -> None:
    grown = [
        sized(design_of(TWO_TIERS, [f"pods.p1.su={su}", f"pods.p1.reserve={reserve}"])) for su in range(1, reserve + 1)
    ]
    assert len({uplinks for uplinks, _ in grown}) == 1
    assert [spines for _, spines in grown] == sorted(spines for _, spines in grown)
    assert dict(zip(range(1, reserve + 1), grown, strict=True))[4][1] < 16


def test_every_plane_is_sized_alike(design_of: DesignOf) -> None:
    text = TWO_TIERS.replace("    tiers:", "    planes: 2\n    tiers:").replace("[su, rail]", "[su, rail, plane]")
    text = text.replace("spine: {switch: sn5600}", "spine: {switch: sn5600, per: [plane]}")
    design = design_of(text.replace("dgx-h100", "dgx-b300"))
    leaf = tier(design, "leaf")
    assert leaf.uplink
    assert leaf.up
    assert (leaf.up.count, leaf.uplink.fewest[0]) == (32, 29)
    assert tier(design, "spine").count == 8


def test_a_tier_above_the_spines_is_weighed_as_well(design_of: DesignOf) -> None:
    text = TWO_TIERS.replace(
        "spine: {switch: sn5600}", "spine: {switch: sn5600, per: [pod]}\n      core: {switch: sn5600}"
    )
    design = design_of(text, ["pods.p2.su=4", "pods.p3.su=3"])
    spine, core = tier(design, "spine"), tier(design, "core")
    assert spine.uplink
    assert core.count <= 2 * -(-spine.switches * spine.uplink.links_per_group // 128)


@pytest.mark.parametrize(("spare", "found"), [(64, (32, 8)), (68, (30, 10))])
def test_uplinks_take_no_port_that_is_kept_free(design_of: DesignOf, spare: int, found: tuple[int, int]) -> None:
    assert sized(design_of(TWO_TIERS, [f"{LEAF}.spare_ports={spare}"])) == found


@pytest.mark.parametrize(("count", "found"), [(8, (64, 16)), (9, (61, 61)), (16, (61, 61))])
def test_extra_devices_find_the_ports_that_more_uplinks_would_take(
    design_of: DesignOf, count: int, found: tuple[int, int]
) -> None:
    extra = f"""\
    extra: {{probe: {{device: dgx-h100, count: {count}, to: leaf, attach: compute}}}}
"""
    design = design_of(TWO_TIERS + extra, [nodes(61)])
    assert sized(design) == found
    (probe,) = design.fabric("compute").extras
    assert len(probe.links) == 8 * count


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_have_the_fewest_uplinks(name: str) -> None:
    design = example_design(name)
    assert [more.text for fabric in design.fabrics for more in find_more_uplinks(design, fabric)] == []
    assert not list(UplinksOfFewDivisors().check(design))


def test_stated_uplinks_of_few_divisors_are_reported(design_of: DesignOf) -> None:
    design = design_of(TWO_TIERS, [f"{LEAF}.uplinks=29 x 400G"])
    found = list(UplinksOfFewDivisors().check(design))
    assert [f.message for f in found] == ["29 uplinks a compute leaf take 29 spine switches, 32 would take 8"]


@pytest.mark.parametrize(
    ("count", "near", "best"),
    [(12, "8 and 16", 16), (15, "8 and 16", 16), (20, "16 and 32", 16), (31, "16 and 32", 32)],
)
def test_a_count_that_does_not_divide_is_told_as_that(design_of: DesignOf, count: int, near: str, best: int) -> None:
    text = TWO_TIERS.replace("roce", "infiniband").replace("sn5600", "qm9700")
    sets = [nodes(32), "pods.p1.su=3", f"{SPINE}.count={count}", f"{LEAF}.uplinks=32 x 400G"]
    try:
        design_of(text, sets)
    except InputError as error:
        (found,) = error.diagnostics
        assert f"{count} spine switches do not divide the 32 uplinks of each leaf evenly" in found.message
        assert f"The nearest counts that divide are {near}; {best} switches have the ports" in found.message
        assert found.path[-1] == "count"
    else:
        assert -(-32 // count) * 24 <= 64  # it has the ports: lint (FG203) says that shares differ


@pytest.mark.parametrize(("count", "doubles"), [(64, True), (63, False)])
def test_a_derived_count_that_rests_on_the_last_port_is_told(design_of: DesignOf, count: int, doubles: bool) -> None:
    design = design_of(TWO_TIERS, [nodes(count)])
    told: list[Any] = [f.message for f in NoSparePort().check(design)]
    said = "with one port less on each it would be 64 compute leaf switches instead of 32"
    assert any(said in message for message in told) == doubles


def test_a_stated_count_rests_on_nothing(design_of: DesignOf) -> None:
    design = design_of(TWO_TIERS, [nodes(64), f"{LEAF}.count=1"])
    assert not any("one port less" in f.message for f in NoSparePort().check(design))

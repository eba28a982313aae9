"""What refusals of a design say: the kind, the figures, what would fit, and the place that lacks a word."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, InputError

HALL = """
fabricgen: 1
name: halls
scalable_units:
  big: {nodes: 8 x dgx-h100, racks: {nodes_per_rack: 2}}
  small: {nodes: 2 x dgx-h100, racks: {nodes_per_rack: 2}}
pods: {p1: {unit: big, su: 7}, p2: {unit: small, su: 1}}
fabrics:
  compute:
    protocol: roce
    tiers:
      leaf: {switch: sn5600, per: su}
      spine: {switch: sn5600, count: 4}
floor:
  halls: {h1: {rows: 3, racks_per_row: 12}}
  network_rows: {at: row-ends}
"""


def refused(design_of: Callable[..., Design], text: str) -> Diagnostic:
    with pytest.raises(InputError) as error:
        design_of(text)
    return error.value.diagnostics[0]


def test_a_hall_that_is_too_small_says_what_would_fit(design_of: Callable[..., Design]) -> None:
    """A unit of eight nodes has four racks and one of switches; rows of twelve keep one for spines."""
    found = refused(design_of, HALL)
    assert found.code == "FG067"
    assert found.message == (
        "7 scalable units of the kind big, reserved ones included, do not fit in the halls of site1 (h1): these take "
        "6; a unit takes 5 racks, 1 of switches among them, h1 has 3 rows of 12 racks for units, 1 of each kept for "
        "network racks at row ends"
    )
    assert "1 more `rows` of h1" in found.hint
    design_of(HALL.replace("rows: 3", "rows: 5"))


@pytest.mark.parametrize(
    ("tiers", "lacking"),
    [
        ("leaf: {switch: sn5600}, spine: {switch: sn5600}, xspine: {switch: sn5600, above: leaf}", "spine"),
        ("leaf: {switch: sn5600}, spine: {switch: sn5600}, agg: {switch: sn5600, above: leaf}", "spine"),
        ("leaf: {switch: sn5600}, tor: {switch: sn5600}", "tor"),
    ],
)
def test_tiers_at_one_level_point_at_the_one_that_lacks_the_word(
    design_of: Callable[..., Design], tiers: str, lacking: str
) -> None:
    fabric = f"{{protocol: roce, tiers: {{{tiers}}}}}"
    head = "fabricgen: 1\nname: t\nscalable_unit: {nodes: 4 x dgx-b200}\npods: {p1: {su: 2}}\n"
    found = refused(design_of, f"{head}fabrics: {{compute: {fabric}}}")
    assert (found.code, found.path) == ("FG016", ("fabrics", "compute", "tiers", lacking))
    assert f"and {lacking} does not say what it is above" in found.message


@pytest.mark.parametrize(
    ("above", "said"),
    [
        ("[leaf, laef]", "above 'laef', which is no tier of this fabric"),
        ("[leaf, border]", "above 'border', which says `below: spine` itself"),
        ("[leaf, spine]", "above 'spine', which is itself"),
    ],
)
def test_a_tier_says_what_is_wrong_with_those_below_it(design_of: Callable[..., Design], above: str, said: str) -> None:
    tiers = (
        f"leaf: {{switch: sn5600}}, spine: {{switch: sn5600, above: {above}}}, border: {{switch: sn5600, below: spine}}"
    )
    head = "fabricgen: 1\nname: t\nscalable_unit: {nodes: 4 x dgx-b200}\npods: {p1: {su: 2}}\n"
    found = refused(design_of, f"{head}fabrics: {{compute: {{protocol: roce, tiers: {{{tiers}}}}}}}")
    assert (found.code, found.path) == ("FG016", ("fabrics", "compute", "tiers", "spine", "above"))
    assert said in found.message


def test_tiers_above_each_other_are_a_circle(design_of: Callable[..., Design]) -> None:
    tiers = "leaf: {switch: sn5600}, spine: {switch: sn5600, above: core}, core: {switch: sn5600, above: spine}"
    head = "fabricgen: 1\nname: t\nscalable_unit: {nodes: 4 x dgx-b200}\n"
    found = refused(design_of, f"{head}fabrics: {{compute: {{protocol: roce, tiers: {{{tiers}}}}}}}")
    assert "tier spine is above 'core', which is above 'spine' in turn" in found.message

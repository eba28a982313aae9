"""Media that a blueprint states: what is taken, and what is said of those that are not legal."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fabricgen.cluster import build_cluster
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, InputError
from fabricgen.lint.engine import lint

DesignOf = Callable[..., Design]

BLUEPRINT = """\
fabricgen: 1
name: media
scalable_unit: {nodes: 4 x mi300x-8}
pods: {p1: {su: 2}}
fabrics:
  compute:
    protocol: roce
    tiers:
      leaf: {switch: sn5600, per: [su, rail]}
      spine: {switch: sn5600, count: 4}
"""
LEAF, SPINE = "fabrics.compute.tiers.leaf", "fabrics.compute.tiers.spine"


def judged(design: Design) -> list[Diagnostic]:
    """Findings on media."""
    found = lint(design, build_cluster(design)).findings
    return [d for d in found if d.code in ("FG602", "FG606", "FG607", "FG608", "FG609", "FG610")]


def media_by_link(design: Design) -> dict[str, set[str]]:
    """The media of the cables of each kind of link."""
    plan = build_cluster(design).plan
    found: dict[str, set[str]] = {}
    for cable, link in zip(plan.cables.end_cable.tolist(), plan.cables.end_link.tolist(), strict=True):
        key = plan.links.segments[plan.links.segment[link]].key
        found.setdefault(key, set()).add(plan.cables.media[plan.cables.medium[cable]].medium)
    return found


def test_what_is_stated_is_taken_by_purpose(design_of: DesignOf) -> None:
    design = design_of(BLUEPRINT, [f"{LEAF}.media.down=AOC", f"{LEAF}.media.up=[FR, LR]"])
    assert media_by_link(design) == {"node-leaf": {"AOC"}, "leaf-spine": {"FR"}}
    assert judged(design) == []


def test_the_media_of_a_fabric_spare_copper_pairs_and_give_way_to_a_tiers(design_of: DesignOf) -> None:
    tiers = "tiers: {leaf: {switch: sn2201, per: su}}"
    oob = f"  oob: {{protocol: ethernet, attach: bmc, also: switches, media: DR, {tiers}}}\n"
    design = design_of(BLUEPRINT + oob, ["fabrics.compute.media=DR", f"{SPINE}.media.down=dr8-500m"])
    assert media_by_link(design) == {"node-leaf": {"DR", "COPPER"}, "leaf-spine": {"DR"}}
    assert judged(design) == []


def test_both_ends_of_a_link_are_heard(design_of: DesignOf) -> None:
    design = design_of(BLUEPRINT, [f"{LEAF}.media.up=[DR, SR]", f"{SPINE}.media.down=[FR, DR]"])
    assert media_by_link(design)["leaf-spine"] == {"DR"}
    assert judged(design) == []


@pytest.mark.parametrize(
    ("sets", "code", "says"),
    [
        ([f"{LEAF}.media.down=DAC"], "FG602", "the stated media reach 3 m (dac-100g)"),
        ([f"{LEAF}.media.down=COPPER"], "FG610", "no COPPER carries the 100G lanes"),
        ([f"{LEAF}.media.down=cpo-200g"], "FG606", "does not fit the QSFP112 cages of mi300x-8"),
        ([f"{LEAF}.media.down=FR", "fabrics.compute.speed=200G"], "FG607", "4 200G compute node-leaf links share"),
        (
            [f"{LEAF}.media.up=DR", f"{SPINE}.media.down=SR"],
            "FG610",
            "but SR by fabrics.compute.tiers.spine.media.down",
        ),
    ],
)
def test_an_illegal_medium_is_told_once_where_it_is_stated(
    design_of: DesignOf, sets: list[str], code: str, says: str
) -> None:
    (found,) = judged(design_of(BLUEPRINT, sets))
    assert (found.code, found.path[:5]) == (code, tuple([*sets[0].partition("=")[0].split(".")][:5]))
    assert says in found.message


def test_two_pairs_of_wavelengths_serve_two_links(design_of: DesignOf) -> None:
    assert judged(design_of(BLUEPRINT, [f"{LEAF}.media.down=FR"])) == []


def test_a_hint_names_a_medium_that_serves(design_of: DesignOf) -> None:
    (found,) = judged(design_of(BLUEPRINT, [f"{LEAF}.media.down=DAC"]))
    medium = found.hint.split()[0]
    assert judged(design_of(BLUEPRINT, [f"{LEAF}.media.down={medium}"])) == []


def test_an_unknown_medium_is_refused_with_its_place(design_of: DesignOf) -> None:
    with pytest.raises(InputError, match="'DAK' is neither a medium nor a cable profile") as refused:
        design_of(BLUEPRINT, [f"{LEAF}.media.down=DAK"])
    assert refused.value.diagnostics[0].path == ("fabrics", "compute", "tiers", "leaf", "media", "down")


def test_co_packaged_cages_take_fibre_only(design_of: DesignOf) -> None:
    near = BLUEPRINT.replace("sn5600, per: [su, rail]", "w6940-cpo, per: rack").replace("count: 4", "count: 1")
    design = design_of(near.replace("sn5600", "w6940-cpo"))
    assert media_by_link(design)["node-leaf"].isdisjoint({"DAC", "ACC", "AEC", "AOC"})

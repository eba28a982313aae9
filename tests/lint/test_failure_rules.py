"""Rules on topology and failures at their borders: what is just enough, what is on purpose, and hints that work."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from fabricgen.cluster import build_cluster
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, InputError
from fabricgen.lint.rule import DesignRule, load_all_rules
from fabricgen.lint.rules.plan.topology.fg317_roots_never_meet import RootsNeverMeet
from tests.conftest import example_design, sites_of

RULES = {rule.id: rule for rule in load_all_rules() if isinstance(rule, DesignRule)}


def found(design: Design, *codes: str) -> list[Diagnostic]:
    """Findings of some design rules."""
    return [finding for code in codes for finding in RULES[code].check(design)]


def limits(what: str) -> str:
    """A setting of the least that is left."""
    return f"lint={{limits: {{after_loss: {what}}}}}"


FOUR = "fabrics.compute.tiers.spine={switch: 7060x6-64pe, per: plane, count: 16}"


def test_as_much_as_is_asked_for_is_enough() -> None:
    """One of 16 spines of one of two planes is 1/32 of all: 96.875%."""
    exact, more = (example_design("superpod-b300", FOUR, limits(f"{{switch: {n}%}}")) for n in (96.875, 96.9))
    assert found(exact, "FG402") == []
    leaf, spine = found(more, "FG402")
    assert leaf.path == ("fabrics", "compute", "tiers", "leaf", "count")
    assert spine.message == (
        "compute keeps 96.8% of its bisection after the loss of one spine, `after_loss.switch` asks for 96.9%"
    )


def test_the_count_of_a_hint_keeps_enough() -> None:
    asked = limits("{switch: 90%}")
    few = example_design("leaf-spine", "fabrics.compute.tiers.leaf.uplinks=16 x 25G", "pods.p1.su=8", asked)
    (finding,) = (f for f in found(few, "FG402") if "spine" in f.message)
    counts = re.findall(r"\d+", finding.hint)
    assert counts
    for count in counts:
        changed = ("fabrics.compute.tiers.leaf.uplinks=16 x 25G", f"fabrics.compute.tiers.spine.count={count}")
        better = example_design("leaf-spine", *changed, "pods.p1.su=8", asked)
        assert not [f for f in found(better, "FG402") if "spine" in f.message]


def test_one_share_holds_for_every_kind_of_loss() -> None:
    design = example_design("superpod-b300", limits("60%"), "floor={feeds: [A, B], cords: 1}")
    by_code = found(design, "FG402", "FG403", "FG404", "FG405", "FG406")
    assert [f.code for f in by_code] == ["FG403", "FG404", "FG405", "FG406"]
    assert [f.path[-1] for f in by_code] == ["planes", "leaf", "spine", "cords"]


@pytest.mark.parametrize("share", ["150%", "-1%", "most", "{spine: 50%}"])
def test_a_share_that_is_none_is_refused(share: str) -> None:
    with pytest.raises(InputError) as error:
        example_design("leaf-spine", limits(share if share.startswith("{") else f"{{switch: {share!r}}}"))
    assert error.value.diagnostics[0].path[:3] == ("lint", "limits", "after_loss")


@pytest.mark.parametrize("floor", ["{feeds: [A]}", "{feeds: [A, A]}", "{feeds: [A, B], cords: 3}", "{feeds: [A/B]}"])
def test_feeds_that_cannot_be_are_refused(floor: str) -> None:
    with pytest.raises(InputError) as error:
        example_design("leaf-spine", f"floor={floor}")
    assert error.value.diagnostics[0].path[:1] == ("floor",)


@pytest.mark.parametrize("name", ["superpod-b300", "two-site", "collapsed-pair", "rail-only"])
def test_two_cords_outlive_any_feed(name: str) -> None:
    assert found(example_design(name, "floor={feeds: [A, B]}", limits("{feed: 100%}")), "FG406", "FG408") == []


def test_planes_in_racks_of_their_own_are_safe() -> None:
    together = example_design("superpod-b300")
    apart = example_design("superpod-b300", "fabrics.compute.tiers.leaf.racks=2")
    (finding,) = found(together, "FG407")
    assert finding.message == "all 16 compute leaf switches of a unit, of 2 planes, stand in one rack, p1-su01-net01"
    assert found(apart, "FG407") == []


@pytest.mark.parametrize(
    ("name", "sets", "codes"),
    [
        ("superpod-b300", ("fabrics.compute.tiers.leaf.racks=2", "pods.p1.su=1"), []),  # planes have runs of their own
        ("collapsed-pair", (), []),  # a single unit
        ("colossus-200k", ("pods.p1.count=4",), ["core"]),  # of inband; compute cores fill many racks, oob is for BMCs
        ("colossus-200k", ("pods.p1.count=4", "fabrics.inband.tiers.core.racks=2"), []),
        ("rail-only", ("fabrics.compute.tiers.leaf.racks=8",), []),
    ],
)
def test_what_shares_a_rack(name: str, sets: tuple[str, ...], codes: list[str]) -> None:
    assert [f.path[-1] for f in found(example_design(name, *sets), "FG407")] == codes


@pytest.mark.parametrize(
    ("feed_per", "sets", "tiers"),
    [
        ("rack", (), ["leaf"]),  # and names the spines
        ("rack", ("fabrics.compute.tiers.leaf.racks=2",), ["spine"]),
        ("rack", ("fabrics.compute.tiers.leaf.racks=2", "fabrics.compute.tiers.spine.racks=2"), []),
        ("rack", ("lint.limits.after_loss={feed: 0%}",), []),  # FG406 judges
        ("row", ("floor.racks_per_row=2", "fabrics.compute.tiers.spine.racks=2"), []),
    ],
)
def test_what_shares_a_feed(feed_per: str, sets: tuple[str, ...], tiers: list[str]) -> None:
    design = example_design("leaf-spine", f"floor={{feeds: [A, B], cords: 1, feed_per: {feed_per}}}", *sets)
    assert [f.path[-1] for f in found(design, "FG408")] == tiers


def test_idle_spines_are_told_once() -> None:
    design = example_design("leaf-spine", "fabrics.compute.tiers.spine.count=6")
    (finding,) = found(design, "FG203", "FG307")
    assert finding.code == "FG307"
    assert finding.hint == "counts that divide evenly and fit: 4, 2"
    assert found(example_design("leaf-spine", "fabrics.compute.tiers.spine.count=3"), "FG307") == []


@pytest.mark.parametrize(
    ("name", "sets", "codes"),
    [
        ("full-cluster", ("fabrics.inband.tiers.border.count=1",), ["FG308"]),
        ("two-site", ("fabrics.across.tiers.border={switch: 7816r4, count: 1, above: compute.spine}",), ["FG308"]),
        ("superpod-b200", ("fabrics.storage.extra.array.switches=[storage-leaf-p1-su01-r1-01]",), ["FG309"]),
        ("leaf-spine", ("fabrics.compute.tiers.leaf.per=su", "fabrics.compute.tiers.spine.per=rail"), ["FG314"]),
        ("rail-groups", (), []),
        ("superpod-b200-3tier", ("fabrics.compute.tiers.core.per=[pod, rail]",), ["FG315"]),
        ("two-site", (), []),
        ("rail-only", (), []),
        ("four-tier", (), []),
        ("nvl72-gb200", (), []),
    ],
)
def test_single_points_and_islands(name: str, sets: tuple[str, ...], codes: list[str]) -> None:
    design = example_design(name, *sets)
    assert [f.code for f in found(design, "FG308", "FG309", "FG313", "FG314", "FG315")] == codes


THIRD = "fabrics.across.spans={haul: {between: [east, west], km: 40, links: 32 x 400G}, %s}"


def test_a_second_span_is_a_second_route() -> None:
    (finding,) = found(example_design("two-site"), "FG312")
    assert finding.message == "across joins east and west by one span only: haul, 40 km"
    both = THIRD % "south: {between: [east, west], km: 60, links: 32 x 400G}"
    assert found(example_design("two-site", both), "FG312") == []


@pytest.mark.parametrize(
    ("sets", "paths"),
    [
        (("floor.cords=1",), [("floor", "cords")]),
        (("floor={feeds: [A], cords: 1, feed_per: row}",), []),
        (("fabrics.compute.tiers.leaf.racks=2",), [("fabrics", "compute", "tiers", "leaf", "racks")]),
        (("fabrics.compute.tiers.spine.racks=2",), []),
    ],
)
def test_settings_of_racks_and_feeds_that_have_no_effect(sets: tuple[str, ...], paths: list[tuple[str, ...]]) -> None:
    assert [f.path for f in found(example_design("top-of-rack", *sets), "FG803")] == paths


@pytest.mark.parametrize(
    ("name", "sets", "codes"),
    [
        # a core switch or two for all spines of one number: a leaf has paths through those behind all spines
        ("colossus-200k", ("fabrics.compute.tiers.core.count=2", "pods={p1: {su: 8, count: 2}}"), []),
        ("colossus-200k", ("fabrics.compute.tiers.core.count=1", "pods={p1: {su: 8, count: 2}}"), []),
        ("multi-plane", ("pods.p1.su=2",), []),  # one spine in each of eight planes
        ("multi-plane", ("pods.p1.su=4",), []),  # two
        ("modular-spine", ("fabrics.compute.tiers.spine.count=2",), ["FG303"]),
        ("four-tier", ("fabrics.compute.tiers.super-spine.count=1",), []),  # joins cores of one number
        ("leaf-spine", ("fabrics.compute.tiers.spine.count=1",), ["FG304"]),
    ],
)
def test_few_switches_above(name: str, sets: tuple[str, ...], codes: list[str]) -> None:
    assert [f.code for f in found(example_design(name, *sets), "FG303", "FG304")] == codes


def test_the_count_of_spines_that_is_named_fits() -> None:
    (finding,) = found(example_design("modular-spine", "fabrics.compute.tiers.spine.count=2"), "FG303")
    assert finding.hint == "set `count: 4` on spine"


def test_as_many_racks_as_are_named_are_enough() -> None:
    sets = ["lint.limits.after_loss={rack: 75%}"]
    for tier in ("leaf", "spine"):
        (finding,) = found(example_design("superpod-b300", *sets), "FG404")
        assert finding.hint == f"spread the {tier} switches over more racks: `racks: 2` or more"
        sets.append(f"fabrics.compute.tiers.{tier}.racks=2")
    assert not found(example_design("superpod-b300", *sets), "FG404")


def test_a_row_that_takes_no_more_than_a_rack_is_told_once() -> None:
    limits = "lint.limits.after_loss={rack: 50%, row: 50%}"
    assert {f.code for f in found(example_design("superpod-b200", limits), "FG404", "FG405")} == {"FG404"}


def test_rows_of_whole_units_outlive_one() -> None:
    """The racks of a unit's leaves share its row, however many they are."""
    sets = ("lint.limits.after_loss={row: 50%}", "fabrics.compute.tiers.spine.racks=2")
    (finding,) = found(example_design("nic-modes", *sets, "floor.racks_per_row=8"), "FG405")
    assert finding.hint == "let rows hold whole units of 9 racks: `floor: {racks_per_row: 9}`"
    assert not found(example_design("nic-modes", *sets, "floor.racks_per_row=9"), "FG405")
    assert not found(example_design("nic-modes", *sets), "FG405")


def test_leaves_of_one_switch_are_told_once_for_nodes_and_devices() -> None:
    design = example_design("superpod-b200", "fabrics.storage.tiers.leaf.per=su")
    assert [f.code for f in found(design, "FG309", "FG401")] == ["FG401"]


LONE_LEAVES = """
fabricgen: 1
name: lone
scalable_unit: {nodes: 16 x dgx-b200}
pods: {p1: {su: 2}}
fabrics:
  compute:
    protocol: roce
    tiers:
      leaf: {switch: sn5600, LEAF}
"""


@pytest.mark.parametrize(
    ("leaf", "key", "says"),
    [
        ("count: 8", "count", "the 8 compute leaf switches make 8 islands: no tier is above them"),
        (
            "count: 16, peer: 15 x 200G",
            "peer",
            "16 compute leaf switches make 8 islands: `peer` joins two each, 8 pairs",
        ),
        ("per: rail, count: 2", "count", "the 16 compute leaf switches make 2 islands"),
        ("count: 8, spread: stripe", "", ""),
        ("per: rail", "", ""),
        ("count: 4, peer: 4 x 400G, spread: stripe", "", ""),
    ],
)
def test_switches_of_a_group_that_nothing_joins_are_islands(
    design_of: Callable[..., Design], leaf: str, key: str, says: str
) -> None:
    told = found(design_of(LONE_LEAVES.replace("LEAF", leaf)), "FG315")
    assert [f.path for f in told] == ([("fabrics", "compute", "tiers", "leaf", key)] if key else [])
    assert all(says in f.message for f in told)


def test_peer_links_make_no_mesh(design_of: Callable[..., Design]) -> None:
    (told,) = found(design_of(LONE_LEAVES.replace("LEAF", "count: 16, peer: 15 x 200G")), "FG806")
    assert told.message == "`peer` makes 8 pairs of two leaf switches, with 15 links each, and no mesh of 16"
    assert not found(design_of(LONE_LEAVES.replace("LEAF", "count: 16, peer: 4 x 200G")), "FG806")


@pytest.mark.tenth
@pytest.mark.parametrize(
    ("sites", "spans", "circle"),
    [
        (3, "ab bc ca", ""),  # all are linked with each other
        (4, "ab bc cd", ""),
        (4, "ab ac ad", ""),
        (4, "ab bc cd da ac bd", ""),
        (4, "ab bc cd da", "abcd"),
        (5, "ab bc cd de ea", "abcde"),
        (5, "ab bc cd da ae", "abcd"),
    ],
)
@pytest.mark.parametrize("manager", ["ufm", "opensm"])
def test_sites_in_a_ring_wait_for_each_other(
    design_of: Callable[..., Design], sites: int, spans: str, circle: str, manager: str
) -> None:
    """test_ib_routes.py walks such tables of opensm."""
    told = list(RootsNeverMeet().check(build_cluster(design_of(sites_of(sites, spans, manager)))))
    assert len(told) == bool(circle and manager == "ufm")
    for finding in told:
        assert finding.path == ("fabrics", "compute", "spans")
        assert sorted(re.findall(r"spine-([a-e])-01 - ", finding.message)) == list(circle)

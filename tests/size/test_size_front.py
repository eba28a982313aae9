"""Laws of the front, of what is left out before it is wired, and of the growth that is counted."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabricgen.catalog.loader import Catalog
from fabricgen.cluster import Cluster
from fabricgen.lint.engine import lint
from fabricgen.pipeline import compile_cluster, compile_design
from fabricgen.size.figures import Figures
from fabricgen.size.front import Candidate, beaten_by, beats, front_of, near_alike
from fabricgen.size.search import Work
from fabricgen.size.shapes import Hardware, Shape, likeness, most_nodes, shapes
from fabricgen.size.wishes import AXES
from tests.effort import calls
from tests.size.wished import alone, designed, searched, wished

SMALL = {
    "gpus": 503,
    "node": "dgx-b300",
    "switch": "sn5600",
    "tiers": "2,3",
    "oversubscription": "1:1,2:1",
    "rails": "meet",
}
"""63 nodes of eight GPUs, the last of which is not asked for."""

figure = st.integers(0, 4)
known = st.one_of(st.none(), figure)


@st.composite
def candidates(draw: st.DrawFn) -> list[Candidate]:
    found = []
    for number in range(draw(st.integers(1, 8))):
        shape = Shape(2, f"s{number}", 1, "rail", 1, 8, Fraction(1), "spine")
        figures = Figures({"leaf": draw(figure)}, 0, 0, draw(figure), draw(known), 3, float(draw(figure)), None, None)
        found.append(Candidate(shape, "", figures))
    return found


@given(candidates(), st.sets(st.sampled_from(["switches", "optics", "power", "bisection"]), min_size=1))
def test_the_front_is_what_nothing_beats(found: list[Candidate], chosen: set[str]) -> None:
    axes = sorted(chosen)
    front = front_of(found, axes)
    places = [one.place(axes) for one in found]
    assert [one.name for one in front] == [
        one.name for one in found if not any(beats(other, one.place(axes)) for other in places)
    ]
    for one in found:
        assert (beaten_by(one, front, axes) is None) == (one in front)


def test_unknown_power_wins_nothing() -> None:
    shape = Shape(2, "a", 1, "rail", 1, 8, Fraction(1), "spine")
    known_w = Candidate(shape, "", Figures({"leaf": 4}, 0, 0, 4, 900.0, 3, 1.0, 900.0, None))
    unknown = replace(known_w, shape=replace(shape, switch="b"), figures=replace(known_w.figures, power_w=None))
    assert front_of([unknown, known_w], ("switches", "power")) == [known_w]


def test_what_is_nearly_alike_in_other_planes_is_told_unless_the_front_has_it() -> None:
    """5 % dearer is near, 6 % is not; one of the same planes or another switch never is."""
    shape = Shape(2, "a", 1, "rail", 1, 8, Fraction(1), "spine")
    one = Candidate(shape, "", Figures({"leaf": 100}, 0, 0, 200, 1000.0, 3, 1.0, None, None))

    def other(unit: int, switches: int, planes: int = 2, switch: str = "a") -> Candidate:
        figures = replace(one.figures, switches={"leaf": switches})
        return replace(one, shape=replace(shape, unit=unit, planes=planes, switch=switch), figures=figures)

    axes = ("switches", "optics", "power")
    near, nearer = other(16, 105), other(32, 104)
    far, alike, foreign = other(64, 106), other(16, 101, planes=1), other(16, 101, switch="b")
    assert near_alike([one], [far, near, nearer, alike, foreign], axes) == {one.name: (nearer,)}
    assert near_alike([one], [replace(near, checked=True), nearer], axes)[one.name][0].name == near.name
    assert near_alike([one], [far, alike, foreign], axes) == {}
    assert near_alike([one, other(48, 103)], [near, nearer], axes) == {}
    unknown = replace(nearer, figures=replace(nearer.figures, power_w=None))
    assert near_alike([one], [unknown], axes) == {}


def test_the_nics_that_a_lost_switch_cuts_off_are_those_of_no_other_switch() -> None:
    """Against the drawn links: of each switch, the NICs whose links all end at it."""
    for planes in (1, 2):
        wishes = {"gpus": 2048, "node": "dgx-b300", "switch": "sn5600", "attach": "rail", "tiers": 2, "planes": planes}
        one = next(one for one in designed(**wishes) if one.shape.meet == "spine")
        links = compile_cluster(compiled(one)).plan.links
        ends: dict[tuple[int, int], set[int]] = {}
        for device, leaf, rail, segment in zip(
            *(column.tolist() for column in (links.a_device, links.b_device, links.rail, links.segment)), strict=True
        ):
            if links.segments[segment].lower == "node":
                ends.setdefault((device, rail), set()).add(leaf)
        alone_at = Counter(leaf for leaves in ends.values() if len(leaves) == 1 for leaf in leaves)
        assert one.figures.nics_cut_off == max(alone_at.values(), default=0)
        assert {len(leaves) for leaves in ends.values()} == {one.figures.nic_links} == {planes}


MANY_AXES = ",".join(axis for axis in AXES if axis not in ("price", "growth", "loss"))


@pytest.mark.slow
def test_what_is_shown_lints_clean_and_what_is_left_out_is_beaten() -> None:
    """One search, since it takes seconds, and every law over it."""
    whole = searched(**SMALL)
    shown = (*whole.front, *whole.beaten)
    assert len(whole.front) >= 2
    assert len(shown) > 32
    least = {one.name: one.figures for one in designed(**SMALL)}
    for one in shown:
        costs_no_less_than(least.get(one.name) or alone(one.shape, **SMALL).figures, one)
    for one in (*whole.front, *Random(39).sample(whole.beaten, 12)):
        is_clean_and_has_its_figures(one)
    for one in whole.beaten:
        assert beaten_by(one, whole.front, whole.axes) is not None
    quick = searched(every=False, **SMALL, axes=MANY_AXES)
    front = front_of(shown, quick.axes)
    assert {(one.name, one.figures.optics, one.figures.latency_ns) for one in quick.front} == {
        (one.name, one.figures.optics, one.figures.latency_ns) for one in front
    }


def costs_no_less_than(design: Figures, one: Candidate) -> None:
    """What a design is known to cost at least, its wiring plan costs; of fibre alone it costs little more."""
    plan = one.figures
    assert (design.switches, design.links, design.hops) == (plan.switches, plan.links, plan.hops)
    for axis in ("cables", "optics", "power", "latency"):
        least, figure = design.on(axis), plan.on(axis)
        assert least is not None
        assert figure is not None
        assert least <= figure, (one.name, axis)
    if one.shape.attach != "tor":
        assert plan.optics <= 1.05 * design.optics


def is_clean_and_has_its_figures(one: Candidate) -> None:
    cluster = compile_cluster(compiled(one))
    assert lint(cluster.design, cluster).counts == {"error": 0, "warning": 0}, one.name
    switches = {tier.name: tier.switches for tier in cluster.design.tiers}
    plan = cluster.plan
    assert (switches, len(plan.links), len(plan.cables)) == (
        one.figures.switches,
        one.figures.links,
        one.figures.cables,
    )


def compiled(one: Candidate):
    path = f"{one.name}.yaml"
    return compile_design(path, unsaved={path: one.text.encode()})


def upper_ends(cluster: Cluster) -> dict[str, Counter[str]]:
    """By switch that has uplinks: how many it has to each upper switch."""
    names, links = cluster.names, cluster.plan.links
    found: dict[str, Counter[str]] = {}
    for a, b, segment in zip(links.a_device.tolist(), links.b_device.tolist(), links.segment.tolist(), strict=True):
        if links.segments[segment].lower != "node":
            found.setdefault(names[a], Counter())[names[b]] += 1
    return found


def test_what_cannot_grow_so_far_has_no_growth() -> None:
    found = designed(gpus=192, growth_to=4096, node="dgx-b200", switch="qm9700", attach="rail", tiers="1,2")
    growth = {(one.shape.tiers, one.shape.meet): one.figures.growth for one in found if not one.shape.ready}
    assert growth[1, ""] is None  # 32 nodes a rail
    assert growth[2, "spine"] is None  # 2,048 GPUs
    assert (growth[2, ""] or 0) > 0  # 16,384


def test_a_design_is_made_in_few_calls() -> None:
    """A thousand candidates take under 10 s on two cores: some 40,000 calls each, of which a core does 4 million a
    second.
    """
    wishes = {"gpus": 4096, "node": "dgx-b300", "switch": "sn5600", "attach": "rail", "planes": 2, "tiers": 2}
    hardware = Hardware(wished(**wishes), Catalog())
    tried = [shape for shape in shapes(hardware, 512) if shape.meet == "spine"]
    work = Work(hardware, 512, "size.yaml", None)
    work.sized(tried[:1])  # reads the catalogue
    assert calls(lambda: work.sized(tried[:1])) < 60_000


@pytest.mark.parametrize("tiers", [2, 3])
def test_growth_moves_as_many_cables_as_the_wiring_plans_differ_by(tiers: int) -> None:
    wishes = {"node": "dgx-b200", "switch": "qm9700", "attach": "rail", "unit_size": 8, "tiers": tiers}
    later = {one.shape: one for one in designed(gpus=512, **wishes)}
    compared = 0
    for one in designed(gpus=192, growth_to=512, **wishes):
        grown = later.get(replace(one.shape, ready=False))
        if grown is None or one.shape.by_spine:
            continue
        before, after = upper_ends(compile_cluster(compiled(one))), upper_ends(compile_cluster(compiled(grown)))
        moved = sum((links - after[name]).total() for name, links in before.items())
        assert one.figures.growth == moved, one.name
        assert not (one.shape.ready and moved)
        compared += 1
    assert compared >= 2


def test_where_one_does_not_lint_clean_the_next_that_is_alike_takes_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    wishes = {"gpus": 2048, "node": "dgx-b200", "switch": "qm9700", "attach": "rail", "tiers": 2, "unit_size": 32}
    (first,) = searched(**wishes).front
    judged = Work.judged
    monkeypatch.setattr(
        Work, "judged", lambda work, one: ["FG999: not clean"] if one.name == first.name else judged(work, one)
    )
    found = searched(every=False, **wishes)
    assert [one.name for one in found.front] == [first.alike[0].name]
    assert found.reasons == (("FG999: not clean", 1),)


@pytest.mark.slow
@pytest.mark.parametrize(("node", "switch", "planes"), [("dgx-b200", "qm9700", 1), ("dgx-b300", "sn5600", 2)])
def test_closed_forms_exclude_what_sizing_refuses_and_nothing_else(node: str, switch: str, planes: int) -> None:
    """The most nodes of a shape are sized, and a unit more is not."""
    wishes = wished(gpus=16384, node=node, switch=switch, planes=planes, tiers="2,3", attach="rail,group")
    hardware, compared = Hardware(wishes, Catalog()), 0
    for drawn in Random(39).sample(list(shapes(hardware, 2048)), 12):
        shape = replace(drawn, by_spine=drawn.tiers == 3)
        most = most_nodes(shape, hardware)
        if not 0 < most < 40_000:
            continue
        fits, more = (Work(hardware, nodes, "size.yaml", None).sized([shape]) for nodes in (most, most + shape.unit))
        assert isinstance(fits[0], Candidate), (shape.name, most, fits)
        assert isinstance(more[0], str), (shape.name, most)
        compared += 1
    assert compared > 5


@pytest.mark.slow
def test_shapes_that_are_alike_take_as_many_switches_and_links() -> None:
    """Of a number of nodes that no unit divides; designs of one likeness are made once."""
    wishes = {"gpus": 8 * 509, "node": "dgx-b300", "switch": "sn5600", "tiers": "2,3"}
    hardware = Hardware(wished(**wishes), Catalog())
    alike: dict[object, list[Shape]] = {}
    for shape in shapes(hardware, 509):
        if most_nodes(shape, hardware) >= 509:
            alike.setdefault(likeness(shape, hardware, 509), []).append(shape)
    several = [found for found in alike.values() if len(found) > 1]
    for found in Random(39).sample(several, 10):
        figures = [alone(shape, **wishes).figures for shape in found]
        assert len({(tuple(one.switches.items()), one.links, one.bisection) for one in figures}) == 1, found

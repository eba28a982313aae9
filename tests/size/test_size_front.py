"""Laws of the front, of what is left out before it is wired, and of the growth that is counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabricgen.catalog.loader import Catalog
from fabricgen.cluster import Cluster
from fabricgen.design.model import Design
from fabricgen.lint.engine import lint
from fabricgen.pipeline import compile_cluster, compile_design
from fabricgen.size.figures import Figures
from fabricgen.size.front import Candidate, beats, find_front, find_near_alike, find_winner
from fabricgen.size.hardware import Hardware, Shape
from fabricgen.size.search import Work, search_designs
from fabricgen.size.shapes import count_most_nodes, find_likeness, list_shapes
from fabricgen.size.wishes import AXES
from tests.effort import calls
from tests.size.wished import design_shape, make_designs, read_options, run_search

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
    drawn = []
    for number in range(draw(st.integers(1, 8))):
        shape = Shape(2, f"s{number}", 1, "rail", 1, 8, Fraction(1), "spine")
        figures = Figures({"leaf": draw(figure)}, 0, 0, draw(figure), draw(known), 3, float(draw(figure)), None, None)
        drawn.append(Candidate(shape, "", figures))
    return drawn


@pytest.mark.slow
@given(candidates(), st.sets(st.sampled_from(["switches", "optics", "power", "bisection"]), min_size=1))
def test_the_front_is_what_nothing_beats(drawn: list[Candidate], chosen: set[str]) -> None:
    axes = sorted(chosen)
    front = find_front(drawn, axes)
    places = [candidate.list_axis_values(axes) for candidate in drawn]
    assert [candidate.name for candidate in front] == [
        candidate.name
        for candidate, place in zip(drawn, places, strict=True)
        if not any(beats(other, place) for other in places)
    ]
    for candidate in drawn:
        assert (find_winner(candidate, front, axes) is None) == (candidate in front)


def test_unknown_power_wins_nothing() -> None:
    shape = Shape(2, "a", 1, "rail", 1, 8, Fraction(1), "spine")
    known_w = Candidate(shape, "", Figures({"leaf": 4}, 0, 0, 4, 900.0, 3, 1.0, 900.0, None))
    unknown = replace(known_w, shape=replace(shape, switch="b"), figures=replace(known_w.figures, power_w=None))
    assert find_front([unknown, known_w], ("switches", "power")) == [known_w]


def test_what_is_nearly_alike_in_other_planes_is_told_unless_the_front_has_it() -> None:
    """5 % dearer is near, 6 % is not; one of the same planes or another switch never is."""
    shape = Shape(2, "a", 1, "rail", 1, 8, Fraction(1), "spine")
    base = Candidate(shape, "", Figures({"leaf": 100}, 0, 0, 200, 1000.0, 3, 1.0, None, None))

    def vary_base(unit: int, switches: int, planes: int = 2, switch: str = "a") -> Candidate:
        figures = replace(base.figures, switches={"leaf": switches})
        return replace(base, shape=replace(shape, unit=unit, planes=planes, switch=switch), figures=figures)

    axes = ("switches", "optics", "power")
    near, nearer = vary_base(16, 105), vary_base(32, 104)
    far, alike, foreign = vary_base(64, 106), vary_base(16, 101, planes=1), vary_base(16, 101, switch="b")
    assert find_near_alike([base], [far, near, nearer, alike, foreign], axes) == {base.name: (nearer,)}
    assert find_near_alike([base], [replace(near, checked=True), nearer], axes)[base.name][0].name == near.name
    assert find_near_alike([base], [far, alike, foreign], axes) == {}
    assert find_near_alike([base, vary_base(48, 103)], [near, nearer], axes) == {}
    unknown = replace(nearer, figures=replace(nearer.figures, power_w=None))
    assert find_near_alike([base], [unknown], axes) == {}


def test_the_nics_that_a_lost_switch_cuts_off_are_those_of_no_other_switch() -> None:
    """Against the drawn links: of each switch, the NICs whose links all end at it."""
    for planes in (1, 2):
        wishes = {"gpus": 2048, "node": "dgx-b300", "switch": "sn5600", "attach": "rail", "tiers": 2, "planes": planes}
        candidate = next(candidate for candidate in make_designs(**wishes) if candidate.shape.meet == "spine")
        links = compile_cluster(compile_candidate(candidate)).plan.links
        ends: dict[tuple[int, int], set[int]] = {}
        for device, leaf, rail, segment in zip(
            *(column.tolist() for column in (links.a_device, links.b_device, links.rail, links.segment)), strict=True
        ):
            if links.segments[segment].lower == "node":
                ends.setdefault((device, rail), set()).add(leaf)
        alone_at = Counter(leaf for leaves in ends.values() if len(leaves) == 1 for leaf in leaves)
        assert candidate.figures.nics_cut_off == max(alone_at.values(), default=0)
        assert {len(leaves) for leaves in ends.values()} == {candidate.figures.nic_links} == {planes}


MANY_AXES = ",".join(axis for axis in AXES if axis not in ("price", "growth", "loss"))


@pytest.mark.slow
def test_what_is_shown_lints_clean_and_what_is_left_out_is_beaten() -> None:
    """One search, since it takes seconds, and every law over it."""
    complete = run_search(**SMALL)
    shown = (*complete.front, *complete.beaten)
    assert len(complete.front) >= 2
    assert len(shown) > 32
    least = {candidate.name: candidate.figures for candidate in make_designs(**SMALL)}
    for candidate in shown:
        check_costs_no_less(least.get(candidate.name) or design_shape(candidate.shape, **SMALL).figures, candidate)
    for candidate in (*complete.front, *Random(39).sample(complete.beaten, 12)):
        check_clean(candidate)
    for candidate in complete.beaten:
        assert find_winner(candidate, complete.front, complete.axes) is not None
    quick = run_search(every=False, **SMALL, axes=MANY_AXES)
    front = find_front(shown, quick.axes)
    assert {(candidate.name, candidate.figures.optics, candidate.figures.latency_ns) for candidate in quick.front} == {
        (candidate.name, candidate.figures.optics, candidate.figures.latency_ns) for candidate in front
    }


def check_costs_no_less(design: Figures, candidate: Candidate) -> None:
    """What a design is known to cost at least, its wiring plan costs; of fibre alone it costs little more."""
    plan = candidate.figures
    assert (design.switches, design.links, design.hops) == (plan.switches, plan.links, plan.hops)
    for axis in ("cables", "optics", "power", "latency"):
        least, figure = design.on(axis), plan.on(axis)
        assert least is not None
        assert figure is not None
        assert least <= figure, (candidate.name, axis)
    if candidate.shape.attach != "tor":
        assert plan.optics <= 1.05 * design.optics


def check_clean(candidate: Candidate) -> None:
    cluster = compile_cluster(compile_candidate(candidate))
    assert lint(cluster.design, cluster).counts == {"error": 0, "warning": 0}, candidate.name
    switches = {tier.name: tier.switches for tier in cluster.design.tiers}
    plan = cluster.plan
    assert (switches, len(plan.links), len(plan.cables)) == (
        candidate.figures.switches,
        candidate.figures.links,
        candidate.figures.cables,
    )


def compile_candidate(candidate: Candidate):
    path = f"{candidate.name}.yaml"
    return compile_design(path, unsaved={path: candidate.text.encode()})


def count_upper_ends(cluster: Cluster) -> dict[str, Counter[str]]:
    """By switch that has uplinks: how many it has to each upper switch."""
    names, links = cluster.names, cluster.plan.links
    links_by_switch: dict[str, Counter[str]] = {}
    for a, b, segment in zip(links.a_device.tolist(), links.b_device.tolist(), links.segment.tolist(), strict=True):
        if links.segments[segment].lower != "node":
            links_by_switch.setdefault(names[a], Counter())[names[b]] += 1
    return links_by_switch


def test_what_cannot_grow_so_far_has_no_growth() -> None:
    wishes = {"node": "dgx-b200", "switch": "qm9700", "attach": "rail", "tiers": "1,2", "rails": "meet,apart"}
    designs = make_designs(gpus=192, growth_to=4096, **wishes)
    growth = {
        (candidate.shape.tiers, candidate.shape.meet): candidate.figures.growth
        for candidate in designs
        if not candidate.shape.ready
    }
    assert growth[1, ""] is None  # 32 nodes a rail
    assert growth[2, "spine"] is None  # 2,048 GPUs
    assert (growth[2, ""] or 0) > 0  # 16,384


def test_a_design_is_made_in_few_calls() -> None:
    """A thousand candidates take under 10 s on two cores: some 40,000 calls each, of which a core does 4 million a
    second.
    """
    wishes = {"gpus": 4096, "node": "dgx-b300", "switch": "sn5600", "attach": "rail", "planes": 2, "tiers": 2}
    hardware = Hardware(read_options(**wishes), Catalog())
    tried = [shape for shape in list_shapes(hardware, 512) if shape.meet == "spine"]
    work = Work(hardware, 512, "size.yaml", None)
    work.size_alike(tried[:1])  # reads the catalogue
    assert calls(lambda: work.size_alike(tried[:1])) < 60_000


def test_a_blueprint_is_compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is sized is judged as it is: 413 compiles for 109 designs that are shown took twice the time."""
    compiled: list[bytes] = []

    def compile_counted(path: str, unsaved: Mapping[str, bytes], **options: Any) -> Design:
        compiled.append(unsaved[path])
        return compile_design(path, unsaved=unsaved, **options)

    monkeypatch.setattr("fabricgen.size.candidates.compile_design", compile_counted)
    wishes = read_options(gpus=256, node="dgx-b200", switch="qm9700", tiers=2, attach="rail")
    assert search_designs(wishes, folder=Path(), jobs=1, every=True).front
    assert compiled
    assert len(compiled) == len(set(compiled))


def test_cages_with_more_cables_than_a_transceiver_takes_are_told_before_anything_is_wired() -> None:
    hardware = Hardware(read_options(gpus=64, node="dgx-b300"), Catalog())
    assert hardware.find_ports("7060x6-64de", 2) == (
        "7060x6-64de in 2 planes: 2 cables end in each cage of a leaf; a transceiver there takes 1 (FG603)"
    )
    assert not isinstance(hardware.find_ports("sn5600", 2), str)  # twin-port


@pytest.mark.slow
@pytest.mark.parametrize("tiers", [2, 3])
def test_growth_moves_as_many_cables_as_the_wiring_plans_differ_by(tiers: int) -> None:
    wishes = {"node": "dgx-b200", "switch": "qm9700", "attach": "rail", "unit_size": 8, "tiers": tiers}
    later = {candidate.shape: candidate for candidate in make_designs(gpus=512, **wishes)}
    compared = 0
    for candidate in make_designs(gpus=192, growth_to=512, **wishes):
        grown = later.get(replace(candidate.shape, ready=False))
        if grown is None or candidate.shape.by_spine:
            continue
        before, after = (
            count_upper_ends(compile_cluster(compile_candidate(candidate))),
            count_upper_ends(compile_cluster(compile_candidate(grown))),
        )
        moved = sum((links - after[name]).total() for name, links in before.items())
        assert candidate.figures.growth == moved, candidate.name
        assert not (candidate.shape.ready and moved)
        compared += 1
    assert compared >= 2


def test_where_one_does_not_lint_clean_the_next_that_is_alike_takes_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    wishes = {"gpus": 2048, "node": "dgx-b200", "switch": "qm9700", "attach": "rail,group", "tiers": 2, "unit_size": 32}
    (first,) = run_search(**wishes).front
    judge = Work.judge_candidate

    def refuse_first(work: Work, one: Candidate) -> list[Candidate | str]:
        return ["FG999: not clean"] if one.name == first.name else judge(work, one)

    monkeypatch.setattr(Work, "judge_candidate", refuse_first)
    found = run_search(every=False, **wishes)
    assert [one.name for one in found.front] == [first.alike[0].name]
    assert found.reasons == (("FG999: not clean", 1),)


@pytest.mark.slow
@pytest.mark.parametrize(("node", "switch", "planes"), [("dgx-b200", "qm9700", 1), ("dgx-b300", "sn5600", 2)])
def test_closed_forms_exclude_what_sizing_refuses_and_nothing_else(node: str, switch: str, planes: int) -> None:
    """The most nodes of a shape are sized, and a unit more is not."""
    wishes = read_options(gpus=16384, node=node, switch=switch, planes=planes, tiers="2,3", attach="rail,group")
    hardware, compared = Hardware(wishes, Catalog()), 0
    for drawn in Random(39).sample(list(list_shapes(hardware, 2048)), 12):
        shape = replace(drawn, by_spine=drawn.tiers == 3)
        most = count_most_nodes(shape, hardware)
        if not 0 < most < 40_000:
            continue
        fits, more = (
            Work(hardware, nodes, "size.yaml", None).size_alike([shape]) for nodes in (most, most + shape.unit)
        )
        assert isinstance(fits[0], Candidate), (shape.name, most, fits)
        assert isinstance(more[0], str), (shape.name, most)
        compared += 1
    assert compared > 5


@pytest.mark.slow
def test_shapes_that_are_alike_take_as_many_switches_and_links() -> None:
    """Of a number of nodes that no unit divides; designs of one likeness are made once."""
    wishes = {"gpus": 8 * 509, "node": "dgx-b300", "switch": "sn5600", "tiers": "2,3"}
    hardware = Hardware(read_options(**wishes), Catalog())
    alike: dict[object, list[Shape]] = {}
    for shape in list_shapes(hardware, 509):
        if count_most_nodes(shape, hardware) >= 509:
            alike.setdefault(find_likeness(shape, hardware, 509), []).append(shape)
    several = [group for group in alike.values() if len(group) > 1]
    for group in Random(39).sample(several, 10):
        figures = [design_shape(shape, **wishes).figures for shape in group]
        assert (
            len(
                {
                    (tuple(candidate_figures.switches.items()), candidate_figures.links, candidate_figures.bisection)
                    for candidate_figures in figures
                }
            )
            == 1
        ), group

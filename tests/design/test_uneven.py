"""Uplinks that land unequally: dealt in turn, no more than needed, at the cost that a count over the plan gives.

WCMP (Zhou et al., EuroSys 2014, doi.org/10.1145/2592798.2592803) describes this imbalanced striping, and that with
equal-cost routing the switches with fewer links to a destination lose throughput.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from fabricgen.blueprint.beside.lock import format_lock
from fabricgen.cluster import Cluster, build_cluster
from fabricgen.design.capacity.bisection import SwitchLoss, compute_bisection
from fabricgen.design.capacity.uneven import find_uneven_landings
from fabricgen.design.fabric_model import TierKey
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import InputError
from fabricgen.pipeline import compile_cluster, compile_design
from tests.cuts import least_cut

DesignOf = Callable[..., Design]
SPINE, LEAF = TierKey("compute", "spine"), TierKey("compute", "leaf")
BLUEPRINT = """\
fabricgen: 1
name: uneven
scalable_unit: {nodes: NODES x dgx-b200}
pods: {p1: {su: UNITS, reserve: 8}}
fabrics:
  compute:
    protocol: roce
    tiers:
      leaf: {switch: sn5600, per: [su, rail], uplinks: UPLINKS x 400G, oversubscription: 8}
      spine: {switch: sn5600, count: COUNT, spread: uneven}
"""


def blueprint(nodes: int, units: int, uplinks: int, count: int) -> str:
    text = BLUEPRINT
    for word, value in (("NODES", nodes), ("UNITS", units), ("UPLINKS", uplinks), ("COUNT", count)):
        text = text.replace(word, str(value))
    return text


SIZES = [(4, 1, 4, 3), (4, 2, 5, 2), (4, 3, 7, 4), (4, 5, 16, 11), (4, 2, 6, 4), (4, 3, 12, 8)]


def links_between(cluster: Cluster) -> Counter[tuple[str, str]]:
    """Links of each pair of a leaf and a spine, counted over the plan."""
    links = cluster.plan.links
    ends = zip(links.segment.tolist(), links.a_device.tolist(), links.b_device.tolist(), strict=True)
    names = cluster.names
    return Counter((names[a], names[b]) for s, a, b in ends if links.segments[s].upper == "spine")


@pytest.mark.parametrize("size", SIZES)
def test_switches_differ_by_one_link_at_most(design_of: DesignOf, size: tuple[int, int, int, int]) -> None:
    pairs = links_between(build_cluster(design_of(blueprint(*size))))
    loads: Counter[str] = Counter()
    for (_, spine), links in pairs.items():
        loads[spine] += links
    fewest = size[2] // size[3]
    assert set(pairs.values()) == {fewest, fewest + 1}
    assert len(loads) == size[3]
    assert max(loads.values()) - min(loads.values()) <= 1
    assert len(pairs) == 8 * size[1] * size[3]  # every leaf meets every spine


@pytest.mark.parametrize("size", SIZES)
def test_the_cost_is_what_equal_cost_routing_does_on_the_plan(
    design_of: DesignOf, size: tuple[int, int, int, int]
) -> None:
    """Every leaf sends 1 to every other, equally over its own links; each spine passes on equally over the others'."""
    design = design_of(blueprint(*size))
    pairs = links_between(build_cluster(design))
    above: dict[str, dict[str, int]] = defaultdict(dict)
    for (leaf, spine), links in pairs.items():
        above[leaf][spine] = links
    most = Fraction(0)
    for leaf, own in above.items():
        for spine, links in own.items():
            arriving = sum(Fraction(up[spine], size[2]) for other, up in above.items() if other != leaf)
            most = max(most, arriving / links)
    mean = Fraction(len(above) - 1, size[2])
    (landing,) = find_uneven_landings(design, design.fabric("compute"))
    assert landing.cost == most / mean
    assert 1 < landing.cost <= Fraction(landing.fewest + 1, landing.fewest)
    assert landing.lower.oversubscription
    assert landing.oversubscription == landing.lower.oversubscription * landing.cost


@pytest.mark.parametrize("size", SIZES)
def test_weights_cost_what_all_shortest_paths_alike_do_on_the_plan(
    design_of: DesignOf, size: tuple[int, int, int, int]
) -> None:
    """Every leaf sends 1 to every other, as much over every path of two links, up as down."""
    design = design_of(blueprint(*size) + "\nrouting: {weights: link-bandwidth}\n")
    above: dict[str, dict[str, int]] = defaultdict(dict)
    for (leaf, spine), links in links_between(build_cluster(design)).items():
        above[leaf][spine] = links
    most = Fraction(0)
    for leaf, own in above.items():
        paths = {other: sum(own[spine] * up[spine] for spine in own) for other, up in above.items() if other != leaf}
        most = max(most, *(sum(Fraction(above[other][spine], n) for other, n in paths.items()) for spine in own))
    (landing,) = find_uneven_landings(design, design.fabric("compute"))
    assert float(landing.cost) == pytest.approx(float(most / Fraction(len(above) - 1, size[2])), abs=1e-5)
    (unweighed,) = find_uneven_landings(plain := design_of(blueprint(*size)), plain.fabric("compute"))
    assert 1 < landing.cost < unweighed.cost


@pytest.mark.parametrize(("size", "lost"), [((1, 6, 3, 2), {}), ((1, 6, 7, 4), {}), ((1, 6, 7, 4), {SPINE: 1})])
def test_the_bisection_is_never_too_high(
    design_of: DesignOf, size: tuple[int, int, int, int], lost: dict[TierKey, int]
) -> None:
    design = design_of(blueprint(*size).replace("[su, rail]", "su"))
    cluster = build_cluster(design)
    gone = [row for row, name in enumerate(cluster.names) if lost and name == "compute-spine-01"]
    found = compute_bisection(
        design, design.fabric("compute"), {key: SwitchLoss(number) for key, number in lost.items()}
    )
    counted = least_cut(cluster.plan, gone)
    assert counted * Fraction(1, 2) < found <= counted


def test_growth_moves_no_link_while_counts_are_stated(design_of: DesignOf) -> None:
    def rows(units: int) -> set[tuple[str, str, str, str]]:
        cluster = build_cluster(design_of(blueprint(4, units, 7, 4)))
        links = cluster.plan.links
        ends = zip(links.a_device.tolist(), cluster.a_port, links.b_device.tolist(), cluster.b_port, strict=True)
        return {(cluster.names[a], p, cluster.names[b], q) for a, p, b, q in ends}

    before = rows(1)
    for units in (2, 5, 8):
        after = rows(units)
        assert before < after
        before = after


def test_only_what_ports_need_is_derived(design_of: DesignOf) -> None:
    """24 leaves of 24 uplinks: 576 links on 128 ports take five spines, and six where they must divide."""
    text = blueprint(24, 3, 24, 1).replace("count: 1, ", "").replace(", reserve: 8", "")
    assert design_of(text).tier(SPINE).count == 5
    assert design_of(text.replace(", spread: uneven", "")).tier(SPINE).count == 6


def test_a_count_that_divides_is_as_without(design_of: DesignOf) -> None:
    text = blueprint(4, 2, 8, 4)
    one, other = (build_cluster(design_of(t)) for t in (text, text.replace(", spread: uneven", "")))
    assert one.plan.links.b_port.tolist() == other.plan.links.b_port.tolist()
    assert not list(find_uneven_landings(one.design, one.design.fabric("compute")))


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (blueprint(4, 2, 4, 6), "FG088"),
        (blueprint(4, 2, 4, 3).replace("oversubscription: 8", "oversubscription: 8, spread: uneven"), "FG089"),
    ],
)
def test_what_cannot_be_dealt_is_refused(design_of: DesignOf, text: str, code: str) -> None:
    with pytest.raises(InputError) as refused:
        design_of(text)
    assert [found.code for found in refused.value.diagnostics] == [code]


def test_a_lock_keeps_the_count_that_grew_from_uneven_links(tmp_path: Path) -> None:
    file = tmp_path / "demo.yaml"
    file.write_text(blueprint(24, 3, 24, 1).replace("count: 1, ", "").replace(", reserve: 8", ""), encoding="utf-8")
    lock = file.with_suffix(".lock.yaml")
    lock.write_text(format_lock(compile_cluster(compile_design(str(file))).lock), encoding="utf-8")
    assert "  compute spine: 5 x sn5600 uneven, down 2 x 400g\n" in lock.read_text(encoding="utf-8")
    assert compile_design(str(file), ["pods.p1.su=2"]).tier(SPINE).count == 5  # three would do
    assert compile_design(str(file), ["pods.p1.su=4"]).tier(SPINE).count == 6
    assert compile_design(str(file), ["fabrics.compute.tiers.spine.spread=null"]).tier(SPINE).count == 6

"""The first screen of `size`: what a build lead would buy is among its rows, the maker's design always."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest

from fabricgen.catalog.loader import Catalog
from fabricgen.pipeline import compile_cluster, compile_design
from fabricgen.size.figures import Figures
from fabricgen.size.front import Candidate, beats
from fabricgen.size.hardware import Hardware, Shape
from fabricgen.size.search import MOST_ROWS, SearchResult, choose_rows
from tests.size.wished import count_switches, read_options, run_search

SCREEN = 40
"""Lines of the first screen, at most."""


def list_rows(result: SearchResult) -> list[tuple[str, int, tuple[int, ...]]]:
    """Switch, planes and switches by tier of each row."""
    return [(row.shape.switch, row.shape.planes, count_switches(row)) for row in result.rows]


@pytest.mark.slow
def test_hgx_h200_on_spectrum() -> None:
    """576 GPUs: two rails a leaf, units of 24 nodes."""
    result = run_search(every=False, gpus=576, node="hgx-h200", switch="sn5600")
    assert ("sn5600", 1, (12, 6)) in list_rows(result)


@pytest.mark.slow
def test_superpod_b300_is_a_row_though_few_axes_are_its_own() -> None:
    """256 nodes: NVIDIA DGX SuperPOD B300 reference architecture, 64 leaves and 32 spines in two planes."""
    result = run_search(every=False, gpus=2048, node="dgx-b300", switch="sn5600,7720r4-128pe")
    assert ("sn5600", 2, (64, 32)) in list_rows(result)
    assert result.reference is not None
    assert result.reference.name in {row.name for row in result.rows}


@pytest.mark.slow
def test_trays_have_infiniband_and_ethernet() -> None:
    result = run_search(every=False, gpus=1152, node="gb200-tray")
    protocols = {result.hardware.catalog.switch(switch).protocol for switch, _, _ in list_rows(result)}
    assert protocols == {"ethernet", "infiniband"}
    assert ("qm9700", 1, (48, 24)) in list_rows(result)


@pytest.mark.slow
def test_the_design_of_the_maker_is_a_row_whatever_is_wished(fabricgen) -> None:
    """DGX B200 on Ethernet: the SuperPOD of InfiniBand stands beside it, and is on no front."""
    wishes = ("--gpus", "1024", "--node", "dgx-b200", "--switch", "sn5600", "--attach", "rail")
    text = fabricgen("size", *wishes).out
    assert "2t-qm9700-p1-su32-1to1 ^  48 = 32 + 16" in text
    assert "^ the maker's design, not among what is wished for: NVIDIA DGX SuperPOD B200" in text
    document = json.loads(fabricgen("size", *wishes, "--format", "json").out)
    reference = [one for one in document["candidates"] if one["reference"]]
    assert [(one["name"], one["pareto"], one["row"]) for one in reference] == [("2t-qm9700-p1-su32-1to1", False, True)]
    assert (
        "no design of the maker of hls3-gaudi3 is known"
        in fabricgen("size", "--gpus", "64", "--node", "hls3-gaudi3").out
    )


@pytest.mark.slow
def test_the_first_screen_is_a_screen(fabricgen) -> None:
    text = fabricgen("size", "--gpus", "1152", "--node", "gb200-tray", "--tiers", "2").out
    assert len(text.splitlines()) <= SCREEN
    assert text.splitlines()[-1].endswith("--all; a page with plots: --format html")
    assert 1 <= text.count("\n  one lost leaf: ") <= MOST_ROWS


# What a build lead would buy, by the textbook and without the search: the fewest tiers of one model of switch without
# oversubscription, every rail of a unit on a leaf of its own, or several rails where that fills leaves better.

NODES = ("dgx-b200", "dgx-h100", "dgx-b300", "hgx-h200", "mi300x-8", "xe9680-h200")
SWITCHES = {"qm9700": 64, "sn5600": 128, "7060x6-64pe": 128, "qfx5240-64od": 128}
"""Switches and their ports of 400G."""


def list_cases() -> list[tuple[str, int, str]]:
    """Twenty searches, drawn: a node, how many GPUs, a switch that has no fewer than 64 ports of 400G."""
    rng, cases = Random(57), []
    while len(cases) < 20:
        case = (rng.choice(NODES), 8 * rng.choice((24, 32, 64, 72, 96, 128, 192, 256)), rng.choice(sorted(SWITCHES)))
        protocols = Catalog().switch(case[2]).protocol, Catalog().node(case[0]).reference
        if case not in cases and (protocols[0] == "ethernet" or case[0].startswith("dgx")):
            cases.append(case)
    return cases


def design_by_textbook(gpus: int, links: int, planes: int, radix: int) -> tuple[int, int]:
    """(switches, NICs that a lost leaf cuts off) of two tiers of full leaves: the least that a rail-optimized network
    takes, whose leaves are filled by as many rails as divide eight.
    """
    nodes, down = gpus // 8, radix // 2
    best = []
    for rails in (1, 2):
        unit = min(down * planes // (rails * links), nodes)
        leaves = -(-nodes // unit) * 8 // rails
        if planes > 1:
            leaves *= planes
        uplinks = unit * rails * links // planes
        needed = max(4, -(-leaves // planes * uplinks // radix))  # of fewer, two lost ones are half of all
        spines = next((count for count in range(1, uplinks + 1) if uplinks % count == 0 and count >= needed), 0)
        if spines:
            best.append((leaves + spines * planes, 0 if planes > 1 else unit * rails))
    return min(best)


@pytest.mark.slow
@pytest.mark.parametrize(("node", "gpus", "switch"), list_cases())
def test_what_a_build_lead_would_buy_is_among_the_rows(node: str, gpus: int, switch: str) -> None:
    """A row with no more switches than the textbook's, which loses no more NICs with a leaf, and hardly more bisection;
    where a NIC has two ports, one of two planes.
    """
    result = run_search(every=False, gpus=gpus, node=node, switch=switch)
    assert len(result.rows) <= MOST_ROWS
    planes = 2 if node == "dgx-b300" else 1
    switches, cut = design_by_textbook(gpus, planes, planes, SWITCHES[switch])
    bought = [
        row
        for row in result.rows
        if sum(count_switches(row)) <= switches
        and row.figures.nics_cut_off <= max(cut, 64)
        and row.shape.planes == planes
        and row.figures.bisection == 1
        and row.shape.meet
    ]
    assert bought, (switches, cut, list_rows(result))


ODD = [
    ("dgx-a100", 256, (8, 2)),  # of NDR, whose ports are split
    ("dgx-b300-xdr", 1152, (16, 8)),
    ("dgx-h100", 4096, (128, 128, 64)),  # three tiers of InfiniBand beside two of Ethernet
    ("dgx-rubin-nvl8", 576, (8, 4)),
    ("gb200-tray", 2304, (48, 24)),
    ("gb300-tray-xdr", 1152, (16, 8)),
    ("hls3-gaudi3", 512, (12, 8)),  # six ports of four links a node
    ("hpn-node", 4352, (80, 38)),  # two ports a NIC
    ("mi300x-8", 1024, (16, 8)),
    ("mi355x-8", 1024, (16, 8)),
    ("vr200-tray", 1152, (32, 18)),
    ("xe9680-h200", 1024, (16, 8)),
]
"""Cases of other makers and protocols: a node, GPUs, and the switches by tier of what would be bought."""


@pytest.mark.slow
@pytest.mark.parametrize(("node", "gpus", "switches"), ODD)
def test_odd_cases_have_what_would_be_bought(node: str, gpus: int, switches: tuple[int, ...]) -> None:
    """Without a switch that is named: of all that the catalogue has."""
    rows = run_search(every=False, gpus=gpus, node=node).rows
    assert switches in [count_switches(row) for row in rows], list(map(count_switches, rows))


SHAPE = Shape(2, "sn5600", 1, "rail", 1, 8, Fraction(1), "spine")
FIGURES = Figures({"leaf": 4}, 0, 0, 4, 900.0, 3, 1.0, 900.0, None)


def test_a_design_of_unknown_power_dominates_none() -> None:
    """However little it has of all else; and of two that are as near to the best it comes second."""
    axes = ("switches", "optics", "power")
    unknown = Candidate(replace(SHAPE, unit=4), "", replace(FIGURES, switches={"leaf": 1}, optics=1, power_w=None))
    known = Candidate(SHAPE, "", FIGURES)
    assert not beats(unknown.list_axis_values(axes), known.list_axis_values(axes))
    hardware = Hardware(read_options(gpus=64, node="dgx-b200"), Catalog())
    assert {row.name for row in choose_rows((unknown, known), None, axes, hardware)} == {unknown.name, known.name}


def test_a_kind_of_far_too_many_switches_takes_no_row_from_others() -> None:
    """InfiniBand, whose switches have fewer ports, is measured by itself."""
    axes = ("switches", "optics")
    near = [
        Candidate(replace(SHAPE, unit=n), "", replace(FIGURES, switches={"leaf": 4 + n}, optics=40 - n))
        for n in range(10)
    ]
    far = Candidate(replace(SHAPE, attach="group"), "", replace(FIGURES, switches={"leaf": 200}, optics=39))
    other = Candidate(replace(SHAPE, switch="qm9700"), "", replace(FIGURES, switches={"leaf": 100}, optics=39))
    hardware = Hardware(read_options(gpus=64, node="dgx-b200"), Catalog())
    rows = choose_rows((*near, far, other), None, axes, hardware)
    assert other in rows
    assert far not in rows


@pytest.mark.slow
def test_where_power_is_limited_a_switch_of_unknown_draw_is_refused(fabricgen) -> None:
    wishes = (
        "--gpus",
        "1024",
        "--node",
        "dgx-b200",
        "--switch",
        "7060xe7-128pe,qm9700",
        "--attach",
        "rail",
        "--tiers",
        "2",
    )
    document = json.loads(fabricgen("size", *wishes, "--max-power", "12MW", "--format", "json").out)
    assert {one["switch"] for one in document["candidates"]} == {"qm9700"}
    assert any("nobody publishes what its switches draw" in excluded["why"] for excluded in document["excluded"])


@pytest.mark.slow
@pytest.mark.parametrize("planes", [1, 2])
@pytest.mark.parametrize("tiers", [2, 3])
def test_losses_are_those_of_analyze(planes: int, tiers: int) -> None:
    """NICs and bisection that one lost leaf, spine, core and link cost, against the analysis of the wired plan."""
    from fabricgen.analyze.asked import Question, read_job
    from fabricgen.analyze.network import list_networks
    from fabricgen.analyze.sections.failures import figures

    wishes = {"node": "dgx-b300", "switch": "sn5600", "attach": "rail", "tiers": tiers, "planes": planes}
    candidate = run_search(every=False, gpus=2048, **wishes).front[0]
    path = "candidate.yaml"
    cluster = compile_cluster(compile_design(path, unsaved={path: candidate.text.encode()}))
    (network,) = list_networks(cluster)
    question = Question(constants=cluster.design.catalog.constants())
    rows = figures(network, read_job(network), question)["losses"]
    switches = {row["what"]: row for row in rows if row["kind"] == "switch"}
    for tier, lost in candidate.figures.lost.items():
        assert round(switches[tier]["bisection_share"], 4) == lost["bisection_left"]
    assert switches["leaf"]["cut_off"] == candidate.figures.nics_cut_off


@pytest.mark.slow
def test_racks_that_are_not_there_have_no_leaves() -> None:
    """24 nodes in racks of four are six racks: six leaves of 32 ports down, where units of four racks have eight."""
    result = run_search(gpus=192, node="hgx-h200", switch="qm9700", attach="tor", nodes_per_rack=4)
    assert (6, 4) in [count_switches(candidate) for candidate in result.front]

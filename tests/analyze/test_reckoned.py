"""How figures were reckoned, as reports tell it: each section once, with the constants that were taken."""

from __future__ import annotations

import re

import pytest

from fabricgen.analyze.analysis import list_sections
from fabricgen.analyze.asked import Question, override_constants, read_job
from fabricgen.analyze.network import list_networks
from fabricgen.analyze.reckoned import WIDTH, cite_sources, format_reckonings
from fabricgen.analyze.sections import collectives, failures, structure
from fabricgen.catalog.loader import Catalog
from tests.conftest import example_cluster
from tests.docs.pages import text_of

USUAL = Catalog().constants()
KINDS = ("formula", "constants", "source")


def _list_kinds(lines: list[str]) -> list[str]:
    return [match[1] for line in lines if (match := re.match(r"  (\w+): +\S", line)) and match[1] in KINDS]


@pytest.fixture(scope="module")
def network():
    return next(list_networks(example_cluster("mixed-generations")))


def test_every_section_ends_with_formula_constants_and_source_and_where_they_are_derived(fabricgen) -> None:
    ran = fabricgen("analyze", "blueprints/leaf-spine.yaml", "--all")
    parts = re.split(r"(?m)^-+\n", ran.out)[1:]
    assert len(parts) == len(list_sections())
    for name, part in zip(list_sections(), parts, strict=True):
        lines = part.splitlines()
        assert _list_kinds(lines) == list(KINDS), name
        reckoning_lines = lines[next(at for at, line in enumerate(lines) if line.startswith("  formula:")) :]
        assert max(map(len, reckoning_lines)) <= WIDTH
        anchor = re.search(r"derived in docs/analyze\.md#([a-z-]+)", part)
        assert anchor
        assert anchor[1].replace("-", "_") == name
        assert f"\n## {anchor[1].replace('-', ' ').capitalize()}\n" in text_of("docs/analyze.md")


def test_of_a_second_blueprint_only_what_differs_is_said_again(fabricgen) -> None:
    words = ("blueprints/leaf-spine.yaml", "blueprints/full-cluster.yaml", "--section", "structure")
    first, second = fabricgen("analyze", *words).out.split("\nfull-cluster\n")
    assert _list_kinds(first.splitlines()) == list(KINDS)
    assert _list_kinds(second.splitlines()) == ["constants", "source"]
    assert "leaf 150 ns" in second


def test_switches_and_cables_of_the_constants_make_the_latency(network) -> None:
    """1 switch of the leaf; up and down again, two leaves and a spine."""
    results = structure.figures(network, read_job(network), Question(USUAL))
    leaf, spine = (results["constants"]["switch_ns"][tier] for tier in ("leaf", "spine"))
    switches = {1: leaf, 3: 2 * leaf + spine}
    rows = [row for row in results["pairs"] if row.get("switches")]
    assert {row["switches"] for row in rows} == set(switches)
    for row in rows:
        ns = switches[row["switches"]] + row["cable_m"] * results["constants"]["fibre_ns_per_m"]
        assert row["latency_us"] == pytest.approx(ns / 1000, abs=0.001)
    assert set(results["source"]["switch_ns"]) == {"sn5600"}


def test_collectives_name_the_steps_that_their_table_takes_and_no_others(network) -> None:
    results = collectives.figures(network, read_job(network), Question(USUAL, sizes=(2**33,)))
    steps_taken = {(row["algorithm"], row["protocol"]) for rows in results["collectives"].values() for row in rows}
    reckonings = dict(collectives.reckoning(results))
    steps = re.findall(r"(\w+) (\w+) [\d.]+/[\d.]+/[\d.]+/[\d.]+", " ".join(reckonings["constants"]))
    kinds = {"direct": "ring", "hierarchical": "ring"}
    assert sorted(steps) == sorted({(kinds.get(algorithm, algorithm), protocol) for algorithm, protocol in steps_taken})
    simple = USUAL.latency.ring.simple
    assert f"ring simple {simple.launch_us:g}/{simple.scale_up_us:g}/{simple.nic_us:g}/1" in " ".join(
        reckonings["constants"]
    )


def test_what_is_stated_is_told_as_stated(network) -> None:
    constants = override_constants(USUAL, ["failures.cable.failures=114", "latency.medium.fibre_ns_per_m=5"])
    reckonings = dict(structure.reckoning(structure.figures(network, read_job(network), Question(constants))))
    assert reckonings["constants"][0].endswith("cable: 5 ns/m")
    assert reckonings["source"][-1] == "cable: latency.medium.fibre_ns_per_m=5 as stated, else ITU-T G.652"
    reckonings = dict(failures.reckoning(failures.figures(network, read_job(network), Question(constants))))
    assert f"cable or fibre {2 * USUAL.failures['cable'].per_year:.2g}" in reckonings["constants"][0]
    assert USUAL.failures["cable"].source.startswith("Alibaba")
    stated_as = "cable or fibre: failures.cable.failures=114 as stated, else"
    assert any(line.startswith(stated_as) for line in reckonings["source"])


def test_sources_are_told_once_and_lines_are_wrapped_below_their_names() -> None:
    assert cite_sources({"a": "Book; page 1", "b": "Other", "c": "Book; page 2"}) == ("a, c: Book", "b: Other")
    lines = list(format_reckonings([("formula", ("x = " + "1 + " * 40 + "1", "y = 2"))]))
    assert lines[0].startswith("  formula:   x = 1")
    assert lines[1].startswith(" " * 15 + "+ 1")
    assert lines[-1] == " " * 13 + "y = 2"
    assert all(len(line) <= WIDTH for line in lines)


def _list_sources(value: object):
    if isinstance(value, dict):
        for key, below in value.items():
            yield from [below] if key == "source" else _list_sources(below)


def test_every_source_of_the_usual_constants_is_short_enough_to_tell_and_stands_alone() -> None:
    for source in _list_sources(USUAL.model_dump()):
        short = source.partition(";")[0]
        assert len(short) <= WIDTH, source
        assert not short.startswith(("the same", "as above")), source

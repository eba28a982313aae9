"""Spare nodes: wired, addressed, cabled and bought, and not counted as accelerators."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from fabricgen.design.summary import summarize_design
from fabricgen.export.files import addresses, bom, cables, devices, endpoints, links, racks
from fabricgen.export.table import ExportContext
from tests.conftest import example_cluster, example_design

SMALL = "leaf-spine"
"""Two units of four nodes."""


def test_a_rack_of_72_has_64_in_use_as_published() -> None:
    """CoreWeave recommends segments of at most 16 of the 18 trays of an NVL72 rack for jobs, 64 of its 72 GPUs.

    "Slurm Block Topology" dashboard, docs.coreweave.com/observability/managed-grafana/sunk/slurm-block-topology.
    """
    design = example_design("spare-nodes")
    figures = summarize_design(design)
    assert (figures["nodes"], figures["spare_nodes"], figures["accelerators"]) == (4 * 18, 4 * 2, 4 * 16 * 4)
    assert figures["scale_up"]["nvlink"]["accelerators"] == 4 * 72


def test_spare_nodes_stand_at_the_end_of_each_rack_in_the_list_of_endpoints() -> None:
    table = endpoints.make_table(example_cluster("spare-nodes"))
    assert list(table.columns)[-1] == "spare"
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows()]
    spare = {row["node"] for row in rows if row["spare"] == "yes"}
    assert spare == {f"p1-su{su:02}-n{n:03}" for su in (1, 2) for n in (17, 18, 35, 36)}
    assert Counter(row["spare"] for row in rows) == {"no": 256, "yes": 32}


@pytest.mark.parametrize("spare", ["[p1/su-1/node-2]", "[p1/su-*/node-last]", "{per: pod, count: 3}", "{per: su}"])
def test_a_slot_that_becomes_spare_moves_nothing(spare: str) -> None:
    """Whatever is planned of devices, ports, cables, addresses and racks, and what is bought, is the same."""
    before, after = example_cluster(SMALL), example_cluster(SMALL, f"spare_nodes={spare}")
    for part in (devices, links, cables, addresses, racks):
        assert [*part.make_table(before).rows()] == [*part.make_table(after).rows()], part.__name__
    assert [*bom.make_table(before, ExportContext()).rows()] == [*bom.make_table(after, ExportContext()).rows()]
    assert before.lock == after.lock


@pytest.mark.parametrize(
    ("stated", "spare"),
    [
        ("[p1/su-last/node-last]", {(2, 4)}),
        ("[p1/su-*/node-1, p1/su-2/node-3]", {(1, 1), (2, 1), (2, 3)}),
        ("{per: su}", {(1, 4), (2, 4)}),
        ("{per: su, count: 2}", {(1, 3), (1, 4), (2, 3), (2, 4)}),
        ("{per: pod, count: 5}", {(1, 4), (2, 1), (2, 2), (2, 3), (2, 4)}),
        ("[{per: su}, {per: pod, count: 2}]", {(1, 4), (2, 4), (2, 2), (2, 3)}),
        ("[p1/su-2/node-4, {per: su}]", {(1, 4), (2, 3), (2, 4)}),
    ],
)
def test_which_slots_are_spare(stated: str, spare: set[tuple[int, int]]) -> None:
    design = example_design(SMALL, f"spare_nodes={stated}")
    assert {(slot.su, slot.node) for slot in design.layout.spare} == spare
    assert summarize_design(design)["spare_nodes"] == len(spare)
    assert summarize_design(design)["nodes"] == 8


def test_the_last_that_are_present_and_have_accelerators_are_spare() -> None:
    sets = "scalable_unit.nodes={gpu: 4 x dgx-b200, store: 2 x generic-server}"
    design = example_design(SMALL, sets, "spare_nodes={per: su}", "omit=[p1/su-1/node-4]")
    assert {(slot.su, slot.node) for slot in design.layout.spare} == {(1, 3), (2, 4)}
    assert summarize_design(design)["accelerators"] == 8 * (3 + 4 - 2)


def test_kinds_of_units_have_rules_of_their_own() -> None:
    rules = "spare_nodes=[{per: su, unit: h100, count: 2}, {per: rack, unit: b300}]"
    layout = example_design("mixed-generations", rules).layout
    racks = {pod.name: pod.su * kind.racks for pod, kind in zip(layout.pods, layout.kind_of_pod, strict=True)}
    units = {
        kind.name: [p for p, k in zip(layout.pods, layout.kind_of_pod, strict=True) if k is kind]
        for kind in layout.kinds
    }
    spare = Counter(layout.kind_of_pod[slot.pod].name for slot in layout.spare)
    assert spare == {
        "h100": 2 * sum(pod.su for pod in units["h100"]),
        "b300": sum(racks[pod.name] for pod in units["b300"]),
    }


def test_without_spare_nodes_nothing_is_said_of_them(fabricgen, tmp_path: Path) -> None:
    assert "spare" not in endpoints.make_table(example_cluster(SMALL)).columns
    assert "spare_nodes" not in summarize_design(example_design(SMALL))


@pytest.mark.parametrize(
    ("sets", "said"),
    [
        (["spare_nodes=[p1/su-3/node-1]"], "p1 has 2 scalable units, there is no su-3"),
        (["spare_nodes=[p2/su-1/node-1]"], "there is no pod 'p2'"),
        (["spare_nodes=[p1/su-1/node-1]", "omit=[p1/su-1/node-1]"], "p1/su-1/node-1 is omitted"),
        (
            ["spare_nodes=[p1/su-1/node-1, p1/su-*/node-1]"],
            "p1/su-*/node-1 names 1 of the nodes that are spare",
        ),
        (["spare_nodes={per: su, count: 4}"], "p1/su-1 has 4 nodes, and 4 spare ones leave none in use"),
        (["spare_nodes={per: pod, count: 8}"], "p1 has 8 nodes, and 8 spare ones leave none in use"),
        (["spare_nodes=[{per: su, count: 3}, {per: pod, count: 2}]"], "p1 has 2 nodes, and 2 spare ones leave none"),
        (["spare_nodes=[{per: su, unit: b300}]"], "no pod has units of 'b300'"),
    ],
)
def test_what_cannot_be_spare_is_refused(sets: list[str], said: str, fabricgen) -> None:
    blueprint = Path(__file__).parents[2] / "blueprints" / f"{SMALL}.yaml"
    ran = fabricgen("show", blueprint, *(word for text in sets for word in ("--set", text)))
    assert (ran.code, "FG057" in ran.err, said in ran.err) == (2, True, True), ran.err


def test_plan_says_which_nodes_become_spare(fabricgen) -> None:
    blueprint = Path(__file__).parents[2] / "blueprints" / f"{SMALL}.yaml"
    ran = fabricgen("plan", blueprint, blueprint, "--set", "spare_nodes={per: su}", "--format", "json")
    assert "spare nodes: none -> p1/su-1/node-4, p1/su-2/node-4" in ran.out
    assert not json.loads(ran.out).get("cables", {}).get("moved")

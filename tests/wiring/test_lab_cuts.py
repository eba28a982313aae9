"""A lab (`--lab 2su`) is a part of its cluster: some of everything, row by row as it is in the whole."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from fabricgen.blueprint.sections.phases import Phase
from fabricgen.cluster import Cluster
from fabricgen.design.phase_selection import cut_selection, read_cuts, select_present
from fabricgen.design.summary import summarize_design
from fabricgen.export.files import addresses, cables, devices, links, scale_up
from fabricgen.kernel.diagnostics import InputError
from fabricgen.lint.engine import lint
from fabricgen.phases.summary import describe_left_out, summarize_phase
from fabricgen.phases.tables import build_lab, cut_cluster
from fabricgen.reports.table import Table
from tests.conftest import BLUEPRINTS, EXAMPLES, Ran, built_files, example_cluster, example_design


def lab(name: str, cuts: str) -> Cluster:
    """An example as a lab, out of the cluster that tests share."""
    whole = example_cluster(name)
    design = whole.design
    return cut_cluster(
        whole,
        f"lab {cuts}",
        cut_selection(design, read_cuts(design, cuts), select_present(design, Phase.model_construct())),
        lab=True,
    )


def rows(table: Table) -> set[tuple[str, ...]]:
    return set(zip(*(map(str, column) for column in table.columns.values()), strict=True))


def counts(cluster: Cluster) -> Counter[str]:
    return Counter({cls.label: cls.count for cls in cluster.plan.devices.classes})


@pytest.mark.tenth
@pytest.mark.parametrize("name", EXAMPLES)
def test_a_lab_of_every_example_has_some_of_everything_and_no_errors(name: str) -> None:
    whole, tried = example_cluster(name), set[int]()
    for cuts in ("1su", "2su", "1su,2n"):
        found = lab(name, cuts)
        if len(found.names) in {*tried, len(whole.names)}:
            continue  # as small a cluster has nothing to leave out
        tried.add(len(found.names))
        assert lint(found.design, found).counts["error"] == 0, cuts
        some = [(now.count > 0) == (then.count > 0) for now, then in zip(*_classes(found, whole), strict=True)]
        assert all(some), cuts
        assert summarize_phase(found)["nodes"] < summarize_design(whole.design)["nodes"]


def _classes(*clusters: Cluster) -> list[tuple[object, ...]]:
    return [cluster.plan.devices.classes for cluster in clusters]


def test_every_row_of_a_lab_is_one_of_the_whole() -> None:
    whole, found = example_cluster("three-generations"), lab("three-generations", "1su,1n,2spine")
    for table in (devices.make_table, links.make_table, cables.make_table, addresses.make_table):
        few, many = rows(table(found)), rows(table(whole))
        assert few < many
    assert counts(found) == {**counts(found), "spine": 2}
    assert [cls.count for cls in found.plan.devices.classes if cls.kind == 0] == [1, 1, 1]


def test_a_switch_that_keeps_its_links_keeps_its_configuration() -> None:
    """Four pods are alike, of which two stay, and the aggregation below the cores is whole."""
    whole, found = example_cluster("four-tier"), lab("four-tier", "1su")
    few, many = (built_files(cluster, "configs") for cluster in (found, whole))
    apart = {path.split("/")[1] for path, content in few.items() if many.get(path) != content} & set(found.names)
    links_of = [
        Counter(str(name) for column in ("a_device", "b_device") for name in links.make_table(c).columns[column])
        for c in (found, whole)
    ]
    fewer = {name for name in found.names if links_of[0][name] < links_of[1][name]}
    assert apart == fewer & {path.split("/")[1] for path in few}
    assert len(few) > len(apart) > 0
    assert describe_left_out(found)[:2] == (
        "pods: 2 of 4 (p1, p2); others are like these",
        "units: p1 1 of 2, p2 1 of 2",
    )


def test_racks_without_nodes_go_with_what_stands_in_them() -> None:
    found = counts(lab("nvl72-gb200", "4n"))
    assert (found["node"], found["nvlink"]) == (4, 9)  # of 144 in eight racks
    few, many = (
        rows(scale_up.make_table(cluster)) for cluster in (lab("ualink-pod", "8n"), example_cluster("ualink-pod"))
    )
    assert 0 < len(few) < len(many) / 2  # of two racks of a domain one stays, and half of its switches
    assert few < many


@pytest.mark.parametrize(
    ("cuts", "message"),
    [
        ("2racks", "there is no 'racks' to cut"),
        ("2leaf", "nodes attach to leaf, whose switches come with their units"),
        ("0su", "a lab without any su is none"),
        ("2su,3su", "su is cut twice, to 2 and to 3"),
        ("su", "'su' is no count of anything"),
        ("2su,", "'' is no count of anything"),
    ],
)
def test_what_is_no_cut_is_refused(cuts: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_cuts(example_design("leaf-spine"), cuts)
    (told,) = caught.value.diagnostics
    assert (told.code, told.message, str(told.span)) == ("FG157", message, f"--lab {cuts}:1:1")
    assert told.hint


def test_a_build_of_a_lab_tells_what_it_leaves_out(fabricgen: Callable[..., Ran], tmp_path: Path) -> None:
    blueprint, out = tmp_path / "leaf-spine.yaml", tmp_path / "out"
    shutil.copy(BLUEPRINTS / "leaf-spine.yaml", blueprint)
    assert fabricgen("lock", blueprint).code == 0
    ran = fabricgen("build", blueprint, "-o", out, "--lab", "1su,2n,2spine", "--only", "summary,devices,configs")
    assert ran.code == 0
    assert "lab 1su,2n,2spine of leaf-spine, as in the whole but:\n  units: p1 1 of 2\n  nodes: 2 of 8\n" in ran.err
    figures = json.loads((out / "summary.json").read_text())
    assert figures["differs"][2] == "switches: 4 of 8 (compute leaf 2 of 4, compute spine 2 of 4)"
    assert len(list((out / "configs").glob("*/config_db.json"))) == 4


def test_a_lab_of_a_phase_has_what_is_there_then() -> None:
    found = build_lab(example_design("phased-planes"), "1su,2n", "now")
    figures = summarize_phase(found)
    compute = figures["fabrics"]["compute"]
    assert (figures["phase"], figures["nodes"], compute["planes"]) == ("now, lab 1su,2n", 2, 4)
    assert compute["switches"] == {"leaf": 4, "spine": 8}

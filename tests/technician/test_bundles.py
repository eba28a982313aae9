"""Bundles and the order of pulling: what goes together, how many, and what comes first."""

from __future__ import annotations

from collections import Counter
from itertools import groupby

import numpy as np
import pytest

from fabricgen.bom.bill import make_bill
from fabricgen.cluster import Cluster
from fabricgen.export.locations import locate_racks
from fabricgen.export.plugs import count_cable_pieces, list_plugs
from fabricgen.export.technician import records
from fabricgen.export.technician.labels import make_label_table
from fabricgen.export.technician.pack import TechnicianPack, list_home_rows
from fabricgen.export.technician.records import FIBRE, MOST, PullPlan
from fabricgen.export.technician.sheets import list_pull_sheets, make_bundle_sheet, make_pull_table
from fabricgen.export.technician.workbook import HOW, NOTHING_TO_PULL, count_pulls, list_volumes, make_cover
from tests.conftest import example_cluster

NAMES = ("leaf-spine", "two-site", "nvl72-gb200", "superpod-b300", "dual-tor", "full-cluster", "patched-hall")


def pull_plan(cluster: Cluster) -> PullPlan:
    return records.make_pull_plan(cluster, list_plugs(cluster))


@pytest.fixture(params=NAMES)
def plan(request: pytest.FixtureRequest) -> PullPlan:
    return pull_plan(example_cluster(request.param))


def test_a_bundle_is_no_thicker_than_its_kind_allows(plan: PullPlan) -> None:
    assert (np.bincount(plan.bundle, plan.rows.jumpers) <= np.array(MOST)[plan.kind]).all()
    assert len(set(plan.names.tolist())) == len(plan.names)


@pytest.mark.parametrize("name", NAMES)
def test_cables_of_a_bundle_have_one_length(name: str) -> None:
    """191 of the 508 bundles of superpod-b300 mixed lengths; in 601 none does, and no metre more is ordered."""
    cluster = example_cluster(name)
    plan = pull_plan(cluster)
    bundle, lengths = plan.bundle, plan.rows.length_m
    assert len(set(zip(bundle.tolist(), lengths.tolist(), strict=True))) == len(set(bundle.tolist()))


def test_cables_of_a_bundle_leave_one_rack_and_follow_one_another(plan: PullPlan) -> None:
    assert np.unique(plan.order).tolist() == list(range(1, int(plan.order.max()) + 1))
    walk = np.argsort(plan.order, kind="stable")
    for column in (plan.bundle, plan.step[plan.bundle]):
        assert (np.diff(column[walk]) >= 0).all()
    for ends in (plan.home, plan.away):  # to one rack
        assert len({(int(bundle), int(rack)) for bundle, rack in zip(plan.bundle, ends, strict=True)}) == len(
            plan.names
        )


def test_within_a_step_copper_lies_below_fibre_and_far_racks_come_before_near_ones(plan: PullPlan) -> None:
    for step in range(len(plan.steps)):
        mine = np.flatnonzero(plan.step == step).tolist()
        assert [plan.kind[i] == FIBRE for i in mine] == sorted(plan.kind[i] == FIBRE for i in mine)
        for kind in set(plan.kind[mine].tolist()):
            pairs: dict[str, float] = {}
            racks = [plan.names[i].split(":")[0] for i in mine if plan.kind[i] == kind]
            for pair, length in zip(racks, (plan.longest_m[i] for i in mine if plan.kind[i] == kind), strict=True):
                pairs[pair] = max(pairs.get(pair, 0), length)
            assert [pair for pair, _ in groupby(racks)] == list(pairs)  # bundles of a pair are together
            assert list(pairs.values()) == sorted(pairs.values(), reverse=True)


PATCHED = (
    ("patched-hall", "cabling.patch.nodes.at=row-end"),
    ("patched-hall", "cabling.products=[nvidia-linkx, generic]"),
    pytest.param("multi-plane", "cabling.patch.all.at=row-end", marks=pytest.mark.slow),
    pytest.param("multi-plane", "cabling.patch.all.at=rack", marks=pytest.mark.slow),
    pytest.param("shuffled-planes", "", marks=pytest.mark.slow),
)


@pytest.mark.tenth
@pytest.mark.parametrize(
    ("name", "setting"), [*((name, "") for name in sorted({*NAMES, "monday"} - {"two-site"})), *PATCHED]
)
def test_as_many_pieces_are_pulled_as_the_bill_has(name: str, setting: str) -> None:
    """The fibres of a twin-port cage to two switches are one piece each, and tails of a splitter are one together; of a
    cable through panels each jumper is one: pairs of two were told as two pieces, where four are plugged.
    """
    cluster = example_cluster(name, *([setting] if setting else []))
    pulled: Counter[str] = Counter()
    for part in make_pull_table(TechnicianPack(cluster)).columns["part"]:
        if not str(part).startswith("tail of "):
            count, _, piece = str(part).rpartition("x ")
            pulled[piece] += int(count or 1)
    ordered: Counter[str] = Counter()
    for line in make_bill(cluster).lines:
        if line.kind in ("cable", "trunk"):
            count, _, piece = line.part.rpartition("x ")
            ordered[piece] += line.quantity * int(count or 1)
    assert pulled == ordered


def test_what_goes_farthest_is_pulled_first() -> None:
    steps = pull_plan(example_cluster("two-site")).steps
    assert steps[0] == "east.h1.N01 to west.h1.N01"  # 40 km between the sites
    kinds = ["inside" if s.startswith("inside") else "along" if s.startswith("along") else "between" for s in steps]
    assert kinds == sorted(kinds, key=["between", "along", "inside"].index)


def test_a_hand_checked_order() -> None:
    """Uplinks of the farther leaf, then of the nearer; then along the row from the nodes of either unit."""
    plan = pull_plan(example_cluster("leaf-spine"))
    assert plan.steps == ("h1.R01 to h1.N01", "along h1.R01")
    assert plan.names.tolist() == [
        "h1.R01.04/h1.N01.01:compute-F1",
        "h1.R01.02/h1.N01.01:compute-F1",
        "h1.R01.01/h1.R01.02:compute-F1",
        "h1.R01.03/h1.R01.04:compute-F1",
    ]


def test_a_unit_within_the_reserve_changes_no_bundle_that_was_there() -> None:
    before, after = (example_cluster("superpod-b300", f"pods.p1.su={su}") for su in (2, 3))
    named: list[dict[str, list[str]]] = []
    for cluster in (before, after):
        plan = pull_plan(cluster)
        ids = [cluster.cable_ids[cable] for cable in cluster.plan.cables.end_cable.tolist()]
        bundles: dict[str, list[str]] = {}
        for cable, bundle in zip(ids, plan.names[plan.bundle].tolist(), strict=True):
            bundles.setdefault(cable, []).append(bundle)
        named.append(bundles)
    node_cables = [cable for cable in named[0] if cable.startswith("p1-su")]
    assert len(node_cables) > 1000
    assert {cable: named[1][cable] for cable in node_cables} == {cable: named[0][cable] for cable in node_cables}


@pytest.mark.parametrize("name", ["superpod-b300", "dual-tor", "full-cluster", "multi-plane"])
def test_jumpers_of_twin_ports_count_each_and_all_are_in_bundles(name: str) -> None:
    """Bundles of 24 such cables were 48 fibres: 152 of the 292 of superpod-b300 were too thick."""
    cluster = example_cluster(name)
    plan, cables, found = pull_plan(cluster), cluster.plan.cables, list_plugs(cluster)
    pieces, _ = count_cable_pieces(cluster)
    piece_of = np.zeros(len(found.row), dtype=bool)
    ends = np.stack([cables.end_cable[found.row], found.piece, plan.bundle[found.row]], axis=1)
    piece_of[np.unique(ends, axis=0, return_index=True)[1]] = True
    held = np.bincount(plan.bundle[found.row][piece_of])
    assert (held <= np.array(MOST)[plan.kind]).all()
    assert held.sum() >= pieces.sum()
    assert plan.rows.jumpers.sum() >= pieces.sum()
    assert (np.bincount(plan.bundle, plan.rows.jumpers) >= held).all()


def test_pairs_fill_a_bundle_with_twelve_cables() -> None:
    cluster = example_cluster("superpod-b300")
    pack = TechnicianPack(cluster)
    sheet = make_bundle_sheet(pack, list_home_rows(pack, tuple(range(len(cluster.plan.racks)))), "bundles")
    cells = {column.name: column.cells or () for column in sheet.columns}
    lays = [sum(counts) for counts in zip(cells["cables"], cells["fibres"], strict=True)]
    assert max(zip(cells["jumpers"], lays, strict=True)) == (24, 24)
    assert min(zip(lays, cells["jumpers"], strict=True), key=lambda n: n[0] - n[1]) == (12, 24)
    assert sum(cells["cables"]) == len(cluster.plan.cables)
    assert sum(cells["jumpers"]) == count_cable_pieces(cluster)[0].sum()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "fibres", "tails"), [("monday", 0, 2), ("superpod-b300", 2048, 0), ("full-cluster", 16, 2)]
)
def test_covers_count_each_cable_once_and_what_goes_apart_beside(name: str, fibres: int, tails: int) -> None:
    """A split cable counted once a bundle: 112, 6,512 and 3,789 cables were told of 110, 4,464 and 3,771."""
    cluster = example_cluster(name)
    pack, told = TechnicianPack(cluster), Counter[str]()
    for volume in list_volumes(cluster):
        told.update(dict(count_pulls(pack, volume.racks)))
    assert told["cables pulled from here, each once"] == len(cluster.plan.cables)
    assert [told[f"{what} of cables in another bundle"] for what in ("fibres", "tails")] == [fibres, tails]
    pulled = Counter(map(str, make_pull_table(pack).columns["apart"]))
    assert pulled == Counter({"": len(cluster.plan.cables), "fibre": fibres, "tail": tails})
    assert told["plugs of cables in them, each with a label"] == len(
        make_label_table(pack.records)
    )  # were 352 and 13,024
    ordered = int(count_cable_pieces(cluster)[0].sum())  # 152 of 150 and 4,411 of 4,405 were told
    assert sum(map(int, make_pull_table(pack).columns["jumpers"])) == ordered
    sheet = make_bundle_sheet(pack, list_home_rows(pack, tuple(range(len(cluster.plan.racks)))), "bundles")
    assert sum({column.name: column.cells or () for column in sheet.columns}["jumpers"]) == ordered


def test_a_workbook_from_which_nothing_is_pulled_says_so() -> None:
    """The workbook of superpod-b300's network rows, with no cable of its own, said `Pull: sheets pull 01, pull 02`."""
    pack = TechnicianPack(example_cluster("superpod-b300"))
    how = {volume.name: make_cover(pack, volume, []).how for volume in list_volumes(pack.cluster)}
    assert how.pop("h1.N01-N02") == (NOTHING_TO_PULL, *HOW[1:])
    assert set(how.values()) == {HOW}


@pytest.mark.parametrize("name", ["dual-tor", "full-cluster", "nvl72-gb200"])
def test_tails_to_another_rack_are_in_the_bundle_that_goes_there(name: str) -> None:
    """1,920 of the 14,464 ends of dual-tor were in a bundle to the rack of their cable's first far end."""
    cluster = example_cluster(name)
    plan, links, rack = pull_plan(cluster), cluster.plan.links, cluster.plan.devices.rack
    link = cluster.plan.cables.end_link
    ends = np.sort(np.stack([rack[links.a_device[link]], rack[links.b_device[link]]]), axis=0)
    assert (np.sort(np.stack([plan.home, plan.away]), axis=0) == ends).all()
    places = locate_racks(cluster)
    named = (str(text).split(":")[0].split("/") for text in plan.names[plan.bundle])
    for (start, end), home, away in zip(named, plan.home.tolist(), plan.away.tolist(), strict=True):
        assert (start, end) == (places[home], places[away])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["dual-tor", "full-cluster", "patched-hall"])
def test_labels_pull_sheets_and_pull_csv_name_the_same_bundles(name: str) -> None:
    cluster = example_cluster(name)
    pack = TechnicianPack(cluster)
    table, labels = make_pull_table(pack).columns, make_label_table(pack.records).columns
    pulled = set(zip(table["cable"], table["bundle"], table["order"], strict=True))
    told = zip(labels["cable"], labels["bundle"], labels["order"], strict=True)
    assert set(told) == pulled
    assert list(table["order"]) == list(range(1, len(pulled) + 1))
    rows = list_home_rows(pack, tuple(range(len(cluster.plan.racks))))
    assert sum(len(mine) for _, mine, _ in list_pull_sheets(pack, rows)) == len(pack.records.pull.rows)
    if cluster.plan.patching is not None:
        return
    together = [cable for cable, _ in groupby(labels["cable"])]
    assert len(together) == len(set(together))

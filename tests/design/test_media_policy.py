"""The policy of media: what is bought where the blueprint states none, and where copper fills twin-port cages."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest

from fabricgen.catalog.loader import Catalog
from fabricgen.cluster import Cluster, build_cluster
from fabricgen.design.model import Design
from fabricgen.export.files import bom, cables, summary
from fabricgen.export.table import ExportContext
from fabricgen.kernel.diagnostics import InputError
from fabricgen.lint.engine import lint
from fabricgen.wiring.cabling.stock import find_longest_run, round_up_to_stock
from tests.conftest import bytes_of

DesignOf = Callable[..., Design]
Row = dict[str, str]

DGX_IN_THE_RACK = """\
fabricgen: 1
name: policy
scalable_unit: {nodes: 4 x dgx-b200, racks: {nodes_per_rack: 4}}
fabrics:
  compute: {protocol: infiniband, tiers: {leaf: {switch: qm9700, per: rack}, spine: {switch: qm9700, count: 2}}}
"""
MI300X = """\
fabricgen: 1
name: policy
scalable_unit: {nodes: 4 x mi300x-8}
pods: {p1: {su: 2}}
floor: {network_fill: up, tray_m: 0.3}
fabrics:
  compute: {protocol: roce, tiers: {leaf: {switch: sn5600, per: [su, rail]}, spine: {switch: sn5600, count: 4}}}
"""
PROFILES = {cable.id: cable for cable in Catalog().cables}


@pytest.fixture
def wired(design_of: DesignOf) -> Callable[..., Cluster]:
    return lambda text, *sets: build_cluster(design_of(text, sets))


def rows_of(cluster: Cluster, key: str = "") -> list[Row]:
    """Rows of cables.csv, of links to some tier."""
    table = cables.make_table(cluster)
    rows = [dict(zip(table.columns, map(str, row), strict=True)) for row in zip(*table.columns.values(), strict=True)]
    return [row for row in rows if key in row["b_device"]]


def media(rows: list[Row]) -> set[str]:
    return {row["medium"] for row in rows}


def test_copper_up_to_a_length_serves_both_ports_of_a_dgx_in_the_rack(wired: Callable[..., Cluster]) -> None:
    """MCP4Y10 with one flat top: a straight cable between twin-port cages of a DGX and of its switch."""
    rows = rows_of(wired(DGX_IN_THE_RACK, "cabling.copper_to_m=3"), "leaf")
    assert {(row["medium"], row["part"].rpartition("-")[0]) for row in rows} == {("DAC", "dac-100g-osfp-800g")}
    assert len(rows) == len({row["cable"] for row in rows}) == 4 * 4  # four cages of each of four nodes
    assert {row["a_cage"] for row in rows} == {"OSFP1", "OSFP2", "OSFP3", "OSFP4"}
    assert all(float(row["length_m"]) <= 3 and not row["a_transceiver"] for row in rows)
    assert len({(row["b_device"], row["b_cage"]) for row in rows}) == 16


def test_unasked_a_twin_port_cage_takes_a_transceiver_and_two_fibres(wired: Callable[..., Cluster]) -> None:
    rows = rows_of(wired(DGX_IN_THE_RACK), "leaf")
    assert media(rows) == {"SR"}
    assert len(rows) == 32


def test_two_nodes_of_one_port_each_share_a_splitter_of_a_twin_port_cage(wired: Callable[..., Cluster]) -> None:
    """MCP7Y10: 2x400G OSFP to two QSFP112, one cable of two far ends."""
    text = DGX_IN_THE_RACK.replace("dgx-b200", "mi300x-8").replace("compute: {", "compute: {attach: compute, ")
    rows = rows_of(wired(text.replace("nodes_per_rack: 4", "nodes_per_rack: 2"), "cabling.copper_to_m=3"), "leaf")
    copper = [row for row in rows if row["medium"] == "DAC"]
    assert copper
    assert {"-1x2-" in row["part"] for row in copper} == {True}
    assert set(Counter(row["cable"] for row in copper).values()) == {2}
    assert {row["cable"] for row in copper} == {f"{row['b_device']}:{row['b_cage']}" for row in copper}


def test_cables_and_summary_and_bill_agree_where_copper_fills_cages(wired: Callable[..., Cluster]) -> None:
    cluster = wired(DGX_IN_THE_RACK, "cabling.copper_to_m=3")
    ((_, content),) = summary.files(cluster, ExportContext())
    counted = json.loads(content)["fabrics"]["compute"]["cables"]
    rows = rows_of(cluster)
    listed = {key: len({r["cable"] for r in rows if key.rpartition("-")[2] in r["b_device"]}) for key in counted}
    assert counted == listed
    ((_, bill),) = bom.files(cluster, ExportContext())
    ordered = {row["part"]: int(row["quantity"]) for row in csv.DictReader(io.StringIO(bytes_of(bill).decode()))}
    needed = Counter({row["cable"]: row["part"] for row in rows}.values())
    assert {part: ordered[part] for part in needed} == needed


@pytest.mark.parametrize(
    ("policy", "node", "spine"),
    [
        ((), {"AEC", "SR"}, {"SR"}),
        (("cabling.copper_to_m=0",), {"SR"}, {"SR"}),
        (("cabling.fibre=single-mode",), {"AEC", "DR"}, {"DR"}),
        (("cabling.avoid=[AEC, SR]",), {"DR"}, {"DR"}),
        (("cabling.prefer=[FR, SR]",), {"FR"}, {"FR"}),
        (("cabling.prefer=dr8-500m",), {"DR"}, {"DR"}),
        (("cabling.allow=[AOC]", "cabling.copper_to_m=0"), {"AOC"}, {"AOC"}),
        (("cabling.allow=[LPO]", "cabling.avoid=[SR, AEC, dr8-100m]"), {"DR"}, {"DR"}),
        (
            ("cabling.allow=[LPO]", "cabling.linear_hosts=[sn5600]", "cabling.avoid=[SR, AEC, dr8-100m]"),
            {"DR"},
            {"LPO"},
        ),
        (("cabling.avoid=AEC", "fabrics.compute.cabling.avoid=[SR]"), {"AEC", "DR"}, {"DR"}),
        (("cabling.fibre=multi-mode", "fabrics.compute.tiers.leaf.media.up=FR"), {"AEC", "SR"}, {"FR"}),
    ],
)
def test_the_policy_says_what_is_bought(
    policy: tuple[str, ...], node: set[str], spine: set[str], wired: Callable[..., Cluster]
) -> None:
    cluster = wired(MI300X, *policy)
    assert (media(rows_of(cluster, "leaf")), media(rows_of(cluster, "spine"))) == (node, spine)


def test_lengths_are_those_that_are_sold_of_a_medium() -> None:
    runs = np.array([0.2, 1.2, 2.6, 3.0, 3.1])
    assert round_up_to_stock(PROFILES["dac-100g"], runs).tolist() == [0.5, 1.5, 3, 3, np.inf]
    assert round_up_to_stock(PROFILES["lacc-100g"], runs).tolist() == [3, 3, 3, 3, 4]
    assert round_up_to_stock(PROFILES["sr8-100g"], runs).tolist() == [1, 2, 3, 3, 5]


@pytest.mark.parametrize(
    ("medium", "most", "longest"),
    [("dac-100g", 3, 3), ("dac-100g", 2.2, 2), ("dac-100g", 0.4, -1), ("lr4", 1990, 1900), ("lr4", 10_000, 10_000)],
)
def test_a_medium_serves_runs_up_to_the_longest_that_is_sold_and_reaches(
    medium: str, most: float, longest: float
) -> None:
    assert find_longest_run(PROFILES[medium], most) == longest


def test_a_reach_between_two_lengths_counts_as_the_shorter(wired: Callable[..., Cluster]) -> None:
    """SR reaches 50 m, but of a run of 45 m only where 50 m is stocked."""
    rows = rows_of(wired(MI300X, "cabling.stock_m={SR: [5, 20, 60], DAC: [1]}", "floor.tray_m=15"), "leaf")
    assert media(rows) == {"DR"}
    lengths = {float(row["length_m"]) for row in rows_of(wired(MI300X, "cabling.stock_m={SR: [5, 20, 60]}"), "spine")}
    assert lengths == {20}


@pytest.mark.parametrize(
    ("policy", "path", "says"),
    [
        ("cabling.avoid=[DRR]", ("cabling", "avoid"), "neither a medium nor a cable profile"),
        ("cabling.stock_m={DACC: [1]}", ("cabling", "stock_m"), "neither a medium nor a cable profile"),
        ("cabling.stock_m={DAC: [2, 1]}", ("cabling", "stock_m"), "1 m stands behind 2 m"),
        ("cabling.linear_hosts=[sn560]", ("cabling", "linear_hosts"), "did you mean"),
        ("floor.trays.cold_ports=[sn560]", ("floor", "trays", "cold_ports"), "did you mean"),
        ("floor.trays.exits={cellar: [0, 0]}", ("floor", "trays", "exits"), "hall1"),
        ("cabling={allow: [LPO], avoid: [LPO]}", ("cabling",), "both name LPO"),
    ],
)
def test_a_policy_that_cannot_be_is_refused_with_its_place(
    policy: str, path: tuple[str, ...], says: str, design_of: DesignOf
) -> None:
    with pytest.raises(InputError) as refused:
        design_of(MI300X, [policy])
    (found,) = refused.value.diagnostics
    assert found.path[: len(path)] == path
    assert says in found.message + found.hint


def test_a_medium_that_fg623_names_serves(design_of: DesignOf) -> None:
    far = ["cabling.fibre=multi-mode", "floor.tray_m=20", "floor.row_pitch_m=50"]
    design = design_of(MI300X, far)
    found = [d for d in lint(design, build_cluster(design)).findings if d.code == "FG623"]
    assert found
    assert "from p1-su" in found[0].message
    medium = found[0].hint.split()[1].rstrip(",")
    again = design_of(MI300X, [*far, f"fabrics.compute.media={medium}"])
    assert not [d for d in lint(again, build_cluster(again)).findings if d.code in ("FG602", "FG623")]

"""Twenty cables of each NVIDIA example, worked out by hand: ends, run, length, medium and parts; and all its cables.

`cables/*.yaml` has the working: each term of a run from the places of docs/floor.md by the sum of docs/cabling.md, and
`parts.yaml` what NVIDIA's pages say of the parts.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from fabricgen.bom.cables import CableParts
from fabricgen.export.files import cables as cable_part
from tests.conftest import example_cluster

APART = "floor.network_join=false"
"""The workings are of network racks that each run of switches has for itself, but those of `shared-racks.yaml`."""

TABLES = Path(__file__).parent / "cables"
EXAMPLES = ("superpod-b200", "superpod-b300", "nvl72-gb200")
PUBLISHED_LINKS = {"superpod-b200": 1020 + 1024, "superpod-b300": 2 * (2048 + 2048), "nvl72-gb200": 576 + 576}
"""Compute links: DGX SuperPOD B200 RA, Table 4; B300 RA, Table 3, which counts cages of two; 144 trays of 4 rails."""

Row = dict[str, Any]


@cache
def table(name: str) -> Any:
    return YAML(typ="safe").load(TABLES / f"{name}.yaml")


@cache
def rows_of(name: str, *sets: str) -> list[Row]:
    """The rows of cables.csv, with the pair of tiers, the run and how many pieces the cable is made of."""
    cluster = example_cluster(name, *sets)
    columns = cable_part.make_table(cluster).columns
    plan, (made, code) = cluster.plan, CableParts(cluster).made
    segments = plan.links.segment[plan.cables.end_link].tolist()
    rows = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    for row, cable, segment in zip(rows, plan.cables.end_cable.tolist(), segments, strict=True):
        row["pair"] = plan.links.segments[segment].key
        row["run_m"] = float(plan.cables.run_m[cable])
        wanted = made[code[cable]].wanted
        row["pieces"], row["far_ends"] = wanted.pieces[0], wanted.far_ends
    return rows


@cache
def models_of(name: str) -> dict[str, str]:
    cluster = example_cluster(name, APART)
    classes = cluster.plan.devices.classes
    of = cluster.plan.devices.device_class.tolist()
    return {device: classes[c].profile.id for device, c in zip(cluster.names, of, strict=True)}


def family(part: str) -> str:
    """The part of a row without its length, whatever it says of the number of pieces."""
    (found,) = {stem for stem in table("parts")["cables"] if stem in part}
    return str(found)


def cage_of(model: str, cage: str) -> str:
    """What a cage is, by the longest beginning of its name that the table has."""
    cages = table("parts")["cages"][model]
    return str(cages[max((start for start in cages if cage.startswith(start)), key=len)])


def kind_of(row: Row) -> tuple[str, ...]:
    return row["fabric"], row["pair"], row["medium"], row["a_transceiver"], row["b_transceiver"], family(row["part"])


CASES = [(name, case) for name in EXAMPLES for case in table(name)["cables"]]


@pytest.mark.parametrize(("name", "case"), CASES, ids=[f"{name}: {case['cable']}" for name, case in CASES])
def test_a_cable_is_as_worked_out_by_hand(name: str, case: Row) -> None:
    check_cable(rows_of(name, APART), case)


@pytest.mark.parametrize(
    "case", table("shared-racks")["cables"], ids=lambda case: f"{case['blueprint']}: {case['cable']}"
)
def test_a_cable_to_a_shared_rack_is_as_worked_out_by_hand(case: Row) -> None:
    check_cable(rows_of(case["blueprint"]), case)


def check_cable(rows: list[Row], case: Row) -> None:
    """Ends, run, medium, length and part of a cable are those of its working."""
    (row,) = [r for r in rows if (r["cable"], r["a_device"]) == (case["cable"], case["a"][0])
              and r["b_device"] == case["b"][0]]  # fmt: skip
    for end in "ab":
        device, cage, rack, u, transceiver = case[end]
        found = tuple(row[f"{end}_{key}"] for key in ("device", "cage", "rack", "u", "transceiver"))
        assert found == (device, str(cage), rack, u, transceiver)
    assert row["run_m"] == pytest.approx(sum(case["terms"].values()), abs=0.0005)
    order = case["order"]
    assert (row["medium"], row["length_m"], row["pieces"]) == (order["medium"], order["length_m"], order["pieces"])
    assert order["part"] in row["part"]
    lengths = table("parts")["cables"][family(order["part"])]["lengths_m"]
    assert order["length_m"] == next(length for length in lengths if length >= row["run_m"])


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_twenty_are_of_every_kind_there_is(name: str) -> None:
    chosen = {case["cable"] for case in table(name)["cables"]}
    assert len(chosen) == 20
    kinds = {kind_of(row) for row in rows_of(name, APART)}
    assert {kind_of(row) for row in rows_of(name, APART) if row["cable"] in chosen} == kinds


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_cable_has_a_length_two_legal_ends_and_a_part_that_is_sold(name: str) -> None:
    parts, models = table("parts"), models_of(name)
    assert example_cluster(name).plan.cables.reaches.all()
    for row in rows_of(name, APART):
        cable = parts["cables"][family(row["part"])]
        assert 0 < row["run_m"] <= row["length_m"]
        assert row["length_m"] in cable["lengths_m"]
        ends = [(cage_of(models[row[f"{end}_device"]], row[f"{end}_cage"]), row[f"{end}_transceiver"]) for end in "ab"]
        if "connector" not in cable:
            assert all(cage in cable["cages"] and not transceiver for cage, transceiver in ends)
            continue
        assert all(cage in parts["transceivers"][transceiver]["cages"] for cage, transceiver in ends)
        (optics,) = {parts["transceivers"][transceiver]["optics"] for _, transceiver in ends}
        assert optics.endswith(cable["connector"])
        assert row["length_m"] <= min(parts["transceivers"][transceiver]["reach_m"] for _, transceiver in ends)


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_fibres_of_a_transceiver_fit_it_and_are_all_straight_or_all_split(name: str) -> None:
    """NVIDIA's rule for twin ports; a splitter, or a fibre of a pair, takes one connector at each far end."""
    parts = table("parts")
    held: dict[tuple[str, str, str], list[tuple[Row, float]]] = defaultdict(list)
    for row in {(row["cable"], row["a_device"], row["b_device"]): row for row in rows_of(name, APART)}.values():
        for end in "ab":
            device, cage, transceiver = (row[f"{end}_{key}"] for key in ("device", "cage", "transceiver"))
            common = row["far_ends"] == 1 or row["cable"] == f"{device}:{cage}"  # breakouts are named after that end
            each = row["pieces"] if row["far_ends"] == 1 else row["pieces"] / row["far_ends"] if common else 1
            held[device, cage, transceiver].append((row, each))
    for (_, _, transceiver), ends in held.items():
        if transceiver:
            assert len({family(row["part"]) for row, _ in ends}) == 1
            assert sum(each for _, each in ends) <= parts["transceivers"][transceiver]["connectors"]


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_compute_fabric_has_as_many_fibres_as_published_links(name: str) -> None:
    pieces = {row["cable"]: row["pieces"] for row in rows_of(name, APART) if row["fabric"] == "compute"}
    assert sum(pieces.values()) == PUBLISHED_LINKS[name]

"""What cables between racks have to spare, by a formula from docs/cabling.md alone, over the lists of a build."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import pytest

from fabricgen.blueprint.beside.lock import Lock
from fabricgen.bom.bill import make_bill
from fabricgen.bom.trace import trace_part
from fabricgen.catalog.models import CableProfile
from fabricgen.cluster import Cluster, build_cluster
from fabricgen.design.build import build_design
from fabricgen.wiring.cabling.stock import FIBRE_STOCK_M
from tests.conftest import BLUEPRINTS, EXAMPLES, SMALLER, Ran, built_files, example_cluster, example_design

Run = Callable[..., Ran]
Row = dict[str, str]

LEAST_M = 0.8
"""What each end has at the least beyond the way along trays: a hand to turn with, and the bend at the plug."""

SOLD_BY_THE_TRADE = ("cabling.products=[generic]",)
PRODUCTS = ("nvl72-gb200", "superpod-b200", "superpod-b300")
"""Examples that state a maker's list, which sells other lengths than docs say of the trade."""

UNIT = 0.04445
OLD = {"floor rules": 4}
APART = "floor.network_join=false"
"""Of racks that small runs share, which came later, nothing is judged here."""


@cache
def lists(name: str, *parts: str) -> dict[str, list[Row]]:
    """The lists of an example's build, by their name."""
    files = built_files(example_cluster(name), *parts)
    return {Path(path).stem: read_rows(content.decode()) for path, content in files.items()}


def read_rows(text: str) -> list[Row]:
    """The rows of a list."""
    return list(csv.DictReader(io.StringIO(text)))


def bare_way_m(name: str, racks: dict[str, Row], ends: tuple[tuple[str, float], tuple[str, float]]) -> float:
    """Up from the middle of one end, along trays, and down to the middle of the other: (rack, its height in units)."""
    tray_m = example_design(name).loaded.blueprint.floor.tray_m
    up = sum((float(racks[rack]["units"]) - middle) * UNIT + tray_m for rack, middle in ends)
    return up + sum(abs(float(racks[ends[0][0]][axis]) - float(racks[ends[1][0]][axis])) for axis in ("x_m", "y_m"))


def spares_m(name: str) -> list[float]:
    """What each end has to spare, m, of each row of cables.csv between racks of a site; patched ones are left out."""
    found, cluster = lists(name, "cables", "racks", "patches"), example_cluster(name)
    racks, devices = {row["rack"]: row for row in found["racks"]}, cluster.plan.devices
    heights = [devices.classes[number].profile.rack_units for number in devices.device_class.tolist()]
    height = dict(zip(cluster.names, heights, strict=True))
    patched, spares = {row["cable"] for row in found.get("patches", ())}, []
    for row in found["cables"]:
        near, far = (row["a_rack"], row["b_rack"])
        if near == far or racks[near]["site"] != racks[far]["site"] or row["cable"] in patched:
            continue
        middles = [int(row[f"{end}_u"]) - 1 + height[row[f"{end}_device"]] / 2 for end in "ab"]
        way_m = bare_way_m(name, racks, ((near, middles[0]), (far, middles[1])))
        spares.append((float(row["length_m"]) - way_m) / 2)
    return spares


@pytest.mark.tenth
@pytest.mark.parametrize("name", EXAMPLES)
def test_no_cable_between_racks_has_less_than_a_hand_to_spare(name: str) -> None:
    assert min(spares_m(name)) >= LEAST_M


def test_trunks_have_a_hand_to_spare() -> None:
    found = lists("patched-hall", "trunks", "racks")
    racks = {row["rack"]: row for row in found["racks"]}
    for row in found["trunks"]:
        near, far = ((row[f"{end}_rack"], int(row[f"{end}_u"]) - 0.5) for end in "ab")
        assert near[0] != far[0]
        assert (float(row["length_m"]) - bare_way_m("patched-hall", racks, (near, far))) / 2 >= LEAST_M


def kept(name: str) -> Cluster:
    """An example with a lock from before the way inside racks was counted, its lengths those of the trade."""
    design = example_design(name, *(SOLD_BY_THE_TRADE if name in PRODUCTS else SMALLER.get(name, ())))
    return build_cluster(build_design(replace(design.loaded, lock=Lock(design.loaded.blueprint.name, {}, OLD))))


def counted(name: str) -> Cluster:
    """The same with a new lock, and racks where they were."""
    return example_cluster(name, *(SOLD_BY_THE_TRADE if name in PRODUCTS else SMALLER.get(name, ())), APART)


@dataclass(frozen=True)
class Laid:
    """A cable as it is ordered."""

    medium: CableProfile
    length_m: float


def laid(cluster: Cluster) -> dict[str, Laid]:
    """Every cable by its id."""
    cables = cluster.plan.cables
    rows = zip(cluster.cable_ids, cables.medium.tolist(), cables.length_m.tolist(), strict=True)
    return {cable: Laid(cables.media[medium], length_m) for cable, medium, length_m in rows}


# channels through panels are a sum of pieces, each of which is rounded up
@pytest.mark.tenth
@pytest.mark.parametrize("name", [name for name in EXAMPLES if name not in ("patched-hall", "shuffled-planes")])
def test_metres_rise_by_what_is_counted_and_a_stock_step(name: str) -> None:
    """The next shorter length that is sold would be less than the old length and the way inside both racks."""
    was, now = laid(kept(name)), laid(counted(name))
    floor, kinds = example_design(name).loaded.blueprint.floor, example_cluster(name).plan.racks.kinds
    most_m = 2 * max(0.3 + kind.depth_m / 2 for kind in kinds) * (1 + floor.slack)
    for cable in was.keys() & now.keys():
        new = now[cable]
        assert new.length_m >= was[cable].length_m or new.medium != was[cable].medium
        shorter = max((m for m in new.medium.stock_m or FIBRE_STOCK_M if m < new.length_m), default=0)
        assert shorter < was[cable].length_m + most_m, (cable, was[cable], new)


def test_a_lock_from_before_keeps_lengths_and_a_new_one_says_by_which_rules(tmp_path: Path, fabricgen: Run) -> None:
    old, usual = kept("rail-groups"), counted("rail-groups")
    assert (old.lock.rooms["floor rules"], usual.lock.rooms["floor rules"]) == (4, 6)
    assert old.plan.cables.length_m.sum() < usual.plan.cables.length_m.sum()
    blueprint = tmp_path / "rail-groups.yaml"
    blueprint.write_text((BLUEPRINTS / "rail-groups.yaml").read_text() + "floor: {network_join: false}\n")
    assert fabricgen("lock", blueprint).code == 0
    lock = tmp_path / "rail-groups.lock.yaml"
    lock.write_text(lock.read_text().replace("floor rules: 6", "floor rules: 4"))
    assert fabricgen("build", blueprint, "-o", tmp_path / "built", "--only", "cables").code == 0
    assert "floor rules: 4" in lock.read_text()
    lengths = {row["cable"]: float(row["length_m"]) for row in read_rows((tmp_path / "built/cables.csv").read_text())}
    assert lengths == {cable: one.length_m for cable, one in laid(old).items()}


@pytest.mark.slow
def test_plan_lists_each_cable_that_leaves_copper_for_it(tmp_path: Path, fabricgen: Run) -> None:
    sides = [tmp_path / side / "rail-groups.yaml" for side in ("old", "new")]
    for side in sides:
        side.parent.mkdir()
        side.write_text((BLUEPRINTS / "rail-groups.yaml").read_text() + "floor: {network_join: false}\n")
        fabricgen("lock", side)
    lock = sides[0].with_name("rail-groups.lock.yaml")
    lock.write_text(lock.read_text().replace("floor rules: 6", "floor rules: 4"))
    was, now = laid(kept("rail-groups")), laid(counted("rail-groups"))
    leaving = {c for c in was.keys() & now.keys() if was[c].medium.copper and not now[c].medium.copper}
    assert len(leaving) > 100
    plan = json.loads(fabricgen("plan", *sides, "--format", "json").out)
    assert {row["cable"] for row in plan["cables"]["changed"] if "other-medium" in row["what"]} >= leaving
    said = "\n".join(plan["reasons"])
    assert f"cables that leave copper: {len(leaving)} AEC -> SR" in said
    assert "the new side counts the way inside racks, the old one has a lock from before that" in said
    text = fabricgen("plan", *sides, "--all").out
    assert {line.split()[2] for line in text.splitlines() if "medium AEC -> SR" in line} == leaving


def test_a_trace_says_what_is_counted() -> None:
    """rail-groups: racks 1.2 m deep, so 0.9 m at each end between two of them, and 0.6 m inside one."""
    cluster = counted("rail-groups")
    bill = make_bill(cluster)
    racks = {row["cable"]: row["a_rack"] == row["b_rack"] for row in lists("rail-groups", "cables")["cables"]}
    told = set()
    for part in {part.part for part in bill.needs.parts if part.kind == "cable"}:
        rows = trace_part(bill, part)
        for cable, run_m, inside_m in zip(rows["cable"], rows["run_m"], rows["inside_m"], strict=True):
            assert inside_m == pytest.approx(1.1 * (0.6 if racks[cable] else 1.8), abs=0.005)
            assert inside_m < run_m <= laid(cluster)[cable].length_m
            told.add(racks[cable])
    assert told == {True, False}
    assert set(trace_part(bill, "sn4700")["run_m"]) == {""}

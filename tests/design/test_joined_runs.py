"""Network racks are shared: which runs of switches come into one rack, what stays apart, and what a lock keeps."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from string import ascii_lowercase
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabricgen.blueprint.beside.lock import Lock, format_lock, parse_lock
from fabricgen.catalog.models import RackProfile
from fabricgen.cluster import build_cluster
from fabricgen.design.fabric_model import TierKey
from fabricgen.design.floor.floor_plan import FloorPlan
from fabricgen.design.floor.joined_runs import RackLimits, RunContent, SharedRacks, StackedDevice, join_runs
from fabricgen.design.floor.network_runs import NetworkRun
from fabricgen.design.floor.run_places import make_rack_unit_intervals
from fabricgen.design.model import Design
from fabricgen.lint.engine import lint
from tests.conftest import EXAMPLES, example_design
from tests.design.test_floor import check_apart, check_design_agrees, locked, stands

HALL = """\
fabricgen: 1
name: floor
scalable_unit: {nodes: 8 x dgx-b300, racks: {nodes_per_rack: 2}}
pods: {p1: {su: 2}}
fabrics:
  compute:
    protocol: roce
    tiers:
      leaf: {switch: sn5600, per: [su, plane]}
      spine: {switch: sn5600, per: plane, count: 11}
    planes: 2
  storage:
    protocol: roce
    tiers: {leaf: {switch: sn5600, per: pod, count: 4, racks: 2}, spine: {switch: sn5600, count: 2, racks: 2}}
  inband:
    protocol: ethernet
    tiers: {leaf: {switch: sn5600, per: su}, spine: {switch: sn5600, count: 4, racks: 2}}
  oob:
    protocol: ethernet
    attach: bmc
    also: switches
    tiers: {leaf: {switch: sn2201, per: pod, count: 13}, spine: {switch: sn4700, count: 4}}
"""
"""81 rack units of switches that serve more than a unit, in ten runs: two planes of 22, storage leaves 4 + 4, storage
spines 2 + 2, in-band spines 4 + 4, out-of-band leaves 13 and spines 4."""


def list_contents(design: Design) -> dict[str, list[str]]:
    """Run of racks -> lock keys of what stands in it."""
    return {run.name: [devices.holder for devices in run.runs] for run in FloorPlan(design).runs}


def test_81_rack_units_of_switches_stand_in_two_racks(tmp_path: Path) -> None:
    """A rack takes 46: the two planes, and the parts of storage and in-band, each in one; who is not split where room
    is.
    """
    cluster = locked(HALL, tmp_path, None)
    check_apart(cluster)
    check_design_agrees(cluster.design, cluster)
    assert sum(place.heights for place in describe_racks(cluster.design).values()) == 81
    parts = ["storage leaf", "storage spine", "inband spine"]
    assert list_contents(cluster.design) == {
        "compute-spine-pl1": ["compute spine plane 1", *(f"{p} part a" for p in parts), "oob leaf"],
        "compute-spine-pl2": ["compute spine plane 2", *(f"{p} part b" for p in parts), "oob spine"],
    }
    apart = locked(HALL, tmp_path, None, ("floor.network_join=false",))
    assert len(FloorPlan(apart.design).runs) == 10


# Example, its racks of network, and why there are no fewer.
RACKS = [
    ("nvl72-gb200", {"compute-spine": 1}, "20 units beside four NVL72 racks"),
    ("superpod-b200", {"extra": 1, "compute-spine": 1}, "all would draw 44 kW, and a rack of nodes 57"),
    ("superpod-b300", {"compute-spine-pl1": 1, "compute-spine-pl2": 1}, "two planes"),
    ("full-cluster", {"extra": 2, "compute-spine": 1}, "42 units of switches, and 68 of servers"),
    ("mixed-generations", {"compute-spine-a": 1, "compute-spine-b": 1}, "pairs are split over two racks"),
    ("multi-plane", {f"compute-spine-pl{n}": 1 for n in range(1, 9)}, "eight planes"),
    ("uneven-spread", {"compute-spine-a": 1, "compute-spine-b": 1}, "two parts of one tier"),
    ("top-of-rack", {"compute-spine": 1}, "32 and 2 units"),
    ("dual-tor", {"compute-agg-pl1": 6, "compute-agg-pl2": 6}, "the core of a plane in the last rack of its spines"),
]


@pytest.mark.parametrize(("name", "racks", "why"), RACKS)
def test_racks_of_examples(name: str, racks: Mapping[str, int], why: str) -> None:
    floor = FloorPlan(example_design(name))
    assert {run.name: floor.shared.count_racks(run) for run in floor.runs} == racks, why


class Filled(SimpleNamespace):
    """What stands in a rack: rack units, planes, and letters of parts by tier."""

    heights: int
    planes: set[int]
    parts: dict[str, set[str]]


def describe_racks(design: Design) -> dict[str, Filled]:
    """Rack -> what stands in it of tiers."""
    floor, racks = FloorPlan(design), dict[str, Filled]()
    for run in floor.runs:
        of_tier = {devices.tier.key: devices for devices in run.runs if devices.tier}
        for number, switches in enumerate(floor.list_switches_by_rack(run)):
            filled = racks[floor.name_shared_rack(run, number)] = Filled(heights=0, planes=set(), parts={})
            for key, indexes in switches.items():
                filled.heights += len(indexes) * design.tier(key).profile.rack_units
                filled.planes |= {of_tier[key].plane} - {-1}
                if of_tier[key].lettered:
                    filled.parts.setdefault(key.text, set()).add(ascii_lowercase[of_tier[key].part])
    return racks


@pytest.mark.tenth
@pytest.mark.parametrize("name", EXAMPLES)
def test_no_rack_of_an_example_is_overfull_or_holds_two_planes(name: str) -> None:
    design = example_design(name)
    for rack, filled in describe_racks(design).items():
        assert filled.heights <= design.layout.network_rack.units - 2, rack
        assert len(filled.planes) <= 1, rack
        assert all(len(letters) == 1 for letters in filled.parts.values()), rack


FULL = """\
fabricgen: 1
name: full
scalable_unit: {nodes: 8 x dgx-b300, racks: {nodes_per_rack: 2}}
pods: {p1: {su: 2}}
fabrics:
  compute:
    protocol: roce
    planes: 2
    tiers: {leaf: {switch: sn5600, per: [su, plane], stand: network-row}, spine: {switch: sn5600, per: plane, count: 1}}
"""


@pytest.mark.parametrize(("kw", "racks"), [(4.5, 4), (7, 2)])
def test_runs_share_a_rack_only_where_it_carries_their_optics_too(kw: float, racks: int, design_of: Any) -> None:
    """Of each plane two leaves and a spine, 64 cages each in use: 940 W and some 1,000 W of optics a switch."""
    cluster = build_cluster(design_of(FULL, [f"floor.network_rack_kw={kw}"]))
    assert len(list_contents(cluster.design)) == racks
    assert not [d for d in lint(cluster.design, cluster).findings if d.code == "FG613"]


STATED = [
    (("floor.racks={net-oob-spine-01: {row: 4, column: 3}}",), {"compute-spine-pl1", "compute-spine-pl2", "oob-spine"}),
    # the rack is there, and moves with what is in it
    (("floor.racks={net-compute-spine-pl1-01: {row: 4, column: 3}}",), {"compute-spine-pl1", "compute-spine-pl2"}),
    # room in it is for what is stated
    (
        ("floor.devices={oob-spine-01: {rack: net-compute-spine-pl2-01, u: 2}}",),
        {"compute-spine-pl1", "compute-spine-pl2", "storage-leaf-b"},
    ),
    # five SN5600 of storage and in-band draw 4.7 kW, and optics in all of their cages (18 W each) 5.76 kW: 10.46 kW
    (
        ("floor.network_rack_kw=11",),
        {"compute-spine-pl1", "compute-spine-pl2", "storage-leaf-a", "storage-leaf-b", "oob-leaf"},
    ),
    (
        ("fabrics.inband.tiers.spine.stand=row-end", "floor.racks_per_row=6"),
        {"compute-spine-pl1", "compute-spine-pl2", *("inband-spine-a", "inband-spine-b")},
    ),
]


@pytest.mark.parametrize(("sets", "names"), STATED)
def test_what_is_stated_stays_apart(design_of: Callable[..., Design], sets: tuple[str, ...], names: set[str]) -> None:
    design = design_of(HALL, list(sets))
    check_apart(build_cluster(design))
    assert list_contents(design).keys() == names


def test_two_fabrics_on_the_same_nics_stand_in_for_each_other() -> None:
    switch = StackedDevice(2)
    a, b = (make_content(f"san-{x}", "leaf", [switch], nics="storage") for x in "ab")
    assert [len(racks.contents) for racks in join([a, b])] == [1, 1]
    other = make_content("inband", "leaf", [switch])
    assert [len(racks.contents) for racks in join([a, b, other])] == [2, 1]


def test_switches_that_are_plugged_from_one_side_come_first() -> None:
    """Large tiers of either side have racks; who joins goes to its own side, and elsewhere where that is full."""
    large = [make_content(f"{aisle}-spine", "spine", [StackedDevice(2)] * 9, aisle=aisle) for aisle in ("cold", "hot")]
    small = [make_content(f"{n}-leaf", "leaf", [StackedDevice(2)], aisle="hot") for n in range(3)]
    contents = [[c.fabric[0] for c in racks.contents] for racks in join([*large, *small])]
    assert contents == [["cold-spine", "2-leaf"], ["hot-spine", "0-leaf", "1-leaf"]]


def test_devices_higher_than_a_rack_have_a_rack_each() -> None:
    """A lock may keep a run among shared racks that was of lower switches: no rack has room for those of now."""
    racks = SharedRacks(0, "high", LIMITS)
    content = make_content("high", "leaf", [StackedDevice(KIND.units + 6)] * 2)
    racks.stack_remaining(content)
    assert racks.positions[content.run.holder] == [(1, 1), (2, 1)]


# With a lock.

GROWTH = {
    "more of who was first": ("fabrics.compute.tiers.spine.count=16",),
    "more of who joined": ("fabrics.storage.tiers.leaf.count=12", "fabrics.oob.tiers.spine.count=8"),
    "another fabric": (
        (
            "fabrics.alpha={protocol: ethernet, attach: inband, tiers: {leaf: {switch: sn5600, per: su}, "
            "spine: {switch: sn5600, count: 2}}}"
        ),
    ),
    "servers": ("fabrics.oob.extra={aaa: {device: generic-server, count: 3}}",),
    "more than a rack": ("fabrics.oob.tiers.leaf.count=60",),
}


@pytest.mark.tenth
@pytest.mark.parametrize("growth", GROWTH)
def test_growth_with_a_lock_moves_nothing(tmp_path: Path, growth: str) -> None:
    before = locked(HALL, tmp_path, None)
    assert parse_lock(format_lock(before.lock).encode(), "") == before.lock
    after = locked(HALL, tmp_path, before, GROWTH[growth])
    check_apart(after)
    check_design_agrees(after.design, after)
    old, new = stands(before), stands(after)
    assert {name: new.get(name) for name in old} == old
    again = locked(HALL, tmp_path, after, GROWTH[growth])
    assert (stands(again), again.lock) == (new, after.lock)


def test_who_joins_is_at_the_other_end_of_racks_that_reserved_units_fill(design_of: Callable[..., Design]) -> None:
    """A derived count grows with units: nobody moves, without a lock, as long as the rack has room."""
    text = HALL.replace("per: plane, count: 11", "per: plane").replace("su: 2}", "su: 2, reserve: 4}")
    old, new = (stands(build_cluster(design_of(text, [f"pods.p1.su={su}"]))) for su in (2, 3))
    assert sum("compute-spine" in name for name in new) > sum("compute-spine" in name for name in old)
    places = {place[0] for name, place in old.items() if "storage-spine" in name}
    assert places == {"net-compute-spine-pl1-01", "net-compute-spine-pl2-01"}
    assert {name: new[name] for name in old} == old


def test_racks_keep_their_name_and_places_when_who_was_first_is_gone_and_back(tmp_path: Path) -> None:
    text = HALL.replace("per: [su, plane]", "per: su").replace("per: plane, ", "").replace("    planes: 2\n", "")
    before = locked(text, tmp_path, None)
    gone = text[: text.index("  compute:")] + text[text.index("  storage:") :]
    without = locked(gone, tmp_path, before)
    assert stands(without).items() <= stands(before).items()
    assert "net-compute-spine-01" in without.plan.racks.names
    assert stands(locked(text, tmp_path, without)) == stands(before)


def test_a_lock_from_before_keeps_a_run_of_racks_for_each(tmp_path: Path) -> None:
    old = locked(HALL, tmp_path, Lock("floor", {}, {"floor rules": 5}))
    assert stands(old) == stands(locked(HALL, tmp_path, None, ("floor.network_join=false",)))
    assert old.lock.rooms["floor rules"] == 5
    assert not any(kind.startswith("joined") for kind in old.lock.held)
    for growth in GROWTH.values():
        grown = stands(locked(HALL, tmp_path, old, growth))
        assert {name: grown[name] for name in stands(old)} == stands(old)


def test_who_is_to_stand_apart_leaves_racks_that_a_lock_has(tmp_path: Path) -> None:
    before = locked(HALL, tmp_path, None)
    moved = locked(HALL, tmp_path, before, ("floor.racks={net-oob-spine-01: {row: 5, column: 1}}",))
    old, new = stands(before), stands(moved)
    assert {name for name in old if old[name] != new[name]} == {f"oob-spine-0{n}" for n in (1, 2, 3, 4)}
    assert new["oob-spine-01"][0] == "net-oob-spine-01"


# Any runs.

KIND = RackProfile.model_construct(id="rack", source="", tag="D", name="", units=24, width_m=0.6, depth_m=1.2)
LIMITS = RackLimits(KIND, 9000)


def make_content(
    fabric: str,
    tier: str,
    devices: list[StackedDevice],
    *,
    plane: int = -1,
    part: int = -1,
    nics: str = "",
    aisle: str = "",
    grows: bool = False,
) -> RunContent:
    """A run of devices that joins others if it is small."""
    stub = SimpleNamespace(key=TierKey(fabric, tier))
    run = NetworkRun(fabric, stub, plane, 0, max(part, 0), 2 if part >= 0 else 1, False, part >= 0)  # type: ignore[arg-type]
    small = 2 * sum(device.height for device in devices) < KIND.units - 2
    return RunContent(
        run, devices, True, (fabric, nics or fabric), aisle, joins=True, hosts=True, small=small, grows=grows
    )


def join(
    contents: list[RunContent], kept: Mapping[tuple[int, str], Mapping[str, tuple]] | None = None
) -> tuple[SharedRacks, ...]:
    return join_runs(contents, kept or {}, LIMITS)


@st.composite
def runs_of_devices(draw: st.DrawFn) -> list[RunContent]:
    """Up to eight tiers, split into planes or parts or neither."""
    contents = []
    for number in range(draw(st.integers(1, 8))):
        grows = draw(st.booleans())
        device = StackedDevice(draw(st.integers(1, 4)), draw(st.sampled_from([0, 400, 1500])))
        split, count = draw(st.sampled_from(["", "plane", "part"])), draw(st.integers(1, 12))
        for index in range(draw(st.integers(1, 4)) if split else 1):
            named = {split: index} if split else {}
            contents.append(make_content(f"f{number}", "leaf", [device] * count, grows=grows, **named))
    return contents


def check_racks(shared: tuple[SharedRacks, ...]) -> None:
    """No rack unit is used twice or not there, several runs draw no more than they may, and what is split is apart."""
    for racks in shared:
        units: list[tuple[int, int]] = []
        watts: dict[int, float] = {}
        runs: dict[int, list[RunContent]] = {}
        for content in racks.contents:
            for (rack, u), device in zip(racks.positions[content.run.holder], content.devices, strict=True):
                units += [(rack, u + i) for i in range(device.height)]
                watts[rack] = watts.get(rack, 0) + device.watts
                if content not in runs.setdefault(rack, []):
                    runs[rack].append(content)
        assert len(set(units)) == len(units)
        assert all(1 <= u <= KIND.units - 2 for _, u in units)
        assert all(watts[rack] <= LIMITS.watts for rack in runs if len(runs[rack]) > 1)
        for rack in runs.values():
            assert len({content.run.plane for content in rack} - {-1}) <= 1
            assert len({content.fabric[0] for content in rack}) == len(rack)


@given(runs_of_devices())
def test_any_runs_share_racks_within_their_limits(contents: list[RunContent]) -> None:
    shared = join(contents)
    check_racks(shared)
    assert sorted(content.run.holder for racks in shared for content in racks.contents) == sorted(
        content.run.holder for content in contents
    )
    assert [racks.positions for racks in join(contents)] == [racks.positions for racks in shared]
    assert len(shared) <= len(contents)


@pytest.mark.slow
@given(runs_of_devices(), st.lists(st.integers(0, 6), min_size=32, max_size=32))
def test_any_growth_with_a_lock_moves_no_device(contents: list[RunContent], more: list[int]) -> None:
    before = join(contents)
    kept = {
        racks.key: {
            content.run.holder: make_rack_unit_intervals(
                sorted(racks.positions[content.run.holder]), content.devices[0].height, 1
            )
            for content in racks.contents
        }
        for racks in before
    }
    grown = [
        RunContent(
            c.run, [*c.devices, *c.devices[:1] * extra], c.hung, c.fabric, c.aisle, c.joins, c.hosts, c.small, c.grows
        )
        for c, extra in zip(contents, more, strict=False)
    ]
    after = join(grown, kept)
    for racks, same in zip(sorted(before, key=lambda r: r.holder), sorted(after, key=lambda r: r.holder), strict=True):
        for holder, spots in racks.positions.items():
            assert same.positions[holder][: len(spots)] == spots

"""Where racks and devices stand: halls, network rows, where tiers stand, and that growth moves nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fabricgen.blueprint.beside.lock import Lock
from fabricgen.blueprint.load import load_blueprint
from fabricgen.cluster import Cluster, build_cluster
from fabricgen.design.build import build_design
from fabricgen.design.floor.floor_plan import FloorPlan
from fabricgen.design.model import Design
from fabricgen.export.files.racks import make_table
from fabricgen.kernel.diagnostics import InputError
from fabricgen.kernel.intervals import Interval
from tests.conftest import example_cluster

DesignOf = Callable[..., Design]

FLOOR = """\
fabricgen: 1
name: floor
scalable_unit: {nodes: 8 x dgx-b200, racks: {nodes_per_rack: 2}}
pods: {p1: {su: 2, reserve: 3}}
fabrics:
  compute:
    protocol: roce
    tiers:
      leaf: {switch: sn5600, per: [su, rail]}
      spine: {switch: sn5600, per: pod, count: 4}
      core: {switch: sn5600, per: spine, count: 2}
  oob: {protocol: ethernet, attach: bmc, tiers: {leaf: {switch: sn2201, per: rack}}}
"""

Places = dict[str, tuple[str, int, int, int, int]]


def stands(cluster: Cluster) -> Places:
    """Device -> rack, rack unit, hall, row, column."""
    devices, racks = cluster.plan.devices, cluster.plan.racks
    found = {}
    for name, rack, u in zip(cluster.names, devices.rack.tolist(), devices.u.tolist(), strict=True):
        found[name] = (racks.names[rack], u, int(racks.hall[rack]), int(racks.row[rack]), int(racks.column[rack]))
    return found


def check_apart(cluster: Cluster) -> None:
    """No two racks in one place, no two devices in one rack unit, none over the top."""
    devices, racks = cluster.plan.devices, cluster.plan.racks
    places = list(zip(racks.hall.tolist(), racks.row.tolist(), racks.column.tolist(), strict=True))
    assert len(set(places)) == len(places)
    height = np.array([c.profile.rack_units for c in devices.classes])[devices.device_class]
    taken = [
        (rack, u + i)
        for rack, u, units in zip(devices.rack.tolist(), devices.u.tolist(), height.tolist(), strict=True)
        for i in range(units)
    ]
    assert len(set(taken)) == len(taken)
    assert (devices.u >= 1).all()
    assert (devices.u + height - 1 <= racks.units[devices.rack]).all()


def check_design_agrees(design: Design, cluster: Cluster) -> None:
    """The design puts every rack where the plan has it, and holds the switches that the plan has in it."""
    floor, racks = FloorPlan(design), cluster.plan.racks
    columns = (racks.site, racks.row, racks.column, racks.hall)
    spots = dict(zip(racks.names, zip(*(c.tolist() for c in columns), strict=True), strict=True))
    for unit in range(design.layout.units):
        for rack in range(floor.find_plan(unit).racks):
            assert floor.locate_unit_rack(unit, rack) == spots[floor.name_unit_rack(unit, rack)]
    for run in floor.runs:
        for place, switches in enumerate(floor.list_switches_by_rack(run)):
            if switches:
                assert floor.locate_run_rack(run, place) == spots[f"net-{run.name}-{place + 1:02d}"]


LEAF, SPINE, CORE = (f"fabrics.compute.tiers.{tier}" for tier in ("leaf", "spine", "core"))
VARIANTS: dict[str, tuple[str, ...]] = {
    "as usual": (),
    "rack top": (f"{LEAF}.stand=rack-top",),
    "rack middle": (f"{LEAF}.stand=rack-middle",),
    "rack bottom": (f"{LEAF}.stand=rack-bottom", "fabrics.oob.tiers.leaf.stand=rack-middle"),
    "unit middle": (f"{LEAF}.stand=unit-middle", "fabrics.oob.tiers.leaf.stand=unit-end"),
    "row middle": (f"{LEAF}.stand=row-middle", "pods.p1.su=4"),
    "row end": (f"{LEAF}.stand=row-end", "fabrics.oob.tiers.leaf.stand=row-middle", "pods.p1.su=4"),
    "leaves in network rows": (f"{LEAF}.stand=network-row", f"{LEAF}.racks=2"),
    "spines at row ends": (f"{SPINE}.stand=row-end",),
    "all at row ends": ("floor.network_rows={at: row-ends}", f"{SPINE}.racks=2", "floor.racks_per_row=16"),
    "a hall of two rows": ("floor.halls={h1: {rows: 2, racks_per_row: 12}}", f"{SPINE}.racks=2"),
    "rows last": ("floor.network_rows={at: last}",),
    "rows between": ("floor.network_rows={at: middle, rows: 1}", "pods.p1.su=4"),
    "halls": ("floor.halls={h1: {rows: 3, racks_per_row: 8}, h2: {rows: 2, storey: 1, at_m: [20, 0]}}", "pods.p1.su=4"),
    "hall by pod": (
        "pods={p1: {su: 2}, p2: {su: 2, hall: h2}}",
        "floor.halls={h1: {rows: 4}, h2: {rows: 3, at_m: [30, 0]}}",
    ),
}


@pytest.mark.tenth
@pytest.mark.parametrize("variant", VARIANTS)
def test_everything_has_a_place_of_its_own_and_the_design_knows_it(design_of: DesignOf, variant: str) -> None:
    design = design_of(FLOOR, list(VARIANTS[variant]))
    cluster = build_cluster(design)
    check_apart(cluster)
    check_design_agrees(design, cluster)


def racks_of(cluster: Cluster, start: str) -> set[str]:
    return {place[0].partition("-su")[2] for name, place in stands(cluster).items() if name.startswith(start)}


def test_rail_leaves_are_dealt_over_the_racks_of_a_unit(design_of: DesignOf) -> None:
    cluster = build_cluster(design_of(FLOOR, [f"{LEAF}.stand=rack-top"]))
    found = stands(cluster)
    mine = [found[n][:2] for n in cluster.names if n.startswith("compute-leaf-p1-su01")]
    assert mine == [(f"p1-su01-rk{r:02d}", u) for r in (1, 2, 3, 4) for u in (47, 45)]
    nodes = [place[1] for name, place in found.items() if "-su01-n" in name and place[0] == "p1-su01-rk01"]
    assert nodes == [1, 11]
    below = stands(build_cluster(design_of(FLOOR, [f"{LEAF}.stand=rack-bottom"])))
    assert [below[n][1] for n in found if "-su01-n" in n][:2] == [5, 15]


# Racks of four nodes in a row, its units, lock, and the places of network racks from the left.
MIDDLES = [
    ((), None, [(0, 6), (0, 7), (0, 8), (1, 6)]),  # rows of three units: six racks of nodes on either side
    ((), 5, [(0, 8), (0, 9), (0, 10), (1, 8)]),  # a lock from before: behind the second unit
    (("floor.racks_per_row=5",), None, [(0, 2), (1, 2), (2, 2), (3, 2)]),  # a unit a row, in two halves
    (("floor.racks_per_row=5",), 5, [(0, 4), (1, 4), (2, 4), (3, 4)]),
]


@pytest.mark.parametrize(("stated", "rules", "places"), MIDDLES)
def test_network_racks_stand_together_in_the_middle_of_a_row(
    tmp_path: Path, stated: tuple[str, ...], rules: int | None, places: list[tuple[int, int]]
) -> None:
    lock = Lock("floor", {}, {"floor rules": rules}) if rules else None
    cluster = locked(FLOOR, tmp_path, lock, ("pods.p1.su=4", f"{LEAF}.stand=row-middle", *stated))
    check_apart(cluster)
    check_design_agrees(cluster.design, cluster)
    nets = sorted({place for name, place in stands(cluster).items() if name.startswith("compute-leaf")})
    assert [(row, column) for *_, row, column in nets][::8] == places


def test_units_fill_halls_in_turn_and_none_is_in_two(design_of: DesignOf) -> None:
    cluster = build_cluster(design_of(FLOOR, list(VARIANTS["halls"])))
    homes = {}
    for rack, hall in zip(cluster.plan.racks.names, cluster.plan.racks.hall.tolist(), strict=True):
        homes.setdefault(rack.rpartition("-")[0], set()).add(hall)
    units = {name: halls for name, halls in homes.items() if "-su" in name}
    assert units == {"p1-su01": {0}, "p1-su02": {0}, "p1-su03": {1}, "p1-su04": {1}}
    assert cluster.plan.racks.halls[1].storey == 1
    assert (cluster.plan.racks.x_m[cluster.plan.racks.hall == 1] > 20).all()


def test_aisles_set_rows_front_to_front_and_back_to_back(design_of: DesignOf) -> None:
    sets = ["floor.racks_per_row=5", "floor.aisles={cold_m: 1.8, hot_m: 1.2}", "floor.rack_depth_m=1.1", "pods.p1.su=4"]
    racks = build_cluster(design_of(FLOOR, sets)).plan.racks
    y = {int(row): round(float(y), 3) for row, y in zip(racks.row, racks.y_m, strict=True) if row >= 0}
    assert y == {0: 0.55, 1: 3.45, 2: 5.75, 3: 8.65}  # 1.1 + 1.8 between fronts, 1.1 + 1.2 between backs
    faces = {int(row): int(face) for row, face in zip(racks.row, racks.faces, strict=True)}
    assert faces == {-1: -1, 0: 1, 1: -1, 2: 1, 3: -1}


def test_rows_of_networks_between_those_of_nodes_make_cables_shorter(design_of: DesignOf) -> None:
    mean = {}
    for at in ("first", "middle"):
        sets = ["pods.p1.su=4", "floor.racks_per_row=5", f"floor.network_rows={{at: {at}, rows: 1}}"]
        cluster = build_cluster(design_of(FLOOR, sets))
        upper = [i for i, s in enumerate(cluster.plan.links.segments) if s.upper in ("spine", "core")]
        rows = np.isin(cluster.plan.links.segment, upper)
        mean[at] = cluster.plan.cables.run_m[np.unique(cluster.plan.links.cable[rows])].mean()
    assert mean["middle"] < mean["first"]


APART = "floor.network_join=false"

REFUSED = [
    ([f"{SPINE}.stand=rack-top"], "FG068", "compute spine serves more than a scalable unit"),
    (
        [APART, "floor.halls={h1: {rows: 1}}"],
        "FG067",
        "3 scalable units, reserved ones included, do not fit in the halls of",
    ),
    (
        [APART, "floor.halls={h1: {rows: 1, racks_per_row: 1}}", "floor.network_rows={at: last}"],
        "FG067",
        "hall h1 is too small: 2 rows of network racks do not fit in its 1 rows",
    ),
    (
        [APART, "floor.halls={h1: {rows: 1, racks_per_row: 2}}"],
        "FG067",
        "2 network racks do not fit at the ends of its rows",
    ),
    (["floor.network_rows={at: row-ends, rows: 1}"], "FG010", "leave out `rows`"),
    ([f"{SPINE}.stand=unit-end"], "FG068", "compute spine serves more than a scalable unit"),
    (["floor.halls={h1: {rows: 3, racks_per_row: 4}}"], "FG067", "do not fit in the halls of site1"),
    (["pods.p1.hall=h9", "floor.halls={h1: {rows: 9}}"], "FG016", "hall 'h9', and site1 has no such hall"),
    (["floor.halls={h1: {rows: 9, site: mars}}"], "FG012", "hall h1 is at mars"),
    (["floor.racks={p1-su01-rk01: {row: 1, column: 17}}"], "FG068", "place 17; hall1 has rows of 16"),
    (["floor.racks={p1-su01-rk01: {row: 1, column: 2}}"], "FG069", "p1-su01-rk01 and p1-su01-rk02 stand in one place"),
    (["floor.racks={../rk91: {row: 1, column: 2}}"], "FG010", "'../rk91' is no name of a rack"),
    (["floor.devices={compute-spine-p1-01: {rack: '=A1', u: 4}}"], "FG010", "'=A1' is no name of a rack"),
    (["floor.rack_pitch_m=5e-324"], "FG010", "greater than or equal to 0.1"),
    (["floor.racks={p1-su01-rk91: {row: 1, column: 2}}"], "FG068", "there is no rack p1-su01-rk91"),
    (["floor.racks={p1-su01-rk01: {hall: x, row: 1, column: 2}}"], "FG016", "there is no hall 'x'"),
    ([f"{LEAF}.stand=row-end", "floor.racks_per_row=4"], "FG068", "a row of 4 racks holds no whole unit of 5"),
    (["scalable_unit.racks={type: nvl72-gb200, nodes_per_rack: 20}"], "FG601", "20 nodes of 10 rack units"),
    ([f"{LEAF}.stand=rack-top", "scalable_unit.racks.units=22"], "FG601", "node rack"),
]


@pytest.mark.parametrize(("sets", "code", "words"), REFUSED)
def test_what_has_no_place_is_refused_with_its_line(
    design_of: DesignOf, sets: list[str], code: str, words: str
) -> None:
    with pytest.raises(InputError) as error:
        build_cluster(design_of(FLOOR, sets))
    (found,) = error.value.diagnostics
    assert found.code == code
    assert words in found.message
    assert found.span is not None


def locked(text: str, tmp_path: Path, lock: Cluster | Lock | None, sets: tuple[str, ...] = ()) -> Cluster:
    """A cluster that is built with a lock, or with that of another."""
    file = tmp_path / "floor.yaml"
    file.write_text(text)
    loaded = load_blueprint(str(file), sets)
    held = lock.lock if isinstance(lock, Cluster) else lock
    return build_cluster(build_design(replace(loaded, lock=held) if held else loaded))


GROWTH: dict[str, tuple[str, ...]] = {
    "a unit within the reserve": ("pods.p1.su=3",),
    "units beyond the reserve": ("pods.p1.su=4",),
    "a pod before it": ("pods={p0: {su: 2}, p1: {su: 2, reserve: 3}}",),
    "a pod after it": ("pods={p1: {su: 2, reserve: 3}, p2: {su: 3}}",),
    "a fabric before it": (
        (
            "fabrics.alpha={protocol: ethernet, attach: inband, tiers: {leaf: {switch: sn5600, per: su}, "
            "spine: {switch: sn5600, count: 2}}}"
        ),
    ),
    "a fabric of many racks a unit": (
        "fabrics.alpha={protocol: ethernet, attach: inband, tiers: {leaf: {switch: 7816r4, per: [su, rail]}}}",
    ),
    "more spines and cores": (f"{SPINE}.count=8", f"{CORE}.count=2"),
    "extra devices": ("fabrics.compute.extra={aaa: {device: generic-server, count: 3}}",),
}


@pytest.mark.tenth
@pytest.mark.parametrize("variant", ["as usual", "all at row ends", "row end", "rows between", "rows last"])
@pytest.mark.parametrize("growth", GROWTH)
def test_growth_with_a_lock_moves_no_rack_and_no_device(tmp_path: Path, variant: str, growth: str) -> None:
    before = locked(FLOOR, tmp_path, None, tuple(s for s in VARIANTS[variant] if s != "pods.p1.su=4"))
    sets = (*(s for s in VARIANTS[variant] if s != "pods.p1.su=4"), *GROWTH[growth])
    after = locked(FLOOR, tmp_path, before, sets)
    check_apart(after)
    check_design_agrees(after.design, after)
    old, new = stands(before), stands(after)
    assert {name: new.get(name) for name in old} == old
    again = locked(FLOOR, tmp_path, after, sets)
    assert stands(again) == new
    assert again.lock == after.lock


def test_what_is_gone_leaves_its_place_free_until_it_is_back(tmp_path: Path) -> None:
    more = GROWTH["a fabric before it"]
    whole = locked(FLOOR, tmp_path, None, more)
    less = locked(FLOOR, tmp_path, whole)
    assert set(stands(less).items()) < set(stands(whole).items())
    assert stands(locked(FLOOR, tmp_path, less, more)) == stands(whole)


def test_without_a_lock_units_within_the_reserve_move_nothing(design_of: DesignOf) -> None:
    for variant in (
        "as usual",
        "rack top",
        "row middle",
        "spines at row ends",
        "rows between",
        "leaves in network rows",
    ):
        sets = [s for s in VARIANTS[variant] if s != "pods.p1.su=4"]
        old, new = (stands(build_cluster(design_of(FLOOR, [*sets, f"pods.p1.su={su}"]))) for su in (2, 3))
        assert {name: new.get(name) for name in old} == old


TWO_NINES = ["scalable_unit.racks.nodes_per_rack=1", "pods.p1.su=4"]
"""Units of eight racks of nodes and a network rack."""


def rows_of(cluster: Cluster) -> dict[str, set[int]]:
    """The rows of each unit, and of all shared racks."""
    found: dict[str, set[int]] = {}
    for rack, row in zip(cluster.plan.racks.names, cluster.plan.racks.row.tolist(), strict=True):
        found.setdefault("shared" if rack.startswith("net-") else rack.rpartition("-")[0], set()).add(row)
    return found


def test_shared_racks_fill_a_row_and_no_unit_is_cut(design_of: DesignOf) -> None:
    found = rows_of(build_cluster(design_of(FLOOR, TWO_NINES)))
    assert found == {"shared": {-1}, "p1-su01": {0}, "p1-su02": {0}, "p1-su03": {1}, "p1-su04": {1}}
    cut = rows_of(build_cluster(design_of(FLOOR, [*TWO_NINES, "floor.racks_per_row=16"])))
    assert [len(rows) for rows in cut.values()] == [1] * 5
    apart = rows_of(build_cluster(design_of(FLOOR, [f"{SPINE}.racks=2"])))
    assert apart["shared"] == {-1, -2}  # so that the loss of a row leaves half of the spines


def test_halls_too_small_for_whole_units_are_filled_with_cut_ones(tmp_path: Path) -> None:
    hall = (*TWO_NINES, "floor.halls={h1: {rows: 4, racks_per_row: 16}}")
    first = locked(FLOOR, tmp_path, None, hall)
    assert [len(rows) for rows in rows_of(first).values()] == [1, 2, 1, 2, 1]
    assert stands(locked(FLOOR, tmp_path, first, hall)) == stands(first)


TWO_ROWS = """\
fabricgen: 1
name: two-rows
scalable_unit: {nodes: 16 x dgx-b200, racks: {nodes_per_rack: 1}}
pods: {p1: {su: 2}}
fabrics:
  compute:
    protocol: roce
    tiers: {leaf: {switch: sn5600, per: [su, rail], stand: network-row}, spine: {switch: sn5600, count: 8}}
  storage:
    protocol: roce
    tiers: {leaf: {switch: sn5600, per: pod, count: 2}, spine: {switch: sn5600, count: 2}}
  oob:
    protocol: ethernet
    attach: bmc
    also: switches
    tiers: {leaf: {switch: sn2201, per: pod, count: 6}, spine: {switch: sn4700, count: 2}}
floor: {halls: {h1: {rows: 2, racks_per_row: 19}}}
"""
"""32 racks of nodes, and 36 switches in six runs of a rack each, in two rows."""


def ends_of(cluster: Cluster) -> dict[str, list[int]]:
    """Row and place of shared racks, from 1."""
    racks = cluster.plan.racks
    places = zip(racks.names, (racks.row + 1).tolist(), (racks.column + 1).tolist(), strict=True)
    return {name: [row, column] for name, row, column in places if name.startswith("net-")}


@pytest.mark.parametrize("stated", [(), ("floor.network_fill=down", "floor.trays.at=under-floor")])
def test_network_racks_are_filled_from_the_trays_on(stated: tuple[str, ...], tmp_path: Path) -> None:
    cluster = locked(FLOOR, tmp_path, None, stated)
    check_apart(cluster)
    found = stands(cluster)
    assert [found[f"compute-spine-p1-0{n}"][1] for n in (1, 2, 3, 4)] == [45, 43, 41, 39]
    assert [found[f"compute-leaf-p1-su01-r{n}-01"][1] for n in (1, 8)] == [45, 31]
    grown = locked(FLOOR, tmp_path, cluster, (*stated, *GROWTH["a fabric before it"], *GROWTH["more spines and cores"]))
    check_apart(grown)
    assert {name: stands(grown)[name] for name in found} == found


@pytest.mark.parametrize("stated", ["floor.network_fill=up", "floor.trays.at=under-floor"])
def test_above_trays_they_are_filled_from_the_bottom_up(stated: str, tmp_path: Path) -> None:
    found = stands(locked(FLOOR, tmp_path, None, (stated,)))
    assert [found[f"compute-spine-p1-0{n}"][1] for n in (1, 2, 3, 4)] == [1, 3, 5, 7]


def test_servers_and_storage_stand_at_the_bottom(tmp_path: Path) -> None:
    arrays = "fabrics.compute.extra={array: {device: storage-array, count: 2, attach: storage}}"
    found = stands(locked(FLOOR, tmp_path, None, (arrays,)))
    assert [found[f"array-{n}"][1] for n in (1, 2)] == [1, 3]
    hung = stands(locked(FLOOR, tmp_path, None, (arrays, "floor.network_fill=down")))
    assert [hung[f"array-{n}"][1] for n in (1, 2)] == [21, 19]  # below 12 switches of the same rack


def test_a_lock_from_before_keeps_racks_filled_from_the_bottom_and_the_lengths_that_were_bought(tmp_path: Path) -> None:
    """Leaves have their ports at the cold aisle, nodes at the hot one: new cables are longer."""
    old = locked(FLOOR, tmp_path, Lock("floor", {}, {"floor rules": 2}))
    as_before = ("floor.network_fill=up", "floor.trays.cold_ports=[]")
    new = locked(FLOOR, tmp_path, Lock("floor", {}, {"floor rules": 4}), as_before)
    assert stands(old) == stands(new)
    assert (old.plan.cables.run_m == new.plan.cables.run_m).all()
    assert locked(FLOOR, tmp_path, None, (APART, *as_before[:1])).plan.cables.run_m.sum() > old.plan.cables.run_m.sum()
    assert old.lock.rooms["floor rules"] == 2
    grown = locked(FLOOR, tmp_path, old, GROWTH["more spines and cores"])
    assert {name: stands(grown)[name] for name in stands(old)} == stands(old)


def test_a_hall_of_two_rows_is_filled(tmp_path: Path) -> None:
    cluster = locked(TWO_ROWS, tmp_path, None, (APART,))
    check_apart(cluster)
    check_design_agrees(cluster.design, cluster)
    runs = ("compute-leaf", "compute-spine", "storage-leaf", "storage-spine", "oob-leaf", "oob-spine")
    ends = dict(zip((f"net-{run}-01" for run in runs), ([r, c] for r in (1, 2) for c in (17, 18, 19)), strict=True))
    assert ends_of(cluster) == ends
    places = {name: {"row": row, "column": 20 - column + 16} for name, (row, column) in ends.items()}
    by_hand = locked(TWO_ROWS, tmp_path, None, (f"floor.racks={places}", "floor.network_rows={at: first}"))
    check_apart(by_hand)  # racks that are stated are there, and nobody joins others
    assert ends_of(by_hand) == {name: list(place.values()) for name, place in places.items()}


def test_a_lock_from_before_keeps_rows_of_16_and_a_row_for_each_run(tmp_path: Path) -> None:
    """Such a lock has places of racks, and not the rules by which they were given."""
    places = {"compute core": (Interval(16, 16),), "compute spine": (Interval(0, 16),)}
    before = Lock("floor", {"floor": places}, {"floor unit racks": 9})
    old = locked(FLOOR, tmp_path, before, tuple(TWO_NINES))
    assert rows_of(old) == {"shared": {-1, -2}, "p1-su01": {0}, "p1-su02": {0, 1}, "p1-su03": {1}, "p1-su04": {1, 2}}
    assert old.lock.rooms.keys() & {"floor rules", "floor racks in a row"} == set()
    grown = locked(FLOOR, tmp_path, old, (*TWO_NINES, *GROWTH["a fabric before it"]))
    assert {name: stands(grown)[name] for name in stands(old)} == stands(old)


MOVED = [
    (["floor.devices={compute-spine-p1-01: {rack: p1-su01-net01, u: 4}}"], ("p1-su01-net01", 4)),
    (
        ["floor.devices={compute-spine-p1-01: {rack: spare, u: 40}}", "floor.racks={spare: {row: 4, column: 9}}"],
        ("spare", 40),
    ),
]


@pytest.mark.parametrize(("sets", "place"), MOVED)
def test_a_device_stands_where_it_is_stated(design_of: DesignOf, sets: list[str], place: tuple[str, int]) -> None:
    before, cluster = build_cluster(design_of(FLOOR)), build_cluster(design_of(FLOOR, sets))
    check_apart(cluster)
    old, new = stands(before), stands(cluster)
    assert {name for name in old if old[name] != new[name]} == {"compute-spine-p1-01"}
    assert new["compute-spine-p1-01"][:2] == place
    if place[0] == "spare":
        assert new["compute-spine-p1-01"][2:] == (0, 3, 8)


@pytest.mark.parametrize(
    ("place", "code", "words"),
    [
        ("{compute-spine-9: {rack: p1-su01-net01, u: 40}}", "FG068", "no device compute-spine-9"),
        ("{compute-spine-p1-01: {rack: p9-su01-net01, u: 40}}", "FG068", "no rack p9-su01-net01"),
        ("{compute-spine-p1-01: {rack: p1-su01-net01, u: 48}}", "FG068", "rack units 48 to 49, p1-su01-net01 has 48"),
        ("{compute-spine-p1-01: {rack: p1-su01-net01, u: 44}}", "FG069", "rack units 44 to 45 of p1-su01-net01, and"),
    ],
)
def test_a_device_where_nothing_can_stand_is_refused(design_of: DesignOf, place: str, code: str, words: str) -> None:
    with pytest.raises(InputError) as error:
        build_cluster(design_of(FLOOR, [f"floor.devices={place}"]))
    assert [(d.code, d.span is not None) for d in error.value.diagnostics] == [(code, True)]
    assert words in error.value.diagnostics[0].message


def test_trays_of_an_nvl72_stand_where_the_rack_has_them() -> None:
    cluster = example_cluster("nvl72-gb200")
    plan = cluster.plan
    here = plan.devices.rack == plan.racks.names.index("p1-su01-rk03")
    units = {
        cls.profile.id: sorted(plan.devices.u[cls.rows][here[cls.rows]].tolist())
        for cls in plan.devices.classes
        if here[cls.rows].any()
    }
    assert units == {"gb200-tray": [*range(11, 19), *range(28, 38)], "nvlink5-tray": [*range(19, 28)], "sn2201": [45]}


def test_the_list_of_racks_adds_up() -> None:
    cluster = example_cluster("superpod-b200")
    columns = make_table(cluster).columns
    rows = [dict(zip(columns, row, strict=True)) for row in make_table(cluster).rows()]
    first = rows[0]
    assert (first["rack"], first["row"], first["column"], first["x_m"], first["faces"]) == (
        "p1-su01-rk01",
        1,
        1,
        0.3,
        "y+",
    )
    assert (first["units_used"], first["devices"], first["weight_kg"]) == (40, 4, "569.6")
    assert (first["power_w"], first["liquid_w"], first["air_w"]) == ("57200", "0", "57616")
    assert sum(row["devices"] for row in rows) == len(cluster.plan.devices)
    assert len({(row["hall"], row["row"], row["column"]) for row in rows}) == len(rows)

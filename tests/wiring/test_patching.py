"""Structured cabling: what technicians plug and buyers order where fibre goes through panels and trunks."""

from __future__ import annotations

import csv
import io
from collections import Counter, defaultdict
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

from fabricgen.catalog.loader import Catalog
from fabricgen.cluster import Cluster, build_cluster
from fabricgen.design.media.gearing import explain_mismatch, explain_polarity_fault
from fabricgen.design.model import Design
from fabricgen.export.files import bom, cables, panels, patches, trunks
from fabricgen.export.table import ExportContext
from fabricgen.lint.rules.plan.ordering.fg629_part_not_listed import PartNotListed
from fabricgen.wiring.patching.panels import PatchLocations, order_terminations
from tests.conftest import bytes_of, example_cluster

CATALOG = Catalog()
Row = dict[str, str]

FLOOR = """
name: hall
scalable_unit: {nodes: 8 x xe9680-h200, racks: {nodes_per_rack: 4}}
pods: {p1: {su: 2, reserve: 6}}
fabrics:
  compute:
    protocol: roce
    tiers: {leaf: {switch: z9864f, per: [su, rail]}, spine: {switch: z9864f, count: 4}}
"""


def rows(part: object, cluster: Cluster) -> list[Row]:
    """The rows of a part's only file; none where it writes none."""
    files = list(part.files(cluster, ExportContext()))
    return [row for _, content in files for row in csv.DictReader(io.StringIO(bytes_of(content).decode()))]


@cache
def hall(*sets: str) -> Cluster:
    return example_cluster("patched-hall", *sets)


def test_patched_hall_has_the_parts_counted_by_hand() -> None:
    # 32 nodes of 8 ports: 256 channels of one MPO, 32 a rack, 36 in two trunks of 18 with 10% to spare.
    # 128 uplinks of two MPOs: 128 ports a row, 141 with 10% to spare, so four trunks of 36.
    wanted = Counter(row["kind"] for row in rows(bom, hall()) for _ in range(int(row["quantity"])))
    assert wanted["trunk"] == 8 * 2 + 2 * 4
    assert wanted["panel"] == 8 + 2 * 2 + 2 * 2 + 4  # node racks, leaf racks, ends of two rows, of the spine row
    jumpers = Counter(
        piece for row in {r["cable"]: r["part"] for r in rows(cables, hall())}.values() for piece in row.split(" + ")
    )
    assert sum(n for part, n in jumpers.items() if part.startswith("fibre-mmf-om4-mpo")) == 2 * 256
    assert sum(n for part, n in jumpers.items() if part.startswith("2x fibre-mmf-om4-mpo")) == 2 * 128
    assert {row["part"]: int(row["quantity"]) for row in rows(bom, hall()) if "fibre-" in row["part"]} == {
        part: n for part, n in jumpers.items() if "fibre-" in part
    }


def test_every_trunk_and_panel_in_the_bill_is_one_in_the_lists() -> None:
    bill = {row["part"]: int(row["quantity"]) for row in rows(bom, hall()) if row["kind"] in ("trunk", "panel")}
    listed = Counter(row["part"] for part in (trunks, panels) for row in rows(part, hall()))
    assert bill == dict(listed)


def test_a_channel_is_as_long_as_its_jumpers_and_trunk() -> None:
    trunk = {row["trunk"]: float(row["length_m"]) for row in rows(trunks, hall())}
    ends: dict[str, dict[str, float]] = defaultdict(dict)
    over: dict[str, set[float]] = defaultdict(set)
    for row in rows(patches, hall()):
        ends[row["cable"]][row["end"]] = float(row["length_m"])
        over[row["cable"]].add(trunk[row["trunk"]])
    patched = [row for row in rows(cables, hall()) if " + " in row["part"]]
    assert len(patched) == 256 + 128
    for row in patched:
        both = ends[row["cable"]]
        assert float(row["length_m"]) == both["a"] + max(over[row["cable"]]) + both["b"]


@pytest.mark.parametrize("at", ["rack", "row-end"])
def test_no_port_is_taken_twice_and_both_ends_meet_in_one_fibre(at: str) -> None:
    sets = (f"cabling.patch.uplinks.at={at}", f"cabling.patch.nodes.at={at}")
    listed, of = rows(patches, hall(*sets)), {row["trunk"]: row for row in rows(trunks, hall(*sets))}
    taken = Counter((row["panel"], row["port"]) for row in listed)
    assert set(taken.values()) == {1}
    meet: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in listed:
        meet[row["trunk"], row["connector"]].append(row)
        trunk = of[row["trunk"]]
        side = "a" if row["panel"] == trunk["a_panel"] else "b"
        first, last = map(int, trunk[f"{side}_ports"].split("-"))
        assert first <= int(row["port"]) <= last
        assert int(row["port"]) - first == int(row["connector"]) - 1
    for pair in meet.values():
        assert {row["end"] for row in pair} == {"a", "b"}
        assert len({row["cable"] for row in pair}) == 1
        assert len({row["panel"] for row in pair}) == 2


def test_panels_stand_in_units_that_nothing_else_has() -> None:
    plan = hall("cabling.patch.uplinks.at=rack").plan
    assert plan.patching is not None
    held = Counter()
    for cls in plan.devices.classes:
        for unit in range(cls.profile.rack_units):
            held.update(
                zip(plan.devices.rack[cls.rows].tolist(), (plan.devices.u[cls.rows] + unit).tolist(), strict=True)
            )
    own = list(zip(plan.patching.panels.rack.tolist(), plan.patching.panels.u.tolist(), strict=True))
    held.update(own)
    assert {held[spot] for spot in own} == {1}
    assert all(1 <= u <= plan.racks.units[rack] for rack, u in own)


@pytest.mark.parametrize("at", ["rack", "row-end"])
def test_a_unit_within_the_reserve_moves_no_trunk_panel_or_jumper(at: str) -> None:
    sets = (f"cabling.patch.uplinks.at={at}",)
    for part in (trunks, panels, patches):
        before = {tuple(row.values()) for row in rows(part, hall(*sets))}
        after = {tuple(row.values()) for row in rows(part, hall(*sets, "pods.p1.su=3"))}
        assert before < after


def test_without_a_policy_no_file_is_written_and_no_cable_is_in_pieces() -> None:
    plain = example_cluster("leaf-spine")
    assert plain.plan.patching is None
    assert [rows(part, plain) for part in (trunks, panels, patches)] == [[], [], []]
    assert not any(" + " in row["part"] for row in rows(cables, plain))


def test_cables_inside_a_rack_and_copper_stay_direct(design_of: Callable[..., Design]) -> None:
    made = build_cluster(design_of(FLOOR + "cabling: {copper_to_m: 0, patch: {all: {at: row-end}}}"))
    direct = [row for row in rows(cables, made) if row["fabric"] == "compute" and " + " not in row["part"]]
    plan, patching = made.plan, made.plan.patching
    assert patching is not None
    row_of = dict(zip(plan.racks.names, plan.racks.row.tolist(), strict=True))
    assert direct
    assert all(row_of[row["a_rack"]] == row_of[row["b_rack"]] for row in direct)
    copper = build_cluster(design_of(FLOOR + "cabling: {prefer: [DAC, AEC], patch: {all: {}}}", ("floor.tray_m=0.4",)))
    assert copper.plan.patching is not None
    of_copper = np.array([m.medium in ("DAC", "AEC", "COPPER") for m in copper.plan.cables.media])
    of_copper = of_copper[copper.plan.cables.medium]
    assert of_copper.any()
    assert (copper.plan.patching.policy[of_copper] == -1).all()


def test_the_medium_is_chosen_for_the_channel_and_not_for_the_way(design_of: Callable[..., Design]) -> None:
    # 38 m of way need no more than 40 m of SR fibre; with 10 m of jumpers and a 40 m trunk SR's 50 m do not suffice.
    far = FLOOR + "floor: {tray_m: 1.2, row_pitch_m: 26, racks_per_row: 3}\n"
    policy = "cabling: {patch: {up: {between: leaf-spine}}}"
    direct, patched = (build_cluster(design_of(text)) for text in (far, far + policy))
    taken = [
        {
            row["medium"]
            for row in rows(cables, made)
            if "compute-spine" in row["b_device"] and float(row["length_m"]) > 40
        }
        for made in (direct, patched)
    ]
    assert "DR" in taken[1]
    assert patched.plan.cables.reaches.all()
    own = patched.plan.patching.policy >= 0
    reach = np.array([m.reach_m for m in patched.plan.cables.media])[patched.plan.cables.medium]
    assert (patched.plan.cables.length_m[own] <= reach[own]).all()


@pytest.mark.parametrize(
    ("panel", "trunk", "jumpers", "wrong"),
    [
        ("mpo-apc-72", "B", "BB", ""),
        ("mpo-apc-72", "A", "AB", ""),
        ("mpo-apc-72", "A", "BA", ""),
        ("mpo-apc-72", "A", "AA", "position 1 arrives at 1, where 12 listens"),
        ("mpo-apc-72", "B", "AB", "position 1 arrives at 1, where 12 listens"),
        ("mpo-apc-72", "C", "BB", "position 1 arrives at 2, where 12 listens"),
        ("lc-72", "B", "BB", ""),
        ("lc-72", "A", "AB", "port 1 of both cassettes joins transmitter to transmitter"),
        ("lc-72", "C", "BB", "port 1 of a cassette comes out at port 2"),
    ],
)
def test_light_is_followed_from_transmitter_to_receiver(panel: str, trunk: str, jumpers: str, wrong: str) -> None:
    found = explain_polarity_fault(CATALOG.panel(panel), trunk, tuple(jumpers))
    assert (wrong in found) if wrong else found == ""


def test_aligned_adapters_cross_twice_and_so_change_no_parity() -> None:
    aligned = CATALOG.panel("mpo-72").model_copy(update={"adapter": "B"})
    assert explain_polarity_fault(aligned, "B", ("B", "B")) == ""
    assert explain_polarity_fault(aligned, "A", ("A", "A")) != ""


def test_connectors_mate_by_face_pins_and_keys() -> None:
    apc, flat = CATALOG.panel("mpo-apc-72"), CATALOG.panel("mpo-72")
    trunk = next(t for t in CATALOG.trunks if t.id == "mpo8-os2")
    assert explain_mismatch("MPO-12/APC", apc, trunk) == ""
    assert "MPO-12 in front" in explain_mismatch("MPO-12/APC", flat, trunk)
    assert "no trunk" in explain_mismatch("MPO-12/APC", apc, None)
    assert "sockets" in explain_mismatch("MPO-12/APC", apc, trunk.model_copy(update={"pinned": False}))
    assert "angles" in explain_mismatch("MPO-12/APC", apc.model_copy(update={"adapter": "B"}), trunk)


def test_positions_of_trunks_keep_room_for_units_to_come() -> None:
    # Places: 0 is shared, 1 to 3 are the only racks of units 0, 1 and 4; each has two trunks to the shared one.
    column = np.array([-1, 0, 1, 4], dtype=np.int32)
    none = np.zeros(4, dtype=np.int32)
    places = PatchLocations(("net", "a", "b", "c"), column, none, none, none)
    far, number = np.repeat([1, 2, 3], 2).astype(np.int32), np.tile([0, 1], 3).astype(np.int32)
    at_shared = order_terminations(places, np.zeros(6, dtype=np.int32), np.zeros(6, dtype=np.int32), far, number)
    assert at_shared.tolist() == [0, 1, 2, 3, 8, 9]
    at_units = order_terminations(places, np.zeros(6, dtype=np.int32), far, np.zeros(6, dtype=np.int32), number)
    assert at_units.tolist() == [0, 1, 0, 1, 0, 1]


def test_racks_and_panels_of_two_sites_have_names_of_their_own() -> None:
    made = example_cluster("two-site", "cabling.patch.all.at=row-end")
    assert made.plan.patching is not None
    assert len(set(made.plan.racks.names)) == len(made.plan.racks)
    names = [row["panel"] for row in rows(panels, made)]
    assert len(set(names)) == len(names) == len(made.plan.patching.panels)
    site = dict(zip(made.plan.racks.names, made.plan.racks.site.tolist(), strict=True))
    assert all(site[row["a_rack"]] == site[row["b_rack"]] for row in rows(trunks, made))


def test_far_ends_of_a_splitter_share_the_port_that_it_is_plugged_into() -> None:
    made = example_cluster("multi-plane", "cabling.patch.all.at=row-end")
    by_port: dict[tuple[str, str], set[tuple[str, str]]] = defaultdict(set)
    for row in rows(patches, made):
        by_port[row["panel"], row["port"]].add((row["cable"], row["part"]))
    assert {len(jumpers) for jumpers in by_port.values()} == {1}


def test_legs_to_several_racks_split_at_the_common_end_and_have_a_jumper_each(design_of: Callable[..., Design]) -> None:
    split = """
name: split
scalable_unit: {nodes: 4 x dgx-a100, racks: {nodes_per_rack: 1}}
fabrics:
  compute: {protocol: roce, tiers: {leaf: {switch: sn4700, per: [su, rail]}, spine: {switch: sn4700, count: 2}}}
cabling: {copper_to_m: 0, patch: {all: {between: node-leaf}}}
"""
    made = build_cluster(design_of(split))
    part = {row["cable"]: row["part"] for row in rows(cables, made)}["compute-leaf-p1-su01-r1-01:1"]
    straight = "fibre-mmf-om4-mpo-16-apc-3m"
    assert part == f"{straight} + {straight} + fibre-mmf-om4-mpo-16-apc-1x2-1m"


LISTED = ("cabling.products=[nvidia-linkx, generic]",)


def test_jumpers_are_ordered_by_part_numbers_in_lengths_that_are_sold() -> None:
    jumpers = Counter()
    for row in {r["cable"]: r for r in rows(cables, hall(*LISTED))}.values():
        jumpers.update(row["part"].split(" + ") if " + " in row["part"] else ())
    assert {part for part, _ in (part.rsplit("-", 1) for part in jumpers)} == {"MFP7E10", "2x MFP7E10"}
    assert jumpers.total() == 2 * (256 + 128)
    bill = {row["part"]: int(row["quantity"]) for row in rows(bom, hall(*LISTED))}
    assert {part: bill[part] for part in jumpers} == jumpers
    sold = {"N003": 3, "N005": 5, "N007": 7, "N010": 10, "N015": 15}
    for row in rows(patches, hall(*LISTED)):
        assert float(row["length_m"]) == sold[row["part"].rpartition("-")[2]]


def test_a_jumper_whose_type_no_list_has_is_told_and_keeps_a_generic_part() -> None:
    made = hall(*LISTED, "cabling.patch.nodes.jumpers=[A, B]")
    first = {row["part"].split(" + ")[0] for row in rows(cables, made) if " + " in row["part"]}
    assert "fibre-mmf-om4-mpo-12-apc-type-a-3m" in first
    found = [d.message for d in PartNotListed().check(made)]
    assert found == [
        "256 compute node-leaf jumpers: no product list has straight fibre MMF-OM4, MPO-12/APC of type A, for sr8-100g"
    ]
    assert not list(PartNotListed().check(hall(*LISTED)))


def test_racks_of_panels_alone_are_bought() -> None:
    assert {r["part"]: r["quantity"] for r in rows(bom, hall())}["rack-48u"] == str(len(hall().plan.racks)) == "14"


TWO_HALLS = """
name: halls
scalable_unit: {nodes: 8 x xe9680-h200, racks: {nodes_per_rack: 4}}
pods: {p1: {su: 4}}
fabrics:
  compute:
    protocol: roce
    tiers: {leaf: {switch: z9864f, per: su}, spine: {switch: z9864f, count: 2}}
  storage:
    protocol: roce
    attach: frontend
    tiers: {leaf: {switch: z9864f, per: su}, spine: {switch: z9864f, count: 2}}
floor: {halls: {a: {rows: 1, racks_per_row: 9, at_m: [0, 0]}, b: {rows: 1, racks_per_row: 9, at_m: [0, 20]}}}
cabling: {copper_to_m: 0, patch: {
  one: {fabrics: compute, across: hall, at: row-end},
  two: {fabrics: storage, across: hall, at: row-end}}}
"""


def test_panels_may_be_for_links_between_halls_alone(design_of: Callable[[str], Design]) -> None:
    """A policy took all that left a rack or a row: who wanted panels between two rooms had them inside both."""
    made = build_cluster(design_of(TWO_HALLS))
    racks, devices, links = made.plan.racks, made.plan.devices, made.plan.links
    link = made.plan.cables.end_link
    between = racks.hall[devices.rack[links.a_device[link]]] != racks.hall[devices.rack[links.b_device[link]]]
    assert made.plan.patching is not None
    assert 0 < between.sum() < len(between)
    assert ((made.plan.patching.policy >= 0)[made.plan.cables.end_cable] == between).all()
    # both policies have their panels in one rack a hall, each in units of its own
    standing = [(row["rack"], row["u"]) for row in rows(panels, made)]
    assert len(set(standing)) == len(standing)
    assert {row["rack"] for row in rows(panels, made)} == {"patch-one-a-row01-01", "patch-one-b-row01-01"}
    assert {row["policy"] for row in rows(panels, made)} == {"one", "two"}

"""Comparison of two sides: nothing where nothing changed, and each change under its name, with exact numbers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabricgen.diff.cables import ChangedCables, compare_cables, compare_optics, list_cables
from fabricgen.diff.compare import DEVICE_CHANGES, LINK_CHANGES, ClusterChange, Side, compare_addresses, compare_sides
from fabricgen.diff.fail_on import matches_any
from fabricgen.diff.listing import COLUMNS, Listing
from fabricgen.diff.matching import match_rows
from fabricgen.diff.renaming import NAME
from fabricgen.diff.sessions import SESSION_CHANGES, compare_sessions, list_sessions
from fabricgen.views.model.routing import model_bgp
from tests.diff.conftest import changed, cluster_of, compiled, side_of

Changing = Callable[[str, tuple[str, ...], tuple[str, ...]], ClusterChange]

ALL = ("leaf-spine", "nvl72-gb200", "superpod-b200", "superpod-b300", "mixed-speeds", "collapsed-pair")
LEAF = "compute-leaf-p1-su01-r1-01"
LISTS = side_of("leaf-spine").lists


def against(lists: object) -> ClusterChange:
    return compare_sides(Side("old", LISTS), Side("new", lists))  # type: ignore[arg-type]


def row(name: str, **where: str) -> int:
    listing = getattr(LISTS, name)
    return next(i for i in range(len(listing)) if all(listing[key][i] == value for key, value in where.items()))


def counts(change: ClusterChange) -> dict[str, dict[str, int]]:
    found = {kind: {k: n for k, n in d.counts().items() if n and k != "changed"} for kind, d in change.deltas.items()}
    return {kind: ways for kind, ways in found.items() if ways}


def test_a_splitter_may_have_legs_of_a_carrier_and_of_what_it_carries() -> None:
    """A cable belongs to all fabrics of its legs, in whatever order these are listed."""
    fabrics = ["storage", "inband", "storage", "inband"]
    legs = Listing.of({name: ["x"] * 4 if name != "fabric" else fabrics for name in COLUMNS["cables"]})
    assert list_cables(legs)["fabric"].tolist() == ["inband + storage"]
    assert not compare_cables(list_cables(legs), list_cables(legs.pick_rows(np.array([3, 2, 1, 0]))))
    alone = list_cables(legs.pick_rows(np.array([0, 2])))
    assert compare_cables(list_cables(legs), alone).counts()["reassigned"] == 1


@pytest.mark.slow
@pytest.mark.parametrize("name", ALL)
def test_the_same_blueprint_makes_no_difference(name: str) -> None:
    from fabricgen.cli.sides import make_lists

    change = compare_sides(side_of(name), Side("again", make_lists(compiled(name), {}), side_of(name).shape))
    assert not change
    assert counts(change) == {}
    assert change.bom is not None
    assert change.bom.parts == ()


@pytest.mark.parametrize("name", ALL)
def test_every_row_of_the_plan_is_listed(name: str) -> None:
    plan, change = cluster_of(name).plan, compare_sides(side_of(name), side_of(name))
    assert len(change.devices.new) == len(plan.devices)
    assert len(change.links.new) == len(plan.links)
    cables = list_cables(side_of(name).lists.cables)
    assert len(cables) == len(plan.cables)
    assert sum(map(len, cables["ends"])) == len(plan.cables.end_cable)


def test_every_column_that_is_compared_has_a_way_to_change() -> None:
    of_devices = [field for about in DEVICE_CHANGES.values() for field in about]
    assert sorted([*of_devices, "device"]) == sorted([*COLUMNS["devices"], NAME])
    of_links = [field for about in LINK_CHANGES.values() for field in about]
    assert sorted([*of_links, "a_device", "a_port"]) == sorted(COLUMNS["links"])
    of_sessions = {field for about in SESSION_CHANGES.values() for field in about} | {"a_device", "a_port"}
    assert of_sessions == set(list_sessions(LISTS, np.arange(len(LISTS.links))).columns)


@pytest.mark.tenth
@pytest.mark.parametrize(
    "name", ["leaf-spine", "superpod-b300", "two-site", "superpod-b200", "collapsed-pair", "four-tier"]
)
def test_sessions_are_those_that_configurations_have(name: str) -> None:
    cluster = cluster_of(name)
    lists = side_of(name).lists
    listed = list_sessions(lists, np.arange(len(lists.links)))
    ends = {
        *zip(listed["a_device"], listed["a_port"], strict=True),
        *zip(listed["b_device"], listed["b_port"], strict=True),
    }
    rendered = {
        (v.name, p.port) for v in cluster.switches() if v.asn for p in model_bgp(v)[""].peers.values() if not p.is_exit
    }
    assert ends == rendered


def test_what_is_set_aside_as_alike_has_not_changed() -> None:
    apart = "floor.network_join=false"  # so that no switch moves
    sides = side_of("superpod-b200", apart), side_of("superpod-b200", apart, "pods.p1.su=3")
    found, (old, new) = compare_sides(*sides), (side.lists for side in sides)
    rerouted = set(old.links["cable"][found.links.find_changed("moved")[0]])
    whole = compare_cables(list_cables(old.cables), list_cables(new.cables), rerouted)
    sessions = [list_sessions(lists, np.arange(len(lists.links))) for lists in (old, new)]
    everything = ChangedCables(np.arange(len(old.cables)), np.arange(len(new.cables)), frozenset(old.cables["cable"]))
    optics = compare_optics(old.cables, new.cables, everything)
    for kind, few, all_ in (
        ("cables", found.cables, whole),
        ("sessions", found.sessions, compare_sessions(*sessions)),
        ("optics", found.optics, optics),
    ):
        assert few.counts() == all_.counts(), kind
        assert 0 < len(few.old) < len(all_.old), kind


@pytest.mark.parametrize(
    ("cells", "devices", "sessions"),
    [
        ({"rack": "elsewhere"}, "moved", {"device-moved": 4}),
        ({"u": "40"}, "moved", {"device-moved": 4}),
        ({"mgmt": "10.9.9.9"}, "renumbered", {}),
        ({"asn": "64512"}, "renumbered", {"other-asn": 4}),
        ({"loopback": "10.9.9.9"}, "renumbered", {"other-router-id": 4}),
        ({"model": "sn5600"}, "replaced", {"device-replaced": 4}),
        ({"nos": "eos"}, "replaced", {"device-replaced": 4}),
        ({"rail": "7"}, "reassigned", {}),
    ],
)
def test_a_device_changes_by_field(cells: dict[str, str], devices: str, sessions: dict[str, int]) -> None:
    change = against(changed(LISTS, "devices", row("devices", device=LEAF), **cells))
    expected = {"devices": {devices: 1}} | ({"sessions": sessions} if sessions else {})
    assert counts(change) == expected


@pytest.mark.parametrize(
    ("cells", "way", "session"),
    [
        ({"b_device": "compute-spine-04"}, "moved", "moved"),
        ({"b_port": "Ethernet248"}, "moved", "moved"),
        ({"a_ip": "10.9.9.9/31"}, "renumbered", "readdressed"),
        ({"speed_gbps": "200"}, "other-speed", "other-speed"),
        ({"cable": "another"}, "other-cable", "recabled"),
    ],
)
def test_a_link_changes_by_field_and_its_session_flaps(cells: dict[str, str], way: str, session: str) -> None:
    change = against(changed(LISTS, "links", row("links", a_device=LEAF, b_device="compute-spine-01"), **cells))
    assert counts(change) == {"links": {way: 1}, "sessions": {session: 1}}
    assert len(change.sessions.was) == 1


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ({"b_device": "compute-spine-04"}, {"cables": {"moved": 1}, "optics": {"removed": 1, "swapped": 0}}),
        ({"b_cage": "31"}, {"cables": {"re-terminated": 1}, "optics": {"removed": 1, "added": 1}}),
        ({"length_m": "99"}, {"cables": {"other-length": 1}}),
        ({"medium": "LPO"}, {"cables": {"other-medium": 1}}),
        ({"part": "x"}, {"cables": {"other-part": 1}, "sessions": {"recabled": 1}}),
        ({"label_b": "x"}, {"cables": {"relabelled": 1}}),
        ({"fabric": "x"}, {"cables": {"reassigned": 1}}),
        ({"b_transceiver": "x"}, {"optics": {"swapped": 1}, "sessions": {"recabled": 1}}),
    ],
)
def test_a_cable_changes_by_field(cells: dict[str, str], expected: dict[str, dict[str, int]]) -> None:
    change = against(changed(LISTS, "cables", row("cables", a_device=LEAF, b_device="compute-spine-01"), **cells))
    expected = {kind: {way: n for way, n in ways.items() if n} for kind, ways in expected.items()}
    assert counts(change) == expected


def test_legs_of_a_breakout_come_and_go() -> None:
    cables = LISTS.cables
    names = cables["cable"].tolist()
    first = next(i for i, name in enumerate(names) if names.count(name) > 1)
    keep = np.array([i for i in range(len(cables)) if i != first], dtype=np.int64)
    from dataclasses import replace

    fewer = replace(LISTS, cables=cables.pick_rows(keep))
    assert counts(against(fewer)) == {"cables": {"leg-removed": 1}}
    back = compare_sides(Side("old", fewer), Side("new", LISTS))
    assert counts(back) == {"cables": {"leg-added": 1}}


def test_a_switch_that_starts_to_speak_adds_sessions() -> None:
    silent = changed(LISTS, "devices", row("devices", device=LEAF), asn="")
    assert counts(against(silent))["sessions"] == {"removed": 4}
    assert counts(compare_sides(Side("old", silent), Side("new", LISTS)))["sessions"] == {"added": 4}


def test_growth_within_the_reserve_only_adds(change: Changing) -> None:
    grown = change("leaf-spine", ("pods.p1.reserve=4",), ("pods.p1.reserve=4", "pods.p1.su=3"))
    assert counts(grown) == {
        "devices": {"added": 6},
        "cables": {"added": 12},
        "optics": {"added": 16},
        "links": {"added": 16},
        "addresses": {"added": 36},
        "sessions": {"added": 8},
    }
    assert grown.reasons == ("scalable units: p1 2 -> 3; nodes: 8 -> 12", "compute leaf: 4 -> 6 groups of 1 switch")
    assert {row[0]: row[1:] for row in grown.spare_ports()} == {
        ("compute", "leaf"): ((56, 52, 208, 52), (56, 52, 312, 52)),
        ("compute", "spine"): ((32, 28, 112, 24), (32, 26, 104, 24)),
    }


def test_an_omitted_node_takes_its_links_along(change: Changing) -> None:
    gone = change("superpod-b300", (), ('omit=["p1/su-1/node-2"]',))
    assert [gone.devices.old["device"][i] for i in gone.devices.removed] == ["p1-su01-n002"]
    assert counts(gone)["devices"] == {"removed": 1}
    assert not gone.sessions


def test_more_spines_spread_the_uplinks_anew_and_say_why(change: Changing) -> None:
    grown = change("superpod-b300", ("pods.p1.su=4",), ("pods.p1.su=5",))
    assert counts(grown)["links"] == {"added": 2164, "moved": 2048}
    assert counts(grown)["devices"] == {"added": 114, "moved": 2}
    assert len(grown.sessions.was) == 2048 + 16  # and cables of out-of-band uplinks, whose spines stand elsewhere
    assert grown.reasons == (
        "scalable units: p1 4 -> 5; nodes: 256 -> 320",
        "compute leaf: 64 -> 80 groups of 1 switch; links of each to each spine 4 -> 2",
        (
            "compute spine: 16 -> 32 switches in each of 2 groups (40 leaf x 64 uplinks ask a group for 2,560 ports, "
            "16 switches have 2,048): of 4,096 links up to it, 2,048 move"
        ),
        "oob leaf: 4 -> 5 groups of 2 switches",
    )


@pytest.mark.slow
def test_a_cable_that_becomes_a_breakout_to_a_new_spine_is_moved(change: Changing) -> None:
    grown = change("superpod-b300", ("pods.p1.su=8",), ("pods.p1.su=9",))
    assert counts(grown)["links"]["moved"] == 4096
    assert counts(grown)["cables"]["moved"] == 4096
    assert "leg-added" not in counts(grown)["cables"]
    assert matches_any(grown, ("moved-cable",))


def test_a_stated_count_is_said_to_be_stated(change: Changing) -> None:
    spines = "fabrics.compute.tiers.spine.count"
    more = change("leaf-spine", (f"{spines}=2",), (f"{spines}=4",))
    assert any("compute spine: 2 -> 4 switches (stated)" in reason for reason in more.reasons)


def test_an_omitted_slot_that_counts_from_the_last_is_named(change: Changing) -> None:
    omit = 'omit=["p1/su-last/node-last"]'
    grown = change("leaf-spine", (omit,), (omit, "pods.p1.su=3"))
    assert (
        "omit p1/su-last/node-last: was p1/su-2/node-4, is p1/su-3/node-4; what counts from the last moves with growth"
        in grown.reasons
    )


def test_the_bill_of_materials_differs_by_pieces_cost_and_power(change: Changing) -> None:
    old, new = side_of("leaf-spine"), side_of("leaf-spine", "pods.p1.su=3", 'spares.switches="50%"')
    bom = compare_sides(old, new, {"sn4700": 1000.0, "generic-server": 5.5}).bom
    assert bom is not None
    switch = next(row for row in bom.parts if row.part == "sn4700")
    assert (switch.old_quantity, switch.new_quantity, switch.old_bought, switch.new_bought) == (8, 10, 8, 15)
    assert (bom.old_cost, bom.new_cost, bom.cost) == (8044.0, 15066.0, 7022.0)
    assert bom.power_w == 4660.0, "four servers of 800 W, two SN4700 of 630 W, and their optics"
    assert compare_sides(old, new).bom.cost is None  # type: ignore[union-attr]


def addresses(*rows: tuple[str, str, str, str]) -> Listing:
    return Listing.of(dict(zip(COLUMNS["addresses"], zip(*rows, strict=True), strict=True)))


def test_addresses_of_either_family_change_where_they_are_set() -> None:
    old = addresses(
        ("10.0.0.1/31", "link", "a", "e1"), ("fd00::1/127", "link", "a", "e1"), ("10.0.0.9/32", "loopback", "b", "lo")
    )
    new = addresses(
        ("fd00::5/127", "link", "a", "e1"), ("10.0.0.1/31", "link", "a", "e1"), ("fd00::9/128", "loopback", "b", "lo")
    )
    delta = compare_addresses(old, new)
    assert {k: n for k, n in delta.counts().items() if n} == {"added": 1, "removed": 1, "changed": 1, "renumbered": 1}
    assert (delta.old["prefix"][delta.was[0]], delta.new["prefix"][delta.now[0]]) == ("fd00::1/127", "fd00::5/127")


def test_rows_come_sorted(change: Changing) -> None:
    grown = change("superpod-b300", ("pods.p1.su=4",), ("pods.p1.su=5",))
    for delta in grown.deltas.values():
        for side, rows in ((delta.old, delta.removed), (delta.new, delta.added), (delta.old, delta.was)):
            keys = list(zip(*(side[key][rows].tolist() for key in delta.keys), strict=True))
            assert keys == sorted(keys)


Cells = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xyz")), max_size=12)


@given(Cells, Cells)
def test_matching_agrees_with_counting(old: list[tuple[str, str]], new: list[tuple[str, str]]) -> None:
    from collections import Counter

    sides = [Listing.of({"k": [a for a, _ in rows], "v": [b for _, b in rows]}) for rows in (old, new)]
    gone, come, was, now = match_rows([(sides[0]["k"], sides[1]["k"]), (sides[0]["v"], sides[1]["v"])])
    assert Counter(old[i] for i in gone) == Counter(old) - Counter(new)
    assert Counter(new[i] for i in come) == Counter(new) - Counter(old)
    assert [old[i] for i in was] == [new[i] for i in now]


def test_long_lists_are_matched_across_blocks_that_come_and_go() -> None:
    names = [f"d{i}" for i in range(9000)]
    old = names[:1500] + names[2500:8000]
    new = names[:5000] + names[6000:7000] + names[:-2001:-1]
    gone, come, was, now = match_rows([(Listing.of({"k": old})["k"], Listing.of({"k": new})["k"])])
    assert {old[i] for i in gone} == set(old) - set(new)
    assert {new[i] for i in come} == set(new) - set(old)
    assert [old[i] for i in was] == [new[i] for i in now]
    assert len(was) == len(set(old) & set(new))

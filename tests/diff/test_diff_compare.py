"""Comparison of compiled clusters: nothing where nothing changed, and each change under its name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from fabricgen.cluster import Cluster
from fabricgen.diff.compare import (
    CABLE_CHANGES,
    DEVICE_CHANGES,
    LINK_CHANGES,
    SESSION_CHANGES,
    Change,
    SessionFacts,
    compare,
    sessions,
)
from fabricgen.diff.inventory import CableFacts, DeviceFacts, Inventory, LinkFacts, from_cluster

Compile = Callable[..., Cluster]
Facts = Callable[..., Inventory]
Changing = Callable[[str, tuple[str, ...], tuple[str, ...]], Change]

ALL = ("leaf-spine", "nvl72-gb200", "superpod-b200", "superpod-b300")
LEAF = "compute-leaf-p1-su01-r1-01"


@pytest.mark.parametrize("name", ALL)
def test_the_same_blueprint_makes_no_difference(inventory: Facts, fresh: Compile, name: str) -> None:
    change = compare(inventory(name), from_cluster(fresh(name)))
    assert not change
    assert not change.sessions


@pytest.mark.parametrize("name", ALL)
def test_every_row_of_the_plan_is_a_fact(inventory: Facts, cluster: Compile, name: str) -> None:
    plan, facts = cluster(name).plan, inventory(name)
    assert len(facts.devices) == len(plan.devices)
    assert len(facts.links) == len(plan.links)
    assert len(facts.cables) == len(plan.cables)
    assert sum(len(c.ends) for c in facts.cables.values()) == len(plan.cables.end_cable)


@pytest.mark.parametrize(
    ("ways", "facts"),
    [
        (DEVICE_CHANGES, DeviceFacts),
        (LINK_CHANGES, LinkFacts),
        (CABLE_CHANGES, CableFacts),
        (SESSION_CHANGES, SessionFacts),
    ],
)
def test_every_field_that_is_compared_has_a_way_to_change(
    ways: dict[str, tuple[str, ...]], facts: type[DeviceFacts]
) -> None:
    assert sorted(field for about in ways.values() for field in about) == sorted(facts._fields)


def test_growth_within_the_reserve_only_adds(change: Changing) -> None:
    grown = change("leaf-spine", ("pods.p1.reserve=4",), ("pods.p1.reserve=4", "pods.p1.su=3"))
    assert (len(grown.devices.added), len(grown.links.added)) == (4 + 2, 4 * 2 + 2 * 4)
    for delta in (grown.devices, grown.links, grown.cables, grown.sessions):
        assert not delta.removed
        assert not delta.changed


def test_growth_of_a_superpod_leaves_its_compute_fabric_alone(change: Changing) -> None:
    grown = change("superpod-b300", ("pods.p1.su=3",), ("pods.p1.su=4",))
    assert len([d for _, d in grown.devices.added if d.tier == "node"]) == 64
    assert not any((grown.devices.removed, grown.links.removed, grown.cables.removed, grown.sessions.removed))
    assert not grown.devices.changed_as("moved")
    assert not [key for key, old, _ in grown.links.changed if old.fabric == "compute"]
    assert not [key for key, old, _ in grown.cables.changed if old.fabric == "compute"]
    assert not grown.sessions.changed


def test_growth_of_a_superpod_only_adds(change: Changing) -> None:
    grown = change("superpod-b300", ("pods.p1.su=3",), ("pods.p1.su=4",))
    assert not grown.links.changed_as("moved")
    assert not grown.links.changed_as("renumbered")
    assert not grown.devices.changed_as("renumbered")


def test_more_spines_spread_the_uplinks_anew(change: Changing, cluster: Compile, inventory: Facts) -> None:
    def spines(*sets: str) -> int:
        fabric = cluster("superpod-b300", *sets).design.fabric("compute")
        return fabric.tier("spine").switches

    old, new = ("pods.p1.su=4",), ("pods.p1.su=5",)
    assert spines(*new) == 2 * spines(*old)
    grown = change("superpod-b300", old, new)
    before, after = (inventory("superpod-b300", *sets).links for sets in (old, new))
    elsewhere = {
        key for key, link in before.items() if (link.b_device, link.b_port) != (after[key].b_device, after[key].b_port)
    }
    moved = grown.links.changed_as("moved")
    assert {key for key, _, _ in moved} == elsewhere
    uplinks = {key for key, old_, _ in moved if "leaf" in key[0] and "spine" in old_.b_device}
    every = {key for key, link in before.items() if "compute-leaf" in key[0] and "spine" in link.b_device}
    assert len(every) == 4 * 16 * 64
    assert len(every) * 0.95 < len(uplinks & every) < len(every)
    assert {key for key, _, _ in grown.sessions.changed_as("reset")} >= uplinks


def test_an_omitted_node_takes_its_links_along(change: Changing, inventory: Facts) -> None:
    gone = "p1-su01-n002"
    change_ = change("superpod-b300", (), ('omit=["p1/su-1/node-2"]',))
    assert [name for name, _ in change_.devices.removed] == [gone]
    assert not change_.devices.added
    its_own = sorted(key for key in inventory("superpod-b300").links if key[0] == gone)
    assert [key for key, _ in change_.links.removed] == its_own
    assert {cable.partition(":")[0] for cable, _ in change_.cables.removed} <= {gone}
    assert not change_.sessions


@pytest.mark.parametrize("name", ALL)
def test_a_session_joins_two_switches_of_one_fabric(inventory: Facts, name: str) -> None:
    facts = inventory(name)
    for (device, _), session in sessions(facts).items():
        ends = (facts.devices[device], facts.devices[session.b_device])
        assert {end.fabric for end in ends} == {session.fabric}
        assert None not in (session.a_asn, session.b_asn)
        assert "node" not in {end.tier for end in ends}


def test_management_ports_and_infiniband_carry_no_session(inventory: Facts) -> None:
    assert len(sessions(inventory("leaf-spine"))) == 4 * 4
    fabrics = {session.fabric for session in sessions(inventory("superpod-b200")).values()}
    assert fabrics == {"storage", "inband", "oob"}
    oob = [key for key, session in sessions(inventory("superpod-b200")).items() if session.fabric == "oob"]
    assert oob
    assert all(device.startswith("oob-") for device, _ in oob)


def with_device(facts: Inventory, name: str, **fields: object) -> Inventory:
    return replace(facts, devices=facts.devices | {name: facts.devices[name]._replace(**fields)})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("fields", "way", "flap"),
    [
        ({"rack": "elsewhere"}, "moved", 0),
        ({"u": 40}, "moved", 0),
        ({"mgmt": "10.9.9.9"}, "renumbered", 0),
        ({"asn": 64512}, "renumbered", 4),
        ({"loopback": "10.9.9.9"}, "renumbered", 4),
        ({"model": "sn5600"}, "replaced", 0),
        ({"nos": "eos"}, "replaced", 0),
    ],
)
def test_a_device_changes_by_field(inventory: Facts, fields: dict[str, object], way: str, flap: int) -> None:
    old = inventory("leaf-spine")
    change = compare(old, with_device(old, LEAF, **fields))
    counts = change.devices.counts()
    assert (counts["changed"], counts[way]) == (1, 1)
    assert [key for key, _, _ in change.devices.changed_as(way)] == [LEAF]
    assert sum(counts.values()) == 2
    assert len(change.sessions) == len(change.sessions.changed_as("reset")) == flap


@pytest.mark.parametrize(
    ("fields", "way"),
    [
        ({"b_device": "compute-spine-04"}, "moved"),
        ({"b_port": "Ethernet248"}, "moved"),
        ({"a_ip": "10.9.9.9/31"}, "renumbered"),
        ({"speed_gbps": 200}, "other-speed"),
    ],
)
def test_a_link_changes_by_field_and_its_session_flaps(inventory: Facts, fields: dict[str, object], way: str) -> None:
    old = inventory("leaf-spine")
    key = next(key for key, link in old.links.items() if key[0] == LEAF and link.b_device == "compute-spine-01")
    new = replace(old, links=old.links | {key: old.links[key]._replace(**fields)})  # type: ignore[arg-type]
    change = compare(old, new)
    assert change.links.counts() | {"changed": 1, way: 1} == change.links.counts()
    assert sum(change.links.counts().values()) == 2
    assert [row[0] for row in change.sessions.changed] == [key]


@pytest.mark.parametrize(
    ("fields", "way"),
    [
        ({"ends": (("a", "1", "b", "1"),)}, "re-terminated"),
        ({"length_m": 99}, "other-length"),
        ({"medium": "LPO"}, "other-medium"),
    ],
)
def test_a_cable_changes_by_field(inventory: Facts, fields: dict[str, object], way: str) -> None:
    old = inventory("leaf-spine")
    cable = next(iter(old.cables))
    new = replace(old, cables=old.cables | {cable: old.cables[cable]._replace(**fields)})  # type: ignore[arg-type]
    change = compare(old, new)
    assert change
    assert [row[0] for row in change.cables.changed_as(way)] == [cable]
    assert sum(change.cables.counts().values()) == 2
    assert not change.sessions


def test_a_switch_that_starts_to_speak_adds_sessions(inventory: Facts) -> None:
    new = inventory("leaf-spine")
    old = with_device(new, LEAF, asn=None)
    assert len(compare(old, new).sessions.added) == 4
    assert len(compare(new, old).sessions.removed) == 4


def test_rows_come_sorted(change: Changing) -> None:
    grown = change("superpod-b300", ("pods.p1.su=4",), ("pods.p1.su=5",))
    for delta in (grown.devices, grown.links, grown.cables, grown.sessions):
        for rows in (delta.added, delta.removed, delta.changed):
            keys = [row[0] for row in rows]
            assert keys == sorted(keys)


def test_a_derived_spine_count_that_grows_moves_and_renumbers_no_device(inventory: Facts) -> None:
    change = compare(inventory("superpod-b300", "pods.p1.su=4"), inventory("superpod-b300", "pods.p1.su=5"))
    assert change.devices.added
    assert not change.devices.changed
    assert not change.devices.removed

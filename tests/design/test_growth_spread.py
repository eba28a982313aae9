"""Growth by scalable units: nothing moves while the spines stay; where they double, half of the uplinks move."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from fabricgen.blueprint.load import load_blueprint
from fabricgen.cluster import Cluster, build_cluster
from fabricgen.design.build import build_design
from fabricgen.design.fabric_model import Feed, TierKey, Uplink
from fabricgen.design.model import Design
from fabricgen.design.ports import PortRun
from fabricgen.design.sizing.spread import RunPorts, is_nested, list_uplink_ends
from fabricgen.kernel.diagnostics import InputError
from fabricgen.lint.engine import lint
from tests.conftest import BLUEPRINTS, example_cluster, example_design

KEY = TierKey("compute", "leaf")


Rows = dict[Any, tuple[Any, ...]]


class Facts(NamedTuple):
    """What is compared: devices by name, links by their lower end, cables by id."""

    devices: Rows
    links: Rows
    cables: Rows


def facts(cluster: Cluster) -> Facts:
    """Everything of a cluster that growth must leave alone; media and lengths of cables are not among it."""
    plan, a, names = cluster.plan, cluster.addresses, cluster.names
    links, classes = plan.links, plan.devices.classes
    devices = {
        name: (cls.fabric, cls.tier, cls.profile.id, plan.racks.names[rack], u, *numbers)
        for name, cls, rack, u, *numbers in zip(
            names,
            (classes[i] for i in plan.devices.device_class.tolist()),
            plan.devices.rack.tolist(),
            plan.devices.u.tolist(),
            a.asn.tolist(),
            a.loopback.tolist(),
            a.management.tolist(),
            strict=True,
        )
    }
    upper = [names[i] for i in links.b_device.tolist()]
    lower = [names[i] for i in links.a_device.tolist()]
    rows = zip(upper, cluster.b_port.tolist(), a.a_ip.tolist(), a.b_ip.tolist(), strict=True)
    ends: dict[str, set[tuple[Any, ...]]] = {}
    for cable, *end in zip(links.cable.tolist(), lower, cluster.cages[0], upper, cluster.cages[1], strict=True):
        if cable >= 0:
            ends.setdefault(cluster.cable_ids[cable], set()).add(tuple(end))
    return Facts(
        devices,
        dict(zip(zip(lower, cluster.a_port.tolist(), strict=True), rows, strict=True)),
        {cable: tuple(sorted(of)) for cable, of in ends.items()},
    )


def grown(name: str, before: int, after: int, *sets: str) -> tuple[Facts, Facts]:
    """What there was, and what there is after growth."""
    old, new = (facts(example_cluster(name, f"pods.p1.su={su}", *sets)) for su in (before, after))
    return old, new


def changed(old: Rows, new: Rows) -> Rows:
    """What was there and is gone, or another."""
    return {key: row for key, row in old.items() if new.get(key) != row}


def moved_by_leaf(old: Facts, new: Facts, fabric: str) -> dict[str, int]:
    """How many links upwards of each leaf of a fabric changed, after nothing else is found to have."""
    found = {name: 0 for name, row in old.devices.items() if row[:2] == (fabric, "leaf")}
    for key, was in changed(old.links, new.links).items():
        now = new.links[key]
        if old.devices[key[0]][1] == "node":
            continue  # UFM gives way in the slot omitted for it
        assert was[0] != now[0], "a link that stays keeps its ports"
        assert now[0] not in old.devices, "what moves goes to the new spines"
        assert was[2:] == now[2:]
        found[key[0]] += 1
    return found


@pytest.mark.parametrize(
    ("name", "before", "after", "sets"),
    [
        ("superpod-b300", 3, 4, ()),
        ("superpod-b300", 5, 8, ()),
        ("superpod-b200", 3, 4, ("omit=[]", "fabrics.compute.extra={}", "fabrics.oob.extra={}")),
    ],
)
def test_nothing_changes_while_the_spines_stay(name: str, before: int, after: int, sets: tuple[str, ...]) -> None:
    old, new = grown(name, before, after, *sets)
    assert not changed(old.devices, new.devices)
    assert not changed(old.links, new.links)
    assert not changed(old.cables, new.cables)
    assert len(old.links) < len(new.links)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "before", "after", "each"),
    [
        ("superpod-b300", 2, 3, 32),
        ("superpod-b300", 4, 5, 32),
        ("superpod-b300", 8, 9, 32),
        ("superpod-b300", 8, 16, 32),
        ("superpod-b200", 1, 2, 16),
        ("superpod-b200", 2, 3, 16),
    ],
)
def test_half_of_the_uplinks_move_where_the_spines_double(name: str, before: int, after: int, each: int) -> None:
    old, new = grown(name, before, after, "floor.network_join=false")
    assert not changed(old.devices, new.devices)
    assert set(moved_by_leaf(old, new, "compute").values()) == {each}
    # who shares a rack with these spines makes room for more of them, unless a lock keeps the rack: nobody else moves,
    # and they keep all but their places
    old, new = grown(name, before, after)
    spine_racks = {row[3] for row in old.devices.values() if row[:2] == ("compute", "spine")}
    for key, row in changed(old.devices, new.devices).items():
        assert row[3] in spine_racks
        assert row[:2] != ("compute", "spine")
        assert (*row[:3], *row[5:]) == (*new.devices[key][:3], *new.devices[key][5:])


def layout(
    uplinks: int, spines: int, lowers: int, ports: tuple[int, int, int]
) -> dict[tuple[int, int], tuple[int, int]]:
    """(rank, uplink) -> (spine, port) with (upper cages, ways, connectors); each spine port is used once."""
    cages, ways, connectors = ports
    links = -(-uplinks // spines)
    lower = PortRun(uplinks, 400, 100, 0, tuple(range(1, 1 + -(-uplinks // ways))), ways, connectors)
    upper = PortRun(links * lowers, 400, 100, 0, tuple(range(1, cages + 1)), ways, connectors)
    nested = is_nested(uplinks, spines, lower.links_per_connector, upper.links_per_connector)
    assert nested
    uplink = Uplink("compute", TierKey("compute", "spine"), 1, uplinks, spines, lowers, True, nested)
    at = RunPorts(upper, 0, [feed := Feed(KEY, 0, 0, links * lowers, links * lowers, links, nested)], ()).list_ports_of(
        feed
    )
    ends = list_uplink_ends(uplink, lower)
    found = {(r, port): (s, at[r * links + k]) for r in range(lowers) for port, (s, k) in enumerate(ends)}
    assert len(set(found.values())) == len(found)
    assert all(0 <= port < upper.capacity for _, port in found.values())
    return found


@pytest.mark.parametrize("ways", [(1, 1), (2, 1), (2, 2), (4, 1), (4, 2)])
@pytest.mark.parametrize("cages", [24, 60, 64])
@pytest.mark.parametrize(("uplinks", "spines"), [(64, 16), (32, 4), (24, 3), (48, 12), (8, 1)])
def test_other_radices_keep_half_in_place_too(uplinks: int, spines: int, cages: int, ways: tuple[int, int]) -> None:
    lowers = cages * ways[0] // (uplinks // spines)
    assert lowers
    before = layout(uplinks, spines, lowers, (cages, *ways))
    after = layout(uplinks, 2 * spines, 2 * lowers, (cages, *ways))
    moved = [end for end in before if before[end] != after[end]]
    assert len(moved) * 2 == len(before)
    assert all(after[end][0] >= spines for end in moved)


@pytest.mark.parametrize(("uplinks", "spines"), [(64, 16), (60, 16), (13, 4), (5, 1)])
@pytest.mark.parametrize("cages", [20, 64])
def test_a_full_switch_uses_every_port_and_what_comes_beside_starts_from_the_top(
    uplinks: int, spines: int, cages: int
) -> None:
    links = -(-uplinks // spines)
    run = PortRun(0, 400, 100, 0, tuple(range(1, cages + 1)), 2, 2)
    most = run.capacity // links
    for lowers in (1, most // 2, most):
        room = lowers * links
        feed = Feed(KEY, 0, 0, room, room, links, True)
        ports = RunPorts(run, 0, [feed], ())
        left = ports.list_left_over(room)
        assert sorted((*ports.list_ports_of(feed), *left)) == list(range(run.capacity))
        if lowers < most:
            fewer = RunPorts(run, 0, [Feed(KEY, 0, 0, links, links, links, True)], ()).list_left_over(links)
            assert fewer[: len(left) - links] == left[: len(left) - links]


def test_a_second_tier_and_extra_devices_move_no_uplink_of_the_first() -> None:
    run = PortRun(0, 400, 100, 0, tuple(range(1, 65)), 2, 2)
    first = Feed(KEY, 0, 0, 40, 40, 4, True)
    second = Feed(TierKey("storage", "leaf"), 0, 40, 20, 20, 2, True)
    alone, both = RunPorts(run, 0, [first], ()), RunPorts(run, 0, [first, second], ())
    assert alone.list_ports_of(first) == both.list_ports_of(first)
    kept = (*both.list_ports_of(first), *both.list_ports_of(second), *both.list_left_over(60))
    assert sorted(kept) == list(range(128))


SIZED = (
    "fabrics.compute.size_for=reserve",
    "fabrics.oob.size_for=reserve",
    "fabrics.oob.tiers.leaf.count=5",
    "fabrics.oob.tiers.spine.switch=7060dx5-64s",
)
"""All 128 spines need management ports in the first unit: five leaves a unit, and spines for 80 of them."""


@pytest.mark.slow
def test_what_is_sized_for_the_reserve_grows_step_by_step_and_moves_nothing() -> None:
    tables = example_design("superpod-b300", "pods.p1.su=16")
    for su in range(1, 16):
        old, new = grown("superpod-b300", su, su + 1, *SIZED)
        assert not changed(old.devices, new.devices)
        assert not changed(old.links, new.links)
        assert all(set(ends) <= set(new.cables[cable]) for cable, ends in old.cables.items())
        counts = [t.count for t in example_design("superpod-b300", f"pods.p1.su={su}", *SIZED).fabric("compute").tiers]
        assert counts == [t.count for t in tables.fabric("compute").tiers]


def test_a_stated_count_is_checked_against_the_reserve() -> None:
    with pytest.raises(InputError, match="for 128 leaf switches with 64 uplinks each in all reserved units"):
        build_design(
            load_blueprint(
                str(BLUEPRINTS / "superpod-b300.yaml"),
                ("fabrics.compute.size_for=reserve", "fabrics.compute.tiers.spine.count=16"),
            )
        )


POD_LEAVES = """
fabricgen: 1
name: made
scalable_unit: {{nodes: 8 x dgx-b200}}
pods: {{p1: {{su: {su}, reserve: 6}}}}
fabrics:
  compute:
    protocol: roce
    size_for: {size_for}
    tiers:
      leaf: {{switch: sn4700, per: [pod, rail], spread: {spread}}}
      spine: {{switch: sn4700, per: rail}}
"""


@pytest.mark.parametrize("spread", ["block", "stripe"])
def test_leaves_that_span_units_are_sized_for_the_reserve_too(design_of: Callable[..., Design], spread: str) -> None:
    whole = design_of(POD_LEAVES.format(su=6, size_for="now", spread=spread))
    sizes = [(tier.count, tier.up) for tier in whole.tiers]
    before = None
    for su in range(1, 7):
        design = design_of(POD_LEAVES.format(su=su, size_for="reserve", spread=spread))
        assert [(tier.count, tier.up) for tier in design.tiers] == sizes
        after = facts(build_cluster(design))
        if before is not None:
            assert not changed(before.devices, after.devices)
            assert not changed(before.links, after.links)
        before = after
    assert design_of(POD_LEAVES.format(su=1, size_for="now", spread=spread)).tiers[0].count < sizes[0][0]


def notes(design: Design) -> list[tuple[str, str]]:
    """What lint says of the reserve, with its hint."""
    return [(d.message, d.hint) for d in lint(design, None).findings if d.code == "FG106"]


def test_lint_says_what_growth_moves_and_what_the_other_choice_costs() -> None:
    assert notes(example_design("superpod-b300")) == [
        (
            (
                "compute spine is sized for 4 of 16 reserved scalable units: 16 a plane now, 64 at 16; "
                "growth past 4 moves half of the uplinks of each leaf (2,048 links)"
            ),
            "`size_for: reserve` needs 96 more switches now, and growth then moves no uplink",
        )
    ]
    assert notes(example_design("superpod-b300", "fabrics.compute.tiers.spine.size_for=reserve")) == [
        (
            (
                "compute spine is sized for all 16 reserved scalable units: 64 a plane, while 16 are enough for 4; "
                "growth moves no uplink, but costs 96 more switches now"
            ),
            "`size_for: now` needs 96 fewer switches",
        )
    ]
    assert notes(example_design("superpod-b300", "pods.p1.su=9")) == []
    old, new = grown("superpod-b300", 4, 5)
    assert len(changed(old.links, new.links)) == 2048

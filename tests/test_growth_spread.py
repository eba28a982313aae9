"""Growth by scalable units: nothing moves while the spines stay; where they double, half of the uplinks move."""

from __future__ import annotations

import pytest

from fabricgen.design.fabric_model import Feed, TierKey, Uplink
from fabricgen.design.ports import PortRun
from fabricgen.design.spread import RunPorts, nests, uplink_ends
from fabricgen.diff.compare import Change, compare
from fabricgen.diff.inventory import Inventory, from_cluster
from tests.conftest import example_cluster

KEY = TierKey("compute", "leaf")


def grown(name: str, before: int, after: int, *sets: str) -> tuple[Inventory, Change]:
    """What there was, and what growth changes of it."""
    old, new = (from_cluster(example_cluster(name, f"pods.p1.su={su}", *sets)) for su in (before, after))
    return old, compare(old, new)


def moved_by_leaf(old: Inventory, change: Change, fabric: str) -> dict[str, int]:
    """How many links upwards of each leaf of a fabric changed, after nothing else is found to have."""
    found = {name: 0 for name, facts in old.devices.items() if (facts.fabric, facts.tier) == (fabric, "leaf")}
    for (device, _), was, now in change.links.changed:
        if old.devices[device].tier == "node":
            continue  # UFM gives way in the slot omitted for it
        assert was.b_device != now.b_device, "a link that stays keeps its ports"
        assert now.b_device not in old.devices, "what moves goes to the new spines"
        assert (was.a_ip, was.b_ip) == (now.a_ip, now.b_ip)
        found[device] += 1
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
    _, change = grown(name, before, after, *sets)
    assert not (change.devices.changed or change.devices.removed)
    assert not (change.links.changed or change.links.removed)
    assert not (change.cables.changed or change.cables.removed)
    assert change.links.added


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
    old, change = grown(name, before, after)
    assert not (change.devices.changed or change.devices.removed or change.links.removed)
    assert not change.links.changed_as("renumbered")
    assert set(moved_by_leaf(old, change, "compute").values()) == {each}


def layout(uplinks: int, spines: int, lowers: int, ports: tuple[int, int, int]) -> dict[tuple[int, int], object]:
    """(rank, uplink) -> (spine, port) with (upper cages, ways, connectors); each spine port is used once."""
    cages, ways, connectors = ports
    links = -(-uplinks // spines)
    lower = PortRun(uplinks, 400, 100, 0, tuple(range(-(-uplinks // ways))), ways, connectors)
    upper = PortRun(links * lowers, 400, 100, 0, tuple(range(cages)), ways, connectors)
    nested = nests(uplinks, spines, lower.per_connector, upper.per_connector)
    assert nested
    uplink = Uplink("compute", TierKey("compute", "spine"), 1, uplinks, spines, lowers, lowers, True, nested)
    at = RunPorts(upper, 0, [feed := Feed(KEY, 0, 0, links * lowers, links * lowers, links, nested)], ()).of(feed)
    ends = uplink_ends(uplink, lower)
    found = {(r, port): (s, at[r * links + k]) for r in range(lowers) for port, (s, k) in enumerate(ends)}
    assert len(set(found.values())) == len(found)
    assert all(0 <= port < upper.capacity for _, port in found.values())
    return found


@pytest.mark.parametrize("ways", [(1, 1), (2, 1), (2, 2), (4, 1), (4, 2)])
@pytest.mark.parametrize("cages", [24, 60, 64])
@pytest.mark.parametrize(("uplinks", "spines"), [(64, 16), (32, 4), (24, 3), (48, 12), (8, 1)])
def test_other_radices_keep_half_in_place_too(uplinks: int, spines: int, cages: int, ways: tuple[int, int]) -> None:
    lowers = cages * ways[0] // (uplinks // spines)
    if not lowers or any(not nests(uplinks, n, ways[0] // ways[1], ways[0] // ways[1]) for n in (spines, 2 * spines)):
        pytest.skip("so many links do not fill breakouts evenly")
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
    run = PortRun(0, 400, 100, 0, tuple(range(cages)), 2, 2)
    most = run.capacity // links
    for lowers in (1, most // 2, most):
        room = lowers * links
        feed = Feed(KEY, 0, 0, room, room, links, True)
        ports = RunPorts(run, 0, [feed], ())
        left = ports.left_over(room)
        assert sorted((*ports.of(feed), *left)) == list(range(run.capacity))
        if lowers < most:
            fewer = RunPorts(run, 0, [Feed(KEY, 0, 0, links, links, links, True)], ()).left_over(links)
            assert fewer[: len(left) - links] == left[: len(left) - links]


def test_a_second_tier_and_extra_devices_move_no_uplink_of_the_first() -> None:
    run = PortRun(0, 400, 100, 0, tuple(range(64)), 2, 2)
    first = Feed(KEY, 0, 0, 40, 40, 4, True)
    second = Feed(TierKey("storage", "leaf"), 0, 40, 20, 20, 2, True)
    alone, both = RunPorts(run, 0, [first], ()), RunPorts(run, 0, [first, second], ())
    assert alone.of(first) == both.of(first)
    kept = (*both.of(first), *both.of(second), *both.left_over(60))
    assert sorted(kept) == list(range(128))

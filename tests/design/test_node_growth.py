"""Leaves that span units: growth moves no node, a lock keeps its holes, and counts leave these out."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from fabricgen.blueprint.beside.lock import Lock, format_lock, parse_lock
from fabricgen.cluster import Cluster
from fabricgen.design.capacity.counts import count_links
from fabricgen.design.fabric_model import NodeFeed, TierDesign
from tests.properties.compiling import compiled
from tests.properties.test_growth_laws import moved

Tree = dict[str, Any]
SPINE = {"switch": "toy-24", "per": "rail", "count": 2}


def made(pods: Tree, leaf: Tree, *, nodes: int = 4, spine: Tree | None = None, **more: Any) -> Tree:
    fabric = {"protocol": "roce", "oversubscription": "3:1", "tiers": {"leaf": leaf, "spine": spine or SPINE}}
    unit = {"nodes": f"{nodes} x toy-four"}
    return {"fabricgen": 1, "name": "made", "scalable_unit": unit, "pods": pods, "fabrics": {"compute": fabric | more}}


def pods(a: int, b: int, reserve: int = 3) -> Tree:
    return {"a": {"su": a, "reserve": reserve}, "b": {"su": b, "reserve": reserve}}


def feed_of(cluster: Cluster) -> NodeFeed:
    (feed,) = cluster.design.fabrics[0].node_feeds
    return feed


def nodes_of_leaves(cluster: Cluster) -> dict[str, list[str]]:
    """Leaf -> its nodes by port, of the first rail."""
    links, found = cluster.plan.links, dict[str, list[tuple[int, str]]]()
    for i in range(len(links)):
        if links.segments[links.segment[i]].lower == "node" and links.rail[i] == 1:
            leaf = cluster.names[links.b_device[i]]
            found.setdefault(leaf, []).append((int(links.b_port[i]), cluster.names[links.a_device[i]]))
    return {leaf: [name for _, name in sorted(ports)] for leaf, ports in found.items()}


def test_every_leaf_takes_a_block_of_each_unit() -> None:
    leaves = nodes_of_leaves(compiled(made({"a": {"su": 2}}, {"switch": "toy-24", "per": ["pod", "rail"], "count": 2})))
    nodes = [[f"a-su{su:02}-n{node:03}" for node in range(1, 5)] for su in (1, 2)]
    assert list(leaves.values()) == [[*nodes[0][:2], *nodes[1][:2]], [*nodes[0][2:], *nodes[1][2:]]]


def test_units_that_do_not_divide_are_dealt_in_turn() -> None:
    tree = made({"a": {"su": 2}}, {"switch": "toy-24", "per": ["pod", "rail"], "count": 2}, nodes=3)
    leaves = nodes_of_leaves(compiled(tree))
    nodes = [f"a-su{su:02}-n{node:03}" for su in (1, 2) for node in range(1, 4)]
    assert list(leaves.values()) == [nodes[0::2], nodes[1::2]]


@pytest.mark.parametrize("nodes", [3, 4])
@pytest.mark.parametrize("per", ["rail", ["pod", "rail"], []])
def test_a_pod_grows_within_the_reserve_without_a_move(nodes: int, per: Any) -> None:
    leaf = {"switch": "toy-24", "per": per, "count": 4 if per == [] else 2, "uplinks": 4}
    spine = SPINE if per else {"switch": "toy-24", "count": 2}
    before = compiled(made(pods(1, 1), leaf, nodes=nodes, spine=spine))
    assert feed_of(before).by_slot
    for a, b in ((2, 1), (2, 3), (3, 3)):
        after = compiled(made(pods(a, b), leaf, nodes=nodes, spine=spine))
        assert not moved(before, after)
        before = after


def test_stated_spreads_and_leaves_of_a_unit_stay_as_they_are() -> None:
    for spread, turn in (("block", 4), ("stripe", 1)):
        leaf = {"switch": "toy-24", "per": "rail", "count": 2, "spread": spread}
        feed = feed_of(compiled(made(pods(1, 1), leaf)))
        assert (feed.turn, feed.by_slot) == (turn, False)
    feed = feed_of(compiled(made(pods(1, 1), {"switch": "toy-24", "per": ["su", "rail"], "count": 2})))
    assert (feed.turn, feed.per_switch, feed.by_slot) == (2, 2, False)


def test_what_has_no_room_for_the_reserve_is_numbered_by_unit() -> None:
    leaf = {"switch": "toy-8", "per": "rail", "count": 2, "uplinks": 4}
    small, large = (feed_of(compiled(made(pods(1, 1, reserve), leaf))) for reserve in (2, 40))
    assert (small.by_slot, large.by_slot) == (True, False)
    assert (small.per_switch, large.per_switch) == (8, 4)


def test_the_lock_keeps_how_nodes_are_numbered() -> None:
    leaf = {"switch": "toy-8", "per": "rail", "count": 2, "uplinks": 4}
    before = compiled(made(pods(1, 1, 2), leaf))
    after = compiled(made(pods(1, 1, 40), leaf), lock_of(before))
    assert feed_of(after).by_slot
    assert not moved(before, after)


def test_extra_devices_take_the_ports_of_reserved_units_where_there_are_no_others() -> None:
    leaf = {"switch": "toy-8", "per": "rail", "count": 2, "uplinks": 4}
    feed = feed_of(compiled(made(pods(1, 1, 2), leaf)))
    assert feed.by_slot
    spare = compiled(made(pods(1, 1, 2), leaf)).design.tiers[0].spare_ports()
    box = {"device": "toy-four", "attach": "compute", "count": 2 * spare + 1, "ports": 4}
    feed = feed_of(compiled(made(pods(1, 1, 2), leaf, extra={"box": box})))
    assert not feed.by_slot


BOX = {"device": "toy-box", "attach": "compute", "ports": 1}
STRIPED = {"switch": "toy-24", "per": "rail-group", "spread": "stripe", "breakout": "1x400"}
IN_GROUPS = {"protocol": "roce", "rail_groups": [[1, 2], [3, 4]], "extra": {"box": BOX}}
ONE_LEAF_A_RAIL = {"switch": "toy-24", "per": ["pod", "rail"], "count": 1}
TWIN_PORTS = {"protocol": "infiniband", "extra": {"ufm": {"device": "ufm", "ports": 1}}}


@pytest.mark.parametrize(
    ("nodes", "reserve", "fabric"),
    [
        ("3 x toy-four", 4, IN_GROUPS | {"tiers": {"leaf": STRIPED}}),
        ("3 x toy-four", 4, IN_GROUPS | {"tiers": {"leaf": STRIPED | {"spread": "block"}}}),
        ("6 x toy-four", 9, {"protocol": "roce", "extra": {"box": BOX}, "tiers": {"leaf": ONE_LEAF_A_RAIL}}),
        ("4 x toy-twin", 5, TWIN_PORTS | {"tiers": {"leaf": {"switch": "toy-ib", "per": "rail"}}}),
    ],
    ids=["dealt one by one", "dealt in blocks", "reserve beyond the ports", "the same with twin-port cages"],
)
def test_extra_devices_take_an_omitted_slot_before_a_port_that_a_reserved_unit_will_need(
    nodes: str, reserve: int, fabric: Tree
) -> None:
    unit = {"nodes": nodes, "racks": {"nodes_per_rack": 1}}
    tree = {"fabricgen": 1, "name": "made", "scalable_unit": unit, "omit": ["p1/su-1/rack-1"]}
    before, after = (
        compiled(tree | {"pods": {"p1": {"su": su, "reserve": reserve}}, "fabrics": {"compute": fabric}})
        for su in (3, 4)
    )
    (extra,) = before.design.fabrics[0].extras
    assert all(link.in_hole for link in extra.links)
    assert not moved(before, after)


def lock_of(cluster: Cluster) -> Lock:
    return parse_lock(format_lock(cluster.lock).encode(), "made.lock.yaml")


def counts_agree(cluster: Cluster) -> None:
    """Counts without expansion are those of the plan."""
    links, cables, table = Counter[str](), dict[str, set[int]](), cluster.plan.links
    for i in range(len(table)):
        key = table.segments[table.segment[i]].key
        links[key] += 1
        cables.setdefault(key, set()).add(int(table.cable[i]))
    (fabric,) = cluster.design.fabrics
    counted = count_links(cluster.design, fabric)
    assert {c.key: (c.links, c.cables) for c in counted} == {k: (n, len(cables[k])) for k, n in links.items()}


def broken_out(tier: TierDesign) -> bool:
    return tier.downs[0].links_per_connector > 1


THREE = {"a": {"su": 2}, "b": {"su": 1}, "c": {"su": 2, "reserve": 3}}


@pytest.mark.tenth
@pytest.mark.parametrize("spread", [None, "block", "stripe"])
@pytest.mark.parametrize("nodes", [2, 3, 5, 6])
@pytest.mark.parametrize("count", [2, 3])
def test_breakouts_of_leaves_are_counted_beside_holes(spread: str | None, nodes: int, count: int) -> None:
    leaf = {"switch": "toy-24", "per": "rail", "count": count} | ({"spread": spread} if spread else {})
    before = compiled(made(THREE, leaf, nodes=nodes))
    assert broken_out(before.design.tiers[0])
    counts_agree(before)
    left = {name: pod for name, pod in THREE.items() if name != "b"}
    omitted = made(left, leaf, nodes=nodes) | {"omit": ["a/su-1/node-1", "c/su-last/node-last"]}
    after = compiled(omitted, lock_of(before))
    assert feed_of(after) == feed_of(before)
    counts_agree(after)
    assert not moved(after, before)


@pytest.mark.parametrize("each", [1, 2, 3])
def test_breakouts_of_spines_are_counted_beside_holes(each: int) -> None:
    leaf = {"switch": "toy-16-4", "per": ["su", "rail"], "count": each, "uplinks": "4 x 400G"}
    spine = {"switch": "toy-24", "per": "rail", "count": 4, "breakout": "2x400"}
    before = compiled(made(THREE, leaf, spine=spine))
    assert broken_out(before.design.tiers[1])
    counts_agree(before)
    left = {name: pod for name, pod in THREE.items() if name != "b"}
    counts_agree(compiled(made(left, leaf, spine=spine), lock_of(before)))

"""Laws of change: growth inside a reserve moves nothing, nor does filling a unit, nor the order of keys."""

from __future__ import annotations

from collections import defaultdict
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from fabricgen.cluster import Cluster
from fabricgen.design.model import Design
from fabricgen.design.shape import find_scope
from fabricgen.kernel.diagnostics import InputError
from fabricgen.numbering.blocks.column import format_ipv4
from tests.properties.blueprints import blueprints
from tests.properties.compiling import cases, compiled, compiled_or_dropped
from tests.properties.found_histories import WITHOUT_LOCK
from tests.properties.halls import Tree

WIDE = ("all", "site")
"""Where leaves serve the units of several pods."""


def link_rows(cluster: Cluster) -> dict[tuple[str, str], tuple[Any, ...]]:
    """(device, port) of the lower end -> all that is said of each link."""
    links, a = cluster.plan.links, cluster.addresses
    names = cluster.names
    return {
        (names[links.a_device[i]], cluster.a_port[i]): (
            names[links.b_device[i]],
            cluster.b_port[i],
            format_ipv4(int(a.a_ip[i])),
            format_ipv4(int(a.b_ip[i])),
            int(a.length[i]),
            int(links.rail[i]),
            int(links.plane[i]),
        )
        for i in range(len(links))
        if links.segments[links.segment[i]].tier is not None
    }


def device_rows(cluster: Cluster) -> dict[str, tuple[Any, ...]]:
    """Device -> model, AS number, router id, management address and place."""
    devices, a = cluster.plan.devices, cluster.addresses
    return {
        name: (
            devices.classes[devices.device_class[i]].profile.id,
            int(a.asn[i]),
            format_ipv4(int(a.loopback[i])),
            format_ipv4(int(a.management[i])),
            cluster.plan.racks.names[devices.rack[i]],
            int(devices.u[i]),
        )
        for i, name in enumerate(cluster.names)
    }


def cable_rows(cluster: Cluster) -> dict[str, set[tuple[str, str, str, str]]]:
    """Cable -> device and cage of both ends of each of its links: what its label says."""
    links, names = cluster.plan.links, cluster.names
    a_cage, b_cage = cluster.cages
    found: dict[str, set[tuple[str, str, str, str]]] = defaultdict(set)
    for i, cable in enumerate(links.cable.tolist()):
        if cable >= 0 and links.segments[links.segment[i]].tier is not None:
            ends = (names[links.a_device[i]], a_cage[i], names[links.b_device[i]], b_cage[i])
            found[cluster.cable_ids[cable]].add(ends)
    return found


def moved(before: Cluster, after: Cluster) -> dict[Any, Any]:
    """Rows that were there and are no more, or say something else."""
    found: dict[Any, Any] = {}
    for rows in (device_rows, link_rows, cable_rows):
        old, new = rows(before), rows(after)
        found |= {key: (old[key], new.get(key)) for key in old if _gone(old[key], new.get(key))}
    return found


def _gone(old: Any, new: Any) -> bool:
    """Whether a row says something else; a breakout cable may come to have more legs in use."""
    return not old <= (new or set()) if isinstance(old, set) else bool(old != new)


def derived(design: Design) -> list[Any]:
    """What sizing derives of each tier: a change in it may move rows, and `plan` says so."""
    return [
        (
            tier.key,
            tier.count,
            tier.up,
            {mesh.run for mesh in tier.links_inside if mesh.word != "mesh"},
            tier.uplink and (tier.uplink.links_per_group, tier.uplink.upper_count, tier.uplink.by_slot),
            [(run.speed_gbps, run.ways, run.cages) for run in tier.downs],
            [(feed.run, feed.first, feed.numbered) for feed in tier.feeds],
        )
        for tier in design.tiers
    ] + [
        [(f.run, f.first, f.turn, f.by_slot) for fabric in design.fabrics for f in fabric.node_feeds],
    ]


def _fills_pod_after_pod(design: Design) -> bool:
    """Whether extra devices, or nodes on leaves without room for the reserve, move when a pod but the last grows."""
    feeds = [feed for fabric in design.fabrics for feed in fabric.node_feeds]
    unit_by_unit = any(not feed.by_slot and find_scope(design.tier(feed.leaf).per) in WIDE for feed in feeds)
    return unit_by_unit or any(fabric.extras for fabric in design.fabrics)


@pytest.mark.slow
@pytest.mark.law
@cases(80)
@given(blueprints(), st.data())
def test_growth_inside_the_reserve_moves_nothing(tree: Tree, data: st.DataObject) -> None:
    growing = [name for name, pod in tree["pods"].items() if pod.get("reserve", 1) > pod["su"] and "nodes" not in pod]
    assume(growing and not any("*" in slot for slot in tree["omit"]))
    before = compiled_or_dropped(tree)
    if _fills_pod_after_pod(before.design):
        growing = [name for name in growing if name == list(tree["pods"])[-1]]
        assume(growing)
    larger = deepcopy(tree)
    larger["pods"][data.draw(st.sampled_from(growing))]["su"] += 1
    try:
        after = compiled(larger)
    except InputError:
        assume(False)
        raise
    assume(all(tier.uplink is None or tier.uplink.by_slot for tier in before.design.tiers))
    assume(derived(before.design) == derived(after.design))
    assert not moved(before, after)


@pytest.mark.parametrize("name", WITHOUT_LOCK)
def test_growth_that_once_moved_something_moves_nothing(name: str) -> None:
    (_, small), *_, (_, large) = WITHOUT_LOCK[name]
    assert not moved(compiled(small), compiled(large))


@pytest.mark.law
@cases(55)
@given(blueprints(), st.data())
@pytest.mark.slow
def test_what_is_sized_for_the_reserve_grows_without_a_move(tree: Tree, data: st.DataObject) -> None:
    pods = [pod for pod in tree["pods"].values() if "nodes" not in pod]
    assume(len(pods) == len(tree["pods"]) and not tree["omit"])
    assume(
        len(pods) == 1 or not any("spread" in t for f in tree["fabrics"].values() for t in f.get("tiers", {}).values())
    )
    fabrics = {name: {k: v for k, v in fabric.items() if k != "extra"} for name, fabric in tree["fabrics"].items()}
    fabrics = {name: fabric | {"size_for": "reserve"} for name, fabric in fabrics.items() if name != "oob"}
    made = deepcopy(tree) | {"fabrics": fabrics}
    for pod in made["pods"].values():
        pod["reserve"], pod["su"] = data.draw(st.integers(2, 5 if len(pods) == 1 else 3)), 1
    before = compiled_or_dropped(made)
    pod = data.draw(st.sampled_from(list(made["pods"].values())))
    pod["su"] = data.draw(st.integers(2, pod["reserve"]))
    after = compiled(made)  # what the reserve was sized for wires
    sizes = [[(tier.count, tier.up) for tier in cluster.design.tiers] for cluster in (before, after)]
    assert sizes[0] == sizes[1]
    assert not moved(before, after)


@pytest.mark.law
@cases(70)
@given(blueprints(), st.data())
@pytest.mark.slow
def test_a_part_filled_unit_is_filled_up_without_moving_anything(tree: Tree, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(tree["pods"])))
    kind = tree["pods"][name].get("unit")
    sets = (tree["scalable_units"][kind] if kind else tree["scalable_unit"])["nodes"]
    texts = [
        one["nodes"] if isinstance(one, dict) else one for one in (sets.values() if isinstance(sets, dict) else [sets])
    ]
    unit = sum(int(text.split()[0]) for text in texts)
    part, full = deepcopy(tree), deepcopy(tree)
    part["pods"][name]["nodes"] = tree["pods"][name]["su"] * unit - data.draw(st.integers(0, unit - 1))
    full["pods"][name].pop("nodes", None)
    before, after = compiled_or_dropped(part), compiled_or_dropped(full)
    assume(_extra_ports(before.design) == _extra_ports(after.design))  # those in holes give way to the nodes
    assert not moved(before, after)


def _extra_ports(design: Design) -> list[Any]:
    return [(e.name, [(link.switch, link.slot) for link in e.links]) for f in design.fabrics for e in f.extras]


@pytest.mark.slow
@pytest.mark.law
@cases(70)
@given(blueprints())
def test_the_order_of_keys_says_nothing(tree: Tree) -> None:
    def reverse(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: reverse(value[key]) for key in reversed(value)}
        return value

    one, other = compiled_or_dropped(tree), compiled(reverse(tree))
    assert one.names == other.names
    assert not moved(one, other)
    assert not moved(other, one)
    assert one.cable_ids == other.cable_ids

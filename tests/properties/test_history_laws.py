"""Laws of histories: with a lock, whatever was built keeps its numbers and ports through any edits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from operator import ge
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, event, example, given

from fabricgen.blueprint.beside.lock import Lock, format_lock, parse_lock
from fabricgen.blueprint.beside.sized import SIZED
from fabricgen.cluster import Cluster
from fabricgen.design.shape import spans_units
from fabricgen.kernel.diagnostics import InputError
from fabricgen.wiring.tables import ManagementPort
from tests.properties.blueprints import blueprints
from tests.properties.case import Case
from tests.properties.compiling import cases, compiled, compiled_or_dropped
from tests.properties.edits import REMOVING, add_pod, grow, grow_inside, histories, reorder
from tests.properties.found_histories import WITH_LOCK, WITHOUT_LOCK, History
from tests.properties.halls import Tree
from tests.properties.laws_of_addresses import addresses_are_unique


def with_examples(found: dict[str, History]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """The histories that once broke a law as explicit examples of its test."""

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        for history in found.values():
            test = example(history=history)(test)
        return test

    return decorate


Links = dict[tuple[str, str], tuple[Any, ...]]


def numbers(cluster: Cluster) -> dict[str, tuple[Any, ...]]:
    """Device -> AS number, router id and management address."""
    a = cluster.addresses
    rows = zip(cluster.names, a.asn.tolist(), a.loopback.tolist(), a.management.tolist(), strict=True)
    return {name: tuple(row) for name, *row in rows}


def unlike(was: dict[str, tuple[Any, ...]], now: dict[str, tuple[Any, ...]], plugged: set[str]) -> dict[str, Any]:
    """Devices in both whose numbers are not the same; management addresses count for those in `plugged`."""
    found = {}
    for name in was.keys() & now.keys():
        (*old, managed), (*new, manages) = was[name], now[name]
        if old != new or (name in plugged and managed != manages):
            found[name] = (was[name], now[name])
    return found


def managed_links(rows: Links) -> dict[str, tuple[Any, ...]]:
    """Device -> its link on the management fabric: what it depends on, and the leaf."""
    found: dict[str, tuple[Any, ...]] = {}
    for (device, _), (sizing, far, *_) in sorted(rows.items()):
        if sizing[-1]:
            found.setdefault(device, (sizing, far))
    return found


def links(cluster: Cluster) -> Links:
    """(device, port) of the lower end -> sizing that it depends on, then far end, addresses and cable."""
    table, a, in_holes = cluster.plan.links, cluster.addresses, _in_holes(cluster)
    found = {}
    for i, segment in enumerate(table.segments):
        if segment.tier is None:
            continue
        sizing = _sizing(cluster, i)
        for row in np.flatnonzero(table.segment == i).tolist():
            cable = int(table.cable[row])
            end = cluster.names[table.a_device[row]], cluster.a_port[row]
            found[end] = (
                (end in in_holes, *sizing),
                cluster.names[table.b_device[row]],
                cluster.b_port[row],
                int(a.a_ip[row]),
                int(a.b_ip[row]),
                cluster.cable_ids[cable] if cable >= 0 else "",
            )
    return found


def _in_holes(cluster: Cluster) -> set[tuple[str, str]]:
    """(device, port) of extra devices on the ports of omitted nodes: these move when the node comes."""
    extras = [extra for fabric in cluster.design.fabrics for extra in fabric.extras]
    return {
        (extra.devices[link.device], extra.attachment.legs[link.leg].name)
        for extra in extras
        for link in extra.links
        if link.in_hole
    }


def _sizing(cluster: Cluster, segment: int) -> Any:
    """What is derived of the tiers that a segment joins: where it differs, links may move and `plan` says so."""
    one = cluster.plan.links.segments[segment]
    design = cluster.design
    upper = design.tier(one.tier)
    lower = next((t for t in design.tiers if t.key == one.lower_tier and t.uplink and t.uplink.upper == one.tier), None)
    managing = isinstance(one.a, ManagementPort) or getattr(one.a, "role", "") == "bmc"
    if lower is None and upper.lowest:
        turns = [(feed.turn, feed.by_slot) for feed in design.fabric(one.fabric).feeds_of(upper.key)]
        beside = upper.up.count if upper.up and one.lower_tier == one.tier else 0  # peer links lie before uplinks
        return one.fabric, one.lower, one.upper, upper.count, upper.per, turns, beside, managing
    down = [(run.speed_gbps, run.ways, run.connectors) for run in upper.downs]
    feeds = [(f.run, f.first) for f in upper.feeds if lower is None]
    own = (lower.count, lower.up, lower.uplink.links_per_group, lower.uplink.upper_count) if lower else None
    face = upper.up if lower is None else None
    met = [(t.key, t.count, t.uplink.links_per_group) for t in design.tiers if t.uplink and t.uplink.upper == one.tier]
    below = met if lower is None else []
    return one.fabric, one.lower, one.upper, upper.count, upper.per, own, down, feeds, face, below, managing


def _has_ports_for_its_reserve(cluster: Cluster) -> bool:
    """Whether everything that spans units is numbered by reserved slot."""
    design = cluster.design
    wide = [tier.key for tier in design.tiers if tier.scope not in ("su", "rack")]
    by_slot = all(feed.by_slot for f in design.fabrics for feed in f.node_feeds if feed.leaf in wide)
    return by_slot and "unit" not in cluster.lock.find_words("dealing").values()


def _sizes(cluster: Cluster) -> dict[Any, tuple[int, int]]:
    """(switches of a group, uplinks of each) by tier."""
    return {tier.key: (tier.count, tier.up.count if tier.up else 0) for tier in cluster.design.tiers}


def lock_of(cluster: Cluster) -> Lock:
    """The lock as it is read back from its file."""
    return parse_lock(format_lock(cluster.lock).encode(), "x.lock.yaml")


def locking_changes_nothing(cluster: Cluster, tree: Tree) -> None:
    """With the lock of what was built, the same is built, and the lock is the same."""
    again = compiled(tree, lock_of(cluster))
    assert format_lock(again.lock) == format_lock(cluster.lock)
    assert numbers(again) == numbers(cluster)
    assert links(again) == links(cluster)
    assert [(t.key, t.count, t.up, t.downs) for t in again.design.tiers] == [
        (t.key, t.count, t.up, t.downs) for t in cluster.design.tiers
    ]


def sizes_forgotten(cluster: Cluster) -> Lock:
    """Its lock as it was written before locks had the sizes of tiers."""
    lock = lock_of(cluster)
    return replace(lock, words={kind: words for kind, words in lock.words.items() if kind != SIZED})


def racked_stays(before: Cluster, after: Cluster) -> None:
    """Switches within a unit keep their uplinks, and no switch above them is taken away."""
    for tier in before.design.tiers:
        grown = after.design.tier(tier.key)
        if not (tier.uplink and tier.up and grown.uplink and grown.up) or spans_units(tier.per):
            continue
        upper, above = (c.design.tier(tier.uplink.upper) for c in (before, after))
        same = (grown.per, above.per, grown.needed_uplinks) == (tier.per, upper.per, tier.needed_uplinks)
        if same and grown.uplink.upper_groups == tier.uplink.upper_groups:
            assert grown.up.count == tier.up.count
            assert above.count >= upper.count


def taken_away(before: Cluster, after: Cluster) -> set[str]:
    """The devices whose names are gone, but for switches of tiers of which there are fewer now, derived anew."""
    now = {tier.key: (tier.count, tier.groups) for tier in after.design.tiers}
    rows = before.plan.devices
    fewer = {
        tier.key
        for tier in before.design.tiers
        if not all(map(ge, now.get(tier.key, (0, 0)), (tier.count, tier.groups)))
    }
    kept = [
        name for name, cls in zip(before.names, rows.device_class, strict=True) if rows.classes[cls].key not in fewer
    ]
    return set(kept) - set(after.names)


@pytest.mark.law
@cases(30)
@given(histories(blueprints(), (grow, grow_inside, add_pod, reorder)))
@pytest.mark.slow
def test_growth_takes_no_racked_switch_and_no_uplink_of_a_unit_away(history: list[tuple[str, Tree]]) -> None:
    before = compiled_or_dropped(history[0][1])
    for _, tree in history[1:]:
        try:
            after = compiled(tree, lock_of(before))
        except InputError:
            assume(False)
            raise
        racked_stays(before, after)
        before = after


@pytest.mark.law
@cases(30)
@given(blueprints())
@pytest.mark.slow
def test_a_lock_without_sizes_keeps_the_fewest_uplinks(tree: Tree) -> None:
    fresh = compiled_or_dropped(tree)
    try:
        old = compiled(tree, sizes_forgotten(fresh))
    except InputError:
        assume(False)
        raise
    assert all(tier.uplink.fewest == (0, 0) for tier in old.design.tiers if tier.uplink)
    assert old.lock.find_words(SIZED)
    locking_changes_nothing(old, tree)
    event("more uplinks" if links(old) != links(fresh) else "the fewest")


@pytest.mark.slow
@pytest.mark.law
@cases(40)
@given(histories(blueprints()))
@with_examples(WITH_LOCK)
def test_what_is_built_stays_as_it_is(history: list[tuple[str, Tree]]) -> None:
    done, tree = history[0]
    before = compiled_or_dropped(tree)
    locking_changes_nothing(before, tree)
    seen_numbers, seen_links = numbers(before), links(before)
    for done, tree in history[1:]:
        try:
            after = compiled(tree, lock_of(before))
        except InputError as refusal:
            event(f"{done} refused {refusal.diagnostics[0].code}")
            continue
        event(done)
        now, there = links(after), set(after.names)
        assert done in REMOVING or not taken_away(before, after), done
        was, is_ = managed_links(links(before)), managed_links(now)  # what comes back has its address by its link
        plugged = {name for name in was.keys() & is_.keys() if was[name] == is_[name]}
        assert not unlike(seen_numbers, numbers(after), plugged), done
        stays = {k for k in seen_links.keys() & now.keys() if seen_links[k][0] == now[k][0]}
        moved = {k: (seen_links[k], now[k]) for k in stays if seen_links[k] != now[k] and seen_links[k][1] in there}
        assert not moved, done
        addresses_are_unique(Case(after))
        locking_changes_nothing(after, tree)
        seen_numbers, seen_links = seen_numbers | numbers(after), seen_links | now
        before = after


@pytest.mark.slow
@pytest.mark.law
@cases(30)
@given(histories(blueprints(), (grow_inside, grow_inside, reorder)))
@with_examples(WITHOUT_LOCK)
def test_without_its_lock_a_blueprint_that_only_grew_is_built_the_same(history: list[tuple[str, Tree]]) -> None:
    _, tree = history[0]
    before = compiled_or_dropped(tree)
    for _, tree in history[1:]:
        try:
            locked, fresh = compiled(tree, lock_of(before)), compiled(tree)
        except InputError:
            assume(False)
            raise
        assume(locked.lock.rooms == fresh.lock.rooms and _sizes(before) == _sizes(fresh))  # else a derived count grew
        assume(_has_ports_for_its_reserve(locked) and _has_ports_for_its_reserve(fresh))
        assert numbers(locked) == numbers(fresh)
        assert links(locked) == links(fresh)
        before = locked

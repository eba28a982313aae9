"""What the lock remembers of a design: how tiers assign ports, where extra devices are plugged in, management ports."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from fabricgen.blueprint.beside.adopted import ADOPTED
from fabricgen.blueprint.beside.lock import Lock
from fabricgen.blueprint.beside.stacked import STACKED
from fabricgen.design.extras.kept_ports import extra_words, room_name
from fabricgen.design.fabric_model import FabricDesign
from fabricgen.design.floor.floor_plan import FloorPlan
from fabricgen.design.management import AREAS, PLACES, ManagementLoad, in_turn, managed_devices
from fabricgen.design.model import Design
from fabricgen.design.shape import depth, scope_of, spans_units


def management_load(design: Design, fabric: FabricDesign) -> ManagementLoad:
    """The ports that the management fabric of a design needs on its switches."""
    managed = managed_devices(design.layout, design.fabrics, design.scale_up, fabric.name)
    return ManagementLoad(design.layout, managed, scope_of(fabric.tiers[0].per))


def with_remembered(design: Design, lock: Lock) -> Lock:
    """A lock with all remembered choices of a design added."""
    held, rooms = dict(lock.held), dict(lock.rooms)
    for fabric, load in _managing(design):
        leaf = fabric.tiers[0]
        held |= load.held(leaf.switches, for_reserve=leaf.for_reserve)
        held |= {AREAS: load.areas(leaf.switches, for_reserve=leaf.for_reserve)}
        for place in PLACES[: PLACES.index("su")]:
            share = load.share(place, leaf.switches, for_reserve=leaf.for_reserve)
            if share and not in_turn(place, scope_of(leaf.per)):
                rooms[f"managed {place}"] = share
    for tier in design.tiers:
        rooms |= {room_name(tier.key, kind): ports for kind, ports in tier.for_extras if ports}
    floor = FloorPlan(design)
    words = _words(design)
    words[STACKED] = {**lock.words_of(STACKED), **floor.shared.words()}
    return replace(lock, held=held | floor.held(), rooms=rooms | floor.areas.kept_counts(), words=words)


def positions_needed(design: Design) -> dict[tuple[str, str], int]:
    """The number of positions of management ports that each (kind, holder) needs."""
    return {holder: count for _, load in _managing(design) for holder, count in load.holders.items()}


def _managing(design: Design) -> Iterator[tuple[FabricDesign, ManagementLoad]]:
    """(fabric, its load) of the management fabric, if there is one."""
    for fabric in design.fabrics:
        if fabric.managed_devices:
            yield fabric, management_load(design, fabric)


def _words(design: Design) -> dict[str, dict[str, str]]:
    """The words of the lock by kind and holder; those of holders that no longer exist are kept."""
    fabrics = {fabric.name: fabric for fabric in design.fabrics}
    words = design.layout.lock.words
    found = {
        ADOPTED: dict(words.get(ADOPTED, {})),
        "dealing": {**words.get("dealing", {}), **dict(_dealing(design))},
        "extras": {**words.get("extras", {}), **dict(extra_words(design.layout, fabrics))},
    }
    return {kind: holders for kind, holders in found.items() if holders}


def in_use(design: Design) -> frozenset[tuple[str, str]]:
    """(kind, holder) of everything remembered that is still in use."""
    tiers = {("dealing", f"{tier.fabric} {tier.name}") for tier in design.tiers}
    extras = {("extras", name) for name, _ in extra_words(design.layout, {f.name: f for f in design.fabrics})}
    managed = {(AREAS, place) for place in PLACES}
    for _, load in _managing(design):
        managed |= load.holders.keys()
    return frozenset(tiers | extras | managed) | FloorPlan(design).holders()


def _dealing(design: Design) -> Iterator[tuple[str, str]]:
    """(tier, `slot` or `unit`): how ports are assigned in tiers whose nodes or lower switches may grow in number."""
    for fabric in design.fabrics:
        for feed in fabric.node_feeds:
            leaf = design.leaf(fabric)
            if (
                leaf
                and spans_units(leaf.per)
                and not design.loaded.blueprint.fabrics[leaf.fabric].tiers[leaf.name].spread
            ):
                yield f"{leaf.fabric} {leaf.name}", "slot" if feed.by_slot else "unit"
    for tier in design.tiers:
        if tier.uplink is None:
            continue
        upper = design.tier(tier.uplink.upper)
        below, above = (depth(scope_of(per)) for per in (tier.per, upper.per))
        if above <= depth("pod") < below:
            yield f"{upper.fabric} {upper.name}", "slot" if tier.uplink.by_slot else "unit"

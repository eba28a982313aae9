"""What the lock remembers of a design: how tiers assign ports, where extra devices are plugged in, management ports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace

from fabricgen.blueprint.beside.adopted import ADOPTED
from fabricgen.blueprint.beside.lock import SETS, UNNUMBERED, Lock
from fabricgen.blueprint.beside.sized import SIZED, STACKED, SizedBefore, name_holder
from fabricgen.blueprint.beside.split_sites import name_hall_holder
from fabricgen.design.extras.kept_ports import list_extra_words, write_room_name
from fabricgen.design.fabric_model import Jumps, TierDesign, TierKey, find_port
from fabricgen.design.floor.floor_plan import FloorPlan
from fabricgen.design.floor.network_runs import list_unnumbered_words
from fabricgen.design.management.load import AREAS, ManagementLoad, is_dealt_in_turn
from fabricgen.design.management.managed import PLACES, list_managed_devices
from fabricgen.design.model import Design
from fabricgen.design.names.switches import list_index_entries
from fabricgen.design.shape import find_depth, find_scope, spans_units
from fabricgen.design.sizing.kept_front import (
    MANAGEMENT_PORTS,
    name_cages_kind,
    name_links_holder,
    name_nodes_holder,
    name_ports_beside_nodes,
    name_ports_kind,
    name_run,
    record_cages,
)
from fabricgen.design.sizing.links_inside import name_ports_holder
from fabricgen.kernel.grouping import group_pairs
from fabricgen.kernel.intervals import (
    Allocations,
    Intervals,
    count_numbers,
    list_first_numbers,
    list_numbers,
    make_intervals,
)


def make_management_load(design: Design, leaf: TierDesign) -> ManagementLoad:
    """Return the management ports that a design needs on the switches of one of its tiers that manage others."""
    managed = list_managed_devices(design.fabrics, design.scale_up, leaf.fabric)
    by_slot = leaf.find_feed(TierKey("", "")).by_slot
    return ManagementLoad(leaf.layout, managed, find_scope(leaf.per), by_slot=by_slot)


def add_remembered(design: Design, lock: Lock) -> Lock:
    """Return a lock with the choices of a design that it remembers added: numbers and words by holder, capacities."""
    numbers, capacities = dict(lock.held), dict(lock.rooms)
    for leaf, load in _list_managing_tiers(design):
        numbers |= load.list_lock_entries(leaf.switches, for_reserve=leaf.for_reserve)
        numbers |= {load.areas_kind: load.list_port_ranges(leaf.switches, for_reserve=leaf.for_reserve)}
        # only places wider than a unit: within a unit switches are dealt over its leaves in turn, and nothing is kept
        for scope in PLACES[: PLACES.index("su")]:
            port_count = load.count_shared_ports(scope, leaf.switches, for_reserve=leaf.for_reserve)
            if port_count and not is_dealt_in_turn(scope, find_scope(leaf.per)):
                capacities[load.make_room_key(scope)] = port_count
    for tier in design.tiers:
        capacities |= {
            write_room_name(tier.key, kind): port_count for kind, port_count in tier.for_extras if port_count
        }
        capacities |= _count_peer_ports(design, tier, lock)
    for tier in design.tiers:
        numbers |= _allocate_front(design, tier) if tier.lowest else _allocate_front_above(design, tier)
    floor = FloorPlan(design)
    words_by_kind = _collect_words(design)
    words_by_kind[STACKED] = {**lock.find_words(STACKED), **floor.shared.list_lock_words()}
    unnumbered = {**lock.find_words(UNNUMBERED), **list_unnumbered_words(design)}
    words_by_kind |= {UNNUMBERED: unnumbered} if unnumbered else {}
    numbers |= list_index_entries(design)
    return replace(
        lock,
        held=numbers | floor.list_lock_entries(),
        rooms=capacities | floor.areas.list_kept_counts(),
        words=words_by_kind,
    )


def _count_peer_ports(design: Design, tier: TierDesign, lock: Lock) -> dict[str, int]:
    """Return the counts that the lock keeps of a tier's ports for pairs and spans, by the names of
    `name_ports_holder`.

    They are how many ports the run of these had at first and, for each span and site, how many there are from the
    span's first port to the end of the run. Empty for a tier with meshes alone, and if its pairs have links for each
    unit.
    """
    peer_spec = design.loaded.blueprint.fabrics[tier.fabric].tiers[tier.name].peer
    growing = [mesh for mesh in tier.links_inside if mesh.word != "mesh"]
    # ports of meshes, and of links of units, are numbered for every reserved place: no more lie before the first ones
    if not growing or (peer_spec and peer_spec.per_su):
        return {}
    port_count, holder, sites = growing[0].run.count, name_ports_holder(tier.key), design.layout.sites
    return {holder: lock.rooms.get(holder, port_count)} | {
        name_ports_holder(tier.key, span.name, sites[site]): port_count - first_port
        for span in tier.spans
        for site, first_port in zip(span.sites, span.first_ports, strict=True)
    }


def _allocate_front(design: Design, tier: TierDesign) -> dict[str, Allocations]:
    """Return the cages of each kind of down port of a lowest tier, and the ports of nodes and management in them."""
    lock = design.layout.lock
    allocations: dict[str, Allocations] = {}
    kind = name_cages_kind(tier.key)
    cages = record_cages(lock.find_allocations(kind), tier.downs)
    if cages:
        allocations[kind] = cages
    for number, run in enumerate(tier.downs):
        ports_kind = name_ports_kind(tier.key, name_run(run))
        kept_ports = dict(lock.find_allocations(ports_kind))
        holder_by_port: dict[int, str] = {}
        for holder, (first_port, jumps, count) in _list_ports(design, tier, number).items():
            ports = [
                find_port(first_port, jumps, i)
                for i in range(-(-count // run.links_per_connector) * run.links_per_connector)
            ]
            holder_by_port |= dict.fromkeys(ports, holder)
            # if the ports in use are the first of those in the lock, the lock keeps the further ones too
            if ports != list(list_first_numbers(kept_ports.get(holder, ()), len(ports))):
                kept_ports[holder] = make_intervals(ports)
        if kept_ports := _drop_taken_ports(kept_ports, holder_by_port):
            allocations[ports_kind] = kept_ports
    return allocations


def _allocate_front_above(design: Design, tier: TierDesign) -> dict[str, Allocations]:
    """Return the cages of each kind of down port of a tier above several parts of the cluster, and the ports for links
    of the parts that came later.
    """
    lock, kind, laid_feeds = design.layout.lock, name_cages_kind(tier.key), [feed for feed in tier.feeds if feed.laid]
    if not laid_feeds and kind not in lock.held:
        return {}
    allocations: dict[str, Allocations] = {kind: record_cages(lock.find_allocations(kind), tier.downs)}
    for number, run in enumerate(tier.downs):
        ports_kind = name_ports_kind(tier.key, name_run(run))
        ports_of_links = {
            name_links_holder(feed.source): make_intervals(
                find_port(feed.first, feed.jumps, i) for i in range(feed.numbered)
            )
            for feed in laid_feeds
            if feed.run == number and feed.numbered
        }
        holder_by_port = {
            port: holder for holder, intervals in ports_of_links.items() for port in list_numbers(intervals)
        }
        if kept_ports := _drop_taken_ports({**lock.find_allocations(ports_kind), **ports_of_links}, holder_by_port):
            allocations[ports_kind] = kept_ports
    return allocations


def _drop_taken_ports(ports_by_holder: Allocations, holder_by_port: Mapping[int, str]) -> dict[str, Intervals]:
    """Return the ports that each holder keeps: those before its first port that another holder has now.

    Holders that keep none are left out. `holder_by_port` has the present holder of each port.
    """
    ports_left = {}
    for holder, intervals in ports_by_holder.items():
        lost_positions = (
            position
            for position, port in enumerate(list_numbers(intervals))
            if holder_by_port.get(port, holder) != holder
        )
        if ports_before := make_intervals(
            list_first_numbers(intervals, next(lost_positions, count_numbers(intervals)))
        ):
            ports_left[holder] = ports_before
    return ports_left


def _list_ports(design: Design, tier: TierDesign, run: int) -> dict[str, tuple[int, Jumps, int]]:
    """Return (first port, jumps, how many ports) of each holder of ports of a run, by the holder's name in the lock:
    nodes of a fabric by kind of port, management, and lower tiers. Jumps are the gaps between ports (`find_jumps`).
    """
    ports_by_holder: dict[str, tuple[int, Jumps, int]] = {}
    for fabric in design.fabrics:
        kinds_of_part: Counter[str] = Counter()
        for node_feed in fabric.feeds_of(tier.key):
            if node_feed.run == run:
                holder = name_nodes_holder(fabric.name, node_feed.part, kinds_of_part[node_feed.part])
                ports_by_holder[holder] = node_feed.first, node_feed.jumps, node_feed.per_switch
            kinds_of_part[node_feed.part] += 1
    for feed in tier.feeds:
        if feed.run == run and feed.numbered:
            holder = name_links_holder(feed.source) if feed.links else MANAGEMENT_PORTS
            ports_by_holder[holder] = feed.first, feed.jumps, feed.numbered
    return ports_by_holder


def count_positions_needed(design: Design) -> dict[tuple[str, str], int]:
    """Return how many positions of management ports each (kind of lock entry, holder) needs."""
    return {holder: count for _, load in _list_managing_tiers(design) for holder, count in load.holders.items()}


def _list_managing_tiers(design: Design) -> Iterator[tuple[TierDesign, ManagementLoad]]:
    """Yield (tier, its load) of the leaves of the management fabric, if there is one."""
    for fabric in design.fabrics:
        for leaf in fabric.managing:
            yield leaf, make_management_load(design, leaf)


def _collect_words(design: Design) -> dict[str, dict[str, str]]:
    """Return what the lock remembers in words, not numbers (such as how ports are dealt, or where extra devices are
    plugged in), by kind and holder. Words of holders that no longer exist are kept.
    """
    fabrics = {fabric.name: fabric for fabric in design.fabrics}
    words = design.layout.lock.words
    words_by_kind = {
        ADOPTED: dict(words.get(ADOPTED, {})),
        "dealing": {**words.get("dealing", {}), **dict(_list_dealing(design))},
        SETS: {**words.get(SETS, {}), **dict(_list_sets(design))},
        SIZED: {**words.get(SIZED, {}), **list_sized_words(design)},
        "extras": {**words.get("extras", {}), **dict(list_extra_words(fabrics))},
    }
    return {kind: holders for kind, holders in words_by_kind.items() if holders}


def _list_sets(design: Design) -> Iterator[tuple[str, str]]:
    """Yield (holder, names) of the sets in units of each kind, in the order in which the sets are numbered."""
    for kind in design.layout.kinds:
        for word, racks in (("nodes", False), ("racks", True)):
            names = [node_set.name for node_set in kind.node_sets if bool(node_set.per_rack) == racks]
            if names and (racks or names != ["node"]):
                yield f"{word}{kind.suffix}", ", ".join(names)


def list_sized_words(design: Design) -> dict[str, str]:
    """Return how each tier of a design is sized, in words of the lock, by holder: `compute spine (pod)`."""
    return {name_holder(tier.key.text, tier.per): _record_size(tier).text() for tier in design.tiers}


def add_sizes(design: Design) -> Lock:
    """Return the lock of a design with the sizes of its tiers added, and nothing else."""
    lock = design.layout.lock
    return replace(lock, words={**lock.words, SIZED: {**lock.find_words(SIZED), **list_sized_words(design)}})


def _record_size(tier: TierDesign) -> SizedBefore:
    """Return the sizes of a tier that the lock keeps: count, splits of down ports, uplinks."""
    downs = group_pairs((run.speed_gbps, run.ways) for run in tier.downs)
    sized = SizedBefore(
        count=tier.count,
        model=tier.profile.id,
        slots=tier.slots,
        uneven=tier.uneven,
        downs={speed: ways[0] for speed, ways in downs.items() if len(set(ways)) == 1},
    )
    if tier.up is None or tier.uplink is None:
        return sized
    return replace(
        sized,
        uplinks=tier.up.count,
        speed_gbps=tier.up.speed_gbps,
        upper=" ".join(tier.uplink.upper),
        needed=tier.needed_uplinks,
        allowed=tier.allowed,
        up_ways=tier.up.ways,
    )


def list_holders_in_use(design: Design) -> frozenset[tuple[str, str]]:
    """Return (kind, holder) of everything remembered that is still in use."""
    tiers = {("dealing", name) for tier in design.tiers for name in (tier.key.text, name_ports_beside_nodes(tier.key))}
    extras = {("extras", name) for name, _ in list_extra_words({f.name: f for f in design.fabrics})}
    managed = {(AREAS, place) for place in PLACES}
    for _, load in _list_managing_tiers(design):
        managed |= load.holders.keys() | {(load.areas_kind, place) for place in PLACES}
    sized = {(SIZED, name) for name in list_sized_words(design)} | {(SETS, name) for name, _ in _list_sets(design)}
    for tier in design.tiers:
        is_kept = tier.lowest or any(feed.laid for feed in tier.feeds)
        runs = enumerate(tier.downs) if is_kept else ()
        for number, run in runs:
            managed.add((name_cages_kind(tier.key), name_run(run)))
            managed |= {(name_ports_kind(tier.key, name_run(run)), name) for name in _list_ports(design, tier, number)}
    unnumbered_names = ("sites", *map(name_hall_holder, design.layout.sites), *(tier.key.text for tier in design.tiers))
    unnumbered = {(UNNUMBERED, name) for name in unnumbered_names}
    pods = {pod.name for pod in design.layout.pods}
    counted = {(kind, pod) for kind, blocks in list_index_entries(design).items() for pod in blocks if pod in pods}
    return frozenset(tiers | sized | extras | managed | unnumbered | counted) | FloorPlan(design).list_lock_holders()


def _list_dealing(design: Design) -> Iterator[tuple[str, str]]:
    """Yield (holder, `slot` or `unit`), which says how ports are numbered, for tiers whose nodes or lower switches may
    grow in number. The holder is the tier, or `compute leaf beside nodes` for all ports but those of nodes.
    """
    for fabric in design.fabrics:
        for feed in fabric.node_feeds:
            leaf = design.tier(feed.leaf)
            if spans_units(leaf.per) and not design.loaded.blueprint.fabrics[leaf.fabric].tiers[leaf.name].spread:
                yield feed.leaf.text, "slot" if feed.by_slot else "unit"
    for tier in design.tiers:
        if tier.narrow:
            yield name_ports_beside_nodes(tier.key), "unit"
        if tier.uplink is None or design.tier(tier.uplink.upper).lowest:
            continue
        upper = design.tier(tier.uplink.upper)
        lower_depth, upper_depth = (find_depth(find_scope(per)) for per in (tier.per, upper.per))
        # upper groups of a pod or wider, whose lower switches are of units and grow in number with these
        if upper_depth <= find_depth("pod") < lower_depth:
            yield upper.key.text, "slot" if tier.uplink.by_slot else "unit"

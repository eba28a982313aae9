"""What sizing keeps of the lock: counts, uplinks and breakouts that still suffice for what the blueprint asks.

A stated value always wins. A kept value holds as long as the design behind it is the same (switch, `per`,
oversubscription, speed, nodes of a unit). Growth may need more than was kept; an edit of one of these derives the value
anew.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from fabricgen.blueprint.beside.lock import Lock
from fabricgen.design.fabric_model import Feed, find_jumps
from fabricgen.design.ports import (
    PortDemand,
    PortKind,
    PortPlacement,
    PortRun,
    SwitchDemand,
    find_down_class,
    place_ports,
)
from fabricgen.design.shape import spans_units
from fabricgen.design.sizing.kept_front import (
    list_extra_ports,
    name_cages_kind,
    name_links_holder,
    name_ports_kind,
    name_run,
    spell_run,
)
from fabricgen.design.sizing.spread import RunPorts
from fabricgen.design.tiers import TierSpec
from fabricgen.kernel.intervals import list_numbers, make_intervals


def find_kept_uplinks(tier: TierSpec, needed: int, kind: PortKind, groups: int) -> int:
    """Return the uplinks of a switch that the lock keeps; 0 if it keeps none that hold.

    On a tier within a unit they hold if `needed`, the uplinks needed now, is what was needed then; on a tier that spans
    units they also hold as long as they suffice. Their number must divide over `groups`, the upper groups.
    """
    sized_before = tier.before
    if sized_before is None or tier.upper is None or sized_before.upper != " ".join(tier.upper):
        return 0
    is_same = sized_before.speed_gbps == kind.speed_gbps and sized_before.allowed == tier.allowed
    suffices = sized_before.needed == needed or (spans_units(tier.per) and needed <= sized_before.uplinks)
    return sized_before.uplinks if is_same and suffices and sized_before.uplinks % groups == 0 else 0


def is_sized_as_before(tier: TierSpec, uplinks: int) -> bool:
    """Whether the switches of a tier have as many uplinks as the lock says, to the same tier."""
    sized_before = tier.before
    return bool(
        sized_before
        and uplinks
        and sized_before.uplinks == uplinks
        and tier.upper
        and sized_before.upper == " ".join(tier.upper)
    )


def find_kept_count(tier: TierSpec) -> int:
    """Return the number of switches in a group that the lock keeps.

    It is 0 if the lock keeps none, if the blueprint states a `count`, if the switches were of another model, or if only
    one of lock and blueprint has `spread: uneven`.
    """
    sized_before = tier.before
    is_same = (
        sized_before and sized_before.model == tier.profile.id and sized_before.uneven == (tier.spec.spread == "uneven")
    )
    return sized_before.count if sized_before and is_same and not tier.spec.count else 0


def find_kept_leaves(tier: TierSpec, slots: Sequence[int], fits: Callable[[int], bool]) -> int:
    """Return the number of switches in a group of a lowest tier that the lock keeps; 0 if there is none to keep.

    `slots` are the node slots of the fullest group, by kind of port. If their sum is not that of the lock, the number
    is kept only on a tier that spans units, and only if it divides them. It must also fit (`fits`).
    """
    count = find_kept_count(tier)
    if not count or tier.before is None:
        return 0
    same_slots = tier.before.slots == sum(slots)
    has_grown = spans_units(tier.per) and all(number % count == 0 for number in slots)
    return count if (same_slots or has_grown) and fits(count) else 0


def find_kept_split(tier: TierSpec, kind: PortKind) -> int | None:
    """Return into how many ports the lock splits cages for down ports of a kind; None if that is the usual number."""
    ways = tier.before.downs.get(kind.speed_gbps) if tier.before else None
    usual_class_and_ways = find_down_class(tier.profile, PortDemand(kind, 0))
    if not ways or (usual_class_and_ways and usual_class_and_ways[1] == ways):
        return None
    return ways if find_down_class(tier.profile, PortDemand(kind, 0, ways)) else None


def place_upward(
    tier: TierSpec, demand: SwitchDemand, count: int, kind: PortKind
) -> tuple[SwitchDemand, PortPlacement | None]:
    """Return (demand with `count` uplinks of a kind, where the ports are placed), in cages split as the lock says if
    that fits; the placement is None if the switch has too few ports.
    """
    with_uplinks = demand.add_uplinks(count, kind)
    placement = place_ports(tier.profile, with_uplinks)
    sized_before = tier.before
    ways = sized_before.up_ways if sized_before and sized_before.speed_gbps == kind.speed_gbps else 0
    if placement and placement.up and ways and placement.up.ways != ways:
        split = with_uplinks._replace(up=PortDemand(kind, count, ways))
        split_placement = place_ports(tier.profile, split)
        if split_placement:
            return split, split_placement
    return with_uplinks, placement


# Ports of a tier above several parts of the cluster: links of the part that came first are spread as if it were
# alone, and links of later parts take the ports that are left. So a part that comes, or grows, moves no link of
# another. The lock keeps which ports the later parts have, and the cages of each kind of port: a cage that another
# kind has taken since is a gap.

PlacePorts = Callable[[SwitchDemand], PortPlacement | None]
"""Places the ports of a switch; returns None if it has too few."""


class LaidPorts(NamedTuple):
    """Where the ports of a switch are: which cages its runs have (`placement`), which ports each purpose has (`feeds`),
    and over how many ports of the first run the links of the first feed are spread (`reach`).
    """

    placement: PortPlacement
    feeds: tuple[Feed, ...]
    reach: int

    def ports_of(self, feed: Feed) -> tuple[int, ...]:
        """Return the ports of a feed in their run, in the order of its links."""
        return RunPorts(self.placement.downs[feed.run], feed.run, self.feeds, (self.reach,)).list_ports_of(feed)


class _StayingPorts(NamedTuple):
    """Cages and ports that stay where they are, by the name of their run (`name_run`)."""

    cages: Mapping[str, tuple[int, ...]]
    """The cages of each run."""
    ports: Mapping[str, Mapping[str, tuple[int, ...]]]
    """For each run, the ports of each holder in the order of its links."""


class KeptAbove:
    """The cages and ports that stay on the switches of a tier above several parts of the cluster.

    Only links of the part that came first are spread over the ports (`spread.py`); none are if that part is gone.
    """

    def __init__(self, lock: Lock, spec: TierSpec) -> None:
        self._lock, self._spec = lock, spec
        self.is_in_lock = bool(lock.find_allocations(name_cages_kind(spec.key)))
        """Whether the lock keeps cages of the tier."""

    def place_demand(
        self, demand: SwitchDemand, fresh: LaidPorts, laid_alone: LaidPorts | None, place_ports_of: PlacePorts
    ) -> LaidPorts:
        """Return where the ports of a demand are when some stay where they were: the ports in the lock or, if it has
        none, those that the part of the cluster which came first would have alone (`laid_alone`).

        If these cannot stay, return `fresh`, in which all ports are placed anew. All feeds in it but the first then
        list their ports explicitly (`jumps`).
        """
        staying = self._read_lock() if self.is_in_lock else _record_staying(laid_alone) if laid_alone else None
        return (staying and self._place_beside(staying, demand, fresh, place_ports_of)) or _list_ports_explicitly(fresh)

    def _read_lock(self) -> _StayingPorts:
        """Return the cages and ports that the lock has for the tier."""
        key = self._spec.key
        cages = {
            name: tuple(list_numbers(intervals))
            for name, intervals in self._lock.find_allocations(name_cages_kind(key)).items()
        }
        ports_of_run = {run: self._lock.find_allocations(name_ports_kind(key, run)) for run in cages}
        ports = {
            run: {name: tuple(list_numbers(intervals)) for name, intervals in ports_by_holder.items()}
            for run, ports_by_holder in ports_of_run.items()
        }
        return _StayingPorts(cages, ports)

    def _place_beside(
        self, staying: _StayingPorts, demand: SwitchDemand, fresh: LaidPorts, place_ports_of: PlacePorts
    ) -> LaidPorts | None:
        """Return the ports of a demand placed beside those that stay, which have priority; None if they do not fit.
        `fresh` are the ports as placed anew.
        """
        # into how many ports each run's cages are split; 1 for a kind of port that no cage offers
        ways_of_runs = [(find_down_class(self._spec.profile, wanted) or (0, 1))[1] for wanted in demand.downs]
        names = [
            spell_run(ports_per_cage, wanted.kind)
            for ports_per_cage, wanted in zip(ways_of_runs, demand.downs, strict=True)
        ]
        first_run, cages = fresh.placement.downs[0], staying.cages.get(names[0], ())
        reach = min(fresh.reach, len(cages) * first_run.ways) if cages else fresh.reach
        ports_by_feed: list[dict[Feed, tuple[int, ...]]] = [{} for _ in names]
        for feed in fresh.feeds:
            ports_by_feed[feed.run][feed] = staying.ports.get(names[feed.run], {}).get(
                name_links_holder(feed.source), ()
            )[: feed.numbered]
        # the first feed is spread anew if none of its ports is kept; other feeds take the next free ports
        first_feed = fresh.feeds[0] if not ports_by_feed[0][fresh.feeds[0]] else None
        spread: tuple[int, ...] = ()
        if first_feed:
            del ports_by_feed[0][first_feed]
            run = replace(first_run, cages=cages or first_run.cages)
            spread = RunPorts(run, 0, (first_feed,), (reach,)).list_ports_of(first_feed)
        extras = list_extra_ports(self._lock, self._spec.key)
        downs = []
        for i, wanted in enumerate(demand.downs):
            kept_cages, ports_per_cage = staying.cages.get(names[i], ()), ways_of_runs[i]
            used = [port for feed_ports in ports_by_feed[i].values() for port in feed_ports] + (
                list(spread) if i == 0 else []
            )
            busy = {kept_cages[port // ports_per_cage] for port in used if port // ports_per_cage < len(kept_cages)}
            busy |= {cage for cage, _ in extras if cage in kept_cages}
            # a kept cage 0 is a gap
            downs.append(replace(wanted, kept=kept_cages, busy=tuple(sorted(busy - {0}))))
        placement = place_ports_of(demand._replace(downs=tuple(downs)))
        if placement is None:
            return None
        laid_feeds = {first_feed: first_feed} if first_feed else {}
        for i, run in enumerate(placement.downs):
            laid = _extend_feeds(
                run, first_feed if i == 0 else None, ports_by_feed[i], reach, _list_extra_ports(run, extras)
            )
            if laid is None:
                return None
            laid_feeds |= laid
        return LaidPorts(placement, tuple(laid_feeds[feed] for feed in fresh.feeds), reach)


def _record_staying(laid: LaidPorts) -> _StayingPorts:
    """Return the ports of `laid` as ports that stay; the ports of the first feed are left out, as they follow from its
    cages.
    """
    ports: dict[str, dict[str, tuple[int, ...]]] = {}
    for feed in laid.feeds[1:]:
        ports_of_run = ports.setdefault(name_run(laid.placement.downs[feed.run]), {})
        ports_of_run[name_links_holder(feed.source)] = laid.ports_of(feed)
    return _StayingPorts({name_run(run): run.cages for run in laid.placement.downs}, ports)


def _list_ports_explicitly(laid: LaidPorts) -> LaidPorts:
    """Return the same ports, those of all feeds but the first one listed by `first` and `jumps`."""
    first_feed, *other_feeds = laid.feeds
    return laid._replace(feeds=(first_feed, *(_lay_feed(feed, laid.ports_of(feed)) for feed in other_feeds)))


def _lay_feed(feed: Feed, ports: Sequence[int]) -> Feed:
    intervals = make_intervals(ports)
    return feed._replace(first=intervals[0].first if intervals else 0, jumps=find_jumps(intervals), laid=True)


def _list_extra_ports(run: PortRun, extras: set[tuple[int, int]]) -> set[int]:
    """Return the ports of a run that extra devices have; `extras` are (cage, port in the cage)."""
    index_of_cage = {cage: i for i, cage in enumerate(run.cages) if cage}
    return {index_of_cage[cage] * run.ways + sub for cage, sub in extras if cage in index_of_cage}


def _extend_feeds(
    run: PortRun, first_feed: Feed | None, ports_by_feed: Mapping[Feed, Sequence[int]], reach: int, extras: set[int]
) -> dict[Feed, Feed] | None:
    """Return each feed of a run with its ports listed: the ports that it holds, then the next free ports for those it
    lacks. None if there are too few, if two holders have one port, or if a port held is beyond the run or in a gap.

    `first_feed`, if it is to be spread anew, takes ports among the first `reach` of the run; `extras` are ports of
    extra devices.
    """
    spread = RunPorts(run, 0, (first_feed,), (reach,)) if first_feed else None
    spread_ports = list(spread.list_ports_of(first_feed)) if spread and first_feed else []
    ports_used = [*spread_ports, *(port for feed_ports in ports_by_feed.values() for port in feed_ports), *extras]
    if len(set(ports_used)) < len(ports_used) or any(
        port >= run.numbers or not run.cages[port // run.ways] for port in ports_used
    ):
        return None
    connectors_taken = {port // run.links_per_connector for port in ports_used}
    run_order = spread.others if spread else range(run.numbers)
    free_ports = [
        port
        for port in run_order
        if port // run.links_per_connector not in connectors_taken and run.cages[port // run.ways]
    ]
    laid_feeds = {}
    for feed, feed_ports in ports_by_feed.items():
        ports, per_connector = list(feed_ports), run.links_per_connector
        connectors_per_feed = feed.links // per_connector
        # the nested order: lane by lane over the connectors of a lower switch
        port_order = [
            link % connectors_per_feed * per_connector + link // connectors_per_feed
            if feed.nested and connectors_per_feed
            else link
            for link in range(feed.links)
        ]
        while len(ports) < feed.numbered:
            next_ports = free_ports[: feed.links]
            if len(next_ports) < feed.links:
                return None
            ports += [next_ports[link] for link in port_order]
            free_ports = free_ports[feed.links :]
        laid_feeds[feed] = _lay_feed(feed, ports)
        # the next feed begins on the next connector
        free_ports = free_ports[
            next((i for i, port in enumerate(free_ports) if port % per_connector == 0), len(free_ports)) :
        ]
    return laid_feeds

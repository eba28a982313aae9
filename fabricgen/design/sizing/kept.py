"""What sizing keeps of the lock: counts, uplinks and breakouts that still suffice for what the blueprint asks.

A stated value always wins. What is kept holds as long as the design behind it is the same (switch, `per`,
oversubscription, speed, nodes of a unit): growth may go past it, an edit of these derives it anew.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from fabricgen.blueprint.beside.lock import Lock
from fabricgen.design.fabric_model import Feed, jumps_of
from fabricgen.design.ports import PortDemand, PortKind, PortPlacement, PortRun, SwitchDemand, down_class, place_ports
from fabricgen.design.shape import spans_units
from fabricgen.design.sizing.kept_front import cages_kind, extra_ports, links_holder, name_of, ports_kind, run_text
from fabricgen.design.sizing.spread import RunPorts
from fabricgen.design.tiers import TierSpec
from fabricgen.kernel.intervals import list_numbers, make_intervals


def kept_uplinks(tier: TierSpec, needed: int, kind: PortKind, groups: int) -> int:
    """The uplinks of a switch that the lock keeps, where `needed` are called for now; 0 where it keeps none.

    On a tier within a unit growth calls for no other number; on one that spans units they hold while they suffice.
    """
    before = tier.before
    if before is None or tier.upper is None or before.upper != " ".join(tier.upper):
        return 0
    same = before.speed_gbps == kind.speed_gbps and before.allowed == tier.allowed
    enough = before.needed == needed or (spans_units(tier.per) and needed <= before.uplinks)
    return before.uplinks if same and enough and before.uplinks % groups == 0 else 0


def as_before(tier: TierSpec, uplinks: int) -> bool:
    """Whether the switches of a tier have the uplinks that the lock says, to the same tier."""
    before = tier.before
    return bool(
        before and uplinks and before.uplinks == uplinks and tier.upper and before.upper == " ".join(tier.upper)
    )


def kept_count(tier: TierSpec) -> int:
    """The switches of a group that the lock keeps; 0 where it keeps none, they were of another model, or links landed
    by another rule.
    """
    before = tier.before
    same = before and before.model == tier.profile.id and before.uneven == (tier.spec.spread == "uneven")
    return before.count if before and same and not tier.spec.count else 0


def kept_leaves(tier: TierSpec, slots: Sequence[int], fits: Callable[[int], bool]) -> int:
    """The switches of a group of a lowest tier that the lock keeps for node slots, by kind of port; 0 where none.

    For other node slots than they were derived for they hold where the tier spans units and slots divide equally.
    """
    count = kept_count(tier)
    if not count or tier.before is None:
        return 0
    same = tier.before.slots == sum(slots)
    grown = spans_units(tier.per) and all(number % count == 0 for number in slots)
    return count if (same or grown) and fits(count) else 0


def down_ways(tier: TierSpec, kind: PortKind) -> int | None:
    """Into how many ports the lock says that cages are split for down ports; None where that is the usual number."""
    ways = tier.before.downs.get(kind.speed_gbps) if tier.before else None
    usual = down_class(tier.profile, PortDemand(kind, 0))
    if not ways or (usual and usual[1] == ways):
        return None
    return ways if down_class(tier.profile, PortDemand(kind, 0, ways)) else None


def place_upward(
    tier: TierSpec, demand: SwitchDemand, count: int, kind: PortKind
) -> tuple[SwitchDemand, PortPlacement | None]:
    """(demand with `count` uplinks of a kind, where the ports are placed), in cages split as the lock says where that
    fits; None in place of the latter when the switch has too few.
    """
    whole = demand.upward(count, kind)
    placement = place_ports(tier.profile, whole)
    before = tier.before
    ways = before.up_ways if before and before.speed_gbps == kind.speed_gbps else 0
    if placement and placement.up and ways and placement.up.ways != ways:
        split = replace(whole, up=PortDemand(kind, count, ways))
        other = place_ports(tier.profile, split)
        if other:
            return split, other
    return whole, placement


# Ports of a tier above several parts of the cluster: links of the part that came first are spread as if it were
# alone, and those of parts that come later take what is left, so that a part that comes, or grows, moves no link of
# another.
# Which ports the later ones have is kept in the lock, as are the cages of each kind of port: one that another kind
# has taken since is a gap.

Placed = Callable[[SwitchDemand], PortPlacement | None]
"""Places the ports of a switch; None when it has too few."""


@dataclass(frozen=True, slots=True)
class Laid:
    """Where the ports of a switch are: its placement, the feeds, and over how many ports of the first run the links of
    the first feed are spread.
    """

    placement: PortPlacement
    feeds: tuple[Feed, ...]
    reach: int

    def ports_of(self, feed: Feed) -> tuple[int, ...]:
        """The ports of a feed in their run, in the order of its links."""
        return RunPorts(self.placement.downs[feed.run], feed.run, self.feeds, (self.reach,)).of(feed)


@dataclass(frozen=True, slots=True)
class _Before:
    """What stays, by run (as `name_of` has it): its cages, and the ports of each holder in the order of its links."""

    cages: Mapping[str, tuple[int, ...]]
    ports: Mapping[str, Mapping[str, tuple[int, ...]]]


class KeptAbove:
    """The cages and ports that stay on the switches of one tier.

    Where the part that came first is gone, the links of no other are spread.
    """

    def __init__(self, lock: Lock, spec: TierSpec) -> None:
        self._lock, self._spec = lock, spec
        self.known = bool(lock.of(cages_kind(spec.key)))
        """Whether the lock keeps some."""

    def place(self, demand: SwitchDemand, fresh: Laid, alone: Laid | None, placed: Placed) -> Laid:
        """The ports of a demand beside those that stay: of the lock, else those that the part which came first has
        `alone`; `fresh` where they cannot stay. `placed` places the ports of a switch.
        """
        before = self._of_lock() if self.known else _before(alone) if alone else None
        return (before and self._beside(before, demand, fresh, placed)) or _explicit(fresh)

    def _of_lock(self) -> _Before:
        key = self._spec.key
        cages = {name: tuple(list_numbers(some)) for name, some in self._lock.of(cages_kind(key)).items()}
        held = {run: self._lock.of(ports_kind(key, run)) for run in cages}
        ports = {run: {name: tuple(list_numbers(some)) for name, some in of.items()} for run, of in held.items()}
        return _Before(cages, ports)

    def _beside(self, before: _Before, demand: SwitchDemand, fresh: Laid, placed: Placed) -> Laid | None:
        """The ports of a demand beside those that stay; None where they cannot."""
        chosen = [down_class(self._spec.profile, wanted) or (0, 1) for wanted in demand.downs]
        names = [run_text(where[1], wanted.kind) for where, wanted in zip(chosen, demand.downs, strict=True)]
        first, cages = fresh.placement.downs[0], before.cages.get(names[0], ())
        reach = min(fresh.reach, len(cages) * first.ways) if cages else fresh.reach
        held: list[dict[Feed, tuple[int, ...]]] = [{} for _ in names]
        for feed in fresh.feeds:
            held[feed.run][feed] = before.ports.get(names[feed.run], {}).get(links_holder(feed.source), ())[: feed.room]
        chief = fresh.feeds[0] if not held[0][fresh.feeds[0]] else None
        spread: tuple[int, ...] = ()
        if chief:
            del held[0][chief]
            spread = RunPorts(replace(first, cages=cages or first.cages), 0, (chief,), (reach,)).of(chief)
        extras = extra_ports(self._lock, self._spec.key)
        downs = []
        for i, wanted in enumerate(demand.downs):
            kept, ways = before.cages.get(names[i], ()), chosen[i][1]
            used = [port for some in held[i].values() for port in some] + (list(spread) if i == 0 else [])
            busy = {kept[port // ways] for port in used if port // ways < len(kept)}
            busy |= {cage for cage, _ in extras if cage in kept}
            downs.append(replace(wanted, kept=kept, busy=tuple(sorted(busy - {0}))))
        placement = placed(replace(demand, downs=tuple(downs)))
        if placement is None:
            return None
        told = {chief: chief} if chief else {}
        for i, run in enumerate(placement.downs):
            laid = _extended(run, chief if i == 0 else None, held[i], reach, _on(run, extras))
            if laid is None:
                return None
            told |= laid
        return Laid(placement, tuple(told[feed] for feed in fresh.feeds), reach)


def _before(laid: Laid) -> _Before:
    """What stays of ports as they are; those of the first feed follow from the cages."""
    ports: dict[str, dict[str, tuple[int, ...]]] = {}
    for feed in laid.feeds[1:]:
        of_run = ports.setdefault(name_of(laid.placement.downs[feed.run]), {})
        of_run[links_holder(feed.source)] = laid.ports_of(feed)
    return _Before({name_of(run): run.cages for run in laid.placement.downs}, ports)


def _explicit(laid: Laid) -> Laid:
    """The same, with the ports of all feeds but the first one told one by one."""
    chief, *others = laid.feeds
    return replace(laid, feeds=(chief, *(_told(feed, laid.ports_of(feed)) for feed in others)))


def _told(feed: Feed, ports: Sequence[int]) -> Feed:
    some = make_intervals(ports)
    return replace(feed, first=some[0].first if some else 0, jumps=jumps_of(some), laid=True)


def _on(run: PortRun, extras: set[tuple[int, int]]) -> set[int]:
    """The ports of a run that extra devices have; `extras` are (cage, port in the cage)."""
    places = {cage: i for i, cage in enumerate(run.cages) if cage}
    return {places[cage] * run.ways + sub for cage, sub in extras if cage in places}


def _extended(
    run: PortRun, chief: Feed | None, held: Mapping[Feed, Sequence[int]], reach: int, extras: set[int]
) -> dict[Feed, Feed] | None:
    """The feeds of a run with the ports that they hold, and the next free ones for what more they need; None where some
    cannot be had.
    """
    spread = RunPorts(run, 0, (chief,), (reach,)) if chief else None
    own = list(spread.of(chief)) if spread and chief else []
    used = [*own, *(port for some in held.values() for port in some), *extras]
    if len(set(used)) < len(used) or any(port >= run.numbers or not run.cages[port // run.ways] for port in used):
        return None
    taken = {port // run.per_connector for port in used}
    order = spread.from_top() if spread else range(run.numbers)
    free = [p for p in order if p // run.per_connector not in taken and run.cages[p // run.ways]]
    found = {}
    for feed, some in held.items():
        ports, per = list(some), run.per_connector
        whole = feed.links // per
        turn = [k % whole * per + k // whole if feed.nested and whole else k for k in range(feed.links)]
        while len(ports) < feed.room:
            chunk = free[: feed.links]
            if len(chunk) < feed.links:
                return None
            ports += [chunk[k] for k in turn]
            free = free[feed.links :]
        found[feed] = _told(feed, ports)
        free = free[next((i for i, p in enumerate(free) if p % per == 0), len(free)) :]
    return found

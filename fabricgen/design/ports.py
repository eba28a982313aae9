"""Ports on the front of a switch: which cages carry downlinks, uplinks and peer links, and how many ports fit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from fabricgen.catalog.models import SwitchProfile


class PortKind(NamedTuple):
    """What tells apart ports that cannot share a cage: speed and lane rate, Gb/s, whether it is RJ45, and the key of
    the cages that are kept for their purpose (`down.storage`; "" for those of any).
    """

    speed_gbps: int
    lane_gbps: float
    rj45: bool = False
    purpose: str = ""


@dataclass(frozen=True, slots=True)
class PortRun:
    """Consecutive ports of one kind and purpose on a switch, numbered from 0 through `cages` in their order.

    `count` ports are required; the cages may hold more, and those are spare. Each cage is split into `ways` ports over
    `connectors` connectors. A cage 0 is a gap where another run has taken one: ports are numbered through it.
    """

    count: int
    speed_gbps: int
    lane_gbps: float
    cage_class: int
    cages: tuple[int, ...]
    ways: int
    connectors: int
    form_factor: str = ""
    """Form factor of its cages."""
    top: str = ""
    """The OSFP plug that its cages take: finned or flat; "" for other cages."""
    purpose: str = ""
    """The key of the cages that are kept for its purpose; "" for those of any."""
    vendor: str = ""
    """Who makes the switch."""
    made_media: tuple[str, ...] = ()
    """Ids of the only cable profiles that are made for its cages at that lane rate; empty: any that fits."""

    @property
    def per_connector(self) -> int:
        """Links that share one cable connector: above 1 the cable is a breakout."""
        return max(1, self.ways // self.connectors)

    @property
    def capacity(self) -> int:
        """Ports that its cages hold."""
        return (len(self.cages) - self.cages.count(0)) * self.ways

    @property
    def numbers(self) -> int:
        """How many numbers its ports take, those in gaps included."""
        return len(self.cages) * self.ways

    @property
    def bandwidth_gbps(self) -> int:
        """Bandwidth of the required ports, Gb/s."""
        return self.count * self.speed_gbps


@dataclass(frozen=True, slots=True)
class PortDemand:
    """Ports of one kind that a switch must offer: `count` in use, and `ports` that are numbered or kept free.

    `ways` is a stated breakout (-1: a breakout that offers no such port). With `last` they take the last free cages, so
    that other downlinks can grow. `kept` are the cages that a lock has for it, in the order of their ports and 0 for
    gaps; it must have those that are `busy`.
    """

    kind: PortKind
    count: int
    ways: int | None = None
    ports: int = 0
    last: bool = False
    kept: tuple[int, ...] = ()
    busy: tuple[int, ...] = ()

    @property
    def needed(self) -> int:
        """How many ports there must be."""
        return max(self.count, self.ports)


class SwitchDemand(NamedTuple):
    """All ports that one switch must offer: down, peer and up. `ranges` are (role, cages that it may use), `claimed`
    cages that nothing may use.
    """

    downs: tuple[PortDemand, ...]
    peers: tuple[PortDemand, ...] = ()
    up: PortDemand | None = None
    ranges: tuple[tuple[str, tuple[int, ...]], ...] = ()
    claimed: tuple[int, ...] = ()

    @property
    def down_gbps(self) -> int:
        """Downlink bandwidth, Gb/s."""
        return sum(down.count * down.kind.speed_gbps for down in self.downs)

    def add_uplinks(self, count: int, kind: PortKind) -> SwitchDemand:
        """The same demand with `count` uplinks of a kind."""
        return self._replace(up=PortDemand(kind, count))


class PortPlacement(NamedTuple):
    """Which cages carry which ports of a switch: one run of ports for each port demand, in the same order."""

    downs: tuple[PortRun, ...]
    peers: tuple[PortRun, ...]
    up: PortRun | None


def find_down_class(profile: SwitchProfile, demand: PortDemand) -> tuple[int, int] | None:
    """(cage class, ways) for downlinks: the cage class with most ports of that kind; None where no class offers it."""
    return _find_class_of_kind(profile, demand.kind, demand.ways)


@lru_cache(maxsize=1024)
def _find_class_of_kind(profile: SwitchProfile, kind: PortKind, stated_ways: int | None) -> tuple[int, int] | None:
    """As `find_down_class`, which tiers ask for each number of switches that they try."""
    candidates = []
    for i, cage in enumerate(profile.cages):
        if (cage.form_factor == "RJ45") != kind.rj45:
            continue
        ways = profile.split_for(i, kind.speed_gbps, kind.lane_gbps)
        if ways and stated_ways:
            ways = stated_ways if cage.carries(stated_ways, kind.speed_gbps, kind.lane_gbps) else None
        if ways:
            candidates.append((profile.count_split_ports(i, ways), -i, i, ways))
    return max(candidates)[2:] if candidates else None


def find_up_class(profile: SwitchProfile, below: int | None) -> int:
    """The cage class for uplinks: faster cages than those of the downlinks where the switch has some, else the same."""
    floor = profile.cages[below].speed_gbps if below is not None else 0
    candidates = [i for i, cage in enumerate(profile.cages) if cage.form_factor != "RJ45" and cage.speed_gbps > floor]
    best = max(candidates, key=lambda i: (profile.cages[i].speed_gbps * profile.cages[i].count, -i), default=below)
    return best or 0


def choose_uplink_speed(profile: SwitchProfile, below: int | None, down_speed_gbps: int) -> int:
    """The default uplink speed, Gb/s: that of the downlinks, or the native speed of separate uplink cages."""
    above = find_up_class(profile, below)
    return down_speed_gbps if above == below else profile.cages[above].speed_gbps


class _FreeCages:
    """The cages of a switch that carry no ports yet."""

    def __init__(self, profile: SwitchProfile, demand: SwitchDemand, chosen: Sequence[tuple[int, int]]) -> None:
        # `chosen` is (cage class, ways) of each down demand
        self._profile, self._ranges = profile, dict(demand.ranges)
        self._written = {role for role, cages in demand.ranges if "." in role or list(cages) != sorted(cages)}
        """Roles whose cages are taken in the order that is written."""
        self._free = set(range(1, profile.cage_count + 1)) - set(demand.claimed)
        self._owners = {
            cage + i: down
            for down, (cage_class, ways) in zip(demand.downs, chosen, strict=True)
            for cage in down.busy
            for i in range(profile.cages[cage_class].block(ways))
        }
        """The demand that a lock keeps a cage for."""
        self._served: dict[int, int] = {}

    def is_taken_as_written(self, role: str) -> bool:
        """Whether a role takes cages in the order that its ranges are written."""
        return role in self._written

    def _list_usable(self, cage_class: int, role: str, ways: int) -> list[int]:
        """Free cages of a class that a role may use with this split, limited by what their pipelines serve; of each
        block of cages that the split disables, the first.
        """
        first, cage = self._profile.find_first_cage(cage_class), self._profile.cages[cage_class]
        range_of_role = self._ranges.get(role)
        kept_for_others = {c for other_role, cages in self._ranges.items() if other_role != role for c in cages}
        allowed = self._free & set(range_of_role) if range_of_role else self._free - kept_for_others
        step = cage.block(ways)
        block_starts: Sequence[int] = range(first, first + cage.count, step)
        block_starts = [c for c in range_of_role or () if c in block_starts] if role in self._written else block_starts
        free = [c for c in block_starts if (c in allowed if step == 1 else allowed.issuperset(range(c, c + step)))]
        return list(self._profile.list_served_cages(free, ways, self._served)) if self._profile.pipelines else free

    def _list_usable_by(self, demand: PortDemand, split: tuple[int, int], role: str) -> list[int]:
        """The usable cages that a lock does not keep for another demand."""
        usable = self._list_usable(split[0], role, split[1])
        step = self._profile.cages[split[0]].block(split[1])
        cages_of_others = {cage for cage, owner in self._owners.items() if owner is not demand}
        return [c for c in usable if cages_of_others.isdisjoint(range(c, c + step))] if cages_of_others else usable

    def take_cages(
        self, demand: PortDemand, split: tuple[int, int], role: str, *, at_end: bool
    ) -> tuple[int, ...] | None:
        """Take cages for the ports of a demand: those kept for it, then the first free ones, or with `at_end` the last
        ones, round-robin over the line cards; None when too few are free, or one that it must have is not.
        """
        cage_class, ways = split
        usable, cage_count = self._list_usable_by(demand, split, role), -(-demand.needed // ways)
        if demand.kept:
            return self._take_kept(demand, split, usable, cage_count, role, at_end=at_end)
        if cage_count > len(usable):
            return None
        chosen = self._order_by_card(usable, role, at_end=at_end)[:cage_count]
        return self._mark_taken(chosen if role in self._written else sorted(chosen), cage_class, ways)

    def _take_kept(
        self, demand: PortDemand, split: tuple[int, int], usable: list[int], cage_count: int, role: str, *, at_end: bool
    ) -> tuple[int, ...] | None:
        """The kept cages that a demand needs, with gaps for the others, then further ones."""
        # cages that the lock keeps and no port is in yet
        idle = [c for c in demand.kept if c in usable and c not in demand.busy][: max(0, cage_count - len(demand.busy))]
        missing = cage_count - len(demand.busy) - len(idle)
        # 0 stands for a kept cage that this demand has no use for now: ports behind it keep their numbers
        not_kept = [c for c in usable if c not in demand.kept]
        if not set(demand.busy) <= set(usable) or missing > len(not_kept):
            return None
        further = self._order_by_card(not_kept, role, at_end=at_end)[: max(0, missing)]
        further = further if role in self._written else sorted(further)
        own_cages = {*demand.busy, *idle}
        self._mark_taken([*sorted(own_cages), *further], *split)
        backwards = at_end and role not in self._written
        return (*(c if c in own_cages else 0 for c in demand.kept), *(further[::-1] if backwards else further))

    def _mark_taken(self, cages_taken: list[int], cage_class: int, ways: int) -> tuple[int, ...]:
        """Take cages, and those that their split disables, off the free ones; returns them."""
        step = self._profile.cages[cage_class].block(ways)
        self._free -= {c + i for c in cages_taken for i in range(step)}
        self._count_served(cages_taken, ways)
        return tuple(cages_taken)

    def _count_served(self, cages: Sequence[int], ways: int) -> None:
        """Count the ports of some cages against the limits of their pipelines."""
        for cage in cages if self._profile.pipelines else ():
            pipeline = self._profile.pipelines.of_cage.get(cage) if self._profile.pipelines else None
            if pipeline is not None:
                self._served[pipeline] = self._served.get(pipeline, 0) + ways

    def _order_by_card(self, cages: list[int], role: str, *, at_end: bool) -> list[int]:
        """Cages in the order they are taken: as written, or the first (or last) of each line card, then the next of
        each.
        """
        if not self._profile.line_cards or role in self._written:
            return cages[::-1] if at_end else cages
        rank_in_card = {
            # links are spread over line cards, so that the loss of one takes a part of all
            c: len(card) - i if at_end else i
            for card in self._profile.cages_by_card
            for i, c in enumerate(card)
        }
        return sorted(cages, key=lambda cage: (rank_in_card[cage], cage))

    def extend_run(self, run: PortRun, demand: PortDemand) -> PortRun:
        """A run of downlinks extended by all free cages that downlinks may use, round-robin over the line cards.

        Those of the run of a demand that a lock keeps cages for stay in their order, and its gaps are filled again.
        """
        role = run.purpose or "down"
        free = self._list_usable(run.cage_class, role, run.ways)
        if not demand.kept:
            cages = [*run.cages, *free] if role in self._written else sorted((*run.cages, *free))
            return replace(run, cages=tuple(self._order_by_card(cages, role, at_end=False)))
        filled = [
            extended or (kept_cage if kept_cage in free else 0)
            for extended, kept_cage in zip(run.cages, demand.kept, strict=False)
        ]
        extended = [*filled, *run.cages[len(filled) :]]
        return replace(
            run, cages=(*extended, *self._order_by_card([c for c in free if c not in extended], role, at_end=False))
        )


@lru_cache(maxsize=4096)
def place_ports(profile: SwitchProfile, demand: SwitchDemand) -> PortPlacement | None:
    """Give downlinks the first cages, uplinks the last ones, and peer links those before the uplinks; None when too
    few.

    Cages left over go to the first run of downlinks, as its spare ports. Cached, as sizing repeats the same question
    for each search step and each trial of advice.
    """
    chosen = [find_down_class(profile, down) for down in demand.downs]
    splits = [split for split in chosen if split is not None]
    if len(splits) < len(chosen):
        return None
    for above in _list_up_classes(profile, splits[0][0] if splits else None, demand):
        placement = _place_with(profile, demand, splits, above)
        if placement is not None:
            return placement
    return None


def _list_up_classes(profile: SwitchProfile, below: int | None, demand: SwitchDemand) -> list[int]:
    """Cage classes that uplinks and peer links may use, the default one first."""
    default_class = find_up_class(profile, below)
    if demand.up is None and not demand.peers:
        return [default_class]
    other_classes = [i for i, cage in enumerate(profile.cages) if i != default_class and cage.form_factor != "RJ45"]
    return [default_class, *other_classes]


def _place_with(
    profile: SwitchProfile, demand: SwitchDemand, chosen: list[tuple[int, int]], above: int
) -> PortPlacement | None:
    """Place all ports, given (cage class, ways) of each down demand and the cage class of uplinks and peers."""
    free = _FreeCages(profile, demand, chosen)
    upward = (*((demand.up,) if demand.up else ()), *demand.peers)
    upward_runs: list[PortRun] = []
    for port_demand in upward:
        ways = _choose_split(profile, above, port_demand)
        role = "up" if port_demand is demand.up else "peer"
        run = _place_run(profile, free, (above, ways), port_demand, role) if ways else None
        if run is None:
            return None
        upward_runs.append(run)
    downs: list[PortRun] = []
    for port_demand, split in zip(demand.downs, chosen, strict=True):
        run = _place_run(profile, free, split, port_demand, port_demand.kind.purpose or "down")
        if run is None:
            return None
        downs.append(run)
    purposes = [port_demand.kind.purpose for port_demand in demand.downs]
    for i, purpose in enumerate(purposes):
        # the first demand, and the first of each purpose, may grow into all cages that are left
        if i == 0 or (purpose and purpose not in purposes[:i]):
            downs[i] = free.extend_run(downs[i], demand.downs[i])
    return PortPlacement(
        tuple(downs), tuple(upward_runs[1:] if demand.up else upward_runs), upward_runs[0] if demand.up else None
    )


def _choose_split(profile: SwitchProfile, cage_class: int, demand: PortDemand) -> int | None:
    """Into how many ports a cage is split for uplinks or peer links: as stated, else as many as it can carry."""
    if demand.ways is None:
        return profile.split_for(cage_class, demand.kind.speed_gbps, demand.kind.lane_gbps)
    return demand.ways if demand.kind.speed_gbps in profile.cages[cage_class].breakouts.get(demand.ways, ()) else None


def _place_run(
    profile: SwitchProfile, free: _FreeCages, split: tuple[int, int], demand: PortDemand, role: str
) -> PortRun | None:
    """The ports of one demand, in free cages of the (cage class, ways) `split`; None when too few are free."""
    cage_class, ways = split
    cages = free.take_cages(demand, split, role, at_end=role in ("up", "peer") or demand.last)
    if cages is None:
        return None
    # ports are numbered from the last cage on, so that a run that grows downwards keeps its numbers; kept cages, and
    # those written as ranges, are in their order already
    cages = cages[::-1] if demand.last and not demand.kept and not free.is_taken_as_written(role) else cages
    kind, cage = demand.kind, profile.cages[cage_class]
    fields = (
        demand.count,
        kind.speed_gbps,
        kind.lane_gbps,
        cage_class,
        cages,
        ways,
        cage.connectors,
        cage.form_factor,
        cage.top,
        kind.purpose,
        profile.vendor,
        cage.made_media.get(kind.lane_gbps, ()),
    )
    return PortRun(*fields)


def count_needed(down_gbps: int, up_speed: int, allowed: Fraction) -> int:
    """The fewest uplinks of a speed, Gb/s, that keep oversubscription of the downlink bandwidth, Gb/s, within
    `allowed`.
    """
    bandwidth = Fraction(down_gbps) / (allowed * up_speed)
    return max(1, -(-bandwidth.numerator // bandwidth.denominator))


def count_most_downlinks(
    profile: SwitchProfile,
    bare: SwitchDemand,
    up: PortKind | None,
    allowed: Fraction,
    *,
    groups: int = 1,
    spare_ports: int = 0,
) -> int:
    """The most downlinks of a kind that a switch carries beside the uplinks that `allowed` calls for (none at the top).

    `bare` is the demand without these downlinks, whose kind is its first; uplinks are a multiple of the upper `groups`,
    and `spare_ports` further ports are kept free.
    """

    def fits(count: int) -> bool:
        # whether so many downlinks, the spare ports and the uplinks that these need have room on the front
        first, *other_downs = bare.downs
        demand = bare._replace(downs=(replace(first, count=count, ports=count + spare_ports), *other_downs))
        if up is not None:
            uplinks = count_needed(demand.down_gbps, up.speed_gbps, allowed)
            # as many to each group above: rounded up to a multiple of their number
            demand = demand.add_uplinks(-(-uplinks // groups) * groups, up)
        return place_ports(profile, demand) is not None

    return find_largest(fits, sum(cage.count * cage.lanes for cage in profile.cages))


def find_largest(fits: Callable[[int], bool], most: int) -> int:
    """The largest number up to `most` for which `fits` holds, by bisection; 0 when it holds for none.

    `fits` must hold for every number below one that fits; `most` is tried first.
    """
    if most > 0 and fits(most):
        return most
    low, high = 0, max(0, most - 1)
    while low < high:
        # rounded up, or two neighbours would be halved for ever
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return low

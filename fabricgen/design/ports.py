"""Ports on the front of a switch: which cages carry downlinks, uplinks and peer links, and how many ports fit."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from fabricgen.catalog.models import SwitchProfile
from fabricgen.kernel.grouping import sum_pairs


class PortKind(NamedTuple):
    """The kind of a port: ports of different kinds cannot share a cage."""

    speed_gbps: int
    lane_gbps: float
    rj45: bool = False
    purpose: str = ""
    """The key of the cages that are kept for its purpose, such as `down.storage`; "" if it may use any cage."""


@dataclass(frozen=True, slots=True)
class PortRun:
    """Consecutive ports of one kind and purpose on a switch, numbered from 0 through `cages` in their order.

    `count` ports are required; the cages may hold more, which are spare. Each cage is split into `ways` ports over
    `connectors` connectors. `cages` count from 1; a cage 0 is a gap, where another run has taken a cage: its port
    numbers stay unused. `cage_class` is the index of their class in the `cages` of the switch's profile.
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
    """The key of the cages that are kept for its purpose; "" if it may use any cage."""
    vendor: str = ""
    """Who makes the switch."""
    made_media: tuple[str, ...] = ()
    """Ids of the only cable profiles that are made for its cages at that lane rate; empty if any profile fits."""

    @property
    def links_per_connector(self) -> int:
        """How many links share a cable connector: above 1 the cable is a breakout."""
        return max(1, self.ways // self.connectors)

    @property
    def capacity(self) -> int:
        """How many ports its cages hold."""
        return (len(self.cages) - self.cages.count(0)) * self.ways

    @property
    def numbers(self) -> int:
        """How many port numbers it has, including those in gaps."""
        return len(self.cages) * self.ways

    @property
    def bandwidth_gbps(self) -> int:
        """Bandwidth of the required ports, Gb/s."""
        return self.count * self.speed_gbps


@dataclass(frozen=True, slots=True)
class PortDemand:
    """Ports of one kind that a switch must offer."""

    kind: PortKind
    count: int
    """How many are in use."""
    ways: int | None = None
    """Into how many ports a cage is split as stated; None to split as usual, -1 if no stated breakout makes such ports.
    """
    ports: int = 0
    """How many are numbered or kept free, those in use included; 0 if no more than those in use."""
    last: bool = False
    """Whether they take the last free cages, so that other downlinks can grow."""
    kept: tuple[int, ...] = ()
    """The cages that a lock keeps for them, in the order of their ports, with 0 for gaps."""
    busy: tuple[int, ...] = ()
    """The kept cages that they must have."""

    @property
    def needed(self) -> int:
        """How many ports there must be."""
        return max(self.count, self.ports)


class SwitchDemand(NamedTuple):
    """All ports that one switch must offer: down, peer and up.

    `ranges` are (role, cages that the role may use); `claimed` are cages that no port may use.
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

    def add_uplinks(self, count: int, kind: PortKind) -> "SwitchDemand":
        """Return the same demand with `count` uplinks of a kind."""
        return self._replace(up=PortDemand(kind, count))


class PortPlacement(NamedTuple):
    """Which cages carry which ports of a switch: one run of ports for each port demand, in the same order."""

    downs: tuple[PortRun, ...]
    peers: tuple[PortRun, ...]
    up: PortRun | None


def find_down_class(profile: SwitchProfile, demand: PortDemand) -> tuple[int, int] | None:
    """Return (cage class, ways) for downlinks, an index in `profile.cages` and into how many ports each cage is split:
    the class with the most ports of that kind; None if no class offers it.
    """
    return _find_class_of_kind(profile, demand.kind, demand.ways)


@lru_cache(maxsize=1024)
def _find_class_of_kind(profile: SwitchProfile, kind: PortKind, stated_ways: int | None) -> tuple[int, int] | None:
    """Return what `find_down_class` does, cached: sizing asks it for each number of switches that it tries."""
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


def find_up_class(profile: SwitchProfile, down_class: int | None) -> int:
    """Return the cage class for uplinks, an index in `profile.cages`: cages faster than those of the downlinks if the
    switch has any, else the same class. `down_class` is the cage class of the downlinks; None if there are none.
    """
    down_gbps = profile.cages[down_class].speed_gbps if down_class is not None else 0
    candidates = [
        i for i, cage in enumerate(profile.cages) if cage.form_factor != "RJ45" and cage.speed_gbps > down_gbps
    ]
    best = max(candidates, key=lambda i: (profile.cages[i].speed_gbps * profile.cages[i].count, -i), default=down_class)
    return best or 0


def choose_uplink_speed(profile: SwitchProfile, down_class: int | None, down_speed_gbps: int) -> int:
    """Return the default speed of uplinks, Gb/s: that of the downlinks, or the native speed of separate uplink
    cages.
    """
    up_class = find_up_class(profile, down_class)
    return down_speed_gbps if up_class == down_class else profile.cages[up_class].speed_gbps


class _FreeCages:
    """The cages of a switch that carry no ports yet. A role is what ports are for: `up`, `peer`, `down`, or a purpose
    that has cages to itself, such as `down.storage`.
    """

    def __init__(self, profile: SwitchProfile, demand: SwitchDemand, splits: Sequence[tuple[int, int]]) -> None:
        # `splits` is (cage class, ways) of each down demand
        self._profile, self._ranges = profile, dict(demand.ranges)
        self.ordered_roles = {role for role, cages in demand.ranges if "." in role or list(cages) != sorted(cages)}
        """Roles that take their cages in the order in which the blueprint lists them."""
        self._free = set(range(1, profile.cage_count + 1)) - set(demand.claimed)
        self._owners = {
            cage + i: down
            for down, (cage_class, ways) in zip(demand.downs, splits, strict=True)
            for cage in down.busy
            for i in range(profile.cages[cage_class].block(ways))
        }
        """For each busy cage, the demand that must have it."""
        self._served = Counter[int]()
        """For each pipeline, how many ports it serves."""

    def _list_usable(self, cage_class: int, role: str, ways: int) -> list[int]:
        """Return the free cages of a class that a role may use if each is split into `ways` ports, without cages whose
        pipeline has no ports left for them.

        If the split disables cages, only the first cage of each block is returned.
        """
        first_cage, cage = self._profile.find_first_cage(cage_class), self._profile.cages[cage_class]
        range_of_role = self._ranges.get(role)
        cages_of_other_roles = {
            number for other_role, cages in self._ranges.items() if other_role != role for number in cages
        }
        allowed = self._free & set(range_of_role) if range_of_role else self._free - cages_of_other_roles
        step = cage.block(ways)
        block_starts: Sequence[int] = range(first_cage, first_cage + cage.count, step)
        block_starts = (
            [number for number in range_of_role or () if number in block_starts]
            if role in self.ordered_roles
            else block_starts
        )
        usable = [
            number
            for number in block_starts
            if (number in allowed if step == 1 else allowed.issuperset(range(number, number + step)))
        ]
        return list(self._profile.list_served_cages(usable, ways, self._served)) if self._profile.pipelines else usable

    def _list_usable_by(self, demand: PortDemand, split: tuple[int, int], role: str) -> list[int]:
        """Return the usable cages that are not busy with another demand; `split` is (cage class, ways)."""
        usable = self._list_usable(split[0], role, split[1])
        step = self._profile.cages[split[0]].block(split[1])
        cages_of_others = {cage for cage, owner in self._owners.items() if owner is not demand}
        return [c for c in usable if cages_of_others.isdisjoint(range(c, c + step))] if cages_of_others else usable

    def take_cages(
        self, demand: PortDemand, split: tuple[int, int], role: str, *, at_end: bool
    ) -> tuple[int, ...] | None:
        """Take cages for the ports of a demand, and return them; 0 stands for a gap between kept cages.

        Cages that the lock keeps come first, then the first free ones, or with `at_end` the last ones, round-robin over
        the line cards. Returns None if too few are free, or if a cage that the demand must have (`busy`) is not free.
        """
        cage_class, ways = split
        usable, cage_count = self._list_usable_by(demand, split, role), -(-demand.needed // ways)
        if demand.kept:
            return self._take_kept(demand, split, usable, cage_count, role, at_end=at_end)
        if cage_count > len(usable):
            return None
        ordered_cages = self._order_by_card(usable, role, at_end=at_end)[:cage_count]
        return self._mark_taken(
            ordered_cages if role in self.ordered_roles else sorted(ordered_cages), cage_class, ways
        )

    def _take_kept(
        self, demand: PortDemand, split: tuple[int, int], usable: list[int], cage_count: int, role: str, *, at_end: bool
    ) -> tuple[int, ...] | None:
        """Take the kept cages that a demand needs, and further ones if these are too few; return them, kept ones first.

        0 stands in the place of a kept cage that the demand does not need now. Returns None if a busy cage is not
        usable, or if too few cages are free.
        """
        # cages that the lock keeps and that hold no port yet
        kept_without_ports = [c for c in demand.kept if c in usable and c not in demand.busy][
            : max(0, cage_count - len(demand.busy))
        ]
        missing_count = cage_count - len(demand.busy) - len(kept_without_ports)
        not_kept = [c for c in usable if c not in demand.kept]
        if not set(demand.busy) <= set(usable) or missing_count > len(not_kept):
            return None
        further_cages = self._order_by_card(not_kept, role, at_end=at_end)[: max(0, missing_count)]
        further_cages = further_cages if role in self.ordered_roles else sorted(further_cages)
        cages_in_use = {*demand.busy, *kept_without_ports}
        self._mark_taken([*sorted(cages_in_use), *further_cages], *split)
        backwards = at_end and role not in self.ordered_roles
        # 0 stands for a kept cage that this demand does not need now: ports behind it keep their numbers
        return (
            *(c if c in cages_in_use else 0 for c in demand.kept),
            *(further_cages[::-1] if backwards else further_cages),
        )

    def _mark_taken(self, cages_taken: list[int], cage_class: int, ways: int) -> tuple[int, ...]:
        """Mark cages, and the cages that their split disables, as no longer free, count their ports against the limits
        of their pipelines, and return the cages.
        """
        step = self._profile.cages[cage_class].block(ways)
        self._free -= {c + i for c in cages_taken for i in range(step)}
        pipeline_of_cage = self._profile.pipelines.of_cage if self._profile.pipelines else {}
        self._served += sum_pairs((pipeline_of_cage[c], ways) for c in cages_taken if c in pipeline_of_cage)
        return tuple(cages_taken)

    def _order_by_card(self, cages: list[int], role: str, *, at_end: bool) -> list[int]:
        """Return cages in the order in which they are taken: as listed in the blueprint, or the first (with `at_end`
        the last) of each line card, then the next of each.
        """
        if not self._profile.line_cards or role in self.ordered_roles:
            return cages[::-1] if at_end else cages
        rank_in_card = {
            # links are spread over line cards, so that the loss of one takes a part of all
            c: len(card) - i if at_end else i
            for card in self._profile.cages_by_card
            for i, c in enumerate(card)
        }
        return sorted(cages, key=lambda cage: (rank_in_card[cage], cage))

    def extend_run(self, run: PortRun, demand: PortDemand) -> PortRun:
        """Return a run of downlinks with all free cages added that downlinks may use, round-robin over the line cards.

        Kept cages of the run stay in their order, and gaps (0) whose kept cage is free are filled again. The cages are
        not marked as taken.
        """
        role = run.purpose or "down"
        free_cages = self._list_usable(run.cage_class, role, run.ways)
        if not demand.kept:
            cages = [*run.cages, *free_cages] if role in self.ordered_roles else sorted((*run.cages, *free_cages))
            return replace(run, cages=tuple(self._order_by_card(cages, role, at_end=False)))
        kept_and_refilled = [
            run_cage or (kept_cage if kept_cage in free_cages else 0)
            for run_cage, kept_cage in zip(run.cages, demand.kept, strict=False)
        ]
        extended = [*kept_and_refilled, *run.cages[len(kept_and_refilled) :]]
        return replace(
            run,
            cages=(*extended, *self._order_by_card([c for c in free_cages if c not in extended], role, at_end=False)),
        )


def count_connectors(ports: Iterable[range], per: int) -> int:
    """Return how many connectors of `per` ports each have some of these ports, given as ascending ranges; empty ranges
    are left out.
    """
    total, last_counted = 0, -1
    for numbers in ports:
        if numbers:
            first_connector, last_connector = numbers.start // per, (numbers.stop - 1) // per
            # a connector that the range before ends on is not counted again
            total += last_connector - max(first_connector - 1, last_counted)
            last_counted = last_connector
    return total


@lru_cache(maxsize=4096)
def place_ports(profile: SwitchProfile, demand: SwitchDemand) -> PortPlacement | None:
    """Return which cages carry which ports: downlinks the first ones, uplinks the last ones, and peer links those
    before the uplinks; None if there are too few.

    Cages left over go to the first run of downlinks, as its spare ports. Cached, as sizing repeats the same question
    for each search step and each trial of advice.
    """
    down_classes = [find_down_class(profile, down) for down in demand.downs]
    splits = [split for split in down_classes if split is not None]
    if len(splits) < len(down_classes):
        return None
    for up_class in _list_up_classes(profile, splits[0][0] if splits else None, demand):
        placement = _place_with(profile, demand, splits, up_class)
        if placement is not None:
            return placement
    return None


def _list_up_classes(profile: SwitchProfile, down_class: int | None, demand: SwitchDemand) -> list[int]:
    """Return the cage classes that uplinks and peer links may use, the default one first; only this one if there are no
    such links.
    """
    default_class = find_up_class(profile, down_class)
    if demand.up is None and not demand.peers:
        return [default_class]
    other_classes = [i for i, cage in enumerate(profile.cages) if i != default_class and cage.form_factor != "RJ45"]
    return [default_class, *other_classes]


def _place_with(
    profile: SwitchProfile, demand: SwitchDemand, splits: list[tuple[int, int]], up_class: int
) -> PortPlacement | None:
    """Place all ports; None if they do not fit. `splits` are (cage class, ways) of each down demand, `up_class` is the
    cage class of uplinks and peer links.

    Uplinks take cages first, then peer links, then down demands in their order. Cages that are left go to the first
    down demand, and to the first of each purpose.
    """
    free_cages = _FreeCages(profile, demand, splits)
    up_and_peer_demands = (*((demand.up,) if demand.up else ()), *demand.peers)
    up_and_peer_runs: list[PortRun] = []
    for port_demand in up_and_peer_demands:
        ways = _choose_split(profile, up_class, port_demand)
        role = "up" if port_demand is demand.up else "peer"
        run = _place_run(profile, free_cages, (up_class, ways), port_demand, role) if ways else None
        if run is None:
            return None
        up_and_peer_runs.append(run)
    downs: list[PortRun] = []
    for port_demand, split in zip(demand.downs, splits, strict=True):
        run = _place_run(profile, free_cages, split, port_demand, port_demand.kind.purpose or "down")
        if run is None:
            return None
        downs.append(run)
    purposes = [port_demand.kind.purpose for port_demand in demand.downs]
    for i, purpose in enumerate(purposes):
        # the first demand, and the first demand of each purpose, get all cages that are left
        if i == 0 or (purpose and purpose not in purposes[:i]):
            downs[i] = free_cages.extend_run(downs[i], demand.downs[i])
    return PortPlacement(
        tuple(downs),
        tuple(up_and_peer_runs[1:] if demand.up else up_and_peer_runs),
        up_and_peer_runs[0] if demand.up else None,
    )


def _choose_split(profile: SwitchProfile, cage_class: int, demand: PortDemand) -> int | None:
    """Return into how many ports a cage is split for uplinks or peer links: as stated, else as many as it can carry;
    None if it cannot be split so.
    """
    if demand.ways is None:
        return profile.split_for(cage_class, demand.kind.speed_gbps, demand.kind.lane_gbps)
    return demand.ways if demand.kind.speed_gbps in profile.cages[cage_class].breakouts.get(demand.ways, ()) else None


def _place_run(
    profile: SwitchProfile, free_cages: _FreeCages, split: tuple[int, int], demand: PortDemand, role: str
) -> PortRun | None:
    """Place the ports of one demand in free cages of the (cage class, ways) `split`; returns None if too few are
    free.
    """
    cage_class, ways = split
    cages = free_cages.take_cages(demand, split, role, at_end=role in ("up", "peer") or demand.last)
    if cages is None:
        return None
    # ports are numbered from the last cage on, so that a run that grows downwards keeps its numbers; kept and listed
    # cages are in their order already
    cages = cages[::-1] if demand.last and not demand.kept and role not in free_cages.ordered_roles else cages
    kind, cage = demand.kind, profile.cages[cage_class]
    return PortRun(
        count=demand.count,
        speed_gbps=kind.speed_gbps,
        lane_gbps=kind.lane_gbps,
        cage_class=cage_class,
        cages=cages,
        ways=ways,
        connectors=cage.connectors,
        form_factor=cage.form_factor,
        top=cage.top,
        purpose=kind.purpose,
        vendor=profile.vendor,
        made_media=cage.made_media.get(kind.lane_gbps, ()),
    )


def count_needed(down_gbps: int, up_speed: int, allowed: Fraction) -> int:
    """Return the fewest uplinks of `up_speed`, Gb/s, that keep the oversubscription of `down_gbps`, the downlink
    bandwidth in Gb/s, within `allowed`.
    """
    bandwidth = Fraction(down_gbps) / (allowed * up_speed)
    return max(1, -(-bandwidth.numerator // bandwidth.denominator))


def count_most_downlinks(
    profile: SwitchProfile,
    demand_without: SwitchDemand,
    uplink_kind: PortKind | None,
    allowed: Fraction,
    *,
    groups: int = 1,
    spare_ports: int = 0,
) -> int:
    """Return the most downlinks of a kind that a switch carries beside the uplinks that `allowed` calls for; 0 if it
    carries none.

    `demand_without` is the demand of the switch without these downlinks, whose kind is that of its first down demand.
    `uplink_kind` is the kind of the uplinks, None at the top; their number is a multiple of `groups`, the number of
    upper groups. `spare_ports` further ports are kept free.
    """

    def fits(count: int) -> bool:
        # whether so many downlinks, the spare ports, and the uplinks for these downlinks fit on the switch
        first_down, *other_downs = demand_without.downs
        demand = demand_without._replace(
            downs=(replace(first_down, count=count, ports=count + spare_ports), *other_downs)
        )
        if uplink_kind is not None:
            uplinks = count_needed(demand.down_gbps, uplink_kind.speed_gbps, allowed)
            # rounded up to the same number for each upper group
            demand = demand.add_uplinks(-(-uplinks // groups) * groups, uplink_kind)
        return place_ports(profile, demand) is not None

    return find_largest(fits, sum(cage.count * cage.lanes for cage in profile.cages))


def find_fewest(fits: Callable[[int], bool], limit: int) -> int:
    """Return the smallest number from 1 to `limit` for which `fits` holds, by bisection; `limit` + 1 if it holds for
    none. `fits` must hold for every number above one that fits.
    """
    # the fewer, the harder to fit: find how many of `limit` can be left out
    return 1 + limit - find_largest(lambda left_out: fits(1 + limit - left_out), limit)


def find_largest(fits: Callable[[int], bool], limit: int) -> int:
    """Return the largest number up to `limit` for which `fits` holds, by bisection; 0 if it holds for none.

    `fits` must hold for every number below one that fits; `limit` is tried first.
    """
    if limit > 0 and fits(limit):
        return limit
    lower_bound, upper_bound = 0, max(0, limit - 1)
    while lower_bound < upper_bound:
        # rounded up: else the search would not end at two neighbours
        middle = (lower_bound + upper_bound + 1) // 2
        lower_bound, upper_bound = (middle, upper_bound) if fits(middle) else (lower_bound, middle - 1)
    return lower_bound

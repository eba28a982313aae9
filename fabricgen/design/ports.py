"""Ports on the front of a switch: which cages carry downlinks, uplinks and peer links, and how many ports fit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from fabricgen.catalog.models import SwitchProfile


@dataclass(frozen=True, slots=True)
class PortKind:
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
        """Numbers of ports, those in gaps included."""
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


@dataclass(frozen=True, slots=True)
class SwitchDemand:
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
        return sum(wanted.count * wanted.kind.speed_gbps for wanted in self.downs)

    def upward(self, count: int, kind: PortKind) -> SwitchDemand:
        """The same demand with `count` uplinks of a kind."""
        return replace(self, up=PortDemand(kind, count))


@dataclass(frozen=True, slots=True)
class PortPlacement:
    """Which cages carry which ports of a switch: one run of ports for each port demand, in the same order."""

    downs: tuple[PortRun, ...]
    peers: tuple[PortRun, ...]
    up: PortRun | None


def down_class(profile: SwitchProfile, wanted: PortDemand) -> tuple[int, int] | None:
    """(cage class, ways) for downlinks: the cage class with most ports of that kind; None where no class offers it."""
    fits = []
    kind = wanted.kind
    for i, cage in enumerate(profile.cages):
        if (cage.form_factor == "RJ45") != kind.rj45:
            continue
        ways = profile.split_for(i, kind.speed_gbps, kind.lane_gbps)
        if ways and wanted.ways:
            ways = wanted.ways if cage.carries(wanted.ways, kind.speed_gbps, kind.lane_gbps) else None
        if ways:
            fits.append((profile.count_split_ports(i, ways), -i, i, ways))
    return max(fits)[2:] if fits else None


def up_class(profile: SwitchProfile, below: int | None) -> int:
    """The cage class for uplinks: faster cages than those of the downlinks where the switch has some, else the same."""
    floor = profile.cages[below].speed_gbps if below is not None else 0
    candidates = [i for i, cage in enumerate(profile.cages) if cage.form_factor != "RJ45" and cage.speed_gbps > floor]
    best = max(candidates, key=lambda i: (profile.cages[i].speed_gbps * profile.cages[i].count, -i), default=below)
    return best or 0


def uplink_speed(profile: SwitchProfile, below: int | None, down_speed_gbps: int) -> int:
    """The default uplink speed, Gb/s: that of the downlinks, or the native speed of separate uplink cages."""
    above = up_class(profile, below)
    return down_speed_gbps if above == below else profile.cages[above].speed_gbps


class _FreeCages:
    """The cages of a switch that carry no ports yet."""

    def __init__(self, profile: SwitchProfile, demand: SwitchDemand, chosen: Sequence[tuple[int, int]]) -> None:
        self._profile, self._ranges = profile, dict(demand.ranges)
        self._written = {role for role, cages in demand.ranges if "." in role or list(cages) != sorted(cages)}
        """Roles whose cages are taken in the order that is written."""
        self._free = set(range(1, profile.cage_count + 1)) - set(demand.claimed)
        self._owners = {
            cage + i: wanted
            for wanted, (cage_class, ways) in zip(demand.downs, chosen, strict=True)
            for cage in wanted.busy
            for i in range(profile.cages[cage_class].block(ways))
        }
        """The demand that a lock keeps a cage for."""
        self._served: dict[int, int] = {}

    def as_written(self, role: str) -> bool:
        """Whether a role takes cages in the order that its ranges are written."""
        return role in self._written

    def _usable(self, cage_class: int, role: str, ways: int) -> list[int]:
        """Free cages of a class that a role may use with this split, limited by what their pipelines serve; of each
        block of cages that the split disables, the first.
        """
        first, cage = self._profile.find_first_cage(cage_class), self._profile.cages[cage_class]
        wanted = self._ranges.get(role)
        kept = {c for other, cages in self._ranges.items() if other != role for c in cages}
        mine = self._free & set(wanted) if wanted else self._free - kept
        step = cage.block(ways)
        firsts: Sequence[int] = range(first, first + cage.count, step)
        firsts = [c for c in wanted or () if c in firsts] if role in self._written else firsts
        free = [c for c in firsts if (c in mine if step == 1 else mine.issuperset(range(c, c + step)))]
        return list(self._profile.served(free, ways, self._served)) if self._profile.pipelines else free

    def _usable_by(self, wanted: PortDemand, where: tuple[int, int], role: str) -> list[int]:
        """The usable cages that a lock does not keep for another demand."""
        usable = self._usable(where[0], role, where[1])
        step = self._profile.cages[where[0]].block(where[1])
        others = {cage for cage, owner in self._owners.items() if owner is not wanted}
        return [c for c in usable if others.isdisjoint(range(c, c + step))] if others else usable

    def take(self, wanted: PortDemand, where: tuple[int, int], role: str, *, at_end: bool) -> tuple[int, ...] | None:
        """Take cages for the ports of a demand: those kept for it, then the first free ones, or with `at_end` the last
        ones, round-robin over the line cards; None when too few are free, or one that it must have is not.
        """
        cage_class, ways = where
        usable, number = self._usable_by(wanted, where, role), -(-wanted.needed // ways)
        if wanted.kept:
            return self._take_kept(wanted, where, usable, number, role, at_end=at_end)
        if number > len(usable):
            return None
        taken = self._in_turn(usable, role, at_end=at_end)[:number]
        return self._taken(taken if role in self._written else sorted(taken), cage_class, ways)

    def _take_kept(
        self, wanted: PortDemand, where: tuple[int, int], usable: list[int], number: int, role: str, *, at_end: bool
    ) -> tuple[int, ...] | None:
        """The kept cages that a demand needs, with gaps for the others, then further ones."""
        idle = [c for c in wanted.kept if c in usable and c not in wanted.busy][: max(0, number - len(wanted.busy))]
        missing = number - len(wanted.busy) - len(idle)
        others = [c for c in usable if c not in wanted.kept]
        if not set(wanted.busy) <= set(usable) or missing > len(others):
            return None
        more = self._in_turn(others, role, at_end=at_end)[: max(0, missing)]
        more = more if role in self._written else sorted(more)
        mine = {*wanted.busy, *idle}
        self._taken([*sorted(mine), *more], *where)
        backwards = at_end and role not in self._written
        return (*(c if c in mine else 0 for c in wanted.kept), *(more[::-1] if backwards else more))

    def _taken(self, taken: list[int], cage_class: int, ways: int) -> tuple[int, ...]:
        """Count some cages as taken."""
        step = self._profile.cages[cage_class].block(ways)
        self._free -= {c + i for c in taken for i in range(step)}
        self._serve(taken, ways)
        return tuple(taken)

    def _serve(self, cages: Sequence[int], ways: int) -> None:
        """Count the ports of some cages against the limits of their pipelines."""
        for cage in cages if self._profile.pipelines else ():
            pipeline = self._profile.pipelines.of_cage.get(cage) if self._profile.pipelines else None
            if pipeline is not None:
                self._served[pipeline] = self._served.get(pipeline, 0) + ways

    def _in_turn(self, cages: list[int], role: str, *, at_end: bool) -> list[int]:
        """Cages in the order they are taken: as written, or the first (or last) of each line card, then the next of
        each.
        """
        if not self._profile.line_cards or role in self._written:
            return cages[::-1] if at_end else cages
        place = {c: len(card) - i if at_end else i for card in self._profile.cages_by_card for i, c in enumerate(card)}
        return sorted(cages, key=lambda cage: (place[cage], cage))

    def with_rest(self, run: PortRun, wanted: PortDemand) -> PortRun:
        """A run of downlinks extended by all free cages that downlinks may use, round-robin over the line cards.

        Those of the run of a demand that a lock keeps cages for stay in their order, and its gaps are filled again.
        """
        role = run.purpose or "down"
        free = self._usable(run.cage_class, role, run.ways)
        if not wanted.kept:
            cages = [*run.cages, *free] if role in self._written else sorted((*run.cages, *free))
            return replace(run, cages=tuple(self._in_turn(cages, role, at_end=False)))
        filled = [own or (kept if kept in free else 0) for own, kept in zip(run.cages, wanted.kept, strict=False)]
        own = [*filled, *run.cages[len(filled) :]]
        return replace(run, cages=(*own, *self._in_turn([c for c in free if c not in own], role, at_end=False)))


@lru_cache(maxsize=4096)
def place_ports(profile: SwitchProfile, demand: SwitchDemand) -> PortPlacement | None:
    """Give downlinks the first cages, uplinks the last ones, and peer links those before the uplinks; None when too
    few.

    Cages left over go to the first run of downlinks, as its spare ports. Cached, as sizing repeats the same question
    for each search step and each trial of advice.
    """
    chosen = [down_class(profile, wanted) for wanted in demand.downs]
    found = [where for where in chosen if where is not None]
    if len(found) < len(chosen):
        return None
    for above in _up_classes(profile, found[0][0] if found else None, demand):
        placement = _place_with(profile, demand, found, above)
        if placement is not None:
            return placement
    return None


def _up_classes(profile: SwitchProfile, below: int | None, demand: SwitchDemand) -> list[int]:
    """Cage classes that uplinks and peer links may use, the default one first."""
    usual = up_class(profile, below)
    if demand.up is None and not demand.peers:
        return [usual]
    others = [i for i, cage in enumerate(profile.cages) if i != usual and cage.form_factor != "RJ45"]
    return [usual, *others]


def _place_with(
    profile: SwitchProfile, demand: SwitchDemand, chosen: list[tuple[int, int]], above: int
) -> PortPlacement | None:
    """Place all ports, given (cage class, ways) of each down demand and the cage class of uplinks and peers."""
    free = _FreeCages(profile, demand, chosen)
    upward = (*((demand.up,) if demand.up else ()), *demand.peers)
    found: list[PortRun] = []
    for wanted in upward:
        ways = _ways(profile, above, wanted)
        role = "up" if wanted is demand.up else "peer"
        run = _run(profile, free, (above, ways), wanted, role) if ways else None
        if run is None:
            return None
        found.append(run)
    downs: list[PortRun] = []
    for wanted, where in zip(demand.downs, chosen, strict=True):
        run = _run(profile, free, where, wanted, wanted.kind.purpose or "down")
        if run is None:
            return None
        downs.append(run)
    purposes = [wanted.kind.purpose for wanted in demand.downs]
    for i, purpose in enumerate(purposes):
        if i == 0 or (purpose and purpose not in purposes[:i]):
            downs[i] = free.with_rest(downs[i], demand.downs[i])
    return PortPlacement(tuple(downs), tuple(found[1:] if demand.up else found), found[0] if demand.up else None)


def _ways(profile: SwitchProfile, cage_class: int, wanted: PortDemand) -> int | None:
    """Into how many ports a cage is split for uplinks or peer links: as stated, else as many as it can carry."""
    if wanted.ways is None:
        return profile.split_for(cage_class, wanted.kind.speed_gbps, wanted.kind.lane_gbps)
    return wanted.ways if wanted.kind.speed_gbps in profile.cages[cage_class].breakouts.get(wanted.ways, ()) else None


def _run(
    profile: SwitchProfile, free: _FreeCages, where: tuple[int, int], wanted: PortDemand, role: str
) -> PortRun | None:
    """The ports of one demand, in free cages of the (cage class, ways) `where`; None when too few are free."""
    cage_class, ways = where
    cages = free.take(wanted, where, role, at_end=role in ("up", "peer") or wanted.last)
    if cages is None:
        return None
    cages = cages[::-1] if wanted.last and not wanted.kept and not free.as_written(role) else cages
    kind, cage = wanted.kind, profile.cages[cage_class]
    found = (
        wanted.count,
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
    return PortRun(*found)


def uplinks_needed(down_gbps: int, up_speed: int, allowed: Fraction) -> int:
    """The fewest uplinks of a speed, Gb/s, that keep oversubscription of the downlink bandwidth, Gb/s, within
    `allowed`.
    """
    bandwidth = Fraction(down_gbps) / (allowed * up_speed)
    return max(1, -(-bandwidth.numerator // bandwidth.denominator))


def most_downlinks(
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
        first, *others = bare.downs
        demand = replace(bare, downs=(replace(first, count=count, ports=count + spare_ports), *others))
        if up is not None:
            needed = uplinks_needed(demand.down_gbps, up.speed_gbps, allowed)
            demand = demand.upward(-(-needed // groups) * groups, up)
        return place_ports(profile, demand) is not None

    return largest(fits, sum(cage.count * cage.lanes for cage in profile.cages))


def largest(fits: Callable[[int], bool], most: int) -> int:
    """The largest number up to `most` for which `fits` holds, by bisection; 0 when it holds for none.

    `fits` must hold for every number below one that fits; `most` is tried first.
    """
    if most > 0 and fits(most):
        return most
    low, high = 0, max(0, most - 1)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return low

"""The face of a switch: which cages carry its downlinks, uplinks and peer links, and how far its radix goes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from fabricgen.catalog.models import SwitchProfile


@dataclass(frozen=True, slots=True)
class PortKind:
    """Ports that may share a breakout: a speed over lanes of a rate, copper pair or not."""

    speed_gbps: int
    lane_gbps: float
    rj45: bool = False


@dataclass(frozen=True, slots=True)
class PortRun:
    """Ports of one kind and purpose on a switch, numbered from 0 through `cages` in their order.

    `count` of them are asked for; the cages may hold more, which are spare.
    """

    count: int
    speed_gbps: int
    lane_gbps: float
    cage_class: int
    cages: tuple[int, ...]
    ways: int
    connectors: int
    form_factor: str = ""
    """Of its cages."""
    top: str = ""
    """Of OSFP plugs in its cages: finned or flat."""

    @property
    def per_connector(self) -> int:
        """Links that share one cable connector: above 1 the cable is a breakout."""
        return max(1, self.ways // self.connectors)

    @property
    def capacity(self) -> int:
        """Ports that its cages hold."""
        return len(self.cages) * self.ways

    @property
    def bandwidth_gbps(self) -> int:
        """Bandwidth of the ports asked for, Gb/s."""
        return self.count * self.speed_gbps


@dataclass(frozen=True, slots=True)
class Ask:
    """Ports of a kind that a switch must offer: `count` in use, of `ports` that are numbered or kept free.

    `ways` is a stated breakout (-1: one that offers no such port). `last` ones take the last cages that are free, out
    of the way of downlinks that become more.
    """

    kind: PortKind
    count: int
    ways: int | None = None
    ports: int = 0
    last: bool = False

    @property
    def needed(self) -> int:
        """Ports there must be."""
        return max(self.count, self.ports)


@dataclass(frozen=True, slots=True)
class Asks:
    """All that is asked of one face: downwards, sideways and upwards; `ranges` are roles with the cages allowed."""

    downs: tuple[Ask, ...]
    peers: tuple[Ask, ...] = ()
    up: Ask | None = None
    ranges: tuple[tuple[str, tuple[int, ...]], ...] = ()

    @property
    def down_gbps(self) -> int:
        """Bandwidth asked for downwards, Gb/s."""
        return sum(ask.count * ask.kind.speed_gbps for ask in self.downs)

    def upward(self, count: int, kind: PortKind) -> Asks:
        """The same with so many uplinks of a kind."""
        return replace(self, up=Ask(kind, count))


@dataclass(frozen=True, slots=True)
class Face:
    """Where the ports of a switch lie: a run for each ask, in the same order."""

    downs: tuple[PortRun, ...]
    peers: tuple[PortRun, ...]
    up: PortRun | None


def down_class(profile: SwitchProfile, ask: Ask) -> tuple[int, int] | None:
    """Return (cage class, ways) for downlinks: the class with most ports of that kind, or None."""
    fits = []
    kind = ask.kind
    for i, cage in enumerate(profile.cages):
        if (cage.form_factor == "RJ45") != kind.rj45:
            continue
        ways = profile.split_for(i, kind.speed_gbps, kind.lane_gbps)
        if ways and ask.ways:
            ways = ask.ways if cage.carries(ask.ways, kind.speed_gbps, kind.lane_gbps) else None
        if ways:
            fits.append((profile.most_ports(i, ways), -i, i, ways))
    return max(fits)[2:] if fits else None


def up_class(profile: SwitchProfile, below: int | None) -> int:
    """The cage class uplinks use: faster cages where the face has some, else those of the downlinks."""
    floor = profile.cages[below].speed_gbps if below is not None else 0
    candidates = [i for i, cage in enumerate(profile.cages) if cage.form_factor != "RJ45" and cage.speed_gbps > floor]
    best = max(candidates, key=lambda i: (profile.cages[i].speed_gbps * profile.cages[i].count, -i), default=below)
    return best or 0


def uplink_speed(profile: SwitchProfile, below: int | None, down_speed_gbps: int) -> int:
    """The usual uplink speed: that of the downlinks, or the native one of separate uplink cages, Gb/s."""
    above = up_class(profile, below)
    return down_speed_gbps if above == below else profile.cages[above].speed_gbps


class _FreeCages:
    """Cages of a face that no run has taken yet."""

    def __init__(self, profile: SwitchProfile, ranges: Mapping[str, tuple[int, ...]]) -> None:
        self._profile, self._ranges = profile, ranges
        self._free = set(range(1, profile.cage_count + 1))
        self._served: dict[int, int] = {}

    def _usable(self, cage_class: int, role: str, ways: int) -> list[int]:
        """Cages of a class that may be split so for a role, as far as pipelines serve their ports: one of each block
        whose other cages that disables."""
        first, cage = self._profile.first_cage(cage_class), self._profile.cages[cage_class]
        wanted = self._ranges.get(role)
        kept = {c for other, cages in self._ranges.items() if other != role for c in cages}
        mine = self._free & set(wanted) if wanted else self._free - kept
        step = cage.block(ways)
        firsts = range(first, first + cage.count, step)
        free = [c for c in firsts if (c in mine if step == 1 else mine.issuperset(range(c, c + step)))]
        return list(self._profile.served(free, ways, self._served)) if self._profile.pipelines else free

    def take(self, cage_class: int, number: int, role: str, ways: int, *, at_end: bool) -> tuple[int, ...] | None:
        """So many cages from the first on, or the last ones of every line card in turn; None when there are too few."""
        usable = self._usable(cage_class, role, ways)
        if number > len(usable):
            return None
        taken = sorted(self._in_turn(usable, at_end=at_end)[:number])
        step = self._profile.cages[cage_class].block(ways)
        self._free -= {c + i for c in taken for i in range(step)}
        self._serve(taken, ways)
        return tuple(taken)

    def _serve(self, cages: Sequence[int], ways: int) -> None:
        """Count the ports that cages take of their pipelines."""
        for cage in cages if self._profile.pipelines else ():
            pipeline = self._profile.pipelines.of_cage.get(cage) if self._profile.pipelines else None
            if pipeline is not None:
                self._served[pipeline] = self._served.get(pipeline, 0) + ways

    def _in_turn(self, cages: list[int], *, at_end: bool) -> list[int]:
        """Cages in the order they are taken: the first (or last) of each line card, then the next of each."""
        if not self._profile.line_cards:
            return cages[::-1] if at_end else cages
        place = {c: len(card) - i if at_end else i for card in self._profile.cages_by_card for i, c in enumerate(card)}
        return sorted(cages, key=lambda cage: (place[cage], cage))

    def with_rest(self, run: PortRun) -> PortRun:
        """A run of downlinks with all that is left for such, over the line cards of a chassis in turn."""
        cages = sorted((*run.cages, *self._usable(run.cage_class, "down", run.ways)))
        return replace(run, cages=tuple(self._in_turn(cages, at_end=False)))


@lru_cache(maxsize=4096)
def place(profile: SwitchProfile, asks: Asks) -> Face | None:
    """Give downlinks the first cages, uplinks the last ones and peer links those before; None when too few.

    Cages that nothing asks for go to the first run of downlinks, as its spare ports. Sizing asks the same of a face
    again for each tier that is searched, and for each change of a blueprint that is tried.
    """
    chosen = [down_class(profile, ask) for ask in asks.downs]
    found = [where for where in chosen if where is not None]
    if len(found) < len(chosen):
        return None
    for above in _up_classes(profile, found[0][0] if found else None, asks):
        face = _place(profile, asks, found, above)
        if face is not None:
            return face
    return None


def _up_classes(profile: SwitchProfile, below: int | None, asks: Asks) -> list[int]:
    """Cage classes that uplinks and peer links may use, the usual one first."""
    usual = up_class(profile, below)
    if asks.up is None and not asks.peers:
        return [usual]
    others = [i for i, cage in enumerate(profile.cages) if i != usual and cage.form_factor != "RJ45"]
    return [usual, *others]


def _place(profile: SwitchProfile, asks: Asks, chosen: list[tuple[int, int]], above: int) -> Face | None:
    """Place ports with the class of cages known for each purpose."""
    free = _FreeCages(profile, dict(asks.ranges))
    upward = (*((asks.up,) if asks.up else ()), *asks.peers)
    found: list[PortRun] = []
    for ask in upward:
        ways = _ways(profile, above, ask)
        role = "up" if ask is asks.up else "peer"
        run = _run(profile, free, (above, ways), ask, role) if ways else None
        if run is None:
            return None
        found.append(run)
    downs: list[PortRun] = []
    for ask, where in zip(asks.downs, chosen, strict=True):
        run = _run(profile, free, where, ask, "down")
        if run is None:
            return None
        downs.append(run)
    if downs:
        downs[0] = free.with_rest(downs[0])
    return Face(tuple(downs), tuple(found[1:] if asks.up else found), found[0] if asks.up else None)


def _ways(profile: SwitchProfile, cage_class: int, ask: Ask) -> int | None:
    """Into how many ports a cage is split for uplinks or peer links: as stated, or so that it makes most."""
    if ask.ways is None:
        return profile.split_for(cage_class, ask.kind.speed_gbps, ask.kind.lane_gbps)
    return ask.ways if ask.kind.speed_gbps in profile.cages[cage_class].breakouts.get(ask.ways, ()) else None


def _run(profile: SwitchProfile, free: _FreeCages, where: tuple[int, int], ask: Ask, role: str) -> PortRun | None:
    """Ports for one ask in the free cages of a class, split so many ways."""
    cage_class, ways = where
    cages = free.take(cage_class, -(-ask.needed // ways), role, ways, at_end=role != "down" or ask.last)
    if cages is None:
        return None
    cages = cages[::-1] if ask.last else cages
    kind, cage = ask.kind, profile.cages[cage_class]
    found = (
        ask.count,
        kind.speed_gbps,
        kind.lane_gbps,
        cage_class,
        cages,
        ways,
        cage.connectors,
        cage.form_factor,
        cage.top,
    )
    return PortRun(*found)


def uplinks_needed(down_gbps: int, up_speed: int, allowed: Fraction) -> int:
    """Fewest uplinks of a speed that keep the oversubscription of a bandwidth, Gb/s, within `allowed`."""
    bandwidth = Fraction(down_gbps) / (allowed * up_speed)
    return max(1, -(-bandwidth.numerator // bandwidth.denominator))


def most_downlinks(
    profile: SwitchProfile, bare: Asks, up: PortKind | None, allowed: Fraction, *, spare_ports: int = 0
) -> int:
    """The most downlinks of a kind a switch carries beside the uplinks `allowed` calls for (none at the top).

    `bare` asks for none of them yet; `spare_ports` more are kept free.
    """

    def fits(count: int) -> bool:
        asks = replace(bare, downs=(replace(bare.downs[0], count=count, ports=count + spare_ports),))
        if up is not None:
            asks = asks.upward(uplinks_needed(asks.down_gbps, up.speed_gbps, allowed), up)
        return place(profile, asks) is not None

    return largest(fits, sum(cage.count * cage.lanes for cage in profile.cages))


def largest(fits: Callable[[int], bool], most: int) -> int:
    """The largest number up to `most`, which often fits, where every smaller one does too; 0 when none does."""
    if most > 0 and fits(most):
        return most
    low, high = 0, max(0, most - 1)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return low

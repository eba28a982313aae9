"""Which cages of a switch carry its downlinks and uplinks, and how far its radix goes."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from fabricgen.catalog.models import SwitchProfile
from fabricgen.design.model import PortRun


@dataclass(frozen=True, slots=True)
class Downlinks:
    """What a switch must offer downwards: links of a speed over lanes of a rate, copper pair or not."""

    count: int
    speed_gbps: int
    lane_gbps: float
    rj45: bool = False
    ways: int | None = None


@dataclass(frozen=True, slots=True)
class Uplinks:
    """What it must offer upwards."""

    count: int
    speed_gbps: int
    lane_gbps: float


def down_class(profile: SwitchProfile, down: Downlinks) -> tuple[int, int] | None:
    """Return (cage class, ways) for downlinks: the class with most ports of that speed, or None."""
    fits = []
    for i, cage in enumerate(profile.cages):
        if (cage.form_factor == "RJ45") != down.rj45:
            continue
        ways = cage.split_for(down.speed_gbps, down.lane_gbps)
        if ways and down.ways:
            ways = down.ways if down.speed_gbps in cage.breakouts.get(down.ways, ()) and down.ways <= ways else None
        if ways:
            fits.append((cage.count * ways, -i, i, ways))
    return max(fits)[2:] if fits else None


def up_class(profile: SwitchProfile, below: int) -> int:
    """The cage class uplinks use: faster cages where the face has some, else those of the downlinks."""
    candidates = [
        i
        for i, cage in enumerate(profile.cages)
        if cage.form_factor != "RJ45" and cage.speed_gbps > profile.cages[below].speed_gbps
    ]
    return max(candidates, key=lambda i: (profile.cages[i].speed_gbps * profile.cages[i].count, -i), default=below)


def uplink_speed(profile: SwitchProfile, below: int, down_speed_gbps: int) -> int:
    """The usual uplink speed: that of the downlinks, or the native one of separate uplink cages, Gb/s."""
    above = up_class(profile, below)
    return down_speed_gbps if above == below else profile.cages[above].speed_gbps


def place(profile: SwitchProfile, down: Downlinks, up: Uplinks | None) -> tuple[PortRun, PortRun | None] | None:
    """Give downlinks the first cages and uplinks the last ones; None when the face has too few."""
    chosen = down_class(profile, down)
    if chosen is None:
        return None
    below, ways = chosen
    lower = _run(profile, below, down.count, down.speed_gbps, down.lane_gbps, ways, at_end=False)
    if up is None:
        return (lower, None) if lower.cages <= profile.cages[below].count else None
    above = up_class(profile, below)
    up_ways = profile.cages[above].split_for(up.speed_gbps, up.lane_gbps)
    if up_ways is None:
        return None
    upper = _run(profile, above, up.count, up.speed_gbps, up.lane_gbps, up_ways, at_end=True)
    taken = lower.cages + (upper.cages if above == below else 0)
    if taken > profile.cages[below].count or upper.cages > profile.cages[above].count:
        return None
    return lower, upper


def _run(
    profile: SwitchProfile, cage_class: int, count: int, speed: int, lane: float, ways: int, *, at_end: bool
) -> PortRun:
    cage = profile.cages[cage_class]
    first = profile.first_cage(cage_class)
    if at_end:
        first += cage.count - -(-count // ways)
    return PortRun(count, speed, lane, cage_class, first, ways, cage.connectors)


def capacity(profile: SwitchProfile, down: PortRun, up: PortRun | None) -> int:
    """Down ports there could be at the down run's split, beside the up run."""
    cages = profile.cages[down.cage_class].count
    if up and up.cage_class == down.cage_class:
        cages -= up.cages
    return cages * down.ways


def uplinks_needed(downlinks: int, down_speed: int, up_speed: int, allowed: Fraction) -> int:
    """Fewest uplinks that keep the oversubscription within `allowed`."""
    bandwidth = Fraction(downlinks * down_speed) / (allowed * up_speed)
    return max(1, -(-bandwidth.numerator // bandwidth.denominator))


def most_downlinks(
    profile: SwitchProfile, down: Downlinks, up_speed: int | None, up_lane: float, allowed: Fraction
) -> int:
    """The most downlinks a switch carries beside the uplinks that `allowed` calls for (none at the top)."""
    chosen = down_class(profile, down)
    if chosen is None:
        return 0
    below, ways = chosen
    for count in range(profile.cages[below].count * ways, 0, -1):
        up = None
        if up_speed is not None:
            up = Uplinks(uplinks_needed(count, down.speed_gbps, up_speed, allowed), up_speed, up_lane)
        if place(profile, Downlinks(count, down.speed_gbps, down.lane_gbps, down.rj45, down.ways), up):
            return count
    return 0

"""Sizing: how many switches, uplinks and groups a fabric needs, from radix, breakout and oversubscription.

The rule for the number of upper switches (NVIDIA's published SuperPOD tables follow it): uplinks must land as a
whole number of links on every switch of the group above, so it is the smallest divisor of the uplinks U that is at
least ceil(L x U / R), for L lower switches and R down ports of an upper one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from fabricgen.blueprint.fabric import Tier
from fabricgen.catalog.models import SwitchProfile
from fabricgen.design.layout import Layout
from fabricgen.design.model import PortRun, TierDesign
from fabricgen.design.ports import (
    Downlinks,
    Uplinks,
    capacity,
    down_class,
    most_downlinks,
    place,
    up_class,
    uplink_speed,
    uplinks_needed,
)
from fabricgen.design.shape import blocks, inner, scope_of
from fabricgen.kernel.diagnostics import InputError, Path, fault


@dataclass(frozen=True, slots=True)
class TierSpec:
    """A tier as written, with what it refers to looked up."""

    name: str
    spec: Tier
    per: tuple[str, ...]
    profile: SwitchProfile
    nos: str
    allowed: Fraction
    path: Path


@dataclass(frozen=True, slots=True)
class Demand:
    """What the tier below (or the nodes) ask of a switch: at most `count` links of a speed over lanes of a rate."""

    count: int
    speed_gbps: int
    lane_gbps: float
    rj45: bool = False

    def downlinks(self, tier: TierSpec) -> Downlinks:
        """As down ports of a tier, with its stated breakout."""
        mode = tier.spec.breakout
        ways = None if mode is None else mode.ways if mode.speed_gbps == self.speed_gbps else -1
        return Downlinks(self.count, self.speed_gbps, self.lane_gbps, self.rj45, ways)


@dataclass(frozen=True, slots=True)
class Ascent:
    """How a tier meets the one above: speed and lane rate of the links, and how many groups each switch meets."""

    upper: TierSpec
    speed_gbps: int
    lane_gbps: float
    groups_met: int
    stated_count: int | None


def ascent(tier: TierSpec, upper: TierSpec | None, demand: Demand, sizes: Mapping[str, int]) -> Ascent | None:
    """Work out the speed of a tier's uplinks and the upper groups each of its switches meets.

    Raises InputError when no speed suits both switches.
    """
    if upper is None:
        return None
    chosen = down_class(tier.profile, demand.downlinks(tier))
    if chosen is None:
        raise _no_port(tier, demand)
    stated = tier.spec.uplinks.speed_gbps if tier.spec.uplinks else None
    above = tier.profile.cages[up_class(tier.profile, chosen[0])]
    speed = stated or uplink_speed(tier.profile, chosen[0], demand.speed_gbps)
    for cage in sorted(upper.profile.cages, key=lambda c: -c.count * c.speed_gbps):
        lane = min(above.lane_gbps, cage.lane_gbps)
        if cage.form_factor != "RJ45" and cage.split_for(speed, lane) and above.split_for(speed, lane):
            met = [d for d in inner(upper.per) if d not in tier.per and d != tier.name]
            groups = 1
            for dimension in met:
                groups *= sizes[dimension]
            return Ascent(upper, speed, lane, groups, upper.spec.count)
    raise fault(
        "FG103",
        f"{tier.name} {tier.profile.id} and {upper.name} {upper.profile.id} have no {speed}G port in common",
        path=(*tier.path, "uplinks") if stated else (*upper.path, "switch"),
        hint="state `uplinks:` with a speed that both offer",
    )


def uplink_count(tier: TierSpec, up: Ascent, demand: Demand) -> int:
    """Uplinks of one switch: stated, or the fewest within the oversubscription that land equally."""
    if tier.spec.uplinks and tier.spec.uplinks.count:
        return tier.spec.uplinks.count
    needed = uplinks_needed(demand.count, demand.speed_gbps, up.speed_gbps, tier.allowed)
    for step in (up.groups_met * (up.stated_count or 1), up.groups_met):
        count = -(-needed // step) * step
        if place(tier.profile, demand.downlinks(tier), Uplinks(count, up.speed_gbps, up.lane_gbps)):
            return count
    return needed


def fit(tier: TierSpec, demand: Demand, up: Ascent | None) -> tuple[PortRun, PortRun | None] | None:
    """Place a switch's ports; None when its face has too few."""
    uplinks = Uplinks(uplink_count(tier, up, demand), up.speed_gbps, up.lane_gbps) if up else None
    return place(tier.profile, demand.downlinks(tier), uplinks)


def smallest_count(tier: TierSpec, slots: int, demand: Demand, up: Ascent | None, managed: Callable[[int], int]) -> int:
    """Switches for a group with so many node slots: stated, or the fewest that share the slots equally.

    Where these would be twice as many as are needed (67 slots divide by 67 only) it is the fewest that suffice.
    `managed` gives, for a count, the further ports each must offer. Raises InputError when none is enough.
    """
    if tier.spec.count:
        return tier.spec.count
    fewest = 0
    for count in range(1, slots + 1):
        if fit(tier, _with(demand, -(-slots // count) + managed(count)), up):
            fewest = fewest or count
            if slots % count == 0:
                return count
        if fewest and count >= 2 * fewest:
            return fewest
    raise too_small(tier, _with(demand, 1 + managed(slots)), up)


def _with(demand: Demand, count: int) -> Demand:
    return Demand(count, demand.speed_gbps, demand.lane_gbps, demand.rj45)


def lowers_per_group(layout: Layout, lower: TierDesign, upper: TierSpec, sizes: Mapping[str, int]) -> tuple[int, int]:
    """Lower switches in the fullest upper group: now, and with every reserved slot taken."""
    each = within(lower, upper.per, sizes)
    patterns = blocks(layout, scope_of(lower.per), scope_of(upper.per))
    now = max(sum(b.length for b in members) for _, members in patterns)
    slots = max(sum(b.slots for b in members) for _, members in patterns)
    return now * each, slots * each


def within(lower: TierDesign, upper_per: tuple[str, ...], sizes: Mapping[str, int]) -> int:
    """Lower switches of one lower place that meet the same upper group."""
    each = 1 if lower.name in upper_per else lower.count
    for dimension in inner(lower.per):
        each *= 1 if dimension in upper_per else sizes[dimension]
    return each


def slots_fit(upper: TierSpec, up: Ascent, ports: int, beyond: Ascent | None) -> bool:
    """Whether an upper switch has ports for every reserved slot below it, so that these can be numbered now."""
    links = Demand(ports, up.speed_gbps, up.lane_gbps)
    return ports <= _radix(upper, links.downlinks(upper), beyond)


def _radix(tier: TierSpec, links: Downlinks, beyond: Ascent | None) -> int:
    """Most downlinks of a tier's switch beside the uplinks its oversubscription calls for."""
    if beyond is None:
        return most_downlinks(tier.profile, links, None, 0, tier.allowed)
    return most_downlinks(tier.profile, links, beyond.speed_gbps, beyond.lane_gbps, tier.allowed)


def upper_count(lower: TierDesign, run: PortRun, up: Ascent, lowers: int, beyond: Ascent | None) -> int:
    """Switches in an upper group: stated, or by the rule at the head of this file.

    Raises InputError when the upper switch has too few ports for any number of them.
    """
    share = run.count // up.groups_met
    radix = _radix(up.upper, Demand(1, up.speed_gbps, up.lane_gbps).downlinks(up.upper), beyond)
    if up.stated_count:
        needed = lowers * -(-share // up.stated_count)
        if needed > radix:
            raise _radix_fault(up, lower, lowers, needed, radix, share)
        return up.stated_count
    least = -(-lowers * share // radix) if radix else share + 1
    for count in range(max(1, least), share + 1):
        if share % count == 0:
            return count
    raise _radix_fault(up, lower, lowers, lowers, radix, share)


def design_tier(
    fabric: str,
    tier: TierSpec,
    runs: tuple[PortRun, PortRun | None],
    groups: int,
    count: int,
    numbered_ports: int,
) -> TierDesign:
    """Freeze a sized tier; how it reaches the next is added once that is sized."""
    down, up = runs
    return TierDesign(
        fabric=fabric,
        name=tier.name,
        profile=tier.profile,
        nos=tier.nos,
        per=tier.per,
        groups=groups,
        count=count,
        down=down,
        up=up,
        uplink=None,
        allowed=tier.allowed,
        path=tier.path,
        numbered_ports=numbered_ports,
        spare_ports=capacity(tier.profile, down, up) - numbered_ports,
    )


def _no_port(tier: TierSpec, demand: Demand) -> InputError:
    return fault(
        "FG103",
        f"{tier.profile.id} has no cage for {demand.speed_gbps}G ports over {demand.lane_gbps:g}G lanes",
        path=(*tier.path, "breakout" if tier.spec.breakout else "switch"),
    )


def too_small(tier: TierSpec, demand: Demand, up: Ascent | None) -> InputError:
    """The refusal of a switch whose face is too small: what is needed, what there is, what would fit."""
    chosen = down_class(tier.profile, demand.downlinks(tier))
    if chosen is None:
        return _no_port(tier, demand)
    ports = tier.profile.cages[chosen[0]].count * chosen[1]
    uplinks = uplink_count(tier, up, demand) if up else 0
    most = _radix(tier, demand.downlinks(tier), up)
    above = f" and {uplinks} uplinks of {up.speed_gbps}G" if up else ""
    return fault(
        "FG101",
        f"{tier.name} {tier.profile.id} needs {demand.count} downlinks of {demand.speed_gbps}G{above}; "
        f"it has {ports} ports of {demand.speed_gbps}G, enough for {most} downlinks at "
        f"{float(tier.allowed):g}:1",
        path=tier.path,
        hint="raise `count`, group by one more dimension in `per`, allow oversubscription, or take a larger switch",
    )


def _radix_fault(up: Ascent, lower: TierDesign, lowers: int, needed: int, radix: int, share: int) -> InputError:
    return fault(
        "FG101",
        f"{up.upper.name} {up.upper.profile.id} needs {needed} down ports of {up.speed_gbps}G for {lowers} "
        f"{lower.name} switches with {share} uplinks each; it has {radix}",
        path=(*up.upper.path, "count") if up.stated_count else up.upper.path,
        hint=f"add a tier above, group {up.upper.name} by one more dimension in `per`, split ports finer, "
        "or take a larger switch",
    )

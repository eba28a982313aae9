"""The arithmetic of sizing: uplinks of a switch, switches of a group, and the error where a radix is too small.

How many switches an upper group has (NVIDIA's published SuperPOD tables follow the same rule): each lower switch must
have the same whole number of links to every upper switch, so it is the smallest divisor of its uplinks U that is at
least ceil(L x U / R), for L lower switches and R down ports of an upper one. With `spread: uneven` it need not divide.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from math import prod
from typing import Protocol

from fabricgen.catalog.models import CageClass
from fabricgen.design.layout import Layout
from fabricgen.design.media.gearing import LinkEnd, LinkOptics
from fabricgen.design.ports import (
    PortDemand,
    PortKind,
    PortPlacement,
    SwitchDemand,
    down_class,
    largest,
    most_downlinks,
    place_ports,
    up_class,
    uplink_speed,
    uplinks_needed,
)
from fabricgen.design.shape import Coarser, child_numbers, inner, met, met_together, scope_of
from fabricgen.design.sizing.kept import kept_leaves, kept_uplinks, place_upward
from fabricgen.design.sizing.port_fit import cause, kept_text, no_port, ports_for, short_range
from fabricgen.design.tiers import TierSpec
from fabricgen.kernel.diagnostics import InputError, fault


class Grouped(Protocol):
    """A tier, as written or as designed: its name and what it is grouped by."""

    @property
    def name(self) -> str:
        """Its name in its fabric."""

    @property
    def per(self) -> tuple[str, ...]:
        """The dimensions that it is grouped by."""

    @property
    def layout(self) -> Layout:
        """The units that it serves."""


@dataclass(frozen=True, slots=True)
class UplinkPlan:
    """How the switches of a tier are linked up: the tier above, the kind of port here and there, how many of its groups
    each switch meets, and the stated number of switches in such a group.
    """

    upper: TierSpec
    kind: PortKind
    upper_kind: PortKind
    groups_met: int
    stated_count: int | None
    uneven: bool = False
    """Whether links may land unequally on the switches of a group."""


def plan_uplinks(
    tier: TierSpec, upper: TierSpec, main: PortDemand | None, sizes: Mapping[str, int], optics: LinkOptics
) -> UplinkPlan:
    """Choose the kind of a tier's uplinks and count the upper groups that each of its switches meets.

    `main` is the demand of its first kind of downlinks, `sizes` are those of the upper tier's fabric, `optics` those
    that the links may have. Raises InputError when both switches have no speed in common.
    """
    below = None
    if main is not None:
        chosen = down_class(tier.profile, main)
        if chosen is None:
            raise no_port(tier, main.kind)
        below = chosen[0]
    stated = tier.spec.uplinks.speed_gbps if tier.spec.uplinks else None
    above = tier.profile.cages[up_class(tier.profile, below)]
    speed = stated or uplink_speed(tier.profile, below, main.kind.speed_gbps if main else above.speed_gbps)
    cages = [cage for cage in upper.profile.cages if cage.form_factor != "RJ45"]
    for ways in dict.fromkeys((upper.stated_ways(speed), 0)):
        for cage in sorted(cages, key=lambda c: -c.count * c.speed_gbps):
            rates = optics.lane_rates(LinkEnd(above), LinkEnd(cage, ways), speed)
            if rates:
                kinds = PortKind(speed, rates[0]), PortKind(speed, rates[1])
                groups = prod(sizes[dimension] for dimension in met(tier.per, tier.name, upper.per))
                return UplinkPlan(upper, *kinds, groups, upper.spec.count, deals_unevenly(upper))
    raise fault(
        "FG103",
        f"{tier.name} {tier.profile.id} and {upper.name} {upper.profile.id} have no {speed}G port in common: "
        f"these offer {tier.profile.speeds_text} and {upper.profile.speeds_text}"
        f"{_lanes_apart(speed, above, cages)}",
        path=(*tier.path, "uplinks") if stated else (*upper.path, "switch"),
        hint="state `uplinks:` with a speed that both offer",
    )


def _lanes_apart(speed: int, above: CageClass, cages: Sequence[CageClass]) -> str:
    """That both offer ports of a speed, but over lanes of other rates, with these; "" where they do not."""
    splits = [ways for ways, speeds in above.breakouts.items() if speed in speeds]
    there = next((c for c in cages if c.lane_gbps != above.lane_gbps and speed in c.speeds), None)
    if not splits or there is None:
        return ""
    return (
        f", and {speed}G over lanes of {above.lane_gbps:g}G ({above.form_factor}) meets none over lanes of "
        f"{there.lane_gbps:g}G ({there.form_factor})"
    )


def _with_uplinks(
    tier: TierSpec, demand: SwitchDemand, up: UplinkPlan | None
) -> tuple[SwitchDemand, PortPlacement | None]:
    """(demand including the uplinks, where the ports are placed; None in place of the latter when the switch has too
    few).

    The number of uplinks is as stated, else as the lock keeps it, else the fewest within the oversubscription that
    divide equally over the upper groups; what a stated number leaves over stays unwired. Raises InputError where an
    upper group would get none.
    """
    if up is None:
        return demand, place_ports(tier.profile, demand)
    groups = up.groups_met
    if tier.spec.uplinks and tier.spec.uplinks.count:
        stated = tier.spec.uplinks.count
        if stated < groups:
            raise _too_few(tier, up, stated)
        return place_upward(tier, demand, stated // groups * groups, up.kind)
    needed = uplinks_needed(demand.down_gbps, up.kind.speed_gbps, tier.allowed)
    landing = groups * (up.stated_count or 1)
    if up.uneven:
        landing, needed = groups, max(needed, landing)
    kept = kept_uplinks(tier, needed, up.kind, groups)
    fewest = (-(-needed // landing) * landing, -(-needed // groups) * groups)
    for count in dict.fromkeys((kept, *fewest) if kept and kept % landing == 0 else fewest):
        whole, placement = place_upward(tier, demand, count, up.kind)
        if placement:
            return whole, placement
    return demand.upward(fewest[-1], up.kind), None


def deals_unevenly(upper: TierSpec) -> bool:
    """Whether links from below may land unequally on the switches of a tier."""
    return upper.spec.spread == "uneven"


def check_all_met(upper: TierSpec, below: Sequence[LowerTier]) -> None:
    """Raise InputError where a stated count is more than the uplinks that are to be dealt over it."""
    stated = upper.spec.count or 0
    for lower in below:
        if lower.uneven and lower.share < stated:
            raise fault(
                "FG088",
                f"each {lower.name} has {lower.share} uplink{'s' * (lower.share != 1)} for {stated} {upper.name} "
                f"switches: some pairs would have no link, and `spread: uneven` deals at least one to each",
                path=(*upper.path, "count"),
                hint=f"set `count: {lower.share}` or fewer, or give {lower.name} {stated} uplinks",
            )


def _too_few(tier: TierSpec, up: UplinkPlan, uplinks: int) -> InputError:
    """The error for uplinks that are fewer than the upper groups."""
    return fault(
        "FG111",
        f"{tier.name} has {uplinks} uplink{'s' * (uplinks != 1)} for {up.groups_met} groups of {up.upper.name}",
        path=(*tier.path, "uplinks") if tier.spec.uplinks else tier.path,
        hint=f"give it {up.groups_met} or a multiple, or group {up.upper.name} by fewer dimensions",
    )


def fit(tier: TierSpec, demand: SwitchDemand, up: UplinkPlan | None) -> PortPlacement | None:
    """Place the ports of a switch; None when it has too few."""
    return _with_uplinks(tier, demand, up)[1]


def smallest_count(
    tier: TierSpec, slots: list[int], demand_for: Callable[[int], SwitchDemand], up: UplinkPlan | None
) -> int:
    """Switches for a group: stated, as the lock keeps them, or the fewest that share node slots of each kind equally.

    `slots` are those of the fullest group, by kind of port; `demand_for(n)` gives the ports that each of n switches
    must offer. If an equal share takes more than twice the fewest switches that suffice (67 slots divide by 67 only),
    the fewest are taken and shares differ. Raises InputError when none is enough.
    """
    if tier.spec.count:
        return tier.spec.count
    kept = kept_leaves(tier, slots, lambda count: fit(tier, demand_for(count), up) is not None)
    if kept:
        return kept
    most = max(slots, default=1)
    if not fit(tier, demand_for(most), up):
        raise too_small(tier, demand_for(most), up)
    fewest = 1 + most - largest(lambda fewer: fit(tier, demand_for(1 + most - fewer), up) is not None, most)
    for count in range(fewest, min(most, 2 * fewest) + 1):
        if all(number % count == 0 for number in slots) and fit(tier, demand_for(count), up):
            return count
    return fewest


@dataclass(frozen=True, slots=True)
class LowerTier:
    """A lower tier as one upper group sees it: how many switches there are `now` and with reserved `slots`, and their
    links.
    """

    name: str
    kind: PortKind
    now: int
    slots: int
    share: int
    """Links of each lower switch to one upper group."""
    least: int
    """Lower switches that must have ports in any case: up to the last slot in use where the lock numbers by slot, else
    0.
    """
    stretch: Callable[[int], bool]
    """Whether a lower switch could have this many links instead."""
    uneven: bool = False
    """Whether its links may land unequally."""
    ranks: Callable[[], Iterable[tuple[Sequence[int], int]]] = tuple
    """(ranks of its switches in an upper group, how many groups are so) by kind, where ports are numbered by slot."""

    def numbered(self, *, by_slot: bool) -> int:
        """Lower switches that ports are numbered for."""
        return self.slots if by_slot else max(self.now, self.least)

    def lands_unevenly(self, count: int) -> bool:
        """Whether links are dealt over so many upper switches and do not divide equally."""
        return self.uneven and self.share % count > 0

    def ports(self, lowers: int, count: int) -> int:
        """Ports of the fullest of `count` upper switches for so many lower switches."""
        return -(-lowers * self.share // count) if self.lands_unevenly(count) else lowers * -(-self.share // count)

    def ports_in_use(self, count: int, *, by_slot: bool) -> int:
        """Ports in use on the fullest of `count` upper switches; slots without a switch may leave some switches fewer
        than others.
        """
        least = self.ports(self.now, count)
        if not (by_slot and self.lands_unevenly(count)):
            return least
        links = range(self.share)
        dealt = (Counter((rank * self.share + k) % count for rank in group for k in links) for group, _ in self.ranks())
        return max(least, *(max(met.values(), default=0) for met in dealt))

    def stretched(self, count: int) -> LowerTier | None:
        """The same with links rounded up to a multiple of `count` upper switches, or as they are where they may land
        unequally; None where its switches cannot have so many.
        """
        if self.uneven:
            return self if count <= self.share else None
        share = -(-self.share // count) * count
        if share == self.share:
            return self
        return replace(self, share=share) if self.stretch(share) else None


def upper_count(
    upper: TierSpec,
    below: list[LowerTier],
    fits: Callable[[int, list[LowerTier]], bool],
    *,
    kept: int = 0,
) -> tuple[int, list[LowerTier]]:
    """(switches of an upper group by the rule at the head of this module, the lower tiers with their links rounded up).

    Of several lower tiers the first one's uplinks decide. A count that is `kept` from before comes first, as long as it
    suffices and divides them. The count is 0 when no number suffices.
    """
    stated = upper.spec.count
    if stated:
        found = [b.stretched(stated) or b for b in below]
        return (stated, found) if fits(stated, found) else (0, below)
    chief = below[0].share
    for count in (*((kept,) if 0 < kept <= chief else ()), *range(1, chief + 1)):
        if chief % count == 0 or below[0].uneven:
            met = [b.stretched(count) for b in below]
            found = [b for b in met if b is not None]
            if len(found) == len(below) and fits(count, found):
                return count, found
    return 0, below


def lowers_per_group(
    lower: TierSpec, count: int, upper: TierSpec, sizes: Mapping[str, int], coarser: Coarser
) -> tuple[int, int, int]:
    """Lower switches in the fullest upper group, three counts: of units there are, of all reserved slots, and of slots
    up to the last one in use.
    """
    each = max(len(ranks) for ranks in ranks_within(lower.per, lower.name, count, upper.per, sizes, coarser))
    scopes = scope_of(lower.per), scope_of(upper.per)
    by_unit, by_slot = (child_numbers(lower.layout, *scopes, by_slot=by_slot) for by_slot in (False, True))
    in_use = (one.numbers[-1].end for one in by_slot if one.numbers)
    now, slots = (max(one.span for one in found) for found in (by_unit, by_slot))
    return now * each, slots * each, max(in_use, default=0) * each


def ranks_within(
    per: tuple[str, ...],
    name: str,
    count: int,
    upper_per: tuple[str, ...],
    sizes: Mapping[str, int],
    coarser: Coarser,
) -> list[tuple[int, ...]]:
    """The ranks, from 0, that lower switches of one place have in an upper group: an entry for each kind of group.

    Kinds differ where an upper group has what follows from a dimension of the lower tier, and some have more values of
    it than others: of four rails in groups of three and one. `sizes` and `coarser` are those of the lower tier's
    fabric.
    """
    dimensions = [d for d in inner(per) if d not in upper_per]
    together = [met_together(d, upper_per, sizes[d], coarser) for d in dimensions]
    shape = [max(map(len, groups)) for groups in together] + ([] if name in upper_per else [count])
    found = []
    for chosen in product(*together):
        held = [range(len(numbers)) for numbers in chosen] + ([] if name in upper_per else [range(count)])
        found.append(tuple(_rank(position, shape) for position in product(*held)))
    return found


def ranks_in_groups(
    lower: Grouped,
    count: int,
    upper: Grouped,
    sizes: Mapping[str, int],
    coarser: Coarser,
    *,
    by_slot: bool = True,
) -> Iterator[tuple[list[int], int]]:
    """(ranks of the lower switches in an upper group, how many groups are so) for every kind of upper group, of each of
    the kinds in `ranks_within`.
    """
    kinds = ranks_within(lower.per, lower.name, count, upper.per, sizes, coarser)
    each = max(max(ranks, default=-1) for ranks in kinds) + 1
    for place in child_numbers(lower.layout, scope_of(lower.per), scope_of(upper.per), by_slot=by_slot):
        numbers = [number for run in place.numbers for number in range(run.first, run.end)]
        for inside in kinds:
            yield [number * each + rank for number in numbers for rank in inside], place.places


def _rank(position: Sequence[int], shape: Sequence[int]) -> int:
    """The number of a position, dimension by dimension, in an array of a shape."""
    rank = 0
    for at, size in zip(position, shape, strict=True):
        rank = rank * size + at
    return rank


def radix(tier: TierSpec, wanted: PortDemand, beyond: UplinkPlan | None, beside: SwitchDemand | None = None) -> int:
    """The most downlinks of a tier's switch beside the uplinks that its oversubscription calls for, the ports kept
    free, and what else of a demand there is: other kinds of down ports, and peer links.
    """
    others, peers = (beside.downs[1:], beside.peers) if beside else ((), ())
    bare = SwitchDemand((wanted, *others), peers, None, tuple(tier.cages.items()), tier.reserved_cages)
    up, groups = (beyond.kind, beyond.groups_met) if beyond else (None, 1)
    return most_downlinks(tier.profile, bare, up, tier.allowed, groups=groups, spare_ports=tier.free_ports)


def _beside(demand: SwitchDemand, beyond: UplinkPlan | None, allowed: Fraction) -> str:
    """What a switch needs beside its first kind of down ports, in words."""
    needs = [(wanted.needed, "down port", wanted.kind) for wanted in demand.downs[1:]]
    needs += [(wanted.needed, "peer link", wanted.kind) for wanted in demand.peers]
    words = [f"{count} {what}{'s' * (count != 1)} of {kind.speed_gbps}G" for count, what, kind in needs]
    words += [f"uplinks at {float(allowed):.3g}:1"] if beyond else []
    if beyond and beyond.groups_met > 1:
        words[-1] += f", equally many to each of {beyond.groups_met} groups of {beyond.upper.name}"
    return f" beside {' and '.join(words)}" if words else ""


def too_small(tier: TierSpec, demand: SwitchDemand, up: UplinkPlan | None) -> InputError:
    """The error for a switch with too few ports: what it needs and what it has."""
    for wanted in demand.downs:
        if down_class(tier.profile, wanted) is None:
            return no_port(tier, wanted.kind)
    if short := short_range(tier, demand):
        return short
    whole, _ = _with_uplinks(tier, demand, up)
    needs = [f"{wanted.needed} downlinks of {wanted.kind.speed_gbps}G" for wanted in demand.downs]
    needs += [f"{wanted.needed} peer links of {wanted.kind.speed_gbps}G" for wanted in demand.peers]
    needs += [f"{whole.up.count} uplinks of {whole.up.kind.speed_gbps}G"] if whole.up else []
    code, why = cause(tier, whole)
    return fault(
        code,
        f"{tier.name} {tier.profile.id} needs {' and '.join(needs)}; it has {_offer(tier, whole, up)}{why}",
        path=(*tier.path, "count") if tier.spec.count else tier.path,
    )


def _offer(tier: TierSpec, demand: SwitchDemand, up: UplinkPlan | None) -> str:
    """The ports that a switch has for a demand, in words with their speeds."""
    chosen = down_class(tier.profile, demand.downs[0]) if demand.downs else None
    if chosen is None:
        return "no down port"
    main, above = demand.downs[0], up_class(tier.profile, chosen[0])
    text = f"{ports_for(tier, *chosen, 'down')} down ports of {main.kind.speed_gbps}G"
    if demand.up is None and not demand.peers:
        return text
    if above == chosen[0] and not tier.spec.cages:
        stated = tier.spec.count or (tier.spec.uplinks and tier.spec.uplinks.count) or demand.peers
        enough = f", enough for {radix(tier, main, up)} downlinks at {float(tier.allowed):.3g}:1"
        return text.replace("down ports", "ports") + (" in all" if stated else enough)
    for wanted, role in ((demand.up, "up"), *((wanted, "peer") for wanted in demand.peers)):
        ways = tier.profile.split_for(above, wanted.kind.speed_gbps, wanted.kind.lane_gbps) if wanted else None
        if wanted and ways:
            text += f" and {ports_for(tier, above, ways, role)} {role} ports of {wanted.kind.speed_gbps}G"
    return f"{text} in the cages that `cages` keeps" if tier.spec.cages else text


def radix_fault(
    upper: TierSpec,
    below: list[LowerTier],
    beyond: UplinkPlan | None,
    demand_for: Callable[[int, list[LowerTier]], SwitchDemand],
    fits: Callable[[int, list[LowerTier]], bool],
) -> InputError:
    """The error for an upper tier whose switches have too few ports for the lower tiers."""
    stated = upper.spec.count
    chief = below[0]
    demand = demand_for(stated or chief.share, below)
    if short := short_range(upper, demand):
        return short
    has = f"{radix(upper, demand.downs[0], beyond, demand)}{kept_text(upper)}"
    if stated and stated < chief.share and chief.share % stated and not chief.uneven:
        return _indivisible(upper, below, stated, fits, has)
    needed = sum(b.ports(b.now, stated or chief.share) for b in below)
    lowers = " and ".join(f"{b.now} {b.name} switches with {b.share} uplinks each" for b in below)
    lowers += " in all reserved units" if upper.for_reserve else ""
    return fault(
        "FG101",
        f"{upper.name} {upper.profile.id} needs {needed} down ports of {chief.kind.speed_gbps}G on each of "
        f"{stated or chief.share} switches, for {lowers}; it has {has}"
        f"{_beside(demand, beyond, upper.allowed)}",
        path=(*upper.path, "count") if stated else upper.path,
    )


NEAREST = 2
"""How many counts that divide are named."""


def _indivisible(
    upper: TierSpec, below: list[LowerTier], stated: int, fits: Callable[[int, list[LowerTier]], bool], has: str
) -> InputError:
    """The error for a stated count that does not divide the links of each lower switch, and lacks the ports for the
    rounded shares: which counts divide them.
    """
    chief = below[0]
    divisors = [count for count in range(1, chief.share + 1) if chief.share % count == 0]
    near = sorted(sorted(divisors, key=lambda count: (abs(count - stated), count))[:NEAREST])
    enough = [count for count in divisors if fits(count, [b.stretched(count) or b for b in below])]
    best = min(enough, key=lambda count: (abs(count - stated), count), default=0)
    ports = f"{best} switches have the ports" if best else "none of these has the ports"
    most = sum(b.now * -(-b.share // stated) for b in below)
    lowers = " and ".join(f"{b.now} {b.name} switches" for b in below)
    return fault(
        "FG101",
        f"{stated} {upper.name} switches do not divide the {chief.share} uplinks of each {chief.name} evenly: some get "
        f"{-(-chief.share // stated)}, others {chief.share // stated}, which takes {most} down ports of "
        f"{chief.kind.speed_gbps}G on each for {lowers}; {upper.profile.id} has {has}. The nearest counts that divide "
        f"are {' and '.join(map(str, near))}; {ports}",
        path=(*upper.path, "count"),
    )

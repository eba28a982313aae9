"""The arithmetic of sizing: uplinks of a switch, switches of a group, and the error where a radix is too small.

How many switches an upper group has (NVIDIA's published SuperPOD tables follow the same rule): each lower switch must
have the same whole number of links to every upper switch, so it is the smallest divisor of its uplinks U that is at
least ceil(L x U / R), for L lower switches and R down ports of an upper one. With `spread: uneven` it need not divide.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from math import prod
from typing import NamedTuple

from fabricgen.catalog.models import CageClass
from fabricgen.design.media.gearing import LinkOptics, UnplacedEnd
from fabricgen.design.ports import (
    PortDemand,
    PortKind,
    PortPlacement,
    SwitchDemand,
    choose_uplink_speed,
    count_most_downlinks,
    count_needed,
    find_down_class,
    find_up_class,
    place_ports,
)
from fabricgen.design.shape import (
    list_met_dimensions,
)
from fabricgen.design.sizing.inside_ports import find_fewest_switches
from fabricgen.design.sizing.kept import find_kept_leaves, find_kept_uplinks, place_upward
from fabricgen.design.sizing.port_fit import (
    count_ports_for,
    describe_kept_ports,
    explain_misfit,
    explain_no_port,
    explain_short_range,
)
from fabricgen.design.tiers import TierSpec
from fabricgen.kernel.diagnostics import InputError, fault


class UplinkPlan(NamedTuple):
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
    down_cage_class = None
    if main is not None:
        chosen = find_down_class(tier.profile, main)
        if chosen is None:
            raise explain_no_port(tier, main.kind)
        down_cage_class = chosen[0]
    stated_speed = tier.spec.uplinks.speed_gbps if tier.spec.uplinks else None
    # uplinks take the cages that downlinks leave: those of another class where the switch has such
    uplink_cage = tier.profile.cages[find_up_class(tier.profile, down_cage_class)]
    speed = stated_speed or choose_uplink_speed(
        tier.profile, down_cage_class, main.kind.speed_gbps if main else uplink_cage.speed_gbps
    )
    # copper pairs carry no uplinks: RJ45 cages of the switch above are for management
    cages = [cage for cage in upper.profile.cages if cage.form_factor != "RJ45"]
    # a stated breakout first; 0 lets the cage be split as the speed needs
    for ways in dict.fromkeys((upper.find_stated_breakout(speed), 0)):
        for cage in sorted(cages, key=lambda c: -c.count * c.speed_gbps):
            rates = optics.find_lane_rates(UnplacedEnd(uplink_cage), UnplacedEnd(cage, ways), speed)
            if rates:
                kinds = PortKind(speed, rates[0]), PortKind(speed, rates[1])
                groups = prod(sizes[dimension] for dimension in list_met_dimensions(tier.per, tier.name, upper.per))
                return UplinkPlan(upper, *kinds, groups, upper.spec.count, is_uneven(upper))
    raise fault(
        "FG103",
        f"{tier.name} {tier.profile.id} and {upper.name} {upper.profile.id} have no {speed}G port in common: "
        f"these offer {tier.profile.speeds_text} and {upper.profile.speeds_text}"
        f"{_explain_lane_rates(speed, uplink_cage, cages)}",
        path=(*tier.path, "uplinks") if stated_speed else (*upper.path, "switch"),
        hint="state `uplinks:` with a speed that both offer",
    )


def _explain_lane_rates(speed: int, uplink_cage: CageClass, cages: Sequence[CageClass]) -> str:
    """That both offer ports of a speed, but over lanes of other rates, with these; "" where they do not."""
    splits = [ways for ways, speeds in uplink_cage.breakouts.items() if speed in speeds]
    other_cage = next((c for c in cages if c.lane_gbps != uplink_cage.lane_gbps and speed in c.speeds), None)
    if not splits or other_cage is None:
        return ""
    return (
        f", and {speed}G over lanes of {uplink_cage.lane_gbps:g}G ({uplink_cage.form_factor}) meets none over lanes of "
        f"{other_cage.lane_gbps:g}G ({other_cage.form_factor})"
    )


def _add_uplinks(
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
        stated_count = tier.spec.uplinks.count
        if stated_count < groups:
            raise _explain_too_few_uplinks(tier, up, stated_count)
        # rounded down to the same number for each upper group: the rest stays unwired
        return place_upward(tier, demand, stated_count // groups * groups, up.kind)
    needed = count_needed(demand.down_gbps, up.kind.speed_gbps, tier.allowed)
    step = groups * (up.stated_count or 1)
    if up.uneven:
        # dealt unevenly, links need not divide, but each upper switch has to get one
        step, needed = groups, max(needed, step)
    kept_count = find_kept_uplinks(tier, needed, up.kind, groups)
    # rounded up to what reaches every upper switch alike; where that does not fit, to what reaches every group alike
    fewest = (-(-needed // step) * step, -(-needed // groups) * groups)
    # `fromkeys` drops a count that comes twice and keeps the order
    for count in dict.fromkeys((kept_count, *fewest) if kept_count and kept_count % step == 0 else fewest):
        with_uplinks, placement = place_upward(tier, demand, count, up.kind)
        if placement:
            return with_uplinks, placement
    return demand.add_uplinks(fewest[-1], up.kind), None


def is_uneven(upper: TierSpec) -> bool:
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


def _explain_too_few_uplinks(tier: TierSpec, up: UplinkPlan, uplinks: int) -> InputError:
    """The error for uplinks that are fewer than the upper groups."""
    return fault(
        "FG111",
        f"{tier.name} has {uplinks} uplink{'s' * (uplinks != 1)} for {up.groups_met} groups of {up.upper.name}",
        path=(*tier.path, "uplinks") if tier.spec.uplinks else tier.path,
        hint=f"give it {up.groups_met} or a multiple, or group {up.upper.name} by fewer dimensions",
    )


def fit_ports(tier: TierSpec, demand: SwitchDemand, up: UplinkPlan | None) -> PortPlacement | None:
    """Place the ports of a switch; None when it has too few."""
    return _add_uplinks(tier, demand, up)[1]


def choose_count(
    tier: TierSpec, slots: list[int], demand_for: Callable[[int], SwitchDemand], up: UplinkPlan | None
) -> int:
    """Switches for a group: stated, as the lock keeps them, or the fewest that share node slots of each kind equally.

    `slots` are those of the fullest group, by kind of port; `demand_for(n)` gives the ports that each of n switches
    must offer. If an equal share takes more than twice the fewest switches that suffice (67 slots divide by 67 only),
    the fewest are taken and shares differ. Raises InputError when none is enough.
    """
    if tier.spec.count:
        return tier.spec.count
    # placing ports is the costly step, and the search asks for some counts again
    fits = cache(lambda count: fit_ports(tier, demand_for(count), up) is not None)
    kept = find_kept_leaves(tier, slots, fits)
    if kept:
        return kept
    most = max(slots, default=1)
    fewest = find_fewest_switches(tier, fits, most)
    if not fewest:
        raise explain_small(tier, demand_for(1 if tier.spec.mesh else most), up)
    # up to twice the fewest: beyond that, equal shares cost more switches than they are worth
    for count in range(fewest, min(most, 2 * fewest) + 1):
        if all(number % count == 0 for number in slots) and fits(count):
            return count
    return fewest


class LowerTier(NamedTuple):
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

    def count_numbered(self, *, by_slot: bool) -> int:
        """Lower switches that ports are numbered for."""
        return self.slots if by_slot else max(self.now, self.least)

    def lands_unevenly(self, count: int) -> bool:
        """Whether links are dealt over so many upper switches and do not divide equally."""
        return self.uneven and self.share % count > 0

    def count_ports(self, lowers: int, count: int) -> int:
        """Ports of the fullest of `count` upper switches for so many lower switches."""
        # dealt one by one over all, the fullest gets the quotient rounded up; else each lower switch gives its share,
        # rounded up, to each
        return -(-lowers * self.share // count) if self.lands_unevenly(count) else lowers * -(-self.share // count)

    def count_used(self, count: int, *, by_slot: bool) -> int:
        """Ports in use on the fullest of `count` upper switches; slots without a switch may leave some switches fewer
        than others.
        """
        evenly = self.count_ports(self.now, count)
        if not (by_slot and self.lands_unevenly(count)):
            return evenly
        links = range(self.share)
        # link k of the lower switch of a rank goes on where that of the rank before ended, as the wiring deals them
        dealt = (Counter((rank * self.share + k) % count for rank in group for k in links) for group, _ in self.ranks())
        return max(evenly, *(max(links_by_switch.values(), default=0) for links_by_switch in dealt))

    def count_links_to_each(self, count: int) -> int:
        """Links of a lower switch to each of `count` upper ones; where they do not divide, the most to one."""
        return -(-(self.stretch_to(count) or self).share // count)

    def stretch_to(self, count: int) -> LowerTier | None:
        """This tier with links rounded up to a multiple of `count` upper switches, or as they are where they may land
        unequally; None where its switches cannot have so many.
        """
        if self.uneven:
            return self if count <= self.share else None
        # rounded up to the next multiple
        share = -(-self.share // count) * count
        if share == self.share:
            return self
        return self._replace(share=share) if self.stretch(share) else None


def count_uppers(
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
        stretched_tiers = [b.stretch_to(stated) or b for b in below]
        return (stated, stretched_tiers) if fits(stated, stretched_tiers) else (0, below)
    first_share = below[0].share
    # more switches than a lower one has links would leave some pairs without any
    for count in (*((kept,) if 0 < kept <= first_share else ()), *range(1, first_share + 1)):
        # the first count that divides and fits is the smallest, which is the rule
        if first_share % count == 0 or below[0].uneven:
            candidates = [b.stretch_to(count) for b in below]
            stretched_tiers = [b for b in candidates if b is not None]
            if len(stretched_tiers) == len(below) and fits(count, stretched_tiers):
                return count, stretched_tiers
    return 0, below


def count_radix(
    tier: TierSpec, down: PortDemand, uplink_plan: UplinkPlan | None, full_demand: SwitchDemand | None = None
) -> int:
    """The most downlinks of a tier's switch beside the uplinks that its oversubscription calls for, the ports kept
    free, and what else of a demand there is: other kinds of down ports, and peer links.
    """
    other_downs, peers = (full_demand.downs[1:], full_demand.peers) if full_demand else ((), ())
    bare = SwitchDemand((down, *other_downs), peers, None, tuple(tier.cages.items()), tier.reserved_cages)
    up, groups = (uplink_plan.kind, uplink_plan.groups_met) if uplink_plan else (None, 1)
    return count_most_downlinks(tier.profile, bare, up, tier.allowed, groups=groups, spare_ports=tier.free_ports)


def _describe_beside(demand: SwitchDemand, uplink_plan: UplinkPlan | None, allowed: Fraction) -> str:
    """What a switch needs beside its first kind of down ports, in words."""
    needs = [(port_demand.needed, "down port", port_demand.kind) for port_demand in demand.downs[1:]]
    needs += [(port_demand.needed, "peer link", port_demand.kind) for port_demand in demand.peers]
    phrases = [f"{count} {noun}{'s' * (count != 1)} of {kind.speed_gbps}G" for count, noun, kind in needs]
    phrases += [f"uplinks at {float(allowed):.3g}:1"] if uplink_plan else []
    if uplink_plan and uplink_plan.groups_met > 1:
        phrases[-1] += f", equally many to each of {uplink_plan.groups_met} groups of {uplink_plan.upper.name}"
    return f" beside {' and '.join(phrases)}" if phrases else ""


def explain_small(tier: TierSpec, demand: SwitchDemand, up: UplinkPlan | None) -> InputError:
    """The error for a switch with too few ports: what it needs and what it has."""
    for port_demand in demand.downs:
        if find_down_class(tier.profile, port_demand) is None:
            return explain_no_port(tier, port_demand.kind)
    if range_fault := explain_short_range(tier, demand):
        return range_fault
    extended, _ = _add_uplinks(tier, demand, up)
    needs = [f"{port_demand.needed} downlinks of {port_demand.kind.speed_gbps}G" for port_demand in demand.downs]
    inside = "mesh links" if tier.spec.mesh else "peer links"
    needs += [f"{port_demand.needed} {inside} of {port_demand.kind.speed_gbps}G" for port_demand in demand.peers]
    needs += [f"{extended.up.count} uplinks of {extended.up.kind.speed_gbps}G"] if extended.up else []
    code, why = explain_misfit(tier, extended)
    return fault(
        code,
        f"{tier.name} {tier.profile.id} needs {' and '.join(needs)}; it has {_describe_offer(tier, extended, up)}{why}",
        path=(*tier.path, "count") if tier.spec.count else tier.path,
    )


def _describe_offer(tier: TierSpec, demand: SwitchDemand, up: UplinkPlan | None) -> str:
    """The ports that a switch has for a demand, in words with their speeds."""
    chosen = find_down_class(tier.profile, demand.downs[0]) if demand.downs else None
    if chosen is None:
        return "no down port"
    main, up_class_index = demand.downs[0], find_up_class(tier.profile, chosen[0])
    text = f"{count_ports_for(tier, *chosen, 'down')} down ports of {main.kind.speed_gbps}G"
    if demand.up is None and not demand.peers:
        return text
    if up_class_index == chosen[0] and not tier.spec.cages:
        stated = tier.spec.count or (tier.spec.uplinks and tier.spec.uplinks.count) or demand.peers
        enough = f", enough for {count_radix(tier, main, up)} downlinks at {float(tier.allowed):.3g}:1"
        return text.replace("down ports", "ports") + (" in all" if stated else enough)
    for demanded, role in ((demand.up, "up"), *((demanded, "peer") for demanded in demand.peers)):
        ways = (
            tier.profile.split_for(up_class_index, demanded.kind.speed_gbps, demanded.kind.lane_gbps)
            if demanded
            else None
        )
        if demanded and ways:
            text += (
                f" and {count_ports_for(tier, up_class_index, ways, role)} {role} ports of {demanded.kind.speed_gbps}G"
            )
    return f"{text} in the cages that `cages` keeps" if tier.spec.cages else text


def explain_radix(
    upper: TierSpec,
    below: list[LowerTier],
    uplink_plan: UplinkPlan | None,
    demand_for: Callable[[int, list[LowerTier]], SwitchDemand],
    fits: Callable[[int, list[LowerTier]], bool],
) -> InputError:
    """The error for an upper tier whose switches have too few ports for the lower tiers."""
    stated = upper.spec.count
    chief = below[0]
    demand = demand_for(stated or chief.share, below)
    if range_fault := explain_short_range(upper, demand):
        return range_fault
    available = f"{count_radix(upper, demand.downs[0], uplink_plan, demand)}{describe_kept_ports(upper)}"
    if stated and stated < chief.share and chief.share % stated and not chief.uneven:
        return _explain_indivisible(upper, below, stated, fits, available)
    needed = sum(b.count_ports(b.now, stated or chief.share) for b in below)
    lowers = " and ".join(f"{b.now} {b.name} switches with {b.share} uplinks each" for b in below)
    lowers += " in all reserved units" if upper.for_reserve else ""
    return fault(
        "FG101",
        f"{upper.name} {upper.profile.id} needs {needed} down ports of {chief.kind.speed_gbps}G on each of "
        f"{stated or chief.share} switches, for {lowers}; it has {available}"
        f"{_describe_beside(demand, uplink_plan, upper.allowed)}",
        path=(*upper.path, "count") if stated else upper.path,
    )


NEAREST = 2
"""How many counts that divide are named."""


def _explain_indivisible(
    upper: TierSpec, below: list[LowerTier], stated: int, fits: Callable[[int, list[LowerTier]], bool], has: str
) -> InputError:
    """The error for a stated count that does not divide the links of each lower switch, and lacks the ports for the
    rounded shares: which counts divide them.
    """
    chief = below[0]
    divisors = [count for count in range(1, chief.share + 1) if chief.share % count == 0]
    # the nearest ones, told in ascending order
    nearest_divisors = sorted(sorted(divisors, key=lambda count: (abs(count - stated), count))[:NEAREST])
    # a count that divides is named only with whether its switches have the ports
    enough = [count for count in divisors if fits(count, [b.stretch_to(count) or b for b in below])]
    nearest_enough = min(enough, key=lambda count: (abs(count - stated), count), default=0)
    ports = f"{nearest_enough} switches have the ports" if nearest_enough else "none of these has the ports"
    most = sum(b.now * -(-b.share // stated) for b in below)
    lowers = " and ".join(f"{b.now} {b.name} switches" for b in below)
    return fault(
        "FG101",
        f"{stated} {upper.name} switches do not divide the {chief.share} uplinks of each {chief.name} evenly: some get "
        f"{-(-chief.share // stated)}, others {chief.share // stated}, which takes {most} down ports of "
        f"{chief.kind.speed_gbps}G on each for {lowers}; {upper.profile.id} has {has}. The nearest counts that divide "
        f"are {' and '.join(map(str, nearest_divisors))}; {ports}",
        path=(*upper.path, "count"),
    )

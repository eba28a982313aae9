"""The arithmetic of sizing: uplinks of a switch, switches of a group, and the error for a switch with too few ports.

NVIDIA's published SuperPOD tables follow the rule by which an upper group gets its switches: each lower switch must
have the same whole number of links to every upper switch. So their number is the smallest divisor of a lower switch's
uplinks U that is at least ceil(L x U / R), for L lower switches and R down ports of an upper switch. With `spread:
uneven` it need not divide.
"""

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
    find_fewest,
    find_up_class,
    place_ports,
)
from fabricgen.design.shape import list_met_dimensions
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
    """How the switches of a tier are linked up to the tier above."""

    upper: TierSpec
    kind: PortKind
    """The kind of port at the lower end."""
    upper_kind: PortKind
    """The kind of port at the upper end."""
    groups_met: int
    """How many groups of the upper tier each switch is linked to."""
    stated_count: int | None
    """The stated number of switches in an upper group; None if it is derived."""
    uneven: bool = False
    """Whether links may land unequally on the switches of a group."""


def plan_uplinks(
    tier: TierSpec, upper: TierSpec, main: PortDemand | None, sizes: Mapping[str, int], optics: LinkOptics
) -> UplinkPlan:
    """Choose the kind of a tier's uplinks and count the upper groups that each of its switches is linked to.

    `main` is the demand of its first kind of downlinks, `sizes` are those of the upper tier's fabric, `optics` chooses
    the lane rates at both ends. Raises InputError (FG103) if both switches have no speed in common.
    """
    down_cage_class = None
    if main is not None:
        down_class_and_ways = find_down_class(tier.profile, main)
        if down_class_and_ways is None:
            raise explain_no_port(tier, main.kind)
        down_cage_class = down_class_and_ways[0]
    stated_speed = tier.spec.uplinks.speed_gbps if tier.spec.uplinks else None
    # uplinks take the cages that downlinks leave: cages of another class if the switch has one
    uplink_cage = tier.profile.cages[find_up_class(tier.profile, down_cage_class)]
    speed = stated_speed or choose_uplink_speed(
        tier.profile, down_cage_class, main.kind.speed_gbps if main else uplink_cage.speed_gbps
    )
    # copper pairs carry no uplinks: RJ45 cages of the switch above are for management
    cages = [upper_cage for upper_cage in upper.profile.cages if upper_cage.form_factor != "RJ45"]
    # a stated breakout first; 0 lets the cage be split as the speed needs
    for ways in dict.fromkeys((upper.find_stated_breakout(speed), 0)):
        for upper_cage in sorted(cages, key=lambda c: -c.count * c.speed_gbps):
            rates = optics.find_lane_rates(UnplacedEnd(uplink_cage), UnplacedEnd(upper_cage, ways), speed)
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
    """Return words for a message if both switches offer ports of a speed, but over lanes of different rates; else
    "".
    """
    splits = [ways for ways, speeds in uplink_cage.breakouts.items() if speed in speeds]
    other_cage = next(
        (cage for cage in cages if cage.lane_gbps != uplink_cage.lane_gbps and speed in cage.speeds), None
    )
    if not splits or other_cage is None:
        return ""
    return (
        f", and {speed}G over lanes of {uplink_cage.lane_gbps:g}G ({uplink_cage.form_factor}) meets none over lanes of "
        f"{other_cage.lane_gbps:g}G ({other_cage.form_factor})"
    )


def _add_uplinks(
    tier: TierSpec, demand: SwitchDemand, plan: UplinkPlan | None
) -> tuple[SwitchDemand, PortPlacement | None]:
    """Return (demand including the uplinks, where the ports are placed); the placement is None if the switch has too
    few ports.

    The number of uplinks is as stated, else as the lock keeps it, else the fewest within the oversubscription that
    divide equally over the upper groups. Of a stated number, uplinks that do not divide over the groups stay unwired.

    Raises InputError (FG111) if the stated uplinks are fewer than the upper groups.
    """
    if plan is None:
        return demand, place_ports(tier.profile, demand)
    groups = plan.groups_met
    if tier.spec.uplinks and tier.spec.uplinks.count:
        stated_count = tier.spec.uplinks.count
        if stated_count < groups:
            raise fault(
                "FG111",
                f"{tier.name} has {stated_count} uplink{'s' * (stated_count != 1)} for {groups} groups of "
                f"{plan.upper.name}",
                path=(*tier.path, "uplinks"),
                hint=f"give it {groups} or a multiple, or group {plan.upper.name} by fewer dimensions",
            )
        # rounded down to the same number for each upper group: uplinks left over stay unwired
        return place_upward(tier, demand, stated_count // groups * groups, plan.kind)
    needed = count_needed(demand.down_gbps, plan.kind.speed_gbps, tier.allowed)
    step = groups * (plan.stated_count or 1)
    if plan.uneven:
        # dealt unevenly, links need not divide, but each upper switch has to get one
        step, needed = groups, max(needed, step)
    kept_count = find_kept_uplinks(tier, needed, plan.kind, groups)
    # rounded up to as many for every upper switch; if these do not fit, to as many for every upper group
    uplink_counts = (-(-needed // step) * step, -(-needed // groups) * groups)
    # `fromkeys` drops a count that comes twice and keeps the order
    for count in dict.fromkeys(
        (kept_count, *uplink_counts) if kept_count and kept_count % step == 0 else uplink_counts
    ):
        with_uplinks, placement = place_upward(tier, demand, count, plan.kind)
        if placement:
            return with_uplinks, placement
    return demand.add_uplinks(uplink_counts[-1], plan.kind), None


def is_uneven(upper: TierSpec) -> bool:
    """Whether links of lower switches may land unequally on the switches of a tier."""
    return upper.spec.spread == "uneven"


def check_uplinks_reach_all(upper: TierSpec, lower_tiers: Sequence["LowerTier"]) -> None:
    """Raise InputError (FG088) if a tier over which links are dealt unevenly states more switches than each lower
    switch has uplinks: some pairs would have no link.
    """
    stated = upper.spec.count or 0
    for lower in lower_tiers:
        if lower.uneven and lower.links < stated:
            raise fault(
                "FG088",
                f"each {lower.name} has {lower.links} uplink{'s' * (lower.links != 1)} for {stated} {upper.name} "
                f"switches: some pairs would have no link, and `spread: uneven` deals at least one to each",
                path=(*upper.path, "count"),
                hint=f"set `count: {lower.links}` or fewer, or give {lower.name} {stated} uplinks",
            )


def fit_ports(tier: TierSpec, demand: SwitchDemand, plan: UplinkPlan | None) -> PortPlacement | None:
    """Return where the ports of a switch are placed; None if it has too few."""
    return _add_uplinks(tier, demand, plan)[1]


def choose_count(
    tier: TierSpec, slots: list[int], demand_for: Callable[[int], SwitchDemand], plan: UplinkPlan | None
) -> int:
    """Return the number of switches in a group: as stated, as the lock keeps it, or the fewest that share node slots of
    each kind equally.

    `slots` are those of the fullest group, by kind of port; `demand_for(n)` returns the ports that each of n switches
    must offer. If equal shares take more than twice the fewest switches that suffice (67 slots divide by 67 only), the
    fewest are taken and shares differ.

    Raises InputError if no number of switches suffices.
    """
    if tier.spec.count:
        return tier.spec.count
    # placing ports is the costly step, and the search asks for some counts again
    fits = cache(lambda count: fit_ports(tier, demand_for(count), plan) is not None)
    kept_count = find_kept_leaves(tier, slots, fits)
    if kept_count:
        return kept_count
    max_count = max(slots, default=1)
    # links within a group grow with the group: if a number fits, neither more nor fewer switches need to
    counts = range(1, max_count + 1)
    min_count = next(filter(fits, counts), 0) if tier.spec.mesh else find_fewest(fits, max_count)
    if min_count not in counts:
        raise explain_small(tier, demand_for(1 if tier.spec.mesh else max_count), plan)
    # up to twice the fewest: beyond that, equal shares cost more switches than they are worth
    for count in range(min_count, min(max_count, 2 * min_count) + 1):
        if all(number % count == 0 for number in slots) and fits(count):
            return count
    return min_count


class LowerTier(NamedTuple):
    """A lower tier as one upper group sees it: its switches that are linked to the group, and their links."""

    name: str
    kind: PortKind
    """The kind of port at the upper end of its links."""
    now: int
    """How many lower switches there are now."""
    slots: int
    """How many lower switches there are with all reserved units."""
    links: int
    """Links of each lower switch to one upper group."""
    min_numbered: int
    """How many lower switches ports must be numbered for: up to the last slot in use if the lock numbers by slot, else
    0.
    """
    can_have: Callable[[int], bool]
    """Whether a lower switch can have this many links to one upper group instead."""
    uneven: bool = False
    """Whether its links may land unequally on the upper switches."""
    list_ranks: Callable[[], Iterable[tuple[Sequence[int], int]]] = tuple
    """Lists, for each kind of upper group, the ranks of its switches there and how many groups are of that kind, if
    ports are numbered by slot.
    """

    def count_numbered(self, *, by_slot: bool) -> int:
        """Return how many lower switches ports are numbered for: with `by_slot` for all reserved ones, else for those
        that exist, at least `min_numbered`.
        """
        return self.slots if by_slot else max(self.now, self.min_numbered)

    def lands_unevenly(self, count: int) -> bool:
        """Whether links are dealt over `count` upper switches and do not divide equally."""
        return self.uneven and self.links % count > 0

    def count_ports(self, lowers: int, count: int) -> int:
        """Return the ports of the fullest of `count` upper switches for `lowers` lower switches."""
        # links that are dealt one by one are rounded up over all lower switches, else for each lower switch
        return -(-lowers * self.links // count) if self.lands_unevenly(count) else lowers * -(-self.links // count)

    def count_used(self, count: int, *, by_slot: bool) -> int:
        """Return how many ports are in use on the fullest of `count` upper switches.

        If links are dealt unevenly by slot, a slot without a lower switch takes links from some upper switches and not
        from others, so that the fullest one has to be looked for.
        """
        ports_if_all_present = self.count_ports(self.now, count)
        if not (by_slot and self.lands_unevenly(count)):
            return ports_if_all_present
        # each lower switch goes on at the upper switch where that of the rank before ended, as the wiring does
        links_by_switch = (
            Counter((rank * self.links + k) % count for rank in ranks for k in range(self.links))
            for ranks, _ in self.list_ranks()
        )
        return max(ports_if_all_present, *(max(links.values(), default=0) for links in links_by_switch))

    def count_links_to_each(self, count: int) -> int:
        """Return the links of a lower switch to each of `count` upper switches, rounded up if they do not divide."""
        return -(-(self.round_links_up(count) or self).links // count)

    def round_links_up(self, count: int) -> "LowerTier | None":
        """Return this tier with its links rounded up to a multiple of `count` upper switches, or unchanged if they may
        land unequally; None if its switches cannot have so many.
        """
        if self.uneven:
            return self if count <= self.links else None
        links = -(-self.links // count) * count
        if links == self.links:
            return self
        return self._replace(links=links) if self.can_have(links) else None


def count_uppers(
    upper: TierSpec,
    lower_tiers: list[LowerTier],
    fits: Callable[[int, list[LowerTier]], bool],
    *,
    kept_count: int = 0,
) -> tuple[int, list[LowerTier]]:
    """Return (how many switches an upper group has, the lower tiers with their links rounded up for that number), by
    the rule at the head of this module. The count is 0 if no number suffices.

    Of several lower tiers the first one's uplinks decide. A `kept_count` from the lock is tried first: it must divide
    them and suffice.
    """
    stated = upper.spec.count
    if stated:
        rounded_tiers = [lower.round_links_up(stated) or lower for lower in lower_tiers]
        return (stated, rounded_tiers) if fits(stated, rounded_tiers) else (0, lower_tiers)
    first_links = lower_tiers[0].links
    # more upper switches than a lower switch has links would leave some pairs without any
    for count in (*((kept_count,) if 0 < kept_count <= first_links else ()), *range(1, first_links + 1)):
        # the first count that divides and fits is the smallest, which is the rule
        if first_links % count == 0 or lower_tiers[0].uneven:
            candidates = [lower.round_links_up(count) for lower in lower_tiers]
            rounded_tiers = [lower for lower in candidates if lower is not None]
            if len(rounded_tiers) == len(lower_tiers) and fits(count, rounded_tiers):
                return count, rounded_tiers
    return 0, lower_tiers


def count_possible_downlinks(
    tier: TierSpec, main_demand: PortDemand, uplink_plan: UplinkPlan | None, full_demand: SwitchDemand | None = None
) -> int:
    """Return the most downlinks of the kind of `main_demand` that a tier's switch can have, beside the uplinks that its
    oversubscription asks for, the ports kept free, and the other down ports and peer links of `full_demand`.
    """
    other_downs, peers = (full_demand.downs[1:], full_demand.peers) if full_demand else ((), ())
    demand_without_uplinks = SwitchDemand(
        (main_demand, *other_downs), peers, None, tuple(tier.cages.items()), tier.reserved_cages
    )
    uplink_kind, groups_met = (uplink_plan.kind, uplink_plan.groups_met) if uplink_plan else (None, 1)
    return count_most_downlinks(
        tier.profile, demand_without_uplinks, uplink_kind, tier.allowed, groups=groups_met, spare_ports=tier.free_ports
    )


def _describe_other_ports(demand: SwitchDemand, uplink_plan: UplinkPlan | None, allowed: Fraction) -> str:
    """Return in words what a switch needs other than its first kind of down ports: ` beside 2 peer links of 400G`."""
    needed_ports = [(port_demand.needed, "down port", port_demand.kind) for port_demand in demand.downs[1:]]
    needed_ports += [(port_demand.needed, "peer link", port_demand.kind) for port_demand in demand.peers]
    phrases = [f"{count} {noun}{'s' * (count != 1)} of {kind.speed_gbps}G" for count, noun, kind in needed_ports]
    phrases += [f"uplinks at {float(allowed):.3g}:1"] if uplink_plan else []
    if uplink_plan and uplink_plan.groups_met > 1:
        phrases[-1] += f", equally many to each of {uplink_plan.groups_met} groups of {uplink_plan.upper.name}"
    return f" beside {' and '.join(phrases)}" if phrases else ""


def explain_small(tier: TierSpec, demand: SwitchDemand, plan: UplinkPlan | None) -> InputError:
    """Return the error for a switch whose ports do not fit: no port of a kind that it needs, too few cages for a
    purpose, or too few ports, with what it needs and what it has.
    """
    for port_demand in demand.downs:
        if find_down_class(tier.profile, port_demand) is None:
            return explain_no_port(tier, port_demand.kind)
    if range_fault := explain_short_range(tier, demand):
        return range_fault
    extended, _ = _add_uplinks(tier, demand, plan)
    needed_ports = [f"{port_demand.needed} downlinks of {port_demand.kind.speed_gbps}G" for port_demand in demand.downs]
    link_name = "mesh links" if tier.spec.mesh else "peer links"
    needed_ports += [
        f"{port_demand.needed} {link_name} of {port_demand.kind.speed_gbps}G" for port_demand in demand.peers
    ]
    needed_ports += [f"{extended.up.count} uplinks of {extended.up.kind.speed_gbps}G"] if extended.up else []
    code, cause = explain_misfit(tier, extended)
    return fault(
        code,
        f"{tier.name} {tier.profile.id} needs {' and '.join(needed_ports)}; "
        f"it has {_describe_offer(tier, extended, plan)}{cause}",
        path=(*tier.path, "count") if tier.spec.count else tier.path,
    )


def _describe_offer(tier: TierSpec, demand: SwitchDemand, plan: UplinkPlan | None) -> str:
    """Return in words how many down, uplink and peer ports of the demanded speeds a switch has."""
    down_class_and_ways = find_down_class(tier.profile, demand.downs[0]) if demand.downs else None
    if down_class_and_ways is None:
        return "no down port"
    main_demand, up_class_index = demand.downs[0], find_up_class(tier.profile, down_class_and_ways[0])
    text = f"{count_ports_for(tier, *down_class_and_ways, 'down')} down ports of {main_demand.kind.speed_gbps}G"
    if demand.up is None and not demand.peers:
        return text
    if up_class_index == down_class_and_ways[0] and not tier.spec.cages:
        stated = tier.spec.count or (tier.spec.uplinks and tier.spec.uplinks.count) or demand.peers
        enough = (
            f", enough for {count_possible_downlinks(tier, main_demand, plan)} downlinks at {float(tier.allowed):.3g}:1"
        )
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
    lower_tiers: list[LowerTier],
    uplink_plan: UplinkPlan | None,
    demand_for: Callable[[int, list[LowerTier]], SwitchDemand],
    fits: Callable[[int, list[LowerTier]], bool],
) -> InputError:
    """Return the error for an upper tier whose switches have too few ports for the lower tiers."""
    stated = upper.spec.count
    first_lower = lower_tiers[0]
    demand = demand_for(stated or first_lower.links, lower_tiers)
    if range_fault := explain_short_range(upper, demand):
        return range_fault
    available = f"{count_possible_downlinks(upper, demand.downs[0], uplink_plan, demand)}{describe_kept_ports(upper)}"
    if stated and stated < first_lower.links and first_lower.links % stated and not first_lower.uneven:
        return _explain_indivisible(upper, lower_tiers, stated, fits, available)
    needed = sum(lower.count_ports(lower.now, stated or first_lower.links) for lower in lower_tiers)
    lowers = " and ".join(f"{lower.now} {lower.name} switches with {lower.links} uplinks each" for lower in lower_tiers)
    lowers += " in all reserved units" if upper.for_reserve else ""
    return fault(
        "FG101",
        f"{upper.name} {upper.profile.id} needs {needed} down ports of {first_lower.kind.speed_gbps}G on each of "
        f"{stated or first_lower.links} switches, for {lowers}; it has {available}"
        f"{_describe_other_ports(demand, uplink_plan, upper.allowed)}",
        path=(*upper.path, "count") if stated else upper.path,
    )


NAMED_DIVISORS = 2
"""How many counts that divide the uplinks a message names."""


def _explain_indivisible(
    upper: TierSpec,
    lower_tiers: list[LowerTier],
    stated: int,
    fits: Callable[[int, list[LowerTier]], bool],
    available: str,
) -> InputError:
    """Return the error (FG101) for a stated count that does not divide the links of each lower switch, and whose
    switches lack the ports for links that are rounded up; it names the nearest counts that divide.
    """
    first_lower, links = lower_tiers[0], lower_tiers[0].links
    divisors = [count for count in range(1, links + 1) if links % count == 0]
    # the nearest ones, in ascending order
    nearest_divisors = sorted(sorted(divisors, key=lambda count: (abs(count - stated), count))[:NAMED_DIVISORS])
    # the message says whether one of the divisors has the ports
    enough = [
        count for count in divisors if fits(count, [lower.round_links_up(count) or lower for lower in lower_tiers])
    ]
    nearest_enough = min(enough, key=lambda count: (abs(count - stated), count), default=0)
    ports = f"{nearest_enough} switches have the ports" if nearest_enough else "none of these has the ports"
    ports_needed = sum(lower.now * -(-lower.links // stated) for lower in lower_tiers)
    lowers = " and ".join(f"{lower.now} {lower.name} switches" for lower in lower_tiers)
    return fault(
        "FG101",
        f"{stated} {upper.name} switches do not divide the {links} uplinks of each {first_lower.name} evenly: some get "
        f"{-(-links // stated)}, others {links // stated}, which takes {ports_needed} down ports of "
        f"{first_lower.kind.speed_gbps}G on each for {lowers}; {upper.profile.id} has {available}. The nearest counts "
        f"that divide are {' and '.join(map(str, nearest_divisors))}; {ports}",
        path=(*upper.path, "count"),
    )

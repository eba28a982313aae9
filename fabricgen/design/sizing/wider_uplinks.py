"""When a tier gets a few more uplinks than its oversubscription calls for, so that the tier above needs fewer switches.

Each lower switch must have the same whole number of links to every upper switch, so a number of uplinks with few
divisors makes the tier above huge: 29 uplinks reach 1 or 29 spines and nothing between, 32 reach 8. The fewest uplinks
stay unless the tier above then has more than twice the switches whose ports would suffice, as do leaves that cannot
share their nodes equally (`choose_count`). Published designs never come near that.

More uplinks then always pay for themselves: at least half of the upper switches are saved, which have more ports than
links are added.

Numbers are compared for all reserved units, for half of them, a quarter, and so on, and not for the units that exist
now: growth inside the reserve changes no number of uplinks.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise

from fabricgen.design.ports import find_fewest, find_largest
from fabricgen.design.sizing.arithmetic import LowerTier, count_uppers
from fabricgen.design.tiers import TierSpec

ACCEPTED_RATIO = Fraction(2)
"""If the tier above has more than this many times the fewest switches whose ports suffice, more uplinks are tried."""

MAX_ADDED = Fraction(1, 4)
"""The most uplinks that are added to a switch, as a fraction of the uplinks that it needs (rounded up)."""

Fits = Callable[[int, list[LowerTier]], bool]
"""Whether so many upper switches have the ports for some lower tiers."""


def widen_uplinks(upper: TierSpec, lower_tiers: list[LowerTier], fits: Fits) -> list[LowerTier]:
    """Return the lower tiers, the first with more links to each upper group if that saves more than half of the upper
    switches.

    Of several numbers of links the best has, in this order: no stage of growth with more than twice the fewest
    switches, the fewest switches for all reserved units, the fewest links.
    """
    first_lower, *other_tiers = lower_tiers
    if upper.spec.count or first_lower.links < ACCEPTED_RATIO:
        return lower_tiers
    # links divide by these; where none is more than twice the one before, which did not suffice, no number is too many
    divisors = [n for n in range(1, first_lower.links + 1) if first_lower.links % n == 0]
    if not (other_tiers or upper.spec.mesh) and all(b <= ACCEPTED_RATIO * a for a, b in pairwise(divisors)):
        return lower_tiers
    half_stages = _list_growth_stages(lower_tiers)
    if not any(_has_too_many(upper, stage, fits) for stage in half_stages):
        return lower_tiers
    max_added = -(-first_lower.links * MAX_ADDED.numerator // MAX_ADDED.denominator)
    max_links = first_lower.links + find_largest(
        lambda added: first_lower.can_have(first_lower.links + added), max_added
    )
    stages = [(tiers, _count_fewest(tiers, fits)) for tiers in half_stages if _count_switches(upper, tiers, fits)]

    # tuples are compared from the left: growth decides before switches, and switches before links
    def compute_cost(links: int) -> tuple[Fraction, int, int]:
        # (worst ratio of switches to the fewest over all stages of growth, switches with all reserved units, links)
        counts = [
            _count_switches(upper, [first_tier._replace(links=links), *tiers], fits)
            for (first_tier, *tiers), _ in stages
        ]
        if not all(counts):
            # worse than any ratio that there may be
            return Fraction(1 << 40), 0, links
        ratios = (Fraction(count, fewest) for (_, fewest), count in zip(stages, counts, strict=True))
        return max(ACCEPTED_RATIO, *ratios), counts[0], links

    best_links = min(range(first_lower.links, max_links + 1), key=compute_cost)
    widened = [first_lower._replace(links=best_links), *other_tiers]
    return widened if best_links != first_lower.links and count_uppers(upper, widened, fits)[0] else lower_tiers


def _list_growth_stages(lower_tiers: list[LowerTier]) -> list[list[LowerTier]]:
    """Return the lower tiers with all reserved units, with half of them, a quarter, and so on, down to one switch of
    each.
    """
    stages, numbers = [], [lower_tier.slots for lower_tier in lower_tiers]
    while True:
        stages.append(
            [lower_tier._replace(now=now, min_numbered=0) for lower_tier, now in zip(lower_tiers, numbers, strict=True)]
        )
        if max(numbers) == 1:
            return stages
        numbers = [-(-number // 2) for number in numbers]


def _has_too_many(upper: TierSpec, lower_tiers: list[LowerTier], fits: Fits) -> bool:
    """Whether the tier above has more than `ACCEPTED_RATIO` times the switches whose ports suffice."""
    count = _count_switches(upper, lower_tiers, fits)
    fewer_switches = (count - 1) // ACCEPTED_RATIO
    return fewer_switches > 0 and fits(fewer_switches, lower_tiers)


def _count_switches(upper: TierSpec, lower_tiers: list[LowerTier], fits: Fits) -> int:
    """Return the number of switches in a group of the tier above; 0 if no number suffices."""
    return count_uppers(upper, lower_tiers, fits)[0]


def _count_fewest(lower_tiers: list[LowerTier], fits: Fits) -> int:
    """Return the fewest upper switches whose ports suffice, even if links do not divide equally over them."""
    return find_fewest(lambda count: fits(count, lower_tiers), lower_tiers[0].links)

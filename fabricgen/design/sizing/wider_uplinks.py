"""When a tier gets a few more uplinks than its oversubscription calls for, so that the tier above needs fewer switches.

Each lower switch must have the same whole number of links to every upper switch, so a number of uplinks with few
divisors makes the tier above huge: 29 uplinks reach 1 or 29 spines and nothing between, 32 reach 8. The fewest
uplinks stay unless the tier above then has more than twice the switches whose ports would suffice, as do leaves that
cannot share their nodes equally (`choose_count`). Published designs never come near that.

More uplinks always pay for themselves then: at least half of the upper switches are saved, which have more ports than
links are added.

What is compared is the tier above for all reserved units, for half of them, a quarter, and so on, and not the units
there are now: growth inside the reserve changes no number of uplinks.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

from fabricgen.design.ports import find_largest
from fabricgen.design.sizing.arithmetic import LowerTier, count_uppers
from fabricgen.design.tiers import TierSpec

TOO_MANY = 2
"""Switches of the tier above, over the fewest whose ports suffice: beyond this, more uplinks are considered."""

A_FEW_MORE = Fraction(1, 4)
"""The most uplinks that are added to a switch, as a share of those it needs (rounded up)."""

Fits = Callable[[int, list[LowerTier]], bool]
"""Whether so many upper switches have the ports for some lower tiers."""


class _Stage(NamedTuple):
    """A step of growth: the lower tiers then, and the fewest upper switches whose ports suffice for their links."""

    below: list[LowerTier]
    fewest: int

    def compute_ratio(self, count: int) -> Fraction:
        """How many times the fewest switches a count is; at least the ratio that is accepted."""
        return max(Fraction(TOO_MANY), Fraction(count, self.fewest))


def widen_uplinks(upper: TierSpec, below: list[LowerTier], fits: Fits) -> list[LowerTier]:
    """The lower tiers, the first with more links to each upper group where that saves more than half of the upper
    switches.

    Of several numbers of links, one by which no stage of growth has more than twice the fewest switches wins, then
    the fewest switches for all reserved units, then the fewest links.
    """
    chief, *other_tiers = below
    if upper.spec.count or chief.share < TOO_MANY:
        return below
    halves = _list_halves(below)
    if not any(_has_too_many(upper, stage, fits) for stage in halves):
        return below
    most_added = -(-chief.share * A_FEW_MORE.numerator // A_FEW_MORE.denominator)
    most = chief.share + find_largest(lambda links: chief.stretch(chief.share + links), most_added)
    stages = [_Stage(stage, _count_fewest(stage, fits)) for stage in halves if _count_switches(upper, stage, fits)]

    # tuples are compared from the left: growth decides before switches, and these before links
    def compute_cost(share: int) -> tuple[Fraction, int, int]:
        # (the worst ratio of switches to the fewest over all stages of growth, switches in the end, links) of a share
        counts = [_count_switches(upper, [s.below[0]._replace(share=share), *s.below[1:]], fits) for s in stages]
        if not all(counts):
            # worse than any ratio that there may be
            return Fraction(1 << 40), 0, share
        return max(s.compute_ratio(count) for s, count in zip(stages, counts, strict=True)), counts[0], share

    best = min(range(chief.share, most + 1), key=compute_cost)
    wide = [chief._replace(share=best), *other_tiers]
    return wide if best != chief.share and count_uppers(upper, wide, fits)[0] else below


def _list_halves(below: list[LowerTier]) -> list[list[LowerTier]]:
    """The lower tiers with all reserved units, half of them, a quarter, and so on, down to one switch of each."""
    halved, slots = [], [lower_tier.slots for lower_tier in below]
    while True:
        halved.append([lower_tier._replace(now=now, least=0) for lower_tier, now in zip(below, slots, strict=True)])
        if max(slots) == 1:
            return halved
        slots = [-(-number // 2) for number in slots]


def _has_too_many(upper: TierSpec, below: list[LowerTier], fits: Fits) -> bool:
    """Whether the tier above has more than twice the switches whose ports suffice."""
    count = _count_switches(upper, below, fits)
    half = (count - 1) // TOO_MANY
    return half > 0 and fits(half, below)


def _count_switches(upper: TierSpec, below: list[LowerTier], fits: Fits) -> int:
    """Switches of the tier above; 0 where none suffice."""
    return count_uppers(upper, below, fits)[0]


def _count_fewest(below: list[LowerTier], fits: Fits) -> int:
    """The fewest upper switches whose ports suffice, though links may not divide equally."""
    most = below[0].share
    return 1 + most - find_largest(lambda fewer: fits(1 + most - fewer, below), most)

"""How much of a fabric's bisection remains after the loss of a switch, plane, rack, row or power feed; from the design.

Switches that share a rack, row or feed fail together. Where places lose unequal numbers of switches, each is counted
like the one that loses most, so figures are never too high. A place whose nodes fail as well is left unchanged: the
figures are for the nodes that still run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import prod

from fabricgen.blueprint.dimensions import leg_dimensions
from fabricgen.design.capacity.bisection import Loss, bisection_gbps, chain_of, strands_of
from fabricgen.design.capacity.failure_domains import FailureDomain
from fabricgen.design.fabric_model import FabricDesign, TierDesign, TierKey
from fabricgen.design.model import Design
from fabricgen.design.shape import inner

_SwitchPlace = tuple[int, int, int]
"""A failed switch: (place, number of its group in the place, number in the group)."""


@dataclass(frozen=True, slots=True)
class RemainingBisection:
    """The share of a fabric's bisection that remains after a loss, and the failed switches of each tier."""

    share: Fraction
    after: str
    gone: Mapping[TierKey, int]


class FailureAnalysis:
    """Remaining bisection of one fabric after losses. `whole` is its bisection as built, Gb/s; if that is 0 the share
    is 0.
    """

    def __init__(self, design: Design, fabric: FabricDesign) -> None:
        self._design, self._fabric = design, fabric
        self.chain = chain_of(design, fabric)
        self._strands = strands_of(design, fabric)
        self.whole = bisection_gbps(design, fabric)
        self._tiers = {tier.key: _Groups(self.chain, tier) for tier in self.chain}
        self._joiners = [
            (t.key, next((u.key for u in self.chain if u.fabric == t.fabric and t.name in u.per), None))
            for t in reversed(self.chain)
        ]
        """Every tier from the top, and the tier above that joins its switches of one number."""
        self._known: dict[frozenset[tuple[TierKey, Loss]], Fraction] = {}

    def after_switch(self, tier: TierDesign) -> RemainingBisection:
        """The remaining bisection after the loss of one switch of a tier."""
        return RemainingBisection(self._share({tier.key: Loss(1)}), f"one {tier.name}", {tier.key: 1})

    def after_plane(self) -> RemainingBisection | None:
        """The remaining bisection after the loss of one plane; None where no tier is grouped by planes."""
        planes = self._fabric.planes
        split = [tier for tier in self.chain if "plane" in tier.per]
        if planes == 1 or not split:
            return None
        gone = {tier.key: tier.switches // planes for tier in split}
        if len(split) == len(self.chain):
            return RemainingBisection(Fraction(planes - 1, planes), "one plane", gone)
        lost = {t.key: Loss(self._tiers[t.key].each // planes, places=0, strands=0) for t in split}
        return RemainingBisection(self._share(lost), "one plane", gone)

    def after(self, lost: FailureDomain) -> RemainingBisection:
        """The remaining bisection after the loss of a failure domain; strands with equal losses are computed once."""
        found: dict[int, dict[TierKey, list[_SwitchPlace]]] = {}
        gone: Counter[TierKey] = Counter()
        for key, groups in self._tiers.items():
            for group, number in lost.switches.get(key, ()):
                place, strand, label = groups.spot(group)
                if not lost.takes_nodes(groups.layout, groups.scope, place):
                    found.setdefault(strand, {}).setdefault(key, []).append((place, label, number))
                    gone[key] += 1
        alike = Counter(frozenset(self._losses(by_tier).items()) for by_tier in found.values())
        missing = sum((number * (1 - self._share(dict(losses))) for losses, number in alike.items()), Fraction(0))
        return RemainingBisection(max(Fraction(0), 1 - missing), lost.name, gone)

    def _losses(self, lost: Mapping[TierKey, list[_SwitchPlace]]) -> dict[TierKey, Loss]:
        """The losses in one strand.

        Where a tier above joins the switches of one number (`core per: spine`), failed switches of different numbers in
        two places cut these off from each other, and failed switches above of a third number add to that: all of them
        then count in every place.
        """
        found: dict[TierKey, Loss] = {}
        for key, joiner in self._joiners:
            spots, each = lost.get(key, ()), max(1, self._tiers[key].each // self._strands)
            if joiner is None:
                if spots:
                    places = Counter(place for place, _, _ in spots)
                    found[key] = Loss(max(places.values()), len(places))
                continue
            numbers = len({spot[1:] for spot in spots})
            above = found.pop(joiner, None)
            if above:
                of_joiner = max(1, self._tiers[joiner].each // self._strands)
                numbers = min(each, numbers + -(-above.switches * each // of_joiner))
            if numbers:
                found[key] = Loss(numbers, places=0 if above else len({place for place, _, _ in spots}))
        return found

    def _share(self, lost: Mapping[TierKey, Loss]) -> Fraction:
        known = frozenset(lost.items())
        if known not in self._known:
            left = bisection_gbps(self._design, self._fabric, lost)
            self._known[known] = left / self.whole if self.whole else Fraction(0)
        return self._known[known]


class _Groups:
    """Where each group of a tier stands: its place, and its strand of the fabric."""

    def __init__(self, chain: tuple[TierDesign, ...], tier: TierDesign) -> None:
        sizes = tier.sizes
        self.scope, self.layout = tier.scope, tier.layout
        self._inner = prod(sizes[d] for d in inner(tier.per))
        self.each = tier.per_place
        shared = [d for d in leg_dimensions() if all(d in t.per for t in chain)]
        self._strand_of = [_strand(tier, sizes, shared, group) for group in range(self._inner)]

    def spot(self, group: int) -> tuple[int, int, int]:
        """(place among those of the tier's scope, strand, number in the place) of a group, all from 0."""
        place, number = divmod(group, self._inner)
        return place, self._strand_of[number], number


def _strand(tier: TierDesign, sizes: Mapping[str, int], shared: list[str], group: int) -> int:
    strand, stride = 0, 1
    for dimension in reversed(inner(tier.per)):
        group, value = divmod(group, sizes[dimension])
        if dimension in shared:
            strand, stride = strand + value * stride, stride * sizes[dimension]
    return strand

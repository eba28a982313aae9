"""How much of a fabric's bisection remains after the loss of a switch, plane, rack, row or power feed; from the design.

Switches that share a rack, row or feed fail together. Where places lose unequal numbers of switches, each is counted
like the one that loses most, so figures are never too high. A place whose nodes fail as well is left unchanged: the
figures are for the nodes that still run.

Where a tier above joins the switches of one number (`core per: spine`), each number is a network of its own above the
leaves. Numbers that have lost as many switches in the same places are of one class, and a cut takes the switches of
each class on the cheaper of its sides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import prod
from typing import NamedTuple

from fabricgen.blueprint.dimensions import list_leg_dimensions
from fabricgen.design.capacity.bisection import SwitchLoss, compute_bisection, count_strands, list_chain
from fabricgen.design.capacity.failure_domains import FailureDomain
from fabricgen.design.fabric_model import FabricDesign, TierDesign, TierKey
from fabricgen.design.model import Design
from fabricgen.design.shape import list_inner_dimensions, list_units_of_place

MOST_CLASSES = 6
"""So many classes of numbers are told apart: the sides of a cut double with each."""

NOWHERE = -1
"""Stands for a place that has lost no switch of a tier."""


class _FailedSwitch(NamedTuple):
    """A failed switch: its place, and the numbers of its group and its own by dimension, as far as strands share them
    not.
    """

    place: int
    numbers: Mapping[str, int]


_StrandLosses = tuple[frozenset[tuple[TierKey, SwitchLoss]], tuple[int, ...]]
"""Losses of one strand, and how many numbers are of each class."""


class RemainingBisection(NamedTuple):
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
        self.chain = list_chain(design, fabric)
        self._strands = count_strands(design, fabric)
        self.whole = compute_bisection(design, fabric)
        self._tiers = {tier.key: _GroupPositions(self.chain, tier) for tier in self.chain}
        self._joiners = [
            (t.key, next((u.key for u in self.chain if u.fabric == t.fabric and t.name in u.per), None))
            for t in reversed(self.chain)
        ]
        """Every tier from the top, and the tier above that joins its switches of one number."""
        self._known: dict[_StrandLosses, Fraction] = {}

    def analyze_switch_loss(self, tier: TierDesign) -> RemainingBisection:
        """The remaining bisection after the loss of one switch of a tier."""
        return self.compute_remaining(FailureDomain(f"one {tier.name}", {tier.key: [(0, 0)]}))

    def analyze_plane_loss(self) -> RemainingBisection | None:
        """The remaining bisection after the loss of one plane; None where no tier is grouped by planes."""
        planes = self._fabric.planes
        split = [tier for tier in self.chain if "plane" in tier.per]
        if planes == 1 or not split:
            return None
        gone = {tier.key: tier.switches // planes for tier in split}
        # planes that are apart in every tier share nothing, and what is left is what the others carry
        if len(split) == len(self.chain):
            return RemainingBisection(Fraction(planes - 1, planes), "one plane", gone)
        lost = {t.key: SwitchLoss(self._tiers[t.key].per_place // planes, places=0, strands=0) for t in split}
        return RemainingBisection(self._find_share((frozenset(lost.items()), (1,))), "one plane", gone)

    def compute_remaining(self, lost: FailureDomain) -> RemainingBisection:
        """The remaining bisection after the loss of a failure domain; strands with equal losses are computed once."""
        by_strand: dict[int, dict[TierKey, list[_FailedSwitch]]] = {}
        failed_count: Counter[TierKey] = Counter()
        for key, groups in self._tiers.items():
            for group, number in lost.switches.get(key, ()):
                strand, failed = groups.locate_switch(group, number)
                if not lost.takes_nodes(groups.layout, groups.scope, failed.place):
                    by_strand.setdefault(strand, {}).setdefault(key, []).append(failed)
                    failed_count[key] += 1
        strands = Counter(self._find_losses(by_tier) for by_tier in by_strand.values())
        missing = sum((number * (1 - self._find_share(losses)) for losses, number in strands.items()), Fraction(0))
        return RemainingBisection(max(Fraction(0), 1 - missing), lost.name, failed_count)

    def _find_losses(self, lost: Mapping[TierKey, Sequence[_FailedSwitch]]) -> _StrandLosses:
        """The losses in one strand: by place, and by class of numbers where a tier above joins those of one number."""
        losses: dict[TierKey, SwitchLoss] = {}
        classes: tuple[int, ...] = (1,)
        joined: set[TierKey] = set()
        for key, joiner in self._joiners:
            if joiner and not joined and (key in lost or joiner in lost):
                by_class = self._group_by_class(key, joiner, lost)
                if by_class:
                    (losses[key], losses[joiner]), classes = by_class
                    joined = {key, joiner}
        for key, spots in lost.items():
            if key not in joined:
                places = Counter(spot.place for spot in spots)
                losses[key] = SwitchLoss(max(places.values()), len(places))
        if not joined:
            losses |= self._count_in_every_place(lost)
        return frozenset(losses.items()), classes

    def _group_by_class(
        self, lower: TierKey, upper: TierKey, lost: Mapping[TierKey, Sequence[_FailedSwitch]]
    ) -> tuple[tuple[SwitchLoss, SwitchLoss], tuple[int, ...]] | None:
        """The losses of a tier and of the one that joins its switches of one number, by class of numbers that have lost
        as many in the same places; None where these are too many, or no such numbers tell switches apart.
        """
        telling, switches = self._tiers[upper].inner, self._tiers[upper].per_place // self._strands
        numbers = switches // self._design.tier(upper).count
        failed_by_number: dict[tuple[int, ...], Counter[tuple[TierKey, int]]] = {}
        for key in (lower, upper):
            if self._tiers[key].per_place // self._strands % numbers or not self._has_below(lower):
                return None
            for spot in lost.get(key, ()):
                if not set(telling) <= spot.numbers.keys():
                    return None
                failed_by_number.setdefault(tuple(spot.numbers[d] for d in telling), Counter())[key, spot.place] += 1
        numbers_alike = Counter(frozenset(failed.items()) for failed in failed_by_number.values())
        kinds = sorted(numbers_alike, key=sorted)
        if len(kinds) >= MOST_CLASSES:
            return None
        rest = numbers - len(failed_by_number)
        # numbers that lost nothing are a class of their own, if there are any
        classes = tuple(numbers_alike[kind] for kind in kinds) + (rest,) * (rest > 0)
        losses = []
        for key in (lower, upper):
            rows = []
            for place in self._list_places(key, lost):
                # switches lost here, by class of numbers
                row = [numbers_alike[kind] * dict(kind).get((key, place), 0) for kind in kinds]
                rows.append((*row, *(0,) * (rest > 0)))
            # the first place is a particular one (see `_list_places`); the others are alike but for their order
            losses.append(SwitchLoss(0, of_class=(*rows[:1], *sorted(rows[1:]))))
        return (losses[0], losses[1]), classes

    def _list_places(self, key: TierKey, lost: Mapping[TierKey, Sequence[_FailedSwitch]]) -> list[int]:
        """The places of a tier that have lost some of its switches, after that in which most units are of the places
        that lose some below it.
        """
        places_hit, groups = sorted({spot.place for spot in lost.get(key, ())}), self._tiers[key]
        below = self.chain[: next(level for level, tier in enumerate(self.chain) if tier.key == key)]
        units = {
            self._tiers[tier.key].layout.cluster_units[unit]
            for tier in below
            for spot in lost.get(tier.key, ())
            for unit in list_units_of_place(tier.layout, tier.scope, spot.place)
        }
        inside = [
            len(
                units
                & {groups.layout.cluster_units[u] for u in list_units_of_place(groups.layout, groups.scope, hit_place)}
            )
            for hit_place in places_hit
        ]
        if not units or any(inside):
            return [
                place
                for _, place in sorted(
                    zip(inside, places_hit, strict=True), key=lambda counted: (-counted[0], counted[1])
                )
            ] or [NOWHERE]
        return [NOWHERE, *places_hit]

    def _has_below(self, key: TierKey) -> bool:
        return any(tier.uplink and tier.uplink.upper == key for tier in self.chain)

    def _count_in_every_place(self, lost: Mapping[TierKey, Sequence[_FailedSwitch]]) -> dict[TierKey, SwitchLoss]:
        """The losses of tiers whose switches of one number are joined, where classes of numbers are too many.

        Failed switches of different numbers in two places cut these off from each other, and failed switches above of a
        third number add to that: all of them then count in every place, so that what is left is not told too high.
        """
        losses: dict[TierKey, SwitchLoss] = {}
        for key, joiner in self._joiners:
            spots = lost.get(key, ())
            above = lost.get(joiner, ()) if joiner else ()
            if joiner and (spots or above):
                switches = max(1, self._tiers[key].per_place // self._strands)
                of_joiner = max(1, self._tiers[joiner].per_place // self._strands)
                numbers = len({tuple(sorted(spot.numbers.items())) for spot in spots})
                # a failed switch above takes with it the numbers below that it joins, its share of them
                numbers = min(switches, numbers + -(-len(above) * switches // of_joiner))
                losses[key] = SwitchLoss(numbers, places=0 if above else len({spot.place for spot in spots}))
                if above:
                    losses[joiner] = SwitchLoss(0)
        return losses

    def _find_share(self, lost: _StrandLosses) -> Fraction:
        # the share of the bisection that remains after some losses of one strand; kept, as many failures are alike
        if lost not in self._known:
            remaining = compute_bisection(self._design, self._fabric, dict(lost[0]), lost[1])
            self._known[lost] = remaining / self.whole if self.whole else Fraction(0)
        return self._known[lost]


class _GroupPositions:
    """Where each group of a tier stands: its place, its strand of the fabric, and what tells it from others there."""

    def __init__(self, chain: tuple[TierDesign, ...], tier: TierDesign) -> None:
        # `chain` is the fabric's tiers from the leaf up; dimensions that all of them have apart (`_shared`) make
        # strands
        self._sizes, self._name = tier.sizes, tier.name
        self.scope, self.layout = tier.scope, tier.layout
        self._dimensions = list_inner_dimensions(tier.per)
        self._inner = prod(self._sizes[d] for d in self._dimensions)
        self.per_place = tier.per_place
        self._shared = [d for d in list_leg_dimensions() if all(d in t.per for t in chain)]
        self.inner = tuple(d for d in self._dimensions if d not in self._shared)

    def locate_switch(self, group: int, number: int) -> tuple[int, _FailedSwitch]:
        """(strand, place in it) of a switch by its group and its number in the group, all from 0."""
        place, remainder = divmod(group, self._inner)
        values: dict[str, int] = {}
        # groups are numbered with the last dimension turning fastest: it is taken off first
        for dimension in reversed(self._dimensions):
            remainder, values[dimension] = divmod(remainder, self._sizes[dimension])
        strand = 0
        for dimension in self._shared:
            strand = strand * self._sizes[dimension] + values.pop(dimension)
        return strand, _FailedSwitch(place, values | {self._name: number})


# What is left of fabrics after a loss, in the words of lint and of the picture.


def list_failure_analyses(design: Design) -> Iterator[tuple[FabricDesign, FailureAnalysis]]:
    """Every fabric on which nodes reach each other, with its failure analysis.

    Without those for management, and those that are VLANs on the node ports of another, whose bandwidth they have.
    """
    for fabric in design.fabrics:
        if not is_for_management(fabric) and not fabric.shares_ports:
            survival = FailureAnalysis(design, fabric)
            if survival.whole:
                yield fabric, survival


def is_for_management(fabric: FabricDesign) -> bool:
    """Whether a fabric serves BMCs or management ports of switches: jobs keep running without it."""
    return bool(fabric.managed_devices) or {attachment.role for _, attachment in fabric.attachments} == {"bmc"}


def format_percent(share: float) -> str:
    """A share as text, rounded down: `93.7%`."""
    # rounded down, so that nothing is said to be whole that is not; 1e-6 keeps a last bit from costing a tenth
    return f"{int(share * 1000 + 1e-6) / 10:g}%"


def describe_lost_switches(remaining: RemainingBisection) -> str:
    """The switches that a loss takes, for a place that holds several: ` (2 leaf, 1 spine switches)`, else ""."""
    names: Counter[str] = Counter()
    for key, number in sorted(remaining.gone.items()):
        names[key.name] += number
    failed = ", ".join(f"{number} {name}" for name, number in names.items())
    if remaining.after.startswith("one ") or not failed:
        return ""
    return f" ({failed} switch{'es' * (sum(remaining.gone.values()) != 1)})"


def describe_remaining(fabric: str, share: str, after: str, switches: str) -> str:
    """`compute keeps 93.7% of its bisection after the loss of net-spine-01 (1 spine switch)`."""
    return f"{fabric} keeps {share} of its bisection after the loss of {after}{switches}"

"""How much of a fabric's bisection remains after the loss of a switch, plane, rack, row or power feed; from the design.

Switches that share a rack, row or feed fail together. If places lose unequal numbers of switches, each is counted like
the one that loses most, so figures are never too high. A place whose nodes fail as well is left unchanged: the figures
are for the nodes that still run.

If a tier above joins the switches of one number (`core per: spine`), each number is a separate network above the
leaves. Numbers that have lost equally many switches in the same places form a class, and a cut takes the switches of
each class on the cheaper of its sides.
"""

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
from fabricgen.kernel.grouping import sum_pairs

MAX_CLASSES = 6
"""How many classes of numbers are distinguished at most: each doubles the sides of a cut that are tried."""

NOWHERE = -1
"""Stands for a place that has lost no switch of a tier."""


class _FailedSwitch(NamedTuple):
    """A failed switch: in which place it is, and which of the switches there."""

    place: int
    """The number of its place, among those of its tier's scope."""
    numbers: Mapping[str, int]
    """Its number in its group and the numbers of its group by dimension, without dimensions that make strands."""


_StrandLosses = tuple[frozenset[tuple[TierKey, SwitchLoss]], tuple[int, ...]]
"""Losses of one strand, and how many numbers of switches each class has."""


class RemainingBisection(NamedTuple):
    """The bisection of a fabric that remains after a loss."""

    share: Fraction
    """What remains, as a fraction of the bisection as built."""
    after: str
    """What was lost, in words."""
    gone: Mapping[TierKey, int]
    """How many switches of each tier have failed."""


class FailureAnalysis:
    """The remaining bisection of one fabric after losses. `whole` is its bisection as built, Gb/s; if that is 0, so is
    every share.
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
        """Every tier from the top, and the tier above that joins its switches of one number, or None."""
        self._known: dict[_StrandLosses, Fraction] = {}

    def analyze_switch_loss(self, tier: TierDesign) -> RemainingBisection:
        """Return the remaining bisection after the loss of one switch of a tier."""
        return self.compute_remaining(FailureDomain(f"one {tier.name}", {tier.key: [(0, 0)]}))

    def analyze_plane_loss(self) -> RemainingBisection | None:
        """Return the remaining bisection after the loss of one plane; None if no tier is grouped by planes."""
        planes = self._fabric.planes
        tiers_by_plane = [tier for tier in self.chain if "plane" in tier.per]
        if planes == 1 or not tiers_by_plane:
            return None
        failed_count = {tier.key: tier.switches // planes for tier in tiers_by_plane}
        # planes that are separate in every tier share nothing: the others carry what they carried before
        if len(tiers_by_plane) == len(self.chain):
            return RemainingBisection(Fraction(planes - 1, planes), "one plane", failed_count)
        losses = {
            tier.key: SwitchLoss(self._tiers[tier.key].per_place // planes, places=0, strands=0)
            for tier in tiers_by_plane
        }
        return RemainingBisection(self._find_share((frozenset(losses.items()), (1,))), "one plane", failed_count)

    def compute_remaining(self, domain: FailureDomain) -> RemainingBisection:
        """Return the remaining bisection after the loss of a failure domain; strands with equal losses are computed
        once.
        """
        failed_by_strand: dict[int, dict[TierKey, list[_FailedSwitch]]] = {}
        failed_count: Counter[TierKey] = Counter()
        for tier_key, groups in self._tiers.items():
            for group, number in domain.switches.get(tier_key, ()):
                strand, failed = groups.locate_switch(group, number)
                if not domain.takes_nodes(groups.layout, groups.scope, failed.place):
                    failed_by_strand.setdefault(strand, {}).setdefault(tier_key, []).append(failed)
                    failed_count[tier_key] += 1
        strands_by_losses = Counter(self._find_losses(failed_by_tier) for failed_by_tier in failed_by_strand.values())
        fraction_lost = sum(
            (number * (1 - self._find_share(losses)) for losses, number in strands_by_losses.items()), Fraction(0)
        )
        return RemainingBisection(max(Fraction(0), 1 - fraction_lost), domain.name, failed_count)

    def _find_losses(self, failed_by_tier: Mapping[TierKey, Sequence[_FailedSwitch]]) -> _StrandLosses:
        """Return (losses of one strand by tier, how many numbers of switches each class has) for its failed switches.

        Losses are by place, or by class of numbers if a tier above joins the switches of one number.
        """
        losses: dict[TierKey, SwitchLoss] = {}
        classes: tuple[int, ...] = (1,)
        joined: set[TierKey] = set()
        for tier_key, joiner in self._joiners:
            if joiner and not joined and (tier_key in failed_by_tier or joiner in failed_by_tier):
                by_class = self._group_by_class(tier_key, joiner, failed_by_tier)
                if by_class:
                    (losses[tier_key], losses[joiner]), classes = by_class
                    joined = {tier_key, joiner}
        for tier_key, failed_switches in failed_by_tier.items():
            if tier_key not in joined:
                failed_by_place = Counter(switch.place for switch in failed_switches)
                losses[tier_key] = SwitchLoss(max(failed_by_place.values()), len(failed_by_place))
        if not joined:
            losses |= self._count_in_every_place(failed_by_tier)
        return frozenset(losses.items()), classes

    def _group_by_class(
        self, lower: TierKey, upper: TierKey, failed_by_tier: Mapping[TierKey, Sequence[_FailedSwitch]]
    ) -> tuple[tuple[SwitchLoss, SwitchLoss], tuple[int, ...]] | None:
        """Return the losses of a tier and of the tier that joins its switches of one number, by class of numbers, and
        how many numbers each class has. Numbers of a class have lost equally many switches in the same places.

        None if there are too many classes, if numbers do not tell switches apart, if they do not divide the switches
        of a place, or if no tier is linked up to the lower one.
        """
        joining_dimensions, switches = self._tiers[upper].inner, self._tiers[upper].per_place // self._strands
        numbers = switches // self._design.tier(upper).count
        failed_by_number: dict[tuple[int, ...], Counter[tuple[TierKey, int]]] = {}
        for tier_key in (lower, upper):
            if self._tiers[tier_key].per_place // self._strands % numbers or not any(
                tier.uplink and tier.uplink.upper == lower for tier in self.chain
            ):
                return None
            for switch in failed_by_tier.get(tier_key, ()):
                if not set(joining_dimensions) <= switch.numbers.keys():
                    return None
                failed_by_number.setdefault(tuple(switch.numbers[d] for d in joining_dimensions), Counter())[
                    tier_key, switch.place
                ] += 1
        numbers_alike = Counter(frozenset(failed.items()) for failed in failed_by_number.values())
        kinds = sorted(numbers_alike, key=sorted)
        if len(kinds) >= MAX_CLASSES:
            return None
        numbers_without_loss = numbers - len(failed_by_number)
        # numbers that lost nothing are one more class, if there are any
        classes = tuple(numbers_alike[kind] for kind in kinds) + (numbers_without_loss,) * (numbers_without_loss > 0)
        losses = []
        for tier_key in (lower, upper):
            rows = []
            for hit_place in self._list_places(tier_key, failed_by_tier):
                # switches lost here, by class of numbers
                row = [numbers_alike[kind] * dict(kind).get((tier_key, hit_place), 0) for kind in kinds]
                rows.append((*row, *(0,) * (numbers_without_loss > 0)))
            # the first place is special (see `_list_places`); the order of the others does not matter
            losses.append(SwitchLoss(0, of_class=(*rows[:1], *sorted(rows[1:]))))
        return (losses[0], losses[1]), classes

    def _list_places(self, tier_key: TierKey, failed_by_tier: Mapping[TierKey, Sequence[_FailedSwitch]]) -> list[int]:
        """Return the numbers of the places of a tier that have lost some of its switches.

        First comes the place with the most units in which lower tiers have lost switches. If lower tiers have lost
        switches in other places alone, NOWHERE comes first, and stands for these; it is the only entry if the tier has
        lost no switch.
        """
        places_hit, groups = (
            sorted({switch.place for switch in failed_by_tier.get(tier_key, ())}),
            self._tiers[tier_key],
        )
        # the chain is ordered from the nodes up
        lower_tiers = self.chain[: next(level for level, tier in enumerate(self.chain) if tier.key == tier_key)]
        units = {
            self._tiers[tier.key].layout.cluster_units[unit]
            for tier in lower_tiers
            for switch in failed_by_tier.get(tier.key, ())
            for unit in list_units_of_place(tier.layout, tier.scope, switch.place)
        }
        units_hit_below = [
            len(
                units
                & {
                    groups.layout.cluster_units[unit]
                    for unit in list_units_of_place(groups.layout, groups.scope, hit_place)
                }
            )
            for hit_place in places_hit
        ]
        if not units or any(units_hit_below):
            return [
                place
                for _, place in sorted(
                    zip(units_hit_below, places_hit, strict=True),
                    key=lambda count_and_place: (-count_and_place[0], count_and_place[1]),
                )
            ] or [NOWHERE]
        return [NOWHERE, *places_hit]

    def _count_in_every_place(
        self, failed_by_tier: Mapping[TierKey, Sequence[_FailedSwitch]]
    ) -> dict[TierKey, SwitchLoss]:
        """Return the losses of tiers whose switches of one number are joined by a tier above, as a bound that makes no
        figure too high. It is for losses with too many classes of numbers to compute exactly.

        Failed switches of different numbers in two places cut these places off from each other, so each failed number
        counts in every place that has lost a switch. Failed upper switches of a further number add to that: then it
        counts in all places.
        """
        losses: dict[TierKey, SwitchLoss] = {}
        for tier_key, joiner in self._joiners:
            failed_switches = failed_by_tier.get(tier_key, ())
            failed_joiners = failed_by_tier.get(joiner, ()) if joiner else ()
            if joiner and (failed_switches or failed_joiners):
                switches = max(1, self._tiers[tier_key].per_place // self._strands)
                joiner_switches = max(1, self._tiers[joiner].per_place // self._strands)
                numbers = len({tuple(sorted(switch.numbers.items())) for switch in failed_switches})
                # a failed upper switch also takes the lower switches of the numbers that it joins
                numbers = min(switches, numbers + -(-len(failed_joiners) * switches // joiner_switches))
                losses[tier_key] = SwitchLoss(
                    numbers, places=0 if failed_joiners else len({switch.place for switch in failed_switches})
                )
                if failed_joiners:
                    losses[joiner] = SwitchLoss(0)
        return losses

    def _find_share(self, losses: _StrandLosses) -> Fraction:
        """Return the fraction of the bisection that remains after losses of one strand; remembered, as many failures
        are alike.
        """
        if losses not in self._known:
            remaining = compute_bisection(self._design, self._fabric, dict(losses[0]), losses[1])
            self._known[losses] = remaining / self.whole if self.whole else Fraction(0)
        return self._known[losses]


class _GroupPositions:
    """Finds where each group of a tier stands: its place, its strand of the fabric, and the numbers (of rail, plane and
    so on) that tell it from other groups of that place and strand.
    """

    def __init__(self, chain: tuple[TierDesign, ...], tier: TierDesign) -> None:
        # `chain` has the fabric's tiers from the leaf up; leg dimensions by which all of them are grouped make strands
        self._sizes, self._name = tier.sizes, tier.name
        self.scope, self.layout = tier.scope, tier.layout
        self._dimensions = list_inner_dimensions(tier.per)
        self._inner = prod(self._sizes[d] for d in self._dimensions)
        self.per_place = tier.per_place
        self._strand_dimensions = [d for d in list_leg_dimensions() if all(d in t.per for t in chain)]
        self.inner = tuple(d for d in self._dimensions if d not in self._strand_dimensions)

    def locate_switch(self, group: int, number: int) -> tuple[int, _FailedSwitch]:
        """Return (strand, failed switch in it) of a switch, by its group and its number in the group, all from 0."""
        place, remainder = divmod(group, self._inner)
        values: dict[str, int] = {}
        # the last dimension counts fastest in group numbers: it is taken off first
        for dimension in reversed(self._dimensions):
            remainder, values[dimension] = divmod(remainder, self._sizes[dimension])
        strand = 0
        for dimension in self._strand_dimensions:
            strand = strand * self._sizes[dimension] + values.pop(dimension)
        return strand, _FailedSwitch(place, values | {self._name: number})


# What remains of fabrics after a loss, in the words of lint and of the picture.


def list_failure_analyses(design: Design) -> Iterator[tuple[FabricDesign, FailureAnalysis]]:
    """Yield every fabric on which nodes reach each other, with its failure analysis.

    Fabrics for management are left out, and fabrics that are VLANs on the node ports of another, whose bandwidth they
    share.
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
    """Return a fraction as text in percent, rounded down: `93.7%`."""
    # rounded down, so that only 1 becomes 100%; 1e-6 keeps an error of the last bit from costing a tenth
    return f"{int(share * 1000 + 1e-6) / 10:g}%"


def describe_lost_switches(remaining: RemainingBisection) -> str:
    """Return the failed switches as the end of a phrase: ` (2 leaf, 1 spine switches)`.

    It is "" if none failed, or if the phrase says it already: `one leaf` is what was lost.
    """
    names = sum_pairs((key.name, number) for key, number in sorted(remaining.gone.items()))
    failed = ", ".join(f"{number} {name}" for name, number in names.items())
    if remaining.after.startswith("one ") or not failed:
        return ""
    return f" ({failed} switch{'es' * (sum(remaining.gone.values()) != 1)})"


def describe_remaining(fabric: str, remaining_percent: str, lost_text: str, switches: str) -> str:
    """Return a sentence: `compute keeps 93.7% of its bisection after the loss of net-spine-01 (1 spine switch)`."""
    return f"{fabric} keeps {remaining_percent} of its bisection after the loss of {lost_text}{switches}"

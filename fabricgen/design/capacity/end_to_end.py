"""End-to-end oversubscription: of each tier, and of all tiers above the nodes together."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from fabricgen.design.capacity.bisection import list_chains
from fabricgen.design.fabric_model import FabricDesign, TierDesign
from fabricgen.design.model import Design


class EndToEnd(NamedTuple):
    """The product of the tiers' oversubscription up to the narrowest point, and each of those tiers with its ratio."""

    ratio: Fraction
    tiers: tuple[tuple[TierDesign, Fraction], ...]

    @property
    def narrowest(self) -> TierDesign | None:
        """The tier with the highest ratio; None where no tier has uplinks."""
        return max(self.tiers, key=lambda tier_and_ratio: tier_and_ratio[1])[0] if self.tiers else None

    @property
    def allowed(self) -> Fraction:
        """The product of what the tiers allow, each at least 1."""
        product = Fraction(1)
        for tier, _ in self.tiers:
            product *= max(Fraction(1), tier.allowed)
        return product

    @property
    def text(self) -> str:
        """The tiers and their ratios in words: `leaf 2:1 x spine 4:1`."""
        return " x ".join(f"{tier.name} {float(ratio):.3g}:1" for tier, ratio in self.tiers)


def compute_end_to_end(design: Design, fabric: FabricDesign) -> EndToEnd:
    """The oversubscription of a fabric up to its narrowest point: the ratios of its tiers multiply.

    Links between sites count as the uplinks of their tier. Of parts of the cluster that have tiers of their own it is
    that of the worst.
    """
    chains = [_multiply_chain(chain) for chain in list_chains(design, fabric)]
    return max(chains, key=lambda chain: chain.ratio, default=EndToEnd(Fraction(1), ()))


def _multiply_chain(chain: Sequence[TierDesign]) -> EndToEnd:
    """The oversubscription of tiers, each linked up to the next, up to the narrowest point."""
    widest, product = EndToEnd(Fraction(1), ()), Fraction(1)
    passed: list[tuple[TierDesign, Fraction]] = []
    for tier in chain:
        ratio = tier.oversubscription
        if ratio is None:
            break
        product *= ratio
        passed.append((tier, ratio))
        if not widest.tiers or product > widest.ratio:
            widest = EndToEnd(product, tuple(passed))
    return widest

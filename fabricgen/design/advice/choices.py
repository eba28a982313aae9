"""Choices of sizing that deserve a word: more uplinks than the fewest, and sizes that the lock keeps."""

from __future__ import annotations

from dataclasses import dataclass

from fabricgen.design.build import make_trials
from fabricgen.design.fabric_model import FabricDesign, TierDesign
from fabricgen.design.linked import group_linked_fabrics
from fabricgen.design.model import Design


@dataclass(frozen=True, slots=True)
class MoreUplinks:
    """A tier with more uplinks than its oversubscription calls for, and the tier above it."""

    tier: TierDesign
    uplinks: int
    fewest_uplinks: int
    upper: TierDesign
    switches: int
    """Switches of the upper tier."""
    switches_with_fewest: int
    """Switches that the upper tier would have with the fewest uplinks; 0 if these cannot be wired."""

    @property
    def text(self) -> str:
        """In words: `32 uplinks a leaf instead of 29: 8 spine switches instead of 29`."""
        taken = f"{self.uplinks} uplinks a {self.tier.name} instead of {self.fewest_uplinks}"
        instead = f" instead of {self.switches_with_fewest:,}" if self.switches_with_fewest else ""
        return f"{taken}: {self.switches:,} {self.upper.name} switches{instead}"


@dataclass(frozen=True, slots=True)
class KeptSize:
    """A figure of a tier that the lock keeps, and what it would be if it were derived anew."""

    tier: TierDesign
    part: str
    """`count` (switches in all) or `uplinks` (of each switch)."""
    kept: int
    anew: int

    @property
    def release(self) -> str:
        """The argument of `lock --release` that has it derived anew."""
        return f"{self.tier.fabric} {self.tier.name} {self.part}"

    @property
    def text(self) -> str:
        """In words: `the lock keeps 29 spine switches; derived anew it would be 8`."""
        unit = f"{self.tier.name} switches" if self.part == "count" else f"uplinks a {self.tier.name}"
        return f"the lock keeps {self.kept:,} {unit}; derived anew it would be {self.anew:,}"


def find_more_uplinks(design: Design, fabric: FabricDesign) -> list[MoreUplinks]:
    """Return the tiers of a fabric with more uplinks than the fewest, from the nodes up."""
    wider_tiers = []
    for tier in fabric.tiers:
        if tier.uplink and tier.up and tier.uplink.fewest[0]:
            upper = design.tier(tier.uplink.upper)
            # (0, 0) if the tier has no more uplinks than the fewest; the second is of one upper group
            fewest_uplinks, upper_count = tier.uplink.fewest
            wider_tiers.append(
                MoreUplinks(tier, tier.up.count, fewest_uplinks, upper, upper.switches, upper_count * upper.groups)
            )
    return wider_tiers


def list_kept_sizes(design: Design) -> list[KeptSize]:
    """Return the sizes that the lock keeps and that would be derived differently, fabric by fabric."""
    if not design.layout.lock.blueprint:
        return []
    sizes = []
    for names in group_linked_fabrics(design.loaded.blueprint.fabrics):
        derived_tiers = {
            tier.key: tier for fabric in make_trials(design, names[0]).size_without_lock() for tier in fabric.tiers
        }
        for tier in (tier for fabric in design.fabrics if fabric.name in names for tier in fabric.tiers):
            derived = derived_tiers.get(tier.key, tier)
            if derived.switches != tier.switches:
                sizes.append(KeptSize(tier, "count", tier.switches, derived.switches))
            if derived.up and tier.up and derived.up.count != tier.up.count:
                sizes.append(KeptSize(tier, "uplinks", tier.up.count, derived.up.count))
    return sizes

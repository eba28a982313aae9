"""FG747: a tier repeats the choice of the tier below it."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.fabric_model import TierDesign
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Path, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.views.balancing import choose_hash_seed, find_balancing


class TiersHashAlike(DesignRule):
    """Two tiers, one above the other, hash flows over equal paths with one seed.

    Packets that come up one link have one value of the hash, as the switch below has sorted them by it. A switch above
    that hashes alike finds them in one bucket again and sends them all over the same few of its links, while others
    idle (polarisation). Cumulus Linux draws a seed at random unless one is stated; SONiC takes it from the type of the
    switch, of which three differ, and the chip of both tiers must be one vendor's for their hashes to agree. Seeds of
    EOS are not known here, and not judged.

    State `seeds: auto` in `routing.load_balance`, or other numbers; on SONiC choose another mode, or another NOS for
    every second tier.
    """

    severity = Severity.WARNING
    bad = """
        nos: cumulus
        fabrics: {compute: {tiers: {leaf: {switch: sn5600}, spine: {switch: sn5600, count: 2}}}}
        routing: {load_balance: {
          seeds: {leaf: 5, spine: 5}}}  # <-
    """
    good = """
        nos: cumulus
        fabrics: {compute: {tiers: {leaf: {switch: sn5600}, spine: {switch: sn5600, count: 2}}}}
        routing: {load_balance: {seeds: auto}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Compare the hash seeds of every tier and the tier above it, if both choose among links, and not by load."""
        for tier in design.tiers:
            upper = design.tier(tier.uplink.upper) if tier.uplink else None
            if upper is None or not _both_choose(design, tier, upper) or not _has_same_chips(tier, upper):
                continue
            seed, path = _find_seed(design, tier)
            upper_seed, _ = _find_seed(design, upper)
            if seed is not None and seed == upper_seed:
                yield self.flag(
                    path,
                    f"{tier.fabric} {tier.name} and {upper.name} hash with the seed {seed}: {upper.name} switches use "
                    "few of their links for what comes up one",
                    "use `seeds: auto`, or `spray` or `dynamic` where the switches can",
                )


def _both_choose(design: Design, tier: TierDesign, upper: TierDesign) -> bool:
    """Whether hashes decide at both tiers: a switch of the lower tier has several links up, and a switch of the upper
    tier has several links by which packets go on.

    Such links lead up, or down: several to one switch, or to the several switches of a pod.
    """
    uplink = tier.uplink
    has_parallel_links = uplink is not None and uplink.links_per_group > uplink.upper_count
    goes_up = upper.up is not None and upper.up.count > 1
    goes_on = goes_up or has_parallel_links or design.levels[tier.key] > 0
    return tier.up is not None and tier.up.count > 1 and goes_on


def _has_same_chips(tier: TierDesign, upper: TierDesign) -> bool:
    """Whether two tiers run one NOS on chips of one family; chips of different families hash differently anyway."""
    return tier.nos == upper.nos and tier.profile.asic.split()[0][:4] == upper.profile.asic.split()[0][:4]


def _find_seed(design: Design, tier: TierDesign) -> tuple[int | None, Path]:
    """Return (the hash seed of a tier, the path at which it is stated, else that of the tier); the seed is None if it
    is unknown or the tier balances by load.
    """
    blueprint, asic = design.loaded.blueprint, tier.profile.asic
    routing = blueprint.fabrics[tier.fabric].routing
    load_balance, nos = find_balancing(routing, blueprint.routing), design.catalog.naming(tier.nos).configuration
    base: Path = ("fabrics", tier.fabric) if routing.load_balance else ()
    if load_balance.by_load and not nos.explain_refusal("dynamic-load-balance", asic):
        return None, base
    level = design.levels[tier.key]
    takes_seeds = not nos.explain_refusal("hash-seeds", asic)
    seed = choose_hash_seed(load_balance, tier.name, level) if takes_seeds else None
    if seed is not None:
        return seed, (*base, "routing", "load_balance", "seeds")
    return nos.hash_seeds[min(level, len(nos.hash_seeds) - 1)] if nos.hash_seeds else None, tier.path

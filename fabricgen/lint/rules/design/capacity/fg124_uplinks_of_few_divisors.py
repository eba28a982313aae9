"""FG124: uplinks with few divisors make the tier above large."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.build import make_trials
from fabricgen.design.fabric_model import TierDesign
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.documented import ToDo
from fabricgen.lint.rule import DesignRule

TOO_MANY = 2
"""How many times the fewest switches whose ports suffice a tier may have; derived uplinks keep to it
(docs/limits.md)."""


class UplinksOfFewDivisors(DesignRule):
    """Stated uplinks, or those that the lock keeps, take more than twice the switches above that other uplinks would.

    Each switch needs the same whole number of links to every switch above, so 29 uplinks reach 29 spines or one, and
    32 reach 8. Where uplinks are derived, a few more are taken in such a case. A stated number is never touched, and
    what the lock keeps is racked: this only says what the other choice would save. With `spread: uneven` of the tier
    above, links may land unequally on it and its count need not divide (docs/uneven.md).
    """

    severity = Severity.INFO
    to_do = ToDo.WEIGH_CAPACITY
    bad = """
        scalable_unit: {nodes: 29 x dgx-b200}
        pods: {p1: {su: 4}}
        fabrics: {compute: {tiers: {
          leaf: {switch: sn5600, per: [su, rail], uplinks: 29 x 400G},  # <-
          spine: {switch: sn5600, count: null}}}}
    """
    good = """
        scalable_unit: {nodes: 29 x dgx-b200}
        pods: {p1: {su: 4}}
        fabrics: {compute: {tiers: {
          leaf: {switch: sn5600, per: [su, rail]},
          spine: {switch: sn5600, count: null}}}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag uplinks, stated or kept by the lock, that make the tier above far larger than derived uplinks would."""
        for tier in design.tiers:
            uplink = tier.uplink
            if uplink is None or tier.up is None or not uplink.upper_count > 1:
                continue
            upper = design.tier(uplink.upper)
            if _count_fewest_switches(upper) * TOO_MANY >= upper.count:
                continue
            stated = design.loaded.blueprint.fabrics[tier.fabric].tiers[tier.name].uplinks
            is_stated, trials = stated is not None and bool(stated.count), make_trials(design, tier.fabric)
            if is_stated:
                resized = trials.wire_fabrics({".".join(map(str, (*tier.path, "uplinks"))): None})
            else:
                resized = trials.size_without_lock() if design.layout.lock.blueprint else ()
            resized_tiers = {t.key: t for fabric in resized for t in fabric.tiers}
            lower, resized_upper = resized_tiers.get(tier.key), resized_tiers.get(upper.key)
            if not (lower and lower.up and resized_upper) or resized_upper.count * TOO_MANY >= upper.count:
                continue
            text = (
                f"{tier.up.count} uplinks a {tier.fabric} {tier.name} take {upper.switches:,} {upper.name} switches, "
                f"{lower.up.count} would take {resized_upper.switches:,}"
            )
            if is_stated:
                hint = f"`uplinks: {lower.up.count} x {lower.up.speed_gbps}G`, or none stated"
                yield self.flag((*tier.path, "uplinks"), text, hint)
            else:
                lock_entry = f"{upper.fabric} {upper.name} count"
                hint = (
                    f"`fabricgen lock --release '{lock_entry}'`; `plan --release '{lock_entry}'` says what that moves"
                )
                yield self.flag(upper.path, f"{text}; the lock keeps the former", hint)


def _count_fewest_switches(tier: TierDesign) -> int:
    """Return how many switches of a group would suffice for the down ports that are used on all of them."""
    capacity = max((run.capacity for run in tier.downs), default=0)
    used_ports = max((run.count for run in tier.downs), default=0)
    return -(-used_ports * tier.count // capacity) if capacity else tier.count

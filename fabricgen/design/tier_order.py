"""The order of a fabric's tiers from the nodes up, whatever the order of their keys in the blueprint."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from fabricgen.blueprint.dimensions import list_dimension_names
from fabricgen.blueprint.models import make_natural_key
from fabricgen.blueprint.sections.fabric import TIER_LEVELS, Tier
from fabricgen.kernel.diagnostics import InputError, Path, did_you_mean, fault


def order_tiers(chain: Mapping[str, Tier], tiers: Mapping[str, Tier], path: Path) -> list[str]:
    """Return the names of the tiers in `chain` from the nodes up, whatever the order of their keys.

    `tiers` are all tiers of the fabric, `path` is the fabric's. Raises InputError (FG016) for a tier without a place in
    that order, and for one with the name of a dimension.
    """
    for reserved in sorted(set(tiers) & {*list_dimension_names(), "node"}):
        raise fault(
            "FG016",
            f"a tier cannot be called '{reserved}', which is a dimension or the nodes' own name",
            path=(*path, "tiers", reserved),
            hint="call it leaf, spine, core or by a name of its own",
        )
    if len(chain) == 1 and not any(tier.above for tier in chain.values()):
        return list(chain)
    levels: dict[str, float] = {}
    named_below = {a for tier in chain.values() for a in tier.above}
    # `FABRIC.TIER` is a tier of another fabric, whose level does not matter here
    pending = {name: [a for a in tier.above if "." not in a] for name, tier in chain.items()}
    while pending:
        placeable = [
            n
            for n, lower_names in pending.items()
            if (
                all(a in levels for a in lower_names)
                if lower_names
                else n in TIER_LEVELS or chain[n].above or n in named_below
            )
        ]
        if not placeable:
            raise _explain_no_place(pending, tiers, path)
        for name in placeable:
            lower_names = pending.pop(name)
            # above no tier of this fabric: lowest if it is above another fabric's, else at the usual level of its name
            lowest_level = 0 if chain[name].above else TIER_LEVELS.get(name, 0)
            levels[name] = 1 + max(levels[a] for a in lower_names) if lower_names else lowest_level
    ordered = sorted(chain, key=lambda n: (levels[n], n))
    for lower, upper in pairwise(ordered):
        if levels[lower] == levels[upper]:
            unplaced = [name for name in (upper, lower) if not chain[name].above and not chain[name].below]
            unplaced_tier = unplaced[0] if unplaced else upper
            raise fault(
                "FG016",
                f"tiers {lower} and {upper} stand at the same level, and {unplaced_tier} does not say what it is above",
                path=(*path, "tiers", unplaced_tier),
                hint="say `above: TIER` of the upper one, or `below: TIER` of a border that takes no nodes",
            )
    return ordered


def _explain_no_place(pending: Mapping[str, list[str]], tiers: Mapping[str, Tier], path: Path) -> InputError:
    """Return the error (FG016) for a tier without a place in the order of tiers: its `above` names an unknown tier, a
    tier that hangs below another, or a tier that is above it in turn; or nothing says what it is above. `pending` has,
    for each tier without a place, the tiers that it is above.
    """
    stated_pairs = [(upper, lower) for upper, lowers in pending.items() for lower in lowers]
    unknown = [(upper, lower) for upper, lower in stated_pairs if lower not in tiers]
    hanging = [(upper, lower) for upper, lower in stated_pairs if lower in tiers and tiers[lower].below]
    circles = [(upper, lower) for upper, lower in stated_pairs if lower in pending]
    for upper, lower in unknown[:1] or hanging[:1] or circles[:1]:
        reason = "which is itself" if lower == upper else f"which is above '{upper}' in turn"
        hint = "a tier is above those that are nearer to the nodes"
        if unknown:
            reason, hint = "which is no tier of this fabric", did_you_mean(lower, tiers)
        elif hanging:
            reason, hint = (
                f"which says `below: {tiers[lower].below}` itself",
                "`below` is enough: remove it from `above`",
            )
        message = f"tier {upper} is above '{lower}', {reason}"
        return fault("FG016", message, path=(*path, "tiers", upper, "above"), hint=hint)
    unplaced = next(iter(pending))
    message, hint = f"it is not said which tiers '{unplaced}' is above", "say `above: TIER`, or use leaf, spine, core"
    return fault("FG016", message, path=(*path, "tiers", unplaced), hint=hint)


# The order of fabrics in node slots, address pools and listings.

USUAL_FABRICS = ("compute", "storage", "inband", "oob")
"""Fabrics that come first, in this order; others follow by name, so that a further fabric moves none of these."""


def rank_fabric(name: str) -> tuple[int, object]:
    """Return the sort key of a fabric's name: the usual fabrics first, then others in natural order."""
    rank = USUAL_FABRICS.index(name) if name in USUAL_FABRICS else len(USUAL_FABRICS)
    return rank, make_natural_key(name)

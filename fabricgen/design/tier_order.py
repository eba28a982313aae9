"""The order of a fabric's tiers from the nodes up, whatever the order of their keys in the blueprint."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from fabricgen.blueprint.dimensions import dimension_names
from fabricgen.blueprint.sections.fabric import TIER_LEVELS, Tier
from fabricgen.kernel.diagnostics import InputError, Path, did_you_mean, fault


def tier_order(chain: Mapping[str, Tier], tiers: Mapping[str, Tier], path: Path) -> list[str]:
    """Tier names from the nodes up, whatever the order of their keys; raises InputError for a tier without a place."""
    for reserved in sorted(set(tiers) & {*dimension_names(), "node"}):
        raise fault(
            "FG016",
            f"a tier cannot be called '{reserved}', which is a dimension or the nodes' own name",
            path=(*path, "tiers", reserved),
            hint="call it leaf, spine, core or by a name of its own",
        )
    if len(chain) == 1 and not any(tier.above for tier in chain.values()):
        return list(chain)
    levels: dict[str, float] = {}
    named = {a for tier in chain.values() for a in tier.above}
    pending = {name: [a for a in tier.above if "." not in a] for name, tier in chain.items()}
    while pending:
        known = [
            n
            for n, above in pending.items()
            if (all(a in levels for a in above) if above else n in TIER_LEVELS or chain[n].above or n in named)
        ]
        if not known:
            raise _no_place(pending, tiers, path)
        for name in known:
            above = pending.pop(name)
            foreign = 0 if chain[name].above else TIER_LEVELS.get(name, 0)
            levels[name] = 1 + max(levels[a] for a in above) if above else foreign
    ordered = sorted(chain, key=lambda n: (levels[n], n))
    for first, second in pairwise(ordered):
        if levels[first] == levels[second]:
            silent = [name for name in (second, first) if not chain[name].above and not chain[name].below]
            lacking = silent[0] if silent else second
            raise fault(
                "FG016",
                f"tiers {first} and {second} stand at the same level, and {lacking} does not say what it is above",
                path=(*path, "tiers", lacking),
                hint="say `above: TIER` of the upper one, or `below: TIER` of a border that takes no nodes",
            )
    return ordered


def _no_place(pending: Mapping[str, list[str]], tiers: Mapping[str, Tier], path: Path) -> InputError:
    stuck = next(iter(pending))
    above = next((a for a in pending[stuck] if a not in pending), pending[stuck][0] if pending[stuck] else "")
    return fault(
        "FG016",
        f"tier {stuck} is above '{above}', which is no tier of this fabric"
        if above
        else f"it is not said which tiers '{stuck}' is above",
        path=(*path, "tiers", stuck, *(("above",) if above else ())),
        hint=did_you_mean(above, tiers) if above else "say `above: TIER`, or use leaf, spine, core",
    )

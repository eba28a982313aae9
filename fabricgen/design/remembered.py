"""What a lock remembers of a finished design: how tiers deal their ports, and where extra devices are plugged in."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.kept_ports import extra_words
from fabricgen.design.model import Design
from fabricgen.design.shape import SCOPES, scope_of


def remembered(design: Design) -> dict[str, dict[str, str]]:
    """Words of the lock by kind and holder, those of things that are gone included."""
    fabrics = {fabric.name: fabric for fabric in design.fabrics}
    words = design.layout.lock.words
    found = {
        "dealing": {**words.get("dealing", {}), **dict(_dealing(design))},
        "extras": {**words.get("extras", {}), **dict(extra_words(design.layout, fabrics))},
    }
    return {kind: holders for kind, holders in found.items() if holders}


def in_use(design: Design) -> frozenset[tuple[str, str]]:
    """(kind, holder) of all words that are of use."""
    tiers = {("dealing", f"{tier.fabric} {tier.name}") for tier in design.tiers}
    extras = {("extras", name) for name, _ in extra_words(design.layout, {f.name: f for f in design.fabrics})}
    return frozenset(tiers | extras)


def _dealing(design: Design) -> Iterator[tuple[str, str]]:
    """Upper tiers whose lower ones stand in units or pods of which there may be more."""
    for tier in design.tiers:
        if tier.uplink is None:
            continue
        upper = design.tier(tier.uplink.upper)
        below, above = (SCOPES.index(scope_of(per)) for per in (tier.per, upper.per))
        if above <= SCOPES.index("pod") < below:
            yield f"{upper.fabric} {upper.name}", "slot" if tier.uplink.by_slot else "unit"

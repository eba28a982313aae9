"""Which AS number plan holds where, and how many numbers it takes; light, for lint's fast path."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from fabricgen.blueprint.sections.asn import parse_asns
from fabricgen.blueprint.sections.routing import AsnPlan
from fabricgen.design.fabric_model import FabricDesign, TierDesign
from fabricgen.design.model import Design
from fabricgen.design.shape import reserved_places
from fabricgen.kernel.diagnostics import Path
from fabricgen.kernel.intervals import Interval, Intervals, total
from fabricgen.numbering.slot_counts import numbered_groups
from fabricgen.numbering.underlay import runs_bgp

Sharers = Literal["switch", "rack", "group"]
"""What has an AS number of its own."""


@dataclass(frozen=True, slots=True)
class AsnDemand:
    """The AS numbers that a tier takes from `windows`: now, and once every reserved slot is filled."""

    fabric: str
    tier: str
    path: Path
    """Where the numbers are stated."""
    windows: Intervals
    now: int
    reserved: int


def asn_plan(design: Design, fabric: FabricDesign) -> tuple[AsnPlan, dict[str, Path]]:
    """(AS number plan of a fabric, its own keys over the cluster's; the path of each key)."""
    blueprint = design.loaded.blueprint
    stated: dict[str, Any] = {}
    paths: dict[str, Path] = dict.fromkeys(AsnPlan.model_fields, ("routing", "asn"))
    own = blueprint.fabrics[fabric.name].routing.asn
    for plan, path in ((blueprint.routing.asn, ("routing", "asn")), (own, (*fabric.path, "routing", "asn"))):
        if plan is not None:
            stated |= {key: getattr(plan, key) for key in plan.model_fields_set}
            paths |= dict.fromkeys(plan.model_fields_set, path)
    return AsnPlan.model_construct(**stated), {key: (*path, key) for key, path in paths.items()}


def sharers(tier: TierDesign, plan: AsnPlan) -> Sharers:
    """What has a number of its own under a plan; always each switch of a pair with peer links, which speaks eBGP."""
    paired = tier.peer_links is not None and not tier.peer_links.spans
    if plan.plan == "per-switch" or paired or (tier.lowest and plan.plan == "rfc7938"):
        return "switch"
    return "rack" if tier.lowest else "group"


def kept_for_tiers(design: Design, fabrics: Sequence[FabricDesign]) -> list[tuple[int, int]]:
    """(first, last) of all numbers stated for tiers, ascending; pools leave them out."""
    plans = [asn_plan(design, fabric)[0] for fabric in fabrics]
    return sorted(parse_asns(text) for plan in plans for text in plan.tiers.values())


def left_of(pool: str, kept: Sequence[tuple[int, int]]) -> Intervals:
    """The numbers of a pool without those that are kept, ascending."""
    first, last = parse_asns(pool)
    windows = []
    for low, high in (*kept, (last + 1, last + 1)):
        if low > first:
            windows.append(Interval(first, min(low, last + 1) - first))
        first = max(first, high + 1)
        if first > last:
            break
    return tuple(windows)


def asn_demands(design: Design) -> Iterator[AsnDemand]:
    """The demand of every tier whose switches run BGP, except tiers with one stated number."""
    speakers = [fabric for fabric in design.fabrics if runs_bgp(design, fabric)]
    kept = kept_for_tiers(design, speakers)
    for fabric in speakers:
        plan, paths = asn_plan(design, fabric)
        for tier in fabric.tiers:
            path, windows = paths["pool"], left_of(plan.pool, kept)
            if tier.name in plan.tiers:
                first, last = parse_asns(plan.tiers[tier.name])
                path, windows = (*paths["tiers"], tier.name), (Interval(first, last - first + 1),)
            if path == paths["pool"] or total(windows) > 1:
                now, reserved = _numbers(tier, sharers(tier, plan))
                yield AsnDemand(fabric.name, tier.name, path, windows, now, max(now, reserved))


def _numbers(tier: TierDesign, by: Sharers) -> tuple[int, int]:
    """Numbers that a tier takes now, and with every reserved slot."""
    if by == "rack":
        planes = tier.sizes["plane"] if "plane" in tier.per else 1
        return tier.places * planes, reserved_places(tier.layout, tier.scope) * planes
    if by == "group":
        return tier.groups, numbered_groups(tier)
    return tier.switches, numbered_groups(tier) * tier.count

"""FG106: what the reserve costs: cables that move as the cluster grows, or switches that wait for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fabricgen.design.advice.trials import Trials
from fabricgen.design.build import trials_of
from fabricgen.design.fabric_model import FabricDesign, TierDesign
from fabricgen.design.model import Design
from fabricgen.design.shape import inner, scope_of, spans_units
from fabricgen.design.sizing.spread import run_ports, uplink_ends
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule


class ReserveOutgrowsTier(DesignRule):
    """A tier has fewer switches than its reserved units will need, or is sized for them already.

    Derived tiers are sized for the units there are. Growing past their radix adds switches, and part of the uplinks of
    racked switches move to them: half where they double, as in NVIDIA's SuperPOD tables (8 spines at 2 scalable units,
    16 at 3). With `size_for: reserve` they are bought at once and growth moves no uplink. A stated count stays as it
    is, and units that it has no ports for are refused.

    Take what is cheaper: `size_for: reserve`, technicians who move cables that carry traffic, or less reserve.
    """

    id = "FG106"
    severity = Severity.INFO
    title = "the reserve outgrows a tier, or a tier is bought for it"
    bad = """
        pods: {p1: {su: 2, reserve: 17}}
        fabrics: {compute: {tiers: {
          spine: {switch: sn5600, count: 4}}}}  # <-
    """
    good = """
        pods: {p1: {su: 2, reserve: 16}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag tiers whose count differs between the units there are and all that are reserved."""
        if design.layout.unit_slots == design.layout.units:
            return
        for tier in design.tiers:
            if design.loaded.blueprint.fabrics[tier.fabric].tiers[tier.name].count:
                yield from self._stated(design, tier)
            elif spans_units(tier.per):
                yield from self._derived(design, tier)

    def _stated(self, design: Design, upper: TierDesign) -> Iterator[Diagnostic]:
        """A stated count that the reserve has no ports on."""
        slots = design.layout.unit_slots
        path = f"fabrics.{upper.fabric}.tiers.{upper.name}"
        trials = trials_of(design, upper.fabric)
        if _short(design, upper):
            if trials.wires({f"{path}.size_for": "reserve"}):
                return
            moved = "node links" if upper.lowest else "uplinks"
            enough = trials.tier(upper.key, {f"{path}.count": None, f"{path}.size_for": "reserve"})
            yield self.flag(
                (*upper.path, "count"),
                f"{upper.count} {upper.fabric} {upper.name} {_plural(upper.count)} no ports for all {slots} reserved "
                f"scalable units: growth past their radix is refused until more are stated, and moves {moved} then",
                f"`count: {enough.count}` is enough for all {slots}, or `size_for: reserve` without a count"
                if enough
                else "add a tier above, or reserve less",
            )

    def _derived(self, design: Design, tier: TierDesign) -> Iterator[Diagnostic]:
        """A derived count that is another one for the other choice."""
        trials, path = trials_of(design, tier.fabric), f"fabrics.{tier.fabric}.tiers.{tier.name}"
        other = trials.wires({f"{path}.size_for": "now" if tier.for_reserve else "reserve"})
        there = _tier(other, tier)
        units, slots = design.layout.units, design.layout.unit_slots
        name, each = f"{tier.fabric} {tier.name}", _each(tier)
        if there is None and not tier.for_reserve:
            yield self.flag(
                tier.path,
                f"{name} is sized for {units} of {slots} reserved scalable units, and cannot be for all: growth needs "
                "larger switches or a tier above",
                "add the tier above now, or reserve less",
            )
        if there is None or there.count == tier.count:
            return
        more = abs(_switches(other) - _switches([design.fabric(f) for f in trials.names]))
        if tier.for_reserve:
            yield self.flag(
                tier.path,
                f"{name} is sized for all {slots} reserved scalable units: {tier.count}{each}, where {there.count} are "
                f"enough for {units}; growth moves no uplink, and {more:,} more switches are there now",
                f"`size_for: now` takes {more:,} fewer switches",
            )
            return
        yield self.flag(
            tier.path,
            f"{name} is sized for {units} of {slots} reserved scalable units: {tier.count}{each} now, {there.count} at "
            f"{slots}{_moves(design, trials, tier)}",
            f"`size_for: reserve` takes {more:,} more switches now, and growth moves none",
        )


def _short(design: Design, tier: TierDesign) -> bool:
    """Whether a tier with a stated count may lack ports for reserved units: it has none numbered for them."""
    if tier.lowest:
        feeds = [feed for fabric in design.fabrics if fabric.leaf == tier.key for feed in fabric.node_feeds]
        return spans_units(tier.per) and not all(feed.by_slot for feed in feeds)
    return any(t.uplink and t.uplink.upper == tier.key and not t.uplink.by_slot for t in design.tiers)


def _plural(count: int) -> str:
    return "switch has" if count == 1 else "switches have"


def _each(tier: TierDesign) -> str:
    words = [word for word in (scope_of(tier.per), *inner(tier.per)) if word != "all"]
    return f" a {' and '.join(words)}" if words else ""


def _tier(fabrics: Sequence[FabricDesign], like: TierDesign) -> TierDesign | None:
    return next((tier for fabric in fabrics for tier in fabric.tiers if tier.key == like.key), None)


def _switches(fabrics: Sequence[FabricDesign]) -> int:
    return sum(tier.switches for fabric in fabrics for tier in fabric.tiers)


def _moves(design: Design, trials: Trials, upper: TierDesign) -> str:
    """What the first step of growth that changes a tier's count does to the uplinks there are."""
    growing = {name: pod for name, pod in design.loaded.blueprint.pods.items() if pod.slots > pod.su}
    step: Mapping[str, Any] = {f"pods.{name}.su": pod.slots for name, pod in growing.items()}
    past, after = "", tuple[FabricDesign, ...]()
    if len(growing) == 1:
        ((name, pod),) = growing.items()
        low, high = pod.su, pod.slots
        while high - low > 1:
            middle = (low + high) // 2
            grown = trials.wires({f"pods.{name}.su": middle})
            found = _tier(grown, upper)
            if found and found.count == upper.count:
                low = middle
            else:
                high, after = middle, grown
        step, past = {f"pods.{name}.su": high}, f" past {low}" if low > 1 else ""
    after = after or trials.wires(step)
    told = []
    for lower in design.tiers:
        then = _tier(after, lower)
        if lower.uplink and lower.uplink.upper == upper.key and then and lower.up:
            moved = _moved_uplinks(lower, upper, then, _tier(after, upper))
            share = "half" if 2 * moved == lower.up.count else f"{moved} of {lower.up.count}"
            told.append(f"{share} of the uplinks of each {lower.name} ({moved * lower.switches:,} links)")
    return f"; growth{past} moves {' and '.join(told)}" if told else ""


def _moved_uplinks(lower: TierDesign, upper: TierDesign, then: TierDesign, above: TierDesign | None) -> int:
    """Uplinks of the first lower switch that are on another switch or port of a grown tier."""
    places = []
    for low, high in ((lower, upper), (then, above)):
        if low.uplink is None or low.up is None or high is None:
            return 0
        feed = high.feed(low.key)
        ports = run_ports(high, feed.run).of(feed)
        places.append([(s, ports[k]) for s, k in uplink_ends(low.uplink, low.up)])
    return sum(was != now for was, now in zip(*places, strict=False))

"""FG106: a tier is too small for the reserve, or already sized for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fabricgen.blueprint.models import Pod
from fabricgen.design.advice.trials import Trials
from fabricgen.design.build import make_trials
from fabricgen.design.fabric_model import FabricDesign, TierDesign
from fabricgen.design.model import Design
from fabricgen.design.shape import find_scope, list_inner_dimensions, spans_units
from fabricgen.design.sizing.spread import list_uplink_ends, make_run_ports
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.documented import ToDo
from fabricgen.lint.rule import DesignRule


class ReserveOutgrowsTier(DesignRule):
    """A tier has too few switches for its reserved units, or is already sized for them.

    Derived tiers are sized for the units that exist now. Growing past their radix adds switches, and some uplinks
    of racked switches move to the new ones: half of them where the count doubles, as in NVIDIA's SuperPOD tables (8
    spines at 2 scalable units, 16 at 3). With `size_for: reserve` all switches are bought at once, and growth moves
    no uplink. A stated count never changes; units that it has no ports for are refused.

    Choose the cheapest: `size_for: reserve`, recabling of live uplinks later, or a smaller reserve.
    """

    severity = Severity.INFO
    to_do = ToDo.DECIDE_GROWTH
    bad = """
        pods: {p1: {su: 2, reserve: 17}}
        fabrics: {compute: {tiers: {
          spine: {switch: sn5600, count: 4}}}}  # <-
    """
    good = """
        pods: {p1: {su: 2, reserve: 16}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag tiers that need another count of switches for all reserved units than for the units that exist now."""
        if design.layout.unit_slots == design.layout.units:
            return
        for tier in design.tiers:
            if design.loaded.blueprint.fabrics[tier.fabric].tiers[tier.name].count:
                yield from self._check_stated_count(design, tier)
            elif spans_units(tier.per):
                yield from self._check_derived_count(design, tier)

    def _check_stated_count(self, design: Design, upper: TierDesign) -> Iterator[Diagnostic]:
        """Flag a tier whose stated count of switches has no ports for all reserved units."""
        slots = design.layout.unit_slots
        path = f"fabrics.{upper.fabric}.tiers.{upper.name}"
        trials = make_trials(design, upper.fabric)
        if not _may_lack_ports(design, upper) or trials.wire_fabrics({f"{path}.size_for": "reserve"}):
            return
        moved = "node links" if upper.lowest else "uplinks"
        enough = trials.design_tier(upper.key, {f"{path}.count": None, f"{path}.size_for": "reserve"})
        yield self.flag(
            (*upper.path, "count"),
            f"{upper.count} {upper.fabric} {upper.name} {'switch has' if upper.count == 1 else 'switches have'} no "
            f"ports for all {slots} reserved scalable units; growth beyond their ports needs a higher `count`, which "
            f"moves {moved}",
            f"set `count: {enough.count}`, enough for all {slots}, or `size_for: reserve` without a count"
            if enough
            else "add a tier above, or lower `reserve`",
        )

    def _check_derived_count(self, design: Design, tier: TierDesign) -> Iterator[Diagnostic]:
        """Flag a tier whose derived count differs between `size_for: now` and `size_for: reserve`, or that cannot be
        sized for the reserve at all.
        """
        trials, path = make_trials(design, tier.fabric), f"fabrics.{tier.fabric}.tiers.{tier.name}"
        resized = trials.wire_fabrics({f"{path}.size_for": "now" if tier.for_reserve else "reserve"})
        resized_tier = _find_same_tier(resized, tier)
        units, slots = design.layout.units, design.layout.unit_slots
        name, group_text = f"{tier.fabric} {tier.name}", _describe_group(tier)
        if resized_tier is None and not tier.for_reserve:
            yield self.flag(
                tier.path,
                f"{name} is sized for {units} of {slots} reserved scalable units and cannot be sized for all: growth "
                "needs larger switches or a tier above",
                "add the tier above now, or lower `reserve`",
            )
        if resized_tier is None or resized_tier.count == tier.count:
            return
        difference = abs(_count_switches(resized) - _count_switches([design.fabric(f) for f in trials.names]))
        if tier.for_reserve:
            yield self.flag(
                tier.path,
                f"{name} is sized for all {slots} reserved scalable units: {tier.count}{group_text}, while "
                f"{resized_tier.count} are enough for {units}; growth moves no uplink, but costs "
                f"{_write_switches(difference, 'more')} now",
                f"`size_for: now` needs {_write_switches(difference, 'fewer')}",
            )
            return
        yield self.flag(
            tier.path,
            f"{name} is sized for {units} of {slots} reserved scalable units: {tier.count}{group_text} now, "
            f"{resized_tier.count} at {slots}{_describe_moved_uplinks(design, trials, tier)}",
            f"`size_for: reserve` needs {_write_switches(difference, 'more')} now, and growth then moves no uplink",
        )


def _may_lack_ports(design: Design, tier: TierDesign) -> bool:
    """Whether a tier with a stated count may lack ports for reserved units, since it numbers no ports for them."""
    if tier.lowest:
        feeds = [feed for fabric in design.fabrics for feed in fabric.feeds_of(tier.key)]
        return spans_units(tier.per) and not all(feed.by_slot for feed in feeds)
    return any(not uplink.by_slot for _, uplink in design.list_links_below(tier.key))


def _write_switches(count: int, comparative: str) -> str:
    return f"{count:,} {comparative} switch{'es' * (count != 1)}"


def _describe_group(tier: TierDesign) -> str:
    """Return what a tier has a group of switches for: ` a pod and rail`; "" if one group serves the whole fabric."""
    words = [word for word in (find_scope(tier.per), *list_inner_dimensions(tier.per)) if word != "all"]
    return f" a {' and '.join(words)}" if words else ""


def _find_same_tier(fabrics: Sequence[FabricDesign], tier: TierDesign) -> TierDesign | None:
    return next((trial for fabric in fabrics for trial in fabric.tiers if trial.key == tier.key), None)


def _count_switches(fabrics: Sequence[FabricDesign]) -> int:
    return sum(tier.switches for fabric in fabrics for tier in fabric.tiers)


def _describe_moved_uplinks(design: Design, trials: Trials, upper: TierDesign) -> str:
    """Return which uplinks move when growth first changes a tier's switch count, in words for the message.

    If several pods grow, the growth is that of all of them to their full reserve.
    """
    growing = {name: pod for name, pod in design.loaded.blueprint.pods.items() if pod.slots > pod.su}
    if len(growing) == 1:
        ((name, pod),) = growing.items()
        last_unchanged, grown_fabrics = _find_first_changing_growth(trials, upper, name, pod)
        threshold = f" past {last_unchanged}" if last_unchanged > 1 else ""
    else:
        grown_fabrics = trials.wire_fabrics({f"pods.{name}.su": pod.slots for name, pod in growing.items()})
        threshold = ""
    texts = []
    for lower, _ in design.list_links_below(upper.key):
        grown_lower = _find_same_tier(grown_fabrics, lower)
        if grown_lower and lower.up:
            moved = _count_moved_uplinks(lower, upper, grown_lower, _find_same_tier(grown_fabrics, upper))
            moved_text = "half" if 2 * moved == lower.up.count else f"{moved} of {lower.up.count}"
            texts.append(f"{moved_text} of the uplinks of each {lower.name} ({moved * lower.switches:,} links)")
    return f"; growth{threshold} moves {' and '.join(texts)}" if texts else ""


def _find_first_changing_growth(
    trials: Trials, upper: TierDesign, name: str, pod: Pod
) -> tuple[int, Sequence[FabricDesign]]:
    """Return (units of a pod up to which a tier keeps its switch count, the cluster's fabrics with one unit more)."""
    last_unchanged, first_changed, stride = pod.su, pod.slots, 1
    grown_fabrics: Sequence[FabricDesign] = ()
    # bisection with steps that double from today's size on, since the first change is mostly near it
    while first_changed - last_unchanged > 1:
        units = min(last_unchanged + stride, (last_unchanged + first_changed) // 2)
        fabrics = trials.wire_fabrics({f"pods.{name}.su": units})
        grown_upper = _find_same_tier(fabrics, upper)
        if grown_upper and grown_upper.count == upper.count:
            last_unchanged, stride = units, 2 * stride
        else:
            first_changed, grown_fabrics = units, fabrics
    return last_unchanged, grown_fabrics or trials.wire_fabrics({f"pods.{name}.su": first_changed})


def _count_moved_uplinks(
    lower: TierDesign, upper: TierDesign, grown_lower: TierDesign, grown_upper: TierDesign | None
) -> int:
    """Return how many uplinks of the first lower switch end on another switch or port once the tier has grown."""
    ends_by_stage = []
    for low, high in ((lower, upper), (grown_lower, grown_upper)):
        if low.uplink is None or low.up is None or high is None:
            return 0
        feed = high.find_feed(low.key)
        ports = make_run_ports(high, feed.run).list_ports_of(feed)
        dealt_ends = (low.uplink.find_dealt_end(0, k) for k in range(low.uplink.links_per_group))
        ends = dealt_ends if low.uplink.uneven else list_uplink_ends(low.uplink, low.up)
        ends_by_stage.append([(switch, ports[k]) for switch, k in ends])
    # uplinks of today are compared; those that growth adds have no partner in the shorter list
    return sum(old_end != new_end for old_end, new_end in zip(*ends_by_stage, strict=False))

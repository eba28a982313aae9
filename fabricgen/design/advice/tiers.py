"""Changes that make a tier large enough, each tried before it is named."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import islice
from typing import Any

from fabricgen.blueprint.dimensions import is_told, list_dimension_names, list_leg_dimensions
from fabricgen.blueprint.sections.fabric import TIER_LEVELS
from fabricgen.design.advice.switches import propose_larger_switches
from fabricgen.design.advice.trials import Advice, Target, Trials, propose_first, write_path
from fabricgen.design.fabric_model import TierDesign
from fabricgen.design.ports import count_needed
from fabricgen.kernel.diagnostics import Path

RATIOS = ("4:3", "3:2", "2:1", "3:1", "4:1", "6:1", "8:1")
"""Oversubscription ratios that are tried, the lowest first."""

LOWER_COUNTS = 3
"""How many counts just below the derived one are tried."""

MAX_UNITS = 32
"""The most units per pod that a proposal has."""


def advise_tier(trials: Trials, target: Target) -> Iterator[Advice]:
    """Yield all changes that make a tier large enough, the smallest change first."""
    proposals: tuple[Callable[[Trials, Target], Iterator[Advice]], ...] = (
        propose_count,
        propose_uneven_spread,
        propose_removals,
        propose_dimension,
        propose_oversubscription,
        propose_uplink_speeds,
        propose_breakout,
        propose_upper_tier,
        propose_smaller_pods,
        propose_larger_switches,
    )
    for propose in proposals:
        yield from propose(trials, target)


def propose_count(trials: Trials, target: Target) -> Iterator[Advice]:
    """Yield the smallest tried `count` of a tier that fits; nothing unless the tier states a count or has `peer`.

    Tried are half of the count that would be derived, the last few counts below that, and the derived count. If none
    can be derived, even counts up to 32 are tried for a tier with `peer`.
    """
    spec = target.spec
    if not (spec.spec.count or spec.spec.peer):
        return
    path = write_path(spec, "count")
    derived = trials.design_tier(spec.key, {path: None})
    # a count is derived together with others, so that a little less, or half of it, may fit if it is stated; switches
    # with peer links stand in pairs
    if derived:
        smaller_counts = sorted({derived.count // 2, *range(derived.count - LOWER_COUNTS, derived.count)})
        counts_to_try = [*(count for count in smaller_counts if count > (spec.spec.count or 0)), derived.count]
    else:
        counts_to_try = [2 * (half + 1) for half in range(16)] if spec.spec.peer else []
    note = " (no tier above joins them)" if not (spec.upper or target.lowers) else ""
    counts = (count for count in counts_to_try if count != spec.spec.count)
    advice = (Advice("count", f"`count: {count}` of {spec.name}{note}", {path: count}) for count in counts)
    yield from propose_first(trials, advice)


def propose_uneven_spread(trials: Trials, target: Target) -> Iterator[Advice]:
    """Yield `spread: uneven` for a tier that states its `count`, if the design then fits. It helps if the count does
    not divide the uplinks of a switch below.
    """
    path = write_path(target.spec, "spread")
    if target.spec.spec.count and target.lowers and trials.fits({path: "uneven"}):
        yield Advice("spread", f"`spread: uneven` of {target.spec.name}", {path: "uneven"})


def propose_removals(trials: Trials, target: Target) -> Iterator[Advice]:
    """Yield the removal of each setting that takes ports, if the design fits without it: `cages` and `spare_ports` of
    the tier, and stated `uplinks` of it or of tiers below. In place of removed `uplinks` the derived ones are stated.
    """
    settings_of_tier = [(target.spec, key) for key in ("cages", "spare_ports")]
    for spec, key in (*settings_of_tier, *((spec, "uplinks") for spec in target.linked_up_tiers)):
        if not getattr(spec.spec, key):
            continue
        path = write_path(spec, key)
        tier = trials.design_tier(spec.key, {path: None})
        if tier is None:
            continue
        if key == "uplinks" and tier.up:
            value = f"{tier.up.count} x {tier.up.speed_gbps}G"
            yield Advice(key, f"`uplinks: {value}` of {spec.name}", {path: value})
        else:
            yield Advice(key, f"no `{key}` for {spec.name}", {path: None})


def propose_dimension(trials: Trials, target: Target) -> Iterator[Advice]:
    """Yield the first further dimension for the `per` of a tier with which the design fits.

    `plane` is tried first if only this tier joins planes, since NICs keep them separate in any case; then `rail` and
    the other dimensions of NIC ports; then `su` and `pod` if a tier above joins these.
    """
    spec = target.spec
    place_dimensions = ("su", "pod") if spec.upper else ()
    plane_dimension = _list_plane_dimension(trials, target)
    for dimension in (
        *plane_dimension,
        *(d for d in list_leg_dimensions() if d not in plane_dimension),
        *place_dimensions,
    ):
        change = {write_path(spec, "per"): order_dimensions((*spec.spec.per, dimension))}
        if not is_told(dimension, spec.per) and trials.fits(change):
            # no tier above joins the values of the dimension, and the tiers below keep them apart
            unjoined = not spec.upper and dimension not in plane_dimension
            unjoined = unjoined and all(dimension in lower.per for lower in target.lowers)
            note = f" (then no link joins two {dimension}s)" if unjoined else ""
            yield Advice("per", f"`per: [{', '.join(change[write_path(spec, 'per')])}]` of {spec.name}{note}", change)
            return


def _list_plane_dimension(trials: Trials, target: Target) -> tuple[str, ...]:
    """Return ("plane",) if a fabric has several planes, and a tier joins them although all tiers below keep them apart;
    else ().
    """
    several = trials.blueprint.fabrics[target.spec.fabric].planes > 1
    joined = "plane" not in target.spec.per and all("plane" in lower.per for lower in target.lowers)
    return ("plane",) if several and joined else ()


def order_dimensions(per: tuple[str, ...]) -> list[str]:
    """Return the dimensions of `per` from wide to narrow, tier names last. A dimension that follows from another is
    left out, as `rail_group` beside `rail`.
    """
    all_names = list_dimension_names()
    per = tuple(d for d in per if not is_told(d, tuple(other_name for other_name in per if other_name != d)))
    return [*(d for d in all_names if d in per), *(d for d in per if d not in all_names)]


def propose_oversubscription(trials: Trials, target: Target) -> Iterator[Advice]:
    """Yield, for each tier whose uplinks matter, the lowest oversubscription with which they fit, if one does."""
    for spec in target.linked_up_tiers:
        path = write_path(spec, "oversubscription")
        higher_ratios = (text for text in RATIOS if Fraction(text.replace(":", "/")) > spec.allowed)
        advice = (
            Advice("oversubscription", f'`oversubscription: "{ratio}"` of {spec.name}', {path: ratio})
            for ratio in higher_ratios
        )
        yield from propose_first(trials, advice)


def propose_uplink_speeds(trials: Trials, target: Target) -> Iterator[Advice]:
    """Yield, for each tier whose uplinks matter, uplinks of the fastest speed that both ends offer and that fits; their
    number follows from the oversubscription.
    """
    for spec in target.linked_up_tiers:
        if spec.upper is None:
            continue
        upper_speeds = {speed for cage in trials.specs[spec.upper].profile.cages for speed in cage.speeds}
        common_speeds = {speed for cage in spec.profile.cages for speed in cage.speeds} & upper_speeds
        path = write_path(spec, "uplinks")
        for speed in sorted(common_speeds, reverse=True):
            tier = trials.design_tier(spec.key, {path: f"{speed}G"})
            if tier is not None and tier.up:
                value = f"{tier.up.count} x {speed}G"
                yield Advice("uplinks", f"`uplinks: {value}` of {spec.name}", {path: value})
                break


def propose_breakout(trials: Trials, target: Target) -> Iterator[Advice]:
    """Yield a breakout other than the only stated one: the finest that fits and disables no neighbouring cage."""
    spec = target.spec
    if len(spec.spec.breakout) != 1:
        return
    splits = [(cage, ways) for cage in spec.profile.cages for ways in cage.breakouts if cage.block(ways) == 1]
    modes = {(ways, speed) for cage, ways in splits for speed in cage.breakouts[ways]}
    texts = (f"{ways}x{speed}" for ways, speed in sorted(modes, reverse=True))
    path = write_path(spec, "breakout")
    yield from propose_first(
        trials, (Advice("breakout", f"`breakout: {text}G` of {spec.name}", {path: text}) for text in texts)
    )


def propose_upper_tier(trials: Trials, target: Target) -> Iterator[Advice]:
    """Yield a new tier (`spine` or `core`) of the same switch above a tier that is the top one, and group that tier by
    a place such as a pod. Nothing if the fabric has a tier of that name, or if no way to group them fits.
    """
    spec, fabric = target.spec, trials.blueprint.fabrics[target.spec.fabric]
    name = next((n for n in ("spine", "core") if TIER_LEVELS[n] > TIER_LEVELS.get(spec.name, 1)), None)
    if spec.upper or name is None or name in fabric.tiers or spec.spec.below:
        return
    for per, upper_per, pods in _list_upper_groupings(trials, target):
        tier: dict[str, Any] = {"switch": spec.profile.id, "per": list(upper_per)}
        # a tier without a usual name has no usual level: the new tier says that it is above it
        if spec.name not in TIER_LEVELS:
            tier["above"] = spec.name
        change: dict[str, Any] = {write_path(spec, "per"): list(per)} if per != spec.per else {}
        change |= {write_path(spec, "count"): None} if spec.spec.count else {}
        change |= {f"fabrics.{spec.fabric}.tiers.{name}": tier, **pods}
        all_tiers = [tier for f in trials.find_outcome(change) for tier in f.tiers]
        if all_tiers:
            tiers_of_fabric = [tier for tier in all_tiers if tier.fabric == spec.fabric]
            lower_tiers, upper_tiers = (
                [tier for tier in tiers_of_fabric if tier.name == tier_name] for tier_name in (spec.name, name)
            )
            further_changes = [f"{spec.name} `per: [{', '.join(per)}]`"] if per != spec.per else []
            further_changes += [f"no `count` of {spec.name}"] if write_path(spec, "count") in change else []
            further_changes += [write_pods(pods)] if pods else []
            per_text = f", per: [{', '.join(upper_per)}]" if upper_per else ""
            text = (
                f"a tier above: `{name}: {{switch: {spec.profile.id}{per_text}}}`{' with ' if further_changes else ''}"
                f"{' and '.join(further_changes)}: {sum(t.switches for t in lower_tiers)} {spec.name}, "
                f"{sum(t.switches for t in upper_tiers)} {name} switches{describe_reach(upper_tiers[0], all_tiers)}"
            )
            yield Advice("tier", text, change)
            return


def write_pods(change: Mapping[str, Any]) -> str:
    """Return a change of pods as a line of YAML."""
    name = next(iter(change)).split(".")[1]
    return f"`pods: {{{name}: {{su: {change[f'pods.{name}.su']}, count: {change[f'pods.{name}.count']}}}}}`"


def list_smaller_pods(trials: Trials) -> Iterator[dict[str, Any]]:
    """Yield changes to the same units in more pods, the largest pods first; nothing if there are several entries of
    `pods`, or if the only one has a reserve or nodes of its own.
    """
    pods = trials.blueprint.pods
    ((name, pod), *more_pods) = pods.items()
    if more_pods or pod.reserve or pod.nodes:
        return
    for units in range(min(MAX_UNITS, pod.su - 1), 1, -1):
        if pod.su % units == 0:
            count = (pod.count or 1) * pod.su // units
            yield {f"pods.{name}.su": units, f"pods.{name}.count": count}


def propose_smaller_pods(trials: Trials, target: Target) -> Iterator[Advice]:
    """Yield pods that are smaller than the stated ones: the largest with which the tier fits, if it is grouped by pod
    and has tiers below. Stated counts of tiers are removed too if it fits only then.
    """
    spec = target.spec
    removed_counts = (
        {write_path(other_spec, "count"): None for other_spec in trials.specs.values() if other_spec.spec.count}
        if spec.upper
        else {}
    )
    for pods in list_smaller_pods(trials) if "pod" in spec.per and target.lowers else ():
        for change in (pods, pods | removed_counts):
            if trials.fits(change):
                without_counts = " and ".join(
                    f"{path.split('.')[3]} `count`" for path in change if path in removed_counts
                )
                yield Advice(
                    "pods", write_pods(pods) + (f" without {without_counts}" if without_counts else ""), change
                )
                return


def _list_upper_groupings(
    trials: Trials, target: Target
) -> Iterator[tuple[tuple[str, ...], tuple[str, ...], Mapping[str, Any]]]:
    """Yield ways to group a tier and a new tier above it, as published three-tier designs do: (`per` of the tier, `per`
    of the tier above, change of pods by dotted path, perhaps empty).
    """
    spec = target.spec
    legs = tuple(d for d in list_leg_dimensions() if d in (*spec.per, *_list_plane_dimension(trials, target)))
    # of leaves, either both tiers are grouped by the dimensions of legs, or the tier above joins all leaves
    if not target.lowers:
        tier_per = order_dimensions((*spec.per, *(d for d in legs if d not in spec.per)))
        yield from ((tuple(tier_per), legs, {}), (spec.per, (), {}))
        return
    rail_dimension = ("rail",) if any("rail" in lower.per for lower in target.lowers) and "rail" not in legs else ()
    place_dimensions: list[tuple[str, Mapping[str, Any]]] = [
        ("su", {}),
        *(("pod", pods) for pods in list_smaller_pods(trials)),
    ]
    if len(trials.context.layout.pods) > 1:
        place_dimensions.insert(0, ("pod", {}))
    for dimension, pods in place_dimensions:
        yield (dimension, *legs), (*legs, spec.name), pods
        if rail_dimension:
            yield (dimension, *legs, *rail_dimension), (*legs, *rail_dimension), pods


def describe_reach(top: TierDesign, tiers: Sequence[TierDesign]) -> str:
    """Return in words how many endpoints a non-blocking Clos of one switch model can have, for switches of R ports:
    R^2/2 in two tiers, R^3/4 in three; "" for other numbers of tiers, and if tiers differ in their switch or speed.
    """
    run, levels = top.downs[0], {2: "two", 3: "three"}
    alike = all(t.profile == top.profile and t.downs[0].speed_gbps == run.speed_gbps for t in tiers if t.downs)
    if not alike or len(tiers) not in levels:
        return ""
    radix = top.profile.count_split_ports(run.cage_class, run.ways)
    # half of the ports of each tier below the top lead up
    endpoints: int = 2 * (radix // 2) ** len(tiers)
    return f"; {levels[len(tiers)]} tiers of {radix} x {run.speed_gbps}G reach {endpoints:,} endpoints"


def list_fitting_values(
    trials: Trials,
    path: Path,
    values: Iterable[Any],
    max_values: int = 3,
    tries: int = 12,
    fits: Callable[[Trials, Mapping[str, Any]], bool] = Trials.fits,
) -> list[str]:
    """Return up to `max_values` values of the setting at a path that fit, as text, in their order; only the first
    `tries` values are tried.
    """
    dotted = ".".join(str(key) for key in path)
    return [
        str(value)
        for value in islice((value for value in islice(values, tries) if fits(trials, {dotted: value})), max_values)
    ]


def find_fewest_uplinks(trials: Trials, tier: TierDesign, tries: int = 8) -> str:
    """Return the fewest uplinks of a sized tier that stay within its oversubscription, divide equally and fit the
    ports.

    They are in blueprint notation, `24 x 400G`; "" if none of the first `tries` numbers fits.
    """
    if tier.up is None or tier.uplink is None:
        return ""
    speed = tier.up.speed_gbps
    needed = count_needed(sum(run.bandwidth_gbps for run in tier.downs), speed, tier.allowed)
    # first counts with as many for every upper switch, else as many for every group
    for step in (tier.uplink.upper_groups * tier.uplink.upper_count, tier.uplink.upper_groups):
        counts = range(-(-needed // step) * step, needed + tries * step, step)
        texts = (f"{count} x {speed}G" for count in counts)
        fitting = list_fitting_values(trials, (*tier.path, "uplinks"), texts, max_values=1, tries=tries)
        if fitting:
            return fitting[0]
    return ""

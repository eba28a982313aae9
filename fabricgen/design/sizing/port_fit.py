"""Why ports do not fit a switch: no such port, too few lanes, pipeline limits, cages disabled by a breakout."""

from __future__ import annotations

from fabricgen.catalog.models import CageClass, SwitchProfile
from fabricgen.design.ports import PortDemand, PortKind, SwitchDemand, find_down_class, place_ports
from fabricgen.design.tiers import TierSpec
from fabricgen.kernel.diagnostics import InputError, fault


def explain_no_port(tier: TierSpec, kind: PortKind) -> InputError:
    """Return the error for a kind of port that a switch does not offer: its speed (FG103), its lanes with the stated
    breakout (FG119), or none of several stated breakouts (FG141).
    """
    breakout, profile = tier.spec.find_breakout(kind.speed_gbps), tier.profile
    path = (*tier.path, "breakout" if tier.spec.breakout else "switch")
    if len(tier.spec.breakout) > 1 and breakout is None:
        return _explain_no_breakout(tier, kind)
    # else the only stated breakout, if there is one, which makes ports of another speed
    breakout = breakout or next(iter(tier.spec.breakout), None)
    breakout_text = f" split {breakout.ways} x {breakout.speed_gbps}G" if breakout else ""
    cage_without_lanes = _find_cage_without_lanes(tier, kind)
    if cage_without_lanes is not None and breakout:
        return fault(
            "FG119",
            f"{tier.name} {profile.id}:{breakout_text} for ports over {kind.lane_gbps:g}G lanes takes "
            f"{breakout.ways * -(-kind.speed_gbps // kind.lane_gbps):g} lanes, a {cage_without_lanes.form_factor} cage "
            f"has {cage_without_lanes.lanes}",
            path=path,
        )
    return fault(
        "FG103",
        f"{tier.name} {profile.id} has no cage{breakout_text} for {kind.speed_gbps}G ports over {kind.lane_gbps:g}G "
        f"lanes; it offers {_describe_modes(profile) if breakout else profile.speeds_text}",
        path=path,
    )


def _explain_no_breakout(tier: TierSpec, kind: PortKind) -> InputError:
    """Return the error (FG141) for a kind of port that none of several stated breakouts makes, with the breakout to
    add.
    """
    class_and_ways = find_down_class(tier.profile, PortDemand(kind, 0))
    stated_modes = ", ".join(f"{mode.ways} x {mode.speed_gbps}G" for mode in tier.spec.breakout)
    completed = f"[{stated_modes}, {class_and_ways[1]} x {kind.speed_gbps}G]" if class_and_ways else ""
    return fault(
        "FG141",
        f"{tier.name} {tier.profile.id} needs ports of {kind.speed_gbps}G over {kind.lane_gbps:g}G lanes, and "
        f"`breakout` makes {stated_modes}",
        path=(*tier.path, "breakout"),
        hint=f"add it: `breakout: {completed}`" if completed else f"its cages offer {_describe_modes(tier.profile)}",
    )


def _find_cage_without_lanes(tier: TierSpec, kind: PortKind) -> CageClass | None:
    """Return a cage that offers the stated breakout at the speed of a port that does not fit, so that its lanes must be
    too few; None if no breakout is stated for the speed, or if no cage offers it.
    """
    mode = tier.spec.find_breakout(kind.speed_gbps)
    if mode is None:
        return None
    return next((cage for cage in tier.profile.cages if kind.speed_gbps in cage.breakouts.get(mode.ways, ())), None)


def _describe_modes(profile: SwitchProfile) -> str:
    """Return the breakouts of a switch's cages, each with its fastest ports: `1 x 800G, 2 x 400G`."""
    all_ways = {ways for cage in profile.cages for ways in cage.breakouts}
    fastest = {
        ways: max(max(cage.breakouts[ways]) for cage in profile.cages if ways in cage.breakouts) for ways in all_ways
    }
    return ", ".join(f"{ways} x {speed}G" for ways, speed in sorted(fastest.items()))


def describe_kept_ports(tier: TierSpec) -> str:
    """Return in words the settings that keep ports of a tier's switches free; "" if there are none."""
    words = ["in the cages that `cages` keeps"] if tier.spec.cages else []
    words += [f"beside {tier.spec.spare_ports} `spare_ports`"] if tier.spec.spare_ports else []
    words += (
        [f"beside `reserved_ports` for {', '.join(sorted(reserved))}"] if (reserved := tier.spec.reserved_ports) else []
    )
    return " " + " and ".join(words) if words else ""


def explain_short_range(tier: TierSpec, demand: SwitchDemand) -> InputError | None:
    """Return the error (FG138) for the first purpose of down ports for which the tier's `cages` keeps too few cages;
    None if all purposes have enough.
    """
    for down in demand.downs:
        purpose, class_and_ways = down.kind.purpose, find_down_class(tier.profile, down)
        ports_kept = count_ports_for(tier, *class_and_ways, purpose) if class_and_ways and purpose else down.needed
        if ports_kept < down.needed:
            return fault(
                "FG138",
                f"`{purpose}` keeps {len(tier.cages[purpose])} cages of {tier.name} {tier.profile.id}, which make "
                f"{ports_kept} ports of {down.kind.speed_gbps}G; {down.needed} are asked for",
                path=(*tier.path_of("cages"), purpose),
                hint="keep more cages, or state more switches (`count`)",
            )
    return None


def explain_misfit(tier: TierSpec, demand: SwitchDemand) -> tuple[str, str]:
    """Return (code, cause in words) for ports that do not fit: limits of pipelines (FG120), cages disabled by a
    breakout (FG121), or too few ports (FG101, with "").
    """
    profile = tier.profile
    if profile.pipelines and place_ports(profile.model_copy(update={"pipelines": None}), demand):
        cages = len(profile.pipelines.cages[0])
        return "FG120", f": a pipeline of {cages} cages serves {profile.pipelines.ports} ports at most"
    ways = max((mode.ways for mode in tier.spec.breakout), default=1)
    blocking_cage = next((cage for cage in profile.cages if cage.block(ways) > 1), None)
    if blocking_cage:
        unblocked_cages = tuple(cage.model_copy(update={"breakout_blocks": {}}) for cage in profile.cages)
        if place_ports(profile.model_copy(update={"cages": unblocked_cages}), demand):
            disabled = "the next one" if blocking_cage.block(ways) == 2 else f"the next {blocking_cage.block(ways) - 1}"
            return "FG121", f": a cage split into {ways} disables {disabled}, in blocks from the first cage on"
    return "FG101", ""


def count_ports_for(tier: TierSpec, cage_class: int, ways: int, role: str) -> int:
    """Return how many ports for a role (`up`, `down.storage` and so on) the cages of a class make if each is split into
    `ways`. Cages that are kept for the role count; if none are, all cages that are neither kept for another role nor
    reserved.

    Only whole blocks of cages count, as a split cage disables the others of its block.
    """
    profile, cage_class_profile, ranges = tier.profile, tier.profile.cages[cage_class], tier.cages
    first_cage, block_size = profile.find_first_cage(cage_class), cage_class_profile.block(ways)
    cages_of_others = {cage for other_role, numbers in ranges.items() if other_role != role for cage in numbers}
    cages_of_others |= set(tier.reserved_cages)
    usable_cages = {
        cage
        for cage in range(first_cage, first_cage + cage_class_profile.count)
        if (cage in ranges[role] if role in ranges else cage not in cages_of_others)
    }
    # The first cages of blocks: cages that can only be split together, so that all of them must be usable.
    whole_blocks = (
        cage
        for cage in range(first_cage, first_cage + cage_class_profile.count, block_size)
        if usable_cages.issuperset(range(cage, cage + block_size))
    )
    return len(list(profile.list_served_cages(whole_blocks, ways, {}))) * ways


def explain_no_count(spec: TierSpec) -> InputError:
    """Return the error (FG110) for a tier whose number of switches follows from nothing."""
    return fault(
        "FG110",
        f"tier {spec.name} has no nodes below it, and no `count`",
        path=spec.path,
        hint="state how many switches a group has",
    )

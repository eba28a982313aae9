"""Why ports do not fit a switch: no such port, too few lanes, pipeline limits, cages disabled by a breakout."""

from __future__ import annotations

from fabricgen.catalog.models import CageClass, SwitchProfile
from fabricgen.design.ports import PortDemand, PortKind, SwitchDemand, find_down_class, place_ports
from fabricgen.design.tiers import TierSpec
from fabricgen.kernel.diagnostics import InputError, fault


def explain_no_port(tier: TierSpec, kind: PortKind) -> InputError:
    """The error for a kind of port that a switch does not offer, or whose lanes its cages lack with the stated
    breakout.
    """
    stated, profile = tier.spec.find_breakout(kind.speed_gbps), tier.profile
    path = (*tier.path, "breakout" if tier.spec.breakout else "switch")
    if len(tier.spec.breakout) > 1 and stated is None:
        return _explain_no_breakout(tier, kind)
    stated = stated or next(iter(tier.spec.breakout), None)
    split = f" split {stated.ways} x {stated.speed_gbps}G" if stated else ""
    short = _find_cage_without_lanes(tier, kind)
    if short is not None and stated:
        return fault(
            "FG119",
            f"{tier.name} {profile.id}:{split} for ports over {kind.lane_gbps:g}G lanes takes "
            f"{stated.ways * -(-kind.speed_gbps // kind.lane_gbps):g} lanes, a {short.form_factor} cage has "
            f"{short.lanes}",
            path=path,
        )
    return fault(
        "FG103",
        f"{tier.name} {profile.id} has no cage{split} for {kind.speed_gbps}G ports over {kind.lane_gbps:g}G "
        f"lanes; it offers {_describe_modes(profile) if stated else profile.speeds_text}",
        path=path,
    )


def _explain_no_breakout(tier: TierSpec, kind: PortKind) -> InputError:
    """The error for a kind of port that none of several stated breakouts makes; it offers the finest that would."""
    usual = find_down_class(tier.profile, PortDemand(kind, 0))
    stated_modes = ", ".join(f"{mode.ways} x {mode.speed_gbps}G" for mode in tier.spec.breakout)
    completed = f"[{stated_modes}, {usual[1]} x {kind.speed_gbps}G]" if usual else ""
    return fault(
        "FG141",
        f"{tier.name} {tier.profile.id} needs ports of {kind.speed_gbps}G over {kind.lane_gbps:g}G lanes, and "
        f"`breakout` makes {stated_modes}",
        path=(*tier.path, "breakout"),
        hint=f"add it: `breakout: {completed}`" if completed else f"its cages offer {_describe_modes(tier.profile)}",
    )


def _find_cage_without_lanes(tier: TierSpec, kind: PortKind) -> CageClass | None:
    """A cage that offers the stated breakout at that speed, but over more or faster lanes than the ports have."""
    mode = tier.spec.find_breakout(kind.speed_gbps)
    if mode is None:
        return None
    return next((cage for cage in tier.profile.cages if kind.speed_gbps in cage.breakouts.get(mode.ways, ())), None)


def _describe_modes(profile: SwitchProfile) -> str:
    """The ways that its cages can be split, each with its fastest ports: `1 x 800G, 2 x 400G`."""
    ways_there = {ways for cage in profile.cages for ways in cage.breakouts}
    fastest = {w: max(max(c.breakouts[w]) for c in profile.cages if w in c.breakouts) for w in ways_there}
    return ", ".join(f"{ways} x {speed}G" for ways, speed in sorted(fastest.items()))


def describe_kept_ports(tier: TierSpec) -> str:
    """The settings that keep ports of a tier's switches free, in words."""
    words = ["in the cages that `cages` keeps"] if tier.spec.cages else []
    words += [f"beside {tier.spec.spare_ports} `spare_ports`"] if tier.spec.spare_ports else []
    words += (
        [f"beside `reserved_ports` for {', '.join(sorted(reserved))}"] if (reserved := tier.spec.reserved_ports) else []
    )
    return " " + " and ".join(words) if words else ""


def explain_short_range(tier: TierSpec, demand: SwitchDemand) -> InputError | None:
    """The error (FG138) for down ports whose own range of cages is too short; None where all suffice."""
    for down in demand.downs:
        purpose, chosen = down.kind.purpose, find_down_class(tier.profile, down)
        ports_there = count_ports_for(tier, *chosen, purpose) if chosen and purpose else down.needed
        if ports_there < down.needed:
            return fault(
                "FG138",
                f"`{purpose}` keeps {len(tier.cages[purpose])} cages of {tier.name} {tier.profile.id}, which make "
                f"{ports_there} ports of {down.kind.speed_gbps}G; {down.needed} are asked for",
                path=(*tier.path_of("cages"), purpose),
                hint="keep more cages, or state more switches (`count`)",
            )
    return None


def explain_misfit(tier: TierSpec, demand: SwitchDemand) -> tuple[str, str]:
    """(code, cause in words) of ports that do not fit: pipeline limits, cages disabled by a breakout, or the radix."""
    profile = tier.profile
    if profile.pipelines and place_ports(profile.model_copy(update={"pipelines": None}), demand):
        cages = len(profile.pipelines.cages[0])
        return "FG120", f": a pipeline of {cages} cages serves {profile.pipelines.ports} ports at most"
    ways = max((mode.ways for mode in tier.spec.breakout), default=1)
    blocking = next((cage for cage in profile.cages if cage.block(ways) > 1), None)
    if blocking:
        free = tuple(cage.model_copy(update={"breakout_blocks": {}}) for cage in profile.cages)
        if place_ports(profile.model_copy(update={"cages": free}), demand):
            disabled = "the next one" if blocking.block(ways) == 2 else f"the next {blocking.block(ways) - 1}"
            return "FG121", f": a cage split into {ways} disables {disabled}, in blocks from the first cage on"
    return "FG101", ""


def count_ports_for(tier: TierSpec, cage_class: int, ways: int, role: str) -> int:
    """Ports for a role that the cages of a class make with this split."""
    profile, cages, ranges = tier.profile, tier.profile.cages[cage_class], tier.cages
    first, step = profile.find_first_cage(cage_class), cages.block(ways)
    cages_of_others = {c for other_role, numbers in ranges.items() if other_role != role for c in numbers}
    cages_of_others |= set(tier.reserved_cages)
    own_cages = {
        c
        for c in range(first, first + cages.count)
        if (c in ranges[role] if role in ranges else c not in cages_of_others)
    }
    whole_blocks = (c for c in range(first, first + cages.count, step) if own_cages.issuperset(range(c, c + step)))
    return len(list(profile.list_served_cages(whole_blocks, ways, {}))) * ways


def explain_no_count(spec: TierSpec) -> InputError:
    """The refusal of a tier whose number of switches nothing tells."""
    return fault(
        "FG110",
        f"tier {spec.name} has no nodes below it, and no `count`",
        path=spec.path,
        hint="state how many switches a group has",
    )

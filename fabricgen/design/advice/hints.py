"""Hints for refused blueprints: each names changes that were tried and fit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from fabricgen.blueprint.scalars import ALL_KINDS
from fabricgen.catalog.models import NicRole
from fabricgen.design.advice.switches import list_alternative_switches, propose_larger_switches, propose_switches
from fabricgen.design.advice.tiers import (
    advise_tier,
    order_dimensions,
    propose_breakout,
    propose_count,
    propose_uplink_speeds,
)
from fabricgen.design.advice.trials import Advice, Target, Trials, find_target, propose_first
from fabricgen.design.fabric_model import FabricDesign, TierKey
from fabricgen.design.tiers import TierSpec
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Severity

NO_SINGLE_CHANGE = "no single change of count, `per`, oversubscription, speed or switch fits: combine some"

TOO_SMALL = ("FG101", "FG120", "FG121")
"""Codes of switches with too few ports: by radix, by pipelines, or because a breakout disables cages."""

SHORTAGES = (*TOO_SMALL, "FG132")
"""Codes of a blueprint that only lacks ports."""


def add_hints(error: InputError, trials: Trials) -> InputError:
    """Return the same error with hints that name changes that fit, if any was found."""
    diagnostics = [_add_hint(diagnostic, trials) for diagnostic in error.diagnostics]
    short = any(diagnostic.code in TOO_SMALL for diagnostic in diagnostics)
    return InputError([*(find_joined_planes(trials) if short else ()), *diagnostics])


def find_joined_planes(trials: Trials) -> Iterator[Diagnostic]:
    """Yield a fault (FG132) for each tier whose switches serve all planes of their fabric, as its `per` lacks `plane`.
    It is for blueprints that are refused for too few ports: joined planes are a cause, and are reported before the
    shortage.
    """
    for spec in trials.specs.values():
        planes = trials.blueprint.fabrics[spec.fabric].planes
        if planes > 1 and "plane" not in spec.per:
            per = ", ".join(order_dimensions((*spec.spec.per, "plane")))
            yield Diagnostic(
                "FG132",
                Severity.ERROR,
                f"{spec.fabric} has {planes} planes, and each {spec.name} switch serves all of them, with the ports of "
                f"{planes}",
                (*spec.path, "per"),
                f"say `per: [{per}]` of {spec.name}, so that each plane has switches of its own",
            )


def _add_hint(diagnostic: Diagnostic, trials: Trials) -> Diagnostic:
    """Return a finding with a hint that names changes which make the design fit. If none does, and all were tried, the
    hint says that no single change does; else the finding is returned as it is.
    """
    changes = find_advice(diagnostic, trials)
    if changes:
        return replace(diagnostic, hint=write_hint(changes))
    all_tried = diagnostic.code in TOO_SMALL and not trials.exhausted
    return replace(diagnostic, hint=NO_SINGLE_CHANGE) if all_tried else diagnostic


def find_advice(diagnostic: Diagnostic, trials: Trials) -> tuple[Advice, ...]:
    """Return changes each of which makes the refused part of the blueprint fit; empty if none was found."""
    match diagnostic.code, diagnostic.path:
        case "FG101" | "FG103" | "FG107" | "FG119" | "FG120" | "FG121" as code, (
            "fabrics",
            str(fabric),
            "tiers",
            str(tier),
            *_,
        ):
            target = find_target(trials, TierKey(fabric, tier))
            changes = _advise_tier(code, trials, target) if target else iter(())
        case "FG102" | "FG103", ("fabrics", str(fabric), "extra", str(name), *_):
            changes = advise_extra_speed(trials, fabric, name)
        case "FG104", ("fabrics", str(fabric), "extra", str(name), *_):
            changes = advise_extra_ports(trials, fabric, name)
        case ("FG102", ("fabrics", str(fabric), *_)) | ("FG103", ("fabrics", str(fabric))):
            changes = advise_nodes(trials, fabric)
        case "FG103", ("fabrics", str(fabric), "speed" | "nic" | "attach"):
            changes = advise_nodes(trials, fabric)
        case _:
            return ()
    distinct: dict[str, Advice] = {}
    for advice in changes:
        distinct.setdefault(repr(advice.set), advice)
    return tuple(distinct.values())


def _advise_tier(code: str, trials: Trials, target: Target) -> Iterator[Advice]:
    """Yield changes for a tier that is too small, has no speed in common with another, or cannot be paired."""
    if code in TOO_SMALL:
        yield from advise_tier(trials, target)
    elif code == "FG107":
        yield from propose_count(trials, target)
    else:
        yield from propose_uplink_speeds(trials, target)
        yield from propose_breakout(trials, target)
        yield from propose_switches(trials, target.spec, list_alternative_switches(trials, target.spec))


def write_hint(changes: tuple[Advice, ...]) -> str:
    """Return advice as the text of a hint; switches proposed for the same tiers are joined in one list."""
    texts = [advice.text for advice in changes if advice.kind != "switch"]
    switch_names = [advice.text.partition(" as ") for advice in changes if advice.kind == "switch"]
    if switch_names:
        texts.append(f"`switch:` {' or '.join(name for name, _, _ in switch_names)} as {switch_names[0][2]}")
    return f"{'this fits' if len(texts) == 1 else 'each of these fits'}: {'; '.join(texts)}"


# Changes for nodes or extra devices that cannot attach: speeds, NIC modes, planes, switches, free ports.

MAX_COUNTS = 16
"""How many larger counts of a tier are tried to make room for extra devices."""
MAX_OMITTED = 4
"""How many node slots are given up at most for extra devices."""


def find_leaf(trials: Trials, fabric: str) -> TierSpec | None:
    """Return the tier that nodes of a fabric attach to; None if there is none."""
    owner = trials.blueprint.fabrics[fabric].carried_by or fabric
    return next((spec for spec in trials.specs.values() if spec.fabric == owner and spec.takes_nodes), None)


def advise_nodes(trials: Trials, fabric: str) -> Iterator[Advice]:
    """Yield changes that let the nodes of a fabric attach."""
    yield from propose_node_speeds(trials, fabric)
    yield from propose_nic_modes(trials, fabric)
    yield from propose_fewer_planes(trials, fabric)
    yield from propose_leaf_switches(trials, fabric)


def _list_nic_roles(trials: Trials, fabric: str) -> list[NicRole]:
    name = trials.blueprint.fabrics[fabric].attach or fabric
    sets = trials.context.layout.node_sets
    return [nodes.profile.roles[name] for nodes in sets if nodes.attaches_to(fabric, name)]


def propose_node_speeds(trials: Trials, fabric: str) -> Iterator[Advice]:
    """Yield the fastest speed of node links that both ends offer if NIC ports stay split as they are."""
    path = f"fabrics.{fabric}.speed"
    # the speeds of a port, for every split of every NIC
    offered_speeds = {
        speed_of_port // ways
        for role in _list_nic_roles(trials, fabric)
        for speed_of_port in role.speeds
        for ways in role.splits
    }
    speeds = (f"{speed}G" for speed in sorted(offered_speeds, reverse=True))
    candidates = (Advice("speed", f"`speed: {speed}`", {path: speed}) for speed in speeds)
    yield from _propose_first_with_speeds(trials, fabric, candidates)


def _propose_first_with_speeds(
    trials: Trials, fabric: str, candidates: Iterable[Advice], extra: str = ""
) -> Iterator[Advice]:
    """Yield the first of `candidates` that fits, if one does. Its text ends with the nodes, or the devices of the extra
    entry named `extra`, that it would leave below the speed of their NICs.
    """
    for advice in candidates:
        if fabrics := trials.find_outcome(advice.set):
            yield advice._replace(text=advice.text + _describe_slowed_nodes(fabrics, fabric, extra))
            return


def propose_nic_modes(trials: Trials, fabric: str) -> Iterator[Advice]:
    """Yield the first NIC mode with which the nodes attach at full speed: one mode for all kinds of nodes, else one for
    each kind; else the first mode that fits at all.
    """
    path = f"fabrics.{fabric}.nic"
    modes = {
        # (ports that a NIC is split into, Gb/s of each)
        (ways, speed // ways)
        for role in _list_nic_roles(trials, fabric)
        for speed in role.speeds
        for ways in role.splits
        if speed % ways == 0
    }
    # fewest ports first, then the fastest: the smallest change of the NIC comes first
    changes: list[Any] = [f"{ways}x{speed}" for ways, speed in sorted(modes, key=lambda mode: (mode[0], -mode[1]))]
    slower_advice = None
    for mode in [*changes, *_propose_modes_of_kinds(trials, fabric)]:
        text = mode if isinstance(mode, str) else f"{{{', '.join(f'{kind}: {split}' for kind, split in mode.items())}}}"
        if fabrics := trials.find_outcome({path: mode}):
            slowed = _describe_slowed_nodes(fabrics, fabric)
            advice = Advice("nic", f"`nic: {text}`{slowed}", {path: mode})
            if not slowed:
                yield advice
                return
            # the first mode that fits at all, in case none keeps the speed
            slower_advice = slower_advice or advice
    if slower_advice:
        yield slower_advice


def _propose_modes_of_kinds(trials: Trials, fabric: str) -> Iterator[dict[str, str]]:
    """Yield one NIC mode for each node profile, by profile id, such as `2x200`: two ports of 200G. The number of ports
    is the nearest to the stated one that divides the full speed of a NIC port. Nothing if only one profile attaches.
    """
    stated_modes, name = trials.blueprint.fabrics[fabric].nic, trials.blueprint.fabrics[fabric].attach or fabric
    node_sets = [nodes for nodes in trials.context.layout.node_sets if nodes.attaches_to(fabric, name)]
    mode_of_profile = {
        nodes.profile.id: (stated_modes.get(nodes.profile.id) or stated_modes.get(ALL_KINDS)) for nodes in node_sets
    }
    modes = {}
    for nodes in node_sets:
        role, mode = nodes.profile.roles[name], mode_of_profile[nodes.profile.id]
        splits = [split for split in role.splits if max(role.speeds) % split == 0]
        split = min(splits, key=lambda split: (abs(split - (mode.ways if mode else 1)), split), default=1)
        modes[nodes.profile.id] = f"{split}x{max(role.speeds) // split}"
    if len(modes) > 1:
        yield modes


def _describe_slowed_nodes(fabrics: Sequence[FabricDesign], name: str, extra: str = "") -> str:
    """Return in words, as the end of a sentence, which nodes (or devices of an `extra`) a change would leave below the
    speed of their NICs; "" for none.
    """
    fabric = next(fabric for fabric in fabrics if fabric.name == name)
    extras = [device.attachment for device in fabric.extras if device.name == extra]
    attachments = {a.profile.id: a for a in (extras if extra else [attached for _, attached in fabric.attachments])}
    slow = [
        f"{kind} has {gbps} of {port_gbps} Gb/s at each port"
        for kind, a in sorted(attachments.items())
        if (gbps := a.speed_gbps * a.links_per_connector) < (port_gbps := max(a.profile.roles[a.role].speeds))
    ]
    return f" ({', '.join(slow)} then)" if slow else ""


def propose_fewer_planes(trials: Trials, fabric: str) -> Iterator[Advice]:
    """Yield the largest number of planes, below the stated one, over which the NIC ports can be split."""
    path = f"fabrics.{fabric}.planes"
    fewer = range(trials.blueprint.fabrics[fabric].planes - 1, 0, -1)
    candidates = (Advice("planes", f"`planes: {planes}`", {path: planes}) for planes in fewer)
    yield from _propose_first_with_speeds(trials, fabric, candidates)


def propose_leaf_switches(trials: Trials, fabric: str) -> Iterator[Advice]:
    """Yield switches of the same protocol that the nodes can attach to, the smallest first."""
    leaf = find_leaf(trials, fabric)
    if leaf is not None:
        yield from propose_switches(trials, leaf, list_alternative_switches(trials, leaf))


def advise_extra_speed(trials: Trials, fabric: str, name: str) -> Iterator[Advice]:
    """Yield changes that give extra devices a port speed: the fastest one that fits, or another tier."""
    extra = trials.blueprint.fabrics[fabric].extra[name]
    profile = trials.context.catalog.node(extra.device)
    path = f"fabrics.{fabric}.extra.{name}.speed"
    offered_speeds = sorted({speed for role in profile.roles.values() for speed in role.speeds}, reverse=True)
    candidates = (Advice("speed", f"`speed: {speed}G` of {name}", {path: f"{speed}G"}) for speed in offered_speeds)
    yield from _propose_first_with_speeds(trials, fabric, candidates, name)
    yield from _propose_other_tier(trials, fabric, name)


def advise_extra_ports(trials: Trials, fabric: str, name: str) -> Iterator[Advice]:
    """Yield changes that leave ports free for extra devices, the smallest change first."""
    leaf = find_leaf(trials, fabric)
    owner = leaf.fabric if leaf else fabric
    extra = trials.blueprint.fabrics[fabric].extra[name]
    spec = trials.specs.get(TierKey(owner, extra.to)) if extra.to else leaf
    yield from propose_omissions(trials)
    if spec is not None:
        yield from propose_more_switches(trials, spec, f"fabrics.{fabric}.extra.{name}")
    yield from _propose_other_tier(trials, fabric, name)
    target = find_target(trials, spec.key) if spec else None
    if target is not None:
        yield from propose_larger_switches(trials, target)


def propose_omissions(trials: Trials) -> Iterator[Advice]:
    """Yield an `omit` that gives up the last node slots of the last unit that are not omitted yet: as few as fit, and
    four at most.
    """
    blueprint = trials.blueprint
    pod, nodes = trials.context.layout.pods[-1], sum(node_set.count for node_set in trials.context.layout.node_sets)
    unit, last_unit = f"{pod.name}/su-last", f"{pod.name}/su-{pod.su}"
    omitted = {slot.replace(unit, last_unit).replace("node-last", f"node-{nodes}") for slot in blueprint.omit}
    free_nodes = [number for number in range(nodes, 1, -1) if f"{last_unit}/node-{number}" not in omitted][:MAX_OMITTED]
    slots = [f"{unit}/node-{'last' if number == nodes else number}" for number in free_nodes]
    omissions = ([*blueprint.omit, *slots[:number]] for number in range(1, len(slots) + 1))
    yield from propose_first(
        trials, (Advice("omit", f"`omit: [{', '.join(omission)}]`", {"omit": omission}) for omission in omissions)
    )


def propose_more_switches(trials: Trials, spec: TierSpec, extra: str) -> Iterator[Advice]:
    """Yield the smallest larger `count` of a tier with which extra devices find free ports; `extra` is the dotted path
    of their entry. If the blueprint states no count, larger means more than the tier would have without these devices.
    """
    path = f"fabrics.{spec.fabric}.tiers.{spec.name}.count"
    count_now = spec.spec.count
    # a derived count followed from the extra devices too: start from what it would be without them
    if count_now is None:
        _, fabric, _, name = extra.split(".")
        other_extras = {key: value for key, value in trials.blueprint.fabrics[fabric].extra.items() if key != name}
        tier = trials.apply_change({f"fabrics.{fabric}.extra": other_extras}).design_tier(spec.key, {})
        count_now = tier.count if tier else None
    counts = range(count_now + 1, count_now + MAX_COUNTS + 1) if count_now else ()
    yield from propose_first(
        trials, (Advice("count", f"`count: {count}` of {spec.name}", {path: count}) for count in counts)
    )


def _propose_other_tier(trials: Trials, fabric: str, name: str) -> Iterator[Advice]:
    """Yield the first other tier of the fabric that has free ports for the extra devices `name`, if one has; nothing
    if UFM is the subnet manager, as it may join leaves only (FG317).
    """
    path, present_tier = f"fabrics.{fabric}.extra.{name}.to", trials.blueprint.fabrics[fabric].extra[name].to
    tier_keys = trials.specs if trials.blueprint.fabrics[fabric].subnet_manager != "ufm" else ()
    other_tiers = (key.name for key in tier_keys if key.fabric == fabric and key.name != present_tier)
    yield from propose_first(trials, (Advice("to", f"`to: {tier}` for {name}", {path: tier}) for tier in other_tiers))

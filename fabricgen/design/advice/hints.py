"""Hints for refused blueprints: each names changes that were tried and fit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from fabricgen.design.advice.attach import extra_port_advice, extra_speed_advice, node_advice
from fabricgen.design.advice.switches import same_protocol, switches
from fabricgen.design.advice.tiers import breakouts, counts, ordered, tier_advice, uplink_speeds
from fabricgen.design.advice.trials import Advice, Target, Trials, target_of
from fabricgen.design.fabric_model import TierKey
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Severity

NO_SINGLE_CHANGE = "no single change of count, `per`, oversubscription, speed or switch fits: combine some"

TOO_SMALL = ("FG101", "FG120", "FG121")
"""Codes of switches with too few ports: by radix, by pipelines, or because a breakout disables cages."""

SHORTAGES = (*TOO_SMALL, "FG132")
"""Codes of a blueprint that only lacks ports."""


def advised(error: InputError, trials: Trials) -> InputError:
    """The same error, with hints that name changes that fit, where any was found."""
    found = [_with_hint(diagnostic, trials) for diagnostic in error.diagnostics]
    short = any(diagnostic.code in TOO_SMALL for diagnostic in found)
    return InputError([*(planes_together(trials) if short else ()), *found])


def planes_together(trials: Trials) -> Iterator[Diagnostic]:
    """Tiers that hold the ports of all planes, where switches have too few: the reason before the shortage."""
    for spec in trials.specs.values():
        planes = trials.blueprint.fabrics[spec.fabric].planes
        if planes > 1 and "plane" not in spec.per:
            per = ", ".join(ordered((*spec.spec.per, "plane")))
            yield Diagnostic(
                "FG132",
                Severity.ERROR,
                f"{spec.fabric} has {planes} planes, and each {spec.name} switch serves all of them, with the ports of "
                f"{planes}",
                (*spec.path, "per"),
                f"say `per: [{per}]` of {spec.name}, so that each plane has switches of its own",
            )


def _with_hint(diagnostic: Diagnostic, trials: Trials) -> Diagnostic:
    found = advice_on(diagnostic, trials)
    if found:
        return replace(diagnostic, hint=hint_text(found))
    all_tried = diagnostic.code in TOO_SMALL and not trials.exhausted
    return replace(diagnostic, hint=NO_SINGLE_CHANGE) if all_tried else diagnostic


def advice_on(diagnostic: Diagnostic, trials: Trials) -> tuple[Advice, ...]:
    """Changes that, each alone, make the refused part of the blueprint fit; empty where none was found."""
    match diagnostic.code, diagnostic.path:
        case "FG101" | "FG103" | "FG107" | "FG119" | "FG120" | "FG121" as code, (
            "fabrics",
            str(fabric),
            "tiers",
            str(tier),
            *_,
        ):
            target = target_of(trials, TierKey(fabric, tier))
            found = _of_tier(code, trials, target) if target else iter(())
        case "FG102" | "FG103", ("fabrics", str(fabric), "extra", str(name), *_):
            found = extra_speed_advice(trials, fabric, name)
        case "FG104", ("fabrics", str(fabric), "extra", str(name), *_):
            found = extra_port_advice(trials, fabric, name)
        case ("FG102", ("fabrics", str(fabric), *_)) | ("FG103", ("fabrics", str(fabric))):
            found = node_advice(trials, fabric)
        case "FG103", ("fabrics", str(fabric), "speed" | "nic" | "attach"):
            found = node_advice(trials, fabric)
        case _:
            return ()
    distinct: dict[str, Advice] = {}
    for advice in found:
        distinct.setdefault(repr(advice.set), advice)
    return tuple(distinct.values())


def _of_tier(code: str, trials: Trials, target: Target) -> Iterator[Advice]:
    """Changes to try for a tier that is too small, has no speed in common with another, or cannot be paired."""
    if code in TOO_SMALL:
        yield from tier_advice(trials, target)
    elif code == "FG107":
        yield from counts(trials, target)
    else:
        yield from uplink_speeds(trials, target)
        yield from breakouts(trials, target)
        yield from switches(trials, target.spec, same_protocol(trials, target.spec))


def hint_text(found: tuple[Advice, ...]) -> str:
    """Advice as the text of a hint; switches proposed for the same tiers are joined in one list."""
    parts = [advice.text for advice in found if advice.kind != "switch"]
    named = [advice.text.partition(" as ") for advice in found if advice.kind == "switch"]
    if named:
        parts.append(f"`switch:` {' or '.join(name for name, _, _ in named)} as {named[0][2]}")
    return f"{'this fits' if len(parts) == 1 else 'each of these fits'}: {'; '.join(parts)}"

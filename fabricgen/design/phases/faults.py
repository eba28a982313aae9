"""The faults of phases: what they name there is not, they have nothing of something, or they shrink."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from fabricgen.blueprint.sections.phases import ALL, NumbersOf, Phase
from fabricgen.design.model import Design
from fabricgen.design.phases.selection import selected, units_of
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Path, did_you_mean, fault


def check_phases(design: Design) -> None:
    """Raise InputError for phases that name what there is not (FG095), that are empty (FG096), or that lack what an
    earlier one has (FG097).
    """
    phases = design.loaded.blueprint.phases
    faults = [wrong for name, phase in phases.items() for wrong in _faults(design, name, phase)]
    if not faults:
        found = [(name, selected(design, phase)) for name, phase in phases.items()]
        for (before, earlier), (name, selection) in pairwise(found):
            if lacking := selection.lacks(earlier):
                message = f"phase '{name}' lacks what is there at '{before}': {lacking}"
                hint = "phases are in the order of time, and each has all of the one before it"
                faults += fault("FG097", message, path=("phases", name), hint=hint).diagnostics
    if faults:
        raise InputError(faults)


def _faults(design: Design, name: str, phase: Phase) -> Iterator[Diagnostic]:
    at: Path = ("phases", name)
    pods = {pod.name for pod in design.layout.pods}
    fabrics = {fabric.name for fabric in design.fabrics}
    extras = {extra.name for fabric in design.fabrics for extra in fabric.extras}
    for key, word, names, known in (
        ("sites", "site", phase.sites, set(design.layout.sites)),
        ("pods", "pod", phase.pods, pods),
        ("fabrics", "fabric", phase.fabrics, fabrics),
        ("extra", "extra device", phase.extra, extras),
    ):
        if names == () and key != "extra":
            yield from _empty((*at, key), f"phase '{name}' has no {word} at all")
        for i, stated in enumerate(names or ()):
            if stated not in known:
                yield from _unknown((*at, key, i), f"there is no {word} '{stated}'", did_you_mean(stated, known))
    yield from _unit_faults(design, at, phase, pods)
    yield from _number_faults((*at, "planes"), "plane", phase.planes, {f.name: f.planes for f in design.fabrics})
    yield from _number_faults((*at, "rails"), "rail", phase.rails, {f.name: f.rails for f in design.fabrics})
    tiers = Counter[str]()
    for tier in design.tiers:
        tiers |= Counter({f"{tier.fabric}.{tier.name}": tier.count})  # the most of its parts
    for stated, count in phase.switches.items():
        path = (*at, "switches", stated)
        if stated not in tiers:
            yield from _unknown(path, f"there is no tier '{stated}'", did_you_mean(stated, tiers))
        elif count > tiers[stated]:
            yield from _unknown(path, f"a group of {stated} has {tiers[stated]} switches in the end, not {count}", "")
        elif not count:
            yield from _empty(path, f"phase '{name}' has no {stated}")


def _unit_faults(design: Design, at: Path, phase: Phase, pods: set[str]) -> Iterator[Diagnostic]:
    most = {pod.name: pod.su for pod in design.layout.pods}
    for pod, count in phase.units.items():
        path = (*at, "units", pod)
        if pod not in pods:
            yield from _unknown(path, f"there is no pod '{pod}'", did_you_mean(pod, pods))
        elif count > most[pod]:
            yield from _unknown(path, f"pod {pod} has {most[pod]} scalable units in the end, not {count}", "")
    named = set(phase.pods or ()) <= pods and set(phase.sites or ()) <= set(design.layout.sites)
    if named and phase.pods != () and phase.sites != () and not any(True for _ in units_of(design, phase)):
        yield from _empty(at, f"phase '{at[1]}' has no scalable unit")


def _number_faults(at: Path, word: str, stated: NumbersOf | None, most: Mapping[str, int]) -> Iterator[Diagnostic]:
    for fabric, numbers in (stated or {}).items():
        path = at if fabric == ALL else (*at, fabric)
        if fabric != ALL and fabric not in most:
            yield from _unknown(path, f"there is no fabric '{fabric}'", did_you_mean(fabric, most))
            continue
        if not numbers:
            yield from _empty(path, f"phase '{at[1]}' has no {word} at all")
        meant = [n for n in most.values() if n > 1] if fabric == ALL else [most[fabric]]
        for i, number in enumerate(numbers):
            if number > max(meant, default=0):
                there = f"{word}s 1 to {max(meant)}" if meant else f"no fabric with several {word}s"
                yield from _unknown(
                    (*path, i), f"there is no {word} {number}", f"there {'are' if meant else 'is'} {there}"
                )


def _unknown(path: Path, message: str, hint: str) -> Sequence[Diagnostic]:
    return fault("FG095", message, path=path, hint=hint).diagnostics


def _empty(path: Path, message: str) -> Sequence[Diagnostic]:
    hint = "state what is there, or leave the key out for all"
    return fault("FG096", message, path=path, hint=hint).diagnostics

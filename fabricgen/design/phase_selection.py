"""Which part of a design exists at each phase."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from fabricgen.blueprint.sections.phases import ALL, NumbersOf, Phase
from fabricgen.design.fabric_model import FabricDesign, TierKey
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Path, Span, did_you_mean, fault
from fabricgen.kernel.grouping import group_pairs


class Selection(NamedTuple):
    """What exists at a phase."""

    units: frozenset[int]
    """Numbers of scalable units in the cluster, from 0."""
    fabrics: frozenset[str]
    planes: Mapping[str, frozenset[int] | None]
    """Numbers of planes, from 1, by fabric; None for all."""
    rails: Mapping[str, frozenset[int] | None]
    """Numbers of rails, from 1, by fabric; None for all."""
    switches: Mapping[TierKey, int]
    """How many switches each group of a tier has."""
    extra: frozenset[str]
    nodes: int | None = None
    """How many nodes of each node set a unit has; None for all."""

    def describe_lack(self, earlier: Selection) -> str:
        """Return in words what it first lacks of an earlier phase: units, fabrics, extra devices, planes, rails or
        switches; "" if it lacks nothing.
        """
        if units := earlier.units - self.units:
            return f"{len(units)} scalable unit{'s' * (len(units) != 1)}"
        for word, present, had_before in (
            ("fabrics", self.fabrics, earlier.fabrics),
            ("extra devices", self.extra, earlier.extra),
        ):
            if missing := had_before - present:
                return f"{word}: {', '.join(sorted(missing))}"
        for word, numbers, earlier_numbers in (
            ("planes", self.planes, earlier.planes),
            ("rails", self.rails, earlier.rails),
        ):
            for fabric in sorted(earlier.fabrics):
                numbers_before, numbers_now = earlier_numbers[fabric], numbers[fabric]
                if numbers_now is not None and (numbers_before is None or numbers_before - numbers_now):
                    return f"{word} of {fabric}: " + (
                        _join_numbers(numbers_before - numbers_now)
                        if numbers_before
                        else f"all but {_join_numbers(numbers_now)}"
                    )
        for tier, count in earlier.switches.items():
            if tier.fabric in earlier.fabrics and self.switches[tier] < count:
                return f"switches of {tier.fabric}.{tier.tier}: {count - self.switches[tier]} in each group"
        return ""


def _join_numbers(numbers: frozenset[int]) -> str:
    return ", ".join(map(str, sorted(numbers)))


def select_phase(design: Design, name: str) -> Selection:
    """Return what exists at a phase; raises InputError (FG095) for a name that no phase has."""
    phases = design.loaded.blueprint.phases
    if name not in phases:
        hint = did_you_mean(name, phases) or "`phases` of a blueprint names them"
        raise fault("FG095", f"there is no phase '{name}'", path=("phases",) if phases else (), hint=hint)
    return select_present(design, phases[name])


def select_present(design: Design, phase: Phase) -> Selection:
    """Return what exists at a phase that `check_phases` has accepted."""
    fabrics = frozenset(f.name for f in design.fabrics if phase.fabrics is None or f.name in phase.fabrics)
    attached = {e.name for f in design.fabrics if f.name in fabrics for e in f.extras}
    return Selection(
        units=frozenset(list_units(design, phase)),
        fabrics=fabrics,
        planes={f.name: _choose_numbers(phase.planes, f, f.planes) for f in design.fabrics},
        rails={f.name: _choose_numbers(phase.rails, f, f.rails) for f in design.fabrics},
        switches={t.key: min(t.count, phase.switches.get(f"{t.fabric}.{t.name}", t.count)) for t in design.tiers},
        extra=frozenset(attached if phase.extra is None else attached.intersection(phase.extra)),
    )


def list_units(design: Design, phase: Phase) -> Iterator[int]:
    """Yield the numbers (in the cluster, from 0) of the scalable units that exist at a phase."""
    for pod in design.layout.pods:
        if (phase.sites is None or pod.site in phase.sites) and (phase.pods is None or pod.name in phase.pods):
            yield from range(pod.first_su, pod.first_su + min(pod.su, phase.units.get(pod.name, pod.su)))


def _choose_numbers(stated: NumbersOf | None, fabric: FabricDesign, count: int) -> frozenset[int] | None:
    """Return the numbers of planes or rails, from 1, that a phase states for a fabric with `count` of them; None for
    all.

    Numbers stated for all fabrics count only for a fabric that has several planes or rails.
    """
    numbers = (stated or {}).get(fabric.name, (stated or {}).get(ALL) if count > 1 else None)
    return None if numbers is None or set(range(1, count + 1)) <= set(numbers) else frozenset(numbers)


# Faults of phases: names that do not exist, nothing left of a kind of thing, and phases that lack what an earlier one
# has.


def check_phases(design: Design) -> None:
    """Raise InputError for phases that name what does not exist (FG095), that are empty (FG096), or that lack something
    of an earlier phase (FG097).
    """
    phases = design.loaded.blueprint.phases
    faults = [diagnostic for name, phase in phases.items() for diagnostic in _find_faults(design, name, phase)]
    if not faults:
        selections = [(name, select_present(design, phase)) for name, phase in phases.items()]
        for (earlier_name, earlier), (name, selection) in pairwise(selections):
            if lacking := selection.describe_lack(earlier):
                message = f"phase '{name}' lacks what is there at '{earlier_name}': {lacking}"
                hint = "phases are in the order of time, and each has all of the one before it"
                faults += fault("FG097", message, path=("phases", name), hint=hint).diagnostics
    if faults:
        raise InputError(faults)


def _find_faults(design: Design, name: str, phase: Phase) -> Iterator[Diagnostic]:
    """Yield the faults of a phase: unknown names, numbers beyond the last, and nothing left of a kind of thing."""
    path_of_phase: Path = ("phases", name)
    pods = {pod.name for pod in design.layout.pods}
    fabrics = {fabric.name for fabric in design.fabrics}
    extras = {extra.name for fabric in design.fabrics for extra in fabric.extras}
    for key, word, names, known_names in (
        ("sites", "site", phase.sites, set(design.layout.sites)),
        ("pods", "pod", phase.pods, pods),
        ("fabrics", "fabric", phase.fabrics, fabrics),
        ("extra", "extra device", phase.extra, extras),
    ):
        if names == () and key != "extra":
            yield from _refuse_empty((*path_of_phase, key), f"phase '{name}' has no {word} at all")
        for i, stated in enumerate(names or ()):
            if stated not in known_names:
                yield from _refuse_unknown(
                    (*path_of_phase, key, i), f"there is no {word} '{stated}'", did_you_mean(stated, known_names)
                )
    yield from _find_unit_faults(design, path_of_phase, phase, pods)
    yield from _find_number_faults(
        (*path_of_phase, "planes"), "plane", phase.planes, {f.name: f.planes for f in design.fabrics}
    )
    yield from _find_number_faults(
        (*path_of_phase, "rails"), "rail", phase.rails, {f.name: f.rails for f in design.fabrics}
    )
    tiers = Counter[str]()
    for tier in design.tiers:
        tiers |= Counter({f"{tier.fabric}.{tier.name}": tier.count})  # the highest count of all parts of the cluster
    for stated, count in phase.switches.items():
        path = (*path_of_phase, "switches", stated)
        if stated not in tiers:
            yield from _refuse_unknown(path, f"there is no tier '{stated}'", did_you_mean(stated, tiers))
        elif count > tiers[stated]:
            yield from _refuse_unknown(
                path, f"a group of {stated} has {tiers[stated]} switches in the end, not {count}", ""
            )
        elif not count:
            yield from _refuse_empty(path, f"phase '{name}' has no {stated}")


def _find_unit_faults(design: Design, path_of_phase: Path, phase: Phase, pods: set[str]) -> Iterator[Diagnostic]:
    """Yield the faults of the units of a phase: unknown pods, more units than a pod has, or no unit at all."""
    units_of_pod = {pod.name: pod.su for pod in design.layout.pods}
    for pod, count in phase.units.items():
        path = (*path_of_phase, "units", pod)
        if pod not in pods:
            yield from _refuse_unknown(path, f"there is no pod '{pod}'", did_you_mean(pod, pods))
        elif count > units_of_pod[pod]:
            yield from _refuse_unknown(
                path, f"pod {pod} has {units_of_pod[pod]} scalable units in the end, not {count}", ""
            )
    names_are_known = set(phase.pods or ()) <= pods and set(phase.sites or ()) <= set(design.layout.sites)
    if names_are_known and phase.pods != () and phase.sites != () and not any(True for _ in list_units(design, phase)):
        yield from _refuse_empty(path_of_phase, f"phase '{path_of_phase[1]}' has no scalable unit")


def _find_number_faults(
    path_of_key: Path, word: str, stated: NumbersOf | None, count_of_fabric: Mapping[str, int]
) -> Iterator[Diagnostic]:
    """Yield the faults of planes or rails (`word`) of a phase: unknown fabrics, and numbers beyond the last.

    `count_of_fabric` is how many planes or rails each fabric has.
    """
    for fabric, numbers in (stated or {}).items():
        path = path_of_key if fabric == ALL else (*path_of_key, fabric)
        if fabric != ALL and fabric not in count_of_fabric:
            yield from _refuse_unknown(path, f"there is no fabric '{fabric}'", did_you_mean(fabric, count_of_fabric))
            continue
        if not numbers:
            yield from _refuse_empty(path, f"phase '{path_of_key[1]}' has no {word} at all")
        counts = [n for n in count_of_fabric.values() if n > 1] if fabric == ALL else [count_of_fabric[fabric]]
        for i, number in enumerate(numbers):
            if number > max(counts, default=0):
                range_text = f"{word}s 1 to {max(counts)}" if counts else f"no fabric with several {word}s"
                yield from _refuse_unknown(
                    (*path, i), f"there is no {word} {number}", f"there {'are' if counts else 'is'} {range_text}"
                )


def _refuse_unknown(path: Path, message: str, hint: str) -> Sequence[Diagnostic]:
    return fault("FG095", message, path=path, hint=hint).diagnostics


def _refuse_empty(path: Path, message: str) -> Sequence[Diagnostic]:
    return fault("FG096", message, path=path, hint="state what is there, or leave the key out for all").diagnostics


# The part of a design that a lab builds: the first units, nodes and upper switches, so that some of every kind
# remain.


LAB_CUTS = "FG157"

PODS_KEPT = 2
"""How many pods of those that are alike are kept: with fewer, no path uses the tier that joins them."""

_EXAMPLE_HINT = "write it like 2su, or 2su,4n,4spine"


class Cuts(NamedTuple):
    """How much of a design a lab keeps at most; None for all."""

    units: int | None = None
    """Units of each pod."""
    nodes: int | None = None
    """Nodes of each node set in a unit."""
    pods: int = PODS_KEPT
    """Pods of those that are alike."""
    switches: Mapping[str, int] = {}
    """Switches of each group of a tier, by TIER or FABRIC.TIER."""


def read_cuts(design: Design, text: str) -> Cuts:
    """Return the cuts that `--lab` names, such as `2su,4n,4spine`; raises InputError (FG157) for a text that names
    none.
    """
    upper, cuts = _list_tier_names(design, lowest=False), dict[str, int]()
    for cut in text.split(","):
        match = re.fullmatch(r"([0-9]{1,6})([A-Za-z][\w.-]*)", cut.strip())
        if not match:
            raise _make_fault(text, f"'{cut.strip()}' is no count of anything", _EXAMPLE_HINT)
        count, word = int(match[1]), match[2]
        if word not in {"su", "n", "pod", *upper}:
            raise _make_fault(text, *_explain_unknown_word(word, upper, _list_tier_names(design, lowest=True)))
        if not count:
            raise _make_fault(
                text, f"a lab without any {word} is none", f"keep 1{word}, or leave the cut out to keep all"
            )
        if word in cuts:
            raise _make_fault(text, f"{word} is cut twice, to {cuts[word]} and to {count}", "say it once")
        cuts[word] = count
    return Cuts(cuts.pop("su", None), cuts.pop("n", None), cuts.pop("pod", PODS_KEPT), cuts)


def cut_selection(design: Design, cuts: Cuts, selection: Selection) -> Selection:
    """Return what a lab keeps of a selection: the first units of each pod, in the first pods of each part of the
    cluster at each site, and the first switches of each group of an upper tier.

    Every kind of unit and node, site, fabric, tier, rail and plane stays, and so do all extra devices.
    """
    units_by_pod_of_part = group_pairs(
        ((pod.part, pod.site), units)
        for pod in design.layout.pods
        if (units := [unit for unit in range(pod.first_su, pod.first_su + pod.su) if unit in selection.units])
    )
    units_kept = frozenset(
        unit
        for pods_of_part in units_by_pod_of_part.values()
        for units in pods_of_part[: cuts.pods]
        for unit in units[: cuts.units]
    )
    switches = dict(selection.switches)
    for tier in design.tiers:
        if not tier.lowest:
            max_switches = cuts.switches.get(f"{tier.fabric}.{tier.name}", cuts.switches.get(tier.name, tier.count))
            switches[tier.key] = min(switches[tier.key], max_switches)
    return selection._replace(units=units_kept, switches=switches, nodes=cuts.nodes)


def _list_tier_names(design: Design, *, lowest: bool) -> set[str]:
    """Return the names of the tiers that nodes attach to (`lowest`), or of the others, as TIER and FABRIC.TIER."""
    tiers = [tier for tier in design.tiers if tier.lowest == lowest]
    return {name for tier in tiers for name in (tier.name, f"{tier.fabric}.{tier.name}")}


def _explain_unknown_word(word: str, upper: set[str], lowest: set[str]) -> tuple[str, str]:
    """Return (what is wrong with a word of `--lab`, what would be right)."""
    if word in lowest:
        return f"nodes attach to {word}, whose switches come with their units", "cut units (2su) or nodes (4n)"
    tiers = f", or switches of a tier ({', '.join(sorted(upper))})" if upper else ""
    words = f"cut units of a pod (su), nodes of a unit (n), pods that are alike (pod){tiers}"
    return f"there is no '{word}' to cut", words


def _make_fault(text: str, message: str, hint: str) -> InputError:
    return fault(LAB_CUTS, message, hint=hint, span=Span(f"--lab {text}", 1, 1))

"""The part of a design that a lab has: the first units, nodes and upper switches, and so some of every kind."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from fabricgen.design.model import Design
from fabricgen.design.phase_selection import Selection
from fabricgen.kernel.diagnostics import InputError, Span, fault

CODE = "FG157"

ALIKE = 2
"""Pods that are kept of those that are alike: fewer have no path through the tier that joins them."""

_LIKE = "write it like 2su, or 2su,4n,4spine"


@dataclass(frozen=True, slots=True)
class Cuts:
    """What a lab keeps at most: units of a pod, nodes of each set in a unit, pods of those that are alike, and switches
    of each group of a tier, by TIER or FABRIC.TIER; None is all.
    """

    units: int | None = None
    nodes: int | None = None
    pods: int = ALIKE
    switches: Mapping[str, int] = field(default_factory=dict)


def read_cuts(design: Design, text: str) -> Cuts:
    """The cuts that `--lab` names, such as `2su,4n,4spine`; raises InputError (FG157) for what is none."""
    upper, cuts = _list_tier_names(design, lowest=False), dict[str, int]()
    for cut in text.split(","):
        match = re.fullmatch(r"([0-9]{1,6})([A-Za-z][\w.-]*)", cut.strip())
        if not match:
            raise _make_fault(text, f"'{cut.strip()}' is no count of anything", _LIKE)
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
    return Cuts(cuts.pop("su", None), cuts.pop("n", None), cuts.pop("pod", ALIKE), cuts)


def cut_selection(design: Design, cuts: Cuts, selection: Selection) -> Selection:
    """What a lab keeps of what is there: of pods that are alike (of one kind of unit and site) and of units the first.

    Every kind of unit and node, site, fabric, tier, rail and plane stays, and so do all extra devices.
    """
    units_kept, units_of_alike = set[int](), defaultdict[tuple[str, str], list[list[int]]](list)
    for pod in design.layout.pods:
        units = [unit for unit in range(pod.first_su, pod.first_su + pod.su) if unit in selection.units]
        if units:
            units_of_alike[pod.part, pod.site].append(units)
    for pods in units_of_alike.values():
        units_kept.update(unit for units in pods[: cuts.pods] for unit in units[: cuts.units])
    switches = dict(selection.switches)
    for tier in design.tiers:
        if not tier.lowest:
            most = cuts.switches.get(f"{tier.fabric}.{tier.name}", cuts.switches.get(tier.name, tier.count))
            switches[tier.key] = min(switches[tier.key], most)
    return selection._replace(units=frozenset(units_kept), switches=switches, nodes=cuts.nodes)


def _list_tier_names(design: Design, *, lowest: bool) -> set[str]:
    """Tiers that nodes attach to, or the others, by TIER and FABRIC.TIER."""
    tiers = [tier for tier in design.tiers if tier.lowest == lowest]
    return {name for tier in tiers for name in (tier.name, f"{tier.fabric}.{tier.name}")}


def _explain_unknown_word(word: str, upper: set[str], lowest: set[str]) -> tuple[str, str]:
    """(what is wrong with a word, what would be right)."""
    if word in lowest:
        return f"nodes attach to {word}, whose switches come with their units", "cut units (2su) or nodes (4n)"
    tiers = f", or switches of a tier ({', '.join(sorted(upper))})" if upper else ""
    words = f"cut units of a pod (su), nodes of a unit (n), pods that are alike (pod){tiers}"
    return f"there is no '{word}' to cut", words


def _make_fault(text: str, message: str, hint: str) -> InputError:
    return fault(CODE, message, hint=hint, span=Span(f"--lab {text}", 1, 1))

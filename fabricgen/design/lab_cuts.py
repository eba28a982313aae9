"""The part of a design that a lab builds: the first units, nodes and upper switches, so that some of every kind
remain.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from fabricgen.design.model import Design
from fabricgen.design.phase_selection import Selection
from fabricgen.kernel.diagnostics import InputError, Span, fault

CODE = "FG157"

PODS_KEPT = 2
"""How many pods of those that are alike are kept: with fewer, no path uses the tier that joins them."""

_EXAMPLE_HINT = "write it like 2su, or 2su,4n,4spine"


@dataclass(frozen=True, slots=True)
class Cuts:
    """How much of a design a lab keeps at most; None for all."""

    units: int | None = None
    """Units of each pod."""
    nodes: int | None = None
    """Nodes of each node set in a unit."""
    pods: int = PODS_KEPT
    """Pods of those that are alike."""
    switches: Mapping[str, int] = field(default_factory=dict)
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
    """Return what a lab keeps of a selection: the first units of each pod, and the first pods of those that are alike
    (with one kind of unit, at one site).

    Every kind of unit and node, site, fabric, tier, rail and plane stays, and so do all extra devices.
    """
    units_kept, units_by_likeness = set[int](), defaultdict[tuple[str, str], list[list[int]]](list)
    for pod in design.layout.pods:
        units = [unit for unit in range(pod.first_su, pod.first_su + pod.su) if unit in selection.units]
        if units:
            units_by_likeness[pod.part, pod.site].append(units)
    for pods in units_by_likeness.values():
        units_kept.update(unit for units in pods[: cuts.pods] for unit in units[: cuts.units])
    switches = dict(selection.switches)
    for tier in design.tiers:
        if not tier.lowest:
            max_switches = cuts.switches.get(f"{tier.fabric}.{tier.name}", cuts.switches.get(tier.name, tier.count))
            switches[tier.key] = min(switches[tier.key], max_switches)
    return selection._replace(units=frozenset(units_kept), switches=switches, nodes=cuts.nodes)


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
    return fault(CODE, message, hint=hint, span=Span(f"--lab {text}", 1, 1))

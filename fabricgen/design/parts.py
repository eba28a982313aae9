"""Parts of a cluster in a fabric: pods whose units are of one kind, and whose switches are alike.

A tier that is per pod, or per a narrower place, is one tier for each part whose nodes attach to the fabric. Wider tiers
serve all parts.
"""

from __future__ import annotations

from collections.abc import Sequence

from fabricgen.blueprint.dimensions import WHOLE
from fabricgen.blueprint.models import Blueprint
from fabricgen.design.layout import Layout
from fabricgen.design.shape import depth, scope_of
from fabricgen.kernel.diagnostics import did_you_mean, fault


def within_pod(per: Sequence[str]) -> bool:
    """Whether the switches of a tier serve a pod each, or a part of one."""
    return depth(scope_of(per)) >= depth("pod")


def parts_of(blueprint: Blueprint, layout: Layout, name: str) -> tuple[str, ...]:
    """The parts of the cluster that a fabric has tiers in, in the order in which they came.

    Those with nodes in it, in a fabric that it carries or in one below it; all where that are none, and where it takes
    the management ports of switches.
    """
    if len(layout.parts) == 1 or "switches" in blueprint.fabrics[name].also:
        return layout.part_order
    met = _below(blueprint, name, set())
    roles = [(one, blueprint.fabrics[one].attach or one) for one in sorted(met)]
    found = []
    for part in layout.part_order:
        sets = layout.of_part(part).node_sets
        if any(nodes.attaches(fabric, role) for nodes in sets for fabric, role in roles):
            found.append(part)
    return tuple(found) or layout.part_order


def _below(blueprint: Blueprint, name: str, seen: set[str]) -> set[str]:
    """A fabric with those that it carries, and those with tiers below its own."""
    if name in seen or name not in blueprint.fabrics:
        return seen
    seen.add(name)
    for other, fabric in blueprint.fabrics.items():
        below = [tier.below for tier in fabric.tiers.values() if tier.below]
        if fabric.carried_by == name or any(text.partition(".")[0] == name for text in below if "." in text):
            _below(blueprint, other, seen)
    for tier in blueprint.fabrics[name].tiers.values():
        for above in tier.above:
            if "." in above:
                _below(blueprint, above.partition(".")[0], seen)
    return seen


def check_pod_tiers(blueprint: Blueprint) -> None:
    """Raise InputError (FG091) where a pod states a tier that there is not, or one of switches that serve more."""
    known = [f"{name}.{tier}" for name, fabric in blueprint.fabrics.items() for tier in fabric.tiers]
    for key, pod in blueprint.pods.items():
        for text in pod.tiers:
            path = ("pods", key, "tiers", text)
            if text not in known:
                raise fault(
                    "FG091",
                    f"{key} states tier '{text}', and there is none",
                    path=path,
                    hint=f"write FABRIC.TIER; {did_you_mean(text, known)}",
                )
            fabric, _, tier = text.partition(".")
            per = blueprint.fabrics[fabric].tiers[tier].per
            if not within_pod(per):
                whom = "all pods" if (scope := scope_of(per)) == WHOLE else f"those of a {scope}"
                raise fault(
                    "FG091",
                    f"{key} states switches of {text}, which serve more than a pod: {whom}",
                    path=path,
                    hint=f"group {tier} `per: pod` or narrower, or state it in fabrics.{fabric}.tiers.{tier} for all",
                )

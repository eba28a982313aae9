"""Strategies for clusters of several kinds of units: other nodes, racks and switches in some of the pods."""

from __future__ import annotations

from copy import deepcopy

from hypothesis import strategies as st

from tests.properties.halls import Tree
from tests.properties.tier_chains import often

LIKE = {
    "toy-wide": ("toy-wide", "toy-wide", "toy-four", "toy-dual"),
    "toy-four": ("toy-four", "toy-four", "toy-wide", "toy-twin"),
    "toy-dual": ("toy-dual", "toy-dual", "toy-wide"),
    "toy-twin": ("toy-twin", "toy-four"),
    "dgx-h100": ("dgx-h100", "dgx-b200"),
    "dgx-b200": ("dgx-b200", "dgx-h100"),
}
"""Profiles of nodes that may stand beside those of another in one fabric."""
OWN = ({"count": 2}, {"spare_ports": 2}, {"oversubscription": "2:1"}, {"oversubscription": "1:1"}, {"count": 1})
"""What a pod may state of a tier."""


@st.composite
def mixed(draw: st.DrawFn, tree: Tree) -> Tree:
    """A blueprint with one or two more kinds of units, which new pods have, or some of those there are."""
    unit = tree["scalable_unit"]
    kinds: dict[str, Tree] = {}
    for name in ("new", "a-third")[: draw(st.sampled_from([1, 1, 2]))]:
        kinds[name] = {"nodes": other_nodes(draw, unit["nodes"])}
        if often(draw, 1, 2):
            kinds[name]["racks"] = {"nodes_per_rack": draw(st.integers(1, 3))}
    if isinstance(unit["nodes"], str) and unit["nodes"].endswith("gb200-tray"):
        kinds = {name: deepcopy(unit) | {"nodes": "9 x gb200-tray"} for name in kinds}
    usual = "" if often(draw, 1, 2) else "old"
    pods = {name: pod | ({"unit": usual} if usual else {}) for name, pod in tree["pods"].items()}
    for name, kind in zip(("p7", "b1"), kinds, strict=False):
        su = draw(st.integers(1, 2))
        pods[name] = {"unit": kind, "su": su, "reserve": su + draw(st.integers(0, 2))}
    if often(draw, 1, 3):
        stated = _pod_tiers(draw, tree["fabrics"])
        pods[draw(st.sampled_from(sorted(pods)))] |= {"tiers": stated} if stated else {}
    found = {key: value for key, value in tree.items() if key != "scalable_unit"}
    units: Tree = (
        {"scalable_units": kinds | {usual: unit}} if usual else {"scalable_unit": unit, "scalable_units": kinds}
    )
    omit = [text for text in tree["omit"] if text.split("/")[0] in tree["pods"]]
    return found | units | {"pods": pods, "omit": omit}


def other_nodes(draw: st.DrawFn, nodes: str | Tree) -> str | Tree:
    """Nodes of another kind of unit: as many sets, of profiles that can stand beside these."""
    if not isinstance(nodes, str):
        return {
            name: some | {"nodes": other_nodes(draw, some["nodes"])}
            if isinstance(some, dict)
            else other_nodes(draw, some)
            for name, some in nodes.items()
        }
    profile = nodes.partition(" x ")[2]
    return f"{draw(st.integers(1, 4))} x {draw(st.sampled_from(LIKE.get(profile, (profile,))))}"


def _pod_tiers(draw: st.DrawFn, fabrics: dict[str, Tree]) -> Tree:
    """What a pod states of a tier that serves a pod or less; nothing where there is none."""
    places = {"pod", "su", "rack"}
    own = [
        f"{name}.{tier}"
        for name, fabric in sorted(fabrics.items())
        for tier, spec in fabric.get("tiers", {}).items()
        if places.intersection(per if isinstance(per := spec.get("per", []), list) else [per])
    ]
    return {draw(st.sampled_from(own)): draw(st.sampled_from(OWN))} if own else {}

"""Strategies for what stands in the hall: node sets, racks, pods, reserves, and slots left empty."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

Tree = dict[str, Any]


@st.composite
def halls(draw: st.DrawFn, node_sets: dict[str, str], most_nodes: int = 5, sites: int = 1) -> Tree:
    """A scalable unit of node sets (name -> profile), pods of it, and omitted slots.

    `sites` is the hook for clusters of several sites: pods are dealt over so many.
    """
    counts = {name: draw(st.integers(1, most_nodes)) for name in node_sets}
    nodes = sum(counts.values())
    racks: Tree = {"nodes_per_rack": draw(st.integers(1, min(4, nodes)))}
    if draw(st.integers(0, 4)) == 0:
        racks["devices"] = {"shelf": f"{draw(st.integers(1, 2))} x power-shelf"}
    pods: dict[str, Tree] = {}
    for i in range(draw(st.sampled_from([1, 1, 2, 3]))):
        su = draw(st.integers(1, 3))
        pods[f"p{i + 1}"] = {"su": su, "reserve": su + draw(st.integers(0, 3))}
        if sites > 1:
            pods[f"p{i + 1}"]["site"] = f"site{i % sites + 1}"
    if nodes > 1 and draw(st.integers(0, 4)) == 0:
        pod = pods[draw(st.sampled_from(sorted(pods)))]
        pod["nodes"] = pod["su"] * nodes - draw(st.integers(0, nodes - 1))
    omit = draw(_omitted(pods, nodes, racks["nodes_per_rack"]))
    spare: Tree = {}
    if not omit and draw(st.integers(0, 3)) == 0:
        spare["spare_nodes"] = [draw(st.sampled_from(["*/su-1/node-1", "*/su-*/node-1"]))]
    sets = {name: f"{count} x {node_sets[name]}" for name, count in counts.items()}
    return {
        "scalable_unit": {"nodes": sets["node"] if list(sets) == ["node"] else sets, "racks": racks},
        "pods": pods,
        "omit": omit,
        **spare,
    }


@st.composite
def _omitted(draw: st.DrawFn, pods: dict[str, Tree], nodes: int, per_rack: int) -> list[str]:
    """Node slots, whole racks, and patterns of these; nothing of `su-last`, which growth would move."""
    found = set()
    for _ in range(draw(st.sampled_from([0, 0, 1, 2, 3]))):
        pod = draw(st.sampled_from([*sorted(pods), "*"]))
        unit = draw(st.integers(1, min(p["su"] for p in pods.values()) if pod == "*" else pods[pod]["su"]))
        if nodes > per_rack and draw(st.integers(0, 5)) == 0:
            found.add(f"{pod}/su-{unit}/rack-{draw(st.integers(1, -(-nodes // per_rack)))}")
        else:
            node = draw(st.sampled_from(["last", *map(str, range(1, nodes + 1))]))
            found.add(f"{pod}/su-{draw(st.sampled_from([str(unit), str(unit), '*']))}/node-{node}")
    return sorted(found)

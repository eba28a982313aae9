"""For programs: every figure and the blueprint of each candidate (docs/size.md)."""

from __future__ import annotations

import json
from typing import Any

from fabricgen.design.summary import round_number
from fabricgen.size.front import Candidate, measure_distances
from fabricgen.size.hardware import count_nodes
from fabricgen.size.reports._words import explain_beaten, explain_reference
from fabricgen.size.search import SearchResult


def report(result: SearchResult, *, every: bool) -> bytes:
    """Return the front, and with `every` the beaten candidates, as one JSON document, as bytes."""
    shown = result.list_shown(every=every)
    front = {candidate.name for candidate in result.front}
    nodes = count_nodes(result.wishes.gpus, result.hardware)
    document = {
        "gpus": result.wishes.gpus,
        "node": result.wishes.node,
        "nodes": nodes,
        "gpus_of_nodes": nodes * result.hardware.gpus_per_node,
        "axes": list(result.axes),
        "tried": len(result.tried),
        "compiled": result.compiled,
        "beaten": len(result.beaten),
        "candidates": [_describe_candidate(candidate, result, pareto=candidate.name in front) for candidate in shown],
        "excluded": [{"why": why, "shapes": count} for why, count in result.reasons],
    }
    return (json.dumps(document, indent=2) + "\n").encode()


def _describe_candidate(candidate: Candidate, result: SearchResult, *, pareto: bool) -> dict[str, Any]:
    """Return a candidate with its figures, nearly alike ones and its blueprint; docs/size.md explains the keys.

    `pareto` says whether it is on the front.
    """
    figures, shape = candidate.figures, candidate.shape
    return {
        "name": candidate.name,
        "shape": shape.form,
        "widths": list(shape.widths),
        "tiers": shape.tiers,
        "planes": shape.planes,
        "switch": shape.switch,
        "like": list(result.hardware.switches.get(shape.switch, ())),
        "switches": dict(figures.switches),
        "links": figures.links,
        "cables": figures.cables,
        "cables_by_kind": dict(sorted(figures.cables_by_kind.items())),
        "optics": figures.optics,
        "optics_by_kind": dict(sorted(figures.optics_by_kind.items())),
        "power_w": _simplify_number(figures.power_w),
        "power_basis": figures.power_basis,
        "switch_power_w": _simplify_number(figures.switch_power_w),
        "optics_power_w": _simplify_number(figures.optics_power_w),
        "nodes_power_w": _simplify_number(figures.nodes_power_w),
        "price": _simplify_number(figures.price),
        "unpriced": figures.unpriced,
        "without_price": list(figures.without_price),
        "hops": figures.hops,
        "latency_ns": _simplify_number(figures.latency_ns),
        "longest_m": _simplify_number(figures.longest_m),
        "bisection": _simplify_number(figures.bisection),
        "racks": figures.racks,
        "network_racks": figures.network_racks,
        "growth": figures.growth,
        "lost": {tier: dict(lost) for tier, lost in figures.lost.items()},
        "lost_link": dict(figures.lost_link),
        "left": figures.on("left"),
        "nic_links": figures.nic_links,
        "nics_cut_off": {"link": int(figures.nic_links == 1), "switch": figures.nics_cut_off},
        "near": [
            {
                "name": alternative.name,
                "planes": alternative.shape.planes,
                "off": {
                    axis: round(off, 4) for axis, off in measure_distances(candidate, alternative, result.axes).items()
                },
            }
            for alternative in result.near.get(candidate.name, ())
        ],
        "alike": [alternative.name for alternative in candidate.alike],
        "pareto": pareto,
        "row": candidate.name in {row.name for row in result.rows},
        "reference": explain_reference(result) if candidate is result.reference else "",
        "why": "" if pareto else explain_beaten(candidate, result),
        "routing": list(figures.routing),
        "blueprint": candidate.text,
    }


def _simplify_number(value: float | None) -> float | int | None:
    return None if value is None else round_number(value)

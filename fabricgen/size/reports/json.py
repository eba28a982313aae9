"""For programs: every figure and the blueprint of each candidate (docs/size.md)."""

from __future__ import annotations

import json
from typing import Any

from fabricgen.design.summary import whole
from fabricgen.size.front import Candidate, off
from fabricgen.size.reports._words import why_beaten
from fabricgen.size.search import Found
from fabricgen.size.shapes import nodes_for


def report(found: Found, *, every: bool) -> bytes:
    """The front, and with `every` what is beaten, as one document."""
    shown = (*found.front, *(found.beaten if every else ()))
    front = {one.name for one in found.front}
    nodes = nodes_for(found.wishes.gpus, found.hardware)
    document = {
        "gpus": found.wishes.gpus,
        "node": found.wishes.node,
        "nodes": nodes,
        "gpus_of_nodes": nodes * found.hardware.gpus_per_node,
        "axes": list(found.axes),
        "tried": len(found.tried),
        "compiled": found.compiled,
        "beaten": len(found.beaten),
        "candidates": [_candidate(one, found, pareto=one.name in front) for one in shown],
        "excluded": [{"why": why, "shapes": count} for why, count in found.reasons],
    }
    return (json.dumps(document, indent=2) + "\n").encode()


def _candidate(one: Candidate, found: Found, *, pareto: bool) -> dict[str, Any]:
    figures, shape = one.figures, one.shape
    return {
        "name": one.name,
        "tiers": shape.tiers,
        "planes": shape.planes,
        "switch": shape.switch,
        "like": list(found.hardware.switches.get(shape.switch, ())),
        "switches": dict(figures.switches),
        "links": figures.links,
        "cables": figures.cables,
        "cables_by_kind": dict(sorted(figures.cables_by_kind.items())),
        "optics": figures.optics,
        "optics_by_kind": dict(sorted(figures.optics_by_kind.items())),
        "power_w": _number(figures.power_w),
        "power_basis": figures.power_basis,
        "switch_power_w": _number(figures.switch_power_w),
        "optics_power_w": _number(figures.optics_power_w),
        "nodes_power_w": _number(figures.nodes_power_w),
        "price": _number(figures.price),
        "unpriced": figures.unpriced,
        "without_price": list(figures.without_price),
        "hops": figures.hops,
        "latency_ns": _number(figures.latency_ns),
        "longest_m": _number(figures.longest_m),
        "bisection": _number(figures.bisection),
        "racks": figures.racks,
        "network_racks": figures.network_racks,
        "growth": figures.growth,
        "lost": {tier: dict(lost) for tier, lost in figures.lost.items()},
        "nic_links": figures.nic_links,
        "nics_cut_off": {"link": int(figures.nic_links == 1), "switch": figures.nics_cut_off},
        "near": [
            {"name": other.name, "planes": other.shape.planes, "off": {a: round(p, 4) for a, p in parts.items()}}
            for other in found.near.get(one.name, ())
            for parts in [off(one, other, found.axes)]
        ],
        "alike": [other.name for other in one.alike],
        "pareto": pareto,
        "why": "" if pareto else why_beaten(one, found),
        "blueprint": one.text,
    }


def _number(value: float | None) -> float | int | None:
    return None if value is None else whole(value)

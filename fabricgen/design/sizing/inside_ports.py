"""Ports that each switch of a tier needs for links inside the tier: to its pair, to other sites, and along meshes."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fabricgen.blueprint.sections.fabric import SpanSpec
from fabricgen.design.inside.meshes import demand_mesh_ports
from fabricgen.design.ports import PortDemand, PortKind, find_down_class, find_largest, find_up_class
from fabricgen.design.shape import count_units_below
from fabricgen.design.tiers import TierSpec

DUPLEX_KM = 10
"""Spans longer than this, km, need coherent optics with one link each, so that a cage carries one link (OIF 400ZR)."""


def demand_inside_ports(
    spec: TierSpec, spans: Mapping[str, SpanSpec], sizes: Mapping[str, int], main: PortKind | None, count: int
) -> tuple[PortDemand, ...]:
    """Return the ports that each of `count` switches of a group needs for links inside its tier: for pairs or spans,
    then for meshes.

    `main` is the kind of its down ports; `sizes` has how many values each inner dimension of the tier has.
    """
    needs = _list_needs(spec, spans, count)
    if not needs and not spec.spec.mesh:
        return ()
    down_class_and_ways = find_down_class(spec.profile, PortDemand(main, 0)) if main else None
    cage = spec.profile.cages[find_up_class(spec.profile, down_class_and_ways[0] if down_class_and_ways else None)]
    default_kind = PortKind(main.speed_gbps if main and down_class_and_ways else cage.speed_gbps, cage.lane_gbps)
    meshes = demand_mesh_ports(spec, sizes, count, default_kind)
    if not needs:
        return meshes
    speed = max(stated or cage.speed_gbps for _, stated in needs)
    # a coherent module for long spans carries one link, so that each port needs a whole cage
    coherent = any(span.km > DUPLEX_KM for span in spans.values()) and speed in cage.breakouts.get(1, ())
    kind, ways, links = PortKind(speed, cage.lane_gbps), 1 if coherent else None, max(number for number, _ in needs)
    peer = spec.spec.peer
    if not peer or not peer.per_su:
        return (PortDemand(kind, links, ways), *meshes)
    ports_with_reserve = (peer.count or 1) * count_units_below(spec.layout, spec.per, by_slot=True)
    return (PortDemand(kind, links, ways, ports_with_reserve, last=True), *meshes)


def find_fewest_switches(spec: TierSpec, fits: Callable[[int], bool], max_count: int) -> int:
    """Return the fewest switches of a group, up to `max_count`, whose ports suffice; 0 if no number suffices."""
    if spec.spec.mesh:
        # links within a group grow with the group: if a number fits, neither more nor fewer switches need to
        return next(filter(fits, range(1, max_count + 1)), 0)
    # fewer switches are harder to fit: `find_largest` finds how many of `max_count` can be left out
    if not fits(max_count):
        return 0
    return 1 + max_count - find_largest(lambda left_out: fits(1 + max_count - left_out), max_count)


def _list_needs(spec: TierSpec, spans: Mapping[str, SpanSpec], count: int) -> list[tuple[int, int | None]]:
    """Return (links, speed in Gb/s if stated) of a switch: to its peer, and, for each site with spans, to other
    sites.
    """
    needs: list[tuple[int, int | None]] = []
    peer = spec.spec.peer
    if peer:
        units = count_units_below(spec.layout, spec.per, by_slot=spec.for_reserve) if peer.per_su else 1
        needs.append(((peer.count or 1) * units, peer.speed_gbps))
    for site in sorted({s for span in spans.values() for s in span.between}):
        spans_here = [span for span in spans.values() if site in span.between]
        links = sum(-(-(span.links.count or 1) // count) for span in spans_here)
        needs.append((links, next((s.links.speed_gbps for s in spans_here if s.links.speed_gbps), None)))
    return needs

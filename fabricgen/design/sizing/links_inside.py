"""Links inside a tier as it is sized: how many ports each switch needs for its pair, for other sites and along
dimensions, and who meets by them.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count as count_from

from fabricgen.blueprint.beside.lock import PORTS
from fabricgen.blueprint.models import make_natural_key
from fabricgen.blueprint.sections.fabric import Fabric, SpanSpec
from fabricgen.blueprint.sections.mesh import MeshSpec
from fabricgen.design.fabric_model import TierKey
from fabricgen.design.inside.links import Mesh
from fabricgen.design.inside.meshes import count_mesh_ports, list_grid, list_mesh_sizes
from fabricgen.design.ports import PortDemand, PortKind, PortRun, find_down_class, find_up_class
from fabricgen.design.shape import count_units_below, find_scope
from fabricgen.design.sizing.sized_tier import SizedTier
from fabricgen.design.tiers import TierSpec
from fabricgen.kernel.diagnostics import fault

DUPLEX_KM = 10
"""Spans longer than this, km, need coherent optics with one link each, so that a cage carries one link (OIF 400ZR)."""


def demand_inside_ports(
    spec: TierSpec, spans: Mapping[str, SpanSpec], sizes: Mapping[str, int], main: PortKind | None, count: int
) -> tuple[PortDemand, ...]:
    """Return the ports that each of `count` switches of a group needs for links inside its tier: for pairs or spans,
    then for meshes.

    `main` is the kind of its down ports; `sizes` has how many values each inner dimension of the tier has.
    """
    links_and_speeds = _list_needs(spec, spans, count)
    if not links_and_speeds and not spec.spec.mesh:
        return ()
    down_class_and_ways = find_down_class(spec.profile, PortDemand(main, 0)) if main else None
    cage = spec.profile.cages[find_up_class(spec.profile, down_class_and_ways[0] if down_class_and_ways else None)]
    default_kind = PortKind(main.speed_gbps if main and down_class_and_ways else cage.speed_gbps, cage.lane_gbps)
    meshes = _demand_mesh_ports(spec, sizes, count, default_kind)
    if not links_and_speeds:
        return meshes
    # without a stated speed pairs and spans have that of the uplink cages, as nothing below them needs to match it
    speed = max(stated or cage.speed_gbps for _, stated in links_and_speeds)
    # a coherent module for long spans carries one link, so that each port needs a whole cage
    coherent = any(span.km > DUPLEX_KM for span in spans.values()) and speed in cage.breakouts.get(1, ())
    kind, links_per_cage, link_count = (
        PortKind(speed, cage.lane_gbps),
        1 if coherent else None,
        max(number for number, _ in links_and_speeds),
    )
    peer = spec.spec.peer
    # only links of units are numbered for units to come: further links of other pairs and spans lie before the first
    # ones, whose ports the lock keeps
    numbered = (peer.count or 1) * count_units_below(spec.layout, spec.per, by_slot=True) if peer and peer.per_su else 0
    return (PortDemand(kind, link_count, links_per_cage, numbered, last=numbered > 0), *meshes)


def _list_needs(spec: TierSpec, spans: Mapping[str, SpanSpec], count: int) -> list[tuple[int, int | None]]:
    """Return the links that a switch needs inside its tier, as (links, stated speed in Gb/s or None): an entry for
    those to its peer, if it has one, and one for each site with spans. `count` is how many switches share the links of
    a span.
    """
    links_and_speeds: list[tuple[int, int | None]] = []
    peer = spec.spec.peer
    if peer:
        units = count_units_below(spec.layout, spec.per, by_slot=spec.for_reserve) if peer.per_su else 1
        links_and_speeds.append(((peer.count or 1) * units, peer.speed_gbps))
    for site in sorted({s for span in spans.values() for s in span.between}):
        spans_here = [span for span in spans.values() if site in span.between]
        links = sum(-(-(span.links.count or 1) // count) for span in spans_here)
        links_and_speeds.append((links, next((s.links.speed_gbps for s in spans_here if s.links.speed_gbps), None)))
    return links_and_speeds


def _demand_mesh_ports(
    spec: TierSpec, sizes: Mapping[str, int], count: int, default_kind: PortKind
) -> tuple[PortDemand, ...]:
    """Return the ports of each of `count` switches of a group for the meshes of its tier, in the order of
    `_order_meshes`.

    A mesh that states no speed has that of `default_kind`.
    """
    demands = []
    for dimension, mesh in _order_meshes(spec):
        mesh_sizes = list(list_mesh_sizes(spec.layout, spec.per, sizes, list_grid(spec, count), dimension))
        used = max((count_mesh_ports(mesh, size.last, count) for size in mesh_sizes), default=0)
        numbered = max((count_mesh_ports(mesh, size.span, count) for size in mesh_sizes), default=0)
        kind = default_kind._replace(speed_gbps=mesh.links.speed_gbps or default_kind.speed_gbps)
        demands.append(PortDemand(kind, used, None, numbered, last=True))
    return tuple(demands)


def _order_meshes(spec: TierSpec) -> list[tuple[str, MeshSpec]]:
    """Return the meshes of a tier in the order in which they take ports: the mesh along its places, which grows, comes
    last.
    """
    return sorted(spec.spec.mesh.items(), key=lambda name_and_mesh: name_and_mesh[0] == find_scope(spec.per))


def make_links_inside(fabric: Fabric, spec: TierSpec, sized: SizedTier) -> tuple[Mesh, ...]:
    """Return the links inside a sized tier: those of its pairs or spans, then those of its meshes in the order of their
    runs.

    Raises InputError (FG107, FG012) for an odd number of switches in pairs, for spans beside pairs, for spans of a tier
    that is not per site or between sites that do not exist, and for links that switches do not share equally.
    """
    runs_and_demands = list(zip(sized.placement.peers, sized.demand.peers, strict=True))
    stated_meshes, meshes_made = _order_meshes(spec), list[Mesh]()
    # Links of pairs or of spans have a run of ports too, the first, and are no stated mesh.
    if len(runs_and_demands) > len(stated_meshes):
        (run, demand), *runs_and_demands = runs_and_demands
        if spec.spec.peer:
            meshes_made.append(_make_peer_links(fabric, spec, sized.count, run, demand))
        else:
            meshes_made += _make_spans(fabric, spec, sized, run)
    for (dimension, mesh), (run, demand) in zip(stated_meshes, runs_and_demands, strict=True):
        path, links = (*spec.path, "mesh", dimension), mesh.links.count or 1
        pairs = tuple(pair[:2] for pair in mesh.pairs)
        meshes_made.append(
            Mesh("mesh", dimension, links, run, demand.needed, path, mesh.reach or 0, mesh.spread, pairs)
        )
    return tuple(meshes_made)


def _make_peer_links(fabric: Fabric, spec: TierSpec, count: int, run: PortRun, demand: PortDemand) -> Mesh:
    """Return the links of the pairs of a tier of `count` switches a group.

    Raises InputError (FG107) if the number is odd, or if the fabric has spans as well.
    """
    path = (*spec.path, "peer")
    if count % 2:
        message = f"peer links join pairs, and a group of {spec.name} has {count} switches"
        raise fault("FG107", message, path=path, hint="state an even `count`")
    if fabric.spans:
        raise fault("FG107", "a tier with `spans` has no peer links", path=path, hint=f"take `peer` off {spec.name}")
    return Mesh("peer", "", run.count, run, demand.needed, path)


def _make_spans(fabric: Fabric, spec: TierSpec, sized: SizedTier, run: PortRun) -> list[Mesh]:
    """Return the spans of a fabric between its sites.

    Raises InputError for sites that do not exist (FG012), for a tier that is not per site, and for links that the
    switches of a site do not share equally (FG107).
    """
    path, layout = (*spec.path[:2], "spans"), spec.layout
    if find_scope(spec.per) != "site":
        raise fault(
            "FG107",
            f"spans join sites, and {spec.name} is not per site",
            path=path,
            hint="give pods a `site` each, and put a border tier per site above the spines",
        )
    spans: list[Mesh] = []
    for name, span in sorted(fabric.spans.items(), key=lambda name_and_span: make_natural_key(name_and_span[0])):
        unknown_sites = [site for site in span.between if site not in layout.sites]
        if unknown_sites or span.between[0] == span.between[1]:
            raise fault(
                "FG012",
                f"span {name} joins {span.between[0]} and {span.between[1]}; sites are {', '.join(layout.sites)}",
                path=(*path, name, "between"),
            )
        switches = sized.count * (sized.groups // len(layout.sites))
        links = span.links.count or 1
        # The hint has the multiples of `switches` next below (but not 0) and next above.
        if links % switches:
            raise fault(
                "FG107",
                f"span {name} has {links} links, which {switches} {spec.name} switches a site do not share equally",
                path=(*path, name, "links"),
                hint=f"use {links // switches * switches or switches} or {-(-links // switches) * switches}",
            )
        first_site, second_site = (layout.sites.index(site) for site in span.between)
        numbers = layout.site_numbers[first_site], layout.site_numbers[second_site]
        mesh = Mesh("spans", "site", links // switches, run, run.count, (*path, name), pairs=(numbers,))
        spans.append(
            mesh._replace(name=name, sites=(first_site, second_site), km=span.km, fibre_pairs=span.fibre_pairs or links)
        )
    return _add_first_ports(spans, run, spec)


def name_ports_holder(tier: TierKey, span: str = "", site: str = "") -> str:
    """Return the lock's name for a count of ports for links inside a tier. Without a span it is how many ports for
    links to peers there were at first: `ports of compute leaf peers`. With a span and a site it is how many ports there
    are from the span's first one to the last of the run: `ports of wan border span atlantic at east`.
    """
    return f"{PORTS}{tier.text} " + (f"span {span} at {site}" if span else "peers")


def _add_first_ports(spans: list[Mesh], run: PortRun, spec: TierSpec) -> list[Mesh]:
    """Return the spans with their first ports at both sites: spans that the lock knows keep theirs, other spans follow
    in turn. If they do not all fit so, every span gets its ports anew.

    Ports are counted from the last one of the run down: those of further spans lie before them.
    """
    ports_of_spans = {span.name: -(-span.links // run.links_per_connector) * run.links_per_connector for span in spans}
    ends_in_lock, tier_key, sites = spec.layout.lock.rooms, TierKey(spec.fabric, spec.name), spec.layout.sites
    # 0 for a span that the lock does not know at a site
    kept_ends = {
        span.name: [ends_in_lock.get(name_ports_holder(tier_key, span.name, sites[site]), 0) for site in span.sites]
        for span in spans
    }
    kept_spans = sorted((span for span in spans if all(kept_ends[span.name])), key=lambda span: kept_ends[span.name])
    ends_by_span: dict[str, list[int]] = {}
    used_by_site: dict[int, set[int]] = {site: set() for span in spans for site in span.sites}
    for span in [*kept_spans, *(span for span in spans if span not in kept_spans)]:
        span_ports = ports_of_spans[span.name]
        for site, end in zip(span.sites, kept_ends[span.name], strict=True):
            # an end is counted from the last port of the run; a span that the lock does not know takes the next free
            # ports
            free_ends = (
                candidate
                for candidate in count_from(max(end, span_ports))
                if used_by_site[site].isdisjoint(range(candidate - span_ports, candidate))
            )
            chosen_end = next(free_ends)
            used_by_site[site].update(range(chosen_end - span_ports, chosen_end))
            ends_by_span.setdefault(span.name, []).append(chosen_end)
    # if nothing is kept, or if kept ports no longer fit: all spans side by side, from the last port down
    if not kept_spans or max(map(max, ends_by_span.values())) > run.count:
        next_end = dict.fromkeys(used_by_site, run.count)
        for span in spans:
            ends_by_span[span.name] = [next_end[site] for site in span.sites]
            next_end |= {site: next_end[site] - ports_of_spans[span.name] for site in span.sites}
    return [
        span._replace(first_ports=(run.count - ends_by_span[span.name][0], run.count - ends_by_span[span.name][1]))
        for span in spans
    ]

"""Links inside a tier: between the switches of a pair, or between the border switches of several sites."""

from __future__ import annotations

from itertools import count

from fabricgen.blueprint.beside.lock import PORTS
from fabricgen.blueprint.models import make_natural_key
from fabricgen.blueprint.sections.fabric import Fabric
from fabricgen.design.fabric_model import TierKey
from fabricgen.design.inside.links import PeerLinks, SiteSpan
from fabricgen.design.ports import PortRun
from fabricgen.design.shape import count_units_below, find_scope
from fabricgen.design.sizing.sized_tier import SizedTier
from fabricgen.design.tiers import TierSpec
from fabricgen.kernel.diagnostics import fault


def make_peer_links(fabric: Fabric, spec: TierSpec, sized: SizedTier) -> PeerLinks | None:
    """Return the links of pairs or spans inside a sized tier; None if it has none.

    Raises InputError (FG107, FG012) for an odd number of switches in pairs, and for spans that cannot be.
    """
    if len(sized.placement.peers) == len(spec.spec.mesh):
        return None
    run = sized.placement.peers[0]
    if spec.spec.peer:
        if sized.count % 2:
            raise fault(
                "FG107",
                f"peer links join pairs, and a group of {spec.name} has {sized.count} switches",
                path=(*spec.path, "peer"),
                hint="state an even `count`",
            )
        if fabric.spans:
            raise fault(
                "FG107",
                "a tier with `spans` has no peer links",
                path=(*spec.path, "peer"),
                hint=f"take `peer` off {spec.name}",
            )
        per_unit = (spec.spec.peer.count or 1) if spec.spec.peer.per_su else 0
        return PeerLinks(run, (), max(run.count, per_unit * count_units_below(spec.layout, spec.per, by_slot=True)))
    return PeerLinks(run, _make_spans(fabric, spec, sized))


def _make_spans(fabric: Fabric, spec: TierSpec, sized: SizedTier) -> tuple[SiteSpan, ...]:
    """Return the spans of a fabric between its sites.

    Raises InputError for sites that do not exist (FG012), for a tier that is not per site, and for links that the
    switches of a site do not share equally (FG107).
    """
    path = (*spec.path[:2], "spans")
    if find_scope(spec.per) != "site":
        raise fault(
            "FG107",
            f"spans join sites, and {spec.name} is not per site",
            path=path,
            hint="give pods a `site` each, and put a border tier per site above the spines",
        )
    spans: list[SiteSpan] = []
    for name, span in sorted(fabric.spans.items(), key=lambda name_and_span: make_natural_key(name_and_span[0])):
        unknown = [site for site in span.between if site not in spec.layout.sites]
        if unknown or span.between[0] == span.between[1]:
            raise fault(
                "FG012",
                f"span {name} joins {span.between[0]} and {span.between[1]}; sites are {', '.join(spec.layout.sites)}",
                path=(*path, name, "between"),
            )
        switches = sized.count * (sized.groups // len(spec.layout.sites))
        links = span.links.count or 1
        if links % switches:
            raise fault(
                "FG107",
                f"span {name} has {links} links, which {switches} {spec.name} switches a site do not share equally",
                path=(*path, name, "links"),
                hint=f"use {links // switches * switches or switches} or {-(-links // switches) * switches}",
            )
        a, b = (spec.layout.sites.index(site) for site in span.between)
        spans.append(
            SiteSpan(name, (a, b), links // switches, (0, 0), span.km, span.fibre_pairs or links, (*path, name))
        )
    return _add_first_ports(spans, sized.placement.peers[0], spec)


def name_ports_holder(tier: TierKey, span: str = "", site: str = "") -> str:
    """Return the lock's name for how far from the last port of the run the ports of a span at a site reach; without a
    span, its name for how many ports for links to peers there were at first.
    """
    return f"{PORTS}{tier.text} " + (f"span {span} at {site}" if span else "peers")


def _add_first_ports(spans: list[SiteSpan], run: PortRun, spec: TierSpec) -> tuple[SiteSpan, ...]:
    """Return the spans with their first ports at both sites: spans that the lock knows keep theirs, others follow in
    turn.

    Ports are counted from the last one of the run down: those of further spans lie before them.
    """
    ports_of_spans = {span.name: -(-span.links // run.per_connector) * run.per_connector for span in spans}
    ends_in_lock, key, sites = spec.layout.lock.rooms, TierKey(spec.fabric, spec.name), spec.layout.sites
    kept_ends = {
        s.name: [ends_in_lock.get(name_ports_holder(key, s.name, sites[site]), 0) for site in s.sites] for s in spans
    }
    kept_spans = sorted((span for span in spans if all(kept_ends[span.name])), key=lambda span: kept_ends[span.name])
    ends: dict[str, list[int]] = {}
    used_by_site: dict[int, set[int]] = {site: set() for span in spans for site in span.sites}
    for span in [*kept_spans, *(span for span in spans if span not in kept_spans)]:
        span_ports = ports_of_spans[span.name]
        for site, end in zip(span.sites, kept_ends[span.name], strict=True):
            # an end is counted from the last port of the run; a span that the lock does not know takes the next free
            # ports
            free_ends = (
                candidate
                for candidate in count(max(end, span_ports))
                if used_by_site[site].isdisjoint(range(candidate - span_ports, candidate))
            )
            chosen_end = next(free_ends)
            used_by_site[site].update(range(chosen_end - span_ports, chosen_end))
            ends.setdefault(span.name, []).append(chosen_end)
    # if nothing is kept, or if kept ports no longer fit: all spans side by side, from the last port down
    if not kept_spans or max(map(max, ends.values())) > run.count:
        next_end = dict.fromkeys(used_by_site, run.count)
        for span in spans:
            ends[span.name] = [next_end[site] for site in span.sites]
            next_end |= {site: next_end[site] - ports_of_spans[span.name] for site in span.sites}
    return tuple(s._replace(first=(run.count - ends[s.name][0], run.count - ends[s.name][1])) for s in spans)

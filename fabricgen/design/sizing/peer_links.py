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
from fabricgen.design.sizing.tiers import SizedTier
from fabricgen.design.tiers import TierSpec
from fabricgen.kernel.diagnostics import fault


def make_peer_links(fabric: Fabric, spec: TierSpec, sized: SizedTier) -> PeerLinks | None:
    """The links of pairs or spans inside a sized tier; None where there are none.

    Raises InputError for an odd number of switches in pairs, and for spans to sites that do not exist.
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
    # the spans of a fabric between its sites; raises InputError (FG012, FG107) for sites or numbers that cannot be
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
        total = span.links.count or 1
        if total % switches:
            raise fault(
                "FG107",
                f"span {name} has {total} links, which {switches} {spec.name} switches a site do not share equally",
                path=(*path, name, "links"),
                hint=f"use {total // switches * switches or switches} or {-(-total // switches) * switches}",
            )
        a, b = (spec.layout.sites.index(site) for site in span.between)
        spans.append(
            SiteSpan(name, (a, b), total // switches, (0, 0), span.km, span.fibre_pairs or total, (*path, name))
        )
    return _add_first_ports(spans, sized.placement.peers[0], spec)


def name_ports_holder(tier: TierKey, span: str = "", site: str = "") -> str:
    """What the lock calls the ports of a span at a site, which it has as counted from the last of the run; without a
    span, those for links to peers, of which it has how many there were at first.
    """
    return f"{PORTS}{tier.text} " + (f"span {span} at {site}" if span else "peers")


def _add_first_ports(spans: list[SiteSpan], run: PortRun, spec: TierSpec) -> tuple[SiteSpan, ...]:
    """The spans with their first ports at both sites: in turn, but for those that the lock knows, which keep theirs.

    Ports are counted from the last one then: those that come with further spans lie before them.
    """
    rooms = {span.name: -(-span.links // run.per_connector) * run.per_connector for span in spans}
    rooms_kept, key, sites = spec.layout.lock.rooms, TierKey(spec.fabric, spec.name), spec.layout.sites
    kept_ends = {
        s.name: [rooms_kept.get(name_ports_holder(key, s.name, sites[site]), 0) for site in s.sites] for s in spans
    }
    kept_spans = sorted((span for span in spans if all(kept_ends[span.name])), key=lambda span: kept_ends[span.name])
    ends: dict[str, list[int]] = {}
    used_by_site: dict[int, set[int]] = {site: set() for span in spans for site in span.sites}
    for span in [*kept_spans, *(span for span in spans if span not in kept_spans)]:
        room = rooms[span.name]
        for site, end in zip(span.sites, kept_ends[span.name], strict=True):
            # `end` is how far from the last port a span's room reaches; one without a place in the lock takes the next
            # that is free
            free = (last for last in count(max(end, room)) if used_by_site[site].isdisjoint(range(last - room, last)))
            last = next(free)
            used_by_site[site].update(range(last - room, last))
            ends.setdefault(span.name, []).append(last)
    # nothing is kept, or what is kept no longer fits: all spans side by side, from the last port down
    if not kept_spans or max(map(max, ends.values())) > run.count:
        next_end = dict.fromkeys(used_by_site, run.count)
        for span in spans:
            ends[span.name] = [next_end[site] for site in span.sites]
            next_end |= {site: next_end[site] - rooms[span.name] for site in span.sites}
    return tuple(s._replace(first=(run.count - ends[s.name][0], run.count - ends[s.name][1])) for s in spans)

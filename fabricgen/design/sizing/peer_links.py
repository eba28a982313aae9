"""Links inside a tier: between the switches of a pair, or between the border switches of several sites."""

from __future__ import annotations

from fabricgen.blueprint.models import natural
from fabricgen.blueprint.sections.fabric import Fabric
from fabricgen.design.fabric_model import PeerLinks, Span
from fabricgen.design.shape import scope_of, units_below
from fabricgen.design.sizing.tiers import SizedTier
from fabricgen.design.tiers import TierSpec
from fabricgen.kernel.diagnostics import fault


def peer_links_of(fabric: Fabric, spec: TierSpec, sized: SizedTier) -> PeerLinks | None:
    """The links inside a sized tier; None where there are none.

    Raises InputError for an odd number of switches in pairs, and for spans to sites that do not exist.
    """
    if not sized.placement.peers:
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
        return PeerLinks(run, (), max(run.count, per_unit * units_below(spec.layout, spec.per, by_slot=True)))
    return PeerLinks(run, _spans(fabric, spec, sized))


def _spans(fabric: Fabric, spec: TierSpec, sized: SizedTier) -> tuple[Span, ...]:
    path = (*spec.path[:2], "spans")
    if scope_of(spec.per) != "site":
        raise fault(
            "FG107",
            f"spans join sites, and {spec.name} is not per site",
            path=path,
            hint="give pods a `site` each, and put a border tier per site above the spines",
        )
    first: dict[int, int] = {}
    found: list[Span] = []
    for name, span in sorted(fabric.spans.items(), key=lambda item: natural(item[0])):
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
        starts = (first.get(a, 0), first.get(b, 0))
        each = total // switches
        room = -(-each // sized.placement.peers[0].per_connector) * sized.placement.peers[0].per_connector
        first[a], first[b] = starts[0] + room, starts[1] + room
        found.append(Span(name, (a, b), each, starts, span.km, span.fibre_pairs or total, (*path, name)))
    return tuple(found)

"""Size the tiers of fabrics that belong together, from the nodes up: counts, ports, and how tiers meet."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import partial

from fabricgen.blueprint.sections.fabric import SpanSpec
from fabricgen.design.fabric_model import Feed, NodeFeed, TierKey, Uplink
from fabricgen.design.layout import Layout
from fabricgen.design.management import ManagedPorts
from fabricgen.design.ports import Ask, Asks, Face, PortKind, down_class, largest, place, up_class
from fabricgen.design.shape import group_count, scope_of, spans_units
from fabricgen.design.sizing.arithmetic import (
    Ascent,
    Below,
    ascent,
    fit,
    lowers_per_group,
    radix_fault,
    smallest_count,
    too_small,
    upper_count,
)
from fabricgen.design.sizing.down_ports import DownPorts, Reserve
from fabricgen.design.sizing.node_ports import Dealt, NodeDemand, NodePorts
from fabricgen.design.sizing.spread import RunPorts, nests
from fabricgen.design.tiers import TierSpec
from fabricgen.kernel.diagnostics import fault

DUPLEX_KM = 10
"""Beyond this, km, optics are coherent modules of one link each, so that a cage carries one (OIF 400ZR)."""

MANAGEMENT = PortKind(1, 1, rj45=True)
"""What management ports of switches attach to where no nodes' copper ports are to be shared."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A tier that is sized, before it is known how it reaches the next."""

    spec: TierSpec
    groups: int
    count: int
    asks: Asks
    face: Face
    feeds: tuple[Feed, ...]
    node_feeds: dict[str, tuple[NodeFeed, ...]]
    used: tuple[int, ...]
    """Ports of each run that nodes, lower tiers and management ports use on the fullest switch."""
    numbered: tuple[int, ...]
    """Ports of each run that have a number: those of units that are there, or of all reserved ones."""
    reserved: tuple[int, ...]
    """The same with every reserved unit, whether its ports have numbers yet or not."""
    ascent: Ascent | None
    uplink: Uplink | None = None
    for_extras: tuple[tuple[PortKind, int], ...] = ()
    """Ports of each switch that are kept for extra devices, by kind."""
    reach: tuple[int, ...] = ()
    """Ports of each run over which links of lower switches are spread; of runs not named here all."""

    def ports(self, run: int) -> RunPorts:
        """Which down ports of a run serve what."""
        wide = spans_units(self.spec.per)
        return RunPorts(self.face.downs[run], run, self.feeds, self.reach, wide=wide)


class TierSizing:
    """Sizes tiers that are linked with each other."""

    def __init__(
        self,
        layout: Layout,
        specs: Mapping[TierKey, TierSpec],
        sizes: dict[str, dict[str, int]],
        demands: Mapping[TierKey, tuple[NodeDemand, ...]],
        managed: Mapping[TierKey, ManagedPorts],
        reserve: Mapping[tuple[TierKey, PortKind], Reserve],
        spans: Mapping[TierKey, Mapping[str, SpanSpec]],
        crowded: Collection[TierKey],
    ) -> None:
        """`crowded` are lowest tiers where extra devices need the ports that reserved units would have."""
        self._layout, self._specs = layout, specs
        self._sizes = {fabric: dict(own) for fabric, own in sizes.items()}
        self._demands, self._managed, self._reserve, self._spans = demands, managed, reserve, spans
        self._crowded = crowded
        self.drafts: dict[TierKey, Draft] = {}

    def run(self) -> dict[TierKey, Draft]:
        """Size every tier, lower ones first; raises InputError where one cannot be."""
        for key, spec in self._specs.items():
            below = [draft for draft in self.drafts.values() if draft.spec.upper == key]
            draft = self._upper(spec, below) if below else self._lowest(spec)
            self._sizes[spec.fabric][spec.name] = draft.count
            self.drafts[key] = draft
        return self.drafts

    def _more(self, spec: TierSpec, switches: int) -> dict[PortKind, int]:
        """Ports of each switch that extra devices need beside those left over."""
        return {kind: kept.ports(switches) for (key, kind), kept in self._reserve.items() if key == spec.key}

    def _groups(self, spec: TierSpec) -> int:
        return group_count(self._layout, spec.per, self._sizes[spec.fabric])

    def _ascent(self, spec: TierSpec, main: Ask | None) -> Ascent | None:
        upper = self._specs[spec.upper] if spec.upper else None
        sizes = self._sizes[upper.fabric] | {spec.name: 1} if upper else {}
        return ascent(spec, upper, main, sizes)

    def _peer_links(self, spec: TierSpec, main: PortKind | None, count: int) -> tuple[Ask, ...]:
        """Links inside the tier that each of `count` switches of a group has: to its pair, or to other sites."""
        found: list[tuple[int, int | None]] = []
        if spec.spec.peer:
            found.append((spec.spec.peer.count or 1, spec.spec.peer.speed_gbps))
        spans = self._spans.get(spec.key, {})
        for site in sorted({s for span in spans.values() for s in span.between}):
            mine = [span for span in spans.values() if site in span.between]
            total = sum(-(-(span.links.count or 1) // count) for span in mine)
            found.append((total, next((s.links.speed_gbps for s in mine if s.links.speed_gbps), None)))
        if not found:
            return ()
        chosen = down_class(spec.profile, Ask(main, 0)) if main else None
        cage = spec.profile.cages[up_class(spec.profile, chosen[0] if chosen else None)]
        speed = max(s or cage.speed_gbps for _, s in found)
        coherent = any(span.km > DUPLEX_KM for span in spans.values()) and speed in cage.breakouts.get(1, ())
        return (Ask(PortKind(speed, cage.lane_gbps), max(n for n, _ in found), 1 if coherent else None),)

    def _lowest(self, spec: TierSpec) -> Draft:
        """A tier that nodes attach to, or one that hangs below another and has extra devices alone."""
        groups, demands = self._groups(spec), self._demands.get(spec.key, ())
        main = demands[0].kind if demands else next((k for key, k in self._reserve if key == spec.key), None)
        up = self._ascent(spec, DownPorts(spec).ask(main) if main else None)
        nodes = NodePorts(spec, demands)

        def ports_for(dealt: Dealt, *, now: bool) -> tuple[DownPorts, list[tuple[int, int]]]:
            downs = DownPorts(spec)
            places = [downs.add(d.kind, *p) for d, p in zip(demands, nodes.ports(dealt, now=now), strict=True)]
            if spec.key in self._managed:
                more = self._managed[spec.key](scope_of(spec.per), groups * dealt.count, spec.for_reserve)
                places.append(downs.add(main if main and main.rj45 else MANAGEMENT, more, more))
            return downs, places

        def asks_for(dealt: Dealt, *, now: bool = False) -> Asks:
            more = self._more(spec, groups * dealt.count)
            return ports_for(dealt, now=now)[0].asks(more, self._peer_links(spec, main, dealt.count))

        if not nodes.slots and not spec.spec.count:
            raise fault(
                "FG110",
                f"tier {spec.name} has no nodes below it, and no `count`",
                path=spec.path,
                hint="state how many switches a group has",
            )
        dealt = self._dealt(spec, nodes, asks_for, up)
        asks = asks_for(dealt, now=not spec.for_reserve)
        face = fit(spec, asks, up)
        if face is None:
            raise too_small(spec, asks, up)
        downs, places = ports_for(dealt, now=True)
        node_feeds: dict[str, tuple[NodeFeed, ...]] = {}
        for demand, feed in zip(demands, nodes.feeds(dealt, places[: len(demands)]), strict=True):
            node_feeds[demand.fabric] = (*node_feeds.get(demand.fabric, ()), feed)
        feeds: tuple[Feed, ...] = ()
        if spec.key in self._managed:
            more = self._managed[spec.key](scope_of(spec.per), groups * dealt.count, spec.for_reserve)
            feeds = (Feed(TierKey("", ""), *places[-1], more, more),)
        used, numbered = downs.totals(len(face.downs))
        kept = tuple(self._more(spec, groups * dealt.count).items())
        whole, _ = ports_for(replace(dealt, slots=nodes.reserved), now=False)
        reserved = tuple(map(max, numbered, whole.totals(len(face.downs))[1]))
        found = Draft(spec, groups, dealt.count, asks, face, feeds, node_feeds, used, numbered, reserved, up)
        return replace(found, for_extras=kept)

    def _dealt(self, spec: TierSpec, nodes: NodePorts, asks_for: Callable[[Dealt], Asks], up: Ascent | None) -> Dealt:
        """Over how many switches node slots are dealt, and how many have numbers: the reserved ones, if all fit."""

        def counted(slots: tuple[int, ...]) -> Dealt:
            count = smallest_count(spec, list(slots), lambda count: asks_for(Dealt(count, slots)), up)
            return Dealt(count, slots)

        now = counted(nodes.slots)
        dealing = self._dealing(spec)
        if not nodes.grows or dealing == "unit" or (spec.key in self._crowded and not dealing):
            return now
        whole = replace(now, slots=nodes.reserved, by_slot=True)
        if spec.for_reserve or fit(spec, asks_for(whole), up):
            return whole
        if not dealing:
            return now
        there = replace(now, slots=nodes.in_use)
        return replace(there if fit(spec, asks_for(there), up) else counted(nodes.in_use), by_slot=True)

    def _upper(self, spec: TierSpec, lowers: list[Draft]) -> Draft:
        """A tier above others: as many switches as land their uplinks equally and have the ports."""
        present = [self._below(spec, draft) for draft in lowers]
        below = [replace(one, now=one.slots) for one in present] if spec.for_reserve else present
        main = DownPorts(spec).ask(below[0].kind)
        up = self._ascent(spec, main)
        groups = self._groups(spec)

        def ports_for(count: int, met: list[Below], *, by_slot: bool) -> tuple[DownPorts, list[tuple[int, int]]]:
            downs = DownPorts(spec)
            places = []
            for one in met:
                share = -(-one.share // count)
                places.append(downs.add(one.kind, one.now * share, one.numbered(by_slot=by_slot) * share))
            return downs, places

        def asks_for(count: int, met: list[Below], *, by_slot: bool) -> Asks:
            more = self._more(spec, groups * count)
            return ports_for(count, met, by_slot=by_slot)[0].asks(more, self._peer_links(spec, below[0].kind, count))

        def fits(count: int, met: list[Below]) -> bool:
            return fit(spec, asks_for(count, met, by_slot=False), up) is not None

        count, met = upper_count(spec, below, fits)
        if not count:
            raise radix_fault(spec, below, up, main)
        full = asks_for(count, met, by_slot=True)
        full = replace(full, downs=tuple(replace(ask, count=ask.needed) for ask in full.downs))
        dealing, roomy = self._dealing(spec), spec.for_reserve or fit(spec, full, up) is not None
        by_slot = dealing == "slot" or (roomy and not dealing)
        if by_slot and not roomy:
            met = [replace(one, slots=one.numbered(by_slot=False)) for one in met]
        asks = asks_for(count, met, by_slot=by_slot)
        face = fit(spec, asks, up)
        if face is None:
            raise too_small(spec, asks, up)
        met = [replace(one, now=now.now) for one, now in zip(met, present, strict=True)]
        downs, places = ports_for(count, met, by_slot=by_slot)
        feeds = []
        for draft, one, (run, first) in zip(lowers, met, places, strict=True):
            share = -(-one.share // count)
            room = one.numbered(by_slot=by_slot)
            per = face.downs[run].per_connector
            nested = self._meet(draft, spec, count, one, by_slot=by_slot, per_connector=per)
            feeds.append(Feed(draft.spec.key, run, first, one.now * share, room * share, share, nested))
        used, numbered = downs.totals(len(face.downs))
        reach = self._reach(spec, asks, up)
        kept = tuple(self._more(spec, groups * count).items())
        found = Draft(spec, groups, count, asks, face, tuple(feeds), {}, used, numbered, numbered, up, for_extras=kept)
        return replace(found, reach=(reach,))

    def _reach(self, spec: TierSpec, asks: Asks, up: Ascent | None) -> int:
        """The most chief down ports of an upper switch: these stay the same while lower switches become more."""
        bare = DownPorts(spec).ask(asks.downs[0].kind)

        def holds(ports: int) -> bool:
            ask = replace(bare, count=max(0, ports - spec.spec.spare_ports), ports=ports)
            return fit(spec, replace(asks, downs=(ask,)), up) is not None

        chosen = down_class(spec.profile, bare)
        return largest(holds, spec.profile.most_ports(*chosen)) if chosen else 0

    def _dealing(self, spec: TierSpec) -> str:
        """How the lock says that down ports of a tier are numbered: by reserved `slot`, by `unit`, or not at all."""
        return self._layout.numbering.dealing.get(f"{spec.fabric} {spec.name}", "")

    def _below(self, upper: TierSpec, draft: Draft) -> Below:
        """A lower neighbour as an upper group sees it."""
        up = draft.ascent
        assert up is not None  # noqa: S101 - it is linked up to this tier
        assert draft.face.up is not None  # noqa: S101 - the same
        sizes = self._sizes[draft.spec.fabric]
        now, slots, in_use = lowers_per_group(self._layout, draft.spec, draft.count, upper, sizes)
        least = in_use if self._dealing(upper) == "slot" else 0
        share = draft.face.up.count // up.groups_met
        return Below(draft.spec.name, up.kind, now, slots, share, least, partial(self._can_stretch, draft, up))

    def _can_stretch(self, draft: Draft, up: Ascent, share: int) -> bool:
        stated = draft.spec.spec.uplinks
        return not (stated and stated.count) and self._stretched(draft, up, share) is not None

    def _stretched(self, draft: Draft, up: Ascent, share: int) -> Face | None:
        """The face of a lower switch with so many links to each upper group."""
        return place(draft.spec.profile, draft.asks.upward(share * up.groups_met, up.kind))

    def _meet(
        self, draft: Draft, upper: TierSpec, count: int, one: Below, *, by_slot: bool, per_connector: int
    ) -> bool:
        """Complete a lower tier with how it reaches this one; returns whether the links nest."""
        up, face = draft.ascent, draft.face
        assert up is not None  # noqa: S101 - it is linked up to this tier
        assert face.up is not None  # noqa: S101 - the same
        if one.share != face.up.count // up.groups_met:
            face = self._stretched(draft, up, one.share) or face
        assert face.up is not None  # noqa: S101 - the same
        nested = nests(one.share, count, face.up.per_connector, per_connector)
        uplink = Uplink(
            fabric=draft.spec.links_of,
            upper=upper.key,
            upper_groups=up.groups_met,
            links_per_group=one.share,
            upper_count=count,
            lowers_per_group=one.now,
            numbered_lowers=one.numbered(by_slot=by_slot),
            by_slot=by_slot,
            nested=nested,
        )
        self.drafts[draft.spec.key] = replace(draft, face=face, uplink=uplink)
        return nested

"""Extra devices: dealt over the down ports that node slots leave free.

Ports that stay free with every reserved unit come first, place by place from the first, so that growth moves nothing.
Where a tier has too few of them the ports of omitted slots are used, which move with the slot. Ports that nodes of
reserved units will take come last, whether these ports have numbers yet or not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from fabricgen.design.extras.demands import ExtraDemand
from fabricgen.design.extras.kept_ports import KeptPorts, Port
from fabricgen.design.fabric_model import ExtraLink, ExtraSet, TierKey
from fabricgen.design.names.switches import SwitchNames
from fabricgen.design.names.templates import with_own
from fabricgen.design.ports import PortKind
from fabricgen.design.shape import place_numbers, scope_count, scope_of, site_of_place
from fabricgen.design.sizing.node_ports import NodeDemand
from fabricgen.design.sizing.tiers import Draft
from fabricgen.design.tiers import FabricContext
from fabricgen.kernel.diagnostics import did_you_mean, fault


class ExtraDealer:
    """Hands out the free ports of sized tiers."""

    def __init__(
        self,
        context: FabricContext,
        drafts: Mapping[TierKey, Draft],
        demands: Mapping[TierKey, Sequence[NodeDemand]],
        sizes: Mapping[str, Mapping[str, int]],
    ) -> None:
        self._context, self._layout = context, context.layout
        self._drafts, self._demands, self._sizes = drafts, demands, sizes
        self._taken: set[tuple[TierKey, int, int, int]] = set()
        self._kept = KeptPorts(context.layout, drafts, sizes)

    def run_of(self, key: TierKey, kind: PortKind) -> int | None:
        """The tier's run of down ports of a kind."""
        kinds = [ask.kind for ask in self._drafts[key].asks.downs]
        return kinds.index(kind) if kind in kinds else None

    def available(self, key: TierKey, kind: PortKind) -> int:
        """Free ports of a kind, those of omitted slots included."""
        run = self.run_of(key, kind)
        if run is None:
            return 0
        draft = self._drafts[key]
        return len(self._spare(draft, run, draft.numbered)) * draft.groups * draft.count + len(self._holes(draft, run))

    def keep(self, demands: Sequence[ExtraDemand]) -> None:
        """Let devices keep the ports that the lock has for them, also those that are gone, before any are dealt."""
        for demand in demands:
            run = self.run_of(demand.tier, demand.kind)
            if run is not None:
                draft = self._drafts[demand.tier]
                usable = {*draft.ports(run).left_over(draft.numbered[run])}
                holes = {*self._holes(draft, run)}
                self._kept.note(demand, run, self._allowed(draft, demand), usable, holes)
        self._taken |= self._kept.taken

    def deal(self, demand: ExtraDemand, wanted: int) -> ExtraSet:
        """Attach some devices; `wanted` is what all that share these ports want.

        The ports of one device land on different switches where there are enough. Raises InputError when no port is
        left.
        """
        draft, run = self._drafts[demand.tier], self.run_of(demand.tier, demand.kind)
        legs = range(len(demand.attachment.legs))
        kept = self._kept.of(demand)
        pairs = [pair for device in range(len(demand.devices)) for leg in legs if (pair := (device, leg)) not in kept]
        free = self._free_ports(draft, run, demand, wanted) if run is not None else iter(())
        ports = list(islice(free, len(pairs)))
        if len(ports) < len(pairs) or run is None:
            where = "of the switches named" if demand.spec.switches else f"of {demand.tier.tier}"
            raise fault(
                "FG104",
                f"{demand.name} needs {demand.ports} down ports of {demand.kind.speed_gbps}G {where}, "
                f"{len(ports) + len(kept)} are free",
                path=demand.path,
                hint=f"state a higher `count` of {demand.tier.tier}, omit a node slot (`omit`), or take a larger "
                "switch",
            )
        self._taken |= {(demand.tier, run, switch, port) for switch, port, _ in ports}
        found = kept | dict(zip(pairs, ports, strict=True))
        links = tuple(ExtraLink(*pair, switch, port, hole) for pair, (switch, port, hole) in sorted(found.items()))
        return ExtraSet(demand.name, demand.attachment, demand.devices, demand.tier, run, links, demand.path)

    def _spare(self, draft: Draft, run: int, numbered: Sequence[int]) -> tuple[int, ...]:
        """Ports of a run beyond those that are numbered, but for those that are to stay spare."""
        ports = draft.ports(run).left_over(numbered[run])
        kept = draft.spec.spec.spare_ports if run == 0 else 0
        per = draft.face.downs[run].per_connector
        first = -(-numbered[run] // per) * per
        return ports[: max(0, draft.face.downs[run].capacity - first - kept)]

    def _free_ports(self, draft: Draft, run: int, demand: ExtraDemand, wanted: int) -> Iterator[Port]:
        """Free ports in the order they are used; the switches of a place take turns."""
        allowed = self._allowed(draft, demand)
        for switch, port, hole in self._ports(draft, run, wanted, demand):
            if switch in allowed and (draft.spec.key, run, switch, port) not in self._taken:
                yield switch, port, hole

    def _ports(self, draft: Draft, run: int, wanted: int, demand: ExtraDemand) -> Iterator[Port]:
        lasting = self._spare(draft, run, draft.reserved)
        roomy = wanted <= len(lasting) * draft.groups * draft.count
        if not roomy:
            yield from _in_turns(self._holes(draft, run))
        yield from self._by_place(draft, lasting, demand)
        if roomy:
            yield from _in_turns(self._holes(draft, run))
        growing = [port for port in self._spare(draft, run, draft.numbered) if port not in lasting]
        yield from self._by_place(draft, growing, demand)

    def _by_place(self, draft: Draft, ports: Sequence[int], demand: ExtraDemand) -> Iterator[Port]:
        """Some ports of every switch, or of those that extra devices name."""
        if demand.spec.switches:
            named = self._named(draft, demand)
            yield from ((switch, port, False) for port in ports for switch in named)
            return
        numbers = place_numbers(self._layout, scope_of(draft.spec.per))
        each = draft.groups * draft.count // len(numbers)
        for place in sorted(range(len(numbers)), key=lambda place: numbers[place]):
            for port in ports:
                for switch in range(place * each, (place + 1) * each):
                    yield switch, port, False

    def _allowed(self, draft: Draft, demand: ExtraDemand) -> set[int]:
        switches = draft.groups * draft.count
        named = self._named(draft, demand) if demand.spec.switches else range(switches)
        sites = self._layout.sites
        if len(sites) == 1:
            return set(named)
        scope = scope_of(draft.spec.per)
        each = switches // scope_count(self._layout, scope)
        wanted = sites.index(demand.spec.site) if demand.spec.site else self._layout.first_site
        here = {s for s in named if site_of_place(self._layout, scope, s // each) == wanted}
        if demand.spec.switches and len(here) < len(set(named)):
            raise fault(
                "FG012",
                f"{demand.name} stands at {sites[wanted]}, and switches that it names stand elsewhere",
                path=(*demand.path, "switches"),
                hint="state the `site` where these switches are",
            )
        return here

    def _named(self, draft: Draft, demand: ExtraDemand) -> list[int]:
        """The switches that extra devices name, in that order."""
        spec = draft.spec
        naming = SwitchNames(self._context.blueprint, self._layout, spec.fabric, spec.name, spec.per)
        naming.check(self._sizes[spec.fabric], draft.count)
        names = with_own(self._context.blueprint, naming.of(self._sizes[spec.fabric], draft.count))
        number = {name: i for i, name in enumerate(names)}
        for i, name in enumerate(demand.spec.switches):
            if name not in number:
                raise fault(
                    "FG016",
                    f"there is no {spec.name} switch '{name}'",
                    path=(*demand.path, "switches", i),
                    hint=did_you_mean(name, names),
                )
        return [number[name] for name in demand.spec.switches]

    def _holes(self, draft: Draft, run: int) -> list[tuple[int, int]]:
        """(switch, port) of every omitted node slot of a run."""
        found = []
        for demand in self._demands.get(draft.spec.key, ()):
            for feed in draft.node_feeds[demand.fabric]:
                if feed.run == run and feed.attachments == demand.attachments:
                    for group, slot in demand.table.numbered(by_slot=feed.by_slot).holes():
                        switch, port = feed.deal(slot, draft.count)
                        found.append((group * draft.count + switch, port))
        return found


def _in_turns(holes: list[tuple[int, int]]) -> Iterator[Port]:
    """Ports of omitted slots, one of each switch before the second of any."""
    turns: dict[int, int] = {}
    found: list[tuple[int, int, int]] = []
    for switch, port in holes:
        found.append((turns.get(switch, 0), switch, port))
        turns[switch] = turns.get(switch, 0) + 1
    yield from ((switch, port, True) for _, switch, port in sorted(found))

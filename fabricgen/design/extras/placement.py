"""Assign ports to extra devices, from the down ports that node slots leave free.

Ports that stay free even with every reserved unit come first, place by place, so that growth moves nothing. If a tier
has too few of them, ports of omitted slots are used, which move when the slot does. Ports that nodes of reserved units
will need come last, numbered or not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice, product

from fabricgen.design.extras.demands import ExtraDemand
from fabricgen.design.extras.kept_ports import KeptPorts, Port
from fabricgen.design.fabric_model import ExtraLink, ExtraSet, TierKey
from fabricgen.design.names.switches import SwitchNames
from fabricgen.design.names.templates import apply_stated_names
from fabricgen.design.ports import PortKind
from fabricgen.design.shape import count_places, find_scope, find_site_of_place, number_places
from fabricgen.design.sizing.node_ports import NodeDemand
from fabricgen.design.sizing.sized_tier import SizedTier
from fabricgen.design.tiers import FabricContext
from fabricgen.kernel.diagnostics import did_you_mean, fault
from fabricgen.kernel.grouping import group_pairs


class ExtraPortAllocator:
    """Gives extra devices ports from the free down ports of sized tiers. `run` is the index of a run of these ports."""

    def __init__(
        self,
        context: FabricContext,
        sized_tiers: Mapping[TierKey, SizedTier],
        demands: Mapping[TierKey, Sequence[NodeDemand]],
        sizes: Mapping[TierKey, Mapping[str, int]],
    ) -> None:
        self._context, self._layout = context, context.layout
        self._sized_tiers, self._demands, self._sizes = sized_tiers, demands, sizes
        self._taken: set[tuple[TierKey, int, int, int]] = set()
        """(tier, run, switch of the tier, port in the run) of ports that are given away or kept."""
        self._kept = KeptPorts(context.layout, sized_tiers, sizes)

    def find_run(self, tier: TierKey, kind: PortKind) -> int | None:
        """Return the index of the tier's run of down ports of a kind; None if the tier has no such run."""
        kinds = [down_demand.kind for down_demand in self._sized_tiers[tier].demand.downs]
        return kinds.index(kind) if kind in kinds else None

    def count_available(self, key: TierKey, kind: PortKind) -> int:
        """Return how many ports of a kind are free, including ports of omitted slots."""
        run = self.find_run(key, kind)
        if run is None:
            return 0
        sized = self._sized_tiers[key]
        return len(self._list_spare_ports(sized, run, sized.numbered)) * sized.groups * sized.count + len(
            self._list_holes(sized, run)
        )

    def keep_locked_ports(self, demands: Sequence[ExtraDemand]) -> None:
        """Set aside the ports that the lock gives to devices, present or gone; call it before `allocate_ports`."""
        for demand in demands:
            run = self.find_run(demand.tier, demand.kind)
            if run is not None:
                sized = self._sized_tiers[demand.tier]
                usable = {*sized.find_run_ports(run).list_left_over(sized.numbered[run])}
                holes = {*self._list_holes(sized, run)}
                self._kept.look_up_ports(demand, run, self._find_allowed_switches(sized, demand), usable, holes)
        self._taken |= self._kept.taken

    def allocate_ports(self, demand: ExtraDemand, wanted: int) -> ExtraSet:
        """Give ports to the devices of a demand; `wanted` is how many ports all devices of this tier and kind need
        together.

        The ports of one device go to different switches if there are enough. Raises InputError (FG104) if too few are
        free.
        """
        sized, run = self._sized_tiers[demand.tier], self.find_run(demand.tier, demand.kind)
        kept_ports = self._kept.list_kept_ports(demand)
        device_legs = product(range(len(demand.devices)), demand.legs)
        legs_without_port = [pair for pair in device_legs if pair not in kept_ports]
        free_ports = self._list_free_ports(sized, run, demand, wanted) if run is not None else iter(())
        ports = (
            self._stripe_ports(sized, demand, free_ports, legs_without_port)
            if demand.spec.spread
            else list(islice(free_ports, len(legs_without_port)))
        )
        if len(ports) < len(legs_without_port) or run is None:
            tier_text = "of the switches named" if demand.spec.switches else f"of {demand.tier.name}"
            raise fault(
                "FG104",
                f"{demand.name} needs {demand.ports} down ports of {demand.kind.speed_gbps}G {tier_text}, "
                f"{len(ports) + len(kept_ports)} are free",
                path=demand.path,
                hint=f"state a higher `count` of {demand.tier.name}, omit a node slot (`omit`), or take a larger "
                "switch",
            )
        self._taken |= {(demand.tier, run, switch, port) for switch, port, _ in ports}
        ports_by_leg = kept_ports | dict(zip(legs_without_port, ports, strict=True))
        links = tuple(
            ExtraLink(*pair, switch, port, hole) for pair, (switch, port, hole) in sorted(ports_by_leg.items())
        )
        return ExtraSet(
            demand.name, demand.attachment, demand.devices, demand.tier, run, links, demand.path, demand.kind
        )

    def _stripe_ports(
        self, sized: SizedTier, demand: ExtraDemand, free_ports: Iterable[Port], pairs: Sequence[tuple[int, int]]
    ) -> list[Port]:
        """Return a free port for each (device, leg) of `pairs`. Leg 0 goes to the first switch of a group, leg 1 to the
        second, and so on round the group; of several groups the one that comes first in `free_ports` serves.

        If the blueprint names switches, legs go round their list instead. The result ends before the first leg that
        finds no free port.
        """
        named_switches = self._list_named_switches(sized, demand) if demand.spec.switches else ()
        unused_ports, ports = list(free_ports), list[Port]()
        for _, leg in pairs:
            ports_of_leg = (
                (p for p in unused_ports if p[0] == named_switches[leg % len(named_switches)])
                if named_switches
                # switches of a group are numbered one after another: the remainder is the number in the group
                else (p for p in unused_ports if p[0] % sized.count == leg % sized.count)
            )
            port = next(ports_of_leg, None)
            if port is None:
                break
            unused_ports.remove(port)
            ports.append(port)
        return ports

    def _list_spare_ports(self, sized: SizedTier, run: int, numbered: Sequence[int]) -> tuple[int, ...]:
        """Return the ports of a run, by its index, that are left over on a switch whose first `numbered[run]` ports of
        the run are taken. Those that `spare_ports` and `reserved_ports` keep free are left out.
        """
        ports = sized.find_run_ports(run).list_left_over(numbered[run])
        kept = sized.spec.free_ports if run == 0 else 0
        per = sized.placement.downs[run].links_per_connector
        # the first connector without numbered ports
        first_port = -(-numbered[run] // per) * per
        # ports that a lock has given need not be the first ones, so that they cannot be counted off
        if sized.taken and sized.taken[run]:
            return ports[: max(0, len(ports) - kept)]
        return ports[: max(0, sized.placement.downs[run].capacity - first_port - kept)]

    def _list_free_ports(self, sized: SizedTier, run: int, demand: ExtraDemand, wanted: int) -> Iterator[Port]:
        """Yield free ports in the order in which they are used, round-robin over the switches of a place; `wanted` is
        that of `allocate_ports`.
        """
        allowed = self._find_allowed_switches(sized, demand)
        for switch, port, hole in self._list_ports(sized, run, wanted, demand):
            if switch in allowed and (sized.spec.key, run, switch, port) not in self._taken:
                yield switch, port, hole

    def _list_ports(self, sized: SizedTier, run: int, wanted: int, demand: ExtraDemand) -> Iterator[Port]:
        """Yield free ports in the order in which they are given out. Ports that stay free even with every reserved unit
        come first, then ports of omitted slots, or the other way round if fewer than `wanted` stay free. Ports that
        nodes of reserved units will need come last.
        """
        lasting = self._list_spare_ports(sized, run, sized.reserved)
        lasting_suffice = wanted <= len(lasting) * sized.groups * sized.count
        by_place = self._list_by_place(sized, lasting, demand)
        holes = _take_in_turns(self._list_holes(sized, run))
        yield from chain(by_place, holes) if lasting_suffice else chain(holes, by_place)
        growing = [port for port in self._list_spare_ports(sized, run, sized.numbered) if port not in lasting]
        yield from self._list_by_place(sized, growing, demand)

    def _list_by_place(self, sized: SizedTier, ports: Sequence[int], demand: ExtraDemand) -> Iterator[Port]:
        """Yield (switch, port, False) for `ports` on every switch, place by place, or on the switches that the
        blueprint names for the devices. False says that the port is not that of an omitted slot.
        """
        if demand.spec.switches:
            named_switches = self._list_named_switches(sized, demand)
            yield from ((switch, port, False) for port in ports for switch in named_switches)
            return
        numbers = number_places(sized.spec.layout, find_scope(sized.spec.per))
        switches_per_place = sized.groups * sized.count // len(numbers)
        # in the order of slots: a place that comes later does not move devices at other places
        for place_index in sorted(range(len(numbers)), key=lambda place_index: numbers[place_index]):
            for port in ports:
                for switch in range(place_index * switches_per_place, (place_index + 1) * switches_per_place):
                    yield switch, port, False

    def _find_allowed_switches(self, sized: SizedTier, demand: ExtraDemand) -> set[int]:
        """Return the switches of a tier that devices may be plugged into: at the site of the devices, and if the
        blueprint names switches, those; raises InputError (FG012) if named switches stand at another site.
        """
        switches = sized.groups * sized.count
        named = self._list_named_switches(sized, demand) if demand.spec.switches else range(switches)
        sites = self._layout.sites
        if len(sites) == 1:
            return set(named)
        layout, scope = sized.spec.layout, find_scope(sized.spec.per)
        switches_per_place = switches // count_places(layout, scope)
        site = sites.index(demand.spec.site) if demand.spec.site else self._layout.first_site
        at_site = {s for s in named if find_site_of_place(layout, scope, s // switches_per_place) == site}
        if demand.spec.switches and len(at_site) < len(set(named)):
            raise fault(
                "FG012",
                f"{demand.name} stands at {sites[site]}, and switches that it names stand elsewhere",
                path=(*demand.path, "switches"),
                hint="state the `site` where these switches are",
            )
        return at_site

    def _list_named_switches(self, sized: SizedTier, demand: ExtraDemand) -> list[int]:
        """Return the switches that the blueprint names for the devices, in its order, by their index in the tier.

        Raises InputError for unknown switches (FG016), and for names that depend on racks or count through units of
        several kinds (FG039).
        """
        spec = sized.spec
        naming = SwitchNames(self._context.blueprint, spec.layout, spec.fabric, spec.name, spec.per)
        if "rack" in naming.naming.fields and "rack" not in spec.per:
            raise fault(
                "FG039",
                f"{demand.name} names switches of {spec.name} by the rack that they stand in, which follows from how "
                "the racks are filled",
                path=(*demand.path, "switches"),
                hint=f"take {{rack}} out of the names of {spec.name}, or leave out `switches`",
            )
        if naming.counts_through_kinds and spec.layout.cluster:
            raise fault(
                "FG039",
                f"{demand.name} names switches of {spec.name} by a number that counts through units of several kinds",
                path=(*demand.path, "switches"),
                hint=f"name {spec.name} by {{pod}} and {{n}}, or leave out `switches`",
            )
        naming.check(self._sizes[spec.key], sized.count)
        names = apply_stated_names(self._context.blueprint, naming.make_names(self._sizes[spec.key], sized.count))
        number_by_name = {name: i for i, name in enumerate(names)}
        for i, name in enumerate(demand.spec.switches):
            if name not in number_by_name:
                raise fault(
                    "FG016",
                    f"there is no {spec.name} switch '{name}'",
                    path=(*demand.path, "switches", i),
                    hint=did_you_mean(name, names),
                )
        return [number_by_name[name] for name in demand.spec.switches]

    def _list_holes(self, sized: SizedTier, run: int) -> list[tuple[int, int]]:
        """Return (switch of the tier, port in the run) of every omitted node slot that has a port of a run."""
        feeds_and_tables = (
            (feed, demand.table.number_units(by_slot=feed.by_slot))
            for demand in self._demands.get(sized.spec.key, ())
            for feed in sized.node_feeds[demand.fabric]
            if (feed.run, feed.part, feed.attachments) == (run, demand.part, demand.attachments)
        )
        holes = (
            (group, *feed.find_port_of_slot(slot, sized.count))
            for feed, table in feeds_and_tables
            for group, slot in table.list_holes()
        )
        return [(group * sized.count + switch, port) for group, switch, port in holes]


def _take_in_turns(holes: list[tuple[int, int]]) -> Iterator[Port]:
    """Yield (switch, port, True) for the ports of omitted slots, given as (switch, port) in `holes`: one on each switch
    before a second one on any. True says that the port is that of an omitted slot.
    """
    ports_by_switch = group_pairs(holes).items()
    by_turn = sorted((turn, switch, port) for switch, ports in ports_by_switch for turn, port in enumerate(ports))
    yield from ((switch, port, True) for _, switch, port in by_turn)

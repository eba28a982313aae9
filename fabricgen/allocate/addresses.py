"""Addresses as integer columns, from slots: no row depends on the order in which others were met."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from fabricgen.allocate.asn import allocate_asns
from fabricgen.allocate.blocks import Blocks, Rooms, Slots, at_places
from fabricgen.allocate.pools import Source, pool
from fabricgen.allocate.slots import switch_slots
from fabricgen.allocate.underlay import is_routed, numbers_links, runs_bgp
from fabricgen.blueprint.lock import Lock
from fabricgen.design.fabric_model import FabricDesign, TierDesign
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Path
from fabricgen.kernel.extents import Extent
from fabricgen.kernel.units import power_of_two_at_least
from fabricgen.plan.tables import SWITCH, ManagementPort, Plan, Wide

RESERVED_IN_SUBNET = 2
"""Network and gateway address before the first host of a bridged subnet."""


@dataclass(frozen=True, slots=True)
class Addresses:
    """Addresses as int64, 0 where there is none.

    Per device: asn, loopback, management (with prefix length and gateway). Per link: the address of each end and its
    prefix length.
    """

    asn: Wide
    loopback: Wide
    management: Wide
    management_length: Wide
    management_gateway: Wide
    a_ip: Wide
    b_ip: Wide
    length: Wide
    lock: Lock
    """All numbers that are given, these and those of earlier builds."""
    used: frozenset[tuple[str, str]]
    """(kind, name) of every holder in the lock that is in use."""
    subnets: Mapping[str, Subnets]
    """By fabric: the blocks of the switches that its nodes attach to."""
    vrf_links: Mapping[tuple[str, str], Wide]
    """By (owning fabric, VRF): the upper end's address of each link that carries it; the lower end's is the next."""
    own_loopbacks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By fabric: router ids that single switches are given outside the order of pools, as prefixes."""


@dataclass(frozen=True, slots=True)
class Subnets:
    """For every device, int64, 0 where it has none: the block that holds the addresses of all its links to nodes of a
    fabric, that block's prefix length, and the gateway in it where nodes are bridged."""

    base: Wide
    length: Wide
    gateway: Wide


def allocate(design: Design, plan: Plan) -> Addresses:
    """Allocate every address and AS number of a cluster.

    Raises InputError, each with its place, where a pool is too small.
    """
    return _Allocation(design, plan).run()


def is_management(fabric: FabricDesign) -> bool:
    """Whether a fabric reaches BMCs or switch management ports: its nodes draw on the management pool."""
    return fabric.managed_devices > 0 or any(a.role == "bmc" for _, a in fabric.attachments)


class _Allocation:
    def __init__(self, design: Design, plan: Plan) -> None:
        self.design, self.plan = design, plan
        self.blueprint = design.loaded.blueprint
        self.blocks = Blocks(design.layout.numbering.lock(design.layout.lock, self.blueprint.name))
        n, links = len(plan.devices), len(plan.links)
        self.device = {k: np.zeros(n, dtype=np.int64) for k in ("asn", "loopback", "ip", "length", "gateway")}
        self.link = {k: np.zeros(links, dtype=np.int64) for k in ("a", "b", "length")}
        self.subnets: dict[str, Subnets] = {}
        self.vrf_links: dict[tuple[str, str], Wide] = {}

    def run(self) -> Addresses:
        routed = tuple(f for f in self.design.fabrics if is_routed(f))
        speakers = tuple(f for f in routed if runs_bgp(self.design, f))
        for key, numbers in allocate_asns(self.design, speakers, self.blocks).items():
            self.device["asn"][self._rows(*key)] = numbers
        for fabric in routed:
            self._loopbacks(fabric)
        for fabric in routed:
            self._between_switches(fabric)
        for fabric in routed:
            self._hosts(fabric)
        self._management()
        return self._freeze()

    def _rows(self, fabric: str, tier: str) -> slice:
        classes = self.plan.devices.classes
        return next(c.rows for c in classes if (c.kind, c.fabric, c.tier) == (SWITCH, fabric, tier))

    def _pool(self, name: str, fabric: FabricDesign) -> Source:
        return pool(self.design.loaded.blueprint, fabric.name, name)

    def _slots(self, fabric: FabricDesign, tier: TierDesign) -> Slots:
        return switch_slots(self.design.layout, fabric, tier, self.blocks.room)

    def _loopbacks(self, fabric: FabricDesign) -> None:
        for tier in reversed(fabric.tiers):
            what = f"a router id for each {fabric.name} {tier.name}"
            given = self.blocks.addresses(self._pool("loopback", fabric), self._slots(fabric, tier), "loopback", what)
            self.device["loopback"][self._rows(fabric.name, tier.name)] = given

    def _segments(self, path: Path) -> list[int]:
        """Segments of links that a line of the blueprint made."""
        return [i for i, segment in enumerate(self.plan.links.segments) if segment.path == path]

    def _between_switches(self, fabric: FabricDesign) -> None:
        """A /31 for each link, the upper end even; a block for each lower switch, by the place of its uplink."""
        if fabric.vrf:
            owner = self.design.fabric(fabric.carrier)
            if (owner.name, fabric.vrf) not in self.vrf_links and runs_bgp(self.design, owner):
                self.vrf_links[owner.name, fabric.vrf] = self._pairs(fabric, (owner, fabric), f" in vrf {fabric.vrf}")
        if numbers_links(self.design, fabric):
            pair = self._pairs(fabric, (fabric,), "")
            rows = pair > 0
            self.link["a"][rows], self.link["b"][rows], self.link["length"][rows] = pair[rows] + 1, pair[rows], 31

    def _pairs(self, fabric: FabricDesign, owners: tuple[FabricDesign, ...], within: str) -> Wide:
        """The even address of a /31 for every link between the switches of some owners, from the pool of a fabric."""
        found = np.zeros(len(self.plan.links), dtype=np.int64)
        for owner, tier in [(o, t) for o in owners for t in o.tiers]:
            runs = [(tier.up, [tier.path], "uplink")] if tier.up else []
            if tier.lateral is not None:
                paths = [span.path for span in tier.lateral.spans] or [(*tier.path, "peer")]
                runs.append((tier.lateral.run, paths, "link to a peer"))
            first = self._rows(owner.name, tier.name).start
            for run, paths, what in runs:
                need = f"a /31 for each {fabric.name} {tier.name} {what}"
                slots, places = self._slots(owner, tier), 2 * power_of_two_at_least(run.count)
                rooms = self.blocks.rooms(self._pool("fabric", fabric), slots, what + within, places, need)
                for i in (i for path in paths for i in self._segments(path)):
                    rows = self.plan.links.segment == i
                    switch = self.plan.links.a_device[rows] - first
                    found[rows] = rooms.at(switch, 2 * self.plan.links.a_port[rows].astype(np.int64))
        return found

    def _hosts(self, fabric: FabricDesign) -> None:
        """Links to nodes: a /31 each (switch even, node odd), or an address in the subnet of the leaf."""
        if fabric.hosts == "none":
            return
        for tier in self.design.tiers:
            segments = self._segments_to(fabric, tier)
            if not segments:
                continue
            owner = self.design.fabric(tier.fabric)
            ports = sum(run.capacity for run in tier.downs)
            routed = fabric.hosts == "routed"
            places = power_of_two_at_least(2 * ports if routed else ports + RESERVED_IN_SUBNET + 1)
            source = self._pool("management" if is_management(fabric) else "hosts", fabric)
            purpose = f"nodes of {fabric.name} in /{33 - places.bit_length()}"
            what = f"nodes on each {fabric.name} {tier.name}"
            rooms = self.blocks.rooms(source, self._slots(owner, tier), purpose, places, what)
            self._keep_subnets(fabric, self._rows(tier.fabric, tier.name), rooms)
            for i in segments:
                self._host_links(fabric, tier, i, rooms)

    def _keep_subnets(self, fabric: FabricDesign, rows: slice, rooms: Rooms) -> None:
        """Note the blocks of a fabric on the switches of a tier."""
        if fabric.name not in self.subnets:
            self.subnets[fabric.name] = Subnets(*(np.zeros(len(self.plan.devices), dtype=np.int64) for _ in range(3)))
        kept = self.subnets[fabric.name]
        kept.base[rows], kept.length[rows] = rooms.first[0], 33 - rooms.size.bit_length()
        kept.gateway[rows] = rooms.first[0] + 1 if fabric.hosts == "bridged" else 0

    def _segments_to(self, fabric: FabricDesign, tier: TierDesign) -> list[int]:
        """Segments of node links of a fabric that end on a tier."""
        segments = enumerate(self.plan.links.segments)
        return [i for i, s in segments if s.fabric == fabric.name and s.lower == "node" and s.tier == tier.key]

    def _host_links(self, fabric: FabricDesign, tier: TierDesign, segment: int, rooms: Rooms) -> None:
        links = self.plan.links
        rows = links.segment == segment
        first = self._rows(tier.fabric, tier.name).start
        run = tier.downs.index(links.segments[segment].b)
        before = sum(run.capacity for run in tier.downs[:run])
        switch, port = links.b_device[rows] - first, before + links.b_port[rows].astype(np.int64)
        if fabric.hosts == "routed":
            pair = rooms.at(switch, 2 * port)
            self.link["b"][rows], self.link["a"][rows], self.link["length"][rows] = pair, pair + 1, 31
            return
        self.link["a"][rows] = rooms.at(switch, RESERVED_IN_SUBNET + port)
        self.link["length"][rows] = 33 - rooms.size.bit_length()

    def _management(self) -> None:
        """Management addresses: of the port on the management fabric; else a flat subnet for all switches."""
        links, managed = self.plan.links, np.zeros(len(self.plan.devices), dtype=bool)
        for i, segment in enumerate(links.segments):
            bmc = getattr(segment.a, "role", "") == "bmc"
            if not (bmc or isinstance(segment.a, ManagementPort)):
                continue
            rows = np.flatnonzero(links.segment == i)
            rows = rows[self.link["a"][rows] > 0]
            devices, ip, length = links.a_device[rows], self.link["a"][rows], self.link["length"][rows]
            first = np.unique(devices, return_index=True)[1]
            rows, devices = rows[first], devices[first]
            self.device["ip"][devices], self.device["length"][devices] = ip[first], length[first]
            routed = length[first] == 31
            self.device["gateway"][devices] = np.where(
                routed, ip[first] - 1, (ip[first] >> (32 - length[first]) << (32 - length[first])) + 1
            )
            managed[devices] = True
        own = [f for f in self.design.fabrics if f.managed_devices]
        if own:
            self._manage_in_band(own[0])
        else:
            self._flat_management()

    def _manage_in_band(self, fabric: FabricDesign) -> None:
        """The management fabric's own switches are reached at their router ids."""
        for tier in fabric.tiers:
            rows = self._rows(fabric.name, tier.name)
            self.device["ip"][rows] = self.device["loopback"][rows]
            self.device["length"][rows] = 32

    def _flat_management(self) -> None:
        """One subnet for the management ports of all switches; where it has grown full, another one."""
        tiers = [(fabric, tier) for fabric in self.design.fabrics for tier in fabric.tiers]
        slots = [self._slots(fabric, tier) for fabric, tier in tiers]
        wanted = RESERVED_IN_SUBNET + 1 + sum(power_of_two_at_least(s.count) for s in slots)
        size = self.blocks.room("management", power_of_two_at_least(wanted))
        inside = Source("management", "", tuple(Extent(i * size + 2, size - 3) for i in range(64)), (), "FG024")
        places = [self.blocks.numbers(inside, s, "") for s in slots]
        last = max(int(place.max()) for place in places) // size
        need = "the management port of each switch"
        extents = self.blocks.take(
            pool(self.blueprint, "", "management"), "management", (last + 1) * size, need, aligned=True
        )
        for (fabric, tier), place in zip(tiers, places, strict=True):
            rows = self._rows(fabric.name, tier.name)
            self.device["ip"][rows] = at_places(extents, place)
            self.device["length"][rows] = 33 - size.bit_length()
            self.device["gateway"][rows] = at_places(extents, place // size * size + 1)

    def _freeze(self) -> Addresses:
        return Addresses(
            asn=self.device["asn"],
            loopback=self.device["loopback"],
            management=self.device["ip"],
            management_length=self.device["length"],
            management_gateway=self.device["gateway"],
            a_ip=self.link["a"],
            b_ip=self.link["b"],
            length=self.link["length"],
            subnets=self.subnets,
            lock=self.blocks.lock(),
            used=frozenset(self.blocks.used | self.design.layout.numbering.used),
            vrf_links=self.vrf_links,
        )

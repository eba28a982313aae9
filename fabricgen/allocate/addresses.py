"""Addresses as integer columns, from slots: no row depends on the order in which others were met."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from fabricgen.allocate.asn import allocate_asns
from fabricgen.allocate.pools import Carver, Pools
from fabricgen.allocate.slots import switch_slots
from fabricgen.allocate.underlay import is_routed, numbers_links, runs_bgp
from fabricgen.design.fabric_model import FabricDesign, TierDesign
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Path
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
        blueprint = design.loaded.blueprint
        self.pools = Pools(blueprint.pools.model_dump())
        n, links = len(plan.devices), len(plan.links)
        self.device = {k: np.zeros(n, dtype=np.int64) for k in ("asn", "loopback", "ip", "length", "gateway")}
        self.link = {k: np.zeros(links, dtype=np.int64) for k in ("a", "b", "length")}
        self.subnets: dict[str, Subnets] = {}
        self.vrf_links: dict[tuple[str, str], Wide] = {}

    def run(self) -> Addresses:
        routed = tuple(f for f in self.design.fabrics if is_routed(f))
        speakers = tuple(f for f in routed if runs_bgp(self.design, f))
        for key, numbers in allocate_asns(self.design, speakers).items():
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

    def _pool(self, name: str, fabric: FabricDesign) -> Carver:
        own = getattr(self.design.loaded.blueprint.fabrics[fabric.name].pools, name)
        return self.pools.get(name, fabric.name, own)

    def _loopbacks(self, fabric: FabricDesign) -> None:
        for tier in reversed(fabric.tiers):
            slot, slots = switch_slots(self.design.layout, fabric, tier)
            what = f"a router id for each {fabric.name} {tier.name}"
            base = self._pool("loopback", fabric).take(power_of_two_at_least(slots + 1), what)
            self.device["loopback"][self._rows(fabric.name, tier.name)] = base + 1 + slot

    def _segments(self, path: Path) -> list[int]:
        """Segments of links that a line of the blueprint made."""
        return [i for i, segment in enumerate(self.plan.links.segments) if segment.path == path]

    def _between_switches(self, fabric: FabricDesign) -> None:
        """A /31 for each link, the upper end even; a block for each lower switch, by the place of its uplink."""
        if fabric.vrf:
            owner = self.design.fabric(fabric.carrier)
            if (owner.name, fabric.vrf) not in self.vrf_links and runs_bgp(self.design, owner):
                self.vrf_links[owner.name, fabric.vrf] = self._pairs(fabric, (owner, fabric))
        if numbers_links(self.design, fabric):
            pair = self._pairs(fabric, (fabric,))
            rows = pair > 0
            self.link["a"][rows], self.link["b"][rows], self.link["length"][rows] = pair[rows] + 1, pair[rows], 31

    def _pairs(self, fabric: FabricDesign, owners: tuple[FabricDesign, ...]) -> Wide:
        """The even address of a /31 for every link between the switches of some owners, from the pool of a fabric."""
        found = np.zeros(len(self.plan.links), dtype=np.int64)
        for owner, tier in [(o, t) for o in owners for t in o.tiers]:
            runs = [(tier.up, [tier.path], "uplink")] if tier.up else []
            if tier.lateral is not None:
                paths = [span.path for span in tier.lateral.spans] or [(*tier.path, "peer")]
                runs.append((tier.lateral.run, paths, "link to a peer"))
            slot, slots = switch_slots(self.design.layout, owner, tier)
            first = self._rows(owner.name, tier.name).start
            for run, paths, what in runs:
                room = 2 * power_of_two_at_least(run.count)
                need = f"a /31 for each {fabric.name} {tier.name} {what}"
                base = self._pool("fabric", fabric).take(power_of_two_at_least(slots) * room, need)
                for i in (i for path in paths for i in self._segments(path)):
                    rows = self.plan.links.segment == i
                    switch = self.plan.links.a_device[rows] - first
                    found[rows] = base + slot[switch] * room + 2 * self.plan.links.a_port[rows]
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
            slot, slots = switch_slots(self.design.layout, owner, tier)
            ports = sum(run.capacity for run in tier.downs)
            room = power_of_two_at_least(2 * ports if fabric.hosts == "routed" else ports + RESERVED_IN_SUBNET + 1)
            pool = "management" if is_management(fabric) else "hosts"
            what = f"nodes on each {fabric.name} {tier.name}"
            base = self._pool(pool, fabric).take(power_of_two_at_least(slots) * room, what)
            subnet = base + slot * room
            self._keep_subnets(fabric, self._rows(tier.fabric, tier.name), subnet, 33 - room.bit_length())
            for i in segments:
                self._host_links(fabric, tier, i, subnet, room)

    def _keep_subnets(self, fabric: FabricDesign, rows: slice, base: Wide, length: int) -> None:
        """Note the blocks of a fabric on the switches of a tier."""
        if fabric.name not in self.subnets:
            self.subnets[fabric.name] = Subnets(*(np.zeros(len(self.plan.devices), dtype=np.int64) for _ in range(3)))
        kept = self.subnets[fabric.name]
        kept.base[rows], kept.length[rows] = base, length
        kept.gateway[rows] = base + 1 if fabric.hosts == "bridged" else 0

    def _segments_to(self, fabric: FabricDesign, tier: TierDesign) -> list[int]:
        """Segments of node links of a fabric that end on a tier."""
        segments = enumerate(self.plan.links.segments)
        return [i for i, s in segments if s.fabric == fabric.name and s.lower == "node" and s.tier == tier.key]

    def _host_links(self, fabric: FabricDesign, tier: TierDesign, segment: int, subnet: Wide, room: int) -> None:
        links = self.plan.links
        rows = links.segment == segment
        first = self._rows(tier.fabric, tier.name).start
        run = tier.downs.index(links.segments[segment].b)
        before = sum(run.capacity for run in tier.downs[:run])
        base, port = subnet[links.b_device[rows] - first], before + links.b_port[rows]
        if fabric.hosts == "routed":
            self.link["b"][rows], self.link["a"][rows] = base + 2 * port, base + 2 * port + 1
            self.link["length"][rows] = 31
            return
        self.link["a"][rows] = base + RESERVED_IN_SUBNET + port
        self.link["length"][rows] = 33 - room.bit_length()

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
        blocks = []
        total = RESERVED_IN_SUBNET
        for fabric in self.design.fabrics:
            for tier in fabric.tiers:
                slot, slots = switch_slots(self.design.layout, fabric, tier)
                blocks.append((self._rows(fabric.name, tier.name), total + slot))
                total += power_of_two_at_least(slots)
        room = power_of_two_at_least(total + 1)
        base = self.pools.get("management").take(room, "the management port of each switch")
        for rows, place in blocks:
            self.device["ip"][rows] = base + place
            self.device["length"][rows] = 33 - room.bit_length()
            self.device["gateway"][rows] = base + 1

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
            vrf_links=self.vrf_links,
        )

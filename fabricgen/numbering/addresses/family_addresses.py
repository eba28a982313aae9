"""The addresses of one family, computed from slots: no row depends on the order in which others were allocated."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from fabricgen.catalog.nos_configuration import PairFacts
from fabricgen.design.attach import NIC_ADDRESSES
from fabricgen.design.fabric_model import Attachment, FabricDesign, TierDesign
from fabricgen.design.linked import is_multihomed
from fabricgen.design.model import Design
from fabricgen.design.ports import PortRun
from fabricgen.design.sizing.kept_front import name_run
from fabricgen.design.sizing.links_inside import name_ports_holder
from fabricgen.kernel.diagnostics import Path, fault
from fabricgen.kernel.intervals import list_numbers
from fabricgen.kernel.units import round_up_to_power_of_two
from fabricgen.numbering.addresses.allocator import AddressAllocator
from fabricgen.numbering.addresses.demand import RESERVED_IN_SUBNET, size_bridged_subnet
from fabricgen.numbering.addresses.device_addresses import allocate_management, allocate_vrf_loopbacks
from fabricgen.numbering.addresses.exit_links import number_exits
from fabricgen.numbering.addresses.family_tables import FamilyAddresses, NodeBlocks
from fabricgen.numbering.addresses.rail_subnets import name_node_blocks
from fabricgen.numbering.addresses.shared_ports import find_shared_segments
from fabricgen.numbering.blocks.block_allocator import DeviceBlocks
from fabricgen.numbering.blocks.column import AddressColumn, make_column, no_addresses
from fabricgen.numbering.blocks.family import ROUTER_ID_BITS, Family
from fabricgen.numbering.underlay import is_management, is_routed, links_carry_vrfs, list_families, numbers_links
from fabricgen.wiring.arrays import Flags, Ints, Ints64, unique_combinations
from fabricgen.wiring.bonds import PEER
from fabricgen.wiring.links.columns import make_tier_columns
from fabricgen.wiring.tables import SWITCH, WiringPlan
from fabricgen.wiring.tenants import TenantPlaces

if TYPE_CHECKING:
    from fabricgen.numbering.addresses.rail_subnets import RailSubnets


RailsByFabric: TypeAlias = "Mapping[str, RailSubnets]"
"""By fabric, the subnets of its rails, for fabrics whose nodes have a subnet for each rail."""


class FamilyAllocation:
    """Allocates the addresses of one family for the fabrics that have it.

    The columns of links are `a` for lower ends, `b` for upper ends and `length` for prefix lengths, 0 for none.
    """

    def __init__(
        self,
        design: Design,
        plan: WiringPlan,
        allocator: AddressAllocator,
        rails: RailsByFabric,
        tenants: Mapping[str, TenantPlaces],
    ) -> None:
        self.design, self.plan, self.family = design, plan, allocator.family
        self._allocator, self._rails, self._tenants = allocator, rails, tenants
        devices, links = len(plan.devices), len(plan.links)
        self.loopback, self.router_id = (no_addresses(self.family, devices) for _ in range(2))
        self.a, self.b = (no_addresses(self.family, links) for _ in range(2))
        self.length = np.zeros(links, dtype=np.int64)
        self.subnets: dict[str, NodeBlocks] = {}
        self.vrf_links: dict[tuple[str, str], AddressColumn] = {}
        self.shared: dict[str, AddressColumn] = {}

    def allocate_family(self) -> FamilyAddresses:
        """Number loopbacks, links between switches, links to nodes, exits, then management ports and links in the
        VRFs of tenants.
        """
        # the order of fabrics is that of the design: where the lock has no blocks yet, they are taken in this order
        fabrics = [f for f in self.design.fabrics if self.family.word in list_families(self.design, f)]
        self._allocate_loopbacks()
        for fabric in fabrics:
            self._number_switch_links(fabric)
        for fabric in fabrics:
            if fabric.hosts != "none":
                self._number_node_links(fabric)
            if fabric.address_per == "nic":
                self._join_planes(fabric)
        # only now, as pairs of all links were numbered: a bond that comes or goes moves no address
        self._clear_bond_followers()
        number_exits(self.design, self.plan, self._allocator, fabrics, (self.a, self.b, self.length))
        managed = allocate_management(self.design, self.plan, self._allocator, self)
        self._number_tenant_links()
        return FamilyAddresses(
            self.family,
            self.loopback,
            managed.address,
            managed.length,
            managed.gateway,
            self.a,
            self.b,
            self.length,
            self.subnets,
            self.vrf_links,
            self.shared,
            allocate_vrf_loopbacks(self.design, self.plan, self._allocator, self.subnets, self._tenants),
        )

    def _clear_bond_followers(self) -> None:
        """Clear the addresses of all links of a bond but its first: a bond is one interface, with one address in a
        fabric.

        A VRF of hosts on an MLAG pair passes between the two switches in the VLAN of these hosts, except on SONiC: the
        peer links then need no address of the VRF either.
        """
        bonds, links = self.plan.bonds, self.plan.links
        if bonds is None:
            return
        followers = bonds.list_unaddressed_links()
        for column in (self.a, self.b, *self.shared.values(), *self.vrf_links.values()):
            column[followers] = no_addresses(self.family, len(followers))
        self.length[followers] = 0
        peers = self._find_peers_with_gateways()
        for (owner, vrf), column in self.vrf_links.items():
            # a fabric without switches of its own, whose hosts are in this VRF of the carrier's switches
            carried_fabric = next(f for f in self.design.fabrics if (f.carrier, f.vrf) == (owner, vrf))
            if carried_fabric.name in self.subnets:
                # both switches have an address in the VLAN of the hosts, so that the VRF passes between them there
                gated_peers = peers[self.subnets[carried_fabric.name].gateway[links.a_device[peers]].present]
                column[gated_peers] = no_addresses(self.family, len(gated_peers))

    def _find_peers_with_gateways(self) -> Ints64:
        """Return the row of the first peer link, int64, of each MLAG pair whose NOS gives both switches addresses of
        their own in VLANs of hosts, beside the gateway.
        """
        bonds, devices = self.plan.bonds, self.plan.devices
        assert bonds is not None  # noqa: S101 - its callers have some
        peers: Ints64 = bonds.first[bonds.kind == PEER].astype(np.int64)
        addressed = np.array(
            [cls.kind == SWITCH and self._read_pair_facts(cls.nos).own_addresses for cls in devices.classes], dtype=bool
        )
        addressed_peers: Ints64 = peers[addressed[devices.device_class[self.plan.links.a_device[peers]]]]
        return addressed_peers

    def _read_pair_facts(self, nos: str) -> PairFacts:
        """Return what the catalogue says of MLAG pairs of a NOS, such as whether each switch has an address beside the
        gateway.
        """
        return self.design.catalog.naming(nos).configuration.pairs

    def _number_tenant_links(self) -> None:
        """Number the links that carry the VRFs of tenants, last of all, so that they move no other address.

        Each switch of a tier has a block, used or not: no address depends on where the nodes of a tenant are.
        """
        for tenant in self.design.tenants:
            carried = self._tenants[tenant.name].find_carrying_links(self.plan)
            for owner in map(self.design.fabric, tenant.transport):
                has_family = self.family.word in list_families(self.design, owner)
                if not links_carry_vrfs(self.design, owner) or not has_family:
                    continue
                column = no_addresses(self.family, len(self.plan.links))
                for rows, pair in self._list_link_pairs(owner, (owner,), f" in vrf {tenant.name}"):
                    column[rows] = pair
                unused = np.flatnonzero(~carried | self._find_unaddressed_links(self._tenants[tenant.name]))
                column[unused] = no_addresses(self.family, len(unused))
                self.vrf_links[owner.name, tenant.name] = column

    def _find_unaddressed_links(self, places: TenantPlaces) -> Flags:
        """Return which links have no addresses in a tenant's VRF, bool by link.

        These are all links of a bond but the first, and the peer links of an MLAG pair if both of its switches have
        nodes of the tenant: their VLAN, with addresses of both switches, then joins the two.
        """
        bonds, links = self.plan.bonds, self.plan.links
        unaddressed = np.zeros(len(links), dtype=bool)
        if bonds is None:
            return unaddressed
        unaddressed[bonds.list_unaddressed_links()] = True
        peers = self._find_peers_with_gateways()
        for name, ports in places.ports.items():
            if name in self.subnets:
                # `ports` counts by device: a switch without a node of the tenant has not the VLAN
                gated = (ports > 0) & self.subnets[name].gateway.present
                unaddressed[peers] |= gated[links.a_device[peers]] & gated[links.b_device[peers]]
        return unaddressed

    def _allocate_loopbacks(self) -> None:
        """Give each switch a loopback, and a router id even if its fabric has no IPv4."""
        for fabric in filter(is_routed, self.design.fabrics):
            has_family = self.family.word in list_families(self.design, fabric)
            # from the top tier down: blocks are taken in this order where the lock has none yet, and addresses must not
            # change. A router id has the form of an IPv4 address, and is needed without IPv4, too.
            for tier in reversed(fabric.tiers) if has_family or self.family.bits == ROUTER_ID_BITS else ():
                rows = self.plan.devices.find_tier(tier.key).rows
                self.router_id[rows] = loopbacks = self._allocator.allocate_loopbacks(tier)
                if has_family:
                    self.loopback[rows] = loopbacks

    def _find_segments(self, path: Path, lower: TierDesign) -> list[int]:
        """Return the indexes of the link segments that a line of the blueprint created for the switches of a tier."""
        segments = enumerate(self.plan.links.segments)
        return [i for i, segment in segments if segment.path == path and segment.lower_tier == lower.key]

    def _number_switch_links(self, fabric: FabricDesign) -> None:
        """Give each link between switches a pair of addresses, the even one at the upper end, from a block of the
        lower switch; likewise in the VRF of a fabric on its carrier's links.
        """
        if fabric.vrf:
            owner = self.design.fabric(fabric.carrier)
            if (owner.name, fabric.vrf) not in self.vrf_links and links_carry_vrfs(self.design, owner):
                self.vrf_links[owner.name, fabric.vrf] = column = no_addresses(self.family, len(self.plan.links))
                for rows, pair in self._list_link_pairs(fabric, (owner, fabric), f" in vrf {fabric.vrf}"):
                    column[rows] = pair
        if numbers_links(self.design, fabric):
            for rows, pair in self._list_link_pairs(fabric, (fabric,), ""):
                # so that who reads one address of a link knows the other, and which end is up
                self.a[rows], self.b[rows] = pair.plus(1), pair
                self.length[rows] = self.family.pair_length

    def _list_link_pairs(
        self, fabric: FabricDesign, owners: tuple[FabricDesign, ...], within: str
    ) -> Iterator[tuple[slice, AddressColumn]]:
        """Yield (rows of links, even address of each pair) for the links between switches of `owners`.

        The pairs are from the pool of `fabric`. `within` ends the names of the blocks in the lock: ` in vrf X` for
        links in a VRF, else "".
        """
        for tier in (tier for owner in owners for tier in owner.tiers):
            # by run of ports and what its pairs are for: paths of the segments wired to it
            paths_of_run = {(tier.up, "uplink"): [tier.path]} if tier.up else {}
            for mesh in tier.links_inside:
                purpose = f"link along {mesh.dimension}" if mesh.word == "mesh" else "link to a peer"
                paths_of_run.setdefault((mesh.run, purpose), []).append(mesh.path)
            first_row = self.plan.devices.find_tier(tier.key).rows.start
            for (run, purpose), paths in paths_of_run.items():
                subject = f"a /{self.family.pair_length} for each {fabric.name} {tier.name} {purpose}"
                # a block of each switch, so that its links keep their pairs whatever others have
                block_size = self.family.size_pair_block(round_up_to_power_of_two(tier.count_addressed_links(run)))
                device_blocks = self._allocator.allocate_device_blocks(
                    "fabric", fabric.name, tier, f"{purpose}{self.family.ending}{within}", block_size, subject
                )
                for i in (i for path in paths for i in self._find_segments(path, tier)):
                    rows = self.plan.links.find_rows(i)
                    switch = self.plan.links.a_device[rows] - first_row
                    number = self._number_ports_in_run(tier, run, self.plan.links.a_port[rows].astype(np.int64))
                    yield rows, device_blocks.find_addresses_at(switch, self._locate_pair(number))

    def _number_ports_in_run(self, tier: TierDesign, run: PortRun, port: Ints64) -> Ints64:
        """Return the number by which each port of a run gets its addresses; int64. A run is the ports of one use on a
        switch.

        `port` counts from 0 in the run. For uplinks and mesh links it is the number as well. Ports for peer links that
        were added after the lock was written lie before the older ones, and get the numbers after theirs.
        """
        if run is tier.up or any(run is mesh.run for mesh in tier.meshes):
            return port
        added_ports = run.count - self.design.layout.lock.rooms.get(name_ports_holder(tier.key), run.count)
        return np.where(port >= added_ports, port - added_ports, run.count - 1 - port)

    def _locate_pair(self, index: Ints64) -> Ints64:
        """Return where in a block the first address of each pair is, counted from 0, by the index of the pair."""
        return self.family.pairs_from + 2 * index

    def _number_node_links(self, fabric: FabricDesign) -> None:
        """Give links to nodes of a fabric a pair of addresses each (switch even, node odd), or addresses in a subnet
        of the leaf.
        """
        pool = "management" if is_management(fabric) else "hosts"
        for tier in self.design.tiers:
            # guests: links of another fabric whose ports this one shares
            own_segments, guest_segments = self._find_node_segments(fabric, tier), []
            if fabric.shares_ports:
                self.shared.setdefault(fabric.name, no_addresses(self.family, len(self.plan.links)))
                shared_segments = find_shared_segments(self.plan, self.design, fabric)
                guest_segments = [i for i in shared_segments if self.plan.links.segments[i].tier == tier.key]
            segments = [*own_segments, *guest_segments]
            if not segments:
                continue
            subject, block_name = f"nodes on each {fabric.name} {tier.name}", name_node_blocks(fabric.name)
            ports = sum(run.numbers for run in tier.downs)
            locked_size = self._allocator.find_largest_block(pool, fabric.name, tier, f"{block_name}/")
            if fabric.hosts == "routed":
                # a block of the lock that is large enough stays, even if a new one would be larger
                is_enough = locked_size >= self.family.size_pair_block(self._count_places_in_use(tier, segments))
                size = locked_size if is_enough else self.family.size_pair_block(ports)
                purpose = f"{block_name}/{self.family.prefix_length(size)}{self.family.ending}"
                device_blocks = self._allocator.allocate_device_blocks(pool, fabric.name, tier, purpose, size, subject)
                self._record_blocks(fabric, tier, device_blocks, np.array(0), device_blocks.size)
                self._number_routed_nodes(tier, segments, device_blocks)
                continue
            fabric_rails = self._rails.get(fabric.name)
            rails = fabric_rails.leaves.get(tier.key) if fabric_rails else None
            size = rails.size if rails else size_bridged_subnet(ports)
            if rails is None and not self.family.subnet_size:
                in_use = self._count_places_in_use(tier, segments) + RESERVED_IN_SUBNET
                size = locked_size if locked_size > in_use else size
            size, subnets_kept = self.family.subnet_size or size, rails.subnets_kept if rails else 1
            kept_text = f"{subnets_kept} x " if rails else ""
            purpose = f"{block_name}{kept_text}/{self.family.prefix_length(size)}{self.family.ending}"
            device_blocks = self._allocator.allocate_device_blocks(
                pool, fabric.name, tier, purpose, subnets_kept * size, subject
            )
            # how many subnets each switch of the tier has
            counts = np.array([len(keys) for keys in rails.keys])[rails.combo] if rails else np.array(1)
            self._record_blocks(fabric, tier, device_blocks, counts.astype(np.int64), size)
            self._number_bridged_nodes(tier, own_segments, device_blocks, size, fabric_rails if rails else None)
            if fabric.shares_ports:
                self._number_shared_ports(fabric, tier, guest_segments, device_blocks)
            if self.plan.bonds:
                rows = self.plan.devices.find_tier(tier.key).rows
                pairing = self._read_pair_facts(tier.nos)
                anycast = pairing.anycast_segments and is_multihomed(self.design.loaded.blueprint, tier.key)
                addressed = pairing.own_addresses and not anycast
                mlag_peers = self.plan.bonds.mate
                join_mlag_blocks(self.family, self.subnets[fabric.name], mlag_peers, rows, fabric, addressed=addressed)
                for segment in own_segments:
                    links = self.plan.links.find_rows(segment)
                    # the subnet of an MLAG pair joins the blocks of both switches: it is twice as large
                    self.length[links] -= self.plan.bonds.mate[self.plan.links.b_device[links]] >= 0

    def _join_planes(self, fabric: FabricDesign) -> None:
        """Give each NIC of a fabric one address over all planes.

        The leaf of every plane gets the block of the leaf in the same place of the first plane, and its address at a
        NIC's link; the NIC has its address at its link in the first plane alone. The blocks of the other planes stay
        taken, so that a change of `address_per` moves no address. Raises InputError (FG128) if a lock keeps planes that
        are plugged differently.
        """
        links, subnets = self.plan.links, self.subnets[fabric.name]
        for tier in self.design.tiers:
            segments = self._find_node_segments(fabric, tier)
            if not segments:
                continue
            rows, coordinates = self.plan.devices.find_tier(tier.key).rows, make_tier_columns(tier)
            first_switches, place = unique_combinations(*(c for name, c in coordinates.items() if name != "plane"))
            # for each switch the one in the same place of the first plane
            first_plane = rows.start + first_switches[place]
            subnets.base[rows] = subnets.base[first_plane]
            for segment in segments:
                attachment = links.segments[segment].a
                assert isinstance(attachment, Attachment)  # noqa: S101 - links of nodes have nothing else there
                link_rows = np.arange(*links.find_rows(segment).indices(len(links)))
                # in the order of planes, so that the first row of a NIC's port is that of the first plane
                link_rows = link_rows[np.argsort(links.plane[link_rows], kind="stable")]
                port = np.array([leg.port for leg in attachment.legs])[links.a_port[link_rows]]
                first_links, nic = unique_combinations(links.a_device[link_rows], links.rail[link_rows], port)
                source = link_rows[first_links[nic]]
                if np.any(first_plane[links.b_device[link_rows] - rows.start] != links.b_device[source]):
                    raise fault(
                        NIC_ADDRESSES,
                        f"in the lock, NICs of {fabric.name} are plugged otherwise in one plane than in another",
                        path=(*fabric.path, "address_per"),
                        hint="state `address_per: port`, or let the ports be given anew",
                    )
                self.b[link_rows] = self.b[source]
                followers = link_rows[source != link_rows]
                self.a[followers] = no_addresses(self.family, len(followers))

    def _number_shared_ports(
        self, fabric: FabricDesign, tier: TierDesign, segments: list[int], device_blocks: DeviceBlocks
    ) -> None:
        """Write into `shared` the addresses of nodes in the VLAN of a fabric that has no ports of its own: each follows
        from the port of the carrier that the node is on.
        """
        ports = sum(run.numbers for run in tier.downs)
        size = size_bridged_subnet(ports) if self.family.subnet_size else device_blocks.size
        # without the reserved ones at the beginning and the broadcast address at the end
        places = size - RESERVED_IN_SUBNET - 1
        for segment in segments:
            rows, switch, number = self._locate_ports(tier, segment, places)
            self.shared[fabric.name][rows] = device_blocks.find_addresses_at(switch, number + RESERVED_IN_SUBNET)

    def _count_places_in_use(self, tier: TierDesign, segments: list[int]) -> int:
        """Return how many addresses the node ports of a switch take up in its block of addresses, one for each port.

        `segments` are the indexes of the node links' segments on the tier. Ports of the first run of node ports take
        addresses from the start of the block, up to the last port in use (unused ones before it count); ports of all
        other runs take them from the end (`_list_places_from_end`). Both are those of the switch that needs most.
        """
        links, from_start, from_end = self.plan.links, 0, 0
        for segment in segments:
            run = tier.downs.index(links.segments[segment].b)
            port = links.b_port[links.find_rows(segment)]
            if run:
                from_end = max(from_end, 1 + int(self._list_places_from_end(tier, run)[port].max(initial=-1)))
            else:
                from_start = max(from_start, 1 + int(port.max(initial=-1)))
        return from_start + from_end

    def _list_places_from_end(self, tier: TierDesign, run: int) -> Ints64:
        """Return for each port of run `run` its place in a block, int64, counted from the end of the block, from 0.

        `run` is the index of a run of node ports, not the first (0). The lock keeps these places, so that one run may
        grow without moving another.
        """
        sizes = {name_run(ports): ports.numbers for ports in tier.downs[1:]}
        # 1 << 20 is more than any switch has ports
        places_by_run = self._allocator.blocks.allocate_places(f"hosts {tier.key.text}", sizes, (), 1 << 20)
        return np.array(list(list_numbers(places_by_run[name_run(tier.downs[run])])), dtype=np.int64)

    def _record_blocks(
        self, fabric: FabricDesign, tier: TierDesign, device_blocks: DeviceBlocks, count: Ints64, size: int
    ) -> None:
        """Record the blocks of a fabric on the switches of a tier, each of which has `count` subnets of `size`
        addresses.
        """
        devices, rows = len(self.plan.devices), self.plan.devices.find_tier(tier.key).rows
        if fabric.name not in self.subnets:
            base, gateway, own_address = (no_addresses(self.family, devices) for _ in range(3))
            lengths, counts, subnet_lengths = (np.zeros(devices, dtype=np.int64) for _ in range(3))
            self.subnets[fabric.name] = NodeBlocks(base, lengths, gateway, counts, subnet_lengths, own_address)
        subnets = self.subnets[fabric.name]
        subnets.base[rows], subnets.length[rows] = device_blocks.first[0], self.family.prefix_length(device_blocks.size)
        subnets.count[rows], subnets.subnet_length[rows] = count, self.family.prefix_length(size)
        if np.any(count):
            subnets.gateway[rows] = device_blocks.first[0].plus(1)

    def _find_node_segments(self, fabric: FabricDesign, tier: TierDesign) -> list[int]:
        """Return the indexes of the segments of a fabric's node links that end on a tier."""
        segments = enumerate(self.plan.links.segments)
        return [i for i, s in segments if s.fabric == fabric.name and s.lower == "node" and s.tier == tier.key]

    def _locate_ports(self, tier: TierDesign, segment: int, places: int) -> tuple[slice, Ints, Ints64]:
        """Return (rows of links, index of the switch in its tier, place of the port in the switch's block) of a
        segment.

        The arrays are int32 and int64. Places go from 0 to `places` - 1: ports of the first run count up from the
        first, ports of other runs down from the last, so that either may grow.
        """
        links = self.plan.links
        rows = links.find_rows(segment)
        run = tier.downs.index(links.segments[segment].b)
        port = links.b_port[rows].astype(np.int64)
        if run:
            port = places - 1 - self._list_places_from_end(tier, run)[port]
        return rows, links.b_device[rows] - self.plan.devices.find_tier(tier.key).rows.start, port

    def _number_routed_nodes(self, tier: TierDesign, segments: list[int], device_blocks: DeviceBlocks) -> None:
        """Write a pair for each link to nodes: the switch has the even address, the node the odd one."""
        places = (device_blocks.size - self.family.pairs_from) // 2
        for segment in segments:
            rows, switch, port = self._locate_ports(tier, segment, places)
            pair = device_blocks.find_addresses_at(switch, self._locate_pair(port))
            self.b[rows], self.a[rows] = pair, pair.plus(1)
            self.length[rows] = self.family.pair_length

    def _number_bridged_nodes(
        self, tier: TierDesign, segments: list[int], device_blocks: DeviceBlocks, size: int, rails: RailSubnets | None
    ) -> None:
        """Write an address in a subnet of the leaf, of `size` addresses, for each node port: by the port, or with
        `rails` by the node's slot.
        """
        ports = sum(run.numbers for run in tier.downs)
        used_size = size if not self.family.subnet_size else size_bridged_subnet(ports)
        places = used_size - RESERVED_IN_SUBNET - 1  # the last address is that of broadcasts
        for segment in segments:
            rows, switch, number = self._locate_ports(tier, segment, places)
            if rails is None:
                self.a[rows] = device_blocks.find_addresses_at(switch, number + RESERVED_IN_SUBNET)
            else:
                self.a[rows] = device_blocks.first[0][switch].plus(rails.subnet[rows], size).plus(rails.number[rows])
            self.length[rows] = self.family.prefix_length(size)


# The subnets of MLAG pairs: the blocks of both switches make one, with one gateway.
# The blocks of two switches that follow each other are the two halves of the next larger one. Both switches have its
# gateway, which was that of the first; each has an address of its own besides, where no host has one: the last of the
# first block and the first of the second. Some have the gateway alone (not `addressed`): on SONiC, as ICCPd gives both
# switches one MAC in a VLAN of hosts, so that VRFs have VLANs of the peer link; and with EVPN multihoming on SONiC and
# EOS, where the gateway is anycast.


def join_mlag_blocks(
    family: Family, subnets: NodeBlocks, mlag_peers: Ints, rows: slice, fabric: FabricDesign, *, addressed: bool
) -> None:
    """Join the blocks of each MLAG pair among the devices of `rows` to one block of twice the size, for both switches.

    `mlag_peers` has the row of each switch's peer, -1 for none; `addressed` says whether each of the two has an address
    of its own. Raises InputError (FG044) if the lock keeps two blocks that do not follow each other.
    """
    for first in range(rows.start, rows.stop):
        second = int(mlag_peers[first])
        # -1 is less than any row; each pair is met at its first switch
        if second < first or not subnets.gateway.at(first):
            continue
        # `-` binds before `<<`: the addresses of a prefix
        size = 1 << family.bits - int(subnets.length[first])
        base = subnets.base.at(first)
        # two blocks are one prefix only where the first begins at a multiple of both
        if base % (2 * size) or subnets.base.at(second) != base + size:
            raise fault(
                "FG044",
                f"in the lock, the blocks of {fabric.name} on two switches of an MLAG pair do not follow each other",
                path=(*fabric.path, "bond"),
                hint="let it have new ones with `fabricgen lock --release`, or take `bond` away",
            )
        pair = [first, second]
        subnets.base[pair] = make_column(family, [base, base])
        subnets.gateway[pair] = make_column(family, [base + 1, base + 1])
        if addressed:
            subnets.own_address[pair] = make_column(family, [base + size - 1, base + size])
        # one bit less: twice the addresses
        subnets.length[pair] -= 1
        subnets.subnet_length[pair] -= 1

"""Views of switches without their ports: settings, and services to hosts; the base of the full views of switches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fabricgen.cable_overrides.ends import CableIds
from fabricgen.catalog.models import SwitchProfile
from fabricgen.design.fabric_model import FabricDesign, TierDesign, TierKey
from fabricgen.design.model import Design
from fabricgen.design.ports import PortRun
from fabricgen.design.tenants.model import TenantDesign
from fabricgen.numbering.addresses.allocate import Addresses
from fabricgen.numbering.addresses.family_tables import FamilyAddresses
from fabricgen.numbering.blocks.column import format_ipv4
from fabricgen.numbering.lazy_columns import EncodedColumn, Strings, encode_column
from fabricgen.numbering.srv6 import find_local_identifier, write_identifier
from fabricgen.numbering.switch_asns import flag_shared_asns
from fabricgen.switch.routing import Permit
from fabricgen.views.configuration import is_in_maintenance, list_snippets
from fabricgen.views.exits import list_outside_prefixes
from fabricgen.views.intent import FabricIntent, list_host_pools
from fabricgen.views.service import Service
from fabricgen.views.switch import PlacedSnippet, SwitchView
from fabricgen.wiring.arrays import Flags, Ints, Ints64, unique_combinations
from fabricgen.wiring.links.columns import index_switch_ends
from fabricgen.wiring.tables import SWITCH, WiringPlan


@dataclass(frozen=True)
class SwitchFrames:
    """Builds views of switches without their ports; whatever all of them share is computed once.

    `names` and `sites` are those of all devices, by row of the device table, and `row` is that of a switch; `intents`
    are by name of the fabric.
    """

    design: Design
    plan: WiringPlan
    addresses: Addresses
    names: Sequence[str]
    sites: Sequence[str]
    port_columns: tuple[EncodedColumn, EncodedColumn]
    """Port names of the a and b ends of every link."""
    cable_id_columns: CableIds
    intents: Mapping[str, FabricIntent]
    known_shares: Flags | None = None
    """`shares_asn` where it is known already: at a phase that of the whole cluster, so that growth changes nothing."""
    absent: frozenset[str] = frozenset()
    """The fabrics that are not there at a phase."""

    @cached_property
    def ports(self) -> tuple[Strings, Strings]:
        """Port names of the a and b ends of every link; object arrays of str."""
        a, b = self.port_columns
        return a.texts(), b.texts()

    @cached_property
    def ends_by_switch(self) -> tuple[Ints64, Ints, Flags]:
        """The ends of links at switches, computed once: (pointer, link of each end, whether it is the upper end).

        The ends at the switch in row i are those from `pointer[i]` to `pointer[i + 1]` - 1, as `index_switch_ends`
        says.
        """
        return index_switch_ends(self.plan)

    def list_link_ends(self, rows: Sequence[int] | Ints64) -> tuple[Ints64, Ints, Flags]:
        """Return (index into `rows`, link, whether it is the upper end) of every port of some switches, in the order of
        views.

        Management ports are left out. int64, int32, bool.
        """
        pointer, links, upper = self.ends_by_switch
        switch_rows = np.asarray(rows, dtype=np.int64)
        counts = pointer[switch_rows + 1] - pointer[switch_rows]
        owner = np.repeat(np.arange(len(switch_rows)), counts)
        # an end's place in the index: where the ends of its switch begin there, plus its number among these
        position = np.arange(len(owner)) + (pointer[switch_rows] - np.cumsum(counts) + counts)[owner]
        return owner, links.take(position), upper.take(position)

    def make_frame(self, row: int) -> SwitchView:
        """Return the view of a switch without its ports and routes, which take most of the time."""
        devices, addresses = self.plan.devices, self.addresses
        cls = devices.classes[devices.device_class[row]]
        fabric = self.design.fabric(cls.fabric)
        tier = self.design.tier(cls.key)
        assert isinstance(cls.profile, SwitchProfile)  # noqa: S101 - the row is a switch
        block = self.intents[fabric.name].srv6
        return SwitchView(
            name=self.names[row],
            profile=cls.profile,
            naming=self.design.catalog.naming(tier.nos),
            fabric=self.intents[fabric.name],
            tier=tier,
            is_lowest=tier.lowest,
            level=self.design.levels[tier.key],
            asn=int(addresses.asn[row]),
            router_id=format_ipv4(int(addresses.router_id[row])),
            loopback=addresses.v4.format_address(addresses.v4.loopback.at(row)),
            loopback6=self._format_v6(lambda v6: v6.format_address(v6.loopback.at(row))),
            managements=tuple(self._list_managements(row)),
            services=self._list_services(row, fabric),
            site=self.sites[row],
            rack=self.plan.racks.names[devices.rack[row]],
            ports=(),
            routes={},
            shares_asn=bool(self.shares_asn[row]),
            snippets=self._list_snippets(row, tier),
            maintenance=is_in_maintenance(self.design, self.names[row]),
            mac=self.design.loaded.macs.get((self.names[row], ""), ""),
            locator=block.make_prefix(int(addresses.identifiers[row])) if block else "",
        )

    def list_local_identifiers(self, link: Ints, at_b: Flags) -> Ints64:
        """Return the SRv6 identifier of each of some switch ports (int64); 0 for ports of fabrics without SRv6.

        A port is given by its link, and by whether it is at the upper end (`at_b`) of the link.
        """
        links, identifiers = self.plan.links, np.zeros(len(link), dtype=np.int64)
        if not self.addresses.identifiers.any():
            return identifiers
        ports = np.where(at_b, links.b_port[link], links.a_port[link])
        for number in np.unique(links.segment[link]).tolist():
            segment = links.segments[number]
            for upper, side in ((False, segment.a), (True, segment.b)):
                rows = np.flatnonzero((links.segment[link] == number) & (at_b == upper))
                if len(rows) and isinstance(side, PortRun) and self.intents[segment.fabric].srv6:
                    cages = np.array(side.cages, dtype=np.int64)[ports[rows] // side.ways]
                    identifiers[rows] = find_local_identifier(cages, ports[rows].astype(np.int64) % side.ways)
        return identifiers

    def name_identifiers(self, identifiers: Ints64, switches: Ints64) -> list[str]:
        """Return the address of each of `identifiers` as text: the SRv6 block of its switch, with the identifier in it;
        "" for a switch without SRv6.

        `switches` has the switch of each of `identifiers`, as a row of the device table.
        """
        devices = self.plan.devices
        blocks = [self.intents[cls.fabric].srv6 if cls.kind == SWITCH else None for cls in devices.classes]
        # thousands of ports have the same few
        classes = devices.device_class[switches]
        sample_rows, text_of_row = unique_combinations(classes, identifiers)
        pairs = zip(classes[sample_rows].tolist(), identifiers[sample_rows].tolist(), strict=True)
        texts = [write_identifier(block, i) if (block := blocks[cls]) else "" for cls, i in pairs]
        return list(encode_column(texts, text_of_row))

    def _list_snippets(self, row: int, tier: TierDesign) -> tuple[PlacedSnippet, ...]:
        """Return the snippets of a switch; computed once a tier for switches that have none of their own."""
        name = self.names[row]
        tier_and_name = (tier.key, name if name in self.design.loaded.blueprint.config_of else "")
        if tier_and_name not in self._snippets_of:
            self._snippets_of[tier_and_name] = list_snippets(self.design, tier, tier_and_name[1])
        return self._snippets_of[tier_and_name]

    @cached_property
    def _snippets_of(self) -> dict[tuple[TierKey, str], tuple[PlacedSnippet, ...]]:
        """The snippets by tier and device ("" for devices without snippets of their own), filled as they are needed."""
        return {}

    def _format_v6(self, text: Callable[[FamilyAddresses], str]) -> str:
        """Return what `text` makes of the IPv6 addresses; "" if the cluster has none."""
        return text(self.addresses.v6) if self.addresses.v6 else ""

    def _list_managements(self, row: int) -> Iterator[tuple[str, str]]:
        """Yield (address with prefix length, gateway) of each family in which a switch has a management address."""
        for family in self.addresses.families:
            address, gateway = family.management.at(row), family.management_gateway.at(row)
            if address:
                yield family.format_prefix(address, int(family.management_length[row])), family.format_address(gateway)

    @cached_property
    def shares_asn(self) -> Flags:
        """Whether each device shares its AS number with others that it reaches through the tiers above; bool."""
        if self.known_shares is not None:
            return self.known_shares
        switches = [c for c in self.plan.devices.classes if c.kind == SWITCH]
        tiers = [(c.rows, self.design.tier(c.key)) for c in switches]
        return flag_shared_asns(tiers, self.addresses.asn)

    def _list_services(self, row: int, owner: FabricDesign) -> tuple[Service, ...]:
        """Return the services of a switch: to hosts of the fabric that owns it, to hosts of fabrics which that one
        carries, and of tenants.

        A carried fabric counts if it has hosts on the switch, or if its VRF passes through it.
        """
        services = self._list_fabric_services(row, owner)
        for guest in self._guests.get(owner.name, ()):
            services += [
                service
                for service in self._list_fabric_services(row, guest)
                if service.host_subnet or service.host_subnet6 or self._is_passed_on(owner.name, guest.vrf)
            ]
        return (*services, *self._list_tenant_services(row, owner))

    def _list_tenant_services(self, row: int, owner: FabricDesign) -> Iterator[Service]:
        """Yield the services of tenants on a switch: one for each VLAN of each fabric with ports of the tenant there.

        A tenant without ports on the switch has one service, without ports, if its VRF passes through the switch.
        """
        fabrics_here = {f.name: f for f in (owner, *self._guests.get(owner.name, ()))}
        for tenant in self.design.tenants:
            columns, pools = self.addresses.tenants[tenant.name], self.tenant_pools[tenant.name]
            exit_prefixes = self._list_tenant_outside(owner, tenant.name)
            fabrics_of_ports = [
                fabrics_here[name] for name, vlans in columns.ports.items() if name in fabrics_here and vlans[row]
            ]
            for fabric in fabrics_of_ports:
                for service, vlan in zip(
                    self._list_fabric_services(row, fabric), tenant.vlans[fabric.name], strict=False
                ):
                    yield service._replace(
                        vlan=vlan, vrf=tenant.name, tenant=tenant.name, host_pools=pools, outside=exit_prefixes
                    )
            if not fabrics_of_ports and columns.passes[row] and self._is_passed_on(owner.name, tenant.name):
                yield self._make_passing_service(owner, tenant)

    def _make_passing_service(self, owner: FabricDesign, tenant: TenantDesign) -> Service:
        """Return the service of a tenant on a switch that has no ports of it."""
        vlan, hosts, pools = tenant.vlans[owner.name][0], self.intents[owner.name].hosts, self.tenant_pools[tenant.name]
        outside = self._list_tenant_outside(owner, tenant.name)
        return Service(owner.name, vlan, tenant.name, hosts, "", "", pools, tenant=tenant.name, outside=outside)

    def find_passing_service(self, row: int, owner: str, vrf: str) -> Service:
        """Return the service of the tenant or the carried fabric that has this VRF, for a switch through which the VRF
        passes. `owner` is the fabric that owns the switch.
        """
        for tenant in self.design.tenants:
            if tenant.name == vrf:
                return self._make_passing_service(self.design.fabric(owner), tenant)
        guest = next(guest for guest in self._guests[owner] if guest.vrf == vrf)
        return self._list_fabric_services(row, guest)[0]

    def _list_tenant_outside(self, owner: FabricDesign, tenant: str) -> tuple[Permit, ...]:
        """Return the prefixes behind the exits of a tenant in the fabrics linked with one; computed once."""
        key = (owner.name, tenant)
        if key not in self._outside_of_tenants:
            self._outside_of_tenants[key] = list_outside_prefixes(self.design, owner, tenant)
        return self._outside_of_tenants[key]

    @cached_property
    def _outside_of_tenants(self) -> dict[tuple[str, str], tuple[Permit, ...]]:
        """The prefixes behind exits by fabric and tenant, filled as they are needed."""
        return {}

    @cached_property
    def tenant_pools(self) -> dict[str, tuple[str, ...]]:
        """The prefixes that contain all addresses of the nodes of each tenant."""
        return {
            tenant.name: tuple(dict.fromkeys(p for f in tenant.vlans for p in self._list_own_pools(f, tenant.fabrics)))
            for tenant in self.design.tenants
        }

    def _list_own_pools(self, fabric: str, fabrics: Sequence[str]) -> tuple[str, ...]:
        """Return the prefixes that contain the hosts of `fabric` if it is one of `fabrics`; else ()."""
        return list_host_pools(self.design, self.design.fabric(fabric)) if fabric in fabrics else ()

    @cached_property
    def _guests(self) -> dict[str, list[FabricDesign]]:
        """The fabrics that each fabric carries, by its name; those that none carries under ""."""
        guests: dict[str, list[FabricDesign]] = {}
        for fabric in self.design.fabrics:
            guests.setdefault(fabric.carrier, []).append(fabric)
        return guests

    def _is_passed_on(self, owner: str, vrf: str) -> bool:
        """Whether the links between a fabric's switches carry a VRF."""
        return any((owner, vrf) in family.vrf_links for family in self.addresses.families)

    def _list_fabric_services(self, row: int, fabric: FabricDesign) -> list[Service]:
        """Return the services of a switch to the hosts of a fabric: one, or one for each subnet of its rails."""
        intent, address_families = self.intents[fabric.name], self.addresses.families
        blocks = [family.format_prefix(*family.find_host_block(fabric.name, row)) for family in address_families]
        gateways, labels = self._list_gateways(row, fabric), self.list_rail_labels(row, fabric)
        own_addresses = [self._find_own_address(family, row, fabric.name) for family in address_families]
        return [
            Service(
                fabric=intent.name,
                vlan=intent.vlan + subnet,
                vrf=intent.vrf,
                hosts=intent.hosts,
                gateway=gateways[0][subnet] if gateways[0] else "",
                host_subnet=blocks[0],
                host_pools=intent.host_pools,
                # where there are two families, IPv6 is the last
                gateway6=gateways[-1][subnet] if len(address_families) > 1 and gateways[-1] else "",
                host_subnet6=blocks[-1] if len(address_families) > 1 else "",
                rail=label,
                tagged=fabric.tagged,
                own=own_addresses[0],
                own6=own_addresses[-1] if len(address_families) > 1 else "",
                outside=intent.outside,
                offers=intent.offers,
            )
            for subnet, label in enumerate(labels)
        ]

    @staticmethod
    def _find_own_address(family: FamilyAddresses, row: int, fabric: str) -> str:
        """Return the address, with prefix length, of an MLAG switch in the subnet of a fabric; "" for none."""
        subnets = family.subnets.get(fabric)
        return family.format_prefix(subnets.own_address.at(row), int(subnets.subnet_length[row])) if subnets else ""

    def _list_gateways(self, row: int, fabric: FabricDesign) -> list[list[str]]:
        """Return the gateways (with prefix lengths) of a fabric's nodes on a switch; one list a family."""
        gateways = []
        for family in self.addresses.families:
            subnets = family.subnets.get(fabric.name)
            length = int(subnets.subnet_length[row]) if subnets else 0
            gateways.append(
                [family.format_prefix(gateway, length) for gateway in family.list_gateways(fabric.name, row)]
            )
        return gateways

    def list_rail_labels(self, row: int, fabric: FabricDesign) -> list[str]:
        """Return the names of a fabric's subnets on a switch: those of its rails, or "" for the only one."""
        rails, devices = self.addresses.rails.get(fabric.name), self.plan.devices
        cls = devices.classes[devices.device_class[row]]
        if rails is None or cls.key not in rails.leaves:
            return [""]
        return rails.leaves[cls.key].list_labels(row - cls.first) or [""]

    def find_vlan(self, carrier: str, vrf: str) -> int:
        """Return the VLAN in which a VRF is carried between the switches of the fabric `carrier`: that of the VRF's
        fabric, or of its tenant. Raises StopIteration if the fabric carries no such VRF.
        """
        tenant = next((tenant for tenant in self.design.tenants if tenant.name == vrf), None)
        if tenant is not None:
            return tenant.vlans[carrier][0]
        guest = next(f for f in self.design.fabrics if (f.carrier, f.vrf) == (carrier, vrf))
        return self.intents[guest.name].vlan

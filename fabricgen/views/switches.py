"""Builds views of single switches from the columns of the cluster, on demand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from fabricgen.cable_overrides.ends import CableIds
from fabricgen.catalog.models import SwitchProfile
from fabricgen.design.extras.exits import ExitDesign
from fabricgen.design.fabric_model import FabricDesign, TierDesign, TierKey
from fabricgen.design.linked import is_multihomed
from fabricgen.design.model import Design
from fabricgen.design.ports import PortRun
from fabricgen.design.tenants.model import TenantDesign
from fabricgen.numbering.addresses.allocate import Addresses
from fabricgen.numbering.addresses.exit_links import exit_segments
from fabricgen.numbering.addresses.family_tables import FamilyAddresses
from fabricgen.numbering.addresses.shared_ports import fabrics_sharing
from fabricgen.numbering.blocks.column import dotted
from fabricgen.numbering.lazy_columns import EncodedColumn, Strings
from fabricgen.numbering.switch_asns import shares_asn
from fabricgen.switch.interfaces import Subinterface
from fabricgen.switch.ordered import OrderedSet
from fabricgen.switch.routing import Permit, StaticRoute
from fabricgen.views.configuration import in_maintenance, placed_snippets, port_settings
from fabricgen.views.exits import EXIT, ExitEnd, SwitchExits, outside_of, switch_exits
from fabricgen.views.intent import FabricIntent, SpanIntent, host_pools
from fabricgen.views.leaks import with_leaks
from fabricgen.views.mtu import largest_mtu, usual_mtu
from fabricgen.views.overlay import with_overlay
from fabricgen.views.pairs import with_pair
from fabricgen.views.service import Service
from fabricgen.views.static_routes import Reachability
from fabricgen.views.switch import AS_PLANNED, PlacedSnippet, SwitchPort, SwitchView
from fabricgen.wiring.bonding import MLAG
from fabricgen.wiring.links.columns import switch_ends
from fabricgen.wiring.tables import SWITCH, Flags, Ints, Ints64, ManagementPort, Segment, WiringPlan
from fabricgen.wiring.tenants import tenant_of_lower_ends


@dataclass(frozen=True)
class SwitchViews:
    """Builds views of switches; what all of them share is computed once."""

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
        """An index of link ends by switch, as `switch_ends` returns it."""
        return switch_ends(self.plan)

    def ends_of(self, rows: Sequence[int] | Ints64) -> tuple[Ints64, Ints, Flags]:
        """(index into `rows`, link, whether it is the upper end) of every port of some switches, in the order of views.

        Management ports are left out. int64, int32, bool.
        """
        pointer, links, upper = self.ends_by_switch
        wanted = np.asarray(rows, dtype=np.int64)
        counts = pointer[wanted + 1] - pointer[wanted]
        owner = np.repeat(np.arange(len(wanted)), counts)
        place = np.arange(len(owner)) + (pointer[wanted] - np.cumsum(counts) + counts)[owner]
        return owner, links.take(place), upper.take(place)

    def switch(self, row: int) -> SwitchView:
        """The view of one switch, by its row in the device table."""
        frame = self.frame(row)
        routes = self._routes(row) if frame.fabric.underlay == "static" else {}
        whole = replace(frame, ports=tuple(self._switch_ports(row)), routes=routes)
        if row in self.exit_rows:
            whole = replace(whole, exits=self._exits(whole))
        mate = int(self.plan.bonds.mate[row]) if self.plan.bonds else -1
        if mate >= 0 and is_multihomed(self.design.loaded.blueprint, whole.tier.key):
            whole = replace(whole, multihomed=dotted(int(self.addresses.router_id[min(row, mate)])))
        elif mate >= 0:
            whole = with_pair(whole, self.frame(mate), self.design.peer_vlans, first=row < mate)
        whole = with_overlay(whole, self, row) if self.design.vnis or self.design.bridged_vnis else whole
        return with_leaks(whole, self) if self.design.leaks else whole

    def frame(self, row: int) -> SwitchView:
        """The view of one switch without its ports and routes, which take most of the time."""
        devices, addresses = self.plan.devices, self.addresses
        cls = devices.classes[devices.device_class[row]]
        fabric = self.design.fabric(cls.fabric)
        tier = self.design.tier(cls.key)
        assert isinstance(cls.profile, SwitchProfile)  # noqa: S101 - the row is a switch
        return SwitchView(
            name=self.names[row],
            profile=cls.profile,
            naming=self.design.catalog.naming(tier.nos),
            fabric=self.intents[fabric.name],
            tier=tier,
            is_lowest=tier.lowest,
            level=self.design.levels[tier.key],
            asn=int(addresses.asn[row]),
            router_id=dotted(int(addresses.router_id[row])),
            loopback=addresses.v4.text(addresses.v4.loopback.at(row)),
            loopback6=self._six(lambda v6: v6.text(v6.loopback.at(row))),
            managements=tuple(self._managements(row)),
            services=self._services(row, fabric),
            site=self.sites[row],
            rack=self.plan.racks.names[devices.rack[row]],
            ports=(),
            routes={},
            shares_asn=bool(self.shares_asn[row]),
            snippets=self._snippets(row, tier),
            maintenance=in_maintenance(self.design, self.names[row]),
            mac=self.design.loaded.macs.get((self.names[row], ""), ""),
        )

    def _snippets(self, row: int, tier: TierDesign) -> tuple[PlacedSnippet, ...]:
        """The snippets of a switch; computed once a tier for switches that have none of their own."""
        name = self.names[row]
        key = (tier.key, name if name in self.design.loaded.blueprint.config_of else "")
        if key not in self._snippets_of:
            self._snippets_of[key] = placed_snippets(self.design, tier, key[1])
        return self._snippets_of[key]

    @cached_property
    def _snippets_of(self) -> dict[tuple[TierKey, str], tuple[PlacedSnippet, ...]]:
        return {}

    def _six(self, text: Callable[[FamilyAddresses], str]) -> str:
        """A text from the IPv6 addresses; "" where the cluster has none."""
        return text(self.addresses.v6) if self.addresses.v6 else ""

    def _managements(self, row: int) -> Iterator[tuple[str, str]]:
        for found in self.addresses.families:
            address, gateway = found.management.at(row), found.management_gateway.at(row)
            if address:
                yield found.prefix(address, int(found.management_length[row])), found.text(gateway)

    def _routes(self, row: int) -> dict[tuple[str, str], StaticRoute]:
        return {("", prefix): route for family in self._reachabilities for prefix, route in family.routes(row).items()}

    @cached_property
    def shares_asn(self) -> Flags:
        """Whether each device shares its AS number with others that it reaches through the tiers above; bool."""
        if self.known_shares is not None:
            return self.known_shares
        switches = [c for c in self.plan.devices.classes if c.kind == SWITCH]
        tiers = [(c.rows, self.design.tier(c.key)) for c in switches]
        return shares_asn(tiers, self.addresses.asn)

    @cached_property
    def _reachabilities(self) -> tuple[Reachability, ...]:
        shared = [f.name for f in self.design.fabrics if not f.vrf]
        return tuple(
            Reachability(self.plan, family, self.ports[0], self.ports[1], shared) for family in self.addresses.families
        )

    def _services(self, row: int, owner: FabricDesign) -> tuple[Service, ...]:
        """The services of the owning fabric, then of fabrics it carries whose nodes attach here or whose VRF passes."""
        found = self._services_of(row, owner)
        for guest in self._guests.get(owner.name, ()):
            found += [
                service
                for service in self._services_of(row, guest)
                if service.host_subnet or service.host_subnet6 or self._passes(owner.name, guest.vrf)
            ]
        return (*found, *self._of_tenants(row, owner))

    def _of_tenants(self, row: int, owner: FabricDesign) -> Iterator[Service]:
        """The services of tenants on a switch: those of their ports, or one without ports where their VRF passes."""
        mine = {f.name: f for f in (owner, *self._guests.get(owner.name, ()))}
        for tenant in self.design.tenants:
            places, pools = self.addresses.tenants[tenant.name], self.tenant_pools[tenant.name]
            outside = self._tenant_outside(owner, tenant.name)
            here = [mine[name] for name, vlans in places.ports.items() if name in mine and vlans[row]]
            for fabric in here:
                for plain, vlan in zip(self._services_of(row, fabric), tenant.vlans[fabric.name], strict=False):
                    yield replace(
                        plain, vlan=vlan, vrf=tenant.name, tenant=tenant.name, host_pools=pools, outside=outside
                    )
            if not here and places.passes[row] and self._passes(owner.name, tenant.name):
                yield self._passing(owner, tenant)

    def _passing(self, owner: FabricDesign, tenant: TenantDesign) -> Service:
        """The service of a tenant on a switch that has no ports of it."""
        vlan, hosts, pools = tenant.vlans[owner.name][0], self.intents[owner.name].hosts, self.tenant_pools[tenant.name]
        outside = self._tenant_outside(owner, tenant.name)
        return Service(owner.name, vlan, tenant.name, hosts, "", "", pools, tenant=tenant.name, outside=outside)

    def passing_service(self, row: int, owner: str, vrf: str) -> Service:
        """The service, without ports, of a tenant or of a carried fabric with this VRF."""
        for tenant in self.design.tenants:
            if tenant.name == vrf:
                return self._passing(self.design.fabric(owner), tenant)
        guest = next(guest for guest in self._guests[owner] if guest.vrf == vrf)
        return self._services_of(row, guest)[0]

    def _tenant_outside(self, owner: FabricDesign, tenant: str) -> tuple[Permit, ...]:
        """What is beyond the exits of a tenant in the fabrics linked with one; computed once."""
        key = (owner.name, tenant)
        if key not in self._outside_of_tenants:
            self._outside_of_tenants[key] = outside_of(self.design, owner, tenant)
        return self._outside_of_tenants[key]

    @cached_property
    def _outside_of_tenants(self) -> dict[tuple[str, str], tuple[Permit, ...]]:
        return {}

    @cached_property
    def tenant_pools(self) -> dict[str, tuple[str, ...]]:
        """The prefixes that contain all addresses of the nodes of each tenant."""
        return {
            tenant.name: tuple(dict.fromkeys(p for f in tenant.vlans for p in self._own_pools(f, tenant.fabrics)))
            for tenant in self.design.tenants
        }

    def _own_pools(self, fabric: str, fabrics: Sequence[str]) -> tuple[str, ...]:
        return host_pools(self.design, self.design.fabric(fabric)) if fabric in fabrics else ()

    @cached_property
    def _guests(self) -> dict[str, list[FabricDesign]]:
        """The fabrics that each fabric carries, by its name; those carried by none under ""."""
        found: dict[str, list[FabricDesign]] = {}
        for fabric in self.design.fabrics:
            found.setdefault(fabric.carrier, []).append(fabric)
        return found

    def _passes(self, owner: str, vrf: str) -> bool:
        """Whether the links between a fabric's switches carry a VRF."""
        return any((owner, vrf) in found.vrf_links for found in self.addresses.families)

    def _services_of(self, row: int, fabric: FabricDesign) -> list[Service]:
        """The services of a fabric on a switch: one, or one for each subnet of its rails."""
        intent, found = self.intents[fabric.name], self.addresses.families
        blocks = [each.prefix(*each.host_block(fabric.name, row)) for each in found]
        gateways, labels = self._gateways(row, fabric), self.rail_labels(row, fabric)
        owns = [self._own(each, row, fabric.name) for each in found]
        return [
            Service(
                fabric=intent.name,
                vlan=intent.vlan + place,
                vrf=intent.vrf,
                hosts=intent.hosts,
                gateway=gateways[0][place] if gateways[0] else "",
                host_subnet=blocks[0],
                host_pools=intent.host_pools,
                gateway6=gateways[-1][place] if len(found) > 1 and gateways[-1] else "",
                host_subnet6=blocks[-1] if len(found) > 1 else "",
                rail=label,
                tagged=fabric.tagged,
                own=owns[0],
                own6=owns[-1] if len(found) > 1 else "",
                outside=intent.outside,
                offers=intent.offers,
            )
            for place, label in enumerate(labels)
        ]

    @cached_property
    def _tenant_of_link(self) -> list[int]:
        """The tenant of every link as an index into those of the design, -1 for none."""
        found: list[int] = tenant_of_lower_ends(self.design, self.plan).tolist()
        return found

    @cached_property
    def _shared(self) -> dict[int, tuple[str, ...]]:
        return fabrics_sharing(self.plan, self.design, self.absent)

    @cached_property
    def _exit_segments(self) -> dict[int, ExitDesign]:
        return exit_segments(self.design, self.plan)

    def _role(self, segment: int, between: str) -> str:
        """The role of a port by the segment of its link; `between` that of one between switches."""
        is_host = self.plan.links.segments[segment].lower == "node"
        return EXIT if segment in self._exit_segments else "host" if is_host else between

    @cached_property
    def exit_rows(self) -> frozenset[int]:
        """The rows of the switches that have links to the outside."""
        links = self.plan.links
        return frozenset(row for i in self._exit_segments for row in links.b_device[links.rows_of(i)].tolist())

    def _exits(self, switch: SwitchView) -> SwitchExits:
        """The ways out of a switch whose ports are known."""
        by_device = {(e.extra.path, name): e for e in self._exit_segments.values() for name in e.extra.devices}
        ends = []
        for port in switch.ports:
            if port.role == EXIT:
                exit_ = next(
                    e for (_, name), e in by_device.items() if name == port.peer and e.fabric.name == port.service
                )
                both = ((port.address, port.peer_address), (port.address6, port.peer_address6))
                pairs = tuple((own.partition("/")[0], far.partition("/")[0]) for own, far in both if own)
                ends.append(ExitEnd(exit_, port.peer, port.name, port.peer_port, pairs))
        return switch_exits(ends, (switch.loopback, switch.loopback6), switch.fabric.max_prefixes)

    @staticmethod
    def _own(found: FamilyAddresses, row: int, fabric: str) -> str:
        """The address, with prefix length, of a switch of an MLAG pair in the subnet of a fabric; "" for none."""
        subnets = found.subnets.get(fabric)
        return found.prefix(subnets.own.at(row), int(subnets.subnet_length[row])) if subnets else ""

    def _gateways(self, row: int, fabric: FabricDesign) -> list[list[str]]:
        """The gateways of a fabric's nodes on a switch with prefix lengths; one list a family."""
        found = []
        for each in self.addresses.families:
            subnets = each.subnets.get(fabric.name)
            length = int(subnets.subnet_length[row]) if subnets else 0
            found.append([each.prefix(gateway, length) for gateway in each.gateways(fabric.name, row)])
        return found

    def rail_labels(self, row: int, fabric: FabricDesign) -> list[str]:
        """The names of a fabric's subnets on a switch: those of its rails, or "" for the only one."""
        rails, devices = self.addresses.rails.get(fabric.name), self.plan.devices
        cls = devices.classes[devices.device_class[row]]
        if rails is None or cls.key not in rails.leaves:
            return [""]
        return rails.leaves[cls.key].labels(row - cls.first) or [""]

    def vlan_in(self, carrier: str, vrf: str) -> int:
        """The VLAN in which a VRF passes the links between a fabric's switches: of its fabric, or of its tenant."""
        tenant = next((tenant for tenant in self.design.tenants if tenant.name == vrf), None)
        if tenant is not None:
            return tenant.vlans[carrier][0]
        guest = next(f for f in self.design.fabrics if (f.carrier, f.vrf) == (carrier, vrf))
        return self.intents[guest.name].vlan

    def _subinterfaces(self, link: int, peer: int, *, at_b: bool) -> Iterator[Subinterface]:
        """The sub-interfaces of a link between switches, seen from one end: one for each VRF."""
        for carrier, vrf in dict.fromkeys(key for found in self.addresses.families for key in found.vrf_links):
            pairs = [self._pair_in_vrf(found, (carrier, vrf), link, at_b=at_b) for found in self.addresses.families]
            if any(own for own, _ in pairs):
                yield Subinterface(
                    vrf=vrf,
                    addresses=OrderedSet(own for own, _ in pairs if own),
                    vlan=self.vlan_in(carrier, vrf),
                    pairs=tuple(pairs),
                    peer_asn=int(self.addresses.asn[peer]),
                )

    @staticmethod
    def _pair_in_vrf(found: FamilyAddresses, key: tuple[str, str], link: int, *, at_b: bool) -> tuple[str, str]:
        """(own, far) address with prefix length of a link in a VRF; "" for none."""
        column = found.vrf_links.get(key)
        upper = column.at(link) if column is not None else 0
        texts = [found.prefix(upper + end if upper else 0, found.family.pair_length) for end in (0, 1)]
        return (texts[0], texts[1]) if at_b else (texts[1], texts[0])

    def _bonds(self, links: Ints) -> tuple[Ints64, Ints64]:
        """(number, kind) of the bond of each of some links: 0 and -1 for none."""
        bonds = self.plan.bonds
        if bonds is None:
            return np.zeros(len(links), dtype=np.int64), np.full(len(links), -1, dtype=np.int64)
        return bonds.numbers(links), bonds.kinds(links)

    def _switch_ports(self, row: int) -> Iterator[SwitchPort]:
        pointer, link_of, upper_of = self.ends_by_switch
        links, addresses, devices = self.plan.links, self.addresses, self.plan.devices
        cls = devices.classes[devices.device_class[row]]
        own, catalog = port_settings(self.design, self.names[row]), self.design.catalog
        largest = largest_mtu(catalog, cls)
        carries = any(found.vrf_links for found in addresses.families)
        tenants, of_link = [*(tenant.name for tenant in self.design.tenants), ""], self._tenant_of_link
        places = slice(pointer[row], pointer[row + 1])
        here, upper = link_of[places], upper_of[places]
        peers = np.where(upper, links.a_device[here], links.b_device[here])
        columns = (
            *(here, upper, links.segment[here], np.where(upper, links.b_port[here], links.a_port[here]), peers),
            *(addresses.asn[peers], devices.device_class[peers], links.cable[here]),
            *self._bonds(here),
        )
        for link, at_b, segment_of, port, peer, peer_asn, peer_class_of, cable, bond, kind in zip(
            *(column.tolist() for column in columns), strict=True
        ):
            segment = links.segments[segment_of]
            side = segment.b if at_b else segment.a
            assert isinstance(side, PortRun)  # noqa: S101 - of all ends these are kept
            ends = [self._ends(found, link, at_b=at_b) for found in addresses.families]
            own6, far6 = ends[1] if len(ends) > 1 else ("", "")
            names = (self.ports[1][link], self.ports[0][link]) if at_b else (self.ports[0][link], self.ports[1][link])
            peer_class = devices.classes[peer_class_of]
            host, settings = segment.lower == "node", own.get(names[0], AS_PLANNED)
            span = self._span(segment) if segment.km else None
            yield SwitchPort(
                name=names[0],
                cage=side.cages[port // side.ways],
                sub=port % side.ways,
                ways=side.ways,
                speed_gbps=int(segment.speed_gbps),
                lane_gbps=side.lane_gbps,
                fec_in_module=segment.corrects_itself(side),
                role=self._role(segment_of, "peer" if peer_class is cls else "down" if at_b else "up"),
                address=ends[0][0],
                peer=self.names[peer],
                peer_port=names[1],
                peer_address=ends[0][1],
                peer_tier=peer_class.tier,
                peer_asn=0 if isinstance(segment.a, ManagementPort) else peer_asn,
                peer_model=peer_class.profile.id,
                cable=self.cable_id_columns.text(cable) if cable >= 0 else "",
                mtu=min(largest, settings.mtu or (largest if host else usual_mtu(catalog, cls, peer_class, span))),
                service=segment.fabric if host else "",
                subinterfaces=tuple(self._subinterfaces(link, peer, at_b=at_b)) if carries and not host else (),
                address6=own6,
                peer_address6=far6,
                vlan=self._vlan(segment_of, link, tenants[of_link[link]]) if host else 0,
                cable_m=float(self.plan.cables.length_m[cable]) if cable >= 0 else 0.0,
                shared=self._shared.get(segment_of, ()) if host else (),
                tenant=tenants[of_link[link]] if host else "",
                bond=bond,
                mlag=kind == MLAG,
                span=span,
                settings=settings,
            )

    def _span(self, segment: Segment) -> SpanIntent | None:
        """The span that a segment between sites is of."""
        name = segment.path[-1]
        return next((span for span in self.intents[segment.fabric].spans if span.name == name), None)

    @staticmethod
    def _ends(found: FamilyAddresses, link: int, *, at_b: bool) -> tuple[str, str]:
        """(own, far) address with prefix length of a link; "" for none."""
        length = int(found.length[link])
        a, b = found.prefix(found.a.at(link), length), found.prefix(found.b.at(link), length)
        return (b, a) if at_b else (a, b)

    def _vlan(self, segment: int, link: int, tenant: str) -> int:
        """The VLAN of a host port, whether its fabric bridges or not: its tenant's, or the fabric's; 0 for exits."""
        fabric = self.plan.links.segments[segment].fabric
        if segment in self._exit_segments:
            return 0
        if own := int(self.addresses.tenants[tenant].links[link]) if tenant else 0:
            return own
        rails = self.addresses.rails.get(fabric)
        return self.intents[fabric].vlan + (max(0, int(rails.subnet[link])) if rails else 0)

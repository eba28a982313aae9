"""Builds views of single switches from the columns of the cluster, on demand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypedDict

import numpy as np

from fabricgen.design.extras.exits import ExitDesign
from fabricgen.design.linked import is_multihomed
from fabricgen.design.ports import PortRun
from fabricgen.numbering.addresses.exit_links import find_exit_segments
from fabricgen.numbering.addresses.family_tables import FamilyAddresses
from fabricgen.numbering.addresses.shared_ports import find_sharing_fabrics
from fabricgen.numbering.blocks.column import format_ipv4
from fabricgen.numbering.srv6 import find_local_identifier
from fabricgen.switch.interfaces import Subinterface
from fabricgen.switch.ordered import OrderedSet
from fabricgen.switch.routing import StaticRoute
from fabricgen.views.configuration import find_port_settings
from fabricgen.views.exits import EXIT, ExitEnd, SwitchExits, make_switch_exits
from fabricgen.views.frames import SwitchFrames
from fabricgen.views.intent import SpanIntent
from fabricgen.views.leaks import add_leaks
from fabricgen.views.mtu import find_largest_mtu, find_usual_mtu
from fabricgen.views.overlay import add_overlay
from fabricgen.views.pairs import add_mlag_pair
from fabricgen.views.static_routes import Reachability
from fabricgen.views.switch import AS_PLANNED, SwitchPort, SwitchView, route_to_neighbours
from fabricgen.wiring.arrays import Ints, Ints64
from fabricgen.wiring.bonds import MLAG
from fabricgen.wiring.tables import ManagementPort, Segment
from fabricgen.wiring.tenants import find_lower_end_tenants


class _Identifiers(TypedDict, total=False):
    locator: str
    adjacency: str


@dataclass(frozen=True)
class SwitchViews(SwitchFrames):
    """Builds views of switches; whatever all of them share is computed once."""

    def switch(self, row: int) -> SwitchView:
        """Return the view of one switch, by its row in the device table."""
        frame = self.make_frame(row)
        ports = tuple(self._make_ports(row))
        routes = self._make_routes(row) if frame.fabric.underlay == "static" else route_to_neighbours(ports)
        view = replace(frame, ports=ports, routes=routes)
        if row in self.exit_rows:
            view = replace(view, exits=self._make_exits(view))
        mlag_peer = int(self.plan.bonds.mate[row]) if self.plan.bonds else -1
        # both switches of a pair must name their segments alike: by the router id of the first
        if mlag_peer >= 0 and is_multihomed(self.design.loaded.blueprint, view.tier.key):
            view = replace(view, multihomed=format_ipv4(int(self.addresses.router_id[min(row, mlag_peer)])))
        elif mlag_peer >= 0:
            view = add_mlag_pair(view, self.make_frame(mlag_peer), self.design.peer_vlans, first=row < mlag_peer)
        view = add_overlay(view, self, row) if self.design.vnis or self.design.bridged_vnis else view
        return add_leaks(view, self) if self.design.leaks else view

    def _make_routes(self, row: int) -> dict[tuple[str, str], StaticRoute]:
        """Return the static routes of a switch by (VRF, prefix)."""
        return {
            ("", prefix): route for family in self._reachabilities for prefix, route in family.list_routes(row).items()
        }

    @cached_property
    def _reachabilities(self) -> tuple[Reachability, ...]:
        """What static routes reach, one entry for each address family; hosts in VRFs other than the default one are
        left out.
        """
        shared = [f.name for f in self.design.fabrics if not f.vrf]
        return tuple(
            Reachability(self.plan, family, self.ports[0], self.ports[1], shared) for family in self.addresses.families
        )

    @cached_property
    def _tenant_of_link(self) -> list[int]:
        """The tenant of every link as an index into those of the design, -1 for none."""
        tenants: list[int] = find_lower_end_tenants(self.design, self.plan).tolist()
        return tenants

    @cached_property
    def _shared(self) -> dict[int, tuple[str, ...]]:
        """For each link segment, by its index, the further fabrics that have a VLAN on its node ports."""
        return find_sharing_fabrics(self.plan, self.design, self.absent)

    @cached_property
    def _exit_segments(self) -> dict[int, ExitDesign]:
        """The exits by the index of the segment of their links."""
        return find_exit_segments(self.design, self.plan)

    def _find_role(self, segment: int, between: str) -> str:
        """Return the role of a port by the segment of its link (an index): `exit`, `host`, or else `between`, the role
        of a link between switches.
        """
        is_host = self.plan.links.segments[segment].lower == "node"
        return EXIT if segment in self._exit_segments else "host" if is_host else between

    @cached_property
    def exit_rows(self) -> frozenset[int]:
        """The rows of the switches that have links to the outside."""
        links = self.plan.links
        return frozenset(row for i in self._exit_segments for row in links.b_device[links.find_rows(i)].tolist())

    def _make_exits(self, switch: SwitchView) -> SwitchExits:
        """Return the exits of a switch whose ports are known: sessions, policies and static routes."""
        exit_of_device = {(e.extra.path, name): e for e in self._exit_segments.values() for name in e.extra.devices}
        exit_ends = []
        for port in switch.ports:
            if port.role == EXIT:
                exit_ = next(
                    e for (_, name), e in exit_of_device.items() if name == port.peer and e.fabric.name == port.service
                )
                address_pairs = ((port.address, port.peer_address), (port.address6, port.peer_address6))
                pairs = tuple(
                    (own_address.partition("/")[0], far_address.partition("/")[0])
                    for own_address, far_address in address_pairs
                    if own_address
                )
                exit_ends.append(ExitEnd(exit_, port.peer, port.name, port.peer_port, pairs))
        return make_switch_exits(exit_ends, (switch.loopback, switch.loopback6), switch.fabric.max_prefixes)

    def _make_subinterfaces(self, link: int, peer: int, *, at_b: bool) -> Iterator[Subinterface]:
        """Yield the sub-interfaces of a link between switches, seen from one end: one for each VRF with addresses
        there.

        `peer` is the device row of the other end, `at_b` says whether the own end is the upper one.
        """
        for carrier, vrf in dict.fromkeys(key for family in self.addresses.families for key in family.vrf_links):
            pairs = [
                self._find_vrf_addresses(family, (carrier, vrf), link, at_b=at_b) for family in self.addresses.families
            ]
            if any(own_address for own_address, _ in pairs):
                yield Subinterface(
                    vrf=vrf,
                    addresses=OrderedSet(own_address for own_address, _ in pairs if own_address),
                    vlan=self.find_vlan(carrier, vrf),
                    pairs=tuple(pairs),
                    peer_asn=int(self.addresses.asn[peer]),
                )

    @staticmethod
    def _find_vrf_addresses(
        family: FamilyAddresses, carrier_and_vrf: tuple[str, str], link: int, *, at_b: bool
    ) -> tuple[str, str]:
        """Return (own, far) address of a link in a VRF, each with its prefix length; "" for none.

        The VRF is given with the fabric that carries it; `at_b` says whether the own end is the upper one.
        """
        column = family.vrf_links.get(carrier_and_vrf)
        # the even address of a pair is that of the upper end; 0 is no address
        upper = column.at(link) if column is not None else 0
        texts = [family.format_prefix(upper + end if upper else 0, family.family.pair_length) for end in (0, 1)]
        return (texts[0], texts[1]) if at_b else (texts[1], texts[0])

    def _find_bonds(self, links: Ints) -> tuple[Ints64, Ints64]:
        """Return (number, kind) of the bond of each of some links, int64: kinds are those of `wiring/bonds.py`, such
        as MLAG; 0 and -1 for links without a bond.
        """
        bonds = self.plan.bonds
        if bonds is None:
            return np.zeros(len(links), dtype=np.int64), np.full(len(links), -1, dtype=np.int64)
        return bonds.find_numbers(links), bonds.find_kinds(links)

    def _make_ports(self, row: int) -> Iterator[SwitchPort]:
        """Yield the ports of a switch in the order of its front panel, from the columns of the plan."""
        pointer, link_of, upper_of = self.ends_by_switch
        links, addresses, devices = self.plan.links, self.addresses, self.plan.devices
        cls, catalog = devices.classes[devices.device_class[row]], self.design.catalog
        settings_by_port, max_mtu = find_port_settings(self.design, self.names[row]), find_largest_mtu(catalog, cls)
        has_vrfs = any(family.vrf_links for family in addresses.families)
        tenants, tenant_of_link = [*(tenant.name for tenant in self.design.tenants), ""], self._tenant_of_link  # -1: ""
        ends_of_switch = slice(pointer[row], pointer[row + 1])
        link_rows, upper = link_of[ends_of_switch], upper_of[ends_of_switch]
        peers = np.where(upper, links.a_device[link_rows], links.b_device[link_rows])
        ports = np.where(upper, links.b_port[link_rows], links.a_port[link_rows])
        columns = (
            *(link_rows, upper, links.segment[link_rows], ports, peers),
            *(addresses.asn[peers], devices.device_class[peers], links.cable[link_rows]),
            *self._find_bonds(link_rows),
        )
        for link, at_b, segment_index, port, peer, peer_asn, peer_class_index, cable, bond, kind in zip(
            *(column.tolist() for column in columns), strict=True
        ):
            segment = links.segments[segment_index]
            run = segment.b if at_b else segment.a
            assert isinstance(run, PortRun)  # noqa: S101 - `ends_by_switch` lists ends of port runs only
            address_pairs = [self._find_addresses(family, link, at_b=at_b) for family in addresses.families]
            address6, peer_address6 = address_pairs[1] if len(address_pairs) > 1 else ("", "")
            names = (self.ports[1][link], self.ports[0][link]) if at_b else (self.ports[0][link], self.ports[1][link])
            peer_class = devices.classes[peer_class_index]
            host, settings = segment.lower == "node", settings_by_port.get(names[0], AS_PLANNED)
            span = self._find_span(segment)
            yield SwitchPort(
                name=names[0],
                cage=run.cages[port // run.ways],
                sub=port % run.ways,
                ways=run.ways,
                speed_gbps=int(segment.speed_gbps),
                lane_gbps=run.lane_gbps,
                fec_in_module=segment.has_own_fec(run),
                role=self._find_role(segment_index, "peer" if peer_class is cls else "down" if at_b else "up"),
                address=address_pairs[0][0],
                peer=self.names[peer],
                peer_port=names[1],
                peer_address=address_pairs[0][1],
                peer_tier=peer_class.tier,
                peer_asn=0 if isinstance(segment.a, ManagementPort) else peer_asn,
                cable=self.cable_id_columns.format_id(cable) if cable >= 0 else "",
                mtu=min(max_mtu, settings.mtu or (max_mtu if host else find_usual_mtu(catalog, cls, peer_class, span))),
                service=segment.fabric if host else "",
                subinterfaces=tuple(self._make_subinterfaces(link, peer, at_b=at_b)) if has_vrfs and not host else (),
                address6=address6,
                peer_address6=peer_address6,
                vlan=self._find_host_vlan(segment_index, link, tenants[tenant_of_link[link]]) if host else 0,
                cable_m=float(self.plan.cables.length_m[cable]) if cable >= 0 else 0.0,
                shared=self._shared.get(segment_index, ()) if host else (),
                tenant=tenants[tenant_of_link[link]] if host else "",
                bond=bond,
                mlag=kind == MLAG,
                span=span,
                settings=settings,
                **self._name_identifiers(cls.fabric, run.cages[port // run.ways], port % run.ways, peer, host),
            )

    def _name_identifiers(self, fabric: str, cage: int, sub: int, peer: int, host: bool) -> _Identifiers:
        """Return the fields `locator` and `adjacency` of a switch port (SRv6 prefixes); none if the fabric has no SRv6.

        Towards a host the locator is the port's own identifier. Towards a switch it is the node identifier of the peer,
        and the port's own one is the adjacency if the fabric has identifiers of links.
        """
        block = self.intents[fabric].srv6
        if block is None:
            return {}
        local_prefix = block.make_prefix(find_local_identifier(cage, sub))
        if host:
            return {"locator": local_prefix}
        peer_prefix = block.make_prefix(int(self.addresses.identifiers[peer]))
        return {"locator": peer_prefix, "adjacency": local_prefix} if block.links else {"locator": peer_prefix}

    def _find_span(self, segment: Segment) -> SpanIntent | None:
        """Return the long-haul span that a segment belongs to; None within a site."""
        name = segment.mesh.name if segment.mesh else ""
        return next((span for span in self.intents[segment.fabric].spans if span.name == name), None)

    @staticmethod
    def _find_addresses(family: FamilyAddresses, link: int, *, at_b: bool) -> tuple[str, str]:
        """Return (own, far) address of a link, each with its prefix length; "" for none.

        `at_b` says whether the own end is the upper one.
        """
        length, upper = int(family.length[link]), family.b.at(link)
        # a NIC that has its address at another port answers here as well: the odd one of the pair
        lower = family.a.at(link) or (upper + 1 if upper else 0)
        a, b = family.format_prefix(lower, length), family.format_prefix(upper, length)
        return (b, a) if at_b else (a, b)

    def _find_host_vlan(self, segment: int, link: int, tenant: str) -> int:
        """Return the VLAN of a host port, even in a routed fabric: its tenant's, its rail's, or the fabric's; 0 for
        exits.
        """
        fabric = self.plan.links.segments[segment].fabric
        if segment in self._exit_segments:
            return 0
        if tenant_vlan := int(self.addresses.tenants[tenant].links[link]) if tenant else 0:
            return tenant_vlan
        rails = self.addresses.rails.get(fabric)
        return self.intents[fabric].vlan + (max(0, int(rails.subnet[link])) if rails else 0)

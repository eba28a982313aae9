"""A walk over the VRFs of switches: whose ports each of them joins, and over which links it goes on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import networkx as nx

from fabricgen.views.service import Service
from fabricgen.views.switch import SwitchPort, SwitchView

if TYPE_CHECKING:
    from fabricgen.design.model import Design

Place = tuple[str, str]
"""(switch, VRF)"""


@dataclass(frozen=True, slots=True)
class Joined:
    """VRFs on switches that traffic passes between: those with host ports, and a port of each tenant in them."""

    places: frozenset[Place]
    ports: dict[str, tuple[str, str]]
    """By tenant, "" for nobody, the first (switch, port)."""


def walk_vrfs(switches: Iterable[SwitchView], design: Design) -> Iterator[Joined]:
    """Walk from VRF to VRF over the sub-interfaces of links, VNIs and VLANs; the sets of VRFs that meet, in order.

    A port counts as its tenant's in fabrics that the tenant is kept apart in, elsewhere as nobody's. A link joins the
    VRFs that its two ends have for one tag (0 for none), a VNI those of all switches; a VLAN those of all of its
    gateways on a switch; a leak the two that it is between, unless the blueprint states it. A port without an address
    or a VLAN is in no VRF but the default one.
    """
    apart = {tenant.name: frozenset(tenant.fabrics) for tenant in design.tenants}
    stated = {frozenset(leak.between) for leak in design.leaks}
    graph: nx.Graph[object] = nx.Graph()
    ports: dict[Place, dict[str, tuple[str, str]]] = {}
    for switch in switches:
        for vrf, edge_end in _list_edges(switch):
            graph.add_edge(vrf, edge_end)
        for vrf, source in ((leaked.vrf, source.vrf) for leaked in switch.leaks for source in leaked.sources):
            if {vrf, source} not in stated:
                graph.add_edge((switch.name, vrf), (switch.name, source))
        for port in switch.ports:
            for service in _list_services(switch, port) if port.role == "host" else ():
                owner = port.tenant if service.fabric in apart.get(port.tenant, ()) else ""
                place = (switch.name, service.vrf if service.gateways or port.addresses else "")
                graph.add_node(place)
                ports.setdefault(place, {}).setdefault(owner, (switch.name, port.name))
    for component in nx.connected_components(graph):
        places = sorted(place for place in ports if place in component)
        first_ports: dict[str, tuple[str, str]] = {}
        # the first port of each owner stays
        for place in places:
            first_ports = {**ports[place], **first_ports}
        if first_ports:
            yield Joined(frozenset(places), first_ports)


def _list_edges(switch: SwitchView) -> Iterator[tuple[object, object]]:
    """A place, and a wire of a link (named by both ends and its tag) or a VLAN that it is on."""
    for port in switch.ends:
        if port.role != "host":
            ends: object = frozenset({(switch.name, port.name), (port.peer, port.peer_port)})
            if switch.pair is not None and port is switch.pair_end:
                ends = frozenset({switch.name, switch.pair.mate})
            outward = switch.find_service(port) if port.role == "exit" else None
            yield (switch.name, outward.vrf if outward else ""), (ends, 0, "")
            for sub in port.subinterfaces:
                yield (switch.name, sub.vrf), (ends, sub.vlan, "")
    for vrf, vrf_service in switch.overlay.vrfs.items() if switch.overlay else ():
        yield (switch.name, vrf), ("", vrf_service.vni, "vni")
    for service in switch.services:
        if service.gateways:
            yield (switch.name, service.vrf), (switch.name, service.vlan, "vlan")


def _list_services(switch: SwitchView, port: SwitchPort) -> Iterator[Service]:
    """The services that a host port is in, by its VLANs; where it has none, the one of its fabric."""
    untagged, tagged = switch.list_vlans(port)
    vlans = {*tagged, untagged} - {0}
    default = switch.find_service(port)
    yield from (s for s in switch.services if s.gateways and s.vlan in vlans)
    if default is not None and not vlans:
        yield default

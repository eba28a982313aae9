"""FG821: two tenants reach each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import PlanRule

if TYPE_CHECKING:
    import networkx as nx

    from fabricgen.cluster import Cluster
    from fabricgen.design.model import Design
    from fabricgen.views.service import Service
    from fabricgen.views.switch import SwitchPort, SwitchView

SwitchVrf = tuple[str, str]
"""(name of a switch, name of a VRF on it)."""


class TenantsMeet(PlanRule):
    """Nodes of two tenants, or of a tenant and of nobody, reach each other in a fabric that is to keep them apart.

    The plan is walked as packets go: from the VRF of each port, over VLANs and the sub-interfaces of links, to every
    VRF that is met. A port that has neither an address nor a VLAN, in a fabric with `hosts: none`, is in no VRF: there
    a controller has to keep tenants apart, and you waive this. In any other fabric fabricgen is wrong: report it, and
    do not push the configurations.
    """

    severity = Severity.ERROR
    bad = """
        fabrics: {compute: {hosts: none}}
        tenants:
          blue: {nodes: [p1/su-1/node-1]}  # <-
          green: {nodes: [p1/su-1/node-2]}  # <-
    """
    good = """
        tenants:
          blue: {nodes: [p1/su-1/node-1]}
          green: {nodes: [p1/su-1/node-2]}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Flag tenants with ports in VRFs that exchange traffic with VRFs of another tenant, or of nobody."""
        if not cluster.design.tenants:
            return
        import numpy as np

        has_tenant = np.logical_or.reduce([addresses.passes > 0 for addresses in cluster.addresses.tenants.values()])
        switches = (cluster.switch(row) for row in np.flatnonzero(has_tenant).tolist())
        for meeting in walk_vrfs(switches, cluster.design):
            # one sample port by tenant; "" is a port of no tenant, and sorts first
            (first_tenant, first_port), *others = sorted(meeting.ports.items())
            for tenant, port in others:
                message = f"{' '.join(port)} of {tenant} reaches {' '.join(first_port)} of {first_tenant or 'nobody'}"
                yield self.flag(("tenants", tenant), message, "let hosts have addresses, or keep them apart yourself")


class Joined(NamedTuple):
    """VRFs on switches that exchange traffic: those with host ports, and a port of each tenant in them."""

    vrfs: frozenset[SwitchVrf]
    ports: dict[str, tuple[str, str]]
    """The first (switch, port) of each tenant, by its name; "" for ports of no tenant."""


def walk_vrfs(switches: Iterable[SwitchView], design: Design) -> Iterator[Joined]:
    """Yield each set of VRFs that exchange traffic and have host ports, found by walking from VRF to VRF over links and
    their sub-interfaces, VNIs, VLANs and leaks.

    A port counts as its tenant's in fabrics in which the tenant is kept apart, elsewhere as nobody's. A link joins the
    VRFs that its two ends have for one tag (0 for untagged), a VNI those of all switches, a VLAN those of all of its
    gateways on a switch, and a leak the two VRFs that it is between. Leaks that the blueprint states are not followed.
    A port without an address or a VLAN is in the default VRF.
    """
    import networkx as nx

    fabrics_apart = {tenant.name: frozenset(tenant.fabrics) for tenant in design.tenants}
    stated_leaks = {frozenset(leak.between) for leak in design.leaks}
    graph: nx.Graph[object] = nx.Graph()
    ports: dict[SwitchVrf, dict[str, tuple[str, str]]] = {}
    for switch in switches:
        graph.add_edges_from(_list_edges(switch))
        for vrf, source in ((leaked.vrf, source.vrf) for leaked in switch.leaks for source in leaked.sources):
            if {vrf, source} not in stated_leaks:
                graph.add_edge((switch.name, vrf), (switch.name, source))
        for port in switch.ports:
            for service in _list_services(switch, port) if port.role == "host" else ():
                tenant = port.tenant if service.fabric in fabrics_apart.get(port.tenant, ()) else ""
                switch_vrf = (switch.name, service.vrf if service.gateways or port.addresses else "")
                graph.add_node(switch_vrf)
                ports.setdefault(switch_vrf, {}).setdefault(tenant, (switch.name, port.name))
    for component in nx.connected_components(graph):
        vrfs = sorted(switch_vrf for switch_vrf in ports if switch_vrf in component)
        first_ports: dict[str, tuple[str, str]] = {}
        for switch_vrf in vrfs:
            # a port that was met before stays the first of its tenant
            first_ports = ports[switch_vrf] | first_ports
        if first_ports:
            yield Joined(frozenset(vrfs), first_ports)


def _list_edges(switch: SwitchView) -> Iterator[tuple[object, object]]:
    """Yield (VRF on the switch, what it is on): a link, by both of its ends and a tag, a VNI, or a VLAN of
    the switch.
    """
    # what VRFs meet on is (ends of the link, tag, ""), ("", VNI, "vni") or (switch, VLAN, "vlan")
    for port in switch.ends:
        if port.role != "host":
            ends: object = frozenset({(switch.name, port.name), (port.peer, port.peer_port)})
            if switch.pair is not None and port is switch.pair_end:
                ends = frozenset({switch.name, switch.pair.mate})
            exit_service = switch.find_service(port) if port.role == "exit" else None
            yield (switch.name, exit_service.vrf if exit_service else ""), (ends, 0, "")
            for sub in port.subinterfaces:
                yield (switch.name, sub.vrf), (ends, sub.vlan, "")
    for vrf, vrf_service in switch.overlay.vrfs.items() if switch.overlay else ():
        yield (switch.name, vrf), ("", vrf_service.vni, "vni")
    for service in switch.services:
        if service.gateways:
            yield (switch.name, service.vrf), (switch.name, service.vlan, "vlan")


def _list_services(switch: SwitchView, port: SwitchPort) -> Iterator[Service]:
    """Yield the services of the VLANs of a host port; the service of its fabric if it has no VLAN."""
    untagged, tagged = switch.list_vlans(port)
    vlans = {*tagged, untagged} - {0}
    default = switch.find_service(port)
    yield from (s for s in switch.services if s.gateways and s.vlan in vlans)
    if default is not None and not vlans:
        yield default

"""FG521: a service of hosts that serves nobody."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.blueprint.sections.host_services import Advertisements
from fabricgen.design.fabric_model import FabricDesign
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Path, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.numbering.underlay import list_families


class DhcpServesNobody(DesignRule):
    """A service of hosts is stated for a fabric whose switches cannot give it, or sends hosts to nobody.

    DHCP is relayed by gateways of the server's own address family, and router advertisements are of gateways of IPv6;
    what ports refuse is of bridged hosts. InfiniBand has no gateways, a fabric of `hosts: none` has no hosts, and a
    routed host has a link of two addresses, which no advertisement can tell it of.

    Hosts that are told to ask DHCPv6 (`managed`, `other`) wait for an answer (RFC 4861, 4.2): waive this where its
    server is not stated since it is in the subnet of each leaf. A circuit id is met where requests say one.

    Remove the key, or state `ip: dual`, or `hosts: bridged`, or the server in `dhcp`.
    """

    severity = Severity.WARNING
    bad = """
        ip: v4
        fabrics:
          inband:
            protocol: ethernet
            router_advertisements: {autoconfig: true}  # <-
            tiers: {leaf: {switch: sn4600c}}
    """
    good = """
        ip: dual
        fabrics:
          inband:
            protocol: ethernet
            router_advertisements: {autoconfig: true}
            tiers: {leaf: {switch: sn4600c}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Compare what each fabric states with the families and kind of its hosts."""
        for fabric in design.fabrics:
            for path, message in _list_idle_services(design, fabric):
                yield self.flag((*fabric.path, *path), message, "remove it, or give the hosts gateways that can")


def _list_idle_services(design: Design, fabric: FabricDesign) -> Iterator[tuple[Path, str]]:
    """(path below the fabric, why it serves nobody) of each service of hosts that does nothing."""
    spec = design.loaded.blueprint.fabrics[fabric.name]
    gateway_families = () if fabric.protocol == "infiniband" else list_families(design, fabric)
    nobody = fabric.hosts == "none" or not gateway_families
    for server in spec.dhcp.servers if spec.dhcp else ():
        family = "v6" if ":" in server else "v4"
        if nobody:
            yield ("dhcp",), f"{fabric.name} has no hosts with gateways, so that nothing is relayed to {server}"
        elif family not in gateway_families:
            yield ("dhcp", "servers"), f"{fabric.name} has no IP{family} gateways to relay to {server}"
    bridged = fabric.hosts in ("bridged", "rail-subnets") and not nobody
    if spec.router_advertisements and not ("v6" in gateway_families and bridged):
        yield ("router_advertisements",), f"{fabric.name} has no IPv6 gateways of bridged hosts to advertise"
    advertisements, servers = spec.router_advertisements, spec.dhcp.servers if spec.dhcp else ()
    if isinstance(advertisements, Advertisements) and not any(":" in server for server in servers):
        for key in (key for key in ("managed", "other") if getattr(advertisements, key)):
            yield (
                ("router_advertisements", key),
                f"hosts of {fabric.name} are told to ask a DHCPv6 server that is not stated",
            )
    if spec.access.model_fields_set and not bridged:
        yield ("access",), f"hosts of {fabric.name} are not bridged, and their ports refuse nothing"
    tiers = (design.fabric(fabric.carrier) if fabric.carrier else fabric).tiers
    naming = design.catalog.naming  # a NOS that cannot leave the option out says the port in any case
    heeded = any(not naming(t.nos).configuration.explain_refusal("no-option-82", t.profile.asic) for t in tiers)
    if spec.dhcp and spec.dhcp.circuit_id and not spec.dhcp.option_82 and heeded:
        yield ("dhcp", "circuit_id"), "requests say no port (`option_82: false`), and no reservation by it is met"
    if spec.access.ra_guard and bridged and "v6" not in gateway_families:
        yield ("access", "ra_guard"), f"hosts of {fabric.name} have no IPv6, of which router advertisements are"
    if spec.lacp_fallback and not fabric.bond:
        yield ("lacp_fallback",), f"{fabric.name} has no bonds"

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
        """Flag services of hosts that a fabric states and that serve no hosts of the fabric."""
        for fabric in design.fabrics:
            for path, message in _list_idle_services(design, fabric):
                yield self.flag((*fabric.path, *path), message, "remove it, or give the hosts gateways that can")


def _list_idle_services(design: Design, fabric: FabricDesign) -> Iterator[tuple[Path, str]]:
    """Yield (path below the fabric, why it serves nobody) for each service of hosts that has no effect."""
    spec = design.loaded.blueprint.fabrics[fabric.name]
    gateway_families = () if fabric.protocol == "infiniband" else list_families(design, fabric)
    has_hosts = fabric.hosts != "none" and bool(gateway_families)
    servers = spec.dhcp.servers if spec.dhcp else ()
    for server in servers:
        family = "v6" if ":" in server else "v4"
        if not has_hosts:
            yield ("dhcp",), f"{fabric.name} has no hosts with gateways, so that nothing is relayed to {server}"
        elif family not in gateway_families:
            yield ("dhcp", "servers"), f"{fabric.name} has no IP{family} gateways to relay to {server}"
    is_bridged = fabric.hosts in ("bridged", "rail-subnets") and has_hosts
    advertisements = spec.router_advertisements
    if advertisements and not ("v6" in gateway_families and is_bridged):
        yield ("router_advertisements",), f"{fabric.name} has no IPv6 gateways of bridged hosts to advertise"
    if isinstance(advertisements, Advertisements) and not any(":" in server for server in servers):
        why = f"hosts of {fabric.name} are told to ask a DHCPv6 server that is not stated"
        keys = (key for key in ("managed", "other") if getattr(advertisements, key))
        yield from ((("router_advertisements", key), why) for key in keys)
    if spec.access.model_fields_set and not is_bridged:
        yield ("access",), f"hosts of {fabric.name} are not bridged, and their ports refuse nothing"
    tiers = (design.fabric(fabric.carrier) if fabric.carrier else fabric).tiers
    configurations = ((design.catalog.naming(tier.nos).configuration, tier.profile.asic) for tier in tiers)
    # a NOS that cannot leave option 82 out tells the port in any case
    may_omit = any(not configuration.explain_refusal("no-option-82", asic) for configuration, asic in configurations)
    if spec.dhcp and spec.dhcp.circuit_id and not spec.dhcp.option_82 and may_omit:
        yield ("dhcp", "circuit_id"), "requests say no port (`option_82: false`), and no reservation by it is met"
    if spec.access.ra_guard and is_bridged and "v6" not in gateway_families:
        yield ("access", "ra_guard"), f"hosts of {fabric.name} have no IPv6, of which router advertisements are"
    if spec.lacp_fallback and not fabric.bond:
        yield ("lacp_fallback",), f"{fabric.name} has no bonds"

"""FG735: a DHCPv6 relay does not hear the replies of its servers."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.fabric_model import FabricDesign
from fabricgen.design.linked import find_fabric_overlay, find_fabric_underlay
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule


class RelayHearsNoReply(DesignRule):
    """A leaf relays DHCPv6, and replies of servers come in where its relay does not listen, or come to another switch.

    SONiC's DHCPv6 relay is in the default VRF alone: sonic-buildimage pull 28171 (30 June 2026),
    which adds `server_vrf`, was not merged when last read.
    That of Cumulus Linux is isc-dhcp-relay, which sends from the address of the port that a request leaves by, and
    servers answer to that (RFC 8415). Addresses of links are announced to nobody. Routes by BGP in the default VRF have
    the loopback as source, and VRFs over EVPN a loopback of their own; VRFs over sub-interfaces, and static
    routes, have neither.
    EOS relays DHCPv6 in VRFs, and every NOS DHCP of IPv4.

    Put the fabric into its carrier's VRF (`vrf: default`), name servers with IPv4 addresses, or choose another NOS.
    """

    severity = Severity.ERROR
    bad = """
        ip: dual
        fabrics:
          compute:
            protocol: ethernet
            nos: sonic
            tiers: {leaf: {switch: sn4700, count: 2, uplinks: 2 x 400G}, spine: {switch: sn4700, count: 2}}
          inband:
            protocol: ethernet
            carried_by: compute
            hosts: bridged
            dhcp: {servers: "fd00:99::9"}  # <-
    """
    good = """
        ip: dual
        fabrics:
          compute:
            protocol: ethernet
            nos: sonic
            tiers: {leaf: {switch: sn4700, count: 2, uplinks: 2 x 400G}, spine: {switch: sn4700, count: 2}}
          inband:
            protocol: ethernet
            carried_by: compute
            hosts: bridged
            dhcp: {servers: 10.99.0.9}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag DHCPv6 of fabrics whose leaves run a NOS that hears no reply; one finding for each fabric."""
        for fabric in design.fabrics:
            dhcp = design.loaded.blueprint.fabrics[fabric.name].dhcp
            owner = design.fabric(fabric.carrier) if fabric.carrier else fabric
            if dhcp is None or fabric.hosts == "none" or not any(":" in server for server in dhcp.servers):
                continue
            for leaf in (tier for tier in owner.tiers if tier.lowest and tier.up is not None):
                if why := _explain_deafness(design, fabric, owner, leaf.nos):
                    message = f"{leaf.fabric} {leaf.name} runs {leaf.nos}, whose DHCPv6 relay hears no reply: {why}"
                    yield self.flag((*fabric.path, "dhcp"), message, _suggest_remedy(why))
                    break


def _explain_deafness(design: Design, fabric: FabricDesign, owner: FabricDesign, nos: str) -> str:
    """Return why replies do not reach the relay of a NOS at the gateways of a fabric's hosts, on switches of the fabric
    `owner`; "" if they do.
    """
    vrf = fabric.vrf or next((t.name for t in design.tenants if fabric.name in t.fabrics), "")
    in_vxlan = find_fabric_overlay(design.loaded.blueprint, owner.name) == "evpn"
    relay = design.catalog.naming(nos).configuration.relay
    if relay.deaf_in_vrfs == "all" and vrf:
        return f"VRF {vrf} comes {'in VXLAN' if in_vxlan else 'over sub-interfaces'}"
    if relay.deaf_in_vrfs and vrf and not in_vxlan:
        return f"VRF {vrf} comes over sub-interfaces, whose addresses nobody has a route to"
    if relay.deaf_on_static and not vrf and find_fabric_underlay(design.loaded.blueprint, owner.name) == "static":
        return "it sends from the addresses of links, which nobody has a static route to"
    return ""


def _suggest_remedy(why: str) -> str:
    """Return the hint on what helps, by whether the reason names static routes or a VRF."""
    if "static" in why:
        return "use an ebgp underlay, servers with IPv4 addresses, or run another NOS on the leaves"
    return "use `vrf: default`, servers with IPv4 addresses, or run another NOS on the leaves"

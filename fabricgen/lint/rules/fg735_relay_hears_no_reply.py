"""FG735: a DHCP relay does not hear the replies of its servers."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.linked import fabric_overlay
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.numbering.underlay import underlay


class RelayHearsNoReply(DesignRule):
    """A leaf relays DHCP, and replies of servers come in where its relay does not listen.

    SONiC starts the relay with a list of interfaces for replies: those with IPv4 addresses in INTERFACE and
    VLAN_INTERFACE (sonic-buildimage, dockers/docker-dhcp-relay, dhcpv4-relay.agents.j2). Links without addresses
    (`ebgp-unnumbered`), sub-interfaces of a VRF and its VXLAN are not in it: requests reach the server, and the replies
    are lost. Its DHCPv6 relay is in the default VRF alone. Cumulus Linux wants the interface of a VRF's VXLAN named,
    and gives it a number of its own choice (user guide, "DHCP Relays": `nv show vrf RED evpn`): name it by a snippet.

    Number the links, put the fabric into its carrier's VRF (`vrf: default`), or choose another NOS for its leaves.
    """

    id = "FG735"
    severity = Severity.ERROR
    title = "a DHCP relay does not hear the replies of its servers"
    bad = """
        routing: {underlay: ebgp-unnumbered}
        fabrics:
          inband:
            protocol: ethernet
            hosts: bridged
            nos: sonic
            dhcp: {servers: 10.128.0.67}  # <-
            tiers: {leaf: {switch: sn4700, count: 2, uplinks: 2 x 400G}, spine: {switch: sn4700, count: 2}}
    """
    good = """
        routing: {underlay: ebgp-numbered}
        fabrics:
          inband:
            protocol: ethernet
            hosts: bridged
            nos: sonic
            dhcp: {servers: 10.128.0.67}
            tiers: {leaf: {switch: sn4700, count: 2, uplinks: 2 x 400G}, spine: {switch: sn4700, count: 2}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Look at the leaves of each fabric whose hosts are relayed."""
        for fabric in design.fabrics:
            dhcp = design.loaded.blueprint.fabrics[fabric.name].dhcp
            owner = design.fabric(fabric.carrier) if fabric.carrier else fabric
            vrf = fabric.vrf or next((t.name for t in design.tenants if fabric.name in t.fabrics), "")
            in_vxlan = bool(vrf) and fabric_overlay(design.loaded.blueprint, owner.name) == "evpn"
            deaf = ("sonic", "cumulus") if in_vxlan else ("sonic",)
            leaves = [tier for tier in owner.tiers if tier.lowest and tier.nos in deaf and tier.up is not None]
            if dhcp is None or fabric.hosts == "none" or not leaves:
                continue
            why = "its links have no addresses" if underlay(design, owner) == "ebgp-unnumbered" else ""
            if vrf:
                why = f"VRF {vrf} comes {'in VXLAN' if in_vxlan else 'over sub-interfaces'}"
            if why:
                leaf = leaves[0]
                message = f"{leaf.fabric} {leaf.name} runs {leaf.nos}, whose DHCP relay hears no reply: {why}"
                hint = "number the links, use `vrf: default`, or run another NOS on the leaves"
                yield self.flag((*fabric.path, "dhcp"), message, hint)

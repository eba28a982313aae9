"""FG735: a DHCPv6 relay does not hear the replies of its servers."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.linked import fabric_overlay
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule


class RelayHearsNoReply(DesignRule):
    """A leaf of SONiC relays DHCPv6 in a VRF, and replies of servers come in where its relay does not listen.

    SONiC's DHCPv6 relay is in the default VRF alone: sonic-buildimage pull 28171 (30 June 2026),
    which adds `server_vrf`, was not merged when last read.
    EOS and Cumulus Linux relay DHCPv6 in VRFs, and every NOS DHCP of IPv4.

    Put the fabric into its carrier's VRF (`vrf: default`), name servers with IPv4 addresses, or choose another NOS.
    """

    id = "FG735"
    severity = Severity.ERROR
    title = "a DHCPv6 relay does not hear the replies of its servers"
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
        """Look at the leaves of each fabric whose hosts are relayed."""
        for fabric in design.fabrics:
            dhcp = design.loaded.blueprint.fabrics[fabric.name].dhcp
            owner = design.fabric(fabric.carrier) if fabric.carrier else fabric
            vrf = fabric.vrf or next((t.name for t in design.tenants if fabric.name in t.fabrics), "")
            in_vxlan = bool(vrf) and fabric_overlay(design.loaded.blueprint, owner.name) == "evpn"
            leaves = [tier for tier in owner.tiers if tier.lowest and tier.nos == "sonic" and tier.up is not None]
            if dhcp is None or fabric.hosts == "none" or not leaves:
                continue
            if vrf and any(":" in server for server in dhcp.servers):
                leaf = leaves[0]
                why = f"VRF {vrf} comes {'in VXLAN' if in_vxlan else 'over sub-interfaces'}"
                message = f"{leaf.fabric} {leaf.name} runs {leaf.nos}, whose DHCPv6 relay hears no reply: {why}"
                hint = "use `vrf: default`, servers with IPv4 addresses, or run another NOS on the leaves"
                yield self.flag((*fabric.path, "dhcp"), message, hint)

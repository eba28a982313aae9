"""Whether interfaces of an EOS configuration can carry what they are given (EOS user manual: IP routing, MTU)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from fabricgen.running.tree import report_misfit
from fabricgen.switch.interfaces import Interface

MANAGEMENT = "MGMT"
"""The VRF of the management port."""


def check_forwarding(box: Any, interfaces: Iterable[Interface]) -> None:
    """Refuse addresses in a VRF that does not route their family, and IPv6 anycast gateways without another address.

    `interfaces` are the ports of the switch as read. Raises UnknownTextError.
    """
    for name, port in box.ports.items():
        addresses = (
            address for address in (*port.addresses, *port.segment.virtual) if not address.startswith("169.254.")
        )
        family_words = {
            "ipv6" if ":" in address else "ip" for address in addresses
        }  # link-local ones of a pair lead nowhere
        if name.startswith(("Management", "Vxlan")) or port.vrf == MANAGEMENT:
            continue
        if missing := {(family_word, port.vrf) for family_word in family_words} - box.routes_in:
            report_misfit(f"{name} has addresses that are not routed: {sorted(missing)}")
        if any(":" in address for address in port.segment.virtual) and not (port.addresses or port.link_local):
            report_misfit(f"{name} has an anycast address of IPv6, and no other")
    bare = any(interface.link_local for interface in interfaces)
    if bare and ("ip", "") in box.routes_in and not box.v4_over_v6:
        report_misfit("`ip routing ipv6 interfaces` is missing")
    if bare and ("ipv6", "") not in box.routes_in:
        report_misfit("`ipv6 unicast-routing` is missing")


def check_mtus(box: Any) -> None:
    """Refuse a sub-interface or VLAN that takes smaller packets than the ports it is on; raises UnknownTextError."""
    for name, port in box.ports.items():
        if port.tag:
            carriers = [box.ports[name.partition(".")[0]]]
        elif name.startswith("Vlan") and int(name.removeprefix("Vlan")) not in box.vlan_groups:
            vlan = int(name.removeprefix("Vlan"))
            carriers = [
                carrier for carrier in box.ports.values() if vlan in {carrier.access_vlan, *carrier.tagged_vlans}
            ]
        else:
            continue
        if any(port.mtu < carrier.mtu for carrier in carriers):
            report_misfit(f"{name} takes packets of {port.mtu} bytes, and its ports larger ones")

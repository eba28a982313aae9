"""MTUs of switch ports, in bytes: the size of the largest IP packet that a port accepts.

All NOSes count alike, without the Ethernet header: SONiC adds header, VLAN tag and FCS (22 bytes) to the value in
config_db (sonic-swss, orchagent/portsorch.cpp, setPortMtu), EOS checks the length of the IP packet (`show interfaces`:
"IP MTU 9214 bytes"), Cumulus Linux sets the MTU of a Linux interface. They differ in the largest MTU (catalogue,
`mtu_max`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabricgen.catalog.loader import Catalog
from fabricgen.wiring.tables import DeviceClass

if TYPE_CHECKING:
    from fabricgen.views.intent import SpanIntent

HOST_MTU = 9000
"""Of RoCE and storage ports of hosts: a 4096-byte RDMA payload fits, and switches take 9214 or more."""

VXLAN_BYTES = 50
"""What VXLAN over IPv4 adds to an IP packet: outer IPv4 20, UDP 8, VXLAN 8 and the inner Ethernet header 14 (RFC 7348,
5)."""

SRV6_BYTES = 40
"""What SRv6 adds where all identifiers of a path are in the destination address: an IPv6 header (RFC 8986, 5.2)."""


def find_largest_mtu(catalog: Catalog, devices: DeviceClass) -> int:
    """Return the largest MTU that the NOS of switches supports."""
    return catalog.naming(devices.nos).configuration.mtu_max


def find_usual_mtu(catalog: Catalog, lower: DeviceClass, upper: DeviceClass, span: SpanIntent | None = None) -> int:
    """Return the MTU of a link between switches for which the blueprint states none.

    That is the largest that both support, less the bytes that encryption adds.
    """
    return min(find_largest_mtu(catalog, lower), find_largest_mtu(catalog, upper)) - (span.overhead if span else 0)

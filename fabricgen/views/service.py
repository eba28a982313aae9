"""A fabric as one of its switches serves its hosts, or carries its traffic."""

from __future__ import annotations

from dataclasses import dataclass

from fabricgen.switch.routing import Permit
from fabricgen.views.host_services import NO_SERVICES, HostServices


@dataclass(frozen=True, slots=True)
class Service:
    """A fabric whose hosts a switch serves, or whose traffic it carries; addresses have prefix lengths, "" for none.

    `vrf` is the name of the VRF it lives in, "" for the default. A bridged service has a gateway on each switch that
    its hosts attach to, in the VLAN `vlan`; a fabric with subnets of rails is a service for each, told apart by `rail`.
    `host_subnet` is the block of all node links here, `host_pools` are the prefixes of either family that these blocks
    come from everywhere. What ends in 6 is IPv6, its like without is IPv4.
    """

    fabric: str
    vlan: int
    vrf: str
    hosts: str
    gateway: str
    host_subnet: str
    host_pools: tuple[str, ...]
    gateway6: str = ""
    host_subnet6: str = ""
    rail: str = ""
    tagged: bool = False
    """Whether its VLAN is tagged on the ports of nodes."""
    own: str = ""
    own6: str = ""
    """The addresses of a switch of an MLAG pair in the subnet, both of whose switches have the gateway; else ""."""
    outside: tuple[Permit, ...] = ()
    """What is beyond the exits of its VRF."""
    tenant: str = ""
    """The tenant whose ports alone are in it, in a VRF of its name."""
    offers: HostServices = NO_SERVICES
    """What the switch does for its hosts."""

    @property
    def gateways(self) -> tuple[str, ...]:
        """The gateways on this switch, IPv4 before IPv6."""
        return tuple(gateway for gateway in (self.gateway, self.gateway6) if gateway)

    @property
    def owns(self) -> tuple[str, ...]:
        """The addresses of the switch beside gateways that it shares, IPv4 before IPv6."""
        return tuple(own for own in (self.own, self.own6) if own)

    @property
    def label(self) -> str:
        """The name of the fabric, of the rail where it has a subnet of its own, and of the tenant."""
        return "-".join(filter(None, (self.fabric, self.rail, self.tenant)))

"""One switch as its configuration needs it: plain values, addresses as text."""

from __future__ import annotations

from dataclasses import dataclass

from fabricgen.allocate.pools import dotted
from fabricgen.catalog.models import SwitchProfile
from fabricgen.design.fabric_model import TierDesign
from fabricgen.intent import FabricIntent


@dataclass(frozen=True, slots=True)
class Service:
    """A fabric whose hosts a switch serves, or carries the traffic of: addresses carry prefix lengths, "" for none.

    `vrf` is the name of the VRF it lives in, "" for the default. A bridged service has a `gateway` on each switch that
    its hosts attach to, in the VLAN `vlan`. `host_subnet` is the block of all node links here, `host_pools` are the
    prefixes that these blocks come from everywhere.
    """

    fabric: str
    vlan: int
    vrf: str
    hosts: str
    gateway: str
    host_subnet: str
    host_pools: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Subinterface:
    """One VRF on a link between switches: an 802.1Q sub-interface with a session of its own.

    `vrf` is that of a service of the switch. Addresses carry prefix lengths.
    """

    vlan: int
    vrf: str
    address: str
    peer_address: str
    peer_asn: int


@dataclass(frozen=True, slots=True)
class SwitchPort:
    """One cabled port of a switch, as a configuration needs it; addresses carry prefix lengths, "" for none.

    `cage` counts from 1, `sub` from 0 within the cage's `ways` ports. `role` is what is at the far end: `up`, `down`
    or `host`. `speed_gbps` is Gb/s. `service` is the fabric of the service that a host port belongs to.
    """

    name: str
    cage: int
    sub: int
    ways: int
    speed_gbps: int
    lane_gbps: float
    role: str
    address: str
    peer: str
    peer_port: str
    peer_address: str
    peer_tier: str
    peer_asn: int
    peer_model: str
    cable: str
    service: str = ""
    subinterfaces: tuple[Subinterface, ...] = ()


@dataclass(frozen=True, slots=True)
class NextHop:
    """A way out of a switch: its own port and the far end's address, without prefix length."""

    port: str
    address: str


@dataclass(frozen=True, slots=True)
class StaticRoute:
    """A route over all next hops equally; `discard`: what none of them takes is dropped, not sent elsewhere."""

    prefix: str
    hops: tuple[NextHop, ...]
    discard: bool


@dataclass(frozen=True, slots=True)
class SwitchView:
    """One switch, as a configuration needs it; addresses are dotted, with prefix length where it says so."""

    name: str
    profile: SwitchProfile
    fabric: FabricIntent
    tier: TierDesign
    is_lowest: bool
    level: int
    """Tiers below it."""
    asn: int
    loopback: str
    management: str
    """With prefix length."""
    management_gateway: str
    services: tuple[Service, ...]
    """The owning fabric's first."""
    site: str
    rack: str
    ports: tuple[SwitchPort, ...]
    routes: tuple[StaticRoute, ...]
    """Of a fabric with static routes, by prefix; else empty."""
    shares_asn: bool = False
    """Whether switches that it reaches through the tier above have its AS number, and it is to take their routes."""

    @property
    def vrfs(self) -> tuple[str, ...]:
        """Names of the VRFs of its services, besides the default."""
        return tuple(sorted({service.vrf for service in self.services} - {""}))

    def service_of(self, port: SwitchPort) -> Service | None:
        """The service that a host port belongs to; None for a link between switches."""
        return next((service for service in self.services if service.fabric == port.service), None)

    def links_in(self, vrf: str) -> tuple[tuple[SwitchPort, Subinterface], ...]:
        """The links between switches that carry a VRF, each with its sub-interface."""
        return tuple((port, sub) for port in self.ports for sub in port.subinterfaces if sub.vrf == vrf)

    @property
    def ecmp_width(self) -> int:
        """Equal paths at most: links up, or down where there is no tier above."""
        below = max((run.count for run in self.tier.downs), default=1)
        return max(1, self.tier.up.count if self.tier.up else below)


def address_text(address: int) -> str:
    """An address in dotted form, "" for none."""
    return dotted(address) if address else ""


def with_length(address: int, length: int) -> str:
    """An address with its prefix length, "" for none."""
    return f"{dotted(address)}/{length}" if address else ""

"""The view of one switch for its configuration: plain values, addresses as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Address
from typing import Any

from fabricgen.blueprint.sections.configuration import PortSettings
from fabricgen.catalog.models import SwitchProfile
from fabricgen.catalog.naming import NosNaming
from fabricgen.catalog.nos_configuration import DialectFacts, Intent
from fabricgen.design.fabric_model import TierDesign
from fabricgen.kernel.diagnostics import Path
from fabricgen.switch.interfaces import LinkMacsec, MlagPair, Subinterface
from fabricgen.switch.ordered import OrderedSet
from fabricgen.switch.routing import EvpnOverlay, OverlayVrf, Permit, StaticRoute
from fabricgen.views.exits import EXIT, SwitchExits
from fabricgen.views.intent import FabricIntent, SpanIntent
from fabricgen.views.service import Service, VrfLoopback

NO_EXITS = SwitchExits()

AS_PLANNED = PortSettings.model_construct()
"""The settings of a port for which the blueprint states none."""


@dataclass(frozen=True, slots=True)
class PlacedSnippet:
    """A snippet of the user's with its place in the configuration of a switch: lines of text, or data to merge."""

    name: str
    place: str
    lines: tuple[str, ...] = ()
    tree: Mapping[str, Any] = field(default_factory=dict)
    path: Path = ()
    """Where the blueprint states it."""


@dataclass(frozen=True, slots=True)
class SwitchPort:
    """A cabled port of a switch; addresses have prefix lengths, "" for none.

    `cage` counts from 1, `sub` from 0 within the cage's `ways` ports. `role` is that of the far end: `up`, `down`,
    `peer`, `host`, or `exit` for a device outside. `speed_gbps` is in Gb/s; `cable_m` is the length of its cable as
    stocked, 0 without one; `mtu` is the largest IP packet in bytes, as stated or else the largest that both ends
    support. `service` is the fabric of the service that a host port belongs to, `vlan` its VLAN if hosts are bridged.
    `peer_asn` is 0 for a far end without BGP. Names that end in 6 are of IPv6. With `fec_in_module` its module corrects
    errors itself, so that the port has no FEC.
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
    cable: str
    mtu: int
    service: str = ""
    fec_in_module: bool = False
    subinterfaces: tuple[Subinterface, ...] = ()
    address6: str = ""
    peer_address6: str = ""
    vlan: int = 0
    cable_m: float = 0.0
    shared: tuple[str, ...] = ()
    """Further fabrics whose VLANs a host port is in."""
    tenant: str = ""
    """The tenant whose node or device is at the far end."""
    bond: int = 0
    """The number of the bond that it is in, of a host or of the peer link of an MLAG pair; 0 for none."""
    mlag: bool = False
    """Whether that bond has ports on the other switch of the pair, too."""
    span: SpanIntent | None = None
    """The long-haul connection that it is an end of."""
    settings: PortSettings = AS_PLANNED
    """The settings that the blueprint states for this port alone."""
    locator: str = ""
    """The prefix of the SRv6 identifier that leads over it: of the switch at the far end, or of this port to a host."""
    adjacency: str = ""
    """The prefix of the SRv6 identifier of its link (uA), where links have any."""

    @property
    def may_pause(self) -> bool:
        """Whether PFC may pause the port, provided that its fabric is lossless (which is for the caller to ask).

        False for a port that leads outside the fabric, and for the end of a span that drops packets.
        """
        return self.role != EXIT and (self.span is None or self.span.lossless)

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """(own, far) address of the first family of the cluster and of the second."""
        return (self.address, self.peer_address), (self.address6, self.peer_address6)

    @property
    def addresses(self) -> tuple[str, ...]:
        """Its own addresses, IPv4 before IPv6; none if it is bridged or unnumbered."""
        return tuple(address for address in (self.address, self.address6) if address)

    @property
    def label(self) -> str:
        """The interface description: the stated text, else the far end and the cable."""
        return self.settings.description or f"{self.peer} {self.peer_port} cable {self.cable}"


@dataclass(frozen=True, slots=True)
class LeakSource:
    """A VRF, with its number as in `Leaked`, from which a switch imports prefixes into another VRF."""

    vrf: str
    number: int
    prefixes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Leaked:
    """The leaks into the VRF `vrf` of a switch; `number` is that of the VRF, and no two on the switches of a fabric are
    equal.

    `prefixes` are all prefixes of other VRFs that may be in it. `sources` are those of these VRFs that this switch has:
    it imports from them itself, and other switches import the rest.
    """

    vrf: str
    number: int
    sources: tuple[LeakSource, ...]
    prefixes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SwitchView:
    """One switch; addresses are without prefix length unless said otherwise, "" for none.

    Names that end in 6 are of IPv6. A switch of an IPv6-only fabric has a router id and no `loopback`.
    """

    name: str
    profile: SwitchProfile
    """Its model of hardware, from the catalogue."""
    naming: NosNaming
    """What the catalogue knows of its NOS."""
    fabric: FabricIntent
    tier: TierDesign
    is_lowest: bool
    """Whether hosts attach to its tier, or no tier of its fabric is below."""
    level: int
    """The number of tiers below it."""
    asn: int
    router_id: str
    loopback: str
    loopback6: str
    managements: tuple[tuple[str, str], ...]
    """(address with prefix length, gateway or "") of the management port, IPv4 before IPv6."""
    services: tuple[Service, ...]
    """The service of the owning fabric comes first."""
    site: str
    rack: str
    ports: tuple[SwitchPort, ...]
    routes: Mapping[tuple[str, str], StaticRoute]
    """Static routes by VRF and prefix, IPv4 before IPv6; empty where the underlay is not static."""
    shares_asn: bool = False
    """Whether switches reached through the tier above have the same AS number, so that it must accept its own."""
    snippets: tuple[PlacedSnippet, ...] = ()
    """The user's snippets, in the order in which they are inserted."""
    mac: str = ""
    """The base MAC that the inventory states."""
    pair: MlagPair | None = None
    """The MLAG pair that it is one of."""
    pair_end: SwitchPort | None = None
    """Its interface in the VLAN in which the two switches of the pair talk: a routed port."""
    multihomed: str = ""
    """The router id of the first of the two switches that bonds of hosts are over by EVPN multihoming; else ""."""
    maintenance: bool = False
    """Whether it is drained: what it announces by BGP is the last choice of its neighbours."""
    overlay: EvpnOverlay | None = None
    """Its part in the overlay of a fabric whose VRFs travel over EVPN."""
    exits: SwitchExits = NO_EXITS
    """Its ways out."""
    leaks: tuple[Leaked, ...] = ()
    """What leaks into its VRFs, by VRF."""
    locator: str = ""
    """The prefix of its SRv6 identifier (uN)."""
    vrf_loopbacks: tuple[VrfLoopback, ...] = ()
    """Where it relays DHCP in VRFs over EVPN without another address of its own there: by VRF."""

    def lacks(self, intent: Intent) -> bool:
        """Whether the NOS does not carry an intent on the chip of the switch, by the catalogue."""
        return bool(self.naming.configuration.explain_refusal(intent, self.profile.asic))

    @property
    def dialect(self) -> DialectFacts:
        """The facts in which its NOS differs from others."""
        return self.naming.configuration.dialect

    def loopback_in(self, vrf: str) -> VrfLoopback | None:
        """Return its loopback in a VRF over EVPN; None for none."""
        return next((loopback for loopback in self.vrf_loopbacks if loopback.vrf == vrf), None)

    def overlay_in(self, vrf: str) -> OverlayVrf | None:
        """Return what a VRF has in the overlay; None if it is not there."""
        return self.overlay.vrfs.get(vrf) if self.overlay else None

    def find_leaked(self, vrf: str) -> Leaked | None:
        """Return the leaks into a VRF; None for none."""
        return next((leaked for leaked in self.leaks if leaked.vrf == vrf), None)

    def list_outside(self, vrf: str) -> tuple[Permit, ...]:
        """Return the prefixes behind the exits of a VRF, of this switch or others."""
        outside_of_services = (service.outside for service in self.services if service.vrf == vrf)
        return tuple(dict.fromkeys(permit for permits in outside_of_services for permit in permits))

    @property
    def announces_own_only(self) -> bool:
        """Whether BGP passes on no learned routes: on the lowest tier, with neither switches below nor dimensions.

        In a tier whose switches meet along dimensions, most paths lead through other switches of the tier.
        """
        return self.is_lowest and self.level == 0 and not self.tier.meshes

    @property
    def weighs_paths(self) -> bool:
        """Whether its BGP announces how many links lead on, which its NOS supports."""
        return self.fabric.weighted and not self.lacks("link-bandwidth")

    @property
    def passes_to_mates(self) -> bool:
        """Whether it announces only own routes upward, but routes from above, too, over `peer` links to its tier.

        A switch of its tier that has lost its links up has no other way.
        """
        return self.announces_own_only and {"up", "peer"} <= {port.role for port in self.ends}

    def speaks_in(self, vrf: str) -> bool:
        """Whether BGP runs in a VRF: with other switches, or for its exits."""
        outward = self.exits.peers_in(vrf) or self.exits.routes_in(vrf)
        return bool(self.asn and (outward or any(sub.peer_asn for _, sub in self.links_in(vrf))))

    @property
    def own_source(self) -> str:
        """The IPv4 address from which a switch speaks to servers if its links have no addresses that these can reach:
        its loopback. It is "" if the switch has a management port, or if its default VRF has no exit.
        """
        managed = any(gateway for _, gateway in self.managements)
        return self.loopback if not managed and self.list_outside("") else ""

    @property
    def encrypted_spans(self) -> tuple[tuple[str, LinkMacsec], ...]:
        """(name of their settings on a switch, encryption) of the spans that end here, by name; keys are those of the
        fabric's settings.
        """
        names = {port.span.name for port in self.ports if port.span}
        return tuple((s.settings_name, s.macsec) for s in self.fabric.spans if s.name in names and s.macsec)

    def lines_at(self, place: str) -> tuple[str, ...]:
        """Return the lines of the user's snippets for a place of the configuration."""
        return tuple(line for snippet in self.snippets if snippet.place == place for line in snippet.lines)

    @property
    def nos(self) -> str:
        """The NOS that it runs."""
        return self.tier.nos

    @property
    def vrfs(self) -> tuple[str, ...]:
        """Names of the VRFs of its services, except the default."""
        return tuple(sorted({service.vrf for service in self.services} - {""}))

    def find_service(self, port: SwitchPort) -> Service | None:
        """Return the service that a host port, or one to the outside, belongs to; None for a link between switches."""
        services = [service for service in self.services if service.fabric == port.service]
        if port.role == EXIT and port.tenant:
            return next(service for service in services if service.tenant == port.tenant)
        return next((service for service in services if service.vlan == port.vlan), services[0] if services else None)

    def list_vlans(self, port: SwitchPort) -> tuple[int, tuple[int, ...]]:
        """Return (untagged VLAN, tagged VLANs in ascending order) of a port; (0, ()) if it is in none."""
        service = self.find_service(port)
        if service is None or not service.gateways or port.addresses:
            return 0, ()
        services = [service, *self._list_shared_services(port)]
        tagged = sorted(s.vlan for s in services if s.tagged and port.shared)
        return next((s.vlan for s in services if not (s.tagged and port.shared)), 0), tuple(tagged)

    def _list_shared_services(self, port: SwitchPort) -> Iterator[Service]:
        """Yield the services of the further fabrics (`SwitchPort.shared`) on a host port: in each of them those of the
        port's tenant if the tenant has any there, else those without a tenant.
        """
        fabrics_of_tenant = {s.fabric for s in self.services if port.tenant and s.tenant == port.tenant}
        for service in self.services:
            if service.fabric in port.shared:
                tenant = port.tenant if service.fabric in fabrics_of_tenant else ""
                if service.tenant == tenant:
                    yield service

    @property
    def has_v4(self) -> bool:
        """Whether its fabric routes IPv4."""
        return "v4" in self.fabric.families

    @property
    def has_v6(self) -> bool:
        """Whether its fabric routes IPv6."""
        return "v6" in self.fabric.families

    def links_in(self, vrf: str) -> tuple[tuple[SwitchPort, Subinterface], ...]:
        """Return (port, sub-interface) of the links between switches that carry a VRF."""
        return tuple((port, sub) for port in self.ends for sub in port.subinterfaces if sub.vrf == vrf)

    @property
    def ends(self) -> tuple[SwitchPort, ...]:
        """Its ports, and last its interface to the other switch of an MLAG pair."""
        return (*self.ports, self.pair_end) if self.pair_end else self.ports

    @property
    def subinterfaces(self) -> tuple[tuple[SwitchPort, Subinterface], ...]:
        """(port, sub-interface) of its ports, by VRF."""
        return tuple((p, sub) for vrf in self.vrfs for p in self.ports for sub in p.subinterfaces if sub.vrf == vrf)

    @property
    def ecmp_width(self) -> int:
        """The most equal-cost paths: links up or within the tier, or down if no tier is above."""
        return count_equal_paths(self.tier)


def make_segment_id(router_id: str, number: int) -> str:
    """Return the identifier of the Ethernet segment of a bond, from its first switch's router id and its number there.

    It is a locally administered MAC: 02, the last three bytes of the router id, and two of the number.
    """
    # the first byte is left out: router ids come from one pool
    three = int(IPv4Address(router_id)) & 0xFFFFFF
    return ":".join(f"{byte:02x}" for byte in bytes([2]) + three.to_bytes(3, "big") + number.to_bytes(2, "big"))


def route_to_neighbours(ports: Iterable[SwitchPort]) -> dict[tuple[str, str], StaticRoute]:
    """Return the static routes of a switch of an SRv6 fabric to the neighbours at its ports, by (VRF, prefix); the VRF
    is always the default one, "". Prefixes are in order of their text.

    A prefix is that of an SRv6 identifier (SID), `SwitchPort.locator`: of a neighbouring switch, or of a port to a
    host. Packets whose next SID it is go over all of these links to that neighbour.
    """
    hops: dict[str, list[tuple[str, str]]] = {}
    for port in ports:
        if port.locator and port.peer_address6:
            hops.setdefault(port.locator, []).append((port.name, port.peer_address6.partition("/")[0]))
    return {("", locator): StaticRoute(OrderedSet(hops[locator]), False) for locator in sorted(hops)}


def count_equal_paths(tier: TierDesign) -> int:
    """Return the most equal-cost paths of a switch: links up or within the tier, or down if no tier is above."""
    below = max((run.count for run in tier.downs), default=1)
    return max(1, tier.up.count if tier.up else below, sum(mesh.run.count for mesh in tier.meshes))

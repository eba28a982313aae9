"""What a switch does for the hosts of a fabric, or of a fabric whose traffic it carries, and its loopbacks in VRFs."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.blueprint.sections.fabric import Fabric
from fabricgen.blueprint.sections.host_services import Advertisements

if TYPE_CHECKING:
    from fabricgen.switch.routing import Permit


class HostServices(NamedTuple):
    """Services to the hosts of one fabric. `storm` are (kind, percent of a port's speed), kinds as EOS spells them.

    `advertised` says whether hosts ask DHCPv6 for addresses, and is None if gateways send no router advertisements;
    `states_advertised`: whether the blueprint states it.
    """

    dhcp: tuple[str, ...] = ()
    option_82: bool = True
    advertised: Advertisements | None = None
    states_advertised: bool = False
    storm: tuple[tuple[str, float], ...] = ()
    bpdu_guard: bool = True
    dhcp_guard: bool = False
    ra_guard: bool = False
    lacp_fallback: bool = False

    @property
    def reads_gateways(self) -> bool:
        """Whether a configuration depends on a gateway's address in more than the lines that print it.

        It does with DHCP servers, as one may be in the subnet of the gateway, and with stated advertisements, as these
        tell the prefix.
        """
        return bool(self.dhcp) or self.states_advertised


NO_SERVICES = HostServices()


def make_host_services(spec: Fabric) -> HostServices:
    """Return the services that a fabric states for its hosts, with defaults filled in."""
    storm, access = spec.access.storm_control, spec.access
    storm_limits = {
        "broadcast": storm.broadcast,
        "multicast": storm.multicast,
        "unknown-unicast": storm.unknown_unicast,
    }
    servers = spec.dhcp.servers if spec.dhcp else ()
    return HostServices(
        dhcp=servers,
        option_82=spec.dhcp.option_82 if spec.dhcp else True,
        advertised=_complete_advertisements(spec.router_advertisements, servers),
        states_advertised=spec.router_advertisements is not None,
        storm=tuple((kind, percent) for kind, percent in storm_limits.items() if percent is not None),
        bpdu_guard=access.bpdu_guard is not False,
        dhcp_guard=access.dhcp_guard,
        ra_guard=access.ra_guard,
        lacp_fallback=spec.lacp_fallback,
    )


def _complete_advertisements(
    advertisements: Advertisements | bool | None, servers: Iterable[str]
) -> Advertisements | None:
    """Return router advertisements as stated, None if there are none; DHCPv6 servers make them `managed`."""
    if not isinstance(advertisements, Advertisements):
        return None
    managed = any(":" in server for server in servers) if advertisements.managed is None else advertisements.managed
    return advertisements.model_copy(update={"managed": managed})


class Service(NamedTuple):
    """A fabric whose hosts a switch serves, or whose traffic it carries; addresses have prefix lengths, "" for none.

    `vrf` is the name of its VRF, "" for the default. A bridged service has a gateway on each switch that its hosts
    attach to, in the VLAN `vlan`; a fabric with subnets of rails has a service for each, with the name `rail`.
    `host_subnet` is the block of all node links here; `host_pools` are the prefixes of either family from which these
    blocks come everywhere. Names that end in 6 are of IPv6, the same names without it of IPv4.
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
    outside: "tuple[Permit, ...]" = ()
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
        """The switch's own addresses in the VLAN, IPv4 before IPv6: it has them if another switch has its gateways."""
        return tuple(address for address in (self.own, self.own6) if address)

    @property
    def label(self) -> str:
        """The name of the fabric, of the rail if that has a subnet of its own, and of the tenant."""
        return "-".join(filter(None, (self.fabric, self.rail, self.tenant)))


class VrfLoopback(NamedTuple):
    """A switch's own address in a VRF over EVPN, without prefix length; "" for none. `number` is the VRF's."""

    vrf: str
    number: int
    address: str
    address6: str

    @property
    def prefixes(self) -> tuple[str, ...]:
        """Its addresses with prefix lengths, IPv4 before IPv6."""
        pairs = ((self.address, 32), (self.address6, 128))
        return tuple(f"{address}/{length}" for address, length in pairs if address)

"""What a leaf does for the hosts of a fabric, as its blueprint states it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from fabricgen.blueprint.sections.fabric import Fabric
from fabricgen.blueprint.sections.host_services import Advertisements


@dataclass(frozen=True, slots=True)
class HostServices:
    """Of one fabric. `storm` are (kind, percent of a port's speed), kinds as EOS spells them, by name.

    `advertised` says whether hosts ask DHCPv6 for addresses, and is None where gateways send no router advertisements;
    `states_advertised`: whether the blueprint says so.
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
        """Whether configurations have more of a gateway than its address: is a server in its subnet, and its prefix."""
        return bool(self.dhcp) or self.states_advertised


NO_SERVICES = HostServices()


def host_services(spec: Fabric) -> HostServices:
    """What a fabric states of its hosts' services, with defaults filled in."""
    storm, access = spec.access.storm_control, spec.access
    found = {
        "broadcast": storm.broadcast,
        "multicast": storm.multicast,
        "unknown-unicast": storm.unknown_unicast,
    }
    servers = spec.dhcp.servers if spec.dhcp else ()
    return HostServices(
        dhcp=servers,
        option_82=spec.dhcp.option_82 if spec.dhcp else True,
        advertised=_advertised(spec.router_advertisements, servers),
        states_advertised=spec.router_advertisements is not None,
        storm=tuple((kind, percent) for kind, percent in found.items() if percent is not None),
        bpdu_guard=access.bpdu_guard is not False,
        dhcp_guard=access.dhcp_guard,
        ra_guard=access.ra_guard,
        lacp_fallback=spec.lacp_fallback,
    )


def _advertised(stated: Advertisements | bool | None, servers: Iterable[str]) -> Advertisements | None:
    if not isinstance(stated, Advertisements):
        return None
    managed = any(":" in server for server in servers) if stated.managed is None else stated.managed
    return stated.model_copy(update={"managed": managed})

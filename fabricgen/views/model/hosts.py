"""The parts of the switch model for services of a leaf to its hosts."""

from __future__ import annotations

from fabricgen.blueprint.sections.host_services import Advertisements
from fabricgen.switch.interfaces import OPEN, Advertised, HostAccess, Relay, Vlan
from fabricgen.switch.ordered import OrderedSet
from fabricgen.switch.routing import find_network
from fabricgen.views.asked import USUAL_LIFETIME_S
from fabricgen.views.exits import EXIT
from fabricgen.views.service import Service
from fabricgen.views.switch import SwitchPort, SwitchView

FIXED_LIFETIME_S = 540
"""How long hosts keep a router where a NOS advertises in one way alone, seconds (sonic-buildimage, radvd.conf.j2)."""


def model_access(view: SwitchView, port: SwitchPort) -> HostAccess:
    """Return what a bridged port of hosts must refuse."""
    service = view.find_service(port)
    if service is None or not any(view.list_vlans(port)):
        return OPEN
    offers = service.offers
    dhcp, ra = ("dhcp", "dhcp6") if offers.dhcp_guard else (), ("ra",) if offers.ra_guard else ()
    return HostAccess(dict(offers.storm), offers.bpdu_guard and not view.lacks("bpdu-guard"), frozenset((*dhcp, *ra)))


def model_relay(view: SwitchView, service: Service, gateways: tuple[str, ...]) -> Relay | None:
    """Return the DHCP relay of a service; None if it has no server of a family that `gateways` has. `gateways` are
    those of a VLAN, or the addresses of a routed port.

    A reply to an address that two switches share may reach the other one, so requests are then sent from a loopback.
    """
    facts, is_shared = view.naming.configuration, bool(view.multihomed)
    families = {":" in gateway for gateway in gateways}
    servers = OrderedSet(server for server in service.offers.dhcp if (":" in server) in families)
    if not servers:
        return None
    has_v4, has_v6 = (any((":" in server) == v6 for server in servers) for v6 in (False, True))
    # an MLAG pair without addresses of its own: a reply to the gateway may reach either switch
    one_mac = view.pair is not None and not facts.pairs.own_addresses and not service.vrf
    loopback = view.loopback_in(service.vrf)
    loopback_address = (loopback.address if loopback else "") if service.vrf else view.loopback
    is_marked = service.offers.option_82 or view.lacks("no-option-82")
    return Relay(
        servers,
        marked=has_v4 and (is_marked or (is_shared and facts.relay.marks_from_loopback)),
        source=loopback_address if has_v4 and (is_shared or one_mac) else "",
        source6=view.loopback6 if facts.relay.v6_from_loopback and has_v6 and view.asn and not service.vrf else "",
    )


def model_vlan(view: SwitchView, service: Service) -> Vlan:
    """Return a VLAN with its gateways and their services."""
    offers, has_v6 = service.offers, any(":" in gateway for gateway in service.gateways)
    advertisements, is_stated = offers.advertised, offers.states_advertised
    if view.lacks("ra-settings"):
        # one setting holds for all VLANs: that of the first with IPv6
        with_v6 = [
            service_of_v6.offers
            for service_of_v6 in view.services
            if any(":" in gateway for gateway in service_of_v6.gateways)
        ]
        advertisements = next((service_of_v6.advertised for service_of_v6 in with_v6 if service_of_v6.advertised), None)
        is_stated = any(service_of_v6.states_advertised for service_of_v6 in with_v6)
    return Vlan(
        OrderedSet(service.gateways),
        service.vrf,
        OrderedSet(service.owns),
        model_relay(view, service, service.gateways),
        _model_advertisements(view, service, advertisements) if advertisements and has_v6 else None,
        silent=has_v6 and is_stated and advertisements is None,
        anycast=bool(view.multihomed) and not service.owns,
    )


def _model_advertisements(view: SwitchView, service: Service, stated_advertisements: Advertisements) -> Advertised:
    """Return the router advertisements of IPv6 gateways, as far as the NOS can express what is asked."""
    subnets = frozenset(find_network(gateway) for gateway in service.gateways if ":" in gateway)
    if view.lacks("ra-settings"):
        return Advertised(managed=True, other=False, lifetime_s=FIXED_LIFETIME_S, no_autoconfig=subnets)
    return Advertised(
        bool(stated_advertisements.managed),
        stated_advertisements.other,
        USUAL_LIFETIME_S if view.lacks("ra-lifetime") else stated_advertisements.lifetime_s,
        frozenset() if stated_advertisements.autoconfig else subnets,
        frozenset(stated_advertisements.resolvers),
    )


def model_port_gateway(view: SwitchView, port: SwitchPort) -> tuple[Relay | None, bool]:
    """Return (DHCP relay of a routed port, whether router advertisements are turned off on it)."""
    service = view.find_service(port) if port.role != EXIT else None
    relays = service is not None and port.addresses and not view.lacks("relay-on-routed-ports")
    is_stated = (service.offers if service else view.fabric.offers).states_advertised
    has_v6 = any(":" in address for address in port.addresses)
    silent = is_stated and has_v6 and view.dialect.advertises_on_ports
    return model_relay(view, service, port.addresses) if service and relays else None, silent

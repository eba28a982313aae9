"""What the plan asks a leaf to do for its hosts, without the help of what renders it."""

from __future__ import annotations

from collections.abc import Callable

from fabricgen.catalog.nos_configuration import Intent
from fabricgen.running.policy import network_of
from fabricgen.switch.host_services import OPEN, Access, Advertised, Relay
from fabricgen.switch.interfaces import Vlan
from fabricgen.views.switch import Service, SwitchPort, SwitchView

Lacks = Callable[[Intent], bool]


def access_of(switch: SwitchView, port: SwitchPort, lacks: Lacks) -> Access:
    """What a bridged port of hosts is to refuse."""
    service = switch.service_of(port)
    if service is None or not any(switch.vlans_of(port)):
        return OPEN
    offers = service.offers
    dhcp, ra = ("dhcp", "dhcp6") if offers.dhcp_guard else (), ("ra",) if offers.ra_guard else ()
    return Access(dict(offers.storm), offers.bpdu_guard and not lacks("bpdu-guard"), frozenset((*dhcp, *ra)))


def relay_of(switch: SwitchView, service: Service, gateways: tuple[str, ...], lacks: Lacks) -> Relay | None:
    """The DHCP relay at gateways, or at the addresses of a routed port: servers of the families that it has."""
    families = {":" in gateway for gateway in gateways}
    servers = frozenset(server for server in service.offers.dhcp if (":" in server) in families)
    four = any(":" not in server for server in servers)
    shared = bool(switch.multihomed)  # a reply to an address of the VLAN may reach the other switch
    marked = service.offers.option_82 or lacks("no-option-82") or (shared and switch.nos == "eos")
    sourced = shared or (switch.nos == "sonic" and switch.pair is not None and not service.vrf)
    own = next((one.address for one in switch.vrf_loopbacks if one.vrf == service.vrf), "")
    source = own if service.vrf else switch.loopback
    six = switch.nos == "cumulus" and switch.asn and not service.vrf and any(":" in server for server in servers)
    return (
        Relay(servers, four and marked, source if four and sourced else "", switch.loopback6 if six else "")
        if servers
        else None
    )


def vlan_of(switch: SwitchView, service: Service, lacks: Lacks) -> Vlan:
    """A VLAN with its gateways and what they do."""
    six = frozenset(network_of(gateway) for gateway in service.gateways if ":" in gateway)
    asked, found, stated = service.offers.advertised, None, service.offers.states_advertised
    if lacks("ra-settings"):
        with_six = [s.offers for s in switch.services if any(":" in gateway for gateway in s.gateways)]
        asked = next((offers.advertised for offers in with_six if offers.advertised), None)
        stated = any(offers.states_advertised for offers in with_six)
    if asked and six and lacks("ra-settings"):
        found = Advertised(managed=True, other=False, lifetime_s=540, no_autoconfig=six)
    elif asked and six:
        found = Advertised(
            asked.managed,
            asked.other,
            1800 if lacks("ra-lifetime") else asked.lifetime_s,
            frozenset() if asked.autoconfig else six,
            frozenset(asked.resolvers),
        )
    return Vlan(
        frozenset(service.gateways),
        service.vrf,
        frozenset(service.owns),
        relay_of(switch, service, service.gateways, lacks),
        found,
        silent=bool(six) and stated and asked is None,
        anycast=bool(switch.multihomed) and not service.owns,
    )


def port_gateway(switch: SwitchView, port: SwitchPort, lacks: Lacks) -> tuple[Relay | None, bool]:
    """(the DHCP relay of a routed port, whether it is told not to advertise): EOS alone advertises on such ports."""
    service = switch.service_of(port) if port.role != "exit" else None
    relay = relay_of(switch, service, port.addresses, lacks) if service and not lacks("relay-on-routed-ports") else None
    stated = (service.offers if service else switch.fabric.offers).states_advertised
    has_v6 = any(":" in address for address in port.addresses)
    return relay if port.addresses else None, stated and has_v6 and switch.nos == "eos"

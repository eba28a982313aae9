"""What AVD is told of services of hosts, from the view of a switch alone."""

from __future__ import annotations

from ipaddress import ip_interface
from typing import Any, TypeAlias

from fabricgen.views.service import HostServices
from fabricgen.views.switch import SwitchPort, SwitchView

Structured: TypeAlias = dict[str, Any]

DHCP4 = "deny udp any eq bootps any eq bootpc"
DHCP6, RA = "deny udp any eq 547 any eq 546", "deny icmpv6 any any router-advertisement"


def access(switch: SwitchView, port: SwitchPort) -> Structured:
    """What a bridged port, or a bond, refuses."""
    service = switch.find_service(port)
    assert service
    offers = service.offers
    storm = {kind.replace("-", "_"): {"level": f"{level:g}", "unit": "percent"} for kind, level in offers.storm}
    found: Structured = {"storm_control": storm} if storm else {}
    if not offers.bpdu_guard:
        found["spanning_tree_bpduguard"] = "disabled"
    for name, (v6, _) in _lists(switch, port).items():
        found["ipv6_access_group_in" if v6 else "access_group_in"] = name
    return found


def _lists(switch: SwitchView, port: SwitchPort) -> dict[str, tuple[bool, list[str]]]:
    """(whether IPv6, rules) of the lists of a port, by name."""
    service = switch.find_service(port)
    if service is None or not service.gateways or port.addresses:
        return {}
    dhcp, ra = service.offers.dhcp_guard, service.offers.ra_guard
    six = {(True, True): "NO-DHCP6-RA", (True, False): "NO-DHCP6", (False, True): "NO-RA"}.get((dhcp, ra))
    found = {"NO-DHCP": (False, [DHCP4])} if dhcp else {}
    return {**found, **({six: (True, [DHCP6] * dhcp + [RA] * ra)} if six else {})}


def filters(switch: SwitchView) -> Structured:
    """The access lists of a switch."""
    lists = {name: own for port in switch.ports for name, own in _lists(switch, port).items()}
    four = [
        {"name": name, "entries": [_entry(n, rule) for n, rule in enumerate([*rules, "permit ip any any"], 1)]}
        for name, (v6, rules) in sorted(lists.items())
        if not v6
    ]
    six = [
        {
            "name": name,
            "sequence_numbers": [
                {"sequence": 10 * n, "action": rule} for n, rule in enumerate([*rules, "permit ipv6 any any"], 1)
            ],
        }
        for name, (v6, rules) in sorted(lists.items())
        if v6
    ]
    return {**({"ip_access_lists": four} if four else {}), **({"ipv6_access_lists": six} if six else {})}


def _entry(place: int, rule: str) -> Structured:
    """A rule as AVD's model of IPv4 lists has it, which says protocol, ends and ports apart."""
    action, protocol, *rest = rule.split()
    found: Structured = {"sequence": 10 * place, "action": action, "protocol": protocol, "source": "any"}
    found["destination"] = "any"
    if "eq" in rest:
        found |= {"source_ports_match": "eq", "source_ports": ["bootps"]}
        found |= {"destination_ports_match": "eq", "destination_ports": ["bootpc"]}
    return found


def gateway(offers: HostServices, addresses: tuple[str, ...], *, loopback: str = "") -> Structured:
    """DHCP relay and router advertisements of a VLAN or a routed port; `loopback`: that which servers answer to."""
    four, six = [a for a in addresses if ":" not in a], [a for a in addresses if ":" in a]
    found: Structured = {}
    if four and any(":" not in server for server in offers.dhcp):
        source = {"source_interface": loopback} if loopback else {}
        found["ip_helpers"] = [{"ip_helper": server, **source} for server in offers.dhcp if ":" not in server]
    if six and any(":" in server for server in offers.dhcp):
        local = {"local_interface": loopback} if loopback else {}
        found["ipv6_dhcp_relay_destinations"] = [
            {"address": server, **local} for server in offers.dhcp if ":" in server
        ]
    if six and offers.states_advertised and not offers.advertised:
        found["ipv6_nd"] = {"ra": {"disabled": True}}
    if six and (own := offers.advertised):
        prefixes = [{"ipv6_prefix": str(ip_interface(address).network), "no_autoconfig_flag": True} for address in six]
        resolvers = [{"address": address} for address in own.resolvers]
        found["ipv6_nd"] = {
            **({"managed_config_flag": True} if own.managed else {}),
            **({"other_config_flag": True} if own.other else {}),
            **({} if own.autoconfig else {"prefixes": prefixes}),
            **({"ra": {"dns_servers": resolvers}} if resolvers else {}),
        }
    return found


def routed(switch: SwitchView, port: SwitchPort) -> Structured:
    """What a routed port does for its host; a link between switches is silent where its fabric says so."""
    service = switch.find_service(port)
    if not port.addresses:
        return {}
    offers = (service.offers if service else switch.fabric.offers)._replace(advertised=None)
    return gateway(offers if service else offers._replace(dhcp=()), port.addresses)


def option_82(switch: SwitchView) -> Structured:
    """By DHCP snooping in VLANs, by the relay on routed ports."""
    marked = [s for s in switch.services if s.offers.option_82 and any(":" not in server for server in s.offers.dhcp)]
    vlans = sorted(s.vlan for s in marked if any(":" not in gateway for gateway in s.gateways))
    found: Structured = {}
    if switch.multihomed and any(":" not in server for s in switch.services for server in s.offers.dhcp):
        return {"ip_dhcp_relay": {"information_option": True}}
    if vlans:
        found["ip_dhcp_snooping"] = {
            "enabled": True,
            "information_option": {"enabled": True, "circuit_id_type": "2", "circuit_id_format": "%h:%p"},
            "vlan": ",".join(map(str, vlans)),
        }
    if any(switch.find_service(port) in marked for port in switch.ports if port.address and port.role == "host"):
        found["ip_dhcp_relay"] = {"information_option": True}
    return found

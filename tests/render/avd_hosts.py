"""What AVD is told of services of hosts, from the view of a switch alone."""

from __future__ import annotations

from typing import Any, TypeAlias

from fabricgen.views.switch import SwitchPort, SwitchView

Structured: TypeAlias = dict[str, Any]

DHCP4 = "deny udp any eq bootps any eq bootpc"
DHCP6, RA = "deny udp any eq 547 any eq 546", "deny icmpv6 any any router-advertisement"


def access(switch: SwitchView, port: SwitchPort) -> Structured:
    """What a bridged port, or a bond, refuses."""
    service = switch.service_of(port)
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
    service = switch.service_of(port)
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

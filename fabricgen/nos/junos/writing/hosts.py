"""DHCP relay of Junos as values, groups of interfaces with the same servers, and router advertisements.

As in Juniper's designs (github.com/Juniper/jvd, data_center/adc/3stage_dc, esi-leaf1) servers are reached in the VRF of
the hosts, `forward-only` passes requests on without a binding, and where another switch has the gateway, too, requests
come from a loopback (`relay-source`) and say the subnet in option 82 (`server-id-override`). `circuit-id` says the port
and VLAN that a request came in; without `relay-option-82` requests have no option 82 (CLI reference, `circuit-id`,
`relay-option-82`). DHCPv6 servers answer to the address that a request came from: always that of a loopback.

Junos advertises on no gateway that it is not told of. What hosts are to do is said in full, on or off: prefixes are for
autoconfiguration otherwise (CLI reference, `router-advertisement`). `passive-mode` hears advertisements and sends none.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fabricgen.render.escape import require_token
from fabricgen.switch.interfaces import Relay
from fabricgen.switch.routing import find_network
from fabricgen.views.model.hosts import model_port_gateway, model_vlan
from fabricgen.views.switch import SwitchPort, SwitchView

DEFAULT_UNIT = "lo0.0"
"""The loopback of the default VRF."""

FAMILIES = {False: "", True: "dhcpv6"}
"""What stands before the statements of a family, by whether it is IPv6."""


def list_relays(view: SwitchView, vrf: str) -> list[tuple[str, list[dict[str, Any]]]]:
    """Return (word before the groups, groups) of the families of a VRF that have DHCP servers: "" for IPv4, or
    `dhcpv6`.
    """
    relays = [
        *(
            (f"irb.{service.vlan}", model_vlan(view, service).relay)
            for service in view.services
            if service.vrf == vrf and service.gateways
        ),
        *(
            (f"{require_token(port.name)}.0", model_port_gateway(view, port)[0])
            for port in view.ports
            if find_vrf(view, port) == vrf
        ),
    ]
    loopback = view.loopback_in(vrf)
    # requests leave from the loopback of the VRF, where it has one
    own_unit = f"lo0.{loopback.number}" if loopback else "" if vrf else DEFAULT_UNIT
    both = [(word, _list_groups(relays, own_unit, v6=v6)) for v6, word in FAMILIES.items()]
    return [(word, groups) for word, groups in both if groups]


def list_advertisements(view: SwitchView) -> Iterator[dict[str, Any]]:
    """Yield the gateways that are told whether to advertise; `advertised` is None for those that are told not to.

    `prefixes` are (subnet, whether hosts make addresses of it by themselves).
    """
    for service in view.services:
        vlan = model_vlan(view, service)
        if advertised := vlan.advertised:
            subnets = [find_network(gateway) for gateway in service.gateways if ":" in gateway]
            prefixes = [(subnet, subnet not in advertised.no_autoconfig) for subnet in subnets]
            yield {
                "vlan": service.vlan,
                "said": advertised,
                "prefixes": prefixes,
                "resolvers": sorted(advertised.resolvers),
            }
        elif vlan.silent:
            yield {"vlan": service.vlan, "said": None}


def find_vrf(view: SwitchView, port: SwitchPort) -> str:
    """Return the VRF of a port, "" for the default one."""
    service = view.find_service(port)
    return service.vrf if service else ""


def _list_groups(relays: list[tuple[str, Relay | None]], own_unit: str, *, v6: bool) -> list[dict[str, Any]]:
    """Return groups of interfaces with the same DHCP servers of one family.

    `relays` are the relay of each interface, None for none; `own_unit` is the loopback of their VRF, "" for none.
    """
    interfaces: dict[tuple[tuple[str, ...], bool, str], list[str]] = {}
    for name, relay in relays:
        if relay and (servers := tuple(relay.list_servers(v6=v6))):
            is_from_loopback = (relay.source6 or own_unit != DEFAULT_UNIT) if v6 else relay.source
            source = own_unit if is_from_loopback else ""
            interfaces.setdefault((servers, relay.marked and not v6, source), []).append(name)
    return [
        {"name": f"HOSTS-{number}", "servers": servers, "marked": marked, "source": source, "interfaces": names}
        for number, ((servers, marked, source), names) in enumerate(interfaces.items(), 1)
    ]

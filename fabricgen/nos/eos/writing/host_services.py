"""Services of hosts on EOS, as values: what their ports refuse, LACP fallback, DHCP relay, router advertisements.

Arista EOS user manual: `storm-control KIND level PERCENT` (Data Plane Structures), `spanning-tree bpduguard` (Spanning
Tree Protocol), `port-channel lacp fallback static` (Port Channels and LACP: until the host speaks LACP, one port of the
bond carries its traffic). EOS has no DHCP or RA guard of that name: access lists of the ports drop the packets.
`ip helper-address` relays from the interface's first address, which no other switch has, to servers in its VRF;
`ip dhcp snooping information option` adds the port (DISA STIG for Arista MLS EOS L2S, V-255973). The commands
agree with the templates of aristanetworks/avd.

Where another switch has the address of a gateway, too, servers answer to the loopback, in a VRF to one of the switch's
there: with option 82 of the relay, whose link selection says the subnet, and `source-interface`; `local-interface` for
DHCPv6 (EOS user manual, DHCP Relay in VXLAN EVPN).
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address
from typing import Any

from fabricgen.render.ports import list_guards, make_guards
from fabricgen.render.routing import IP_WORDS
from fabricgen.switch.interfaces import Advertised, Bond, Interface, Relay
from fabricgen.views.model.hosts import model_port_gateway, model_vlan
from fabricgen.views.service import Service
from fabricgen.views.switch import SwitchView

LOOPBACK = "Loopback0"

CIRCUIT_TYPE = 2
"""The type of circuit ids, as configurations state it. Whether type and length precede the text in requests, as on
switches of other makers, no public source says."""


def make_switchport_values(port: Interface | Bond) -> dict[str, Any]:
    """Return the VLANs of a port or port channel, and what it refuses; `trunk_vlans` is "" without tagged VLANs."""
    return {
        "access_vlan": port.access_vlan,
        "trunk_vlans": ",".join(map(str, port.trunk_vlans)),
        "storm": [(kind, f"{percent:g}") for kind, percent in port.access.storm.items()],
        "without_bpdu_guard": not port.access.bpdu_guard,
        "filters": [(IP_WORDS[guard.v6], guard.name) for guard in make_guards(port.access)],
    }


def list_filters(view: SwitchView) -> list[dict[str, Any]]:
    """Return the access lists that ports of a switch have; `drops` are (number of the rule, kind of packets that it
    drops).

    `last` is the number of the rule that lets all else pass.
    """
    return [
        {
            "word": IP_WORDS[guard.v6],
            "name": guard.name,
            "drops": [(10 * number, kind) for number, kind in enumerate(guard.kinds, 1)],
            "last": 10 * len(guard.kinds) + 10,
        }
        for guard in list_guards(view, "Port-Channel{number}")
    ]


def make_gateway_values(
    relay: Relay | None, advertised: Advertised | None = None, *, silent: bool, source: str = ""
) -> dict[str, Any]:
    """Return what a gateway or a routed port does besides forwarding: DHCP relay and router advertisements.

    Requests come from the loopback `source`, "" for the interface itself. EOS advertises every gateway of IPv6, and
    lets hosts make addresses of its prefix, unless told not to. A link between switches with addresses is `silent` if
    advertisements are stated; a link without addresses needs them to find its neighbour.
    """
    servers = relay.servers if relay else ()
    return {
        "source": source,
        "helpers": sorted((server for server in servers if ":" not in server), key=IPv4Address),
        "helpers_v6": sorted((server for server in servers if ":" in server), key=IPv6Address),
        "silent": silent,
        "managed": advertised is not None and advertised.managed,
        "other": advertised is not None and advertised.other,
        "no_autoconfig": sorted(advertised.no_autoconfig) if advertised else [],
        "resolvers": sorted(advertised.resolvers, key=IPv6Address) if advertised else [],
    }


def make_vlan_gateway(view: SwitchView, service: Service) -> dict[str, Any]:
    """Return what the gateway of a VLAN does besides forwarding; another switch may have the same gateway."""
    vlan = model_vlan(view, service)
    source = _find_relay_source(view, service) if vlan.anycast else ""
    return make_gateway_values(vlan.relay, vlan.advertised, silent=vlan.silent, source=source)


def _find_relay_source(view: SwitchView, service: Service) -> str:
    """Return the loopback that DHCP servers answer to, in the VRF of a gateway."""
    loopback = view.loopback_in(service.vrf)
    return make_loopback_name(loopback.number) if loopback else LOOPBACK


def make_loopback_name(number: int) -> str:
    """Return the interface of the loopback in the VRF of a number."""
    return f"Loopback{number}"


def make_relay_values(view: SwitchView) -> dict[str, Any]:
    """Return where option 82 is added: by DHCP snooping in VLANs, which knows the port, or by the relay on routed
    ports.

    The circuit id of snooping is HOSTNAME:PORT, as SONiC's is, and the remote id the switch's MAC address. If another
    switch has the gateway as well, the relay adds it, and the circuit id is the VLAN.
    """
    vlans = [(service.vlan, model_vlan(view, service)) for service in view.services if service.gateways]
    marked = {number: vlan.anycast for number, vlan in vlans if vlan.relay and vlan.relay.marked}
    relays = (model_port_gateway(view, port)[0] for port in view.ports)
    return {
        "marked_vlans": ",".join(str(number) for number in sorted(marked) if not marked[number]),
        "marks_ports": any(marked.values()) or any(relay.marked for relay in relays if relay),
    }


def list_circuit_forms(view: SwitchView) -> dict[str, str]:
    """Return the circuit id of each fabric whose hosts are bridged and whose requests pass DHCP snooping.

    `%h:%p` is the host name and the port (Arista EOS user manual, `ip dhcp snooping information option circuit-id
    type`; aristanetworks/avd, eos_cli_config_gen, ip-dhcp-snooping). The relay itself says the VLAN, which does not
    tell ports apart.
    """
    marked = [s for s in view.services if s.gateway and s.offers.option_82 and not model_vlan(view, s).anycast]
    return {service.fabric: "{switch}:{port}" for service in marked}

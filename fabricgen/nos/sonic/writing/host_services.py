"""Tables of services of hosts on SONiC: what their ports refuse, DHCP relay, router advertisements.

isc-dhcp-relay runs for each VLAN with `dhcp_servers`, in the VRF of its gateway (dockers/docker-dhcp-relay,
dhcpv4-relay.agents.j2): requests get a circuit id HOSTNAME:ALIAS (`-a %h:%p`), the remote id is the switch's MAC
address, and replies are taken from ports with IPv4 addresses alone. So where a VLAN is in a VRF, or links have no
addresses, SONiC's own agent takes its place (`has_sonic_dhcpv4_relay`; images from 202511: sonic-buildimage pulls 22486
and 25371): it serves the VLANs in DHCPV4_RELAY (sonic-dhcpv4-relay.yang), sends in the VRF of the VLAN, and takes
replies from every port, and from VXLAN devices whose name begins with VXLAN (sonic-dhcp-relay,
dhcp4relay/src/dhcp4relay.cpp, pkt_in_callback). dhcp6relay serves VLANs in DHCP_RELAY (sonic-dhcpv6-relay.yang). radvd
advertises every VLAN with an IPv6 gateway of a ToRRouter unless its container is off, with flags that cannot be
changed: managed, not other, no autoconfiguration (dockers/docker-router-advertiser, radvd.conf.j2).

That agent runs on MCLAG pairs, too: both switches have the gateway, and a reply to it may reach the one that did not
send the request, whose isc-dhcp-relay knows no port of that circuit id. In the default VRF servers answer to the
loopback of each, by link selection (RFC 3527), as doc/DHCPv4_relay/DHCPv4-relay-agent-High-Level-Design.md of
sonic-net/SONiC has it for gateways that several switches have (R6). A VRF has no loopback: there either switch gives
the reply to the VLAN that the circuit id names, whatever its remote id (to_client), and the bond brings it to the host.
dhcp6relay gives a reply to the client that the message itself names (dhcp6relay/src/relay.cpp, relay_relay_reply), on
either switch.

Storm control counts kilobits a second of a physical port, also where it is in a bond (sonic-storm-control.yang; SONiC
doc/storm-control). Access lists are bound to ports and bonds (sonic-acl.yang): types L3 and L3V6, whose rules drop and
which let pass what no rule takes. Spanning tree is not in community images (rules/config: INCLUDE_STP).
"""

from __future__ import annotations

from typing import Any

from fabricgen.render.ports import Guard, list_guards
from fabricgen.views.model.hosts import model_access, model_relay
from fabricgen.views.service import Service, VrfLoopback
from fabricgen.views.switch import SwitchView

KINDS = {"broadcast": "broadcast", "multicast": "unknown-multicast", "unknown-unicast": "unknown-unicast"}
"""SONiC's names for kinds of flooded frames; multicasts without a listener are flooded."""

FIRST_PRIORITY = 9990
"""The priority of the first rule of a list; later ones have less."""

UDP, ICMPV6, ADVERTISEMENT = 17, 58, 134
_PORTS = {"dhcp": (67, 68), "dhcp6": (547, 546)}

Rows = dict[str, dict[str, Any]]


def make_host_tables(view: SwitchView) -> dict[str, Any]:
    """Return the rows of the tables, by table, and which containers run (`relays`, `radv_state`)."""
    lists = list_guards(view, "PortChannel{number}")
    bridged = [service for service in view.services if service.gateways]
    advertising = [s.offers for s in bridged if s.offers.states_advertised and any(":" in g for g in s.gateways)]
    return {
        "relays": any(service.offers.dhcp for service in bridged),
        "radv_state": ("enabled" if any(offers.advertised for offers in advertising) else "disabled")
        if advertising
        else "",
        "own_relay": has_sonic_relay(view),
        "DHCPV4_RELAY": {
            f"Vlan{s.vlan}": {"dhcpv4_servers": _list_servers(view, s), **_make_source_fields(view, s)}
            for s in bridged
            if has_sonic_relay(view) and _list_servers(view, s)
        },
        "DHCP_RELAY": {
            f"Vlan{s.vlan}": {"dhcpv6_servers": _list_servers(view, s, v6=True)}
            for s in bridged
            if _list_servers(view, s, v6=True)
        },
        "ACL_RULE": {
            f"{guard.name}|RULE_{number}": _make_rule(guard, kind, number)
            for guard in lists
            for number, kind in enumerate(guard.kinds, 1)
        },
        "ACL_TABLE": {
            guard.name: {
                "policy_desc": "what hosts do not send",
                "ports": ports,
                "stage": "ingress",
                "type": "L3V6" if guard.v6 else "L3",
            }
            for guard, ports in lists.items()
        },
        "PORT_STORM_CONTROL": {
            f"{port.name}|{KINDS[kind]}": {"kbps": round(percent * port.speed_gbps * 10**4)}
            for port in view.ports
            for kind, percent in model_access(view, port).storm.items()
        },
    }


def make_vlan_rows(view: SwitchView) -> Rows:
    """Return the rows of VLAN: its number, and the DHCP servers that isc-dhcp-relay takes its hosts' requests to."""
    isc = not has_sonic_relay(view)
    return {
        f"Vlan{s.vlan}": {"dhcp_servers": (isc and _list_servers(view, s)) or None, "vlanid": s.vlan}
        for s in view.services
        if s.gateways
    }


def has_sonic_relay(view: SwitchView) -> bool:
    """Whether SONiC's own agent relays DHCP.

    It does if isc-dhcp-relay would not hear the replies of servers or, on one of two switches with one gateway, would
    drop replies to requests that the other switch sent.
    """
    deaf = view.fabric.underlay == "ebgp-unnumbered" or view.pair is not None or bool(view.multihomed)
    return any((service.vrf or deaf) and _list_servers(view, service) for service in view.services)


def list_circuit_forms(view: SwitchView) -> dict[str, str]:
    """Return the circuit id of each fabric whose hosts are bridged.

    isc-dhcp-relay says host name and alias (`-a %h:%p --name-alias-map-file`: sonic-buildimage, dockers/
    docker-dhcp-relay, dhcpv4-relay.agents.j2; src/isc-dhcp, patches 0002 to 0004); SONiC's own agent also the interface
    of the VLAN (sonic-dhcp-relay, commit c8ce985, dhcp4relay/src/dhcp4relay.cpp, encode_relay_option).
    """
    form = "{switch}:{alias}:Vlan{vlan}" if has_sonic_relay(view) else "{switch}:{alias}"
    return {service.fabric: form for service in view.services if service.gateways}


def make_loopback_name(loopback: VrfLoopback) -> str:
    """Return SONiC's name of a loopback in a VRF, by the number of the VRF."""
    return f"Loopback{loopback.number}"


def _make_source_fields(view: SwitchView, service: Service) -> dict[str, str]:
    """Return the fields for the loopback that DHCP servers answer to; {} if they answer to the gateway.

    Two switches that have one gateway take the loopback in the VRF of the VLAN, and tell the subnet of the host (RFC
    3527).
    """
    loopback, relay = view.loopback_in(service.vrf), model_relay(view, service, service.gateways)
    source = make_loopback_name(loopback) if loopback else "Loopback0"
    return {"link_selection": "enable", "source_interface": source} if relay and relay.source else {}


def _list_servers(view: SwitchView, service: Service, *, v6: bool = False) -> list[str]:
    """Return the DHCP servers of a service in one family."""
    relay = model_relay(view, service, service.gateways)
    return relay.list_servers(v6=v6) if relay else []


def _make_rule(guard: Guard, kind: str, number: int) -> dict[str, Any]:
    """Return the fields of the rule of an access list that drops packets of a kind (`dhcp`, `dhcp6` or `ra`).

    They are those that `acl-loader` gives to one (sonic-utilities, acl_loader/main.py); rule `number`, from 1, has the
    highest priority.
    """
    fields = {
        "IP_TYPE": "IPV6ANY" if guard.v6 else "IPV4ANY",
        "PACKET_ACTION": "DROP",
        "PRIORITY": FIRST_PRIORITY - 10 * (number - 1),
    }
    if kind == "ra":
        return {**fields, "ICMPV6_TYPE": ADVERTISEMENT, "IP_PROTOCOL": ICMPV6}
    source, target = _PORTS[kind]
    return {**fields, "IP_PROTOCOL": UDP, "L4_DST_PORT": target, "L4_SRC_PORT": source}

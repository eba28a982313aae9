"""Services of hosts on Cumulus Linux, as values: what their ports refuse, LACP bypass, DHCP relay, advertisements.

User guide 5.15: "Storm Control" counts packets a second of a switch port (NVUE Command Reference, `nv set interface
<interface-id> storm-control`), also where it is in a bond; "LACP Bypass"; "Access Control List Configuration" (`nv set
acl <acl-id> rule <rule-id> match ip`, `nv set interface <interface-id> acl <acl-id> inbound`). What no rule of a list
takes passes. A percentage is of packets of the smallest size, 84 bytes on the wire, as flooded ones are: ARP, DHCP and
neighbour discovery are little larger.

User guide 5.15, "DHCP Relays": a group of servers for each fabric, requests come in at SVIs (not at `-v0` of a VRR) and
routed ports, replies at upstream interfaces: routed links of the VRF, the one to the other switch of an MLAG pair, and
SVIs whose subnet has a server. Over EVPN they come in at the interface of the VLAN of the VRF's VNI, `vlan4024_l3`;
NVUE takes such a VLAN by itself unless `vrf X evpn vlan` names one (Command Reference: EVPN). The relay is
isc-dhcp-relay: with `use-pif-circuit-id` the circuit id is the port (swp1), and the remote id is the switch's MAC
address. Both are of the VRF. With EVPN multihoming the subnet of a VLAN is that of two switches, so that a reply to an
address in it may reach the other: the loopback is the gateway address, in a VRF that of the VRF, and the link
selection says the subnet ("Control the Gateway IP Address with RFC 3527"). DHCPv6 in a VRF over EVPN goes to its
servers over the VRF's device, from the IPv6 address of that ("DHCP Relay for IPv6 in an EVPN Symmetric Environment").
In the default VRF it comes from the loopback, by the source of routes (`set source-ip` of a route map, `fib-filter`).
Advertisements are off unless stated (NVUE Command Reference, `nv set interface <interface-id> ipv6
neighbor-discovery`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from ipaddress import ip_address, ip_interface
from typing import Any, NamedTuple

from fabricgen.render.escape import require_token
from fabricgen.render.ports import list_guards, make_guards
from fabricgen.switch.interfaces import Advertised, Bond, Interface, Relay, Vlan
from fabricgen.views.asked import USUAL_LIFETIME_S
from fabricgen.views.exits import EXIT
from fabricgen.views.model.hosts import model_relay
from fabricgen.views.service import Service
from fabricgen.views.switch import SwitchView

SMALLEST_BYTES = 84
"""Bytes of the smallest frame with its preamble and gap (IEEE 802.3)."""


def make_bridge_values(port: Interface | Bond) -> dict[str, Any]:
    """Return the VLANs of a port or bond, and what it refuses."""
    return {
        "access_vlan": port.access_vlan,
        "trunk_vlans": port.trunk_vlans,
        "bpdu_guard": port.access.bpdu_guard,
        "filters": [guard.name for guard in make_guards(port.access)],
    }


def count_packets_a_second(percent: float, speed_gbps: int) -> int:
    """Return how many packets of the smallest size are a percentage of a port's speed, at least 1."""
    # at least 1, also where the share of a slow port is less than a packet
    return max(1, round(percent / 100 * speed_gbps * 10**9 / (8 * SMALLEST_BYTES)))


def list_filters(view: SwitchView) -> list[dict[str, Any]]:
    """Return the access lists that ports of a switch have; `drops` are (number of the rule, kind of packets that it
    drops).
    """
    return [
        {
            "name": guard.name,
            "type": "ipv6" if guard.v6 else "ipv4",
            # steps of ten leave numbers between them for rules of people
            "drops": [(10 * number, kind) for number, kind in enumerate(guard.kinds, 1)],
        }
        for guard in list_guards(view, "bond{number}")
    ]


def make_relay_values(view: SwitchView, vrf_name: Callable[[str], str]) -> dict[str, Any]:
    """Return the DHCP relays of both families, one for each VRF with servers; `vrf_name` gives NVUE's name of a VRF."""
    names = {vrf: vrf_name(vrf) or "default" for vrf in ("", *view.vrfs)}
    four, six = ({vrf: list(_list_relayed(view, vrf, v6=v6)) for vrf in names} for v6 in (False, True))
    return {
        "relays": [_make_relay_row(view, vrf, names[vrf], relayed) for vrf, relayed in four.items() if relayed],
        "relays6": [_make_relay6_row(view, vrf, names[vrf], relayed) for vrf, relayed in six.items() if relayed],
    }


class _Relayed(NamedTuple):
    """An interface whose hosts' DHCP requests are relayed: its name, what it offers to hosts, and the relay."""

    interface: str
    service: Service
    relay: Relay


def _list_relayed(view: SwitchView, vrf: str, *, v6: bool) -> Iterator[_Relayed]:
    """Yield the interfaces of a VRF whose hosts have DHCP servers of an address family."""
    for service in view.services:
        if service.vrf == vrf and service.offers.dhcp:
            gateways = (
                [(f"vlan{service.vlan}", service.gateways)]
                if service.gateways
                else [
                    (require_token(port.name), port.addresses)
                    for port in view.ports
                    if port.role != EXIT and view.find_service(port) == service
                ]
            )
            relays = ((interface, model_relay(view, service, addresses)) for interface, addresses in gateways)
            yield from (_Relayed(name, service, relay) for name, relay in relays if relay and relay.list_servers(v6=v6))


def _list_upstream(view: SwitchView, vrf: str, servers: set[str]) -> list[str]:
    """Return the interfaces of a VRF at which replies of `servers` come in; if there are none, its hosts' VLANs."""
    services = [s for s in view.services if s.vrf == vrf]
    subnets = [(f"vlan{s.vlan}", ip_interface(gateway).network) for s in services for gateway in s.gateways]
    # a server in the subnet of hosts answers there, and not over a link
    vlans_of_servers = {name for name, subnet in subnets if any(ip_address(server) in subnet for server in servers)}
    if vrf:
        links = [f"{require_token(p.name)}.{sub.vlan}" for p in view.ports for sub in p.subinterfaces if sub.vrf == vrf]
    else:
        links = [require_token(port.name) for port in view.ports if port.role != "host" and not port.bond]
    pair = view.pair
    vni_vlan_number = find_vni_vlan(view, vrf)
    links += [f"vlan{vni_vlan_number}_l3"] if vni_vlan_number else []
    # where the other switch of the MLAG pair has the shorter way to the server, replies come over the peer link
    peer_link_vlans = [vlan for vlan, (own_vrf, _) in pair.vlans.items() if own_vrf == vrf] if pair else []
    return [*links, *(f"peerlink.{vlan}" for vlan in peer_link_vlans), *sorted(vlans_of_servers)] or sorted(
        {name for name, _ in subnets}
    )


def find_vni_vlan(view: SwitchView, vrf: str) -> int:
    """Return the VLAN that the layer 3 VNI of a VRF has to use, since a DHCP relay in the VRF refers to `vlanN_l3`.

    0 for a VRF without a relay: any VLAN will do.
    """
    overlay = view.overlay_in(vrf)
    has_relay = any(any(_list_relayed(view, vrf, v6=v6)) for v6 in (False, True))
    return overlay.vlan if overlay and has_relay else 0


def _make_relay_row(view: SwitchView, vrf: str, name: str, relayed: list[_Relayed]) -> dict[str, Any]:
    """Return DHCP relay of IPv4 in a VRF: hosts' interfaces by group of servers, and where replies come in."""
    groups = {require_token(service.fabric): relay.list_servers(v6=False) for _, service, relay in relayed}
    source = relayed[0].relay.source
    return {
        "vrf": name,
        "marked": any(relay.marked for _, _, relay in relayed),
        "downstream": [(interface, require_token(service.fabric)) for interface, service, _ in relayed],
        "groups": [(group, sorted(servers, key=ip_address)) for group, servers in sorted(groups.items())],
        "upstream": _list_upstream(view, vrf, {server for servers in groups.values() for server in servers}),
        "source": (name if vrf else "lo", source) if source else None,
    }


def _make_relay6_row(view: SwitchView, vrf: str, name: str, relayed: list[_Relayed]) -> dict[str, Any]:
    """Return DHCP relay of IPv6 in a VRF.

    For a VRF with an IPv6 loopback, servers are named at the VRF itself and at no port.
    """
    servers = {server for _, _, relay in relayed for server in relay.list_servers(v6=True)}
    ranked, upstream = sorted(servers, key=ip_address), _list_upstream(view, vrf, servers)
    loopback = view.loopback_in(vrf)
    # a device without IPv6 cannot be what a request is sent from
    over_evpn = [(name, ranked)] if loopback and loopback.address6 else []
    return {
        "vrf": name,
        "downstream": [interface for interface, _, _ in relayed],
        "upstream": [*over_evpn, *((interface, [] if over_evpn else ranked) for interface in upstream)],
    }


def find_relay6_source(view: SwitchView) -> str:
    """Return the IPv6 address that the relay in the default VRF is to send from, the loopback; "" without such a relay.

    isc-dhcp-relay names the port that a request leaves by, and the kernel takes an address of it: that of a link, to
    which no switch but the two at its ends has a route, and servers answer to it (RFC 8415, section 19.3).
    """
    return next((relay.source6 for _, _, relay in _list_relayed(view, "", v6=True)), "")


def announce_neighbors(vlan: Vlan) -> dict[str, Any] | None:
    """Return what the gateway of a VLAN advertises; None if nothing is stated, or it has no IPv6."""
    if vlan.advertised is None and not vlan.silent:
        return None
    advertised = vlan.advertised or Advertised(managed=False, other=False, lifetime_s=USUAL_LIFETIME_S)
    return {
        "on": not vlan.silent,
        "lifetime_s": None if advertised.lifetime_s == USUAL_LIFETIME_S else advertised.lifetime_s,
        "managed": advertised.managed,
        "other": advertised.other,
        "no_autoconfig": sorted(advertised.no_autoconfig),
        "resolvers": sorted(advertised.resolvers, key=ip_address),
    }


def list_circuit_forms(view: SwitchView) -> dict[str, str]:
    """Return the circuit id, always `{port}`, of each fabric whose bridged hosts are in a VRF with option 82.

    With `use-pif-circuit-id` it is the physical port, else the SVI (Cumulus Linux 5.15 user guide, DHCP Relays, "DHCP
    Agent Information Option (Option 82)"). One relay agent serves all hosts of a VRF: if any of them asks for option
    82, the requests of all get it.
    """
    marked = {service.vrf for service in view.services if service.offers.option_82}
    return {s.fabric: "{port}" for s in view.services if s.gateways and s.vrf in marked}

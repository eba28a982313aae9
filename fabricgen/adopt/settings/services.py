"""What leaves do for hosts of a fabric: DHCP relay, router advertisements, and what their ports refuse."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_address
from typing import Any

from fabricgen.adopt.settings.draft import Draft, Pair, Stated
from fabricgen.switch.interfaces import OPEN, Advertised, HostAccess, Relay
from fabricgen.views.asked import USUAL_LIFETIME_S

_STORM = {"broadcast": "broadcast", "multicast": "multicast", "unknown-unicast": "unknown_unicast"}


def infer_services(draft: Draft) -> list[Stated]:
    """What each fabric has of these sections; a NOS that lacks a word for one does not count there."""
    names, stated = [fabric.name for fabric in draft.list_fabrics()], list[Stated]()
    asked = {"dhcp": _find_relays, "router_advertisements": _find_advertisements, "access": _find_access}
    for key, ask in asked.items():
        for fabric, vote in draft.count_votes(names, ask).items():
            if (value := _write_setting(key, vote.value)) is not None:
                stated.append(Stated(("fabrics", fabric, key), value, vote.facts, vote.against))
    return stated


def _write_setting(key: str, value: Any) -> Any:
    """A setting as the page has it; None where nothing is to be stated."""
    if not value:
        return None
    if key == "router_advertisements":
        return value == "on" if isinstance(value, str) else dict(value)
    return {
        name: list(entry) if isinstance(entry, tuple) and name != "storm_control" else entry
        for name, entry in ((name, dict(entry) if name == "storm_control" else entry) for name, entry in value)
    }


def _find_relays(fabric: str, pair: Pair) -> Iterator[tuple[tuple[str, Any], ...]]:
    """The relay of each VLAN or routed port of a fabric on a switch, as keys of `dhcp`."""
    running = pair.running
    relays: list[Relay | None] = [
        running.vlans[service.vlan].relay
        for service in pair.view.services
        if service.fabric == fabric and service.vlan in running.vlans
    ]
    if not pair.view.lacks("relay-on-routed-ports"):
        interfaces = (running.interfaces.get(port.name) for port in pair.list_hosts(fabric))
        relays += [interface.relay for interface in interfaces if interface and interface.addresses]
    # servers of one family are asked by VLANs of that family alone: what all of them together have is what is stated
    servers = sorted({server for relay in relays if relay for server in relay.servers}, key=sort_server)
    if relays:
        unmarked = any(relay and not relay.marked and relay.list_servers(v6=False) for relay in relays)
        yield (("servers", tuple(servers)), *((("option_82", False),) if unmarked else ())) if servers else ()


def sort_server(server: str) -> tuple[bool, int, str]:
    """The order of servers that a NOS keeps in none: addresses by number, then names."""
    try:
        return False, int(ip_address(server)), ""
    except ValueError:
        return True, 0, server


def _find_advertisements(fabric: str, pair: Pair) -> Iterator[str | tuple[tuple[str, Any], ...]]:
    """What gateways of IPv6 on a switch advertise: keys of `router_advertisements`, "on" or "off" by word alone."""
    for service in pair.view.services:
        vlan = pair.running.vlans.get(service.vlan) if service.fabric == fabric else None
        if vlan is None or not any(":" in gateway for gateway in vlan.gateways):
            continue
        if vlan.silent:
            yield "off"
        elif vlan.advertised is None:
            yield ""
        else:
            yield "on" if pair.view.lacks("ra-settings") else _list_advertised(vlan.advertised, vlan.relay) or "on"
    for port in pair.list_hosts(fabric):
        interface = pair.running.interfaces.get(port.name)
        if interface and interface.addresses and pair.view.dialect.advertises_on_ports:
            yield "off" if interface.silent else ""


def _list_advertised(advertised: Advertised, relay: Relay | None) -> tuple[tuple[str, Any], ...]:
    """The keys of advertisements that are not as by default."""
    managed = bool(relay and relay.list_servers(v6=True))
    values = {
        "managed": (advertised.managed, managed),
        "other": (advertised.other, False),
        "autoconfig": (not advertised.no_autoconfig, False),
        "lifetime_s": (advertised.lifetime_s, USUAL_LIFETIME_S),
        "resolvers": (tuple(sorted(advertised.resolvers, key=sort_server)), ()),
    }
    return tuple((key, value) for key, (value, usual) in values.items() if value != usual)


def _find_access(fabric: str, pair: Pair) -> Iterator[tuple[tuple[str, Any], ...]]:
    """What bridged ports of a fabric refuse, as keys of `access`."""
    for port in pair.list_hosts(fabric):
        interface = pair.running.interfaces.get(port.name)
        carrier = pair.running.bonds.get(interface.bond, interface) if interface else None
        if carrier and (carrier.access_vlan or carrier.tagged_vlans):
            yield tuple(_list_access(carrier.access or OPEN, guards=not pair.view.lacks("bpdu-guard")))


def _list_access(access: HostAccess, *, guards: bool) -> Iterator[tuple[str, Any]]:
    if access.storm:
        limits = {_STORM[kind]: percent for kind, percent in access.storm.items()}
        yield "storm_control", tuple((key, limits[key]) for key in _STORM.values() if key in limits)
    if guards and not access.bpdu_guard:
        yield "bpdu_guard", False
    if "dhcp" in access.refused:
        yield "dhcp_guard", True
    if "ra" in access.refused:
        yield "ra_guard", True

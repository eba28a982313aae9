"""What leaves do for hosts of a fabric: DHCP relay, router advertisements, and what their ports refuse."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_address
from typing import Any

from fabricgen.adopt.settings.draft import Draft, Pair, Stated, drop_empty, shorten
from fabricgen.switch.interfaces import Vlan
from fabricgen.views.asked import USUAL_LIFETIME_S


def infer_services(draft: Draft) -> list[Stated]:
    """What each fabric has of these sections; a NOS that lacks a word for one does not count there."""
    names, stated = [fabric.name for fabric in draft.list_fabrics()], list[Stated]()
    asked = {"dhcp": _find_relays, "router_advertisements": _find_advertisements, "access": _find_access}
    for key, ask in asked.items():
        for fabric, vote in draft.count_votes(names, ask).items():
            if vote.value is not None:
                stated.append(Stated(("fabrics", fabric, key), vote.value, vote.facts, vote.against))
    return stated


def _list_vlans(fabric: str, pair: Pair) -> Iterator[Vlan]:
    """The VLANs of a fabric that a switch has."""
    vlans = (service.vlan for service in pair.view.services if service.fabric == fabric)
    return (pair.running.vlans[vlan] for vlan in vlans if vlan in pair.running.vlans)


def _find_relays(fabric: str, pair: Pair) -> Iterator[dict[str, Any] | None]:
    """`dhcp` of a switch: what VLANs and routed ports have together, as those of one family ask its servers alone."""
    relays = [vlan.relay for vlan in _list_vlans(fabric, pair)]
    interfaces = [pair.running.interfaces[port.name] for port in pair.list_hosts(fabric)]
    if not pair.view.lacks("relay-on-routed-ports"):
        relays += [interface.relay for interface in interfaces if interface.addresses]
    servers = sorted({server for relay in relays if relay for server in relay.servers}, key=sort_server)
    unmarked = any(relay and not relay.marked and relay.list_servers(v6=False) for relay in relays)
    if relays:
        yield {"servers": shorten(servers), **({"option_82": False} if unmarked else {})} if servers else None


def sort_server(server: str) -> tuple[bool, int, str]:
    """The order of servers that a NOS keeps in none: addresses by number, then names."""
    try:
        return False, int(ip_address(server)), ""
    except ValueError:
        return True, 0, server


def _find_advertisements(fabric: str, pair: Pair) -> Iterator[bool | dict[str, Any] | None]:
    """`router_advertisements` of each VLAN of IPv6, and of routed ports where a NOS advertises on these."""
    for vlan in _list_vlans(fabric, pair):
        if any(":" in gateway for gateway in vlan.gateways):
            yield False if vlan.silent else _write_advertised(pair, vlan)
    for port in pair.list_hosts(fabric):
        interface = pair.running.interfaces[port.name]
        if interface.addresses and pair.view.dialect.advertises_on_ports:
            yield False if interface.silent else None


def _write_advertised(pair: Pair, vlan: Vlan) -> bool | dict[str, Any] | None:
    """What is advertised otherwise than by default; True for nothing, None where nothing was asked for."""
    advertised, managed = vlan.advertised, bool(vlan.relay and vlan.relay.list_servers(v6=True))
    if advertised is None or pair.view.lacks("ra-settings"):
        return None if advertised is None else True
    values = {
        "managed": (advertised.managed, managed),
        "other": (advertised.other, False),
        "autoconfig": (not advertised.no_autoconfig, False),
        "lifetime_s": (advertised.lifetime_s, USUAL_LIFETIME_S),
        "resolvers": (shorten(sorted(advertised.resolvers, key=sort_server)), []),
    }
    return {key: value for key, (value, usual) in values.items() if value != usual} or True


def _find_access(fabric: str, pair: Pair) -> Iterator[dict[str, Any] | None]:
    """`access` of each bridged port."""
    for port in pair.list_hosts(fabric):
        interface = pair.running.interfaces[port.name]
        carrier = pair.running.bonds.get(interface.bond, interface)
        if carrier.access_vlan or carrier.tagged_vlans:
            access = carrier.access
            storm = {kind.replace("-", "_"): percent for kind, percent in sorted(access.storm.items())}
            guard = None if access.bpdu_guard or pair.view.lacks("bpdu-guard") else False
            guards = {"dhcp_guard": "dhcp" in access.refused, "ra_guard": "ra" in access.refused}
            asked = {
                "storm_control": storm,
                "bpdu_guard": guard,
                **{key: value or None for key, value in guards.items()},
            }
            yield drop_empty(**asked) or None

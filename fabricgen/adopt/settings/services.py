"""What leaves do for hosts (DHCP relay, advertisements, what ports refuse), and how all switches are managed."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_address
from typing import Any

from fabricgen.adopt.settings.draft import Draft, Pair, Stated, state_by_fabric
from fabricgen.adopt.words import drop_empty, unwrap_single
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
        yield {"servers": unwrap_single(servers), **({"option_82": False} if unmarked else {})} if servers else None


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
        "resolvers": (unwrap_single(sorted(advertised.resolvers, key=sort_server)), []),
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


KEYS = ("users", "aaa", "ntp", "dns", "syslog", "snmp", "gnmi", "banner", "timezone")


def infer_management(draft: Draft) -> list[Stated]:
    """The section of the cluster, and what fabrics have of their own, key by key."""
    owners = [fabric.name for fabric in draft.list_fabrics() if fabric.tiers]
    stated, lacking = list[Stated](), {pair.fabric for pair in draft.list_pairs() if pair.view.lacks("users")}
    for key in KEYS:

        def ask(fabric: str, pair: Pair, key: str = key) -> Iterator[Any]:
            if pair.fabric == fabric and not (key == "users" and pair.view.lacks("users")):
                yield _write_sections(pair)[key]

        votes = draft.count_votes(owners, ask)
        present = {name: vote for name, vote in votes.items() if vote.value is not None}
        # a fabric cannot take back accounts of the cluster, and accounts are refused where a NOS has none
        together = len(present) == len(votes) and not (key == "users" and lacking)
        stated += state_by_fabric(present, ("management", key), together=together)
        if key == "users" and (mixed := sorted(lacking & present.keys())):
            stated.append(_waive_accounts(draft, mixed))
    return stated


def _waive_accounts(draft: Draft, fabrics: list[str]) -> Stated:
    """A waiver for fabrics some of whose switches have accounts and some run a NOS whose configuration has none."""
    waived = list((draft.page.get("lint") or {}).get("waive") or [])
    why = "accounts of other switches are no part of their configuration"
    rows = [{"rule": "FG703", "at": f"fabrics/{name}/management/users", "why": why} for name in fabrics]
    return Stated(("lint", "waive"), [*waived, *(row for row in rows if row not in waived)], len(rows))


def _write_sections(pair: Pair) -> dict[str, Any]:
    """The sections of a switch as a page has them, None where it has none."""
    management, view = pair.running.management, pair.view
    ntp, dns, syslog = (
        unwrap_single(servers if view.dialect.ranks_servers else sorted(servers, key=sort_server))
        for servers in (management.ntp, management.dns, management.syslog)
    )
    users = {
        name: drop_empty(
            role=user.role if user.role != "admin" else "",
            password=f"{name_variable(name)}_HASH" if user.password_hash else "",
            ssh_keys=sorted(user.keys),
        )
        for name, user in sorted(management.users.items())
    }
    readers = {
        name: {"auth": f"{name_variable(name)}_AUTH", "privacy": f"{name_variable(name)}_PRIVACY"}
        for name in sorted(management.snmp_users)
    }
    protocol = management.aaa[0][0] if management.aaa else ""
    level = management.syslog_level if management.syslog_level != "informational" else ""
    port = management.gnmi_port if management.gnmi_port != view.naming.systems.gnmi_port else 0
    return {
        "users": users or None,
        # whether servers share a key is not read: a reference does no harm
        "aaa": {
            "protocol": protocol,
            "servers": unwrap_single([server for _, server in management.aaa]),
            "key": f"{name_variable(protocol)}_KEY",
        }
        if protocol
        else None,
        "ntp": ntp or None,
        "dns": drop_empty(servers=dns, domain=management.domain) or None,
        "syslog": drop_empty(servers=syslog, level=level) if syslog else None,
        "snmp": {"users": readers} if readers else None,
        "gnmi": drop_empty(port=port) if management.gnmi_port else None,
        "banner": drop_empty(login=management.login_banner, motd=management.motd) or None,
        "timezone": management.timezone or None,
    }


def name_variable(name: str) -> str:
    """The reference to a secret of a name: an environment variable that whoever builds sets."""
    return "env:FABRICGEN_" + "".join(c if c.isalnum() else "_" for c in name.upper())

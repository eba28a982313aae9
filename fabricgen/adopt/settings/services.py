"""Infer what leaves do for hosts (DHCP relay, router advertisements, port security), and how switches are managed."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_address
from typing import Any

from fabricgen.adopt.settings.draft import ComparedSwitch, Draft, Setting, make_settings_by_fabric
from fabricgen.adopt.words import drop_empty, unwrap_single
from fabricgen.switch.interfaces import Vlan
from fabricgen.views.asked import USUAL_LIFETIME_S


def infer_services(draft: Draft) -> list[Setting]:
    """Return `dhcp`, `router_advertisements` and `access` of fabrics; switches whose NOS lacks a word do not vote on
    it.
    """
    names = [fabric.name for fabric in draft.list_fabrics()]
    questions = {"dhcp": _find_relays, "router_advertisements": _find_advertisements, "access": _find_access}
    return [
        Setting(("fabrics", fabric, key), vote.value, vote.facts, vote.against)
        for key, ask in questions.items()
        for fabric, vote in draft.collect_votes(names, ask).items()
        if vote.value is not None
    ]


def _list_vlans(fabric: str, switch: ComparedSwitch) -> Iterator[Vlan]:
    """Return the running VLANs of a switch that serve a fabric."""
    vlans = (service.vlan for service in switch.view.services if service.fabric == fabric)
    return (switch.running.vlans[vlan] for vlan in vlans if vlan in switch.running.vlans)


def _find_relays(fabric: str, switch: ComparedSwitch) -> Iterator[dict[str, Any] | None]:
    """Yield `dhcp` of a fabric on a switch, None without relays: the servers of all its VLANs and routed ports.

    They are joined as interfaces with IPv4 alone have no IPv6 servers, and vice versa.
    """
    relays = [vlan.relay for vlan in _list_vlans(fabric, switch)]
    interfaces = [switch.running.interfaces[port.name] for port in switch.list_hosts(fabric)]
    if not switch.view.lacks("relay-on-routed-ports"):
        relays += [interface.relay for interface in interfaces if interface.addresses]
    servers = sorted({server for relay in relays if relay for server in relay.servers}, key=sort_server)
    unmarked = any(relay and not relay.marked and relay.list_servers(v6=False) for relay in relays)
    if relays:
        yield {"servers": unwrap_single(servers), **({"option_82": False} if unmarked else {})} if servers else None


def sort_server(server: str) -> tuple[bool, int, str]:
    """Return the key that sorts servers of a NOS that keeps no order: addresses by number, then names."""
    try:
        return False, int(ip_address(server)), ""
    except ValueError:
        return True, 0, server


def _find_advertisements(fabric: str, switch: ComparedSwitch) -> Iterator[bool | dict[str, Any] | None]:
    """Yield `router_advertisements` for each VLAN with an IPv6 gateway, and for routed ports if the NOS advertises
    there.
    """
    for vlan in _list_vlans(fabric, switch):
        if any(":" in gateway for gateway in vlan.gateways):
            yield False if vlan.silent else _write_advertised(switch, vlan)
    for port in switch.list_hosts(fabric):
        interface = switch.running.interfaces[port.name]
        if interface.addresses and switch.view.dialect.advertises_on_ports:
            yield False if interface.silent else None


def _write_advertised(switch: ComparedSwitch, vlan: Vlan) -> bool | dict[str, Any] | None:
    """Return what a VLAN advertises besides the defaults, True for the defaults, None if it advertises nothing."""
    advertised, managed = vlan.advertised, bool(vlan.relay and vlan.relay.list_servers(v6=True))
    if advertised is None or switch.view.lacks("ra-settings"):
        return None if advertised is None else True
    values = {
        # (running value, default)
        "managed": (advertised.managed, managed),
        "other": (advertised.other, False),
        "autoconfig": (not advertised.no_autoconfig, False),
        "lifetime_s": (advertised.lifetime_s, USUAL_LIFETIME_S),
        "resolvers": (unwrap_single(sorted(advertised.resolvers, key=sort_server)), []),
    }
    return {key: value for key, (value, default) in values.items() if value != default} or True


def _find_access(fabric: str, switch: ComparedSwitch) -> Iterator[dict[str, Any] | None]:
    """Yield `access` of each bridged host port, None if the port refuses nothing: storm control and guards."""
    for port in switch.list_hosts(fabric):
        interface = switch.running.interfaces[port.name]
        carrier = switch.running.bonds.get(interface.bond, interface)
        if carrier.access_vlan or carrier.tagged_vlans:
            access = carrier.access
            storm = {kind.replace("-", "_"): percent for kind, percent in sorted(access.storm.items())}
            yield (
                drop_empty(
                    storm_control=storm,
                    bpdu_guard=None if access.bpdu_guard or switch.view.lacks("bpdu-guard") else False,
                    dhcp_guard="dhcp" in access.refused or None,
                    ra_guard="ra" in access.refused or None,
                )
                or None
            )


KEYS = ("users", "aaa", "ntp", "dns", "syslog", "snmp", "gnmi", "banner", "timezone")
"""The keys of `management` that are inferred."""


def infer_management(draft: Draft) -> Iterator[Setting]:
    """Yield the keys of `management`: those of the cluster, and of fabrics that differ from it."""
    owners = [fabric.name for fabric in draft.list_fabrics() if fabric.tiers]
    lacking = {switch.fabric for switch in draft.list_switches() if switch.view.lacks("users")}
    for key in KEYS:

        def ask(fabric: str, switch: ComparedSwitch, key: str = key) -> Iterator[Any]:
            if switch.fabric == fabric and not (key == "users" and switch.view.lacks("users")):
                yield _write_management(switch)[key]

        all_votes = draft.collect_votes(owners, ask)
        votes = {name: vote for name, vote in all_votes.items() if vote.value is not None}
        # a fabric cannot take back what the cluster states, and accounts are refused for a NOS that has none
        per_fabric = len(votes) < len(all_votes) or (key == "users" and bool(lacking))
        yield from make_settings_by_fabric(votes, ("management", key), per_fabric=per_fabric)
        if key == "users" and (mixed := sorted(lacking & votes.keys())):
            yield _waive_accounts(draft, mixed)


def _waive_accounts(draft: Draft, fabrics: list[str]) -> Setting:
    """Return waivers of rule FG703 for fabrics in which some switches have accounts, and others run a NOS
    without any.
    """
    waived = list((draft.page.get("lint") or {}).get("waive") or [])
    why = "accounts of other switches are no part of their configuration"
    rows = [{"rule": "FG703", "at": f"fabrics/{name}/management/users", "why": why} for name in fabrics]
    return Setting(("lint", "waive"), [*waived, *(row for row in rows if row not in waived)], len(rows))


def _write_management(switch: ComparedSwitch) -> dict[str, Any]:
    """Return `management` of a switch by key, as a page has it; None for keys of which the switch has nothing."""
    management, view = switch.running.management, switch.view
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
        # whether servers share a key is not read; a reference to one does no harm if they have none
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
    """Return the reference to a secret of a name: an environment variable that the user sets before a build."""
    return "env:FABRICGEN_" + "".join(c if c.isalnum() else "_" for c in name.upper())

"""The management half of what AVD is told of a switch: accounts, servers, telemetry and banners."""

from __future__ import annotations

from typing import Any, TypeAlias

from fabricgen.views.switch import SwitchView

Structured: TypeAlias = dict[str, Any]

LEVELS = {"error": "errors", "warning": "warnings", "notice": "notifications", "debug": "debugging"}


def management(switch: SwitchView) -> Structured:
    """What the blueprint's `management` comes to; servers are reached through the management port, if there is one."""
    wanted, vrf = switch.fabric.management, "MGMT" if any(gateway for _, gateway in switch.managements) else ""
    found: Structured = {**_port(switch), **_accounts(switch), **_servers(switch, vrf), **_telemetry(switch, vrf)}
    if wanted.timezone:
        found["clock"] = {"timezone": wanted.timezone}
    if wanted.banner:
        texts = {"login": wanted.banner.login, "motd": wanted.banner.motd}
        found["banners"] = {kind: _ended(text) for kind, text in texts.items() if text}
    return found


def secret(reference: str) -> str:
    """What stands for a secret in files without secrets."""
    return f"<{reference}>"


def _ended(text: str) -> str:
    return "\n".join([*("[EOF]" if line.strip() == "EOF" else line.rstrip() for line in text.splitlines()), "EOF"])


def _port(switch: SwitchView) -> Structured:
    given = [(address, gateway) for address, gateway in switch.managements if gateway]
    if not given:
        return {}
    port = "Management1/1" if switch.profile.line_cards else "Management1"
    own = {("ipv6_address" if ":" in address else "ip_address"): address for address, _ in given}
    routes: Structured = {"static_routes": [], "ipv6_static_routes": []}
    for address, gateway in given:
        v6 = ":" in address
        route = {"vrf": "MGMT", "prefix": "::/0" if v6 else "0.0.0.0/0", "next_hop": gateway}
        routes["ipv6_static_routes" if v6 else "static_routes"].append(route)
    return {
        "management_interfaces": [
            {"name": port, "description": "out-of-band management", "vrf": "MGMT", **own},
        ],
        "management_ssh": {"vrfs": [{"name": "MGMT", "enable": True}]},
        "lldp": {"management_address": port, "vrf": "MGMT"},
        **routes,
    }


def _accounts(switch: SwitchView) -> Structured:
    wanted = switch.fabric.management
    users = []
    for name, user in wanted.users.items():
        level = (15, "network-admin") if user.role == "admin" else (1, "network-operator")
        row: Structured = {"name": name, "privilege": level[0], "role": level[1]}
        row |= {"sha512_password": secret(user.password)} if user.password else {"no_password": True}
        row |= dict(zip(("ssh_key", "secondary_ssh_key"), user.ssh_keys, strict=False))
        users.append(row)
    if users and "admin" not in wanted.users:
        users.append({"name": "admin", "disabled": True})
    found: Structured = {"aaa_root": {"disabled": True}, "local_users": users}
    if wanted.aaa:
        order = f"group {'tacacs+' if wanted.aaa.protocol == 'tacacs' else 'radius'} local"
        found["aaa_authentication"] = {"login": {"default": order}}
        found["aaa_authorization"] = {"exec": {"default": order}}
    elif users:
        found["aaa_authorization"] = {"exec": {"default": "local"}}
    return found


def _servers(switch: SwitchView, vrf: str) -> Structured:
    wanted = switch.fabric.management
    found: Structured = {}
    in_vrf = {"vrf": vrf} if vrf else {}
    if wanted.ntp:
        servers = [{"name": name, "preferred": at == 0} for at, name in enumerate(wanted.ntp)]
        found["ntp"] = {"servers": servers, **in_vrf}
    if wanted.dns:
        servers = [{"ip_address": name, "priority": min(at, 4)} for at, name in enumerate(wanted.dns.servers)]
        found["ip_name_server"] = {"vrfs": [{"name": vrf or "default", "servers": servers}]}
        found["dns_domain"] = wanted.dns.domain
    if wanted.syslog:
        hosts = [{"name": name} for name in wanted.syslog.servers]
        level = LEVELS.get(wanted.syslog.level, wanted.syslog.level)
        found["logging"] = {"trap": level, "vrfs": [{"name": vrf or "default", "hosts": hosts}]}
    if wanted.aaa:
        key = {"key": secret(wanted.aaa.key), "key_type": "0"} if wanted.aaa.key else {}
        hosts = [{"host": host, **key} for host in wanted.aaa.servers]
        if wanted.aaa.protocol == "tacacs":
            found["tacacs_servers"] = {"hosts": [{**host, **in_vrf} for host in hosts]}
        else:
            found["radius_server"] = {"vrfs": [{"name": vrf, "servers": hosts}]} if vrf else {"servers": hosts}
    return found


def _telemetry(switch: SwitchView, vrf: str) -> Structured:
    wanted = switch.fabric.management
    found: Structured = {}
    if wanted.snmp:
        found["snmp_server"] = {
            "contact": wanted.snmp.contact or None,
            "location": wanted.snmp.location or switch.site or None,
            "views": [{"name": "ALL", "mib_family_name": "iso", "included": True}],
            "groups": [{"name": "READERS", "version": "v3", "authentication": "priv", "read": "ALL"}],
            "users": [
                {
                    "name": name,
                    "group": "READERS",
                    "version": "v3",
                    "auth": "sha",
                    "auth_passphrase": secret(user.auth),
                    "priv": "aes",
                    "priv_passphrase": secret(user.privacy),
                }
                for name, user in wanted.snmp.users.items()
            ],
            "vrfs": [{"name": "default", "enable": False}, {"name": vrf, "enable": True}] if vrf else [],
        }
    profile = {"ssl_profile": "MANAGEMENT"} if wanted.tls else {}
    if wanted.tls:
        names = {"file": wanted.tls.certificate, "key": wanted.tls.key}
        found["management_security"] = {"ssl_profiles": [{"name": "MANAGEMENT", "certificate": names}]}
    if wanted.gnmi:
        port = {"port": wanted.gnmi.port} if wanted.gnmi.port else {}
        grpc = {"name": vrf or "default", **({"vrf": vrf} if vrf else {}), **profile, **port}
        found["management_api_gnmi"] = {"provider": "eos-native", "transport": {"grpc": [grpc]}}
    return found

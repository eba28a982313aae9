"""Junos's management as values: accounts, AAA, servers, SNMP and banners.

The management port is in a routing instance of Junos's own, `mgmt_junos`, in which servers are reached. Accounts are of
Junos's classes `super-user` and `read-only`; SNMPv3 hashes its passphrases when they are committed. What a switch sends
itself comes from its loopback by `default-address-selection`, where it has no management port (CLI reference: `login`,
`snmp v3`, `tacplus-server`, `syslog`, `management-instance`). gNMI takes a certificate, which is loaded on the switch
under the name `gnmi` (Junos Telemetry Interface User Guide, gRPC: `local-certificate`, `use-pki`).
"""

from __future__ import annotations

from typing import Any

from fabricgen.blueprint.sections.management import Aaa, Snmp, User
from fabricgen.nos.junos.reading.text import quote_word
from fabricgen.render.escape import make_one_line, require_token, require_word, split_lines
from fabricgen.views.model.management import model_management
from fabricgen.views.switch import SwitchView

INSTANCE = "mgmt_junos"

CLASSES = {"admin": "super-user", "operator": "read-only"}

SEVERITIES = {"informational": "info", "debug": "any"}
"""Junos's words for levels of logs that it calls otherwise."""

PROTOCOLS = {"tacacs": "tacplus", "radius": "radius"}


def make_management_values(switch: SwitchView) -> dict[str, Any]:
    """The values of management for the templates."""
    stated, management = switch.fabric.management, model_management(switch)
    gateways = [(address, gateway) for address, gateway in switch.managements if gateway]
    return {
        "managements": [("inet6" if ":" in address else "inet", address, gateway) for address, gateway in gateways],
        "instance": INSTANCE if gateways else "",
        "from_loopback": management.from_loopback,
        "users": [_make_user_row(name, user) for name, user in sorted(stated.users.items())],
        "aaa": _make_login_servers(stated.aaa),
        "ntp_servers": [require_word(server) for server in management.ntp],
        "name_servers": [require_word(server) for server in management.dns],
        "dns_domain": require_token(management.domain) if management.domain else "",
        "log_level": SEVERITIES.get(management.syslog_level, management.syslog_level),
        "log_servers": [require_word(server) for server in management.syslog],
        "snmp": _make_snmp_values(stated.snmp, switch.site),
        "gnmi_port": management.gnmi_port,
        "timezone": require_token(management.timezone) if management.timezone else "",
        "message": _quote_banner(management.login_banner),
        "announcement": _quote_banner(management.motd),
    }


def _quote_banner(banner: str) -> str:
    """A text of several lines in quotes, "" for none."""
    return quote_word("\n".join(split_lines(banner))) if banner else ""


def _make_user_row(name: str, user: User) -> dict[str, Any]:
    """An account: (kind, key) of its SSH keys, "" for no password."""
    kinds = [key.partition(" ")[0] for key in user.ssh_keys]
    words = ["ssh-ecdsa" if kind.startswith(("ecdsa", "sk-")) else kind for kind in kinds]
    keys = [quote_word(" ".join(map(require_word, key.split(" ")))) for key in user.ssh_keys]
    return {
        "name": require_token(name),
        "class": CLASSES[user.role],
        "hash": quote_word(require_word(user.password)) if user.password else "",
        "keys": list(zip(words, keys, strict=True)),
    }


def _make_login_servers(aaa: Aaa | None) -> dict[str, Any] | None:
    """Login servers, with "" for a key that is not stated; None without servers."""
    if not aaa:
        return None
    servers, key = (
        [require_word(server) for server in aaa.servers],
        quote_word(require_word(aaa.key)) if aaa.key else "",
    )
    return {"word": PROTOCOLS[aaa.protocol], "servers": servers, "key": key}


def _make_snmp_values(snmp: Snmp | None, site: str) -> dict[str, Any] | None:
    """SNMP: `users` are (name, authentication, privacy), location and contact "" where unknown; None without SNMP."""
    if not snmp:
        return None
    location = snmp.location or site
    return {
        "location": quote_word(make_one_line(location)) if location else "",
        "contact": quote_word(make_one_line(snmp.contact)) if snmp.contact else "",
        "users": [
            (require_token(name), quote_word(require_word(user.auth)), quote_word(require_word(user.privacy)))
            for name, user in sorted(snmp.users.items())
        ],
    }

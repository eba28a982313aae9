"""Values for EOS's management: accounts, AAA, servers, telemetry and banners.

Servers are reached in the VRF of the management port where the switch has one; SNMP then listens there only.

EOS has a passwordless `admin` by default: where accounts are stated and none has this name, it is removed. A local
account gets its privilege at login (`aaa authorization exec default local`); without a password it can log in by SSH
key, and at the console (`nopassword`; EOS denies remote logins without password by default). EOS stores two SSH keys
for an account.

Sources: Arista EOS user manual (`username`, `tacacs-server host`, `snmp-server user`, `banner`, `management api gnmi`);
schema and templates of aristanetworks/avd (pyavd 6.4), against which tests check the text.
"""

from __future__ import annotations

from typing import Any

from fabricgen.blueprint.sections.management import Aaa, Management, Snmp, User
from fabricgen.render.escape import one_line, text_lines, token, word
from fabricgen.views.model.management import model_management
from fabricgen.views.switch import SwitchView

ROLES = {"admin": (15, "network-admin"), "operator": (1, "network-operator")}
"""(privilege, role) of EOS."""

SSH_KEYS = 2
"""SSH keys that EOS stores for an account: `ssh-key` and `ssh-key secondary`."""

LEVELS = {
    "error": "errors",
    "warning": "warnings",
    "notice": "notifications",
    "informational": "informational",
    "debug": "debugging",
}
"""Words of `logging trap`."""

PROTOCOLS = {"tacacs": "tacacs+", "radius": "radius"}
"""EOS's built-in groups of all servers of a protocol."""

END_OF_BANNER = "EOF"


def management_values(switch: SwitchView, vrf: str) -> dict[str, Any]:
    """The management values for the templates; `vrf` is the VRF of the servers, "" for the default one."""
    asked, management = switch.fabric.management, model_management(switch)
    banners = (("login", management.login_banner), ("motd", management.motd))
    return {
        "server_vrf": vrf,
        "server_source": bool(switch.own_source),
        "users": [_user_row(name, user) for name, user in sorted(asked.users.items())],
        "without_admin": bool(asked.users) and "admin" not in asked.users,
        "aaa": _aaa(asked.aaa),
        "ntp_servers": [word(server) for server in management.ntp],
        "name_servers": [(word(server), min(at, 4)) for at, server in enumerate(management.dns)],
        "dns_domain": token(management.domain) if management.domain else "",
        "log_level": LEVELS[management.syslog_level] if management.syslog else "",
        "log_servers": [word(server) for server in management.syslog],
        "snmp": _snmp(asked.snmp, switch.site),
        "timezone": token(management.timezone) if management.timezone else "",
        "ssl_profile": _ssl_row(asked),
        "gnmi": asked.gnmi is not None,
        "gnmi_port": (asked.gnmi.port or 0) if asked.gnmi else 0,
        "banners": [(kind, banner_lines(text)) for kind, text in banners if text],
    }


def _user_row(name: str, user: User) -> dict[str, Any]:
    """An account; "" for a missing password hash or SSH key."""
    privilege, role = ROLES[user.role]
    keys = [" ".join(map(word, key.split(" "))) for key in user.ssh_keys[:SSH_KEYS]]
    first, second = (*keys, "", "")[:2]
    return {
        "name": token(name),
        "privilege": privilege,
        "role": role,
        "hash": word(user.password) if user.password else "",
        "ssh_key": first,
        "second_ssh_key": second,
    }


def _aaa(aaa: Aaa | None) -> dict[str, Any] | None:
    """Login servers, with "" for a key that is not stated; None without servers."""
    if not aaa:
        return None
    return {
        "protocol": aaa.protocol,
        "group": PROTOCOLS[aaa.protocol],
        "servers": [word(server) for server in aaa.servers],
        "key": word(aaa.key) if aaa.key else "",
    }


def _snmp(snmp: Snmp | None, site: str) -> dict[str, Any] | None:
    """SNMP: `users` are (name, authentication, privacy), location and contact "" where unknown; None without SNMP."""
    if not snmp:
        return None
    location = snmp.location or site
    return {
        "location": one_line(location) if location else "",
        "contact": one_line(snmp.contact) if snmp.contact else "",
        "users": [(token(name), word(user.auth), word(user.privacy)) for name, user in sorted(snmp.users.items())],
    }


def _ssl_row(management: Management) -> tuple[str, ...]:
    """(certificate, key) file names; empty if none are stated."""
    return (word(management.tls.certificate), word(management.tls.key)) if management.tls else ()


def banner_lines(text: str) -> list[str]:
    """The lines of a banner; a line that would end it is put in brackets."""
    return [f"[{line.strip()}]" if line.strip() == END_OF_BANNER else line for line in text_lines(text)]

"""How a SONiC switch is managed, as rows of its tables.

Tables and fields: sonic-buildimage, src/sonic-yang-models/yang-models, sonic-ntp.yang, sonic-syslog.yang,
sonic-dns.yang, sonic-snmp.yang, sonic-system-aaa.yang, sonic-system-tacacs.yang, sonic-system-radius.yang,
sonic-banner.yang, sonic-gnmi.yang. There is no table of local accounts: they stay as the image, or what provisions it,
has them.
"""

from __future__ import annotations

from typing import Any

from fabricgen.blueprint.sections.management import Aaa, Management
from fabricgen.render.escape import json_text
from fabricgen.views.switch import SwitchView

CERTIFICATES = "/etc/sonic/telemetry"
"""Folder that the gnmi container finds its certificates in (dockers/docker-sonic-gnmi)."""

GNMI_PORT = 8080
"""Where the image listens by itself. With a row that names no port the server exits instead
(dockers/docker-sonic-gnmi/gnmi-native.sh), so that it is always written."""

MAX_RESOLVERS = 3
"""What resolv.conf takes, and DNS_NAMESERVER with it."""

LOGINS = {"tacacs": "tacacs+,local", "radius": "radius,local"}
"""Servers first; local accounts where none answers."""

SEVERITIES = {"error": "error", "warning": "warn", "notice": "notice", "informational": "info", "debug": "debug"}
"""Of rsyslog, by the blueprint's words."""

TABLES = {
    "AAA": "aaa_login",
    "BANNER_MESSAGE": "banner",
    "DNS_NAMESERVER": "resolvers",
    "DNS_OPTIONS": "domain",
    "GNMI": "gnmi",
    "NTP": "time_servers",
    "NTP_SERVER": "time_servers",
    "RADIUS": "radius_key",
    "RADIUS_SERVER": "radius_servers",
    "SNMP": "snmp",
    "SNMP_USER": "snmp_users",
    "SYSLOG_SERVER": "log_servers",
    "TACPLUS": "tacacs_key",
    "TACPLUS_SERVER": "tacacs_servers",
}
"""Each with the value without which it is left out."""


def management_values(switch: SwitchView) -> dict[str, Any]:
    """Rows of the tables by which a switch is managed; what is not asked for is empty."""
    asked = switch.fabric.management
    dns, log = asked.dns, asked.syslog
    return {
        **_logins(asked.aaa),
        **_snmp(asked, switch.site),
        **_gnmi(asked),
        "time_servers": sorted(map(json_text, asked.ntp)),
        "resolvers": sorted(map(json_text, dns.servers[:MAX_RESOLVERS])) if dns else [],
        "domain": json_text(dns.domain) if dns and dns.domain and dns.servers else "",
        "log_servers": sorted(map(json_text, log.servers)) if log else [],
        "log_severity": SEVERITIES[log.level] if log else "",
        "banner": tuple(map(_banner, (asked.banner.login, asked.banner.motd))) if asked.banner else (),
        "timezone": json_text(asked.timezone or ""),
    }


def _banner(text: str) -> str:
    """A banner as it is stored: the switch prints it with `echo -e`, which would read a backslash."""
    return json_text(text.replace("\\", "\\\\"))


def _logins(aaa: Aaa | None) -> dict[str, Any]:
    """Servers with their priority: the first has the highest."""
    servers = sorted((json_text(s), len(aaa.servers) - n) for n, s in enumerate(aaa.servers)) if aaa else []
    key, protocol = json_text(aaa.key or "") if aaa else "", aaa.protocol if aaa else ""
    return {
        "aaa_login": LOGINS.get(protocol, ""),
        "tacacs_servers": servers if protocol == "tacacs" else [],
        "tacacs_key": key if protocol == "tacacs" else "",
        "radius_servers": servers if protocol == "radius" else [],
        "radius_key": key if protocol == "radius" else "",
    }


def _snmp(asked: Management, site: str) -> dict[str, Any]:
    if asked.snmp is None:
        return {"snmp": (), "snmp_users": []}
    users = asked.snmp.users.items()
    return {
        "snmp": (json_text(asked.snmp.contact), json_text(asked.snmp.location or site)),
        "snmp_users": sorted((json_text(name), json_text(u.auth), json_text(u.privacy)) for name, u in users),
    }


def _gnmi(asked: Management) -> dict[str, Any]:
    """(certificate, key, port), the files "" where none are stated; empty where nothing is said of gNMI."""
    if asked.gnmi is None:
        return {"gnmi": ()}
    files = (f"{CERTIFICATES}/{file}" for file in (asked.tls.certificate, asked.tls.key)) if asked.tls else ("", "")
    certificate, key = map(json_text, files)
    return {"gnmi": (certificate, key, asked.gnmi.port or GNMI_PORT)}

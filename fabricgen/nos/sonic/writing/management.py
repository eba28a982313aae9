"""How a SONiC switch is managed, as rows of its tables.

Tables and fields: sonic-buildimage, src/sonic-yang-models/yang-models, sonic-ntp.yang, sonic-syslog.yang,
sonic-dns.yang, sonic-snmp.yang, sonic-system-aaa.yang, sonic-system-tacacs.yang, sonic-system-radius.yang,
sonic-banner.yang, sonic-gnmi.yang. There is no table of local accounts: they stay as the image, or what provisions it,
has them.
"""

from __future__ import annotations

from typing import Any

from fabricgen.blueprint.sections.management import Aaa, Management, SnmpUser
from fabricgen.views.asked import takes_file_names, takes_snmp_user
from fabricgen.views.model.switch import model_management
from fabricgen.views.switch import SwitchView

CERTIFICATES = "/etc/sonic/telemetry"
"""The folder in which the gnmi container finds its certificates (dockers/docker-sonic-gnmi)."""

LOGINS = {"tacacs": "tacacs+,local", "radius": "radius,local"}
"""Login methods: servers first, and local accounts if no server answers."""

SEVERITIES = {"error": "error", "warning": "warn", "notice": "notice", "informational": "info", "debug": "debug"}
"""rsyslog's severities, by the blueprint's words."""

PRINTED_WITH = {
    "AAA": "aaa_login",
    "BANNER_MESSAGE": "has_banner",
    "GNMI": "gnmi_port",
    "NTP": "NTP_SERVER",
    "RADIUS": "radius_key",
    "SNMP": "has_snmp",
    "TACPLUS": "tacacs_key",
}
"""Tables whose rows are in their templates, each with the value that makes the template print it."""


def make_management_values(view: SwitchView) -> dict[str, Any]:
    """Return the rows of the tables by which a switch is managed, by table, and what else their templates name.

    A table that is not asked for has no rows.
    """
    spec, management = view.fabric.management, model_management(view)
    return {
        **_make_login_rows(spec.aaa),
        **_make_snmp_rows(spec, view.site),
        "gnmi_port": management.gnmi_port,
        **_list_certificates(spec),
        "NTP_SERVER": {server: {"resolve_as": server} for server in management.ntp},
        "DNS_NAMESERVER": {server: {} for server in management.dns},
        "DNS_OPTIONS": {"GLOBAL": {"search": [management.domain]}} if management.domain and management.dns else {},
        "SYSLOG_SERVER": {s: {"severity": SEVERITIES[management.syslog_level]} for s in management.syslog},
        "has_banner": spec.banner is not None,
        "login_banner": _escape_banner(management.login_banner),
        "motd_banner": _escape_banner(management.motd),
        "timezone": management.timezone,
    }


def _escape_banner(text: str) -> str:
    """Return a banner as it is stored: the switch prints it with `echo -e`, which would read a backslash."""
    return text.replace("\\", "\\\\")


def _make_login_rows(aaa: Aaa | None) -> dict[str, Any]:
    """Return login servers with their priority, the highest for the first, and the keys of each protocol."""
    servers = {server: {"priority": len(aaa.servers) - n} for n, server in enumerate(aaa.servers)} if aaa else {}
    key, protocol = (aaa.key or "", aaa.protocol) if aaa else ("", "")
    return {
        "aaa_login": LOGINS.get(protocol, ""),
        "TACPLUS_SERVER": servers if protocol == "tacacs" else {},
        "tacacs_key": key if protocol == "tacacs" else "",
        "RADIUS_SERVER": servers if protocol == "radius" else {},
        "radius_key": key if protocol == "radius" else "",
    }


def _make_snmp_rows(spec: Management, site: str) -> dict[str, Any]:
    """Return the rows of SNMPv3, without users whose names are too short for SONiC."""
    snmp = spec.snmp
    return {
        "has_snmp": snmp is not None,
        "snmp_contact": snmp.contact if snmp else "",
        "snmp_location": (snmp.location or site) if snmp else "",
        "SNMP_USER": {
            name: _make_snmp_user(user) for name, user in (snmp.users if snmp else {}).items() if takes_snmp_user(name)
        },
    }


def _make_snmp_user(user: SnmpUser) -> dict[str, str]:
    return {"SNMP_USER_AUTH_PASSWORD": user.auth, "SNMP_USER_ENCRYPTION_PASSWORD": user.privacy}


def _list_certificates(spec: Management) -> dict[str, str]:
    """Return the files of certificate and key, "" if none are stated that SONiC takes.

    The port of gNMI is always written: with a row that names none the server exits
    (dockers/docker-sonic-gnmi/gnmi-native.sh).
    """
    tls = spec.tls if spec.tls and takes_file_names(spec.tls) else None
    return {
        "gnmi_certificate": f"{CERTIFICATES}/{tls.certificate}" if tls else "",
        "gnmi_key": f"{CERTIFICATES}/{tls.key}" if tls else "",
    }

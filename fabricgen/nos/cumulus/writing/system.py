"""Management of a Cumulus Linux switch: NVUE's `system` tree.

Nesting and words: NVUE Command Reference (System Configuration, User Account, SNMP Server, Syslog, gNMI) and the user
guide 5.16 (TACACS, RADIUS AAA, SSH for Remote Access, Network Time Protocol, Configure SNMP). Roles and their classes
are stated beside the users that have them, since a startup.yaml replaces the shipped one, which defines them. The
shipped control-plane ACLs are stated for the same reason.

Certificates are referred to by the id under which `nv action import system security certificate` imported them; it is
the stated file name without its suffix.
"""

from __future__ import annotations

from typing import Any

from fabricgen.blueprint.sections.management import Management
from fabricgen.render import bgp
from fabricgen.render.escape import one_line, yaml_text
from fabricgen.views.switch import SwitchView

GNMI_PORT = 9339
"""The port that gNMI has from IANA, and the example of the NVUE Command Reference."""

_ROLES = {"admin": "system-admin", "operator": "nvue-monitor"}
_SEVERITIES = {"informational": "info", "warning": "warn"}


def system_values(switch: SwitchView) -> dict[str, Any]:
    """The values for the templates of the `system` tree; "" and empty for what is not configured."""
    asked = switch.fabric.management
    own = [bgp.bare(address) for address, gateway in switch.managements if gateway]
    return {
        **_logins(asked),
        **_servers(asked),
        **_snmp(asked, switch),
        "vrf_of_servers": "mgmt" if own else "default",
        "own_addresses": own or [address for address in (switch.loopback, switch.loopback6) if address],
        "certificate": yaml_text(asked.tls.certificate.rpartition(".")[0] or asked.tls.certificate)
        if asked.tls
        else "",
        "timezone": asked.timezone or "",
        "gnmi_port": (asked.gnmi.port or GNMI_PORT) if asked.gnmi else 0,
        "pre_login": yaml_text(asked.banner.login) if asked.banner else "",
        "post_login": yaml_text(asked.banner.motd) if asked.banner else "",
    }


def _logins(asked: Management) -> dict[str, Any]:
    """Users, with `ssh_keys` as (id, type, key), and numbered login servers, or None."""
    aaa = asked.aaa
    return {
        "users": [
            {
                "name": name,
                "hash": yaml_text(user.password or ""),
                "role": _ROLES[user.role],
                "ssh_keys": [(f"key{number}", *key.split(" ")) for number, key in enumerate(user.ssh_keys, 1)],
            }
            for name, user in sorted(asked.users.items())
        ],
        "aaa": aaa
        and {
            "protocol": aaa.protocol,
            "servers": list(enumerate(aaa.servers, 1)),
            "key": yaml_text(aaa.key or ""),
        },
    }


def _servers(asked: Management) -> dict[str, Any]:
    syslog, dns = asked.syslog, asked.dns
    return {
        "ntp_servers": asked.ntp,
        "dns_servers": list(enumerate(dns.servers, 1)) if dns else [],
        "domain": (dns and dns.domain) or "",
        "syslog_servers": syslog.servers if syslog else (),
        "syslog_level": _SEVERITIES.get(syslog.level, syslog.level) if syslog else "",
    }


def _snmp(asked: Management, switch: SwitchView) -> dict[str, Any]:
    snmp = asked.snmp
    return {
        "snmp_users": [
            (name, yaml_text(user.auth), yaml_text(user.privacy))
            for name, user in (sorted(snmp.users.items()) if snmp else ())
        ],
        "snmp_contact": yaml_text(one_line(snmp.contact)) if snmp and snmp.contact else "",
        "snmp_location": yaml_text(one_line((snmp and snmp.location) or switch.site)) if snmp else "",
    }

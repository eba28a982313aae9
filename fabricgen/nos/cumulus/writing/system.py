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
from fabricgen.render.escape import one_line, yaml_text
from fabricgen.views.model.management import model_management
from fabricgen.views.switch import SwitchView

_ROLES = {"admin": "system-admin", "operator": "nvue-monitor"}
_SEVERITIES = {"informational": "info", "warning": "warn"}


def system_values(switch: SwitchView) -> dict[str, Any]:
    """The values for the templates of the `system` tree; "" and empty for what is not configured."""
    asked, management = switch.fabric.management, model_management(switch)
    own = [address.partition("/")[0] for address, gateway in switch.managements if gateway]
    return {
        **_logins(asked),
        "ntp_servers": management.ntp,
        "dns_servers": list(enumerate(management.dns, 1)),
        "domain": management.domain,
        "syslog_servers": management.syslog,
        "syslog_level": _SEVERITIES.get(management.syslog_level, management.syslog_level),
        **_snmp(asked, switch),
        "vrf_of_servers": "mgmt" if own else "default",
        "own_addresses": own or [address for address in (switch.loopback, switch.loopback6) if address],
        "certificate": yaml_text(asked.tls.certificate.rpartition(".")[0] or asked.tls.certificate)
        if asked.tls
        else "",
        "timezone": management.timezone,
        "gnmi_port": management.gnmi_port,
        "pre_login": yaml_text(management.login_banner) if asked.banner else "",
        "post_login": yaml_text(management.motd) if asked.banner else "",
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

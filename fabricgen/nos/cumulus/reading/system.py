"""Management in a startup.yaml: `system`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from typing import Any

from fabricgen.running.tree import allow_fields, is_tolerant, report_misfit, require_fields
from fabricgen.switch.model import SwitchManagement, SwitchUser

Row = Mapping[str, Any]
ON = {"state": "enabled"}
KNOWN = (
    "aaa",
    "api",
    "control-plane",
    "date-time",
    "dns",
    "forwarding",
    "gnmi-server",
    "hostname",
    "lldp",
    "message",
    "ntp",
)
MORE = ("snmp-server", "ssh-server", "syslog")
ROLES = {"system-admin": "admin", "nvue-monitor": "operator"}
LEVELS = {"info": "informational", "warn": "warning"}


def read_system(system: Row, addresses: Iterable[tuple[str, str]]) -> tuple[str, SwitchManagement]:
    """Return (host name, management settings) of the tree `system`; `addresses` are (address, gateway) of the
    management port.

    Raises UnknownTextError for an unknown setting, for LLDP or SSH that is off or in another VRF, for servers in a VRF
    that does not reach them, and, unless reading is tolerant, for services that `_check_services` refuses.
    """
    allow_fields(system, *KNOWN, *MORE)
    port_addresses = frozenset(addresses)
    vrf = "mgmt" if port_addresses else "default"
    if system.get("lldp", ON) != ON or system["ssh-server"] != (ON | {"vrf": {"mgmt": {}}} if port_addresses else ON):
        report_misfit("LLDP or SSH is not on where it is to be")
    if not is_tolerant():
        _check_services(system, {address.partition("/")[0] for address, _ in port_addresses})
    dns, syslog, message = (system.get(key, {}) for key in ("dns", "syslog", "message"))
    allow_fields(dns, "domain", "server")
    allow_fields(syslog, "server", "severity")
    allow_fields(message, "pre-login", "post-login")
    for servers in (dns.get("server", {}), syslog.get("server", {})):
        _check_vrf(servers.values(), vrf)
    _check_vrf([system[key] for key in ("ntp",) if key in system], vrf)
    level = syslog.get("severity", "")
    return system["hostname"], SwitchManagement(
        addresses=port_addresses,
        users={name: _make_user(row) for name, row in system.get("aaa", {}).get("user", {}).items()},
        aaa=tuple(_list_aaa_servers(system.get("aaa", {}), vrf)),
        ntp=tuple(system.get("ntp", {}).get("server", ())),
        dns=tuple(sorted(dns.get("server", {}), key=lambda server: int(dns["server"][server]["priority"]))),
        domain=dns.get("domain", ""),
        syslog=tuple(syslog.get("server", ())),
        syslog_level=LEVELS.get(level, level),
        snmp_users=frozenset(_list_snmp_users(system.get("snmp-server", {}))),
        gnmi_port=system.get("gnmi-server", {}).get("port", 0),
        login_banner=message.get("pre-login", ""),
        motd=message.get("post-login", ""),
        timezone=system.get("date-time", {}).get("timezone", ""),
    )


def _check_services(system: Row, listening: Set[str]) -> None:
    """Refuse a service that is off, does not listen at `listening`, or is not protected as NVUE does it.

    Raises UnknownTextError.
    """
    if system["api"]["state"] != "enabled" or system["control-plane"] != _PROTECTED:
        report_misfit("the API is off, or the control plane is not protected")
    for word in ("gnmi-server", "snmp-server", "ntp"):
        if word in system and system[word].get("state") != "enabled":
            report_misfit(f"{word} is off")
    for word in ("gnmi-server", "snmp-server"):
        if word in system and listening and set(system[word].get("listening-address", ())) != listening:
            report_misfit(f"{word} does not listen at {sorted(listening)}")
    if any(server != {"iburst": "enabled"} for server in system.get("ntp", {}).get("server", {}).values()):
        report_misfit("servers of NTP are not asked at once")
    if any(
        row != {"vrf": "mgmt"}
        for row in system.get("snmp-server", {}).get("listening-address", {}).values()
        if listening
    ):
        report_misfit("SNMP is not of the management VRF")
    rights = {word: system["aaa"].get(word) for word in _RIGHTS} if "aaa" in system else _RIGHTS
    if rights != _RIGHTS:
        report_misfit(f"classes and roles are others than NVUE's: {rights}")


_PROTECTED: Row = {"acl": {f"acl-default-{name}": {"inbound": {}} for name in ("dos", "whitelist")}}
_RIGHTS: Row = {
    "class": {
        name: {"action": "allow", "command-path": {"/": {"permission": permission}}}
        for name, permission in (("nvapply", "all"), ("nvshow", "ro"), ("sudo", "all"))
    },
    "role": {
        "nvue-admin": {"class": {"nvapply": {}}},
        "nvue-monitor": {"class": {"nvshow": {}}},
        "system-admin": {"class": {"nvapply": {}, "sudo": {}}},
    },
}
"""NVUE's own classes and roles, without which accounts may do nothing."""


def _check_vrf(rows: Iterable[Row], vrf: str) -> None:
    """Refuse servers outside the VRF through which they are reached; raises UnknownTextError."""
    if any(row["vrf"] != vrf for row in rows):
        report_misfit(f"servers that are not reached: the way to them is in {vrf}")


def _make_user(row: Row) -> SwitchUser:
    """Return an account: hashed password, SSH keys as `type key`, and role."""
    allow_fields(row, "hashed-password", "role", "ssh")
    ssh_keys = row.get("ssh", {"authorized-key": {}})["authorized-key"].values()
    return SwitchUser(
        row.get("hashed-password", ""),
        frozenset(f"{ssh_key['type']} {ssh_key['key']}" for ssh_key in ssh_keys),
        ROLES[row["role"]],
    )


def _list_aaa_servers(row: Row, vrf: str) -> Iterable[tuple[str, str]]:
    """Yield (protocol, server) in the order in which NVUE asks them: the lowest priority first.

    Raises UnknownTextError for servers outside `vrf`, and if logins are not by these first and then by local accounts.
    """
    allow_fields(row, "authentication", "class", "radius", "role", "tacacs", "user")
    for protocol in ("tacacs", "radius"):
        if protocol in row:
            _check_vrf([row[protocol]], vrf)
            if row["authentication"]["order"] != [protocol, "local"]:
                report_misfit(f"the order of authentication is {row['authentication']}")
            servers = row[protocol]["server"]
            yield from ((protocol, s) for s in sorted(servers, key=lambda server: int(servers[server]["priority"])))


def _list_snmp_users(row: Row) -> Iterable[str]:
    """Yield the users of SNMPv3; raises UnknownTextError for one without authentication by SHA and privacy by AES."""
    for name, user in row.get("username", {}).items():
        (auth,) = user["auth-sha"].values()
        require_fields(auth, "encrypt-aes")
        yield name

"""Management in a startup.yaml: `system`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from typing import Any

from fabricgen.running.tree import only, require_fields, tolerates, unfit
from fabricgen.switch.model import Management, User

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


def read_system(system: Row, addresses: Iterable[tuple[str, str]]) -> tuple[str, Management]:
    """(host name, management); raises UnknownTextError for servers in a VRF that does not reach them."""
    only(system, *KNOWN, *MORE)
    own = frozenset(addresses)
    vrf = "mgmt" if own else "default"
    if system.get("lldp", ON) != ON or system["ssh-server"] != (ON | {"vrf": {"mgmt": {}}} if own else ON):
        unfit("LLDP or SSH is not on where it is to be")
    if not tolerates():
        _check_services(system, {address.partition("/")[0] for address, _ in own})
    dns, syslog, message = (system.get(key, {}) for key in ("dns", "syslog", "message"))
    only(dns, "domain", "server")
    only(syslog, "server", "severity")
    only(message, "pre-login", "post-login")
    for servers in (dns.get("server", {}), syslog.get("server", {})):
        _in_vrf(servers.values(), vrf)
    _in_vrf([system[key] for key in ("ntp",) if key in system], vrf)
    level = syslog.get("severity", "")
    return system["hostname"], Management(
        addresses=own,
        users={name: _user(row) for name, row in system.get("aaa", {}).get("user", {}).items()},
        aaa=tuple(_aaa(system.get("aaa", {}), vrf)),
        ntp=tuple(system.get("ntp", {}).get("server", ())),
        dns=tuple(sorted(dns.get("server", {}), key=lambda server: int(dns["server"][server]["priority"]))),
        domain=dns.get("domain", ""),
        syslog=tuple(syslog.get("server", ())),
        syslog_level=LEVELS.get(level, level),
        snmp_users=frozenset(_snmp(system.get("snmp-server", {}))),
        gnmi_port=system.get("gnmi-server", {}).get("port", 0),
        login_banner=message.get("pre-login", ""),
        motd=message.get("post-login", ""),
        timezone=system.get("date-time", {}).get("timezone", ""),
    )


def _check_services(system: Row, own: Set[str]) -> None:
    """Raises UnknownTextError where a service is off, does not listen, or is not protected as NVUE does it."""
    if system["api"]["state"] != "enabled" or system["control-plane"] != _PROTECTED:
        unfit("the API is off, or the control plane is not protected")
    for word in ("gnmi-server", "snmp-server", "ntp"):
        if word in system and system[word].get("state") != "enabled":
            unfit(f"{word} is off")
    for word in ("gnmi-server", "snmp-server"):
        if word in system and own and set(system[word].get("listening-address", ())) != own:
            unfit(f"{word} does not listen at {sorted(own)}")
    if any(server != {"iburst": "enabled"} for server in system.get("ntp", {}).get("server", {}).values()):
        unfit("servers of NTP are not asked at once")
    if any(
        row != {"vrf": "mgmt"} for row in system.get("snmp-server", {}).get("listening-address", {}).values() if own
    ):
        unfit("SNMP is not of the management VRF")
    rights = {word: system["aaa"].get(word) for word in _RIGHTS} if "aaa" in system else _RIGHTS
    if rights != _RIGHTS:
        unfit(f"classes and roles are others than NVUE's: {rights}")


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
"""The classes and roles of NVUE itself, without which accounts may do nothing."""


def _in_vrf(rows: Iterable[Row], vrf: str) -> None:
    if any(row["vrf"] != vrf for row in rows):
        unfit(f"servers that are not reached: the way to them is in {vrf}")


def _user(row: Row) -> User:
    only(row, "hashed-password", "role", "ssh")
    keys = row.get("ssh", {"authorized-key": {}})["authorized-key"].values()
    return User(
        row.get("hashed-password", ""), frozenset(f"{key['type']} {key['key']}" for key in keys), ROLES[row["role"]]
    )


def _aaa(row: Row, vrf: str) -> Iterable[tuple[str, str]]:
    only(row, "authentication", "class", "radius", "role", "tacacs", "user")
    for protocol in ("tacacs", "radius"):
        if protocol in row:
            _in_vrf([row[protocol]], vrf)
            if row["authentication"]["order"] != [protocol, "local"]:
                unfit(f"the order of authentication is {row['authentication']}")
            servers = row[protocol]["server"]
            yield from ((protocol, s) for s in sorted(servers, key=lambda server: int(servers[server]["priority"])))


def _snmp(row: Row) -> Iterable[str]:
    for name, user in row.get("username", {}).items():
        (auth,) = user["auth-sha"].values()
        require_fields(auth, "encrypt-aes")
        yield name

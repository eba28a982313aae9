"""How a configuration of Junos says that a switch is managed, read back (CLI reference: `system`, `snmp`)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from fabricgen.nos.junos.reading.text import pass_on, remove_quotes
from fabricgen.running.tree import Line, LineRules, is_tolerant, make_item, mark_present, report_misfit
from fabricgen.switch.model import SwitchManagement, SwitchUser

INSTANCE = "mgmt_junos"
"""The routing instance that Junos gives the management port."""

ROLES = {"super-user": "admin", "read-only": "operator"}

LEVELS = {"info": "informational", "any": "debug"}
"""Levels of logs that have another name in Junos."""

PROTOCOLS = {"tacplus": "tacacs", "radius": "radius"}

NOBODY = SwitchUser(role="")
"""An account whose class has not been read yet."""

WITHOUT_PORT = frozenset({"services ssh", "services netconf ssh", "root-authentication encrypted-password *"})
"""Lines of every switch, with or without a management port."""


@dataclass
class JunosSnmp:
    """SNMPv3: users by what is said of each, and what their group may read.

    `readers` are the routing instances, "" for the default one, in which the group may read `views`.
    """

    authenticated: set[str] = field(default_factory=set)
    private: set[str] = field(default_factory=set)
    grouped: set[str] = field(default_factory=set)
    readers: set[str] = field(default_factory=set)
    views: set[str] = field(default_factory=set)
    has_access: bool = False
    """Whether SNMP is answered in routing instances."""


@dataclass
class JunosManagement:
    """What the lines of a configuration say of management; servers are in the order of their lines."""

    hostname: str = ""
    users: dict[str, SwitchUser] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)
    aaa: dict[str, str] = field(default_factory=dict)
    """The protocol of each login server."""
    ntp: dict[str, None] = field(default_factory=dict)
    preferred: set[str] = field(default_factory=set)
    dns: dict[str, None] = field(default_factory=dict)
    domain: str = ""
    syslog: dict[str, str] = field(default_factory=dict)
    instances: dict[str, str] = field(default_factory=dict)
    """The routing instance in which each server is reached, by use and address: `ntp 10.0.0.1`; `tac`, `dns`, `log`."""
    snmp: JunosSnmp = field(default_factory=JunosSnmp)
    message: str = ""
    announcement: str = ""
    timezone: str = ""
    grpc: dict[str, str] = field(default_factory=dict)
    gateways: dict[bool, str] = field(default_factory=dict)
    """Default gateways of the management port, by whether they are of IPv6."""
    words: set[str] = field(default_factory=set)
    """Lines, as they are, that a management port or other lines require."""

    def make_management(self, addresses: list[str]) -> SwitchManagement:
        """Return how the switch is managed; `addresses` are those of its management port, with prefix lengths.

        Raises UnknownTextError for servers in another routing instance, for lines that are missing and that others
        need, and for an address without a default gateway.
        """
        instance = INSTANCE if addresses else ""
        servers = [("tac", server) for server in self.aaa] + [("ntp", server) for server in self.ntp]
        servers += [("dns", server) for server in self.dns] + [("log", server) for server in self.syslog]
        wrong = [server for use, server in servers if self.instances.get(f"{use} {server}", "") != instance]
        if wrong and not is_tolerant():
            report_misfit(f"servers are reached elsewhere than in {instance or 'the default instance'}: {wrong}")
        required = WITHOUT_PORT | ({"management-instance"} if addresses else set())
        if not is_tolerant() and self.words - {"default-address-selection"} != required:
            report_misfit(f"lines that go with others are not all there, or alone: {sorted(required ^ self.words)}")
        if not is_tolerant() and self.preferred != set(list(self.ntp)[:1]):
            report_misfit(f"of the servers for time {sorted(self.preferred)} are preferred")
        if set(self.aaa.values()) != set(self.order[:-1]) and not is_tolerant():
            report_misfit(f"servers decide on logins, and are not asked: {self.order}")
        if classless := [name for name, user in self.users.items() if not user.role]:
            report_misfit(f"accounts have no class: {classless}")
        if len(levels := set(self.syslog.values())) > 1:
            report_misfit(f"logs go out by several levels: {sorted(levels)}")
        self._check_snmp(instance)
        # gNMI runs with a certificate and, where there is a management port, in its instance
        grpc_words = {word: name for word, name in self.grpc.items() if word != "port"}
        instance_words = {"routing-instance": instance} if instance else {}
        if (
            self.grpc
            and not is_tolerant()
            and grpc_words != {"local-certificate": "gnmi", "use-pki": "", **instance_words}
        ):
            report_misfit(f"gNMI has no certificate, or is in another routing instance: {grpc_words}")
        # gateways are by whether they are of IPv6
        if lacking := {":" in address for address in addresses} - self.gateways.keys():
            report_misfit(f"there is no default gateway of IPv{6 if True in lacking else 4} for management")
        level = next(iter(levels), "")
        return SwitchManagement(
            addresses=frozenset((address, self.gateways.get(":" in address, "")) for address in addresses),
            users=self.users,
            aaa=tuple((PROTOCOLS[protocol], server) for server, protocol in self.aaa.items()),
            ntp=tuple(self.ntp),
            dns=tuple(self.dns),
            domain=self.domain,
            syslog=tuple(self.syslog),
            syslog_level=LEVELS.get(level, level),
            snmp_users=frozenset(self.snmp.authenticated | self.snmp.private),
            login_banner=self.message,
            motd=self.announcement,
            timezone=self.timezone,
            gnmi_port=int(self.grpc.get("port", 0)),
            from_loopback="default-address-selection" in self.words,
        )

    def _check_snmp(self, instance: str) -> None:
        """Refuse SNMP whose users lack a passphrase, or may not read in the routing instance of management.

        `instance` is its name, "" for the default one. Raises UnknownTextError.
        """
        snmp, users = self.snmp, self.snmp.authenticated | self.snmp.private
        fits = (
            snmp.authenticated == snmp.private == snmp.grouped == users,
            snmp.readers == ({"", instance} if users else set()),
            snmp.views == ({".1"} if users else set()),
            snmp.has_access == bool(users and instance),
        )
        if not is_tolerant() and not all(fits):
            report_misfit(f"users of SNMP are not let read: {fits}")


SYSTEM, SNMP = LineRules(), LineRules()
_LOGIN = LineRules()
SNMP.ignore_lines("(?:location|contact) .+")
_GRPC = "services extension-service request-response grpc (?:ssl )?"
SYSTEM.store_fields(
    {
        r"host-name (\S+)": ("managed.hostname", str),
        "(services (?:netconf )?ssh|management-instance|default-address-selection|root-authentication .+)": (
            "managed.words",
            str,
        ),
        rf"{_GRPC}(port|local-certificate|routing-instance) (\S+)": ("managed.grpc", make_item),
        f"{_GRPC}(use-pki)": ("managed.grpc", lambda word: {word: ""}),
        "login message (.+)": ("managed.message", remove_quotes),
        "login announcement (.+)": ("managed.announcement", remove_quotes),
        r"authentication-order (\S+)": ("managed.order", str),
        r"(tacplus|radius)-server (\S+)(?: secret .+)?": (
            "managed.aaa",
            lambda protocol, server: {server: protocol},
        ),
        r"domain-name (\S+)": ("managed.domain", str),
        r"time-zone (\S+)": ("managed.timezone", str),
        r"syslog host (\S+) any (\S+)": ("managed.syslog", make_item),
        r"syslog host (\S+) routing-instance (\S+)": (
            "managed.instances",
            lambda server, name: {f"log {server}": name},
        ),
    }
)
SNMP.store_fields(
    {
        r"view ALL oid (\.1) include": ("managed.snmp.views", str),
        r"v3 usm local-engine user (\S+) authentication-(?:sha|aes128) \S+ .+": ("managed.snmp.authenticated", str),
        r"v3 usm local-engine user (\S+) privacy-(?:sha|aes128) \S+ .+": ("managed.snmp.private", str),
        r"v3 vacm security-to-group security-model usm security-name (\S+) group READERS": (
            "managed.snmp.grouped",
            str,
        ),
        r"v3 vacm access group READERS (default-context-prefix|context-prefix \S+) "
        r"security-model usm security-level privacy read-view ALL": (
            "managed.snmp.readers",
            lambda words: words.partition(" ")[2],
        ),
        "routing-instance-access": ("managed.snmp.has_access", mark_present),
    }
)


@SYSTEM.line(r"login user (\S+) (.+)")
def _read_user_line(box: Any, line: Line, name: str, rest: str) -> None:
    pass_on(_LOGIN, line, rest, box.managed.users, name)


@_LOGIN.line(r"class (\S+)")
def _read_login_class(users: dict[str, SwitchUser], name: str, line: Line, role: str) -> None:
    users[name] = replace(users.get(name, NOBODY), role=ROLES[role])


@_LOGIN.line(r"authentication encrypted-password (.+)")
def _read_password(users: dict[str, SwitchUser], name: str, line: Line, secret: str) -> None:
    users[name] = replace(users.get(name, NOBODY), password_hash=remove_quotes(secret))


@_LOGIN.line(r"authentication ssh-(?:rsa|ecdsa|ed25519) (.+)")
def _read_ssh_key(users: dict[str, SwitchUser], name: str, line: Line, key: str) -> None:
    user = users.get(name, NOBODY)
    users[name] = replace(user, keys=user.keys | {remove_quotes(key)})


@SYSTEM.line(r"(tac|radius)\S*-server (\S+) routing-instance (\S+)")
def _read_aaa_instance(box: Any, line: Line, protocol: str, server: str, name: str) -> None:
    box.managed.aaa[server] = "tacplus" if protocol == "tac" else "radius"
    box.managed.instances[f"tac {server}"] = name


@SYSTEM.line(r"ntp server (\S+)(?: routing-instance (\S+)| (prefer))?")
def _read_ntp(box: Any, line: Line, server: str, name: str, prefer: str) -> None:
    # a server for time, whether it is preferred, or the routing instance in which it is reached
    box.managed.ntp[server] = None
    if prefer:
        box.managed.preferred.add(server)
    elif name:
        box.managed.instances[f"ntp {server}"] = name


@SYSTEM.line(r"name-server (\S+)(?: routing-instance (\S+))?")
def _read_dns(box: Any, line: Line, server: str, name: str) -> None:
    box.managed.dns[server] = None
    box.managed.instances[f"dns {server}"] = name or ""

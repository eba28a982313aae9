"""How a configuration of Junos says that a switch is managed, read back (CLI reference: `system`, `snmp`)."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import Protocol

from fabricgen.nos.junos.reading.lines import pass_on, remove_quotes
from fabricgen.running.tree import Line, LineRules, is_tolerant, report_misfit
from fabricgen.switch.model import SwitchManagement, SwitchUser

INSTANCE = "mgmt_junos"
"""The routing instance that Junos gives the management port."""

ROLES = {"super-user": "admin", "read-only": "operator"}

LEVELS = {"info": "informational", "any": "debug"}
"""Levels of logs that Junos calls otherwise."""

PROTOCOLS = {"tacplus": "tacacs", "radius": "radius"}

NOBODY = SwitchUser(role="")
"""An account of which no class is said."""

WITHOUT_PORT = frozenset({"services ssh", "services netconf ssh", "root-authentication encrypted-password *"})
"""What every switch is told."""


@dataclass
class JunosManagement:
    """What was read; servers in the order in which they stand."""

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
    """The routing instance in which each server is reached, by what it is for and its name."""
    snmp: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    message: str = ""
    announcement: str = ""
    timezone: str = ""
    grpc: dict[str, str] = field(default_factory=dict)
    gateways: dict[bool, str] = field(default_factory=dict)
    """Default gateways of the management port, by whether they are of IPv6."""
    words: set[str] = field(default_factory=set)
    """Lines that go with others, as they are."""

    def make_management(self, addresses: list[str]) -> SwitchManagement:
        """How it is managed, given the addresses of its management port.

        Raises UnknownTextError where lines are missing that go with others.
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
        beside = {word: name for word, name in self.grpc.items() if word != "port"}
        reached = {"routing-instance": instance} if instance else {}
        if self.grpc and not is_tolerant() and beside != {"local-certificate": "gnmi", "use-pki": "", **reached}:
            report_misfit(f"gNMI has no certificate, or is reached elsewhere: {beside}")
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
            snmp_users=frozenset(self.snmp["user"]),
            login_banner=self.message,
            motd=self.announcement,
            timezone=self.timezone,
            gnmi_port=int(self.grpc.get("port", 0)),
            from_loopback="default-address-selection" in self.words,
        )

    def _check_snmp(self, instance: str) -> None:
        """Raises UnknownTextError where users of SNMP lack a passphrase, or may read nothing where they are."""
        users = self.snmp["user"]
        may_read = {"", instance} if users else set[str]()
        fits = (
            self.snmp["authentication"] == self.snmp["privacy"] == self.snmp["grouped"] == users,
            self.snmp["readers"] == may_read,
            self.snmp["view"] == ({"oid .1 include"} if users else set()),
            bool(self.snmp["access"]) == bool(users and instance),
        )
        if not is_tolerant() and not all(fits):
            report_misfit(f"users of SNMP are not let read: {fits}")


class HasManagement(Protocol):
    """What is read into."""

    managed: JunosManagement


SYSTEM, SNMP = LineRules(), LineRules()
_LOGIN = LineRules()
SNMP.ignore_lines("(?:location|contact) .+")


@SYSTEM.line(r"host-name (\S+)")
def _read_hostname(box: HasManagement, line: Line, name: str) -> None:
    box.managed.hostname = name


@SYSTEM.line("services (?:netconf )?ssh|management-instance|default-address-selection|root-authentication .+")
def _read_plain_word(box: HasManagement, line: Line) -> None:
    box.managed.words.add(line.text)


@SYSTEM.line(
    r"services extension-service request-response grpc (?:ssl )?"
    r"(?:(port|local-certificate|routing-instance) (\S+)|(use-pki))"
)
def _read_grpc(box: HasManagement, line: Line, word: str, value: str, flag: str) -> None:
    box.managed.grpc[word or flag] = value or ""


@SYSTEM.line(r"login (message|announcement) (.+)")
def _read_banner(box: HasManagement, line: Line, kind: str, text: str) -> None:
    setattr(box.managed, kind, remove_quotes(text))


@SYSTEM.line(r"login user (\S+) (.+)")
def _read_user_line(box: HasManagement, line: Line, name: str, rest: str) -> None:
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


@SYSTEM.line(r"authentication-order (\S+)")
def _read_login_order(box: HasManagement, line: Line, word: str) -> None:
    box.managed.order.append(word)


@SYSTEM.line(r"(tacplus|radius)-server (\S+)(?: secret .+)?")
def _read_aaa(box: HasManagement, line: Line, protocol: str, server: str) -> None:
    box.managed.aaa[server] = protocol


@SYSTEM.line(r"(tac|radius)\S*-server (\S+) routing-instance (\S+)")
def _read_aaa_instance(box: HasManagement, line: Line, protocol: str, server: str, name: str) -> None:
    box.managed.aaa[server] = "tacplus" if protocol == "tac" else "radius"
    box.managed.instances[f"tac {server}"] = name


@SYSTEM.line(r"ntp server (\S+)(?: routing-instance (\S+)| (prefer))?")
def _read_ntp(box: HasManagement, line: Line, server: str, name: str, prefer: str) -> None:
    # a server for time, whether it is preferred, or the routing instance in which it is reached
    box.managed.ntp[server] = None
    if prefer:
        box.managed.preferred.add(server)
    elif name:
        box.managed.instances[f"ntp {server}"] = name


@SYSTEM.line(r"name-server (\S+)(?: routing-instance (\S+))?")
def _read_dns(box: HasManagement, line: Line, server: str, name: str) -> None:
    box.managed.dns[server] = None
    box.managed.instances[f"dns {server}"] = name or ""


@SYSTEM.line(r"domain-name (\S+)")
def _read_domain(box: HasManagement, line: Line, name: str) -> None:
    box.managed.domain = name


@SYSTEM.line(r"time-zone (\S+)")
def _read_timezone(box: HasManagement, line: Line, name: str) -> None:
    box.managed.timezone = name


@SYSTEM.line(r"syslog host (\S+) (any|routing-instance) (\S+)")
def _read_syslog(box: HasManagement, line: Line, server: str, word: str, value: str) -> None:
    # a collector of logs with its level, or the routing instance in which it is reached
    if word == "any":
        box.managed.syslog[server] = value
    else:
        box.managed.instances[f"log {server}"] = value


@SNMP.line(r"view ALL (oid \.1 include)")
def _read_snmp_view(box: HasManagement, line: Line, words: str) -> None:
    box.managed.snmp["view"].add(words)


@SNMP.line(r"v3 usm local-engine user (\S+) (authentication|privacy)-(?:sha|aes128) \S+ .+")
def _read_snmp_user(box: HasManagement, line: Line, name: str, part: str) -> None:
    box.managed.snmp["user"].add(name)
    box.managed.snmp[part].add(name)


@SNMP.line(r"v3 vacm security-to-group security-model usm security-name (\S+) group READERS")
def _read_grouped(box: HasManagement, line: Line, name: str) -> None:
    box.managed.snmp["grouped"].add(name)


@SNMP.line(
    r"v3 vacm access group READERS (?:default-context-prefix|context-prefix (\S+)) "
    r"security-model usm security-level privacy read-view ALL"
)
def _read_readers(box: HasManagement, line: Line, instance: str) -> None:
    box.managed.snmp["readers"].add(instance or "")


@SNMP.line("routing-instance-access")
def _read_access(box: HasManagement, line: Line) -> None:
    box.managed.snmp["access"].add(line.text)


def take_gateway(box: HasManagement, line: Line, prefix: str, hop: str) -> None:
    """Take the default route of the management port."""
    if prefix not in ("0.0.0.0/0", "::/0"):
        report_misfit(f"management has a route to {prefix}")
    box.managed.gateways[":" in hop] = hop

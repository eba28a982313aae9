"""How an EOS configuration says that a switch is managed, read back (EOS user manual; aristanetworks/avd)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from fabricgen.running.tree import Line, Rules, tolerates, unfit
from fabricgen.switch.model import User

GNMI_PORT = 6030
"""Where EOS listens unless told otherwise."""

LEVELS = {
    "errors": "error",
    "warnings": "warning",
    "notifications": "notice",
    "informational": "informational",
    "debugging": "debug",
}


@dataclass
class EosManagement:
    """What was read; servers in the order in which they stand."""

    users: dict[str, User] = field(default_factory=dict)
    aaa: list[tuple[str, str]] = field(default_factory=list)
    login_group: str = ""
    ntp: list[str] = field(default_factory=list)
    dns: list[str] = field(default_factory=list)
    domain: str = ""
    syslog: list[str] = field(default_factory=list)
    level: str = ""
    snmp_groups: set[str] = field(default_factory=set)
    snmp_users: set[str] = field(default_factory=set)
    gnmi_port: int = 0
    banners: dict[str, str] = field(default_factory=dict)
    timezone: str = ""
    sources: dict[str, str] = field(default_factory=dict)
    """The interface whose address is spoken from to servers of names, time and logs."""
    vrfs: set[str] = field(default_factory=set)
    """Where servers are reached."""
    words: set[str] = field(default_factory=set)
    """Lines that go with others, as they are."""

    def check(self, ports: set[str]) -> None:
        """Raises UnknownTextError where a line is missing that goes with a management port, accounts or SNMP."""
        wanted = {"no aaa root"}
        if ports:
            own = {f"lldp management-address {port}" for port in ports}
            wanted |= {"lldp management-address vrf MGMT", "no ip routing vrf MGMT", *own}
        if self.users or self.aaa:
            group = f"group {self.aaa[0][0].replace('tacacs', 'tacacs+')} " if self.aaa else ""
            wanted.add(f"aaa authorization exec default {group}local")
        if self.users and "admin" not in self.users:
            wanted.add("no username admin")
        if self.snmp_users:
            wanted.add("snmp-server view ALL iso included")
            wanted |= {"no snmp-server vrf default", "snmp-server vrf MGMT"} if ports else set()
        if not tolerates() and wanted != self.words:
            unfit(f"lines that go with others are not all there, or alone: {sorted(wanted ^ self.words)}")

    def from_loopback(self) -> bool:
        """Whether servers are spoken to from the loopback's address; raises UnknownTextError if not all alike."""
        asked = {"ip": self.dns, "ntp": self.ntp, "logging": self.syslog}
        sources = {self.sources.get(word, "") for word, servers in asked.items() if servers}
        if len(sources) > 1 or sources - {"", "Loopback0"}:
            unfit(f"servers are spoken to from {sorted(sources)}")
        return sources == {"Loopback0"}


class HasManagement(Protocol):
    """What is read into."""

    managed: EosManagement


_GNMI, _GRPC, _SECURITY = Rules(), Rules(), Rules()
_SECURITY.nothing(r"certificate \S+ key \S+")


_WITH_OTHERS = (
    r"no (?:aaa root|username admin|ip routing vrf MGMT)|aaa authorization exec default (?:group \S+ )?local|"
    r"snmp-server view ALL iso included|(?:no )?snmp-server vrf \S+|lldp management-address (?:vrf )?\S+"
)


def management_rules(top: Rules) -> None:
    """Add the lines of management to those of a whole configuration."""
    top.nothing(r"snmp-server (?:location|contact) .+")
    top.line(_WITH_OTHERS)(_word)
    top.line(r"username (\S+) privilege (\d+) role (\S+) (?:secret sha512 (\S+)|nopassword)")(_user)
    top.line(r"username (\S+) ssh-key (?:secondary )?(.+)")(_key)
    top.line(r"(tacacs|radius)-server host (\S+)(?: vrf (\S+))?(?: key 0 \S+)?")(_aaa)
    top.line(r"aaa authentication login default group (\S+) local")(_login)
    top.line(r"ip name-server vrf (\S+) (\S+)(?: priority \d+)?")(_dns)
    top.line(r"dns domain (\S+)")(_domain)
    top.line(r"ntp server(?: vrf (\S+))? (\S+)(?: prefer)?")(_ntp)
    top.line(r"(ip domain lookup source|ntp local|logging source)-interface (\S+)")(_source)
    top.line(r"logging trap (\S+)")(_level)
    top.line(r"logging(?: vrf (\S+))? host (\S+)")(_syslog)
    top.line(r"snmp-server group (\S+) v3 priv read ALL")(_snmp_group)
    top.line(r"snmp-server user (\S+) (\S+) v3 auth sha \S+ priv aes \S+")(_snmp_user)
    top.line(r"banner (login|motd)\n([^\0]*)")(_banner)
    top.line(r"clock timezone (\S+)")(_timezone)
    top.line("management api gnmi")(_gnmi)
    top.line("management security")(_security)


def _word(box: HasManagement, line: Line) -> None:
    box.managed.words.add(line.text)


def _user(box: HasManagement, line: Line, name: str, privilege: str, role: str, secret: str) -> None:
    roles = {("15", "network-admin"): "admin", ("1", "network-operator"): "operator"}
    box.managed.users[name] = User(secret or "", role=roles[privilege, role])


def _key(box: HasManagement, line: Line, name: str, key: str) -> None:
    user = box.managed.users[name]
    box.managed.users[name] = User(user.password_hash, user.keys | {key}, user.role)


def _aaa(box: HasManagement, line: Line, protocol: str, server: str, vrf: str) -> None:
    box.managed.aaa.append((protocol, server))
    box.managed.vrfs.add(vrf or "")


def _login(box: HasManagement, line: Line, group: str) -> None:
    box.managed.login_group = group.removesuffix("+")


def _dns(box: HasManagement, line: Line, vrf: str, server: str) -> None:
    box.managed.dns.append(server)
    box.managed.vrfs.add(vrf.replace("default", ""))


def _domain(box: HasManagement, line: Line, name: str) -> None:
    box.managed.domain = name


def _ntp(box: HasManagement, line: Line, vrf: str, server: str) -> None:
    box.managed.ntp.append(server)
    box.managed.vrfs.add(vrf or "")


def _source(box: HasManagement, line: Line, words: str, interface: str) -> None:
    box.managed.sources[words.split(maxsplit=1)[0]] = interface


def _level(box: HasManagement, line: Line, level: str) -> None:
    box.managed.level = LEVELS[level]


def _syslog(box: HasManagement, line: Line, vrf: str, server: str) -> None:
    box.managed.syslog.append(server)
    box.managed.vrfs.add(vrf or "")


def _snmp_group(box: HasManagement, line: Line, name: str) -> None:
    box.managed.snmp_groups.add(name)


def _snmp_user(box: HasManagement, line: Line, name: str, group: str) -> None:
    if group not in box.managed.snmp_groups:
        unfit(f"SNMP user {name} is in no group")
    box.managed.snmp_users.add(name)


def _banner(box: HasManagement, line: Line, kind: str, text: str) -> None:
    box.managed.banners[kind] = text


def _timezone(box: HasManagement, line: Line, name: str) -> None:
    box.managed.timezone = name


def _gnmi(box: HasManagement, line: Line) -> None:
    _GNMI.read(line.children, box)


_GNMI.require_lines("provider eos-native")


@_GNMI.line(r"transport grpc \S+")
def _grpc(box: HasManagement, line: Line) -> None:
    box.managed.gnmi_port, vrfs = GNMI_PORT, set[str]()
    _GRPC.read(line.children, box, vrfs)
    box.managed.vrfs |= vrfs or {""}


_GRPC.nothing(r"ssl profile \S+")


@_GRPC.line(r"port (\d+)|vrf (\S+)")
def _grpc_word(box: HasManagement, vrfs: set[str], line: Line, port: str, vrf: str) -> None:
    box.managed.gnmi_port = int(port or box.managed.gnmi_port)
    vrfs |= {vrf} if vrf else set()


def _security(box: HasManagement, line: Line) -> None:
    for profile in line.children:
        if not profile.text.startswith("ssl profile "):
            unfit(profile.text)
        _SECURITY.read(profile.children)

"""How an EOS configuration says that a switch is managed, read back (EOS user manual; aristanetworks/avd)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from fabricgen.running.tree import Line, LineRules, is_tolerant, report_misfit
from fabricgen.switch.model import SwitchUser

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

    users: dict[str, SwitchUser] = field(default_factory=dict)
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

    def check_lines(self, ports: set[str]) -> None:
        """Raises UnknownTextError where a line is missing that goes with a management port, accounts or SNMP."""
        expected = {"no aaa root"}
        if ports:
            lldp_lines = {f"lldp management-address {port}" for port in ports}
            expected |= {"lldp management-address vrf MGMT", "no ip routing vrf MGMT", *lldp_lines}
        if self.users or self.aaa:
            group = f"group {self.aaa[0][0].replace('tacacs', 'tacacs+')} " if self.aaa else ""
            expected.add(f"aaa authorization exec default {group}local")
        # EOS comes with an account `admin` without a password
        if self.users and "admin" not in self.users:
            expected.add("no username admin")
        if self.snmp_users:
            expected.add("snmp-server view ALL iso included")
            expected |= {"no snmp-server vrf default", "snmp-server vrf MGMT"} if ports else set()
        if not is_tolerant() and expected != self.words:
            report_misfit(f"lines that go with others are not all there, or alone: {sorted(expected ^ self.words)}")

    def speaks_from_loopback(self) -> bool:
        """Whether servers are spoken to from the loopback's address; raises UnknownTextError if not all alike."""
        servers_of_word = {"ip": self.dns, "ntp": self.ntp, "logging": self.syslog}
        sources = {self.sources.get(word, "") for word, servers in servers_of_word.items() if servers}
        if len(sources) > 1 or sources - {"", "Loopback0"}:
            report_misfit(f"servers are spoken to from {sorted(sources)}")
        return sources == {"Loopback0"}


class HasManagement(Protocol):
    """What is read into."""

    managed: EosManagement


_GNMI, _GRPC, _SECURITY = LineRules(), LineRules(), LineRules()
_SECURITY.ignore_lines(r"certificate \S+ key \S+")


_WITH_OTHERS = (
    r"no (?:aaa root|username admin|ip routing vrf MGMT)|aaa authorization exec default (?:group \S+ )?local|"
    r"snmp-server view ALL iso included|(?:no )?snmp-server vrf \S+|lldp management-address (?:vrf )?\S+"
)


def add_management_rules(top: LineRules) -> None:
    """Add the lines of management to those of a whole configuration."""
    top.ignore_lines(r"snmp-server (?:location|contact) .+")
    top.line(_WITH_OTHERS)(_read_word)
    top.line(r"username (\S+) privilege (\d+) role (\S+) (?:secret sha512 (\S+)|nopassword)")(_read_user)
    top.line(r"username (\S+) ssh-key (?:secondary )?(.+)")(_read_key)
    top.line(r"(tacacs|radius)-server host (\S+)(?: vrf (\S+))?(?: key 0 \S+)?")(_read_aaa)
    top.line(r"aaa authentication login default group (\S+) local")(_read_login)
    top.line(r"ip name-server vrf (\S+) (\S+)(?: priority \d+)?")(_read_dns)
    top.line(r"dns domain (\S+)")(_read_domain)
    top.line(r"ntp server(?: vrf (\S+))? (\S+)(?: prefer)?")(_read_ntp)
    top.line(r"(ip domain lookup source|ntp local|logging source)-interface (\S+)")(_read_source)
    top.line(r"logging trap (\S+)")(_read_level)
    top.line(r"logging(?: vrf (\S+))? host (\S+)")(_read_syslog)
    top.line(r"snmp-server group (\S+) v3 priv read ALL")(_read_snmp_group)
    top.line(r"snmp-server user (\S+) (\S+) v3 auth sha \S+ priv aes \S+")(_read_snmp_user)
    top.line(r"banner (login|motd)\n([^\0]*)")(_read_banner)
    top.line(r"clock timezone (\S+)")(_read_timezone)
    top.line("management api gnmi")(_read_gnmi)
    top.line("management security")(_read_security)


def _read_word(box: HasManagement, line: Line) -> None:
    box.managed.words.add(line.text)


def _read_user(box: HasManagement, line: Line, name: str, privilege: str, role: str, secret: str) -> None:
    roles = {("15", "network-admin"): "admin", ("1", "network-operator"): "operator"}
    box.managed.users[name] = SwitchUser(secret or "", role=roles[privilege, role])


def _read_key(box: HasManagement, line: Line, name: str, key: str) -> None:
    user = box.managed.users[name]
    box.managed.users[name] = SwitchUser(user.password_hash, user.keys | {key}, user.role)


def _read_aaa(box: HasManagement, line: Line, protocol: str, server: str, vrf: str) -> None:
    box.managed.aaa.append((protocol, server))
    box.managed.vrfs.add(vrf or "")


def _read_login(box: HasManagement, line: Line, group: str) -> None:
    box.managed.login_group = group.removesuffix("+")


def _read_dns(box: HasManagement, line: Line, vrf: str, server: str) -> None:
    box.managed.dns.append(server)
    box.managed.vrfs.add(vrf.replace("default", ""))


def _read_domain(box: HasManagement, line: Line, name: str) -> None:
    box.managed.domain = name


def _read_ntp(box: HasManagement, line: Line, vrf: str, server: str) -> None:
    box.managed.ntp.append(server)
    box.managed.vrfs.add(vrf or "")


def _read_source(box: HasManagement, line: Line, words: str, interface: str) -> None:
    box.managed.sources[words.split(maxsplit=1)[0]] = interface


def _read_level(box: HasManagement, line: Line, level: str) -> None:
    box.managed.level = LEVELS[level]


def _read_syslog(box: HasManagement, line: Line, vrf: str, server: str) -> None:
    box.managed.syslog.append(server)
    box.managed.vrfs.add(vrf or "")


def _read_snmp_group(box: HasManagement, line: Line, name: str) -> None:
    box.managed.snmp_groups.add(name)


def _read_snmp_user(box: HasManagement, line: Line, name: str, group: str) -> None:
    if group not in box.managed.snmp_groups:
        report_misfit(f"SNMP user {name} is in no group")
    box.managed.snmp_users.add(name)


def _read_banner(box: HasManagement, line: Line, kind: str, text: str) -> None:
    box.managed.banners[kind] = text


def _read_timezone(box: HasManagement, line: Line, name: str) -> None:
    box.managed.timezone = name


def _read_gnmi(box: HasManagement, line: Line) -> None:
    _GNMI.read(line.children, box)


_GNMI.require_lines("provider eos-native")


@_GNMI.line(r"transport grpc \S+")
def _read_grpc(box: HasManagement, line: Line) -> None:
    box.managed.gnmi_port, vrfs = GNMI_PORT, set[str]()
    _GRPC.read(line.children, box, vrfs)
    box.managed.vrfs |= vrfs or {""}


_GRPC.ignore_lines(r"ssl profile \S+")


@_GRPC.line(r"port (\d+)|vrf (\S+)")
def _read_grpc_word(box: HasManagement, vrfs: set[str], line: Line, port: str, vrf: str) -> None:
    box.managed.gnmi_port = int(port or box.managed.gnmi_port)
    vrfs |= {vrf} if vrf else set()


def _read_security(box: HasManagement, line: Line) -> None:
    # take the SSL profiles of `management security`, the only sections there that are known
    for profile in line.children:
        if not profile.text.startswith("ssl profile "):
            report_misfit(profile.text)
        _SECURITY.read(profile.children)

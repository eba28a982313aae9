"""How an EOS configuration says that a switch is managed, read back (EOS user manual; aristanetworks/avd)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from fabricgen.running.tree import Line, LineRules, is_tolerant, make_item, report_misfit
from fabricgen.switch.model import SwitchUser

GNMI_PORT = 6030
"""The port on which EOS listens for gNMI by default."""

LEVELS = {
    "errors": "error",
    "warnings": "warning",
    "notifications": "notice",
    "informational": "informational",
    "debugging": "debug",
}


class EosServer(NamedTuple):
    """A server: what it is for (`tacacs`, `radius`, or EOS's words `ip` for names, `ntp`, `logging`), and its VRF."""

    use: str
    address: str
    vrf: str | None
    """None if the line names no VRF, "default" for the default one of name servers."""


@dataclass
class EosManagement:
    """What the lines of a configuration say of management; servers are in the order of their lines."""

    users: dict[str, SwitchUser] = field(default_factory=dict)
    servers: list[EosServer] = field(default_factory=list)
    login_group: str = ""
    domain: str = ""
    level: str = ""
    snmp_groups: set[str] = field(default_factory=set)
    snmp_users: set[str] = field(default_factory=set)
    gnmi_port: int = 0
    banners: dict[str, str] = field(default_factory=dict)
    timezone: str = ""
    sources: dict[str, str] = field(default_factory=dict)
    """The interface whose address the switch speaks from, by use of the servers (`ip`, `ntp`, `logging`)."""
    gnmi_vrfs: set[str] = field(default_factory=set)
    words: set[str] = field(default_factory=set)
    """Lines, as they are, that other lines or a management port require."""

    def list_servers(self, *uses: str) -> tuple[str, ...]:
        """Return the addresses of the servers for any of some uses, such as `ntp`, in the order of their lines."""
        return tuple(server.address for server in self.servers if server.use in uses)

    def list_vrfs(self) -> set[str]:
        """Return the VRFs in which servers are reached and gNMI listens, "" for the default one."""
        vrfs = {
            (server.vrf or "").replace("default", "" if server.use == "ip" else "default") for server in self.servers
        }
        return vrfs | (self.gnmi_vrfs or {""} if self.gnmi_port else set())

    def list_login_servers(self) -> tuple[tuple[str, str], ...]:
        """Return (protocol, address) of the servers that decide on logins."""
        return tuple((server.use, server.address) for server in self.servers if server.use in ("tacacs", "radius"))

    def check_lines(self, ports: set[str]) -> None:
        """Refuse management in which a line is missing that others need, or stands without the lines that need it.

        For example, `snmp-server view ALL` goes with users of SNMP. `ports` are the names of the management ports.
        Raises UnknownTextError.
        """
        expected = {"no aaa root"}
        if ports:
            lldp_lines = {f"lldp management-address {port}" for port in ports}
            expected |= {"lldp management-address vrf MGMT", "no ip routing vrf MGMT", *lldp_lines}
        login_servers = self.list_login_servers()
        if self.users or login_servers:
            group = f"group {login_servers[0][0].replace('tacacs', 'tacacs+')} " if login_servers else ""
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
        """Whether the switch speaks to servers from its loopback's address.

        Raises UnknownTextError if it speaks to some of them from another interface.
        """
        sources = {self.sources.get(use, "") for use in ("ip", "ntp", "logging") if self.list_servers(use)}
        if len(sources) > 1 or sources - {"", "Loopback0"}:
            report_misfit(f"servers are spoken to from {sorted(sources)}")
        return sources == {"Loopback0"}


_GNMI, _GRPC, _SECURITY = LineRules(), LineRules(), LineRules()
_SECURITY.ignore_lines(r"certificate \S+ key \S+")
_GNMI.require_lines("provider eos-native")
_GRPC.ignore_lines(r"ssl profile \S+")
_GRPC.store_fields({r"port (\d+)": ("gnmi_port", int), r"vrf (\S+)": ("gnmi_vrfs", str)})

_WITH_OTHERS = (
    r"(no (?:aaa root|username admin|ip routing vrf MGMT)|aaa authorization exec default (?:group \S+ )?local|"
    r"snmp-server view ALL iso included|(?:no )?snmp-server vrf \S+|lldp management-address (?:vrf )?\S+)"
)


def add_management_rules(top: LineRules) -> None:
    """Add the lines of management to those of a whole configuration."""
    top.ignore_lines(r"snmp-server (?:location|contact) .+")
    top.store_fields(
        {
            _WITH_OTHERS: ("managed.words", str),
            r"(tacacs|radius)-server host (\S+)(?: vrf (\S+))?(?: key 0 \S+)?": ("managed.servers", EosServer),
            r"(ip) name-server vrf (\S+) (\S+)(?: priority \d+)?": ("managed.servers", _make_server),
            r"(ntp) server(?: vrf (\S+))? (\S+)(?: prefer)?": ("managed.servers", _make_server),
            r"(logging)(?: vrf (\S+))? host (\S+)": ("managed.servers", _make_server),
            r"(ip) domain lookup source-interface (\S+)": ("managed.sources", make_item),
            r"(ntp) local-interface (\S+)": ("managed.sources", make_item),
            r"(logging) source-interface (\S+)": ("managed.sources", make_item),
            r"aaa authentication login default group (\S+) local": ("managed.login_group", str),
            r"dns domain (\S+)": ("managed.domain", str),
            r"logging trap (\S+)": ("managed.level", LEVELS.__getitem__),
            r"snmp-server group (\S+) v3 priv read ALL": ("managed.snmp_groups", str),
            r"banner (login|motd)\n([^\0]*)": ("managed.banners", make_item),
            r"clock timezone (\S+)": ("managed.timezone", str),
        }
    )
    top.line(r"username (\S+) privilege (\d+) role (\S+) (?:secret sha512 (\S+)|nopassword)")(_read_user)
    top.line(r"username (\S+) ssh-key (?:secondary )?(.+)")(_read_key)
    top.line(r"snmp-server user (\S+) (\S+) v3 auth sha \S+ priv aes \S+")(_read_snmp_user)
    top.line("management security")(_read_security)
    top.read_below({"management api gnmi": (_GNMI, "managed")})


def _make_server(use: str, vrf: str | None, address: str) -> EosServer:
    return EosServer(use, address, vrf)


def _read_user(box: Any, line: Line, name: str, privilege: str, role: str, secret: str) -> None:
    roles = {("15", "network-admin"): "admin", ("1", "network-operator"): "operator"}
    box.managed.users[name] = SwitchUser(secret or "", role=roles[privilege, role])


def _read_key(box: Any, line: Line, name: str, key: str) -> None:
    user = box.managed.users[name]
    box.managed.users[name] = SwitchUser(user.password_hash, user.keys | {key}, user.role)


def _read_snmp_user(box: Any, line: Line, name: str, group: str) -> None:
    if group not in box.managed.snmp_groups:
        report_misfit(f"SNMP user {name} is in no group")
    box.managed.snmp_users.add(name)


@_GNMI.line(r"transport grpc \S+")
def _read_grpc(managed: EosManagement, line: Line) -> None:
    managed.gnmi_port = GNMI_PORT
    _GRPC.read(line.children, managed)


def _read_security(box: Any, line: Line) -> None:
    # take the SSL profiles of `management security`, the only sections there that are known
    for profile in line.children:
        if not profile.text.startswith("ssl profile "):
            report_misfit(profile.text)
        _SECURITY.read(profile.children)

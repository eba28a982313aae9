"""How a switch is managed, in words that belong to no NOS."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class User:
    """A local account: the hash of its password as given, its SSH public keys, and `admin` or `operator`."""

    password_hash: str = ""
    keys: frozenset[str] = frozenset()
    role: str = "admin"


@dataclass(frozen=True, slots=True)
class Management:
    """How a switch is managed: `addresses` are (address with prefix length, gateway) of the management port.

    Servers are in order of preference. `aaa` are (protocol, server), `snmp_users` name who may read with
    authentication and privacy. `from_loopback`: servers are spoken to from the address of the loopback, since nobody
    answers those of its links. `gnmi_port` is 0 where there is no gNMI, and what the NOS takes by default otherwise.
    """

    addresses: frozenset[tuple[str, str]] = frozenset()
    users: Mapping[str, User] = field(default_factory=dict)
    aaa: tuple[tuple[str, str], ...] = ()
    ntp: tuple[str, ...] = ()
    dns: tuple[str, ...] = ()
    domain: str = ""
    syslog: tuple[str, ...] = ()
    syslog_level: str = ""
    snmp_users: frozenset[str] = frozenset()
    gnmi_port: int = 0
    login_banner: str = ""
    motd: str = ""
    timezone: str = ""
    from_loopback: bool = False

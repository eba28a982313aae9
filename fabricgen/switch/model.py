"""The model of a switch: what its configuration says, in terms that belong to no NOS.

A reader (`nos/NOS/reader.py`) makes it from the files of one switch alone: two switches are equal if their
configurations say the same. Empty text, 0 and None mean absent. Collections whose order has no meaning are sets or
mappings, so that the order in a file does not matter; if views make them, they are in the order in which they are
written.

Names of interfaces are those of the NOS. VRFs have the blueprint's names, "" for the default one (SONiC's `Vrf_` is not
part of a name). The VRF of the management port is not among `vrfs`: its name is the NOS's own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, field, fields, is_dataclass

from fabricgen.switch.interfaces import Bond, Interface, MlagPair, Subinterface, Vlan
from fabricgen.switch.qos import Balancing, PacketTrimming, SwitchQos
from fabricgen.switch.routing import Bgp, EvpnOverlay, StaticRoute, SwitchSrv6


@dataclass(frozen=True, slots=True)
class SwitchUser:
    """A local account: the hash of its password as given, its SSH public keys, and its role, `admin` or `operator`."""

    password_hash: str = ""
    keys: frozenset[str] = frozenset()
    role: str = "admin"


@dataclass(frozen=True, slots=True)
class SwitchManagement:
    """How a switch is managed: `addresses` are (address with prefix length, gateway) of the management port.

    Servers are in order of preference. `aaa` are (protocol, server); `snmp_users` are the names of those who may read
    with authentication and privacy. `from_loopback`: the switch speaks to servers from the address of its loopback,
    since its links have no addresses that can be reached. `gnmi_port` is 0 without gNMI, and the default of the NOS if
    none is stated.
    """

    addresses: frozenset[tuple[str, str]] = frozenset()
    users: Mapping[str, SwitchUser] = field(default_factory=dict)
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


@dataclass(frozen=True, slots=True)
class Switch:
    """One switch. `interfaces` are its ports except those in `unused`, which are down and without a use.

    `subinterfaces` are by (port, VLAN tag), `vlans` and `bonds` by number, `bgp` by VRF, `routes` by (VRF, prefix).
    """

    hostname: str
    interfaces: Mapping[str, Interface]
    unused: frozenset[str]
    loopbacks: frozenset[str]
    management: SwitchManagement
    subinterfaces: Mapping[tuple[str, int], Subinterface] = field(default_factory=dict)
    vlans: Mapping[int, Vlan] = field(default_factory=dict)
    bonds: Mapping[int, Bond] = field(default_factory=dict)
    pair: MlagPair | None = None
    vrfs: frozenset[str] = frozenset()
    bgp: Mapping[str, Bgp] = field(default_factory=dict)
    routes: Mapping[tuple[str, str], StaticRoute] = field(default_factory=dict)
    drained: bool = False
    """Whether all that it announces by BGP is made the last choice of its neighbours (graceful shutdown, a longer
    path)."""
    qos: SwitchQos | None = None
    overlay: EvpnOverlay | None = None
    """EVPN, which carries VRFs and VLANs."""
    balancing: Balancing = field(default_factory=Balancing)
    vrf_loopbacks: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """The addresses of its own loopback in a VRF, by VRF."""
    srv6: SwitchSrv6 | None = None
    """Its SRv6 identifiers."""
    trimming: PacketTrimming | None = None
    """How packets that find no room are trimmed instead of dropped; None if they are dropped."""


def list_differences(actual: object, expected: object, path: str = "") -> Iterator[str]:
    """Yield a line for each place where two models of a switch differ, with its path: `bgp..peers.10.0.0.1.bfd`.

    Fields that are excluded from comparison are left out.
    """
    if actual == expected:
        return
    if is_dataclass(actual) and type(actual) is type(expected):
        for compared in (entry.name for entry in fields(actual) if entry.compare):
            yield from list_differences(getattr(actual, compared), getattr(expected, compared), f"{path}{compared}.")
    elif isinstance(actual, Mapping) and isinstance(expected, Mapping):
        for key in sorted({*actual, *expected}, key=str):
            if key not in actual or key not in expected:
                yield f"{path}{key}: {'missing' if key in expected else 'not planned'}"
            else:
                yield from list_differences(actual[key], expected[key], f"{path}{key}.")
    elif isinstance(actual, Set) and isinstance(expected, Set):
        for word, extra in (("missing", expected - actual), ("not planned", actual - expected)):
            for value in sorted(extra, key=str):
                yield f"{path.rstrip('.')}: {word} {value}"
    else:
        yield f"{path.rstrip('.')}: {actual!r}, wanted {expected!r}"

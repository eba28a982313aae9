"""DHCP relay and router advertisements of a configuration of Junos, read back (DHCP User Guide; CLI reference)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from fabricgen.nos.junos.reading.text import pass_on
from fabricgen.running.tree import Line, LineRules, is_tolerant, mark_present, report_misfit
from fabricgen.switch.interfaces import Advertised, Relay
from fabricgen.switch.routing import find_network

MARKED, NAMES_SUBNET = "relay-option-82 circuit-id", "relay-option-82 server-id-override"
"""Words by which requests name the port at which they came in, and the subnet of the host."""


@dataclass
class RelayGroup:
    """A group of interfaces whose requests go to one group of servers, `servers`, from the loopback unit `source`."""

    servers: str = ""
    interfaces: set[str] = field(default_factory=set)
    source: str = ""
    words: set[str] = field(default_factory=set)


@dataclass
class Relays:
    """DHCP relay of one family in one VRF; `groups` are by their names, `words` are other lines, as they are."""

    servers: dict[str, set[str]] = field(default_factory=dict)
    """The addresses of each group of servers."""
    groups: dict[str, RelayGroup] = field(default_factory=dict)
    words: set[str] = field(default_factory=set)


def make_relay(
    relays: Mapping[str, Relays], interface: str, loopbacks: Mapping[str, Sequence[str]], *, in_vrf: bool
) -> Relay | None:
    """Return the relay of an interface in both families; None if it has no servers.

    `relays` are those of its VRF, under "" for IPv4 and "dhcpv6" for IPv6; `loopbacks` are the addresses of each
    loopback unit of the VRF, with prefix lengths. Raises UnknownTextError, unless reading is tolerant, for a relay
    without servers, with servers of the other family, or that keeps a binding (no `forward-only`); and for a source
    that servers cannot answer to.
    """
    # sources are by whether they are of IPv6
    servers, marked, sources = set[str](), False, {False: "", True: ""}
    for word, family in relays.items():
        v6 = word == "dhcpv6"
        for group in (group for group in family.groups.values() if interface in group.interfaces):
            group_servers = family.servers.get(group.servers, set())
            strange = {server for server in group_servers if (":" in server) != v6}
            if not is_tolerant() and (strange or not group_servers or "forward-only" not in family.words):
                report_misfit(f"requests of {interface} go nowhere, or to {sorted(strange)}, or leave a binding")
            sources[v6] = _find_source(interface, group, loopbacks, v6=v6, in_vrf=in_vrf)
            servers, marked = servers | group_servers, marked or MARKED in group.words
    source6 = "" if in_vrf else sources[True]
    return Relay(frozenset(servers), marked, sources[False], source6) if servers else None


def _find_source(
    interface: str, group: RelayGroup, loopbacks: Mapping[str, Sequence[str]], *, v6: bool, in_vrf: bool
) -> str:
    """Return the address that requests of a family are sent from, "" if Junos chooses it (the gateway's, for IPv4).

    Raises UnknownTextError if the relay source of the group is no loopback of the VRF, or if servers would take it for
    the subnet of the host.
    """
    addresses_of_unit = {
        unit: [text.partition("/")[0] for text in addresses if (":" in text) == v6]
        for unit, addresses in loopbacks.items()
    }
    source_addresses = addresses_of_unit.get(group.source, [])
    needs_source = bool(group.source) or (v6 and in_vrf and any(addresses_of_unit.values()))
    # servers of IPv4 know the subnet by the source, and are told where that is elsewhere
    names_subnet = bool(group.source) and not v6
    if not is_tolerant() and (needs_source != bool(source_addresses) or names_subnet != (NAMES_SUBNET in group.words)):
        report_misfit(f"servers of {interface} would answer to {group.source or 'a link'}, or for another subnet")
    return min(source_addresses, default="")


@dataclass
class Advertising:
    """Router advertisements of a gateway, as its lines say it."""

    flags: dict[str, bool] = field(default_factory=dict)
    lifetime_s: int | None = None
    autonomous: dict[str, bool] = field(default_factory=dict)
    """Whether hosts make addresses by themselves, by prefix."""
    resolvers: set[str] = field(default_factory=set)
    silent: bool = False

    def make_advertised(self, gateways: Iterable[str]) -> Advertised | None:
        """Return what the gateways of a VLAN advertise; None if they advertise nothing. `gateways` have prefix lengths.

        Raises UnknownTextError for a setting that is left to Junos, and for prefixes that are not those of the
        gateways.
        """
        if self.silent or self == Advertising():
            return None
        subnets = {find_network(gateway) for gateway in gateways if ":" in gateway}
        if not is_tolerant() and (len(self.flags) != 2 or self.lifetime_s is None or self.autonomous.keys() != subnets):
            report_misfit(f"advertisements say less than all of {sorted(subnets)}, or of others")
        return Advertised(
            managed=self.flags.get("managed", False),
            other=self.flags.get("other-stateful", False),
            lifetime_s=self.lifetime_s or 0,
            no_autoconfig=frozenset(prefix for prefix, is_autonomous in self.autonomous.items() if not is_autonomous),
            resolvers=frozenset(self.resolvers),
        )


RELAY, _GROUP, ADVERTISING = LineRules(), LineRules(), LineRules()
ADVERTISING.store_fields(
    {
        r"(no-)?(managed|other-stateful)-configuration": ("flags", lambda off, word: {word: not off}),
        r"default-lifetime (\d+)": ("lifetime_s", int),
        r"dns-server-address (\S+)": ("resolvers", str),
        r"prefix (\S+) (no-)?autonomous": ("autonomous", lambda prefix, off: {prefix: not off}),
        "passive-mode": ("silent", mark_present),
    }
)
RELAY.store_fields({"(forward-only)": ("words", str)})
_GROUP.store_fields(
    {
        r"active-server-group (\S+)": ("servers", str),
        r"interface (\S+)": ("interfaces", str),
        r"overrides relay-source (\S+)": ("source", str),
        f"({MARKED}|{NAMES_SUBNET})": ("words", str),
    }
)


@RELAY.line(r"server-group (\S+) (\S+)")
def _read_server(relays: Relays, line: Line, group: str, server: str) -> None:
    relays.servers.setdefault(group, set()).add(server)


@RELAY.line(r"group (\S+) (.+)")
def _read_group(relays: Relays, line: Line, name: str, rest: str) -> None:
    pass_on(_GROUP, line, rest, relays.groups.setdefault(name, RelayGroup()))

"""DHCP relay and router advertisements of a configuration of Junos, read back (DHCP User Guide; CLI reference)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from fabricgen.running.tree import Line, LineRules, is_tolerant, report_misfit
from fabricgen.switch.interfaces import Advertised, Relay
from fabricgen.switch.routing import find_network

MARKED, NAMES_SUBNET = "relay-option-82 circuit-id", "relay-option-82 server-id-override"


@dataclass
class RelayGroup:
    """A group of interfaces, and the group of servers that it has."""

    servers: str = ""
    interfaces: set[str] = field(default_factory=set)
    source: str = ""
    words: set[str] = field(default_factory=set)


@dataclass
class Relays:
    """What is said of one family in one VRF."""

    servers: dict[str, set[str]] = field(default_factory=dict)
    """Of each group of servers."""
    groups: dict[str, RelayGroup] = field(default_factory=dict)
    words: set[str] = field(default_factory=set)


def make_relay(
    relays: Mapping[str, Relays], interface: str, loopbacks: Mapping[str, Sequence[str]], *, in_vrf: bool
) -> Relay | None:
    """The relay of an interface, by both families, given the addresses of each loopback of its VRF.

    Raises UnknownTextError for one without servers or with bindings, and for a source that servers cannot answer to.
    """
    servers, marked, sources = set[str](), False, {False: "", True: ""}
    for word, family in relays.items():
        v6 = word == "dhcpv6"
        for group in (group for group in family.groups.values() if interface in group.interfaces):
            own_servers = family.servers.get(group.servers, set())
            strange = {server for server in own_servers if (":" in server) != v6}
            if not is_tolerant() and (strange or not own_servers or "forward-only" not in family.words):
                report_misfit(f"requests of {interface} go nowhere, or to {sorted(strange)}, or leave a binding")
            sources[v6] = _find_source(interface, group, loopbacks, v6=v6, in_vrf=in_vrf)
            servers, marked = servers | own_servers, marked or MARKED in group.words
    source6 = "" if in_vrf else sources[True]
    return Relay(frozenset(servers), marked, sources[False], source6) if servers else None


def _find_source(
    interface: str, group: RelayGroup, loopbacks: Mapping[str, Sequence[str]], *, v6: bool, in_vrf: bool
) -> str:
    """The address that requests of a family come from, "" for one of Junos's choice: that of the gateway, of IPv4."""
    addresses_of_unit = {
        unit: [text.partition("/")[0] for text in addresses if (":" in text) == v6]
        for unit, addresses in loopbacks.items()
    }
    own_addresses = addresses_of_unit.get(group.source, [])
    needs_source = bool(group.source) or (v6 and in_vrf and any(addresses_of_unit.values()))
    # servers of IPv4 know the subnet by the source, and are told where that is elsewhere
    names_subnet = bool(group.source) and not v6
    if not is_tolerant() and (needs_source != bool(own_addresses) or names_subnet != (NAMES_SUBNET in group.words)):
        report_misfit(f"servers of {interface} would answer to {group.source or 'a link'}, or for another subnet")
    return min(own_addresses, default="")


@dataclass
class Advertising:
    """What is said of the advertisements of a gateway."""

    flags: dict[str, bool] = field(default_factory=dict)
    lifetime_s: int | None = None
    autonomous: dict[str, bool] = field(default_factory=dict)
    """By prefix, whether hosts make addresses of it."""
    resolvers: set[str] = field(default_factory=set)
    silent: bool = False

    def make_advertised(self, gateways: Iterable[str]) -> Advertised | None:
        """What gateways with IPv6 advertise, None for nothing.

        Raises UnknownTextError for what is left to Junos, and for prefixes that are not those of the gateways.
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


RELAY, ADVERTISING = LineRules(), LineRules()


@ADVERTISING.line(r"(no-)?(managed|other-stateful)-configuration")
def _read_flag(advertising: Advertising, line: Line, off: str, word: str) -> None:
    advertising.flags[word] = not off


@ADVERTISING.line(r"default-lifetime (\d+)|dns-server-address (\S+)")
def _read_lifetime_or_resolver(advertising: Advertising, line: Line, seconds: str, resolver: str) -> None:
    advertising.lifetime_s = int(seconds) if seconds else advertising.lifetime_s
    advertising.resolvers |= {resolver} if resolver else set()


@ADVERTISING.line(r"prefix (\S+) (no-)?autonomous")
def _read_prefix(advertising: Advertising, line: Line, prefix: str, off: str) -> None:
    advertising.autonomous[prefix] = not off


@ADVERTISING.line("passive-mode")
def _read_silence(advertising: Advertising, line: Line) -> None:
    advertising.silent = True


@RELAY.line("forward-only")
def _read_forward_only(relays: Relays, line: Line) -> None:
    relays.words.add(line.text)


@RELAY.line(r"server-group (\S+) (\S+)")
def _read_server(relays: Relays, line: Line, group: str, server: str) -> None:
    relays.servers.setdefault(group, set()).add(server)


@RELAY.line(
    r"group (\S+) (?:active-server-group (\S+)|interface (\S+)|overrides relay-source (\S+)|"
    rf"({MARKED}|{NAMES_SUBNET}))"
)
def _read_group(relays: Relays, line: Line, name: str, servers: str, interface: str, source: str, words: str) -> None:
    # a group of DHCP relay: its server group, a source address, an interface, or a further word
    group = relays.groups.setdefault(name, RelayGroup())
    group.servers, group.source = servers or group.servers, source or group.source
    group.interfaces |= {interface} if interface else set()
    group.words |= {words} if words else set()

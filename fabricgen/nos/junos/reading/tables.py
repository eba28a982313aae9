"""Static routes and aggregates of one table of a configuration of Junos, read back (Protocol-Independent Routing)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address, ip_interface

from fabricgen.running.tree import Line, LineRules, is_tolerant, report_misfit
from fabricgen.switch.routing import StaticRoute

OF_AGGREGATE = frozenset({"brief", "discard"})
"""What every aggregate says: it has no AS numbers that some of its routes lack, and drops what none of them takes."""


@dataclass
class JunosTable:
    """What is said of the routes of one table, both families together."""

    hops: dict[str, list[str]] = field(default_factory=dict)
    """By prefix, next hops."""
    aggregates: dict[str, set[str]] = field(default_factory=dict)
    ribs: set[tuple[bool, str]] = field(default_factory=set)
    """(whether a route is of IPv6, the table that is named for it or "")."""

    def make_routes(self, addresses: Mapping[str, Iterable[str]]) -> dict[str, StaticRoute]:
        """The static routes by prefix, given the addresses of each port of the table.

        Raises UnknownTextError for next hops on no link.
        """
        return {
            prefix: StaticRoute(frozenset((_find_port(far, addresses), far) for far in hops), discard=False)
            for prefix, hops in self.hops.items()
        }

    def check_ribs(self, vrf: str) -> None:
        """Raises UnknownTextError for routes that stand in the table of the other family, or of another VRF."""
        if strange := self.ribs - {(False, ""), (True, f"{vrf}.inet6.0" if vrf else "inet6.0")}:
            report_misfit(f"routes are in tables of others: {sorted(strange)}")

    def list_aggregates(self) -> frozenset[str]:
        """The aggregates; raises UnknownTextError for those of another kind."""
        strange = [prefix for prefix, words in self.aggregates.items() if words != OF_AGGREGATE]
        if strange and not is_tolerant():
            report_misfit(f"aggregates show AS numbers of their routes, or answer for them: {strange}")
        return frozenset(self.aggregates)


def _find_port(far: str, addresses: Mapping[str, Iterable[str]]) -> str:
    """The port whose link an address is on."""
    for port, own_addresses in addresses.items():
        if any(ip_address(far) in ip_interface(address).network for address in own_addresses):
            return port
    report_misfit(f"next hop {far} is on no link")
    return ""


TABLE = LineRules()


@TABLE.line(r"(?:rib (\S+) )?static route (\S+) next-hop (\S+)")
def _read_hop(table: JunosTable, line: Line, rib: str, prefix: str, hop: str) -> None:
    table.ribs.add((":" in prefix, rib or ""))
    table.hops.setdefault(prefix, []).append(hop)


@TABLE.line(r"(?:rib (\S+) )?aggregate route (\S+) (brief|discard)")
def _read_aggregate(table: JunosTable, line: Line, rib: str, prefix: str, word: str) -> None:
    table.ribs.add((":" in prefix, rib or ""))
    table.aggregates.setdefault(prefix, set()).add(word)

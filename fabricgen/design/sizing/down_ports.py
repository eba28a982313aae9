"""Down ports of a tier by purpose: what nodes, lower tiers, management ports and extra devices take of each switch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from fabricgen.design.ports import Ask, Asks, PortKind, down_class
from fabricgen.design.shape import spans_units
from fabricgen.design.tiers import TierSpec


@dataclass(frozen=True, slots=True)
class Reserve:
    """Down ports kept for extra devices: so many on each switch, and enough for so many in all."""

    each: int = 0
    total: int = 0

    def ports(self, switches: int) -> int:
        """Ports of each of so many switches."""
        return max(self.each, -(-self.total // switches))


class DownPorts:
    """Purposes of down ports laid one after the other over a run for each kind.

    A purpose starts on a connector of its own, so that no breakout cable serves two.
    """

    def __init__(self, tier: TierSpec) -> None:
        self._tier = tier
        self._grows = spans_units(tier.per)
        self._kinds: list[PortKind] = []
        self._used: list[int] = []
        self._ports: list[int] = []

    def ask(self, kind: PortKind, count: int = 0, ports: int = 0) -> Ask:
        """As ports asked of the tier's switch, with its stated breakout."""
        mode = self._tier.spec.breakout
        ways = None if mode is None else mode.ways if mode.speed_gbps == kind.speed_gbps else -1
        return Ask(kind, count, ways, ports)

    def add(self, kind: PortKind, used: int, room: int) -> tuple[int, int]:
        """Add a purpose; returns (run, first port)."""
        if kind not in self._kinds:
            self._kinds.append(kind)
            self._used.append(0)
            self._ports.append(0)
        run = self._kinds.index(kind)
        first = self._ports[run]
        chosen = down_class(self._tier.profile, self.ask(kind))
        if first and chosen:
            step = max(1, chosen[1] // self._tier.profile.cages[chosen[0]].connectors)
            first = -(-first // step) * step
        self._used[run] += used
        self._ports[run] = first + room
        return run, first

    def totals(self, runs: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """(ports used, ports numbered) of so many runs; those after its own are of extra devices alone."""
        none = (0,) * (runs - len(self._kinds))
        return (*self._used, *none), (*self._ports, *none)

    def asks(self, more: Mapping[PortKind, int], peers: tuple[Ask, ...]) -> Asks:
        """All that is asked of a face, with further ports of some kinds for extra devices."""
        kinds = [*self._kinds, *(k for k in more if k not in self._kinds)]
        spare = self._tier.spec.spare_ports
        downs = []
        for i, kind in enumerate(kinds):
            used, ports = (self._used[i], self._ports[i]) if i < len(self._kinds) else (0, 0)
            extra = more.get(kind, 0)
            ask = self.ask(kind, used + extra, ports + extra + (spare if i == 0 else 0))
            downs.append(replace(ask, last=i > 0 and self._grows))
        return Asks(tuple(downs), peers, None, tuple(self._tier.cages.items()))

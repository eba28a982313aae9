"""Down ports of a tier by purpose: for nodes, lower tiers, management ports and extra devices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from fabricgen.design.ports import PortDemand, PortKind, SwitchDemand, down_class
from fabricgen.design.shape import spans_units
from fabricgen.design.sizing.kept import down_ways
from fabricgen.design.tiers import TierSpec


@dataclass(frozen=True, slots=True)
class Reserve:
    """Down ports set aside for extra devices: at least `each` on every switch, and at least `total` in all."""

    each: int = 0
    total: int = 0

    def ports(self, switches: int) -> int:
        """Ports set aside on each of so many switches."""
        return max(self.each, -(-self.total // switches))


class DownPorts:
    """Collects the purposes of a tier's down ports; for each kind of port they follow one another in one run.

    A purpose starts at a connector, so that no breakout cable serves two.
    """

    def __init__(self, tier: TierSpec) -> None:
        self._tier = tier
        self._grows = spans_units(tier.per)
        self._kinds: list[PortKind] = []
        self._used: list[int] = []
        self._ports: list[int] = []

    def port_demand(self, kind: PortKind, count: int = 0, ports: int = 0) -> PortDemand:
        """A demand for ports of a kind, with the breakout that the tier states for it, or the lock keeps."""
        spec = self._tier.spec
        mode = spec.breakout_of(kind.speed_gbps)
        ways = mode.ways if mode else -1 if spec.breakout else down_ways(self._tier, kind)
        return PortDemand(kind, count, ways, ports)

    def add(self, kind: PortKind, used: int, room: int) -> tuple[int, int]:
        """Add a purpose with `used` ports in use, of `room` numbered ones; returns (run, first port)."""
        if kind not in self._kinds:
            self._kinds.append(kind)
            self._used.append(0)
            self._ports.append(0)
        run = self._kinds.index(kind)
        first = self._ports[run]
        chosen = down_class(self._tier.profile, self.port_demand(kind))
        if first and chosen:
            step = max(1, chosen[1] // self._tier.profile.cages[chosen[0]].connectors)
            first = -(-first // step) * step
        self._used[run] += used
        self._ports[run] = first + room
        return run, first

    def totals(self, runs: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """(ports used, ports numbered) of each of so many runs; further runs hold extra devices only."""
        none = (0,) * (runs - len(self._kinds))
        return (*self._used, *none), (*self._ports, *none)

    def switch_demand(self, more: Mapping[PortKind, int], peers: tuple[PortDemand, ...]) -> SwitchDemand:
        """The demand on one switch, with `more` ports by kind for extra devices."""
        kinds = [*self._kinds, *(k for k in more if k not in self._kinds)]
        spare = self._tier.free_ports
        downs = []
        for i, kind in enumerate(kinds):
            used, ports = (self._used[i], self._ports[i]) if i < len(self._kinds) else (0, 0)
            extra = more.get(kind, 0)
            wanted = self.port_demand(kind, used + extra, ports + extra + (spare if i == 0 else 0))
            downs.append(replace(wanted, last=i > 0 and self._grows))
        return SwitchDemand(tuple(downs), peers, None, tuple(self._tier.cages.items()), self._tier.reserved_cages)

"""A tier as it has been sized: its switches, its ports, and what its ports are for."""

from __future__ import annotations

from dataclasses import dataclass

from fabricgen.design.fabric_model import Feed, NodeFeed, Uplink
from fabricgen.design.ports import PortKind, PortPlacement, SwitchDemand, count_needed
from fabricgen.design.shape import spans_units
from fabricgen.design.sizing.arithmetic import UplinkPlan
from fabricgen.design.sizing.spread import RunPorts
from fabricgen.design.tiers import TierSpec
from fabricgen.kernel.intervals import Intervals


@dataclass(frozen=True, slots=True)
class SizedTier:
    """A tier with its switches and ports; `uplink` and the final `placement` follow when the tier above is sized."""

    spec: TierSpec
    groups: int
    count: int
    demand: SwitchDemand
    placement: PortPlacement
    feeds: tuple[Feed, ...]
    node_feeds: dict[str, tuple[NodeFeed, ...]]
    used: tuple[int, ...]
    """For each run, how many ports nodes, lower tiers and management ports use on the fullest switch."""
    numbered: tuple[int, ...]
    """For each run, how many ports are numbered: for the units that exist, or for all reserved units."""
    reserved: tuple[int, ...]
    """For each run, how many ports all reserved units would take, numbered or not."""
    uplink_plan: UplinkPlan | None
    uplink: Uplink | None = None
    for_extras: tuple[tuple[PortKind, int], ...] = ()
    """(kind of port, how many ports of each switch are set aside for extra devices)."""
    slots: int = 0
    """Node ports of the fullest group that a lowest tier is sized for, all kinds together."""
    narrow: bool = False
    """Whether ports beside those of nodes are numbered for the units that exist, as reserved units have no room."""
    reach: tuple[int, ...] = ()
    """For each run, over how many ports the links of lower switches are spread; over all ports of runs beyond the end
    of the tuple.
    """
    taken: tuple[Intervals, ...] = ()
    """For each run, the ports of nodes and management if the lock keeps some."""

    @property
    def uplinks(self) -> int:
        """How many uplinks each switch has, before the tier above is sized as well."""
        return self.placement.up.count if self.placement.up else 0

    @property
    def needed_uplinks(self) -> int:
        """The fewest uplinks within the oversubscription; 0 for a tier at the top."""
        up = self.uplink_plan
        return count_needed(self.demand.down_gbps, up.kind.speed_gbps, self.spec.allowed) if up else 0

    def find_run_ports(self, run: int) -> RunPorts:
        """Return which down ports of a run, by its index, serve which purpose."""
        is_wide, taken_ports = spans_units(self.spec.per), self.taken[run] if run < len(self.taken) else ()
        return RunPorts(self.placement.downs[run], run, self.feeds, self.reach, wide=is_wide, taken=taken_ports)

"""A compiled cluster as the laws look at it: ends of links by device and cage, and switches by coordinates."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property

from fabricgen.cluster import Cluster
from fabricgen.design.fabric_model import TierDesign, TierKey
from fabricgen.design.ports import PortRun
from fabricgen.views.switch import SwitchView
from fabricgen.wiring.links.columns import make_tier_columns, number_by_cluster
from fabricgen.wiring.tables import SWITCH, DeviceClass, Segment


@dataclass(frozen=True)
class Link:
    """One row of the plan's links: rail and plane from 1, 0 for none."""

    row: int
    segment: Segment
    a: int
    a_port: int
    b: int
    b_port: int
    rail: int
    plane: int
    cable: int


@dataclass(frozen=True)
class Case:
    """A generated cluster."""

    cluster: Cluster

    @cached_property
    def links(self) -> tuple[Link, ...]:
        """Every link."""
        table = self.cluster.plan.links
        columns = (table.a_device, table.a_port, table.b_device, table.b_port, table.rail, table.plane, table.cable)
        rows = zip(table.segment.tolist(), *(column.tolist() for column in columns), strict=True)
        return tuple(Link(i, table.segments[segment], *rest) for i, (segment, *rest) in enumerate(rows))

    @cached_property
    def network(self) -> tuple[Link, ...]:
        """Every link of a fabric: all but those of scale-up domains."""
        return tuple(link for link in self.links if link.segment.tier is not None)

    @cached_property
    def switches(self) -> tuple[SwitchView, ...]:
        """What is rendered of every switch."""
        return tuple(self.cluster.switches())

    def classes(self) -> list[tuple[TierDesign, DeviceClass]]:
        """Every tier and its rows in the device table."""
        design = self.cluster.design
        return [(design.tier(cls.key), cls) for cls in self.cluster.plan.devices.classes if cls.kind == SWITCH]

    def class_of(self, key: TierKey) -> DeviceClass:
        """The rows of a tier's switches."""
        return next(cls for tier, cls in self.classes() if tier.key == key)

    def coordinates(self, tier: TierDesign) -> list[dict[str, int]]:
        """Coordinates of each switch of a tier, by dimension; pods and units are numbered in the whole cluster."""
        columns = number_by_cluster(tier.layout, make_tier_columns(tier))
        names = list(columns)
        return [dict(zip(names, row, strict=True)) for row in zip(*(columns[n].tolist() for n in names), strict=True)]

    def groups_of_rails(self, fabric: str) -> dict[int, int]:
        """Rail (from 1) -> its group (from 0), as the fabric of a blueprint states them; empty: all in one."""
        groups = self.cluster.design.loaded.blueprint.fabrics[fabric].rail_groups
        return {rail: i for i, group in enumerate(groups) for rail in group}

    @cached_property
    def ends(self) -> dict[int, list[tuple[PortRun, int, Link]]]:
        """Switch -> (run, port, link) of each of its ports that has a link; management ports are left out."""
        found: dict[int, list[tuple[PortRun, int, Link]]] = defaultdict(list)
        for link in self.links:
            if isinstance(link.segment.a, PortRun):
                found[link.a].append((link.segment.a, link.a_port, link))
            if isinstance(link.segment.b, PortRun):
                found[link.b].append((link.segment.b, link.b_port, link))
        return found

    def down_ports(self, tier: TierDesign, switch: int) -> set[tuple[int, int]]:
        """(run, port) of a switch's down ports that have a link."""
        runs = {id(run): i for i, run in enumerate(tier.downs)}
        return {
            (runs[id(link.segment.b)], link.b_port)
            for _, _, link in self.ends[switch]
            if link.b == switch and id(link.segment.b) in runs
        }

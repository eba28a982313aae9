"""What a page is put together of: kinds of nodes, networks and pods."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from fabricgen.blueprint.sections.fabric import Fabric
from fabricgen.design.attach import attach_profile
from fabricgen.design.media.gearing import LinkOptics
from fabricgen.design.media.policy import OPEN
from fabricgen.kernel.diagnostics import InputError
from fabricgen.size.hardware import Hardware, Ports
from fabricgen.start.answers import NodeKind

MANY = 1_000_000
"""Ports where none are taken."""


@dataclass(frozen=True)
class NodeKindAnswer:
    """A kind of nodes, with the switches that its NICs meet; `name` is empty where it is the only one."""

    name: str
    nodes: NodeKind
    hardware: Hardware
    in_rack: int

    def count_ports(self, role: str, switch: str) -> int:
        """Return ports of a switch that those of a role meet; those of nodes without the role meet as many as you
        like.
        """
        profile, node = self.hardware.catalog.switch(switch), self.hardware.node
        if role not in node.roles:
            return MANY
        fabric = Fabric.model_construct(planes=1, nic={}, speed=None, rail_groups=())
        try:
            met = attach_profile(node, role, fabric, profile, (), optics=LinkOptics(self.hardware.catalog, (), OPEN))
        except InputError:
            return 0
        return Ports(profile, met.kind, 1, met.per_connector).count_most_down(None)

    def list_unit_sizes(self, switch: str, fewest_units: int) -> list[int]:
        """Return nodes of a unit, in whole racks: those that take the fewest leaves in all, then as many as fill one
        leaf of each rail, and halves; first those of at least so many units, one for each tenant.
        """
        ports = self.hardware.find_ports(switch, 1)
        assert isinstance(ports, Ports)  # noqa: S101 - only switches that the NICs meet are chosen
        full = max(1, ports.count_most_down(self.hardware.wishes.oversubscription[0]) // ports.legs)
        racks = self.in_rack

        def count_leaves(size: int) -> int:
            return -(-self.nodes.count // size) * -(-size // full)

        fewest = min(range(racks, max(full, 8 * racks) + 1, racks), key=lambda size: (count_leaves(size), size))
        sizes = [max(racks, size // racks * racks) for size in (full, full // 2, full // 4)]
        in_order = dict.fromkeys(min(size, self.nodes.count) for size in (fewest, *sizes, racks))
        return sorted(in_order, key=lambda size: -(-self.nodes.count // size) < fewest_units)


@dataclass(frozen=True)
class NetworkLines:
    """The lines of a network below `fabrics`, and what else of the page is so for it.

    `units` are nodes of a unit by kind, and `pod_units` units of a pod (0: all of a kind); of the GPUs' network alone.
    """

    lines: tuple[str, ...]
    units: tuple[int, ...] = ()
    pod_units: int = 0

    @property
    def names(self) -> tuple[str, ...]:
        """What the networks of its lines are called: one, or that and what its switches carry besides."""
        heads = (line for line in self.lines if line[2] not in " #")
        return tuple(head.partition(":")[0].strip() for head in heads)


class Pods(NamedTuple):
    """So many pods of so many units of a kind; `nodes` are those in all where the last unit is part filled, else 0."""

    kind: str
    pods: int
    units: int
    nodes: int

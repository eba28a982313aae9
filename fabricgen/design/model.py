"""The symmetric form of a cluster: groups of identical devices and the bundles of links between them.

Nothing here grows with the number of devices: a million accelerators are a few hundred groups.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from fabricgen.blueprint.load import LoadedBlueprint
from fabricgen.blueprint.models import natural
from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.models import NodeProfile, SwitchProfile
from fabricgen.design.layout import Layout
from fabricgen.design.scale_up_model import ScaleUpDesign
from fabricgen.kernel.diagnostics import Path

if TYPE_CHECKING:
    import networkx

USUAL_FABRICS = ("compute", "storage", "inband", "oob")
"""Fabrics in the order that slots, pools and listings follow; others come after, by name, and so move none of these."""


def fabric_order(name: str) -> tuple[int, object]:
    """Sort key of a fabric: the usual ones first, then others by name."""
    usual = USUAL_FABRICS.index(name) if name in USUAL_FABRICS else len(USUAL_FABRICS)
    return usual, natural(name)


@dataclass(frozen=True, slots=True)
class PortRun:
    """Ports of one purpose on a switch: consecutive, from the first port of `first_cage` on."""

    count: int
    speed_gbps: int
    lane_gbps: float
    cage_class: int
    first_cage: int
    ways: int
    connectors: int

    @property
    def per_connector(self) -> int:
        """Links that share one cable connector: above 1 the cable is a breakout."""
        return max(1, self.ways // self.connectors)

    @property
    def cages(self) -> int:
        """Cages the run occupies, the last perhaps in part."""
        return -(-self.count // self.ways)


@dataclass(frozen=True, slots=True)
class Leg:
    """One logical port of a node in a fabric; a NIC port split over planes has several."""

    rail: int
    plane: int
    port: int
    name: str
    cage: str
    connector: int
    sub: int
    gpu: int | None


@dataclass(frozen=True, slots=True)
class Attachment:
    """How one profile attaches to a fabric: its legs in slot order, and what its ports are."""

    profile: NodeProfile
    role: str
    legs: tuple[Leg, ...]
    speed_gbps: int
    lane_gbps: float
    form_factor: str
    per_connector: int


@dataclass(frozen=True, slots=True)
class ExtraLink:
    """A port of an extra device on a switch: which device and leg, which switch of the tier, which down port."""

    device: str
    leg: int
    switch: int
    slot: int


@dataclass(frozen=True, slots=True)
class ExtraSet:
    """Extra devices of one name in one fabric."""

    name: str
    attachment: Attachment
    count: int
    tier: str
    links: tuple[ExtraLink, ...]
    path: Path


@dataclass(frozen=True, slots=True)
class Uplink:
    """How a tier reaches the next: links of each switch, dealt over the switches of each upper group it meets."""

    upper: str
    upper_groups: int
    links_per_group: int
    upper_count: int
    lowers_per_group: int
    """Lower switches of the fullest upper group."""
    numbered_lowers: int
    """The same with reserved slots where these are numbered now, else no more."""
    by_slot: bool

    @property
    def multiplicity(self) -> Fraction:
        """Links between a lower and an upper switch, on average; whole when dealt equally."""
        return Fraction(self.links_per_group, self.upper_count)

    def share(self, index: int) -> int:
        """Links to the upper switch of an index: the first ones take what does not divide."""
        whole, rest = divmod(self.links_per_group, self.upper_count)
        return whole + (index < rest)


@dataclass(frozen=True, slots=True)
class TierDesign:
    """A tier: `groups` x `count` identical switches."""

    fabric: str
    name: str
    profile: SwitchProfile
    nos: str
    per: tuple[str, ...]
    groups: int
    count: int
    down: PortRun
    up: PortRun | None
    uplink: Uplink | None
    allowed: Fraction
    path: Path
    numbered_ports: int
    """Down ports that are in use or kept for reserved slots; those beyond are spare."""
    spare_ports: int

    @property
    def switches(self) -> int:
        """Switches in the tier."""
        return self.groups * self.count

    @property
    def oversubscription(self) -> Fraction | None:
        """Downlink over uplink bandwidth of the fullest switch; None at the top."""
        if self.up is None:
            return None
        return Fraction(self.down.count * self.down.speed_gbps, self.up.count * self.up.speed_gbps)


@dataclass(frozen=True, slots=True)
class FabricDesign:
    """One network: tiers from the nodes up, and how nodes and extras attach."""

    name: str
    protocol: str
    planes: int
    rails: int
    ports: int
    hosts: str
    attachments: tuple[tuple[int, Attachment], ...]
    """(index of the node set, how it attaches)"""
    tiers: tuple[TierDesign, ...]
    extras: tuple[ExtraSet, ...]
    managed_switches: int
    """Management ports of other fabrics' switches that attach here."""
    slots_per_switch: int
    """Down ports of a lowest switch that node slots are dealt over."""
    path: Path

    def tier(self, name: str) -> TierDesign:
        """The tier of a name; raises KeyError when there is none."""
        for tier in self.tiers:
            if tier.name == name:
                return tier
        raise KeyError(name)


@dataclass(frozen=True, slots=True)
class Group:
    """N identical devices: the nodes of a pod, or the switches of a tier in a pod or in the whole fabric."""

    name: str
    fabric: str
    tier: str
    pod: str
    model: str
    count: int


@dataclass(frozen=True, slots=True)
class Bundle:
    """All links of a fabric between two groups."""

    fabric: str
    lower: str
    upper: str
    links: int
    gbps: int


@dataclass(frozen=True)
class Design:
    """The whole cluster, sized and counted."""

    loaded: LoadedBlueprint
    catalog: Catalog
    layout: Layout
    fabrics: tuple[FabricDesign, ...]
    scale_up: tuple[ScaleUpDesign, ...]

    def fabric(self, name: str) -> FabricDesign:
        """The fabric of a name; raises KeyError when there is none."""
        return next(f for f in self.fabrics if f.name == name)

    @cached_property
    def extra_devices(self) -> dict[str, tuple[NodeProfile, int]]:
        """Extra devices by name over all fabrics: a name used in two fabrics is the same devices."""
        found: dict[str, tuple[NodeProfile, int]] = {}
        for fabric in self.fabrics:
            for extra in fabric.extras:
                known = found.get(extra.name, (extra.attachment.profile, 0))[1]
                found[extra.name] = (extra.attachment.profile, max(known, extra.count))
        return dict(sorted(found.items(), key=lambda item: natural(item[0])))

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """Every group, nodes first."""
        from fabricgen.design.groups import groups_of

        return groups_of(self)

    @cached_property
    def bundles(self) -> tuple[Bundle, ...]:
        """Every bundle, by fabric from the nodes up."""
        from fabricgen.design.groups import bundles_of

        return bundles_of(self)

    def graph(self) -> networkx.Graph[str]:
        """The design as a networkx graph: groups are its vertices, bundles its edges (links, gbps)."""
        import networkx

        graph: networkx.Graph[str] = networkx.Graph()
        for group in self.groups:
            graph.add_node(group.name, tier=group.tier, fabric=group.fabric, count=group.count)
        for bundle in self.bundles:
            graph.add_edge(bundle.lower, bundle.upper, fabric=bundle.fabric, links=bundle.links, gbps=bundle.gbps)
        return graph

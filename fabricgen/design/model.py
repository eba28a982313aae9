"""The symmetric form of a cluster: groups of identical devices and the bundles of links between them.

Nothing here grows with the number of devices: a million accelerators are a few hundred groups.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from fabricgen.blueprint.load import LoadedBlueprint
from fabricgen.blueprint.models import natural
from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.models import NodeProfile
from fabricgen.design.fabric_model import FabricDesign, NodeFeed, TierDesign, TierKey
from fabricgen.design.floor.unit_kind import NodeSet
from fabricgen.design.layout import Layout
from fabricgen.design.scale_up.model import ScaleUpDesign
from fabricgen.design.tenants.model import LeakDesign, TenantDesign


@dataclass(frozen=True, slots=True)
class DeviceGroup:
    """N identical devices: the nodes of a pod, or the switches of a tier in a pod or in the whole fabric."""

    name: str
    fabric: str
    tier: str
    pod: str
    model: str
    count: int


@dataclass(frozen=True, slots=True)
class LinkBundle:
    """All links of a fabric between two groups."""

    fabric: str
    lower: str
    upper: str
    links: int
    gbps: int


@dataclass(frozen=True, slots=True)
class Vni:
    """What a VRF over EVPN has in VXLAN: its place among such VRFs, from 1, VNI, and VLAN where a switch needs one."""

    number: int
    vni: int
    vlan: int


@dataclass(frozen=True)
class Design:
    """The whole cluster, sized and counted."""

    loaded: LoadedBlueprint
    catalog: Catalog
    layout: Layout
    fabrics: tuple[FabricDesign, ...]
    scale_up: tuple[ScaleUpDesign, ...]
    tenants: tuple[TenantDesign, ...] = ()
    """In natural order of their names."""
    vnis: Mapping[tuple[str, str], Vni] = field(default_factory=dict)
    """The VNI of each VRF over EVPN, by (fabric that owns the switches, VRF)."""
    bridged_vnis: Mapping[tuple[str, str], Vni] = field(default_factory=dict)
    """The VNI of each VLAN of hosts on switches with EVPN multihoming, by (fabric, tenant), "" for nodes of none; its
    `vlan` is 0.
    """
    peer_vlans: Mapping[str, int] = field(default_factory=dict)
    """By VRF, the VLAN in which it passes between the two switches of an MCLAG pair."""
    leaks: tuple[LeakDesign, ...] = ()
    """What VRFs tell each other, as written."""

    def fabric(self, name: str) -> FabricDesign:
        """The fabric of a name; raises KeyError when there is none."""
        return next(f for f in self.fabrics if f.name == name)

    def tier(self, key: TierKey) -> TierDesign:
        """A tier by fabric and name; raises KeyError when there is none."""
        return self.fabric(key.fabric).tier(key.tier)

    def leaves(self, fabric: FabricDesign) -> tuple[TierDesign, ...]:
        """The tiers that a fabric's nodes attach to, perhaps another fabric's; empty where no nodes do."""
        return tuple(self.tier(leaf) for leaf in fabric.leaves)

    def present(self, feed: NodeFeed, nodes: NodeSet) -> int:
        """How many nodes of a set have ports by a feed: those of its part of the cluster that are not omitted."""
        return self.tier(feed.leaf).layout.of_part(feed.part).present(nodes)

    @cached_property
    def levels(self) -> dict[TierKey, int]:
        """How many tiers lie below each tier, at most."""
        found: dict[TierKey, int] = {}
        pending = {tier.key: tier for tier in self.tiers}
        while pending:
            waiting = {t.uplink.upper for t in pending.values() if t.uplink}
            for key in [key for key in pending if key not in waiting]:
                below = [t.key for t in self.tiers if t.uplink and t.uplink.upper == key]
                found[key] = max((found[k] + 1 for k in below), default=0)
                del pending[key]
        return found

    @property
    def tiers(self) -> tuple[TierDesign, ...]:
        """Every tier, fabric by fabric."""
        return tuple(tier for fabric in self.fabrics for tier in fabric.tiers)

    @cached_property
    def extra_devices(self) -> dict[str, tuple[NodeProfile, tuple[str, ...], str]]:
        """Extra devices by set name: profile, device names, site ("" for the first).

        A set of one name in two fabrics is the same devices; of sets that name the same ones, the first has them.
        """
        return {name: found for name, found in self.extra_sets.items() if self.owner_of_extra[name] == name}

    @cached_property
    def sets_with_names(self) -> frozenset[str]:
        """The sets of extra devices whose names are stated."""
        fabrics = self.loaded.blueprint.fabrics.values()
        return frozenset(name for fabric in fabrics for name, extra in fabric.extra.items() if extra.names)

    @cached_property
    def owner_of_extra(self) -> Mapping[str, str]:
        """By set of extra devices, the set that has its devices: itself, or one that states all of their names too."""
        owners: dict[str, str] = {}
        named: dict[str, set[str]] = {}
        for extra in (extra for fabric in self.fabrics for extra in fabric.extras):
            named.setdefault(extra.name, set()).update(extra.devices)
        for name, (profile, _, site) in sorted(self.extra_sets.items(), key=lambda item: -len(item[1][1])):
            same = (
                other
                for other, (kind, others, there) in self.extra_sets.items()
                if {name, other} <= self.sets_with_names and owners.get(other) == other
                if (kind, there) == (profile, site) and named[name] <= set(others)
            )
            owners[name] = next(same, name)
        return owners

    @cached_property
    def extra_sets(self) -> dict[str, tuple[NodeProfile, tuple[str, ...], str]]:
        """All sets of extra devices as `extra_devices` has those with devices of their own."""
        found: dict[str, tuple[NodeProfile, tuple[str, ...], str]] = {}
        for fabric in self.fabrics:
            specs = self.loaded.blueprint.fabrics[fabric.name].extra
            for extra in fabric.extras:
                site = specs[extra.name].site or ""
                known = found.get(extra.name, (extra.attachment.profile, (), site))
                found[extra.name] = (extra.attachment.profile, max(known[1], extra.devices, key=len), known[2] or site)
        return dict(sorted(found.items(), key=lambda item: natural(item[0])))

    @cached_property
    def groups(self) -> tuple[DeviceGroup, ...]:
        """Every group, nodes first."""
        from fabricgen.design.groups import groups_of

        return groups_of(self)

    @cached_property
    def bundles(self) -> tuple[LinkBundle, ...]:
        """Every bundle, by fabric from the nodes up."""
        from fabricgen.design.groups import bundles_of

        return bundles_of(self)

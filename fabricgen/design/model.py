"""The symmetric form of a cluster: its fabrics, whose tiers are groups of identical switches, and its scale-up domains.

Nothing here grows with the number of devices: a million accelerators are a few hundred groups.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from fabricgen.blueprint.load import LoadedBlueprint
from fabricgen.blueprint.models import make_natural_key
from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.models import NodeProfile
from fabricgen.design.fabric_model import FabricDesign, NodeFeed, TierDesign, TierKey, Uplink
from fabricgen.design.floor.unit_kind import NodeSet
from fabricgen.design.layout import Layout
from fabricgen.design.scale_up.model import ScaleUpDesign
from fabricgen.design.tenants.model import LeakDesign, TenantDesign


class Vni(NamedTuple):
    """What a VRF over EVPN has in VXLAN: its number among VRFs over EVPN (from 1), its VNI, and the VLAN for switches
    that need one for a VNI.
    """

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
    """The VNI of each VLAN of hosts on switches with EVPN multihoming, by (fabric, tenant); the tenant is "" for nodes
    without one, and `vlan` is 0.
    """
    peer_vlans: Mapping[str, int] = field(default_factory=dict)
    """The VLAN in which each VRF passes between the two switches of an MCLAG pair."""
    leaks: tuple[LeakDesign, ...] = ()
    """Which routes VRFs pass to each other, as the blueprint states it."""

    def fabric(self, name: str) -> FabricDesign:
        """Return the fabric of this name; raises KeyError if there is none."""
        return {fabric.name: fabric for fabric in self.fabrics}[name]

    def tier(self, key: TierKey) -> TierDesign:
        """Return a tier by fabric and name; raises KeyError if there is none."""
        return self.fabric(key.fabric).tier(key.tier)

    def list_leaf_tiers(self, fabric: FabricDesign) -> tuple[TierDesign, ...]:
        """Return the tiers that a fabric's nodes attach to, perhaps of another fabric; empty if no nodes attach."""
        return tuple(self.tier(leaf) for leaf in fabric.leaves)

    def count_present(self, feed: NodeFeed, nodes: NodeSet) -> int:
        """Return how many nodes of a set have ports by a feed: those of its part of the cluster that are not
        omitted.
        """
        return self.tier(feed.leaf).layout.of_part(feed.part).count_present(nodes)

    def list_links_below(self, key: TierKey) -> list[tuple[TierDesign, Uplink]]:
        """Return the tiers that are linked up to a tier, each with its links."""
        return [(tier, tier.uplink) for tier in self.tiers if tier.uplink and tier.uplink.upper == key]

    @cached_property
    def levels(self) -> dict[TierKey, int]:
        """For each tier, its level: 0 if no tier is linked up to it, else one above the highest of those that are."""
        levels: dict[TierKey, int] = {}
        pending = {tier.key: tier for tier in self.tiers}
        while pending:
            # from below: a tier is next once no pending tier is linked up to it; tiers are linked up in the order of
            # the page, so that there is no circle
            waiting = {t.uplink.upper for t in pending.values() if t.uplink}
            for key in [key for key in pending if key not in waiting]:
                levels[key] = max((levels[lower.key] + 1 for lower, _ in self.list_links_below(key)), default=0)
                del pending[key]
        return levels

    @property
    def tiers(self) -> tuple[TierDesign, ...]:
        """All tiers, fabric by fabric."""
        return tuple(tier for fabric in self.fabrics for tier in fabric.tiers)

    @cached_property
    def extra_devices(self) -> dict[str, tuple[NodeProfile, tuple[str, ...], str]]:
        """Extra devices by the name of their set: profile, device names, site ("" for the first site).

        A set in two fabrics is the same devices. If one set names only devices of another, they are listed in the
        larger one.
        """
        return {name: extra_set for name, extra_set in self.extra_sets.items() if self.owner_of_extra[name] == name}

    @cached_property
    def sets_with_names(self) -> frozenset[str]:
        """The sets of extra devices whose names the blueprint states."""
        fabrics = self.loaded.blueprint.fabrics.values()
        return frozenset(name for fabric in fabrics for name, extra in fabric.extra.items() if extra.names)

    @cached_property
    def owner_of_extra(self) -> Mapping[str, str]:
        """For each set of extra devices, the set that its devices are listed in: itself, or one that states all of
        their names.
        """
        owners: dict[str, str] = {}
        names_of_set: dict[str, set[str]] = {}
        for extra in (extra for fabric in self.fabrics for extra in fabric.extras):
            names_of_set.setdefault(extra.name, set()).update(extra.devices)
        for name, (profile, _, site) in sorted(
            # the largest set first: a smaller set may be a part of it, and not the other way round
            self.extra_sets.items(),
            key=lambda name_and_set: -len(name_and_set[1][1]),
        ):
            owners_of_same = (
                other_name
                for other_name, (kind, other_devices, other_site) in self.extra_sets.items()
                if {name, other_name} <= self.sets_with_names and owners.get(other_name) == other_name
                if (kind, other_site) == (profile, site) and names_of_set[name] <= set(other_devices)
            )
            owners[name] = next(owners_of_same, name)
        return owners

    @cached_property
    def extra_sets(self) -> dict[str, tuple[NodeProfile, tuple[str, ...], str]]:
        """All sets of extra devices, in the form of `extra_devices`, including sets whose devices are listed in
        another.
        """
        sets: dict[str, tuple[NodeProfile, tuple[str, ...], str]] = {}
        for fabric in self.fabrics:
            specs = self.loaded.blueprint.fabrics[fabric.name].extra
            for extra in fabric.extras:
                site = specs[extra.name].site or ""
                earlier = sets.get(extra.name, (extra.attachment.profile, (), site))
                sets[extra.name] = (
                    extra.attachment.profile,
                    max(earlier[1], extra.devices, key=len),
                    earlier[2] or site,
                )
        return dict(sorted(sets.items(), key=lambda name_and_set: make_natural_key(name_and_set[0])))

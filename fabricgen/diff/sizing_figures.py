"""The results of sizing that explain why cables move: counts of switches, uplinks and ports, and the spare ports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

import numpy as np

from fabricgen.blueprint.slots import NodeSlot, list_omitted_slots
from fabricgen.cluster import Cluster
from fabricgen.design.fabric_model import TierDesign
from fabricgen.design.layout import list_pod_units
from fabricgen.design.linked import group_infiniband_fabrics
from fabricgen.design.model import Design
from fabricgen.design.ports import PortRun
from fabricgen.diff.vrfs import Vrfs, list_tenant_vrfs
from fabricgen.wiring.tenants import NOBODY, find_device_tenants

TierName: TypeAlias = tuple[str, str]
"""(fabric, tier)"""


@dataclass(frozen=True, slots=True)
class TierFigures:
    """One tier as sized: `count` switches in each of its `groups`.

    Ports and uplinks are counted for one switch unless stated otherwise.
    """

    model: str
    nos: str
    groups: int
    count: int
    stated: bool | None
    """Whether the blueprint states the count; None if only lists are known."""
    downs: tuple[str, ...]
    """Each run of down ports in words: `4 x 100G a cage`."""
    ups: str
    uplinks: int
    upper: TierName | None
    pair_links: tuple[int, ...]
    """Links of a switch to each upper switch that it is joined to: one number, or two if they do not divide equally."""
    asked: tuple[tuple[str, int, int], ...]
    """(tier below, its switches in a group, links of each) for every tier that needs ports of a group of this tier."""
    capacity: int
    """Down ports that the cages have."""
    least_free: int
    """Free down ports on the fullest switch."""
    free: int
    """Free down ports in the whole tier."""
    spare: int
    """Down ports that are not numbered for anything."""


class Tenancy(NamedTuple):
    """The tenant of a device, and the fabrics in which the tenant is kept apart."""

    tenant: str
    fabrics: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SizingFigures:
    """The figures of a side that explain why cables move: units by pod, number of nodes, tiers, and slots that move.

    `omits` has an entry for each text of `omit` with `last` in it, such as `p1/su-last/node-32`: the slots that it
    means, such as `p1/su-3/node-32`. `vrfs` has the names of the switches that a tenant's VRF is on, by tenant.
    """

    units: Mapping[str, int]
    nodes: int
    tiers: Mapping[TierName, TierFigures]
    omits: Mapping[str, tuple[str, ...]]
    spares: tuple[str, ...]
    """Slots of spare nodes, such as `p1/su-3/node-32`."""
    hardware: Mapping[tuple[str, str], tuple[str, ...]]
    """MAC, GUID, serial number and PCI address in the inventory, by (device, port)."""
    tenancies: Mapping[str, Tenancy] = field(default_factory=dict)
    """The tenancy of each device that belongs to a tenant, by device."""
    vrfs: Vrfs = field(default_factory=dict)
    shared: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The sets of extra devices on InfiniBand that a tenant shares, by tenant."""
    partition_files: Mapping[str, str] = field(default_factory=dict)
    """The file with the partitions of an InfiniBand fabric, by fabric."""
    ways_inside: bool | None = None
    """Whether cable runs between racks count the way inside the racks; None if only lists are known."""


def read_sizing_figures(cluster: Cluster) -> SizingFigures:
    """Read the figures of a compiled cluster."""
    design = cluster.design
    return SizingFigures(
        units={pod.name: pod.su for pod in design.layout.pods},
        nodes=design.layout.nodes,
        tiers={(tier.fabric, tier.key.tier): _read_tier_figures(cluster, tier) for tier in design.tiers},
        omits=_list_omitted_slots(design),
        spares=tuple(_name_slot([pod.name for pod in design.layout.pods], s) for s in sorted(design.layout.spare)),
        hardware={(row.device, row.port): (*row.figures[2:5], row.pci) for row in design.loaded.inventory},
        tenancies=_list_tenancies(cluster),
        vrfs=list_tenant_vrfs(cluster),
        shared={tenant.name: tenant.shared for tenant in design.tenants if tenant.shared},
        partition_files=_name_partition_files(design) if design.tenants else {},
        ways_inside=cluster.plan.racks.ways_inside,
    )


def _list_tenancies(cluster: Cluster) -> dict[str, Tenancy]:
    """Return the tenancy of each device that belongs to a tenant, by name of the device."""
    design, devices = cluster.design, cluster.plan.devices
    tenants = [Tenancy(tenant.name, tenant.fabrics) for tenant in design.tenants]
    tenant_numbers = find_device_tenants(design, devices) if tenants else np.full(0, NOBODY)
    rows = np.flatnonzero(tenant_numbers != NOBODY)
    return {
        name: tenants[number]
        for name, number in zip(cluster.name_column[rows].tolist(), tenant_numbers[rows].tolist(), strict=True)
    }


def _name_partition_files(design: Design) -> dict[str, str]:
    """Return the file with the partitions of each InfiniBand fabric, named as its subnet manager expects."""
    fabrics = design.loaded.blueprint.fabrics
    files = {"ufm": "partitions.conf.user_ext"}
    linked = group_infiniband_fabrics(design).items()
    return {
        member: files.get(fabrics[first].subnet_manager or "", "partitions.conf")
        for first, members in linked
        for member in members
    }


def _read_tier_figures(cluster: Cluster, tier: TierDesign) -> TierFigures:
    """Return the figures of a tier: its sizes, its ports, what lower tiers need of it, and its free ports."""
    design = cluster.design
    spec = design.loaded.blueprint.fabrics[tier.fabric].tiers[tier.name]
    capacity = sum(run.capacity for run in tier.downs)
    used = _count_used_ports(cluster, tier)
    uplink = tier.uplink
    shares = {uplink.count_links_to(i) for i in range(uplink.upper_count)} if uplink else set()
    lower_tiers = [lower for lower, _ in design.list_links_below(tier.key)]
    return TierFigures(
        model=tier.profile.id,
        nos=tier.nos,
        groups=tier.groups,
        count=tier.count,
        stated=spec.count is not None,
        downs=tuple(_describe_run(run) for run in tier.downs),
        ups=_describe_run(tier.up) if tier.up else "",
        uplinks=tier.up.count if tier.up else 0,
        upper=(uplink.upper.fabric, uplink.upper.tier) if uplink else None,
        pair_links=tuple(sorted(shares)),
        asked=tuple((t.name, t.uplink.lowers_per_group, t.uplink.links_per_group) for t in lower_tiers if t.uplink),
        capacity=capacity,
        least_free=capacity - max(used, default=0),
        free=capacity * len(used) - sum(used),
        spare=sum(tier.spare_ports(i) for i in range(len(tier.downs))),
    )


def _describe_run(run: PortRun) -> str:
    return f"{run.ways} x {run.speed_gbps}G a cage"


def _count_used_ports(cluster: Cluster, tier: TierDesign) -> list[int]:
    """Return the number of down ports in use on each switch of a tier."""
    links, rows = cluster.plan.links, cluster.plan.devices.find_tier(tier.key).rows
    is_down = [s.tier == tier.key and isinstance(s.b, PortRun) and s.b in tier.downs for s in links.segments]
    # the last entry is read for -1, no segment
    link_rows = np.array([*is_down, False], dtype=bool)[links.segment]
    counts: list[int] = np.bincount(links.b_device[link_rows], minlength=rows.stop)[rows].tolist()
    return counts


def _list_omitted_slots(design: Design) -> dict[str, tuple[str, ...]]:
    """Return the slots (such as `p1/su-3/node-32`) of each `omit` that counts from the last one."""
    blueprint = design.loaded.blueprint
    pods = list_pod_units(blueprint, design.layout)
    names = list(pods)
    empty = list_omitted_slots(blueprint.model_copy(update={"omit": ()}), pods)
    slots_by_text: dict[str, tuple[str, ...]] = {}
    for text in blueprint.omit:
        if "-last" in text:
            with_one = blueprint.model_copy(update={"omit": (text,)})
            slots = list_omitted_slots(with_one, pods) - empty
            slots_by_text[text] = tuple(_name_slot(names, slot) for slot in sorted(slots))
    return slots_by_text


def _name_slot(pods: list[str], slot: NodeSlot) -> str:
    return f"{pods[slot.pod]}/su-{slot.su}/node-{slot.node}"

"""Which tenant each device and each link belongs to."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from fabricgen.design.model import Design
from fabricgen.design.tenants.model import TenantDesign
from fabricgen.wiring.arrays import Flags, Ints, Ints64
from fabricgen.wiring.tables import EXTRA, NODE, SWITCH, DeviceTable, WiringPlan

NOBODY = -1
"""Stands for no tenant in columns of tenants, which are indexes of `design.tenants`."""


def find_device_tenants(design: Design, devices: DeviceTable) -> Ints:
    """Return the tenant of every device, an index of `design.tenants`, int32: NOBODY (-1) for devices of no tenant, or
    of several.
    """
    tenants = np.full(len(devices), NOBODY, dtype=np.int32)
    # slots in the blueprint count from 1, coordinates from 0
    tenant_of_slot = {(s.pod, s.su - 1, s.node - 1): i for i, tenant in enumerate(design.tenants) for s in tenant.slots}
    tenant_of_extra = {name: i for i, tenant in enumerate(design.tenants) for name in tenant.extras}
    for cls in devices.classes:
        if cls.kind == EXTRA:
            sets = [name for name, owner in design.owner_of_extra.items() if owner == cls.label]
            owners = {tenant_of_extra.get(name, NOBODY) for name in sets or [cls.label]}
            tenants[cls.rows] = owners.pop() if len(owners) == 1 else NOBODY
        elif cls.kind == NODE:
            columns = (devices.pod, devices.su, devices.node)
            slots = zip(*(column[cls.rows].tolist() for column in columns), strict=True)
            tenants[cls.rows] = [tenant_of_slot.get(slot, NOBODY) for slot in slots]
    return tenants


def find_link_tenants(design: Design, plan: WiringPlan, fabric: str) -> Ints:
    """Return the tenant of every link of the plan, an index of `design.tenants`, int32: that of the node or extra
    device at its lower end.

    It is NOBODY (-1) for links of no tenant, and of tenants that are not kept apart in `fabric`. Links of other fabrics
    have their tenants, too, since `fabric` may have a VLAN on them.
    """
    return _keep_separated(design, find_lower_end_tenants(design, plan), fabric)


def find_lower_end_tenants(design: Design, plan: WiringPlan) -> Ints:
    """Return the tenant of every link by what is at its lower end, in whatever fabric: an index of `design.tenants`,
    int32, NOBODY (-1) for none.

    If an extra device is in several sets, the tenant is that of the set that the link belongs to.
    """
    tenants = find_device_tenants(design, plan.devices)[plan.links.a_device]
    tenant_of_extra = {name: number for number, tenant in enumerate(design.tenants) for name in tenant.extras}
    for i, segment in enumerate(plan.links.segments):
        # fabrics.NAME.extra.SET: the line of a set of extra devices
        if len(segment.path) == 4 and segment.path[2] == "extra":
            tenants[plan.links.find_rows(i)] = tenant_of_extra.get(str(segment.path[3]), NOBODY)
    return tenants


def _keep_separated(design: Design, tenant: Ints, fabric: str) -> Ints:
    """Return a column of tenants with NOBODY in place of tenants that are not kept apart in a fabric."""
    # the last entry is for NOBODY, which is -1
    is_separated = np.array([fabric in candidate.fabrics for candidate in design.tenants] + [False])
    return np.where(is_separated[tenant], tenant, NOBODY).astype(np.int32)


class TenantPlaces(NamedTuple):
    """Where a tenant is on Ethernet switches; VLANs are 0 where it is not."""

    links: Ints
    """By link: its VLAN in the fabric of the link, if the tenant's node or extra device is at the lower end; int32."""
    ports: Mapping[str, Ints]
    """By fabric, an entry for each device: the VLAN of a switch's ports that are the tenant's, int32. If the tenant has
    a VLAN for each rail, it is the first of these."""
    passes: Ints
    """By device: the VLAN of the tenant's VRF on links between switches, if the switch, or a switch below it, has ports
    of the tenant; int32."""

    def find_carrying_links(self, plan: WiringPlan) -> Flags:
        """Whether each link between switches has the tenant's VRF at both ends; bool."""
        return (self.passes[plan.links.a_device] > 0) & (self.passes[plan.links.b_device] > 0)


def locate_tenants(design: Design, plan: WiringPlan, rails: Mapping[str, Ints64]) -> dict[str, TenantPlaces]:
    """Return where each tenant is, by its name: its ports, links and VLANs; empty without tenants.

    `rails` has, by fabric whose rails have a subnet each, the index of the subnet of every link, -1 for none.
    """
    if not design.tenants:
        return {}
    tenant_of_link = find_lower_end_tenants(design, plan)
    fabric_of_segment = np.array([segment.fabric for segment in plan.links.segments], dtype=object)
    places = {}
    for number, tenant in enumerate(design.tenants):
        tenant_links = np.flatnonzero(tenant_of_link == number)
        links, ports = np.zeros(len(plan.links), dtype=np.int32), {}
        for name, vlans in tenant.vlans.items():
            if name not in tenant.fabrics:
                continue
            fabric = design.fabric(name)
            fabric_of_link = fabric_of_segment[plan.links.segment[tenant_links]]
            # if nodes have the VLAN on the ports of the carrier, only extra devices have links of the fabric itself
            links_in_fabric = tenant_links[fabric_of_link == name]
            carrier_links = tenant_links[fabric_of_link == fabric.carrier] if fabric.shares_ports else links_in_fabric
            ports[name] = np.zeros(len(plan.devices), dtype=np.int32)
            ports[name][plan.links.b_device[np.append(links_in_fabric, carrier_links)]] = vlans[0]
            # a VLAN for each rail, or one; a link of no rail (-1) has the first
            rail_of_link = rails[name][links_in_fabric] if name in rails else np.zeros_like(links_in_fabric)
            links[links_in_fabric] = np.array(vlans, dtype=np.int32)[np.maximum(rail_of_link, 0)]
        places[tenant.name] = TenantPlaces(links, ports, _find_vrf_vlans(design, plan, tenant, ports))
    return places


def _find_vrf_vlans(design: Design, plan: WiringPlan, tenant: TenantDesign, ports: Mapping[str, Ints]) -> Ints:
    """Return the VLAN of a tenant's VRF on each device, int32; 0 for devices without the VRF.

    A switch has the VRF if it has ports of the tenant, or if a switch below it has the VRF.
    """
    has_vrf = np.zeros(len(plan.devices), dtype=bool)
    for column in ports.values():
        has_vrf |= column > 0
    between = enumerate((s.lower_tier, s.tier) for s in plan.links.segments)
    order = [(design.levels[lower], i) for i, (lower, upper) in between if lower and upper and lower != upper]
    for _, i in sorted(order):  # from the lowest level up, so that what a switch has is known before those above ask
        rows = plan.links.find_rows(i)
        has_vrf[plan.links.b_device[rows][has_vrf[plan.links.a_device[rows]]]] = True
    vlan = np.zeros(len(plan.devices), dtype=np.int32)
    for cls in plan.devices.classes:
        if cls.kind == SWITCH and cls.fabric in tenant.vlans:
            vlan[cls.rows] = tenant.vlans[cls.fabric][0]
    return np.where(has_vrf, vlan, 0).astype(np.int32)

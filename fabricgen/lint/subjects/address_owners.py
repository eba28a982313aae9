"""Who has an address by the plan, for the rules on servers that are stated by address."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Address, IPv6Address
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster
    from fabricgen.numbering.addresses.family_tables import FamilyAddresses
    from fabricgen.numbering.blocks.column import AddressColumn
    from fabricgen.wiring.arrays import Ints
    from fabricgen.wiring.tables import DeviceClass

NO_BMC = ("MGMT",)
"""Ports of the role `bmc` that are a device's own management port: of firewalls and routers."""


class Owner(NamedTuple):
    """Who has an address: a device, by its row and class, and the fabric and VRF that the address is in.

    `port` is that of a node or extra device, `is_bmc` whether it is a management controller; of a switch `what` says
    what it is ("a port of "). The VRF is "" for the default one.
    """

    device: int
    of_class: DeviceClass
    fabric: str
    vrf: str = ""
    what: str = ""
    port: str = ""
    is_bmc: bool = False


def has_accelerators(devices: DeviceClass) -> bool:
    """Whether devices are nodes with accelerators."""
    from fabricgen.catalog.node_models import NodeProfile
    from fabricgen.wiring.tables import NODE

    return (
        devices.kind == NODE and isinstance(devices.profile, NodeProfile) and devices.profile.accelerators is not None
    )


def find_owner(cluster: Cluster, address: IPv4Address | IPv6Address) -> Owner | None:
    """Who has an address, switches before nodes and extra devices; None where nobody has."""
    for addresses in cluster.addresses.families:
        if addresses.family.bits == address.max_prefixlen:
            number = int(address)
            return next(
                chain(_find_switches(cluster, addresses, number), _find_nodes(cluster, addresses, number)), None
            )
    return None


def _find_switches(cluster: Cluster, addresses: FamilyAddresses, number: int) -> Iterator[Owner]:
    """The switches that have the address `number` (an integer): on a port of management, a loopback, a gateway or a
    link.
    """
    import numpy as np

    from fabricgen.wiring.tables import SWITCH

    links, devices = cluster.plan.links, cluster.plan.devices
    columns: list[tuple[AddressColumn, str, Ints | None]] = [
        (addresses.management, "", None),
        (addresses.management_gateway, "the management gateway of ", None),
        (addresses.loopback, "", None),
        *((subnets.own_address, "", None) for subnets in addresses.subnets.values()),
        *((column, "", None) for column in addresses.vrf_loopbacks.values()),
        (addresses.a, "a port of ", links.a_device),
        (addresses.b, "a port of ", links.b_device),
        *((column, "a port of ", links.b_device) for column in addresses.vrf_links.values()),
        # of the pair of a link in a VRF the lower end has the second
        *((column.plus(1), "a port of ", links.a_device) for column in addresses.vrf_links.values()),
    ]
    for column, role, device in columns:
        for row in np.flatnonzero(column.equals(number)).tolist():
            switch = row if device is None else int(device[row])
            of_class = devices.classes[devices.device_class[switch]]
            if of_class.kind == SWITCH:
                yield Owner(switch, of_class, of_class.fabric, what=role)
    for fabric, subnets in addresses.subnets.items():
        # length 0 is a switch without a block, and would shift by all bits
        inside = subnets.base.present & subnets.base.within(number, np.maximum(subnets.length, 1))
        for switch in np.flatnonzero(inside).tolist():
            if number in addresses.list_gateways(fabric, switch):
                yield Owner(switch, devices.classes[devices.device_class[switch]], fabric, what="the gateway of ")


def _find_nodes(cluster: Cluster, addresses: FamilyAddresses, number: int) -> Iterator[Owner]:
    """The nodes and extra devices that have the address `number` (an integer): on a port of theirs,
    or in a VLAN on it.
    """
    import numpy as np

    from fabricgen.wiring.tables import SWITCH
    from fabricgen.wiring.tenants import find_device_tenants

    design, links, devices = cluster.design, cluster.plan.links, cluster.plan.devices
    for shared, column in (("", addresses.a), *addresses.shared.items()):
        for row in np.flatnonzero(column.equals(number)).tolist():
            segment, device = links.segments[links.segment[row]], int(links.a_device[row])
            of_class = devices.classes[devices.device_class[device]]
            if of_class.kind == SWITCH:
                continue
            fabric, port = shared or segment.fabric, str(cluster.a_port[row])
            tenant = int(find_device_tenants(design, devices)[device]) if design.tenants else -1
            is_tenants = tenant >= 0 and fabric in design.tenants[tenant].fabrics
            vrf = design.tenants[tenant].name if is_tenants else design.fabric(fabric).vrf
            is_bmc = getattr(segment.a, "role", "") == "bmc" and port not in NO_BMC
            yield Owner(device, of_class, fabric, vrf, port=port, is_bmc=is_bmc)

"""Find the device that has an address by the plan, for the rules on servers that a blueprint states by address."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Address, IPv6Address
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.kernel.diagnostics import Path
from fabricgen.lint.subjects.addressing import list_server_addresses

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster
    from fabricgen.numbering.addresses.family_tables import FamilyAddresses
    from fabricgen.numbering.blocks.column import AddressColumn
    from fabricgen.wiring.arrays import Ints
    from fabricgen.wiring.tables import DeviceClass

NO_BMC = ("MGMT",)
"""Ports of the role `bmc` that belong to no management controller: the management ports of firewalls and routers."""


class Owner(NamedTuple):
    """The device that has an address, by its row and class, and the fabric and VRF that the address is in."""

    device: int
    of_class: DeviceClass
    fabric: str
    vrf: str = ""
    """The VRF that the address is in; "" for the default one."""
    what: str = ""
    """What of a switch has the address, as words before its name: `a port of `; "" for the switch itself."""
    port: str = ""
    """The port of a node or extra device that has the address."""
    is_bmc: bool = False
    """Whether the port is that of a management controller."""


def has_accelerators(devices: DeviceClass) -> bool:
    """Whether the devices of a class are nodes with accelerators."""
    from fabricgen.catalog.node_models import NodeProfile
    from fabricgen.wiring.tables import NODE

    return (
        devices.kind == NODE and isinstance(devices.profile, NodeProfile) and devices.profile.accelerators is not None
    )


def find_owner(cluster: Cluster, address: IPv4Address | IPv6Address) -> Owner | None:
    """Return the owner of an address, looked for among switches, then nodes and extra devices; None if it has none."""
    number, of_family = int(address), [a for a in cluster.addresses.families if a.family.bits == address.max_prefixlen]
    owners = (
        owner
        for addresses in of_family
        for find_owners in (_find_switches, _find_nodes)
        for owner in find_owners(cluster, addresses, number)
    )
    return next(owners, None)


def list_servers_with_owners(cluster: Cluster) -> Iterator[tuple[Path, IPv4Address | IPv6Address, Owner | None]]:
    """Yield (path, address, its owner by the plan) for every server that the blueprint states by address."""
    for path, server in list_server_addresses(cluster.design):
        yield path, server.network_address, find_owner(cluster, server.network_address)


def _find_switches(cluster: Cluster, addresses: FamilyAddresses, number: int) -> Iterator[Owner]:
    """Yield each switch that has an address, given as the integer `number`: on its management port, its loopbacks, a
    link, or as the gateway of hosts or of the management network.
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
        # a link in a VRF has a pair of addresses, of which its lower end takes the second
        *((column.plus(1), "a port of ", links.a_device) for column in addresses.vrf_links.values()),
    ]
    # a column has a row for each link if `link_end` says which device is at the end, else a row for each device
    for column, role, link_end in columns:
        for row in np.flatnonzero(column.equals(number)).tolist():
            switch = row if link_end is None else int(link_end[row])
            of_class = devices.classes[devices.device_class[switch]]
            if of_class.kind == SWITCH:
                yield Owner(switch, of_class, of_class.fabric, what=role)
    for fabric, subnets in addresses.subnets.items():
        # a switch without a block has length 0, which would shift by all bits
        inside = subnets.base.present & subnets.base.within(number, np.maximum(subnets.length, 1))
        for switch in np.flatnonzero(inside).tolist():
            if number in addresses.list_gateways(fabric, switch):
                yield Owner(switch, devices.classes[devices.device_class[switch]], fabric, what="the gateway of ")


def _find_nodes(cluster: Cluster, addresses: FamilyAddresses, number: int) -> Iterator[Owner]:
    """Yield each node and extra device that has an address, given as the integer `number`, on a port or in a VLAN of
    a port that several fabrics share.
    """
    import numpy as np

    from fabricgen.wiring.tables import SWITCH
    from fabricgen.wiring.tenants import find_device_tenants

    design, links, devices = cluster.design, cluster.plan.links, cluster.plan.devices
    # the column "" is of the fabric that owns a link, the others are of fabrics that share its ports
    for sharing_fabric, column in (("", addresses.a), *addresses.shared.items()):
        for row in np.flatnonzero(column.equals(number)).tolist():
            segment, device = links.segments[links.segment[row]], int(links.a_device[row])
            of_class = devices.classes[devices.device_class[device]]
            if of_class.kind == SWITCH:
                continue
            fabric, port = sharing_fabric or segment.fabric, str(cluster.a_port[row])
            tenant = int(find_device_tenants(design, devices)[device]) if design.tenants else -1
            is_tenants = tenant >= 0 and fabric in design.tenants[tenant].fabrics
            vrf = design.tenants[tenant].name if is_tenants else design.fabric(fabric).vrf
            is_bmc = getattr(segment.a, "role", "") == "bmc" and port not in NO_BMC
            yield Owner(device, of_class, fabric, vrf, port=port, is_bmc=is_bmc)

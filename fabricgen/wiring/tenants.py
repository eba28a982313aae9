"""Which tenant each device, and each link of its, is of."""

from __future__ import annotations

import numpy as np

from fabricgen.design.model import Design
from fabricgen.wiring.tables import EXTRA, NODE, DeviceTable, Ints, WiringPlan

NOBODY = -1
"""The tenant of devices and links that are none's."""


def tenant_of_devices(design: Design, devices: DeviceTable) -> Ints:
    """The tenant of every device as an index into `design.tenants`, NOBODY for none; int32."""
    found = np.full(len(devices), NOBODY, dtype=np.int32)
    of_slot = {(s.pod, s.su - 1, s.node - 1): at for at, tenant in enumerate(design.tenants) for s in tenant.slots}
    of_extra = {name: at for at, tenant in enumerate(design.tenants) for name in tenant.extras}
    for cls in devices.classes:
        if cls.kind == EXTRA:
            found[cls.rows] = of_extra.get(cls.label, NOBODY)
        elif cls.kind == NODE:
            columns = (devices.pod, devices.su, devices.node)
            places = zip(*(column[cls.rows].tolist() for column in columns), strict=True)
            found[cls.rows] = [of_slot.get(place, NOBODY) for place in places]
    return found


def tenant_of_links(design: Design, plan: WiringPlan, fabric: str) -> Ints:
    """The tenant of every link in a fabric, by the node or extra device at its lower end, NOBODY for links of others
    and of tenants that have nothing of their own in that fabric; int32.

    Links of other fabrics count, since a fabric may have a VLAN on them.
    """
    inside = np.array([fabric in tenant.fabrics for tenant in design.tenants] + [False])
    found = tenant_of_devices(design, plan.devices)[plan.links.a_device]
    return np.where(inside[found], found, NOBODY).astype(np.int32)

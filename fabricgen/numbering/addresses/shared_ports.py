"""Node ports on which another fabric has a VLAN as well, and leaves on which hosts of two VRFs share a subnet."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fabricgen.design.fabric_model import FabricDesign
from fabricgen.design.model import Design
from fabricgen.design.tenants.stated import make_subnet_fault
from fabricgen.kernel.diagnostics import InputError
from fabricgen.wiring.arrays import Ints64
from fabricgen.wiring.tables import WiringPlan
from fabricgen.wiring.tenants import NOBODY, find_link_tenants


def find_shared_segments(plan: WiringPlan, design: Design, fabric: FabricDesign) -> list[int]:
    """Return the indexes of the link segments whose node ports a fabric shares: those of its carrier, the fabric whose
    switches it uses. Ports of extra devices are not shared.
    """
    path = design.fabric(fabric.carrier).path
    return [i for i, s in enumerate(plan.links.segments) if s.path == path and s.lower == "node"]


def find_sharing_fabrics(
    plan: WiringPlan, design: Design, absent: frozenset[str] = frozenset()
) -> dict[int, tuple[str, ...]]:
    """Return the names of the fabrics that have a VLAN on the node ports of another fabric, by index of the link
    segment.

    Such fabrics have no ports of their own. Fabrics in `absent` are left out.
    """
    names_by_segment: dict[int, tuple[str, ...]] = {}
    for fabric in (f for f in design.fabrics if f.name not in absent):
        for segment in find_shared_segments(plan, design, fabric) if fabric.shares_ports else ():
            names_by_segment[segment] = (*names_by_segment.get(segment, ()), fabric.name)
    return names_by_segment


def check_leaks(design: Design, plan: WiringPlan, names: Sequence[str]) -> None:
    """Raise InputError (FG098) for leaves on which hosts of both VRFs of a leak are in one subnet.

    Both VRFs then have the subnet, so that neither can learn it from the other. `names` are the names of devices, by
    row.
    """
    faults = []
    for leak in design.leaks:
        for fabric in leak.meeting:
            first_leaves, second_leaves = (_find_leaves(design, plan, fabric, vrf) for vrf in leak.between)
            shared = np.intersect1d(first_leaves, second_leaves)
            if len(shared):
                faults.append(make_subnet_fault(leak, fabric, names[shared[0]], len(shared) - 1))
    if faults:
        raise InputError(faults)


def _find_leaves(design: Design, plan: WiringPlan, name: str, vrf: str) -> Ints64:
    """Return the rows of the switches with hosts of the fabric `name` in a VRF, ascending; int64.

    In the VRF of a tenant these are its hosts; in any other, those of no tenant.
    """
    fabric = design.fabric(name)
    is_host = np.array([s.fabric == name and s.lower == "node" for s in plan.links.segments], dtype=bool)
    if fabric.shares_ports:
        is_host[find_shared_segments(plan, design, fabric)] = True
    tenants = [tenant.name for tenant in design.tenants]
    owner = tenants.index(vrf) if vrf in tenants else NOBODY
    rows = np.flatnonzero(is_host[plan.links.segment] & (find_link_tenants(design, plan, name) == owner))
    return np.unique(plan.links.b_device[rows]).astype(np.int64)

"""Leaves on which hosts of two VRFs are in one subnet, so that the VRFs cannot tell each other of it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fabricgen.design.model import Design
from fabricgen.design.tenants.stated import make_subnet_fault
from fabricgen.kernel.diagnostics import InputError
from fabricgen.numbering.addresses.shared_ports import find_shared_segments
from fabricgen.wiring.arrays import Ints64
from fabricgen.wiring.tables import WiringPlan
from fabricgen.wiring.tenants import NOBODY, find_link_tenants


def check_leaks(design: Design, plan: WiringPlan, names: Sequence[str]) -> None:
    """Raise InputError (FG098) for leaves with hosts of both VRFs of a leak; `names` are those of devices."""
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
    """Return rows of the switches on which hosts of a fabric are in a VRF, in order; int64."""
    fabric = design.fabric(name)
    is_host = np.array([s.fabric == name and s.lower == "node" for s in plan.links.segments], dtype=bool)
    if fabric.shares_ports:
        is_host[find_shared_segments(plan, design, fabric)] = True
    tenants = [tenant.name for tenant in design.tenants]
    owner = tenants.index(vrf) if vrf in tenants else NOBODY
    rows = np.flatnonzero(is_host[plan.links.segment] & (find_link_tenants(design, plan, name) == owner))
    return np.unique(plan.links.b_device[rows]).astype(np.int64)

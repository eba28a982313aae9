"""From the design to the plan: every device, link, rack and cable as columns."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import InputError
from fabricgen.plan.cabling import cable
from fabricgen.plan.devices import expand_devices
from fabricgen.plan.placement import place
from fabricgen.plan.scale_up import scale_up_wires
from fabricgen.plan.tables import LinkTable, Plan
from fabricgen.plan.wiring import FabricWiring, Wires


def build_plan(design: Design) -> Plan:
    """Expand a design; raises InputError, with its place, where racks cannot hold what stands in them."""
    try:
        devices, racks = place(design, expand_devices(design))
    except InputError as error:
        raise design.loaded.located(error) from error
    wires = [w for fabric in design.fabrics for w in FabricWiring(design, devices, fabric).wires()]
    wires += scale_up_wires(design, devices)
    links = _join(wires)
    of_link, cables = cable(design, devices, racks, links)
    return Plan(devices, replace(links, cable=of_link), cables, racks)


def _join(wires: list[Wires]) -> LinkTable:
    """One table of the links of all segments, in their order."""
    counts = [len(w.a_device) for w in wires]
    return LinkTable(
        segments=tuple(w.segment for w in wires),
        segment=np.repeat(np.arange(len(wires), dtype=np.int32), counts),
        a_device=np.concatenate([w.a_device for w in wires]),
        a_port=np.concatenate([w.a_port for w in wires]),
        b_device=np.concatenate([w.b_device for w in wires]),
        b_port=np.concatenate([w.b_port for w in wires]),
        rail=np.concatenate([w.rail for w in wires]),
        plane=np.concatenate([w.plane for w in wires]),
        cable=np.full(sum(counts), -1, dtype=np.int32),
    )

"""Links of scale-up domains that leave a chassis: from accelerators in trays to the ASICs of switch trays."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fabricgen.design.management import TRAY_TIER
from fabricgen.design.model import Design, ScaleUpDesign
from fabricgen.design.scale_up import domain_links
from fabricgen.plan.tables import NODE, TRAY, DeviceTable, ScaleUpPort, Segment
from fabricgen.plan.wiring import Wires


def scale_up_wires(design: Design, devices: DeviceTable) -> Iterator[Wires]:
    """Yield the links of every domain that spans a rack; those of a domain inside one node stay on its board."""
    for scale_up in design.scale_up:
        if scale_up.per == "rack" and scale_up.profile.tray:
            yield _rack_wires(design, devices, scale_up)


def _rack_wires(design: Design, devices: DeviceTable, scale_up: ScaleUpDesign) -> Wires:
    profile, layout = scale_up.profile, design.layout
    local = np.array(domain_links(profile, scale_up.path), dtype=np.int32)
    per_node = profile.accelerators // layout.nodes_per_rack
    trays = next(c for c in devices.classes if c.kind == TRAY and c.fabric == scale_up.name)
    trays_each = profile.switches // profile.switches_per_tray
    first_tray = devices.unit[trays.rows] * layout.racks_per_su + devices.rack_in_unit[trays.rows]
    racks = first_tray[::trays_each]

    node_at = np.full((layout.units * layout.racks_per_su, layout.nodes_per_rack), -1, dtype=np.int32)
    for cls in devices.classes:
        if cls.kind == NODE:
            rack = devices.unit[cls.rows] * layout.racks_per_su + devices.rack_in_unit[cls.rows]
            node_at[rack, devices.node[cls.rows] % layout.nodes_per_rack] = np.arange(cls.first, cls.first + cls.count)

    accelerator, port, _, asic, asic_port = local.T
    node = node_at[racks][:, accelerator // per_node]
    tray = trays.first + np.arange(len(racks))[:, None] * trays_each + asic // profile.switches_per_tray
    here = node.ravel() >= 0
    ports_each = int(port.max()) + 1
    a_port = accelerator % per_node * ports_each + port
    b_port = asic % profile.switches_per_tray * profile.switch_ports + asic_port
    segment = Segment(
        fabric=scale_up.name,
        lower="node",
        upper=TRAY_TIER,
        speed_gbps=profile.link_gbps,
        lane_gbps=profile.link_gbps,
        a=ScaleUpPort("gpu", ports_each),
        b=ScaleUpPort("asic", profile.switch_ports),
        backplane=profile.backplane,
        path=scale_up.path,
    )
    none = np.zeros(int(here.sum()), dtype=np.int32)
    return Wires(
        segment,
        node.ravel()[here],
        np.tile(a_port, len(racks)).astype(np.int32)[here],
        tray.ravel().astype(np.int32)[here],
        np.tile(b_port, len(racks)).astype(np.int32)[here],
        none,
        none,
    )

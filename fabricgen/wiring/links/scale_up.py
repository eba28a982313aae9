"""Links of scale-up domains: all of them as columns, and those that leave a chassis as segments of the link table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from fabricgen.design.management.managed import TRAY_TIER
from fabricgen.design.model import Design
from fabricgen.design.scale_up.domains import domain_links
from fabricgen.design.scale_up.model import ScaleUpDesign
from fabricgen.wiring.links.fabric import SegmentLinks
from fabricgen.wiring.links.scale_up_places import device_domains, present_domains
from fabricgen.wiring.links.scale_up_ports import ScaleUpPort
from fabricgen.wiring.tables import NODE, TRAY, DeviceTable, Flags, Ints, Segment


@dataclass(frozen=True, slots=True)
class DomainLinks:
    """Every link of the domains of one entry, int32 columns of one length, domain by domain.

    A switch on a node's board has that node as its device. `at_switch` tells which b ends are switches.
    """

    a: ScaleUpPort
    b: ScaleUpPort
    domain: Ints
    a_device: Ints
    a_port: Ints
    b_device: Ints
    b_port: Ints
    at_switch: Flags


def expand_domains(design: Design, devices: DeviceTable, scale_up: ScaleUpDesign) -> DomainLinks:
    """All links of the domains of a scale-up entry, except those of omitted nodes."""
    profile, per_node = scale_up.profile, scale_up.places.per_node
    local = np.array([tuple(link) for link in domain_links(scale_up)], dtype=np.int32).reshape(-1, 5)
    accelerator, port, at_switch, far, far_port = local.T
    domains = present_domains(design, scale_up)
    node_at = _node_at(design, devices, scale_up)[domains]
    to_switch = at_switch.astype(bool)
    ports_each = 1 + int(max(port.max(initial=0), far_port[~to_switch].max(initial=0)))
    a_node = node_at[:, accelerator // per_node]
    b_node = node_at[:, np.where(to_switch, 0, far // per_node)]
    switches_each = profile.switches_per_tray if scale_up.trays_each else max(1, profile.switches)
    if scale_up.trays_each:
        trays = next(c for c in devices.classes if c.kind == TRAY and c.fabric == scale_up.name)
        row_of = np.full(scale_up.trays, -1, dtype=np.int32)  # at a phase not all are there
        row_of[devices.ordinal[trays.rows]] = np.arange(trays.first, trays.first + trays.count, dtype=np.int32)
        first = np.arange(len(domains), dtype=np.int32)[:, None] * scale_up.trays_each
        b_device = np.where(to_switch, row_of[np.where(to_switch, first + far // switches_each, 0)], b_node)
    else:
        b_device = np.where(to_switch, a_node, b_node)
    here = ((a_node >= 0) & (b_device >= 0)).ravel()

    def column(values: Ints) -> Ints:
        tiled: Ints = np.tile(values, len(domains)).astype(np.int32)[here]
        return tiled

    at_accelerator = far % per_node * ports_each + far_port
    at_asic = far % switches_each * profile.ports_of_switch + far_port
    ocs = bool(profile.tray) and design.catalog.switch(profile.tray).protocol == "optical-circuit"
    return DomainLinks(
        a=_side(scale_up, "gpu", ports_each),
        b=_side(scale_up, "ocs" if ocs else "asic", max(1, profile.ports_of_switch)),
        domain=np.repeat(domains, len(local))[here],
        a_device=a_node.ravel().astype(np.int32)[here],
        a_port=column(accelerator % per_node * ports_each + port),
        b_device=b_device.ravel().astype(np.int32)[here],
        b_port=column(np.where(to_switch, at_asic, at_accelerator)),
        at_switch=np.tile(to_switch, len(domains))[here],
    )


def _node_at(design: Design, devices: DeviceTable, scale_up: ScaleUpDesign) -> Ints:
    """Device row of each node by (domain, index in it), int32; -1 where the node is omitted."""
    table = np.full((scale_up.places.slots, scale_up.places.nodes), -1, dtype=np.int32)
    for cls in devices.classes:
        if cls.kind == NODE:
            domain, place = device_domains(design, devices, scale_up.places, cls.rows)
            inside = domain >= 0
            table[domain[inside], place[inside]] = np.flatnonzero(inside) + cls.first
    return table


def _side(scale_up: ScaleUpDesign, role: Literal["gpu", "asic", "ocs"], ports_each: int) -> ScaleUpPort:
    return ScaleUpPort(role, ports_each, scale_up.profile.link_name, scale_up.profile.form_factor)


def scale_up_links(design: Design, devices: DeviceTable) -> Iterator[SegmentLinks]:
    """Yield the links of every domain that leave a chassis: between nodes, then from nodes to switch trays."""
    for scale_up in design.scale_up:
        if scale_up.per == "node":
            continue
        links = expand_domains(design, devices, scale_up)
        profile = scale_up.profile
        between = (links.a_device != links.b_device) & ~links.at_switch
        for rows, upper, far, media in (
            (between, "node", links.a, profile.media),
            (links.at_switch, TRAY_TIER, links.b, profile.switch_media or profile.media),
        ):
            if rows.any():
                segment = Segment(
                    fabric=scale_up.name,
                    lower="node",
                    upper=upper,
                    speed_gbps=profile.link_gbps,
                    lane_gbps=profile.lane_gbps,
                    a=links.a,
                    b=far,
                    backplane=profile.backplane,
                    path=scale_up.path,
                    media=media,
                )
                none = np.zeros(int(rows.sum()), dtype=np.int32)
                ends = (links.a_device[rows], links.a_port[rows], links.b_device[rows], links.b_port[rows])
                yield SegmentLinks(segment, *ends, none, none)

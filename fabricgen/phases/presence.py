"""Which devices and links of a wiring plan are there at a phase."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from fabricgen.design.model import Design
from fabricgen.design.phase_selection import Selection
from fabricgen.wiring.arrays import Flags, Ints, rank_within
from fabricgen.wiring.tables import EXTRA, NODE, SWITCH, DeviceTable, WiringPlan


class Presence(NamedTuple):
    """Whether each device and each link is there; bool, one a row."""

    devices: Flags
    links: Flags


def find_presence(design: Design, plan: WiringPlan, selection: Selection) -> Presence:
    """What is there at a phase.

    A device is there with its place (units, and the pods and sites of these), its fabric, plane and rail; a link with
    both its ends, its fabric, plane and rail. A switch under which nothing is left, though in the end something is, is
    not there: a core of spines to come.
    """
    present, links = _select_devices(design, plan.devices, selection), plan.links
    selected = _select_links(plan, selection)
    # with all links: what has nothing below even in the end is no switch to come
    below = _has_below(plan, np.ones(len(links), dtype=bool))
    # tier by tier: a spine whose leaves are gone leaves its core without anything below
    while True:
        wired = selected & present[links.a_device] & present[links.b_device]
        idle = present & below & ~_has_below(plan, wired)
        if not idle.any():
            return Presence(present, wired)
        present = present & ~idle


def _has_below(plan: WiringPlan, wired: Flags) -> Flags:
    """Whether each device is the upper end of a link from another class of devices; only of `wired` links."""
    devices, links = plan.devices, plan.links
    down = wired & (devices.device_class[links.a_device] != devices.device_class[links.b_device])
    has_lower = np.zeros(len(devices), dtype=bool)
    has_lower[links.b_device[down]] = True
    switches = np.array([cls.kind == SWITCH for cls in devices.classes], dtype=bool)
    flags: Flags = has_lower & switches[devices.device_class]
    return flags


def _select_devices(design: Design, devices: DeviceTable, selection: Selection) -> Flags:
    """Whether each device is there by its place, fabric, number, plane and rail; bool."""
    present = _select_by_place(design, devices, selection)
    if selection.nodes is not None:
        present &= _select_first_nodes(design, devices, present, selection.nodes)
    for cls in devices.classes:
        rows = cls.rows
        if cls.kind == EXTRA:
            present[rows] &= cls.label in selection.extra
        elif cls.kind == SWITCH:
            present[rows] &= cls.fabric in selection.fabrics
            present[rows] &= devices.index[rows] < selection.switches[cls.key]
            present[rows] &= _is_among(devices.plane[rows] + 1, selection.planes[cls.fabric])
            present[rows] &= _is_among(devices.rail[rows] + 1, selection.rails[cls.fabric])
    return present


def _select_by_place(design: Design, devices: DeviceTable, selection: Selection) -> Flags:
    """Whether the unit of each device is there, or one of the units of its pod, or of its site."""
    layout = design.layout
    pods = [(pod, set(range(pod.first_su, pod.first_su + pod.su)) & selection.units) for pod in layout.pods]
    sites = {pod.site for pod, units in pods if units}
    present = np.ones(len(devices), dtype=bool)
    for column, selected in (
        (devices.unit, [unit in selection.units for unit in range(layout.units)]),
        (devices.pod, [bool(units) for _, units in pods]),
        (devices.site, [site in sites for site in layout.sites]),
    ):
        present &= np.array([*selected, True], dtype=bool)[column]  # -1 is of no such place
    return present


def _select_first_nodes(design: Design, devices: DeviceTable, present: Flags, most: int) -> Flags:
    """Whether each device is one of the first nodes of its set in a unit, stands in a rack with one of these, or is
    neither a node nor in a node's rack.
    """
    beside = {nodes.path for nodes in design.layout.node_sets if nodes.per_rack}
    selected = np.ones(len(devices), dtype=bool)
    nodes = np.zeros(len(devices), dtype=bool)
    for cls in devices.classes:
        if cls.kind == NODE and cls.path not in beside:
            nodes[cls.rows] = True
            selected[cls.rows] = rank_within(devices.unit[cls.rows]) < most
    # (unit, rack in it) as one number
    rack = devices.unit.astype(np.int64) * (int(devices.rack_in_unit.max(initial=0)) + 1) + devices.rack_in_unit
    switches = np.array([cls.kind == SWITCH for cls in devices.classes], dtype=bool)[devices.device_class]
    stands = (devices.rack_in_unit >= 0) & ~nodes & ~switches
    selected[stands] = np.isin(rack[stands], rack[nodes & selected & present])
    return selected


def _is_among(column: Ints, numbers: Collection[int] | None) -> Flags | bool:
    """Where a number, from 1, is among some; those of things that have none, 0, are. None: all are."""
    if numbers is None:
        return True
    flags: Flags = np.isin(column, np.array([0, *sorted(numbers)], dtype=np.int32))
    return flags


def _select_links(plan: WiringPlan, selection: Selection) -> Flags:
    """Whether fabric, plane and rail of each link are there; scale-up links are of no fabric."""
    links, selected = plan.links, np.ones(len(plan.links), dtype=bool)
    for i, segment in enumerate(links.segments):
        rows = links.find_rows(i)
        if segment.fabric in selection.planes:
            selected[rows] &= segment.fabric in selection.fabrics
            selected[rows] &= _is_among(links.plane[rows], selection.planes[segment.fabric])
            selected[rows] &= _is_among(links.rail[rows], selection.rails[segment.fabric])
    return selected

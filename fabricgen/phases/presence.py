"""Which devices and links of a wiring plan exist at a phase."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple, cast

import numpy as np

from fabricgen.design.model import Design
from fabricgen.design.phase_selection import Selection
from fabricgen.wiring.arrays import Flags, Ints, rank_within
from fabricgen.wiring.tables import EXTRA, NODE, SWITCH, DeviceTable, WiringPlan


class Presence(NamedTuple):
    """Whether each device and each link of a plan exists at a phase; bool, by row."""

    devices: Flags
    links: Flags


def find_presence(design: Design, plan: WiringPlan, selection: Selection) -> Presence:
    """Return which devices and links exist at a phase.

    A device exists if its place (its unit, or a unit of its pod or site), fabric, plane and rail do; a link exists if
    both its ends, its fabric, plane and rail do. A switch does not exist if nothing below it is left although the whole
    plan has something there, such as a core whose spines are still to come.
    """
    present, links = _select_devices(design, plan.devices, selection), plan.links
    selected = _select_links(plan, selection)
    # in the whole plan: a switch with nothing below even there is never left out for that reason
    has_below_when_whole = _has_below(plan, np.ones(len(links), dtype=bool))
    # repeated tier by tier: if a spine is left out, its core may have nothing below any more
    while True:
        wired = selected & present[links.a_device] & present[links.b_device]
        unused = present & has_below_when_whole & ~_has_below(plan, wired)
        if not unused.any():
            return Presence(present, wired)
        present = present & ~unused


def _has_below(plan: WiringPlan, wired: Flags) -> Flags:
    """Return which switches have something below them: at least one of the `wired` links ends at them from below.

    `wired` flags links. Links within a class of devices, such as those between the two switches of a pair, do not
    count. The result is bool by device.
    """
    devices, links = plan.devices, plan.links
    down = wired & (devices.device_class[links.a_device] != devices.device_class[links.b_device])
    has_lower = np.zeros(len(devices), dtype=bool)
    has_lower[links.b_device[down]] = True
    switches = np.array([cls.kind == SWITCH for cls in devices.classes], dtype=bool)
    return cast("Flags", has_lower & switches[devices.device_class])


def _select_devices(design: Design, devices: DeviceTable, selection: Selection) -> Flags:
    """Return which devices exist by their place, fabric, number, plane and rail; bool by device."""
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
            # planes and rails of devices count from 0 (-1: none), those of the selection and of links from 1
            present[rows] &= _is_among(devices.plane[rows] + 1, selection.planes[cls.fabric])
            present[rows] &= _is_among(devices.rail[rows] + 1, selection.rails[cls.fabric])
    return present


def _select_by_place(design: Design, devices: DeviceTable, selection: Selection) -> Flags:
    """Return which devices have a unit that exists, or whose pod or site has one; bool by device."""
    layout = design.layout
    pods = [(pod, set(range(pod.first_su, pod.first_su + pod.su)) & selection.units) for pod in layout.pods]
    sites = {pod.site for pod, units in pods if units}
    present = np.ones(len(devices), dtype=bool)
    for column, selected in (
        (devices.unit, [unit in selection.units for unit in range(layout.units)]),
        (devices.pod, [bool(units) for _, units in pods]),
        (devices.site, [site in sites for site in layout.sites]),
    ):
        present &= np.array([*selected, True], dtype=bool)[column]  # the last entry is read for -1, in no such place
    return present


def _select_first_nodes(design: Design, devices: DeviceTable, present: Flags, node_count: int) -> Flags:
    """Return which devices are kept if only the first `node_count` nodes of each set in each unit are; bool by device.

    All switches are kept. Other devices that stand in a rack of a unit are kept only if that rack holds a node that is
    kept and `present`; devices elsewhere are kept.
    """
    per_rack = {nodes.path for nodes in design.layout.node_sets if nodes.per_rack}
    selected = np.ones(len(devices), dtype=bool)
    nodes = np.zeros(len(devices), dtype=bool)
    for cls in devices.classes:
        if cls.kind == NODE and cls.path not in per_rack:
            nodes[cls.rows] = True
            selected[cls.rows] = rank_within(devices.unit[cls.rows]) < node_count
    # (unit, rack in it) as one number
    rack = devices.unit.astype(np.int64) * (int(devices.rack_in_unit.max(initial=0)) + 1) + devices.rack_in_unit
    switches = np.array([cls.kind == SWITCH for cls in devices.classes], dtype=bool)[devices.device_class]
    others_in_racks = (devices.rack_in_unit >= 0) & ~nodes & ~switches
    selected[others_in_racks] = np.isin(rack[others_in_racks], rack[nodes & selected & present])
    return selected


def _is_among(column: Ints, numbers: Collection[int] | None) -> Flags | bool:
    """Flag the numbers of a column that are among `numbers` (from 1), and 0, which stands for no number; bool.

    Return True, for all of them, if `numbers` is None.
    """
    if numbers is None:
        return True
    return np.isin(column, np.array([0, *sorted(numbers)], dtype=np.int32))


def _select_links(plan: WiringPlan, selection: Selection) -> Flags:
    """Return which links have a fabric, plane and rail that exist, and all scale-up links, which have no fabric;
    bool by link.
    """
    links, selected = plan.links, np.ones(len(plan.links), dtype=bool)
    for i, segment in enumerate(links.segments):
        rows = links.find_rows(i)
        if segment.fabric in selection.planes:  # not of a scale-up domain
            selected[rows] &= segment.fabric in selection.fabrics
            selected[rows] &= _is_among(links.plane[rows], selection.planes[segment.fabric])
            selected[rows] &= _is_among(links.rail[rows], selection.rails[segment.fabric])
    return selected

"""Cable ends on another device than planned: whether that device has ports of their kind, else why not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fabricgen.cable_overrides.ends import CableEnd, CableIndex
from fabricgen.design.fabric_model import Attachment
from fabricgen.design.ports import PortRun
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Path, did_you_mean, fault
from fabricgen.numbering.addresses.family_tables import FamilyAddresses
from fabricgen.wiring.arrays import Ints64
from fabricgen.wiring.tables import EXTRA, NODE, SWITCH, DeviceClass, ScaleUpPort, Segment, WiringPlan

NOT_THERE = "FG077"
UNKNOWN = "FG080"

PULL = "pull the cable to where it is planned"

KINDS = {NODE: "a node", EXTRA: "an extra device", SWITCH: "a switch"}


@dataclass(frozen=True)
class OtherDevices:
    """Moves cable ends to other devices on which they are stated to be."""

    cables: CableIndex

    @cached_property
    def _rows(self) -> Mapping[str, int]:
        return {name: row for row, name in enumerate(self.cables.names)}

    def move_end(self, device: str, end: CableEnd, path: Path) -> CableEnd:
        """Return the same end of a cable on another device.

        Raises InputError: FG080 for a device that does not exist, FG077 for one whose ports are of another kind.
        """
        row = self._rows.get(device)
        if row is None:
            raise refuse_device(device, self.cables.names, path)
        reason = self._explain_misfit(row, end)
        if reason:
            message = f"the {end.word} end of this cable belongs to {end.name} and cannot be on {device}, {reason}"
            raise fault(NOT_THERE, message, path=path, hint=PULL)
        return end._replace(device=row, name=device)

    def _explain_misfit(self, row: int, end: CableEnd) -> str:
        """Return why an end cannot be on a device; "" if it can."""
        devices = self.cables.plan.devices
        cls = devices.classes[devices.device_class[row]]
        if cls is not end.cls:
            return _describe_difference(cls, end.cls)
        if isinstance(end.side, ScaleUpPort):
            return "which is of another scale-up domain"
        if isinstance(end.side, Attachment) and not any(side == end.side for side in self._list_sides(row)):
            return f"which has no such '{end.side.role}' ports of {end.side.speed_gbps:g}G in that fabric"
        if self._is_patched(end) and devices.rack[row] != devices.rack[end.device]:
            return f"which stands in another rack: its trunk ends at the panels of {end.name}"
        return ""

    def _is_patched(self, end: CableEnd) -> bool:
        patching, cable = self.cables.plan.patching, int(self.cables.plan.links.cable[end.rows[0]])
        return patching is not None and bool(patching.policy[cable] >= 0)

    @cached_property
    def _by_lower(self) -> tuple[Ints64, Ints64]:
        """(rows of links sorted by lower device, where the links of each device begin), int64."""
        plan = self.cables.plan
        order = np.argsort(plan.links.a_device, kind="stable")
        return order, np.searchsorted(plan.links.a_device[order], np.arange(len(plan.devices) + 1))

    def _list_sides(self, device: int) -> list[object]:
        """Return what the ports of a node are, one `Segment.a` for each segment that has links of the node."""
        links, (order, start) = self.cables.plan.links, self._by_lower
        segments = np.unique(links.segment[order[start[device] : start[device + 1]]])
        return [links.segments[i].a for i in segments.tolist()]


def refuse_device(device: str, names: Sequence[str], path: Path) -> InputError:
    """Return the error (FG080) for a cable on a device that does not exist."""
    return fault(UNKNOWN, f"there is no device '{device}'", path=path, hint=did_you_mean(device, names))


def _describe_difference(cls: DeviceClass, planned: DeviceClass) -> str:
    """Return in words how the devices of one class differ from those of another."""
    if cls.kind != planned.kind:
        return f"which is {KINDS.get(cls.kind, 'a switch tray')}, not {KINDS.get(planned.kind, 'a switch tray')}"
    if cls.kind == SWITCH and cls.fabric != planned.fabric:
        return f"which is of another fabric, {cls.fabric} instead of {planned.fabric}"
    if cls.kind == SWITCH and cls.tier != planned.tier:
        return f"which is of another tier, {cls.tier} instead of {planned.tier}"
    if cls.profile.id != planned.profile.id:
        return f"which is a {cls.profile.id}, not a {planned.profile.id}"
    return "which is of another part of the cluster: its ports serve others"


@dataclass(frozen=True, slots=True)
class Relocation:
    """A link whose end is on another device than planned, and the path of the override."""

    row: int
    """The row of the link."""
    upper: bool
    """Whether it is the link's b end."""
    old: int
    """The row of the planned device."""
    new: int
    """The row of the device that it is on."""
    path: Path


def find_address_faults(
    plan: WiringPlan, names: Sequence[str], families: Sequence[FamilyAddresses], relocated: Sequence[Relocation]
) -> list[Diagnostic]:
    """Return faults (FG077) for links of hosts on another leaf if their addresses are of a block that only their
    planned leaf announces.

    A link keeps its addresses. Those of a host are in the subnet, or in the announced block, of the leaf at the link's
    upper end: on another leaf they could not be reached.
    """
    faults: list[Diagnostic] = []
    # one for each end, as all links of an end are alike
    relocation_by_path = {relocation.path: relocation for relocation in relocated if relocation.upper}
    for relocation in relocation_by_path.values():
        segment = plan.links.segments[plan.links.segment[relocation.row]]
        if isinstance(segment.a, PortRun) or not _blocks_differ(families, segment, relocation):
            continue
        message = (
            f"{names[relocation.old]} and {names[relocation.new]} announce host addresses of their own, "
            f"and this link keeps that of {names[relocation.old]}"
        )
        hint = "of two cables that are swapped, state the other ends: `a_cage: DEVICE:CAGE`; addresses then follow"
        faults += fault(NOT_THERE, message, path=relocation.path, hint=f"{hint}. Else {PULL}").diagnostics
    return faults


def _blocks_differ(families: Sequence[FamilyAddresses], segment: Segment, moved: Relocation) -> bool:
    """Whether two leaves have different blocks for hosts of a link's fabric, or of a fabric that has a VLAN on its
    ports.
    """
    for family in families:
        for fabric, subnets in family.subnets.items():
            is_concerned = fabric == segment.fabric or (fabric in family.shared and family.shared[fabric].at(moved.row))
            if is_concerned and subnets.base.at(moved.old) != subnets.base.at(moved.new):
                return True
    return False

"""What follows from cables on another device than planned: lengths of their runs, bonds, and management addresses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from fabricgen.cable_overrides.other_device import NOT_THERE, PULL, Relocation
from fabricgen.design.fabric_model import Attachment
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, InputError, fault
from fabricgen.numbering.addresses.allocate import Addresses
from fabricgen.numbering.addresses.family_tables import FamilyAddresses
from fabricgen.wiring.bonding import bonds_of
from fabricgen.wiring.bonds import PEER, Bonds
from fabricgen.wiring.cabling.cables import runs_m
from fabricgen.wiring.tables import CableTable, Ints64, ManagementPort, WiringPlan


def with_runs(design: Design, built: WiringPlan, relocated: Sequence[Relocation]) -> CableTable:
    """The cable table with the runs of relocated cables, m: each the longest to an end of it.

    Patched cables, which stay in their racks, keep theirs.
    """
    table, run_m = built.cables, built.cables.run_m.copy()
    cables = np.unique(built.links.cable[[each.row for each in relocated]])
    if built.patching is not None:
        cables = cables[built.patching.policy[cables] < 0]
    ends = np.flatnonzero(np.isin(table.end_cable, cables))
    runs = runs_m(design, built.devices, built.racks, built.links, table.end_link[ends].astype(np.int64))
    run_m[cables] = 0
    np.maximum.at(run_m, table.end_cable[ends], runs)
    return replace(table, run_m=run_m)


def with_bonds(
    design: Design, built: WiringPlan, names: Sequence[str], relocated: Sequence[Relocation], faults: list[Diagnostic]
) -> WiringPlan:
    """The plan with the bonds of the ports that hosts have now; those that cannot be are added to `faults` (FG077).

    A bond keeps its address: that of the one link of its ports which is planned to have it.
    """
    planned = built.bonds
    mine = [each for each in relocated if planned is not None and planned.of_link[each.row] >= 0]
    if planned is None or not mine:
        return built
    try:
        bonds = bonds_of(design, built.devices, built.links)
    except InputError as error:
        message = f"with this cable on {names[mine[0].new]}, {error.diagnostics[0].message}"
        faults += fault(NOT_THERE, message, path=mine[0].path, hint=PULL).diagnostics
        return built
    assert bonds is not None  # noqa: S101 - there were some
    first = _addressed_links(planned, bonds)
    if len(first) != len(bonds.first) or not (bonds.mate == planned.mate).all():
        message = f"with this cable on {names[mine[0].new]}, a bond has two of its links with an address, or none"
        faults += fault(NOT_THERE, message, path=mine[0].path, hint=PULL).diagnostics
        return built
    return replace(built, bonds=replace(bonds, first=first.astype(np.int32)))


def _addressed_links(planned: Bonds, bonds: Bonds) -> Ints64:
    """By bond, the link that has its address as planned; shorter than the bonds where one has none, or two."""
    links = planned.first[planned.kind != PEER].astype(np.int64)
    of = bonds.of_link[links]
    first = bonds.first.astype(np.int64)
    hosts = bonds.kind != PEER
    if (of < 0).any() or len(np.unique(of)) != len(of) or len(of) != int(hosts.sum()):
        return first[:0]
    first[of] = links
    return first


def with_managed(addresses: Addresses, plan: WiringPlan, relocated: Sequence[Relocation]) -> Addresses:
    """The addresses with those of management ports that are on another device: they follow the link."""
    mine = [each for each in relocated if not each.upper and _is_management(plan, each.row)]
    if not mine:
        return addresses
    return replace(addresses, families=tuple(_managed(family, mine) for family in addresses.families))


def _is_management(plan: WiringPlan, row: int) -> bool:
    side = plan.links.segments[plan.links.segment[row]].a
    return isinstance(side, ManagementPort) or (isinstance(side, Attachment) and side.role == "bmc")


def _managed(family: FamilyAddresses, relocated: Sequence[Relocation]) -> FamilyAddresses:
    """Addresses of one family, of which each device has the management address that came with the link."""
    found = [each for each in relocated if family.management.at(each.old) == family.a.at(each.row)]
    old = np.array([each.old for each in found], dtype=np.int64)
    new = np.array([each.new for each in found], dtype=np.int64)
    address, length, gateway = (
        family.management.copy(),
        family.management_length.copy(),
        family.management_gateway.copy(),
    )
    address[new], length[new] = family.management[old], family.management_length[old]
    gateway[new] = family.management_gateway[old]
    return replace(family, management=address, management_length=length, management_gateway=gateway)

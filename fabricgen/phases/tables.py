"""A cluster at a phase: all tables cut to the rows that exist, with names and addresses of the whole cluster."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any, TypeVar, cast

import numpy as np

from fabricgen.blueprint.load import LoadedBlueprint
from fabricgen.blueprint.sections.phases import Phase
from fabricgen.cable_overrides.ends import PlannedCables
from fabricgen.cluster import AtPhase, Cluster, build_cluster
from fabricgen.design.model import Design
from fabricgen.design.phase_selection import Selection, cut_selection, read_cuts, select_phase, select_present
from fabricgen.kernel.diagnostics import InputError
from fabricgen.numbering.addresses.allocate import Addresses
from fabricgen.numbering.addresses.family_tables import FamilyAddresses, NodeBlocks
from fabricgen.numbering.addresses.rail_subnets import RailSubnets
from fabricgen.numbering.ports import PortNames
from fabricgen.phases.presence import find_presence
from fabricgen.wiring.arrays import Flags, Ints, Ints64
from fabricgen.wiring.patching.tables import PanelTable, Patching, PatchTable, ShuffleTable, TrunkTable
from fabricgen.wiring.tables import CableTable, DeviceTable, LinkTable, RackTable, WiringPlan
from fabricgen.wiring.tenants import TenantPlaces

Table = TypeVar("Table", DeviceTable, LinkTable, RackTable, PanelTable, TrunkTable, PatchTable, ShuffleTable)
PatchedEnds = TypeVar("PatchedEnds", PatchTable, ShuffleTable)


def build_at_phase(design: Design, name: str) -> Cluster:
    """Build a cluster at one of its phases. Raises InputError like `build_cluster`, and for an unknown phase."""
    try:
        selection = select_phase(design, name)
    except InputError as error:
        raise design.loaded.locate_error(error) from error
    return cut_cluster(build_cluster(design), name, selection)


def build_lab(design: Design, cuts: str, phase: str | None = None) -> Cluster:
    """Build the part of a cluster, whole or at a phase, that a lab keeps by its cuts (`2su,4n`).

    Raises InputError like `build_cluster`, for cuts that cannot be made, and for an unknown phase.
    """
    try:
        base = select_present(design, Phase.model_construct()) if phase is None else select_phase(design, phase)
        selection = cut_selection(design, read_cuts(design, cuts), base)
    except InputError as error:
        raise design.loaded.locate_error(error) from error
    name = f"lab {cuts}" if phase is None else f"{phase}, lab {cuts}"
    return cut_cluster(build_cluster(design), name, selection, lab=True)


def cut_cluster(whole: Cluster, name: str, selection: Selection, *, lab: bool = False) -> Cluster:
    """Return a cluster cut to what exists at a phase, or in a lab; `name` is the name of the phase, or `lab 2su,4n`."""
    present = find_presence(whole.design, whole.plan, selection)
    links = np.flatnonzero(present.links)
    ends, end_link = _find_ends(whole.plan, present.links)
    cables = np.unique(whole.plan.cables.end_cable[ends]).astype(np.int64)
    absent = frozenset(fabric.name for fabric in whole.design.fabrics) - selection.fabrics
    phase = AtPhase(name, whole, np.flatnonzero(present.devices), links, cables, ends, absent, selection, lab)
    plan = _cut_plan(whole.plan, phase, end_link)
    names = tuple(whole.names[row] for row in phase.devices.tolist())
    design = replace(whole.design, loaded=_cut_blueprint(whole, phase, names))
    return Cluster(
        design=design,
        plan=plan,
        addresses=_cut_addresses(whole, phase, selection),
        names=names,
        port_names=PortNames(design, plan),
        planned=_cut_planned(whole, design, phase, present.links),
        phase=phase,
    )


def _renumber_rows(kept_rows: Ints64, rows: int) -> Ints:
    """Return the new row of each of `rows` former rows, -1 for rows that are gone and for the row -1; int32."""
    # one entry more, so that the row -1 reads a -1
    new_rows = np.full(rows + 1, -1, dtype=np.int32)
    new_rows[kept_rows] = np.arange(len(kept_rows), dtype=np.int32)
    return new_rows


def _take_rows(table: Table, rows: Ints64 | Flags) -> Table:
    """Return a table with some rows, given by indexes or a bool mask, of all columns."""
    columns: dict[str, Any] = {f.name: getattr(table, f.name) for f in fields(table)}
    row_columns = {name: column[rows] for name, column in columns.items() if isinstance(column, np.ndarray)}
    return replace(table, **row_columns)  # type: ignore[arg-type]


def _find_ends(plan: WiringPlan, is_present: Flags) -> tuple[Ints64, Ints64]:
    """Return the rows of cable ends that have a link that exists, and such a link for each; int64.

    A cable end with several links names one of them; if that one does not exist, another between its devices may.
    """
    cables, links = plan.cables, plan.links
    end_link = cables.end_link.astype(np.int64)
    present = np.flatnonzero(is_present & (links.cable >= 0))
    lost = np.flatnonzero(~is_present[end_link])
    if len(lost) and len(present):
        key = _number_cable_pairs(plan, present)
        order = np.argsort(key, kind="stable")
        lost_keys = _number_cable_pairs(plan, end_link[lost])
        # a key after all others would have a position past the end; `matched` tells whether a key was found
        positions = np.minimum(np.searchsorted(key[order], lost_keys), len(order) - 1)
        matched = (key[order][positions] == lost_keys) & (cables.end_links[lost] > 1)
        end_link[lost[matched]] = present[order[positions[matched]]]
    rows = np.flatnonzero(is_present[end_link])
    return rows, end_link[rows]


def _number_cable_pairs(plan: WiringPlan, links: Ints64) -> Ints64:
    """Return a number for each link that is equal for links of one cable between the same two devices; int64."""
    table, size = plan.links, len(plan.devices)
    keys = (table.cable[links].astype(np.int64) * size + table.a_device[links]) * size + table.b_device[links]
    return cast("Ints64", keys)


def _cut_plan(plan: WiringPlan, phase: AtPhase, end_link: Ints64) -> WiringPlan:
    """Return a wiring plan cut to what exists; `end_link` has the former row of the link of each of `phase.ends`."""
    device, cable = _renumber_rows(phase.devices, len(plan.devices)), _renumber_rows(phase.cables, len(plan.cables))
    links = _take_rows(plan.links, phase.links)
    patching = cut_patching(plan.patching, phase) if plan.patching else None
    racks = _find_racks(plan, phase, patching)
    rack = _renumber_rows(racks, len(plan.racks))
    devices = _cut_devices(plan.devices, phase.devices)
    if patching:
        patching = patching._replace(panels=replace(patching.panels, rack=rack[patching.panels.rack]))
    return WiringPlan(
        devices=replace(devices, rack=rack[devices.rack]),
        links=replace(
            links, a_device=device[links.a_device], b_device=device[links.b_device], cable=cable[links.cable]
        ),
        cables=_cut_cables(plan, phase, end_link, cable),
        racks=replace(_take_rows(plan.racks, racks), names=tuple(plan.racks.names[row] for row in racks.tolist())),
        patching=patching,
        bonds=plan.bonds.cut_to(phase.links, phase.devices) if plan.bonds else None,
    )


def _find_racks(plan: WiringPlan, phase: AtPhase, patching: Patching | None) -> Ints64:
    """Return the racks that hold something at the phase, and those that are empty even in the whole plan; int64."""
    holds, now = np.zeros((2, len(plan.racks)), dtype=bool)
    holds[plan.devices.rack] = True
    now[plan.devices.rack[phase.devices]] = True
    if plan.patching and patching:
        holds[plan.patching.panels.rack] = True
        now[patching.panels.rack] = True
    return np.flatnonzero(now | ~holds)


def _cut_devices(devices: DeviceTable, rows: Ints64) -> DeviceTable:
    """Return the devices of some rows, with new first rows and counts of their classes."""
    table = _take_rows(devices, rows)
    counts = np.bincount(table.device_class, minlength=len(devices.classes)).tolist()
    # the last entry is the end of the last class, which `zip` leaves out
    firsts = [0, *np.cumsum(counts).tolist()]
    classes = [
        replace(cls, first=first, count=n) for cls, first, n in zip(devices.classes, firsts, counts, strict=False)
    ]
    return replace(table, classes=tuple(classes))


def _cut_cables(plan: WiringPlan, phase: AtPhase, end_link: Ints64, cable: Ints) -> CableTable:
    """Return the cables that have a link that exists, with the rows of cables, links and ends renumbered.

    `end_link` is as in `_cut_plan`; `cable` has the new row of each former row of a cable, -1 for none.
    """
    cables, rows, link = plan.cables, phase.cables, _renumber_rows(phase.links, len(plan.links))
    return replace(
        cables,
        length_m=cables.length_m[rows],
        run_m=cables.run_m[rows],
        medium=cables.medium[rows],
        reaches=cables.reaches[rows],
        connectors=cables.connectors[rows],
        end_cable=cable[cables.end_cable[phase.ends]],
        end_link=link[end_link],
        end_links=cables.end_links[phase.ends],
    )


def _cut_planned(whole: Cluster, design: Design, phase: AtPhase, present: Flags) -> PlannedCables:
    """Return the planned cabling of what exists: the plan without overrides of single cables, and those overrides that
    are of cables that exist.
    """
    planned = whole.planned.plan._replace(links=_choose_planned_links(whole, phase))
    # a cable may have more end rows as built than as planned: one for each of its jumpers
    ends, end_link = _find_ends(planned, present)
    plan = _cut_plan(planned, phase._replace(ends=ends), end_link)
    number = _renumber_rows(phase.cables, len(whole.plan.cables))
    overrides = {int(number[row]): override for row, override in whole.planned.overrides.items() if number[row] >= 0}
    return PlannedCables(plan, PortNames(design, plan), overrides)


def _choose_planned_links(whole: Cluster, phase: AtPhase) -> LinkTable:
    """Return the planned links; where an end is planned on a device that does not exist yet, it is the end as built."""
    planned, built = whole.planned.plan.links, whole.plan.links
    absent = np.ones(len(whole.names), dtype=bool)
    absent[phase.devices] = False
    a, b = absent[planned.a_device], absent[planned.b_device]
    if not (a | b)[phase.links].any():
        return planned
    return replace(
        planned,
        segments=built.segments,
        a_device=np.where(a, built.a_device, planned.a_device),
        a_port=np.where(a, built.a_port, planned.a_port),
        b_device=np.where(b, built.b_device, planned.b_device),
        b_port=np.where(b, built.b_port, planned.b_port),
    )


def _cut_blueprint(whole: Cluster, phase: AtPhase, names: tuple[str, ...]) -> LoadedBlueprint:
    """Return the blueprint without statements about single devices and ports that do not exist yet."""
    loaded = whole.design.loaded
    if not (loaded.guids or loaded.inventory or loaded.blueprint.config_of):
        return loaded
    present_names, links = frozenset(names), whole.plan.links
    gone = np.setdiff1d(np.arange(len(links)), phase.links)
    ports = set(zip(whole.name_column[links.a_device[gone]].tolist(), whole.a_port[gone].tolist(), strict=True))
    ports |= set(zip(whole.name_column[links.b_device[gone]].tolist(), whole.b_port[gone].tolist(), strict=True))
    guids = {
        fabric: tuple(row for row in rows if row.device in present_names and (row.device, row.port) not in ports)
        for fabric, rows in loaded.guids.items()
    }
    inventory = tuple(
        row for row in loaded.inventory if row.device in present_names and (row.device, row.port) not in ports
    )
    config_of = {
        device: settings.model_copy(
            update={"ports": {n: p for n, p in settings.ports.items() if (device, n) not in ports}}
        )
        for device, settings in loaded.blueprint.config_of.items()
        if device in present_names
    }
    blueprint = loaded.blueprint.model_copy(update={"config_of": config_of})
    return replace(loaded, guids=guids, inventory=inventory, blueprint=blueprint)


def _cut_addresses(whole: Cluster, phase: AtPhase, selection: Selection) -> Addresses:
    """Return the addresses of the devices and links that exist; none is allocated anew."""
    addresses = whole.addresses
    return replace(
        addresses,
        asn=addresses.asn[phase.devices],
        router_id=addresses.router_id[phase.devices],
        identifiers=addresses.identifiers[phase.devices],
        families=tuple(_cut_family(whole, family, phase, selection) for family in addresses.families),
        tenants={name: _cut_tenant(places, phase) for name, places in addresses.tenants.items()},
        rails={
            name: _cut_rails(whole, rails, phase)
            for name, rails in addresses.rails.items()
            if name in selection.fabrics
        },
    )


def _cut_family(whole: Cluster, family: FamilyAddresses, phase: AtPhase, selection: Selection) -> FamilyAddresses:
    """Return the addresses of a family (IPv4 or IPv6), cut to the devices and links that exist at the phase.

    Blocks and VRFs of fabrics that do not exist are left out; VRFs of tenants all stay.
    """
    bonds = whole.plan.bonds
    # the lower end of a bond has its address at its first link; if that does not exist yet, at the first one that does
    address_rows = bonds.find_addressed_links(phase.links) if bonds else phase.links
    # (fabric that owns the switches, VRF), as `FamilyAddresses` has its keys
    vrfs = {(fabric.carrier, fabric.vrf) for fabric in whole.design.fabrics if fabric.name in selection.fabrics}
    vrfs |= {(owner, tenant.name) for tenant in whole.design.tenants for owner in tenant.transport}
    return replace(
        family,
        loopback=family.loopback[phase.devices],
        management=family.management[phase.devices],
        management_length=family.management_length[phase.devices],
        management_gateway=family.management_gateway[phase.devices],
        a=family.a[address_rows],
        b=family.b[phase.links],
        length=family.length[address_rows],
        shared={name: column[address_rows] for name, column in family.shared.items() if name in selection.fabrics},
        subnets=_cut_subnets(family.subnets, phase, selection),
        vrf_links={key: column[phase.links] for key, column in family.vrf_links.items() if key in vrfs},
        vrf_loopbacks={key: column[phase.devices] for key, column in family.vrf_loopbacks.items() if key in vrfs},
    )


def _cut_tenant(places: TenantPlaces, phase: AtPhase) -> TenantPlaces:
    """Return the places of a tenant at the phase, cut to the rows that exist.

    Its VRF is on every switch that exists and has it in the whole cluster, so that growth adds no VRF to a switch.
    """
    ports = {fabric: column[phase.devices] for fabric, column in places.ports.items()}
    return TenantPlaces(places.links[phase.links], ports, places.passes[phase.devices])


def _cut_subnets(subnets: Mapping[str, NodeBlocks], phase: AtPhase, selection: Selection) -> dict[str, NodeBlocks]:
    """Return the address blocks of nodes by fabric: only fabrics that exist, and in each only the rows of devices that
    exist.
    """
    rows = phase.devices
    return {
        name: replace(
            blocks,
            base=blocks.base[rows],
            length=blocks.length[rows],
            gateway=blocks.gateway[rows],
            count=blocks.count[rows],
            subnet_length=blocks.subnet_length[rows],
            own_address=blocks.own_address[rows],
        )
        for name, blocks in subnets.items()
        if name in selection.fabrics
    }


def _cut_rails(whole: Cluster, rails: RailSubnets, phase: AtPhase) -> RailSubnets:
    """Return the subnets of rails, cut to the leaves and links that exist; each keeps its subnets and their numbers."""
    leaves = {}
    for key, leaf in rails.leaves.items():
        rows = whole.plan.devices.find_tier(key).rows
        kept_rows = phase.devices[(phase.devices >= rows.start) & (phase.devices < rows.stop)] - rows.start
        leaves[key] = leaf._replace(combo=leaf.combo[kept_rows])
    return rails._replace(leaves=leaves, subnet=rails.subnet[phase.links], number=rails.number[phase.links])


# Structured cabling at a phase: trunks and panels that are used by cables that exist.


def cut_patching(patching: Patching, phase: AtPhase) -> Patching:
    """Return the patching cut to trunks with a cable that exists (whole, as they are pulled), and to their panels."""
    patches, shuffles = _cut_to_ends(patching.patches, phase), _cut_to_ends(patching.shuffles, phase)
    housings, used = shuffles.panel, np.unique(patches.trunk)
    trunk = np.full(len(patching.trunks), -1, dtype=np.int32)
    trunk[used] = np.arange(len(used), dtype=np.int32)
    holds = np.ones(len(patching.panels), dtype=bool)  # panels for growth, without any cable, stay
    # of those that the whole plan uses only those that cables of the phase use
    holds[patching.trunks.a_panel] = holds[patching.trunks.b_panel] = holds[patching.shuffles.panel] = False
    holds[patching.trunks.a_panel[used]] = holds[patching.trunks.b_panel[used]] = holds[housings] = True
    # panels that stay are numbered in their order
    panel = np.cumsum(holds, dtype=np.int32) - 1
    trunks = _take_rows(patching.trunks, used.astype(np.int64))
    return patching._replace(
        policy=patching.policy[phase.cables],
        a_jumper_m=patching.a_jumper_m[phase.cables],
        b_jumper_m=patching.b_jumper_m[phase.cables],
        a_run_m=patching.a_run_m[phase.cables],
        b_run_m=patching.b_run_m[phase.cables],
        split=patching.split[phase.cables],
        panels=_take_rows(patching.panels, holds),
        trunks=replace(trunks, a_panel=panel[trunks.a_panel], b_panel=panel[trunks.b_panel]),
        patches=replace(patches, trunk=trunk[patches.trunk]),
        shuffles=replace(shuffles, panel=panel[housings]),
    )


def _cut_to_ends(table: PatchedEnds, phase: AtPhase) -> PatchedEnds:
    """Return the patches, or fibre pairs, of cable ends that exist, with the new rows of these ends; trunks and panels
    are still those of the whole plan.
    """
    size = max(int(table.row.max(initial=-1)), int(phase.ends.max(initial=-1))) + 1
    end = _renumber_rows(phase.ends, size)
    kept = _take_rows(table, end[table.row] >= 0)
    return replace(kept, row=end[kept.row])

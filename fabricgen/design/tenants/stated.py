"""Tenants: which node slots and extra devices belong to which tenant, in which fabrics, and the numbers of each tenant.

A tenant's ports are in a VRF of its name on Ethernet fabrics, and in a partition on InfiniBand fabrics. Its nodes keep
their addresses: if hosts are bridged, each tenant on a leaf has a VLAN, with the leaf's one subnet and gateway in the
tenant's VRF.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from ipaddress import ip_network
from typing import Any

from fabricgen.blueprint.models import Blueprint, make_natural_key
from fabricgen.blueprint.sections.tenants import Leak, Tenant
from fabricgen.blueprint.slots import NodeSlot, parse_slots
from fabricgen.design.fabric_model import FabricDesign
from fabricgen.design.layout import Layout, list_pod_units
from fabricgen.design.linked import find_fabric_underlay, group_linked_fabrics
from fabricgen.design.model import Design
from fabricgen.design.numbering import number_tenants
from fabricgen.design.tenants.model import LeakDesign, TenantDesign
from fabricgen.design.tenants.overlay import check_vlans
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Path, Severity, did_you_mean, fault
from fabricgen.kernel.grouping import group_pairs

UNKNOWN, TWICE = "FG078", "FG093"
_SWITCH_VRFS = ("default", "mgmt", "global")
"""Names of VRFs that switches have already."""


def design_tenants(design: Design) -> Design:
    """Return a design with the tenants of its blueprint, numbered as the lock keeps them.

    Raises InputError for slots, fabrics and extra devices that do not exist or that no tenant can have (FG078), for
    nodes, devices and names that are taken already (FG093), and for devices that cannot be shared (FG094).
    """
    blueprint, layout = design.loaded.blueprint, design.layout
    if not blueprint.tenants:
        return design
    slots = _find_slots(blueprint, layout)
    faults = [
        diagnostic
        for name, tenant in blueprint.tenants.items()
        for diagnostic in _find_tenant_faults(design, name, tenant)
    ]
    if faults := [*faults, *_find_double_extras(blueprint.tenants)]:
        raise InputError(faults)
    names = sorted(blueprint.tenants, key=make_natural_key)
    fabrics = {name: _list_tenant_fabrics(design, name, slots[name]) for name in names}
    for name in names:
        _check_fabrics(design, name, fabrics[name])
        check_shared(design, name, fabrics[name])
    transports = {name: _list_transport(design, fabrics[name]) for name in names}
    holders = {name: dict(_name_vlan_holders(design, name, fabrics[name], transports[name])) for name in names}
    # the lock names of all VLANs of all tenants, in the order in which VLANs are given
    vlans = [holder for name in names for vlan_holders in holders[name].values() for holder in vlan_holders]
    numbering = number_tenants(layout.numbering, layout.lock, names, vlans)
    vlan_of_holder = {holder: intervals[0].first for holder, intervals in numbering.held["vlans"].items()}
    vlans_in_use = {vlan_of_holder[holder]: f"of {holder}" for holder in vlans}
    check_vlans(design, vlans_in_use, "tenants have VLANs 2000 to 3399: state another")
    tenants = tuple(
        TenantDesign(
            name=name,
            number=numbering.held["tenants"][name][0].first,
            slots=slots[name],
            extras=blueprint.tenants[name].extra,
            fabrics=fabrics[name],
            transport=transports[name],
            vlans={
                fabric: tuple(vlan_of_holder[holder] for holder in vlan_holders)
                for fabric, vlan_holders in holders[name].items()
            },
            path=("tenants", name),
            shared=blueprint.tenants[name].shared,
        )
        for name in names
    )
    return replace(design, layout=replace(layout, numbering=numbering), tenants=tenants)


def _find_slots(blueprint: Blueprint, layout: Layout) -> dict[str, frozenset[NodeSlot]]:
    """Return the node slots of each tenant that are not omitted; raises InputError for unknown slots (FG078), and for
    slots of two tenants (FG093).
    """
    pods = list_pod_units(blueprint, layout)
    slots_by_tenant: dict[str, frozenset[NodeSlot]] = {}
    owner: dict[NodeSlot, str] = {}
    faults: list[Diagnostic] = []
    for name, tenant in blueprint.tenants.items():
        tenant_slots: set[NodeSlot] = set()
        for i, text in enumerate(tenant.nodes):
            # a pod alone is all of its units
            slots = parse_slots(text if "/" in text else f"{text}/su-*", pods)
            path: Path = ("tenants", name, "nodes", i)
            if isinstance(slots, str):
                hint = "write it like p1/su-2/node-3"
                hint = f"{did_you_mean(text.split('/')[0], pods)}; {hint}" if "no pod" in slots else hint
                faults.append(_make_fault(UNKNOWN, f"tenant {name}: {slots}", path, hint))
                continue
            slots -= layout.omitted
            if not slots:
                faults.append(
                    _make_fault(UNKNOWN, f"tenant {name}: {text} is omitted", path, "remove it here or there")
                )
            other_tenants = sorted({owner[slot] for slot in slots if owner.get(slot, name) != name})
            if other_tenants:
                count = sum(owner.get(slot, name) != name for slot in slots)
                message = f"{text} names {count} of the nodes that are {', '.join(other_tenants)}'s already"
                faults.append(_make_fault(TWICE, f"tenant {name}: {message}", path, "a node is of one tenant"))
            owner |= dict.fromkeys(slots, name)
            tenant_slots |= slots
        slots_by_tenant[name] = frozenset(tenant_slots)
    if faults:
        raise InputError(faults)
    return slots_by_tenant


def _make_fault(code: str, message: str, path: Path, hint: str) -> Diagnostic:
    return Diagnostic(code, Severity.ERROR, message, path, hint)


def _find_tenant_faults(design: Design, name: str, tenant: Tenant) -> Iterator[Diagnostic]:
    """Yield a fault for each fabric and set of extra devices that does not exist or that no tenant can have, and if the
    tenant's name is taken.
    """
    path: Path = ("tenants", name)
    fabrics_by_name = {f.name: f for f in design.fabrics}
    for i, fabric in enumerate(tenant.fabrics):
        fabric_path = (*path, "fabrics", i)
        if fabric not in fabrics_by_name:
            yield _make_fault(
                UNKNOWN, f"there is no fabric '{fabric}'", fabric_path, did_you_mean(fabric, fabrics_by_name)
            )
        elif fabrics_by_name[fabric].manages:
            message = f"{fabric} connects management ports, which are no tenant's"
            yield _make_fault(UNKNOWN, message, fabric_path, "take it off the tenant's `fabrics`")
    for i, extra in enumerate(tenant.extra):
        if extra not in design.extra_sets:
            hint = did_you_mean(extra, design.extra_sets)
            yield _make_fault(UNKNOWN, f"there are no extra devices '{extra}'", (*path, "extra", i), hint)
    guest = next((f.name for f in design.fabrics if f.vrf == name), None)
    if guest or name in _SWITCH_VRFS:
        owner = f"that of fabric {guest}" if guest else "the switches' own"
        yield _make_fault(
            TWICE, f"tenant {name} has a VRF of its name, and there is one: {owner}", path, "rename the tenant"
        )


def _find_double_extras(tenants: Mapping[str, Tenant]) -> Iterator[Diagnostic]:
    """Yield a fault for each set of extra devices that two tenants name."""
    owner: dict[str, str] = {}
    for name, tenant in tenants.items():
        for i, extra in enumerate(tenant.extra):
            other_tenant = owner.setdefault(extra, name)
            if other_tenant != name:
                message = f"tenant {name}: the devices '{extra}' are {other_tenant}'s already"
                yield _make_fault(TWICE, message, ("tenants", name, "extra", i), "a device is of one tenant")


def _list_tenant_fabrics(design: Design, name: str, slots: frozenset[NodeSlot]) -> tuple[str, ...]:
    """Return the fabrics in which a tenant is kept apart: as stated, else all that its nodes and devices attach to,
    without fabrics of management ports.
    """
    tenant = design.loaded.blueprint.tenants[name]
    if tenant.fabrics:
        return tuple(f.name for f in design.fabrics if f.name in tenant.fabrics)
    return tuple(f.name for f in design.fabrics if not f.manages and has_attachment(design, f, slots, tenant.extra))


def has_attachment(design: Design, fabric: FabricDesign, slots: frozenset[NodeSlot], extras: Sequence[str]) -> bool:
    """Whether one of some node slots or sets of extra devices has ports, or a VLAN on shared ports, in a fabric."""
    owner = design.fabric(fabric.carrier) if fabric.shares_ports else fabric
    return any(design.layout.count_slots_of_set(nodes, slots) for nodes in owner.node_sets) or any(
        extra.name in extras for extra in fabric.extras
    )


def _check_fabrics(design: Design, name: str, fabrics: Sequence[str]) -> None:
    """Raise InputError (FG078) if a tenant's VRF would need routes in a fabric whose underlay is static or SRv6."""
    blueprint = design.loaded.blueprint
    for fabric in (design.fabric(fabric_name) for fabric_name in fabrics):
        if fabric.protocol != "infiniband" and find_fabric_underlay(blueprint, fabric.name) in ("static", "srv6"):
            stated = blueprint.tenants[name].fabrics
            key = ("fabrics", list(stated).index(fabric.name)) if stated else ()
            raise fault(
                UNKNOWN,
                f"tenant {name} has a VRF in {fabric.name}, and static routes do not run in those",
                path=("tenants", name, *key),
                hint="use an ebgp underlay, or state the tenant's `fabrics` without it",
            )


def _list_transport(design: Design, fabrics: Sequence[str]) -> tuple[str, ...]:
    """Return the Ethernet fabrics over whose switches the VRF of a tenant may pass: all that are linked with its
    fabrics.
    """
    linked_groups = group_linked_fabrics(design.loaded.blueprint.fabrics)
    linked_names = {name for names in linked_groups if not set(names).isdisjoint(fabrics) for name in names}
    return tuple(f.name for f in design.fabrics if f.name in linked_names and f.tiers and f.protocol != "infiniband")


def _name_vlan_holders(
    design: Design, name: str, fabrics: Sequence[str], transport: Sequence[str]
) -> Iterator[tuple[str, list[str]]]:
    """Yield (fabric, lock names of the VLANs that a tenant has in it): one VLAN, `storage in blue`, or one for each
    subnet of rails, the others as `storage +1 in blue`.
    """
    for fabric in design.fabrics:
        if fabric.name in transport or (fabric.name in fabrics and fabric.protocol != "infiniband"):
            has_rail_subnets = fabric.hosts == "rail-subnets" and fabric.name in fabrics
            count = max((len(a.legs) for _, a in fabric.attachments), default=1) if has_rail_subnets else 1
            yield fabric.name, [f"{fabric.name} {f'+{i} ' if i else ''}in {name}" for i in range(count)]


# Extra devices that tenants share on InfiniBand: members of several partitions, and the only way between tenants there.


def check_shared(design: Design, name: str, fabrics: Collection[str]) -> None:
    """Raise InputError (FG094) if a tenant, kept apart in `fabrics`, shares extra devices that it cannot share."""
    tenant = design.loaded.blueprint.tenants[name]
    on_infiniband = {
        extra.name for f in design.fabrics if f.protocol == "infiniband" and f.name in fabrics for extra in f.extras
    }
    for i, extra in enumerate(tenant.shared):
        reason, hint = "", ""
        if extra not in design.extra_sets:
            reason, hint = f"there are no extra devices '{extra}'", did_you_mean(extra, design.extra_sets)
        elif extra in tenant.extra:
            reason, hint = f"the devices '{extra}' are its own", "remove it from `shared` or from `extra`"
        elif extra not in on_infiniband:
            reason = f"the devices '{extra}' have no port in an InfiniBand fabric that it is kept apart in"
            hint = "on Ethernet, `leaks` join the VRFs of tenants"
        if reason:
            raise fault("FG094", f"tenant {name}: {reason}", path=("tenants", name, "shared", i), hint=hint)


# The figures of each tenant.


def count_tenant_figures(design: Design) -> dict[str, dict[str, Any]]:
    """Return, by tenant: its nodes, the accelerators of those that are not spare, and the fabrics in which it is kept
    apart.
    """
    layout = design.layout
    return {
        tenant.name: {
            "nodes": len(tenant.slots),
            "accelerators": sum(
                layout.count_slots_of_set(nodes, tenant.slots - layout.spare) * nodes.profile.accelerators.count
                for nodes in layout.node_sets
                if nodes.profile.accelerators
            ),
            "fabrics": list(tenant.fabrics),
        }
        for tenant in design.tenants
    }


# Leaks: which VRFs pass routes to each other, on the switches of which fabrics.
# A switch that has both VRFs leaks between them; routes that it brings into a VRF travel on in it, as the VRF's other
# routes do. Over EVPN a leak brings each VRF to the switches with hosts of the other.

CODE = "FG098"
DEFAULT = "default"
SHARED_SUBNETS = ("bridged", "rail-subnets")
"""The settings of `hosts` with which all hosts on a leaf, or on a rail of it, are in one subnet."""


def design_leaks(design: Design) -> Design:
    """Return a design with the leaks of its blueprint.

    Raises InputError (FG098) for VRFs and fabrics that do not exist, for VRFs that no switch has both of, and for
    switches that run no BGP. Which leaves have hosts of both VRFs is known only when links are
    (`numbering.addresses.shared_ports`).
    """
    stated = design.loaded.blueprint.leaks
    if not stated:
        return design
    host_fabrics = _list_vrf_fabrics(design)
    switch_fabrics = _list_switch_fabrics(design)
    leaks, faults = [], list[Diagnostic]()
    for name, leak in stated.items():
        leak_faults = list(_find_unknown(design, name, leak, host_fabrics))
        if not leak_faults:
            designed = _design_leak(name, leak, switch_fabrics)
            designed = designed._replace(meeting=tuple(_find_shared_subnets(design, designed, host_fabrics)))
            leak_faults = list(_list_leak_faults(design, designed, leak))
            leaks.append(designed)
        faults += leak_faults
    if faults:
        raise InputError(faults)
    return replace(design, leaks=tuple(leaks))


def _list_vrf_fabrics(design: Design) -> dict[str, frozenset[str]]:
    """Return, by VRF ("" for the default one), the Ethernet fabrics whose hosts are in it."""
    ethernet = {fabric.name: fabric.vrf for fabric in design.fabrics if fabric.protocol != "infiniband"}
    by_vrf = {"": [], **group_pairs((vrf, name) for name, vrf in ethernet.items())}
    of_tenants = {tenant.name: frozenset(tenant.fabrics).intersection(ethernet) for tenant in design.tenants}
    return {**{vrf: frozenset(names) for vrf, names in by_vrf.items()}, **of_tenants}


def _list_switch_fabrics(design: Design) -> dict[str, frozenset[str]]:
    """Return, by VRF ("" for the default one), the fabrics that own switches which may have it: those that its hosts
    attach to, and those over whose switches it passes.
    """
    fabrics_by_vrf = {
        vrf: {_find_owner(design.fabric(name)) for name in names} for vrf, names in _list_vrf_fabrics(design).items()
    }
    for tenant in design.tenants:
        fabrics_by_vrf[tenant.name] |= set(tenant.transport)
    fabrics_by_vrf[""] |= {fabric.name for fabric in design.fabrics if fabric.tiers and fabric.protocol != "infiniband"}
    return {vrf: frozenset(names) for vrf, names in fabrics_by_vrf.items()}


def _find_owner(fabric: FabricDesign) -> str:
    return fabric.carrier or fabric.name


def _parse_vrf(name: str) -> str:
    return "" if name == DEFAULT else name


def _find_unknown(design: Design, name: str, leak: Leak, vrfs: Mapping[str, object]) -> Iterator[Diagnostic]:
    """Yield a fault for each VRF and fabric that a leak names and that does not exist."""
    vrf_names = [vrf or DEFAULT for vrf in vrfs]
    for i, vrf in enumerate(leak.between):
        if vrf not in vrf_names:
            hint = did_you_mean(vrf, vrf_names) or f"there are {', '.join(sorted(vrf_names))}"
            yield _make_fault(CODE, f"no switch has a VRF '{vrf}'", ("leaks", name, "between", i), hint)
    fabrics = [fabric.name for fabric in design.fabrics]
    for i, fabric in enumerate(leak.fabrics):
        if fabric not in fabrics:
            yield _make_fault(
                CODE, f"there is no fabric '{fabric}'", ("leaks", name, "fabrics", i), did_you_mean(fabric, fabrics)
            )


def _design_leak(name: str, leak: Leak, switch_fabrics: Mapping[str, frozenset[str]]) -> LeakDesign:
    """Return a leak with the fabrics that have switches with both VRFs; `switch_fabrics` has those of each VRF."""
    first_vrf, second_vrf = map(_parse_vrf, leak.between)
    common = switch_fabrics[first_vrf] & switch_fabrics[second_vrf]
    return LeakDesign(
        name=name,
        between=(first_vrf, second_vrf),
        prefixes={_parse_vrf(vrf): prefixes for vrf, prefixes in leak.prefixes.items()},
        fabrics=tuple(sorted(common & set(leak.fabrics) if leak.fabrics else common)),
    )


def _list_leak_faults(design: Design, designed: LeakDesign, leak: Leak) -> Iterator[Diagnostic]:
    """Yield the faults of a leak: no switch with both VRFs, no BGP there, or EVPN that cannot leak."""
    path: Path = ("leaks", designed.name)
    first_vrf, second_vrf = leak.between
    if not designed.fabrics:
        fabrics_text = f" of {', '.join(leak.fabrics)}" if leak.fabrics else ""
        hint = "VRFs leak on a switch that has both: let them have ports, or pass, in one fabric"
        yield _make_fault(CODE, f"no switch{fabrics_text} has both VRFs, {first_vrf} and {second_vrf}", path, hint)
    blueprint = design.loaded.blueprint
    for name in designed.fabrics:
        if not find_fabric_underlay(blueprint, name).startswith("ebgp"):
            message = f"{name} has underlay {find_fabric_underlay(blueprint, name)}, and VRFs leak in BGP"
            yield _make_fault(CODE, message, path, "use an ebgp underlay, or state `fabrics` without it")
        elif any(owner == name for owner, vrf in design.vnis if vrf in designed.between):
            yield from _find_evpn_faults(design, designed, name, path)


def _find_shared_subnets(design: Design, leak: LeakDesign, host_fabrics: Mapping[str, frozenset[str]]) -> Iterator[str]:
    """Yield the fabrics in which a leaf may have hosts of both VRFs of a leak in one subnet, unless the stated prefixes
    of the two VRFs keep them apart.
    """
    for fabric in design.fabrics:
        hosts_both = fabric.hosts in SHARED_SUBNETS and all(fabric.name in host_fabrics[vrf] for vrf in leak.between)
        if hosts_both and _find_owner(fabric) in leak.fabrics and not _are_apart(leak):
            yield fabric.name


def make_subnet_fault(leak: LeakDesign, fabric: str, leaf: str, further: int) -> Diagnostic:
    """Return the fault (FG098) for a leaf, and `further` more leaves, on which both VRFs of a leak have hosts in one
    subnet.
    """
    vrf_a, vrf_b = (vrf or DEFAULT for vrf in leak.between)
    leaves = f"{leaf} and {further} more leaves have" if further else f"{leaf} has"
    return _make_fault(
        CODE,
        f"{leaves} hosts of {vrf_a} and of {vrf_b} in the one subnet of a leaf of {fabric}: it would be on both sides",
        ("leaks", leak.name),
        f"leak `prefixes` of each that the other has no hosts in, put them on different leaves (an extra device by its "
        f"`to`), or state `fabrics` without {fabric}",
    )


def _find_evpn_faults(design: Design, leak: LeakDesign, name: str, path: Path) -> Iterator[Diagnostic]:
    """Yield why two VRFs of a fabric cannot leak over EVPN: one does not travel over EVPN there, or leaves do not
    advertise the routes that they imported.
    """
    hint = "take sub-interfaces there, or state `fabrics` without it"
    if any((name, vrf) not in design.vnis for vrf in leak.between):
        absent_vrf = next(vrf for vrf in leak.between if (name, vrf) not in design.vnis)
        message = f"{absent_vrf or DEFAULT} does not travel over EVPN in {name}, and the other VRF does"
        yield _make_fault(CODE, message, path, hint)
        return
    leaves = {tier.nos: tier for tier in design.fabric(name).tiers if tier.lowest}
    naming = {nos: design.catalog.naming(nos) for nos, tier in leaves.items()}
    silent = next((nos for nos in leaves if not naming[nos].configuration.tells_imports), None)
    other_tier = next((tier for nos, tier in leaves.items() if nos != silent), None)
    if silent and other_tier:
        message = (
            f"{leaves[silent].key} of {name} run {naming[silent].title}, which tells on nothing that a VRF imported, "
            f"and {other_tier.key} run {other_tier.nos}, which take only what is told on in a VRF"
        )
        yield _make_fault(CODE, message, path, "run one of the two on all leaves, or state `fabrics` without it")


def _are_apart(leak: LeakDesign) -> bool:
    """Whether both VRFs state the prefixes that they pass on, and none overlap."""
    first_prefixes, second_prefixes = (leak.prefixes.get(vrf, ()) for vrf in leak.between)
    pairs = ((ip_network(a), ip_network(b)) for a in first_prefixes for b in second_prefixes)
    return bool(first_prefixes and second_prefixes) and not any(
        a.version == b.version and a.overlaps(b) for a, b in pairs
    )

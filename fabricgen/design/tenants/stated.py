"""Tenants: which node slots and extra devices are whose, in which fabrics, and the numbers that each has.

A tenant's ports are in a VRF of its name on Ethernet fabrics, and in a partition on InfiniBand ones. Its nodes keep
their addresses: where hosts are bridged, each tenant on a leaf has a VLAN, with the leaf's one subnet and gateway in
its own VRF.
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
from fabricgen.design.linked import find_fabric_underlay, find_fabric_vlan, group_linked_fabrics
from fabricgen.design.model import Design
from fabricgen.design.numbering import number_tenants
from fabricgen.design.tenants.model import LeakDesign, TenantDesign
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Path, Severity, did_you_mean, fault

UNKNOWN, TWICE = "FG078", "FG093"
_OF_SWITCHES = ("default", "mgmt", "global")
"""Names of VRFs that switches have already."""


def design_tenants(design: Design) -> Design:
    """A design with the tenants of its blueprint, numbered as the lock has them.

    Raises InputError for slots, fabrics and extra devices that there are none of or that no tenant can have (FG078),
    for what is two tenants', and for names that are taken (FG093), and for what cannot be shared (FG094).
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
    vlans = [holder for name in names for vlan_holders in holders[name].values() for holder in vlan_holders]
    numbering = number_tenants(layout.numbering, layout.lock, names, vlans)
    number = {holder: intervals[0].first for holder, intervals in numbering.held["vlans"].items()}
    _check_vlans(design, {number[holder]: holder for holder in vlans})
    tenants = tuple(
        TenantDesign(
            name=name,
            number=numbering.held["tenants"][name][0].first,
            slots=slots[name],
            extras=blueprint.tenants[name].extra,
            fabrics=fabrics[name],
            transport=transports[name],
            vlans={
                fabric: tuple(number[holder] for holder in vlan_holders)
                for fabric, vlan_holders in holders[name].items()
            },
            path=("tenants", name),
            shared=blueprint.tenants[name].shared,
        )
        for name in names
    )
    return replace(design, layout=replace(layout, numbering=numbering), tenants=tenants)


def _find_slots(blueprint: Blueprint, layout: Layout) -> dict[str, frozenset[NodeSlot]]:
    """The node slots of each tenant that are not omitted; raises InputError for unknown ones and for those of two."""
    pods = list_pod_units(blueprint, layout)
    slots_by_tenant: dict[str, frozenset[NodeSlot]] = {}
    owner: dict[NodeSlot, str] = {}
    faults: list[Diagnostic] = []
    for name, tenant in blueprint.tenants.items():
        own_slots: set[NodeSlot] = set()
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
            own_slots |= slots
        slots_by_tenant[name] = frozenset(own_slots)
    if faults:
        raise InputError(faults)
    return slots_by_tenant


def _make_fault(code: str, message: str, path: Path, hint: str) -> Diagnostic:
    return Diagnostic(code, Severity.ERROR, message, path, hint)


def _find_tenant_faults(design: Design, name: str, tenant: Tenant) -> Iterator[Diagnostic]:
    """What a tenant names that there is none of, and whether its own name is taken."""
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
    if guest or name in _OF_SWITCHES:
        owner = f"that of fabric {guest}" if guest else "the switches' own"
        yield _make_fault(
            TWICE, f"tenant {name} has a VRF of its name, and there is one: {owner}", path, "rename the tenant"
        )


def _find_double_extras(tenants: Mapping[str, Tenant]) -> Iterator[Diagnostic]:
    # yields a fault for each set of extra devices that two tenants name
    owner: dict[str, str] = {}
    for name, tenant in tenants.items():
        for i, extra in enumerate(tenant.extra):
            other_tenant = owner.setdefault(extra, name)
            if other_tenant != name:
                message = f"tenant {name}: the devices '{extra}' are {other_tenant}'s already"
                yield _make_fault(TWICE, message, ("tenants", name, "extra", i), "a device is of one tenant")


def _list_tenant_fabrics(design: Design, name: str, slots: frozenset[NodeSlot]) -> tuple[str, ...]:
    """The fabrics that a tenant is kept apart in: those stated, else all that its nodes and devices attach to but
    those of management ports.
    """
    tenant = design.loaded.blueprint.tenants[name]
    if tenant.fabrics:
        return tuple(f.name for f in design.fabrics if f.name in tenant.fabrics)
    return tuple(f.name for f in design.fabrics if not f.manages and has_attachment(design, f, slots, tenant.extra))


def has_attachment(design: Design, fabric: FabricDesign, slots: frozenset[NodeSlot], extras: Sequence[str]) -> bool:
    """Whether any of some node slots or sets of extra devices has ports, or a VLAN on shared ports, in a fabric."""
    owner = design.fabric(fabric.carrier) if fabric.shares_ports else fabric
    return any(design.layout.count_slots_of_set(nodes, slots) for nodes in owner.node_sets) or any(
        extra.name in extras for extra in fabric.extras
    )


def _check_fabrics(design: Design, name: str, fabrics: Sequence[str]) -> None:
    """Raise InputError where a tenant's VRF would need routes that there is no protocol for."""
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
    """The Ethernet fabrics over whose switches the VRF of a tenant may pass: all that are linked with its own."""
    linked = group_linked_fabrics(design.loaded.blueprint.fabrics)
    linked_names = {name for part in linked if not set(part).isdisjoint(fabrics) for name in part}
    return tuple(f.name for f in design.fabrics if f.name in linked_names and f.tiers and f.protocol != "infiniband")


def _name_vlan_holders(
    design: Design, name: str, fabrics: Sequence[str], transport: Sequence[str]
) -> Iterator[tuple[str, list[str]]]:
    """(fabric, names in the lock of the VLANs that a tenant has in it): one, or one for each subnet of rails."""
    for fabric in design.fabrics:
        if fabric.name in transport or (fabric.name in fabrics and fabric.protocol != "infiniband"):
            rails = fabric.hosts == "rail-subnets" and fabric.name in fabrics
            count = max((len(a.legs) for _, a in fabric.attachments), default=1) if rails else 1
            yield fabric.name, [f"{fabric.name} {f'+{i} ' if i else ''}in {name}" for i in range(count)]


def _check_vlans(design: Design, holder_by_vlan: Mapping[int, str]) -> None:
    """Raise InputError where a fabric states the VLAN of a tenant."""
    blueprint = design.loaded.blueprint
    for fabric in design.fabrics:
        vlan = find_fabric_vlan(blueprint, design.layout.numbering, fabric.name)
        if vlan in holder_by_vlan:
            raise fault(
                "FG114",
                f"{fabric.name} has VLAN {vlan}, which is that of {holder_by_vlan[vlan]}",
                path=(*fabric.path, "vlan"),
                hint="tenants have VLANs 2000 to 3399: state another",
            )


# Extra devices that tenants share on InfiniBand: members of several partitions, and the one way between tenants.


def check_shared(design: Design, name: str, fabrics: Collection[str]) -> None:
    """Raise InputError (FG094) where a tenant, kept apart in `fabrics`, shares what it cannot."""
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


# What each tenant has, in figures.


def count_tenant_figures(design: Design) -> dict[str, dict[str, Any]]:
    """By tenant: its nodes, the accelerators of those that are not spare, and the fabrics that it is kept apart in."""
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


# Leaks: which VRFs tell each other routes, on the switches of which fabrics.
# A switch that has both VRFs leaks between them; what it brings into one travels on in it, as its own routes do. Over
# EVPN a leak brings each VRF to the switches with hosts of the other.

CODE = "FG098"
DEFAULT = "default"
SHARED_SUBNETS = ("bridged", "rail-subnets")
"""How hosts have addresses where all on a leaf, or a rail of it, are in one subnet."""


def design_leaks(design: Design) -> Design:
    """A design with the leaks of its blueprint.

    Raises InputError (FG098) for VRFs and fabrics that there are none of, for VRFs that no switch has both of, or
    whose switches run no BGP. Leaves with hosts of both are known when links are (`numbering.shared_leaves`).
    """
    stated = design.loaded.blueprint.leaks
    if not stated:
        return design
    ports = _list_vrf_fabrics(design)
    switches = _list_switch_fabrics(design)
    leaks, faults = [], list[Diagnostic]()
    for name, leak in stated.items():
        leak_faults = list(_find_unknown(design, name, leak, ports))
        if not leak_faults:
            designed = _design_leak(name, leak, switches)
            designed = designed._replace(meeting=tuple(_find_shared_subnets(design, designed, ports)))
            leak_faults = list(_list_leak_faults(design, designed, leak))
            leaks.append(designed)
        faults += leak_faults
    if faults:
        raise InputError(faults)
    return replace(design, leaks=tuple(leaks))


def _list_vrf_fabrics(design: Design) -> dict[str, frozenset[str]]:
    """By VRF, "" for the default one, the Ethernet fabrics whose hosts are in it."""
    fabrics_by_vrf: dict[str, set[str]] = {"": set()}
    for fabric in design.fabrics:
        if fabric.protocol != "infiniband":
            fabrics_by_vrf.setdefault(fabric.vrf, set()).add(fabric.name)
    for tenant in design.tenants:
        fabrics_by_vrf[tenant.name] = {name for name in tenant.fabrics if design.fabric(name).protocol != "infiniband"}
    return {vrf: frozenset(names) for vrf, names in fabrics_by_vrf.items()}


def _list_switch_fabrics(design: Design) -> dict[str, frozenset[str]]:
    """By VRF, the fabrics whose switches may have it: those that its hosts attach to, and those that it passes."""
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
    # a fault for each VRF and fabric that a leak names and that there is not
    vrf_names = [vrf or DEFAULT for vrf in vrfs]
    for i, vrf in enumerate(leak.between):
        if vrf not in vrf_names:
            hint = did_you_mean(vrf, vrf_names) or f"there are {', '.join(sorted(vrf_names))}"
            yield _leak_fault(f"no switch has a VRF '{vrf}'", ("leaks", name, "between", i), hint)
    fabrics = [fabric.name for fabric in design.fabrics]
    for i, fabric in enumerate(leak.fabrics):
        if fabric not in fabrics:
            yield _leak_fault(
                f"there is no fabric '{fabric}'", ("leaks", name, "fabrics", i), did_you_mean(fabric, fabrics)
            )


def _design_leak(name: str, leak: Leak, switches: Mapping[str, frozenset[str]]) -> LeakDesign:
    # a leak with the fabrics that have switches with both VRFs; `switches` has the fabrics of each VRF
    first_vrf, second_vrf = map(_parse_vrf, leak.between)
    common = switches[first_vrf] & switches[second_vrf]
    return LeakDesign(
        name=name,
        between=(first_vrf, second_vrf),
        prefixes={_parse_vrf(vrf): prefixes for vrf, prefixes in leak.prefixes.items()},
        fabrics=tuple(sorted(common & set(leak.fabrics) if leak.fabrics else common)),
    )


def _list_leak_faults(design: Design, designed: LeakDesign, leak: Leak) -> Iterator[Diagnostic]:
    # what is wrong with a leak: no switch with both VRFs, no BGP there, or EVPN where it cannot leak
    path: Path = ("leaks", designed.name)
    first_vrf, second_vrf = leak.between
    if not designed.fabrics:
        fabrics_text = f" of {', '.join(leak.fabrics)}" if leak.fabrics else ""
        hint = "VRFs leak on a switch that has both: let them have ports, or pass, in one fabric"
        yield _leak_fault(f"no switch{fabrics_text} has both VRFs, {first_vrf} and {second_vrf}", path, hint)
    blueprint = design.loaded.blueprint
    for name in designed.fabrics:
        if not find_fabric_underlay(blueprint, name).startswith("ebgp"):
            message = f"{name} has underlay {find_fabric_underlay(blueprint, name)}, and VRFs leak in BGP"
            yield _leak_fault(message, path, "use an ebgp underlay, or state `fabrics` without it")
        elif any(owner == name for owner, vrf in design.vnis if vrf in designed.between):
            yield from _find_evpn_faults(design, designed, name, path)


def _find_shared_subnets(design: Design, leak: LeakDesign, ports: Mapping[str, frozenset[str]]) -> Iterator[str]:
    """The fabrics in which hosts of both VRFs of a leak may be in the one subnet of a leaf that the leak shows."""
    for fabric in design.fabrics:
        hosts_both = fabric.hosts in SHARED_SUBNETS and all(fabric.name in ports[vrf] for vrf in leak.between)
        if hosts_both and _find_owner(fabric) in leak.fabrics and not _are_apart(leak):
            yield fabric.name


def make_subnet_fault(leak: LeakDesign, fabric: str, leaf: str, further: int) -> Diagnostic:
    """The fault (FG098) of a leaf, and of so many more, on which both VRFs of a leak have hosts in one subnet."""
    vrf_a, vrf_b = (vrf or DEFAULT for vrf in leak.between)
    leaves = f"{leaf} and {further} more leaves have" if further else f"{leaf} has"
    return _leak_fault(
        f"{leaves} hosts of {vrf_a} and of {vrf_b} in the one subnet of a leaf of {fabric}: it would be on both sides",
        ("leaks", leak.name),
        f"leak `prefixes` of each that the other has no hosts in, put them on different leaves (an extra device by its "
        f"`to`), or state `fabrics` without {fabric}",
    )


def _find_evpn_faults(design: Design, leak: LeakDesign, name: str, path: Path) -> Iterator[Diagnostic]:
    """Why two VRFs of a fabric cannot leak over EVPN: one is not of it, or leaves do not tell on what they leaked."""
    hint = "take sub-interfaces there, or state `fabrics` without it"
    if any((name, vrf) not in design.vnis for vrf in leak.between):
        absent_vrf = next(vrf for vrf in leak.between if (name, vrf) not in design.vnis)
        message = f"{absent_vrf or DEFAULT} does not travel over EVPN in {name}, and the other VRF does"
        yield _leak_fault(message, path, hint)
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
        yield _leak_fault(message, path, "run one of the two on all leaves, or state `fabrics` without it")


def _are_apart(leak: LeakDesign) -> bool:
    """Whether both VRFs state what they show, and it does not overlap."""
    first_prefixes, second_prefixes = (leak.prefixes.get(vrf, ()) for vrf in leak.between)
    pairs = ((ip_network(a), ip_network(b)) for a in first_prefixes for b in second_prefixes)
    return bool(first_prefixes and second_prefixes) and not any(
        a.version == b.version and a.overlaps(b) for a, b in pairs
    )


def _leak_fault(message: str, path: Path, hint: str) -> Diagnostic:
    return Diagnostic(CODE, Severity.ERROR, message, path, hint)

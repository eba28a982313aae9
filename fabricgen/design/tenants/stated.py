"""Tenants: which node slots and extra devices are whose, in which fabrics, and the numbers that each has.

A tenant's ports are in a VRF of its name on Ethernet fabrics, and in a partition on InfiniBand ones. Its nodes keep
their addresses: where hosts are bridged, each tenant on a leaf has a VLAN, with the leaf's one subnet and gateway in
its own VRF.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from fabricgen.blueprint.models import Blueprint, natural
from fabricgen.blueprint.sections.tenants import Tenant
from fabricgen.blueprint.slots import NodeSlot, stated_slots
from fabricgen.design.fabric_model import FabricDesign
from fabricgen.design.layout import Layout, pod_units
from fabricgen.design.linked import fabric_underlay, fabric_vlan, linked_fabrics
from fabricgen.design.model import Design
from fabricgen.design.numbering import with_tenants
from fabricgen.design.tenants.model import TenantDesign
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Path, Severity, did_you_mean, fault

UNKNOWN, TWICE = "FG078", "FG093"
_OF_SWITCHES = ("default", "mgmt", "global")
"""Names of VRFs that switches have already."""


def with_tenant_designs(design: Design) -> Design:
    """A design with the tenants of its blueprint, numbered as the lock has them.

    Raises InputError for slots, fabrics and extra devices that there are none of or that no tenant can have (FG078),
    for what is two tenants', and for names that are taken (FG093), and for what cannot be shared (FG094).
    """
    blueprint, layout = design.loaded.blueprint, design.layout
    if not blueprint.tenants:
        return design
    slots = _slots(blueprint, layout)
    faults = [wrong for name, tenant in blueprint.tenants.items() for wrong in _faults(design, name, tenant)]
    if faults := [*faults, *_extras_twice(blueprint.tenants)]:
        raise InputError(faults)
    names = sorted(blueprint.tenants, key=natural)
    fabrics = {name: _fabrics(design, name, slots[name]) for name in names}
    for name in names:
        _check_fabrics(design, name, fabrics[name])
        check_shared(design, name, fabrics[name])
    transports = {name: _transport(design, fabrics[name]) for name in names}
    holders = {name: dict(_vlan_holders(design, name, fabrics[name], transports[name])) for name in names}
    vlans = [holder for name in names for some in holders[name].values() for holder in some]
    numbering = with_tenants(layout.numbering, layout.lock, names, vlans)
    number = {holder: given[0].first for holder, given in numbering.held["vlans"].items()}
    _check_vlans(design, {number[holder]: holder for holder in vlans})
    found = tuple(
        TenantDesign(
            name=name,
            number=numbering.held["tenants"][name][0].first,
            slots=slots[name],
            extras=blueprint.tenants[name].extra,
            fabrics=fabrics[name],
            transport=transports[name],
            vlans={fabric: tuple(number[holder] for holder in some) for fabric, some in holders[name].items()},
            path=("tenants", name),
            shared=blueprint.tenants[name].shared,
        )
        for name in names
    )
    return replace(design, layout=replace(layout, numbering=numbering), tenants=found)


def _slots(blueprint: Blueprint, layout: Layout) -> dict[str, frozenset[NodeSlot]]:
    """The node slots of each tenant that are not omitted; raises InputError for unknown ones and for those of two."""
    pods = pod_units(blueprint, layout)
    found: dict[str, frozenset[NodeSlot]] = {}
    owner: dict[NodeSlot, str] = {}
    faults: list[Diagnostic] = []
    for name, tenant in blueprint.tenants.items():
        mine: set[NodeSlot] = set()
        for i, text in enumerate(tenant.nodes):
            slots = stated_slots(text if "/" in text else f"{text}/su-*", pods)
            path: Path = ("tenants", name, "nodes", i)
            if isinstance(slots, str):
                hint = "write it like p1/su-2/node-3"
                hint = f"{did_you_mean(text.split('/')[0], pods)}; {hint}" if "no pod" in slots else hint
                faults.append(_wrong(UNKNOWN, f"tenant {name}: {slots}", path, hint))
                continue
            slots -= layout.omitted
            if not slots:
                faults.append(_wrong(UNKNOWN, f"tenant {name}: {text} is omitted", path, "remove it here or there"))
            others = sorted({owner[slot] for slot in slots if owner.get(slot, name) != name})
            if others:
                count = sum(owner.get(slot, name) != name for slot in slots)
                what = f"{text} names {count} of the nodes that are {', '.join(others)}'s already"
                faults.append(_wrong(TWICE, f"tenant {name}: {what}", path, "a node is of one tenant"))
            owner |= dict.fromkeys(slots, name)
            mine |= slots
        found[name] = frozenset(mine)
    if faults:
        raise InputError(faults)
    return found


def _wrong(code: str, message: str, path: Path, hint: str) -> Diagnostic:
    return Diagnostic(code, Severity.ERROR, message, path, hint)


def _faults(design: Design, name: str, tenant: Tenant) -> Iterator[Diagnostic]:
    """What a tenant names that there is none of, and whether its own name is taken."""
    path: Path = ("tenants", name)
    known = {f.name: f for f in design.fabrics}
    for i, fabric in enumerate(tenant.fabrics):
        at = (*path, "fabrics", i)
        if fabric not in known:
            yield _wrong(UNKNOWN, f"there is no fabric '{fabric}'", at, did_you_mean(fabric, known))
        elif known[fabric].manages:
            what = f"{fabric} connects management ports, which are no tenant's"
            yield _wrong(UNKNOWN, what, at, "take it off the tenant's `fabrics`")
    for i, extra in enumerate(tenant.extra):
        if extra not in design.extra_sets:
            hint = did_you_mean(extra, design.extra_sets)
            yield _wrong(UNKNOWN, f"there are no extra devices '{extra}'", (*path, "extra", i), hint)
    guest = next((f.name for f in design.fabrics if f.vrf == name), None)
    if guest or name in _OF_SWITCHES:
        whose = f"that of fabric {guest}" if guest else "the switches' own"
        yield _wrong(
            TWICE, f"tenant {name} has a VRF of its name, and there is one: {whose}", path, "rename the tenant"
        )


def _extras_twice(tenants: Mapping[str, Tenant]) -> Iterator[Diagnostic]:
    owner: dict[str, str] = {}
    for name, tenant in tenants.items():
        for i, extra in enumerate(tenant.extra):
            other = owner.setdefault(extra, name)
            if other != name:
                what = f"tenant {name}: the devices '{extra}' are {other}'s already"
                yield _wrong(TWICE, what, ("tenants", name, "extra", i), "a device is of one tenant")


def _fabrics(design: Design, name: str, slots: frozenset[NodeSlot]) -> tuple[str, ...]:
    """The fabrics that a tenant is kept apart in: those stated, else all that its nodes and devices attach to but
    those of management ports.
    """
    tenant = design.loaded.blueprint.tenants[name]
    if tenant.fabrics:
        return tuple(f.name for f in design.fabrics if f.name in tenant.fabrics)
    return tuple(f.name for f in design.fabrics if not f.manages and attaches(design, f, slots, tenant.extra))


def attaches(design: Design, fabric: FabricDesign, slots: frozenset[NodeSlot], extras: Sequence[str]) -> bool:
    """Whether any of some node slots or sets of extra devices has ports, or a VLAN on shared ports, in a fabric."""
    owner = design.fabric(fabric.carrier) if fabric.shares_ports else fabric
    return any(design.layout.of_set(nodes, slots) for nodes in owner.node_sets) or any(
        extra.name in extras for extra in fabric.extras
    )


def _check_fabrics(design: Design, name: str, fabrics: Sequence[str]) -> None:
    """Raise InputError where a tenant's VRF would need routes that there is no protocol for."""
    blueprint = design.loaded.blueprint
    for fabric in (design.fabric(one) for one in fabrics):
        if fabric.protocol != "infiniband" and fabric_underlay(blueprint, fabric.name) == "static":
            stated = blueprint.tenants[name].fabrics
            at = ("fabrics", list(stated).index(fabric.name)) if stated else ()
            raise fault(
                UNKNOWN,
                f"tenant {name} has a VRF in {fabric.name}, and static routes do not run in those",
                path=("tenants", name, *at),
                hint="use an ebgp underlay, or state the tenant's `fabrics` without it",
            )


def _transport(design: Design, fabrics: Sequence[str]) -> tuple[str, ...]:
    """The Ethernet fabrics over whose switches the VRF of a tenant may pass: all that are linked with its own."""
    linked = linked_fabrics(design.loaded.blueprint.fabrics)
    met = {name for part in linked if not set(part).isdisjoint(fabrics) for name in part}
    return tuple(f.name for f in design.fabrics if f.name in met and f.tiers and f.protocol != "infiniband")


def _vlan_holders(
    design: Design, name: str, fabrics: Sequence[str], transport: Sequence[str]
) -> Iterator[tuple[str, list[str]]]:
    """(fabric, names in the lock of the VLANs that a tenant has in it): one, or one for each subnet of rails."""
    for fabric in design.fabrics:
        if fabric.name in transport or (fabric.name in fabrics and fabric.protocol != "infiniband"):
            rails = fabric.hosts == "rail-subnets" and fabric.name in fabrics
            count = max((len(a.legs) for _, a in fabric.attachments), default=1) if rails else 1
            yield fabric.name, [f"{fabric.name} {f'+{i} ' if i else ''}in {name}" for i in range(count)]


def _check_vlans(design: Design, taken: Mapping[int, str]) -> None:
    """Raise InputError where a fabric states the VLAN of a tenant."""
    blueprint = design.loaded.blueprint
    for fabric in design.fabrics:
        vlan = fabric_vlan(blueprint, design.layout.numbering, fabric.name)
        if vlan in taken:
            raise fault(
                "FG114",
                f"{fabric.name} has VLAN {vlan}, which is that of {taken[vlan]}",
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
        why, hint = "", ""
        if extra not in design.extra_sets:
            why, hint = f"there are no extra devices '{extra}'", did_you_mean(extra, design.extra_sets)
        elif extra in tenant.extra:
            why, hint = f"the devices '{extra}' are its own", "remove it from `shared` or from `extra`"
        elif extra not in on_infiniband:
            why = f"the devices '{extra}' have no port in an InfiniBand fabric that it is kept apart in"
            hint = "on Ethernet, `leaks` join the VRFs of tenants"
        if why:
            raise fault("FG094", f"tenant {name}: {why}", path=("tenants", name, "shared", i), hint=hint)


# What each tenant has, in figures.


def tenant_figures(design: Design) -> dict[str, dict[str, Any]]:
    """By tenant: its nodes, the accelerators of those that are not spare, and the fabrics that it is kept apart in."""
    layout = design.layout
    return {
        tenant.name: {
            "nodes": len(tenant.slots),
            "accelerators": sum(
                layout.of_set(nodes, tenant.slots - layout.spare) * nodes.profile.accelerators.count
                for nodes in layout.node_sets
                if nodes.profile.accelerators
            ),
            "fabrics": list(tenant.fabrics),
        }
        for tenant in design.tenants
    }

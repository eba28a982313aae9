"""Leaks: which VRFs tell each other routes, on the switches of which fabrics.

A switch that has both VRFs leaks between them; what it brings into one travels on in it, as its own routes do.
Over EVPN a leak brings each VRF to the switches with hosts of the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from ipaddress import ip_network

from fabricgen.blueprint.sections.tenants import Leak
from fabricgen.design.fabric_model import FabricDesign
from fabricgen.design.linked import fabric_underlay
from fabricgen.design.model import Design
from fabricgen.design.tenants.model import LeakDesign
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Path, Severity, did_you_mean

CODE = "FG098"
DEFAULT = "default"
SHARED_SUBNETS = ("bridged", "rail-subnets")
"""How hosts have addresses where all on a leaf, or a rail of it, are in one subnet."""


def with_leak_designs(design: Design) -> Design:
    """A design with the leaks of its blueprint.

    Raises InputError (FG098) for VRFs and fabrics that there are none of, for VRFs that no switch has both of, or
    whose switches run no BGP. Leaves with hosts of both are known when links are (`numbering.shared_leaves`).
    """
    stated = design.loaded.blueprint.leaks
    if not stated:
        return design
    ports = _ports(design)
    switches = _switches(design)
    found, faults = [], list[Diagnostic]()
    for name, leak in stated.items():
        wrong = list(_unknown(design, name, leak, ports))
        if not wrong:
            one = _designed(name, leak, switches)
            one = replace(one, meeting=tuple(_find_shared_subnets(design, one, ports)))
            wrong = list(_faults(design, one, leak))
            found.append(one)
        faults += wrong
    if faults:
        raise InputError(faults)
    return replace(design, leaks=tuple(found))


def _ports(design: Design) -> dict[str, frozenset[str]]:
    """By VRF, "" for the default one, the Ethernet fabrics whose hosts are in it."""
    found: dict[str, set[str]] = {"": set()}
    for fabric in design.fabrics:
        if fabric.protocol != "infiniband":
            found.setdefault(fabric.vrf, set()).add(fabric.name)
    for tenant in design.tenants:
        found[tenant.name] = {name for name in tenant.fabrics if design.fabric(name).protocol != "infiniband"}
    return {vrf: frozenset(names) for vrf, names in found.items()}


def _switches(design: Design) -> dict[str, frozenset[str]]:
    """By VRF, the fabrics whose switches may have it: those that its hosts attach to, and those that it passes."""
    found = {vrf: {_owner(design.fabric(name)) for name in names} for vrf, names in _ports(design).items()}
    for tenant in design.tenants:
        found[tenant.name] |= set(tenant.transport)
    found[""] |= {fabric.name for fabric in design.fabrics if fabric.tiers and fabric.protocol != "infiniband"}
    return {vrf: frozenset(names) for vrf, names in found.items()}


def _owner(fabric: FabricDesign) -> str:
    return fabric.carrier or fabric.name


def _vrf(name: str) -> str:
    return "" if name == DEFAULT else name


def _unknown(design: Design, name: str, leak: Leak, vrfs: Mapping[str, object]) -> Iterator[Diagnostic]:
    known = [vrf or DEFAULT for vrf in vrfs]
    for i, vrf in enumerate(leak.between):
        if vrf not in known:
            hint = did_you_mean(vrf, known) or f"there are {', '.join(sorted(known))}"
            yield _wrong(f"no switch has a VRF '{vrf}'", ("leaks", name, "between", i), hint)
    fabrics = [fabric.name for fabric in design.fabrics]
    for i, fabric in enumerate(leak.fabrics):
        if fabric not in fabrics:
            yield _wrong(f"there is no fabric '{fabric}'", ("leaks", name, "fabrics", i), did_you_mean(fabric, fabrics))


def _designed(name: str, leak: Leak, switches: Mapping[str, frozenset[str]]) -> LeakDesign:
    one, other = map(_vrf, leak.between)
    both = switches[one] & switches[other]
    return LeakDesign(
        name=name,
        between=(one, other),
        prefixes={_vrf(vrf): prefixes for vrf, prefixes in leak.prefixes.items()},
        fabrics=tuple(sorted(both & set(leak.fabrics) if leak.fabrics else both)),
    )


def _faults(design: Design, found: LeakDesign, leak: Leak) -> Iterator[Diagnostic]:
    path: Path = ("leaks", found.name)
    one, other = leak.between
    if not found.fabrics:
        where = f" of {', '.join(leak.fabrics)}" if leak.fabrics else ""
        hint = "VRFs leak on a switch that has both: let them have ports, or pass, in one fabric"
        yield _wrong(f"no switch{where} has both VRFs, {one} and {other}", path, hint)
    blueprint = design.loaded.blueprint
    for name in found.fabrics:
        if not fabric_underlay(blueprint, name).startswith("ebgp"):
            what = f"{name} has underlay {fabric_underlay(blueprint, name)}, and VRFs leak in BGP"
            yield _wrong(what, path, "use an ebgp underlay, or state `fabrics` without it")
        elif any(owner == name for owner, vrf in design.vnis if vrf in found.between):
            yield from _over_evpn(design, found, name, path)


def _find_shared_subnets(design: Design, found: LeakDesign, ports: Mapping[str, frozenset[str]]) -> Iterator[str]:
    """The fabrics in which hosts of both VRFs of a leak may be in the one subnet of a leaf that the leak shows."""
    for fabric in design.fabrics:
        both = fabric.hosts in SHARED_SUBNETS and all(fabric.name in ports[vrf] for vrf in found.between)
        if both and _owner(fabric) in found.fabrics and not _apart(found):
            yield fabric.name


def subnet_on_both_sides(leak: LeakDesign, fabric: str, leaf: str, more: int) -> Diagnostic:
    """The fault (FG098) of a leaf, and of so many more, on which both VRFs of a leak have hosts in one subnet."""
    one, other = (vrf or DEFAULT for vrf in leak.between)
    leaves = f"{leaf} and {more} more leaves have" if more else f"{leaf} has"
    return _wrong(
        f"{leaves} hosts of {one} and of {other} in the one subnet of a leaf of {fabric}: it would be on both sides",
        ("leaks", leak.name),
        f"leak `prefixes` of each that the other has no hosts in, put them on different leaves, or state `fabrics` "
        f"without {fabric}",
    )


def _over_evpn(design: Design, found: LeakDesign, name: str, path: Path) -> Iterator[Diagnostic]:
    """Why two VRFs of a fabric cannot leak over EVPN: one is not of it, or leaves do not tell on what they leaked."""
    hint = "take sub-interfaces there, or state `fabrics` without it"
    if any((name, vrf) not in design.vnis for vrf in found.between):
        out = next(vrf for vrf in found.between if (name, vrf) not in design.vnis)
        what = f"{out or DEFAULT} does not travel over EVPN in {name}, and the other VRF does"
        yield _wrong(what, path, hint)
        return
    leaves = {tier.nos: tier for tier in design.fabric(name).tiers if tier.lowest}
    naming = {nos: design.catalog.naming(nos) for nos, tier in leaves.items()}
    silent = next((nos for nos in leaves if not naming[nos].configuration.tells_imports), None)
    other = next((tier for nos, tier in leaves.items() if nos != silent), None)
    if silent and other:
        what = (
            f"{leaves[silent].key} of {name} run {naming[silent].title}, which tells on nothing that a VRF imported, "
            f"and {other.key} run {other.nos}, which take only what is told on in a VRF"
        )
        yield _wrong(what, path, "run one of the two on all leaves, or state `fabrics` without it")


def _apart(leak: LeakDesign) -> bool:
    """Whether both VRFs state what they show, and it does not overlap."""
    one, other = (leak.prefixes.get(vrf, ()) for vrf in leak.between)
    pairs = ((ip_network(a), ip_network(b)) for a in one for b in other)
    return bool(one and other) and not any(a.version == b.version and a.overlaps(b) for a, b in pairs)


def _wrong(message: str, path: Path, hint: str) -> Diagnostic:
    return Diagnostic(CODE, Severity.ERROR, message, path, hint)

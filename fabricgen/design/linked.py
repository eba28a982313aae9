"""Which fabrics must be designed together: they share tiers, or tiers of one are linked up to those of another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from fabricgen.blueprint.models import Blueprint
from fabricgen.blueprint.sections.fabric import Fabric
from fabricgen.design.numbering import Numbering
from fabricgen.kernel.diagnostics import fault

if TYPE_CHECKING:
    from fabricgen.design.fabric_model import TierKey
    from fabricgen.design.model import Design


def group_linked_fabrics(blueprint_fabrics: Mapping[str, Fabric]) -> list[list[str]]:
    """Names of the fabrics, those that share tiers or are linked with each other in one list; ordered by the first of
    each.
    """
    owner = {name: name for name in blueprint_fabrics}

    def find(root: str) -> str:
        while owner[root] != root:
            root = owner[root]
        return root

    for name, fabric in blueprint_fabrics.items():
        linked_names = [fabric.carried_by] if fabric.carried_by else []
        for tier in fabric.tiers.values():
            linked_names += [text.split(".")[0] for text in (*tier.above, *filter(None, [tier.below])) if "." in text]
        for linked_name in linked_names:
            if linked_name in owner:
                owner[find(linked_name)] = find(name)
    groups: dict[str, list[str]] = {}
    for name in blueprint_fabrics:
        groups.setdefault(find(name), []).append(name)
    return list(groups.values())


def find_fabric_vlan(blueprint: Blueprint, numbering: Numbering, name: str) -> int:
    """The VLAN of a fabric's bridged nodes: as the blueprint states, else the number allocated to the fabric."""
    return blueprint.fabrics[name].vlan or numbering.held["vlans"][name][0].first


def find_fabric_ip(blueprint: Blueprint, name: str) -> str:
    """`v4`, `v6` or `dual`, as stated by a fabric, by the one that carries it, or by the cluster."""
    fabric = blueprint.fabrics[name]
    carrier = blueprint.fabrics.get(fabric.carried_by or "", fabric)
    return fabric.ip or carrier.ip or blueprint.ip


def check_linked(blueprint: Blueprint, numbering: Numbering, names: Sequence[str]) -> None:
    """Raise InputError where fabrics that share switches or links disagree: on protocol, underlay, address families or
    VLAN.
    """
    fabrics = blueprint.fabrics
    for name in names:
        carrier = fabrics[name].carried_by
        protocols = {fabrics[name].protocol, fabrics[carrier].protocol} if carrier in fabrics else set()
        if "infiniband" in protocols and len(protocols) > 1:
            raise fault(
                "FG015",
                f"{name} is {fabrics[name].protocol}, and its carrier {carrier} is not",
                path=("fabrics", name, "carried_by"),
                hint="InfiniBand switches carry InfiniBand alone",
            )
    routed = [name for name in names if fabrics[name].protocol != "infiniband"]
    for name in routed:
        _check_underlay(blueprint, name, routed[0])
        _check_ip(blueprint, name, routed[0])
        _check_hosts(fabrics[name], name)
    _check_vlans(blueprint, numbering, routed)


def find_fabric_underlay(blueprint: Blueprint, name: str) -> str:
    """`ebgp-numbered`, `ebgp-unnumbered`, `static`, `srv6` or `none`: as stated by the fabric that owns the switches,
    else by the cluster.
    """
    fabric = blueprint.fabrics[name]
    owner = blueprint.fabrics.get(fabric.carried_by or "", fabric)
    return owner.routing.underlay or blueprint.routing.underlay or "ebgp-numbered"


def weighs_paths(blueprint: Blueprint, fabric: str) -> bool:
    """Whether BGP of a fabric tells how many links lead on, so that equal paths are weighed by them."""
    owner = blueprint.fabrics[blueprint.fabrics[fabric].carried_by or fabric]
    runs_bgp = owner.protocol != "infiniband" and find_fabric_underlay(blueprint, fabric).startswith("ebgp")
    return runs_bgp and (owner.routing.weights or blueprint.routing.weights) == "link-bandwidth"


def find_fabric_overlay(blueprint: Blueprint, name: str) -> str:
    """`none` or `evpn`: how VRFs pass between switches, as stated by these switches' fabric, else by the cluster."""
    fabric = blueprint.fabrics[name]
    owner = blueprint.fabrics.get(fabric.carried_by or "", fabric)
    return owner.routing.overlay or blueprint.routing.overlay or "none"


def _check_underlay(blueprint: Blueprint, name: str, first: str) -> None:
    """Raise InputError where linked fabrics have different underlays, or where static routes would have to run over
    peer links or in a VRF.
    """
    underlay, first_underlay = find_fabric_underlay(blueprint, name), find_fabric_underlay(blueprint, first)
    path, fabric = ("fabrics", name), blueprint.fabrics[name]
    if underlay != first_underlay:
        raise fault(
            "FG113",
            f"{name} has underlay {underlay}, but {first}, which is linked with it, has {first_underlay}",
            path=path,
            hint="state one underlay for both",
        )
    if underlay not in ("static", "srv6"):
        return
    peers = next((tier for tier, spec in fabric.tiers.items() if spec.peer or spec.mesh), None)
    below = any(tier.below is not None and "." in tier.below for tier in fabric.tiers.values())
    if fabric.spans or peers or ((fabric.carried_by or below) and fabric.vrf != "default"):
        unsupported = (
            "spans"
            if fabric.spans
            else f"the {'peer links' if fabric.tiers[peers].peer else 'mesh'} of {peers}"
            if peers
            else f"the VRF of {name}"
        )
        raise fault(
            "FG113",
            f"{'static' if underlay == 'static' else 'SRv6'} routes do not run over {unsupported}",
            path=path,
            hint="use an ebgp underlay" + ("" if fabric.spans or peers else ", or `vrf: default`"),
        )


def _check_hosts(fabric: Fabric, name: str) -> None:
    """Raise InputError where a fabric of management ports, which are on no rail, asks for subnets by rail."""
    if fabric.hosts == "rail-subnets" and fabric.also:
        raise fault(
            "FG116",
            f"{name} takes the management ports of switches, which are on no rail",
            path=("fabrics", name, "hosts"),
            hint="let its hosts be `bridged`",
        )


def _check_ip(blueprint: Blueprint, name: str, first: str) -> None:
    """Raise InputError where fabrics that meet on links have different address families."""
    family, first_family = find_fabric_ip(blueprint, name), find_fabric_ip(blueprint, first)
    if family != first_family:
        raise fault(
            "FG115",
            f"{name} has ip {family}, but {first}, which is linked with it, has {first_family}",
            path=("fabrics", name, *(("ip",) if blueprint.fabrics[name].ip else ())),
            hint="state one `ip` for both",
        )


def _check_vlans(blueprint: Blueprint, numbering: Numbering, names: Sequence[str]) -> None:
    """Raise InputError where two fabrics on the same switches have one VLAN."""
    fabric_by_vlan: dict[tuple[str, int], str] = {}
    for name in names:
        fabric = blueprint.fabrics[name]
        vlan = find_fabric_vlan(blueprint, numbering, name)
        first = fabric_by_vlan.setdefault((fabric.carried_by or name, vlan), name)
        if first != name:
            raise fault(
                "FG114",
                f"{name} and {first} are on the same switches, and both have VLAN {vlan}",
                path=("fabrics", name, *(("vlan",) if fabric.vlan else ())),
                hint="state another `vlan` for one of them",
            )


def is_multihomed(blueprint: Blueprint, key: TierKey) -> bool:
    """Whether bonds over two switches of a tier are EVPN multihoming (`pair: evpn`)."""
    fabric = blueprint.fabrics.get(key.fabric)
    tier = fabric.tiers.get(key.name) if fabric else None
    return tier is not None and tier.pair == "evpn"


def group_infiniband_fabrics(design: Design) -> dict[str, list[str]]:
    """The InfiniBand fabrics, each with those linked with it, by the name of the first of them that has switches."""
    parts = [
        part
        for part in group_linked_fabrics(design.loaded.blueprint.fabrics)
        if any(design.fabric(name).protocol == "infiniband" for name in part)
    ]
    return {next(name for name in part if design.fabric(name).tiers): part for part in parts}

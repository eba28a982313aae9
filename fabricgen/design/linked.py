"""Which fabrics must be designed together: they share tiers, or tiers of one are linked up to those of another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from fabricgen.blueprint.models import Blueprint
from fabricgen.blueprint.sections.fabric import Fabric
from fabricgen.design.numbering import Numbering
from fabricgen.kernel.diagnostics import fault
from fabricgen.kernel.grouping import group_pairs

if TYPE_CHECKING:
    from fabricgen.design.fabric_model import TierKey
    from fabricgen.design.model import Design


def group_linked_fabrics(blueprint_fabrics: Mapping[str, Fabric]) -> list[list[str]]:
    """Return the names of the fabrics in lists: fabrics that share tiers or are linked with each other are in one list.
    Lists are ordered by their first fabric.
    """
    # union-find: owners lead to one fabric that stands for all that are linked with it
    owner = {name: name for name in blueprint_fabrics}

    def find_root(name: str) -> str:
        while owner[name] != name:
            name = owner[name]
        return name

    for name, fabric in blueprint_fabrics.items():
        linked_names = [fabric.carried_by] if fabric.carried_by else []
        for tier in fabric.tiers.values():
            linked_names += [text.split(".")[0] for text in (*tier.above, *filter(None, [tier.below])) if "." in text]
        for linked_name in linked_names:
            if linked_name in owner:
                owner[find_root(linked_name)] = find_root(name)
    return list(group_pairs((find_root(name), name) for name in blueprint_fabrics).values())


def find_fabric_vlan(blueprint: Blueprint, numbering: Numbering, name: str) -> int:
    """Return the VLAN of a fabric's bridged nodes: as the blueprint states, else the number allocated to the fabric."""
    return blueprint.fabrics[name].vlan or numbering.held["vlans"][name][0].first


def find_fabric_ip(blueprint: Blueprint, name: str) -> str:
    """Return `v4`, `v6` or `dual`, as stated by a fabric, by the fabric that carries it, or by the cluster."""
    fabric = blueprint.fabrics[name]
    carrier = blueprint.fabrics.get(fabric.carried_by or "", fabric)
    return fabric.ip or carrier.ip or blueprint.ip


def check_linked(blueprint: Blueprint, numbering: Numbering, names: Sequence[str]) -> None:
    """Raise InputError if fabrics that share switches or links disagree: on protocol (FG015), underlay (FG113), address
    families (FG115) or VLAN (FG114); or if one cannot have its subnets (FG116).
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
    """Return `ebgp-numbered`, `ebgp-unnumbered`, `static`, `srv6` or `none`, as stated by the fabric that owns the
    switches, else by the cluster.
    """
    fabric = blueprint.fabrics[name]
    owner = blueprint.fabrics.get(fabric.carried_by or "", fabric)
    return owner.routing.underlay or blueprint.routing.underlay or "ebgp-numbered"


def weighs_paths(blueprint: Blueprint, fabric: str) -> bool:
    """Whether BGP of a fabric announces how many links lead on from a switch, so that traffic is divided over equal
    paths in proportion to these (`weights: link-bandwidth`).
    """
    owner = blueprint.fabrics[blueprint.fabrics[fabric].carried_by or fabric]
    runs_bgp = owner.protocol != "infiniband" and find_fabric_underlay(blueprint, fabric).startswith("ebgp")
    return runs_bgp and (owner.routing.weights or blueprint.routing.weights) == "link-bandwidth"


def find_fabric_overlay(blueprint: Blueprint, name: str) -> str:
    """Return `none` or `evpn`, how VRFs pass between switches, as stated by the fabric that owns them, else by the
    cluster.
    """
    fabric = blueprint.fabrics[name]
    owner = blueprint.fabrics.get(fabric.carried_by or "", fabric)
    return owner.routing.overlay or blueprint.routing.overlay or "none"


def _check_underlay(blueprint: Blueprint, name: str, first_fabric: str) -> None:
    """Raise InputError (FG113) if linked fabrics have different underlays, or if static or SRv6 routes would have to
    run over peer links, meshes or spans, or in a VRF.
    """
    underlay, first_underlay = find_fabric_underlay(blueprint, name), find_fabric_underlay(blueprint, first_fabric)
    path, fabric = ("fabrics", name), blueprint.fabrics[name]
    if underlay != first_underlay:
        raise fault(
            "FG113",
            f"{name} has underlay {underlay}, but {first_fabric}, which is linked with it, has {first_underlay}",
            path=path,
            hint="state one underlay for both",
        )
    if underlay not in ("static", "srv6"):
        return
    tier_with_peers = next((tier for tier, spec in fabric.tiers.items() if spec.peer or spec.mesh), None)
    is_below_another = any(tier.below is not None and "." in tier.below for tier in fabric.tiers.values())
    if fabric.spans or tier_with_peers or ((fabric.carried_by or is_below_another) and fabric.vrf != "default"):
        unsupported = (
            "spans"
            if fabric.spans
            else f"the {'peer links' if fabric.tiers[tier_with_peers].peer else 'mesh'} of {tier_with_peers}"
            if tier_with_peers
            else f"the VRF of {name}"
        )
        raise fault(
            "FG113",
            f"{'static' if underlay == 'static' else 'SRv6'} routes do not run over {unsupported}",
            path=path,
            hint="use an ebgp underlay" + ("" if fabric.spans or tier_with_peers else ", or `vrf: default`"),
        )


def _check_hosts(fabric: Fabric, name: str) -> None:
    """Raise InputError (FG116) if a fabric of management ports, which are on no rail, asks for subnets by rail."""
    if fabric.hosts == "rail-subnets" and fabric.also:
        raise fault(
            "FG116",
            f"{name} takes the management ports of switches, which are on no rail",
            path=("fabrics", name, "hosts"),
            hint="let its hosts be `bridged`",
        )


def _check_ip(blueprint: Blueprint, name: str, first_fabric: str) -> None:
    """Raise InputError (FG115) if fabrics that meet on links have different address families."""
    family, first_family = find_fabric_ip(blueprint, name), find_fabric_ip(blueprint, first_fabric)
    if family != first_family:
        raise fault(
            "FG115",
            f"{name} has ip {family}, but {first_fabric}, which is linked with it, has {first_family}",
            path=("fabrics", name, *(("ip",) if blueprint.fabrics[name].ip else ())),
            hint="state one `ip` for both",
        )


def _check_vlans(blueprint: Blueprint, numbering: Numbering, names: Sequence[str]) -> None:
    """Raise InputError (FG114) if two of the fabrics `names` are on the same switches and have one VLAN."""
    fabric_by_vlan: dict[tuple[str, int], str] = {}
    for name in names:
        fabric = blueprint.fabrics[name]
        vlan = find_fabric_vlan(blueprint, numbering, name)
        earlier_fabric = fabric_by_vlan.setdefault((fabric.carried_by or name, vlan), name)
        if earlier_fabric != name:
            raise fault(
                "FG114",
                f"{name} and {earlier_fabric} are on the same switches, and both have VLAN {vlan}",
                path=("fabrics", name, *(("vlan",) if fabric.vlan else ())),
                hint="state another `vlan` for one of them",
            )


def is_multihomed(blueprint: Blueprint, key: TierKey) -> bool:
    """Whether bonds over two switches of a tier use EVPN multihoming (`pair: evpn`)."""
    fabric = blueprint.fabrics.get(key.fabric)
    tier = fabric.tiers.get(key.name) if fabric else None
    return tier is not None and tier.pair == "evpn"


def group_infiniband_fabrics(design: Design) -> dict[str, list[str]]:
    """Return the names of the InfiniBand fabrics in lists: those that are linked with each other are in one. The key of
    a list is the first of its fabrics that has switches.
    """
    linked_groups = [
        names
        for names in group_linked_fabrics(design.loaded.blueprint.fabrics)
        if any(design.fabric(name).protocol == "infiniband" for name in names)
    ]
    return {next(name for name in names if design.fabric(name).tiers): names for names in linked_groups}

"""What linked fabrics must not ask of each other: spans without switches, dimensions that end, ports that cannot be
shared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fabricgen.blueprint.dimensions import is_told, list_leg_dimensions
from fabricgen.blueprint.sections.fabric import Fabric
from fabricgen.design.fabric_model import TierKey
from fabricgen.design.tiers import TierSpec
from fabricgen.kernel.diagnostics import fault


def check_spans(spec: Fabric, name: str) -> None:
    """Raise InputError (FG131) if a fabric states spans and is carried by another, so that it has no switches."""
    if spec.carried_by and spec.spans:
        raise fault(
            "FG131",
            f"fabric {name} has spans, and no switches that they could join: it is carried by {spec.carried_by}",
            path=("fabrics", name, "spans", next(iter(spec.spans))),
            hint=f"state them on {spec.carried_by}, whose switches carry both",
        )


def check_dimensions_meet(specs: Mapping[TierKey, TierSpec], sizes: Mapping[TierKey, Mapping[str, int]]) -> None:
    """Raise InputError (FG017) if a tier is grouped by rails or planes, and the tier below it has more of them.

    `sizes` has, by tier, how many values each inner dimension has. In a fabric of two rails, a switch of the third rail
    would have no group to be linked to.
    """
    for lower in specs.values():
        upper = specs[lower.upper] if lower.upper else None
        if upper is None or upper.fabric == lower.fabric:
            continue
        for dimension in list_leg_dimensions():
            upper_count, lower_count = sizes[upper.key][dimension], sizes[lower.key][dimension]
            if dimension in upper.per and is_told(dimension, lower.per) and lower_count > upper_count:
                raise fault(
                    "FG017",
                    f"{upper.fabric}.{upper.name} is per {dimension} and has {upper_count} of them, "
                    f"{lower.fabric}.{lower.name} below it has {lower_count}",
                    path=(*upper.path, "per"),
                    hint=f"take `{dimension}` out of `per` of {upper.name}, or give {lower.fabric} another tier above",
                )


def shares_ports(fabric: Fabric) -> bool:
    """Whether the nodes of a fabric use the ports of its carrier, in a VLAN, and have no ports of their own."""
    return bool(fabric.carried_by and fabric.host_ports)


def check_host_ports(fabrics: Mapping[str, Fabric], names: Sequence[str]) -> None:
    """Raise InputError if fabrics cannot share node ports (FG043), or if two of them are untagged there (FG042)."""
    for name in names:
        if fabrics[name].host_ports:
            _check_shareable(fabrics, name)
    untagged: dict[str, str] = {}
    sharing = [name for name in names if shares_ports(fabrics[name])]
    for name in sorted(sharing, key=list(fabrics).index):
        carrier = fabrics[name].carried_by or ""
        if fabrics[carrier].host_ports != "tagged":
            untagged.setdefault(carrier, carrier)
        if fabrics[name].host_ports == "untagged" and untagged.setdefault(carrier, name) != name:
            raise fault(
                "FG042",
                f"{untagged[carrier]} and {name} are both untagged on the node ports of {carrier}",
                path=("fabrics", name, "host_ports"),
                hint=f"let one be tagged: `host_ports: tagged` of {untagged[carrier]} or {name}",
            )


def _check_shareable(fabrics: Mapping[str, Fabric], name: str) -> None:
    """Raise InputError (FG043) if a fabric with `host_ports` cannot have VLANs on node ports."""
    fabric = fabrics[name]
    carrier = fabrics[fabric.carried_by] if fabric.carried_by else fabric
    routed_fabric = next(
        (fabric_name for fabric_name in (fabric.carried_by or name, name) if not _is_bridged(fabrics[fabric_name])),
        None,
    )
    has_guests = any(
        shares_ports(other_fabric) and other_fabric.carried_by == name for other_fabric in fabrics.values()
    )
    if routed_fabric is not None:
        reason = f"the nodes of {routed_fabric} are not bridged, and have no VLAN"
        hint = f"state `hosts: bridged` of {routed_fabric}, or take `host_ports` away"
    elif carrier.also:
        reason = f"the management ports of switches, which {fabric.carried_by or name} takes, have no VLANs"
        hint = "take `host_ports` away, so that it has ports of its own"
    elif fabric.carried_by and fabric.attach:
        reason = f"its nodes use the ports of {fabric.carried_by}, and it attaches '{fabric.attach}' ports"
        hint = "take `attach` or `host_ports` away"
    elif not fabric.carried_by and not has_guests:
        reason = "no other fabric shares its node ports"
        hint = "take `host_ports` away, or state it on a fabric that this one carries"
    else:
        return
    raise fault("FG043", f"{name} has `host_ports`: {reason}", path=("fabrics", name, "host_ports"), hint=hint)


def check_bonds(fabrics: Mapping[str, Fabric], names: Sequence[str]) -> None:
    """Raise InputError (FG044) if a fabric has bonds, and its hosts are not bridged or have no ports of their own."""
    for name in (name for name in names if fabrics[name].bond):
        fabric = fabrics[name]
        if shares_ports(fabric):
            reason = f"its nodes use the ports of {fabric.carried_by}, whose bonds carry its VLAN"
            hint = f"state `bond` on {fabric.carried_by}"
        elif fabric.protocol == "infiniband":
            reason, hint = "LACP is of Ethernet, and this is InfiniBand", "take `bond` away"
        elif not _is_bridged(fabric):
            hosts = fabric.hosts or "routed"
            reason = f"its hosts are `{hosts}`, and each port of a host has a subnet of its own or no address"
            hint = "state `hosts: bridged`, or take `bond` away: routed hosts use all ports without one"
        else:
            continue
        raise fault("FG044", f"{name} has `bond`: {reason}", path=("fabrics", name, "bond"), hint=hint)


def _is_bridged(fabric: Fabric) -> bool:
    return (fabric.hosts or ("bridged" if fabric.protocol == "ethernet" else "")) == "bridged"

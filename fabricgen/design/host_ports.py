"""Several fabrics on one node port, each a VLAN: which may share it, and that no more than one is untagged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fabricgen.blueprint.sections.fabric import Fabric
from fabricgen.kernel.diagnostics import fault


def shares_ports(fabric: Fabric) -> bool:
    """Whether the nodes of a fabric have no ports of their own in it, but a VLAN on those of its carrier."""
    return bool(fabric.carried_by and fabric.host_ports)


def check_host_ports(fabrics: Mapping[str, Fabric], names: Sequence[str]) -> None:
    """Raise InputError where fabrics cannot share node ports (FG043), or two of them are untagged there (FG042)."""
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
    """Raise InputError (FG043) where a fabric with `host_ports` cannot have VLANs on node ports."""
    fabric = fabrics[name]
    carrier = fabrics[fabric.carried_by] if fabric.carried_by else fabric
    routed = next((n for n in (fabric.carried_by or name, name) if not _is_bridged(fabrics[n])), None)
    guests = any(shares_ports(other) and other.carried_by == name for other in fabrics.values())
    if routed is not None:
        what = f"the nodes of {routed} are not bridged, and have no VLAN"
        hint = f"state `hosts: bridged` of {routed}, or take `host_ports` away"
    elif carrier.also:
        what = f"the management ports of switches, which {fabric.carried_by or name} takes, have no VLANs"
        hint = "take `host_ports` away, so that it has ports of its own"
    elif fabric.carried_by and fabric.attach:
        what = f"its nodes use the ports of {fabric.carried_by}, and it attaches '{fabric.attach}' ports"
        hint = "take `attach` or `host_ports` away"
    elif not fabric.carried_by and not guests:
        what = "no other fabric shares its node ports"
        hint = "take `host_ports` away, or state it on a fabric that this one carries"
    else:
        return
    raise fault("FG043", f"{name} has `host_ports`: {what}", path=("fabrics", name, "host_ports"), hint=hint)


def _is_bridged(fabric: Fabric) -> bool:
    return (fabric.hosts or ("bridged" if fabric.protocol == "ethernet" else "")) == "bridged"

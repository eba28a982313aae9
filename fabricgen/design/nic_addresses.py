"""What a single address of a NIC in all planes requires of a fabric: routed hosts, and planes that meet nowhere.

In each plane the NIC and its leaf have the same pair of addresses, and the leaf the same block for its hosts, so that
all planes have the same route to the NIC (NVIDIA's hardware plane load balancing: k8s-launch-kit, pkg/spectrumx,
allocates host and leaf as of plane 0 unless the mode is swplb).
"""

from __future__ import annotations

from fabricgen.design.fabric_model import FabricDesign
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import fault

CODE = "FG128"


def check_nic_addresses(design: Design) -> None:
    """Raise InputError (FG128) if the NICs of a fabric are to have one address, and its planes cannot share
    addresses.
    """
    for fabric in design.fabrics:
        if fabric.address_per == "nic" and (obstacle := _find_obstacle(design, fabric)):
            message, hint = obstacle
            raise fault(CODE, f"{fabric.name} {message}", path=(*fabric.path, "address_per"), hint=hint)


def _find_obstacle(design: Design, fabric: FabricDesign) -> tuple[str, str] | None:
    """Return (what prevents one address for a NIC, the hint); None if nothing does."""
    if fabric.hosts != "routed":
        message = f"has `hosts: {fabric.hosts}`, and one address for a NIC is that of a routed host in all planes"
        return message, "" if fabric.protocol == "infiniband" else "state `hosts: routed`"
    if fabric.planes == 1:
        hint = "state `planes: 2` or more, or `address_per: port`"
        return "has one plane, and one address for a NIC is that in several", hint
    owners = dict.fromkeys(leaf.fabric for leaf in fabric.leaves)
    shared_tiers = [tier for owner in owners for tier in design.fabric(owner).tiers if "plane" not in tier.per]
    if shared_tiers:
        return (
            f"has planes that meet in {shared_tiers[0].text}, which would know an address twice",
            "state `per: plane` there",
        )
    return None

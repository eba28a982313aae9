"""Shared by the rules on NICs: which NICs nodes attach to each fabric with."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.catalog.models import NicProfile
from fabricgen.design.fabric_model import Attachment, FabricDesign
from fabricgen.design.model import Design
from fabricgen.design.qos import qos_of

SET_UP = ("ionic", "mlx5")
"""Drivers of NICs that the part `hosts` has commands for."""


def sides_of(design: Design) -> Iterator[tuple[FabricDesign, Attachment]]:
    """(fabric, how nodes or extra devices attach), each once, but for external devices and BMCs."""
    for fabric in design.fabrics:
        sides = [*(side for _, side in fabric.attachments), *(extra.attachment for extra in fabric.extras)]
        for side in {id(side): side for side in sides}.values():
            if side.role != "bmc" and not side.profile.external:
                yield fabric, side


def nodes_of(
    design: Design, *, lossless: bool = False
) -> Iterator[tuple[FabricDesign, list[tuple[str, NicProfile | None]]]]:
    """(fabric, (node profile, a NIC of its ports there; None where the catalogue does not say)), each pair once.

    `lossless`: of RoCE fabrics and other lossless Ethernet alone.
    """
    found: dict[str, dict[tuple[str, str], NicProfile | None]] = {}
    for fabric, side in sides_of(design):
        if lossless and (fabric.protocol == "infiniband" or not qos_of(design, fabric).lossless):
            continue
        ports = {port.name: port.nic for port in side.profile.roles[side.role].ports}
        for leg in side.legs:
            nic = ports.get(leg.name) or ports.get(leg.name.rpartition("/")[0], "")
            found.setdefault(fabric.name, {})[side.profile.id, nic] = design.catalog.nic(nic)
    for name, pairs in found.items():
        yield design.fabric(name), [(profile, nic) for (profile, _), nic in pairs.items()]

"""What rules on lossless Ethernet share: which fabrics are lossless, where that is stated, how large buffers are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from fabricgen.catalog.loader import Catalog
from fabricgen.design.fabric_model import FabricDesign
from fabricgen.design.model import Design
from fabricgen.design.qos import QosIntent, qos_of
from fabricgen.kernel.diagnostics import Diagnostic, Path

WHOLE_BUFFER = "egress_lossless_pool"
"""The pool that SONiC's device tree publishes as large as the packet buffer of the chip."""


def lossless_fabrics(design: Design) -> Iterator[tuple[FabricDesign, QosIntent]]:
    """Every fabric with lossless Ethernet switches of its own, and what they are to do."""
    for fabric in design.fabrics:
        qos = qos_of(design, fabric)
        if fabric.tiers and qos.lossless and fabric.protocol != "infiniband":
            yield fabric, qos


def is_scale_across(design: Design, fabric: FabricDesign) -> bool:
    """Whether a fabric spans sites and no nodes attach to it: what it carries comes from others."""
    return bool(design.loaded.blueprint.fabrics[fabric.name].spans) and not fabric.attachments


def merge_fabrics(found: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """Findings `FABRIC: what` of one place, as one that names all fabrics which a setting of the cluster is for."""
    folded: dict[Diagnostic, list[str]] = {}
    for finding in found:
        name, _, what = finding.message.partition(": ")
        folded.setdefault(replace(finding, message=what), []).append(name)
    for finding, names in folded.items():
        yield replace(finding, message=f"{', '.join(names)}: {finding.message}")


def place_of_qos(design: Design, fabric: FabricDesign, *names: str) -> Path:
    """Where the first of some QoS settings that is stated stands: of the fabric, else of the cluster."""
    blueprint = design.loaded.blueprint
    for base, qos in ((fabric.path, blueprint.fabrics[fabric.name].qos), ((), blueprint.qos)):
        stated = next((name for name in names if name in qos.model_fields_set), None)
        if stated:
            return (*base, "qos", stated)
    return (*fabric.path, "qos")


def buffer_bytes(catalog: Catalog, switch: str) -> int | None:
    """The packet buffer of a switch, bytes, as SONiC's device tree has it; None where that publishes none."""
    platform = catalog.sonic_platform(switch)
    roles = (role for found in (platform.buffers if platform else ()) for role in found.roles.values())
    return max((role.pools[WHOLE_BUFFER].size for role in roles), default=None)

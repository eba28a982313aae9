"""Shared by the rules on RoCE: which fabrics have a class for it, which are lossless, where settings are stated, and
buffer sizes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.models import NicProfile
from fabricgen.design.fabric_model import Attachment, FabricDesign, TierDesign
from fabricgen.design.inside.scale_across import SpanFigures, list_spans
from fabricgen.design.model import Design
from fabricgen.design.qos import QosIntent, find_qos
from fabricgen.kernel.diagnostics import Diagnostic, Path

WHOLE_BUFFER = "egress_lossless_pool"
"""The buffer pool that SONiC's device files give the size of the chip's whole packet buffer."""


def list_marking_fabrics(design: Design) -> Iterator[tuple[FabricDesign, QosIntent]]:
    """Every fabric that marks RoCE, in a class of its own, on switches of its own, and its QoS settings."""
    for fabric in design.fabrics:
        qos = find_qos(design, fabric)
        if fabric.tiers and qos.marks and fabric.protocol != "infiniband":
            yield fabric, qos


def list_lossless_fabrics(design: Design) -> Iterator[tuple[FabricDesign, QosIntent]]:
    """Those of them that pause it as well."""
    return ((fabric, qos) for fabric, qos in list_marking_fabrics(design) if qos.lossless)


def is_scale_across(design: Design, fabric: FabricDesign) -> bool:
    """Whether a fabric spans sites and has no nodes, so that it carries other fabrics' traffic."""
    return bool(design.loaded.blueprint.fabrics[fabric.name].spans) and not fabric.attachments


def list_pausing_spans(design: Design, fabric: FabricDesign) -> list[tuple[TierDesign, SpanFigures]]:
    """The spans over which PFC is to pause, each with the tier that it joins."""
    stated = design.loaded.blueprint.fabrics[fabric.name].spans
    return [(tier, figures) for tier, figures in list_spans(design, fabric) if stated[figures.span.name].lossless]


def merge_fabrics(findings: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """Findings `FABRIC: text` with one place (a setting of the cluster) merged into one that names all fabrics."""
    folded: dict[Diagnostic, list[str]] = {}
    for finding in findings:
        name, _, text = finding.message.partition(": ")
        folded.setdefault(replace(finding, message=text), []).append(name)
    for finding, names in folded.items():
        yield replace(finding, message=f"{', '.join(names)}: {finding.message}")


def find_qos_path(design: Design, fabric: FabricDesign, *names: str) -> Path:
    """The path of the first of some QoS settings that is stated, in the fabric, else in the cluster."""
    blueprint = design.loaded.blueprint
    for base, qos in ((fabric.path, blueprint.fabrics[fabric.name].qos), ((), blueprint.qos)):
        stated = next((name for name in names if name in qos.model_fields_set), None)
        if stated:
            return (*base, "qos", stated)
    return (*fabric.path, "qos")


def find_buffer_bytes(catalog: Catalog, switch: str) -> int | None:
    """Packet buffer of a switch, bytes, from SONiC's device files; None where these have none."""
    platform = catalog.sonic_platform(switch)
    roles = (role for scheme in (platform.buffers if platform else ()) for role in scheme.roles.values())
    return max((role.pools[WHOLE_BUFFER].size for role in roles), default=None)


def find_lossy_queue_bytes(catalog: Catalog, switch: str) -> int | None:
    """How long a queue of RoCE gets before its packets are dropped or trimmed; None where no buffers are published.

    A dynamic threshold of n lets one queue take 2^n / (1 + 2^n) of its pool (SONiC, `dynamic_th` of BUFFER_PROFILE).
    """
    platform = catalog.sonic_platform(switch)
    limits = []
    for buffers in platform.lossy_buffers if platform else ():
        profile = buffers.profiles[buffers.cabled.queues["0"]]
        alpha = 2.0 ** (profile.dynamic_th or 0)
        limits.append(int(buffers.pools[profile.pool].size * alpha / (1 + alpha)))
    whole = find_buffer_bytes(catalog, switch)
    # of buffers for lossless traffic: half of it, as for that
    return min(limits) if limits else whole and whole // 2


# Shared by the rules on NICs: which NICs nodes attach to each fabric with.

SET_UP = ("ionic", "mlx5")
"""Drivers of NICs that the part `hosts` has commands for."""


def list_attachments(design: Design) -> Iterator[tuple[FabricDesign, Attachment]]:
    """(fabric, how nodes or extra devices attach), each once, but for external devices and BMCs."""
    for fabric in design.fabrics:
        sides = [*(side for _, side in fabric.attachments), *(extra.attachment for extra in fabric.extras)]
        for side in {id(side): side for side in sides}.values():
            if side.role != "bmc" and not side.profile.external:
                yield fabric, side


def list_node_nics(
    design: Design, *, marking: bool = False
) -> Iterator[tuple[FabricDesign, list[tuple[str, NicProfile | None]]]]:
    """(fabric, (node profile, a NIC of its ports there; None where the catalogue does not say)), each pair once.

    `marking`: where RoCE has a class of its own alone.
    """
    nics_by_fabric: dict[str, dict[tuple[str, str], NicProfile | None]] = {}
    for fabric, side in list_attachments(design):
        if marking and (fabric.protocol == "infiniband" or not find_qos(design, fabric).marks):
            continue
        ports = {port.name: port.nic for port in side.profile.roles[side.role].ports}
        for leg in side.legs:
            nic = ports.get(leg.name) or ports.get(leg.name.rpartition("/")[0], "")
            nics_by_fabric.setdefault(fabric.name, {})[side.profile.id, nic] = design.catalog.nic(nic)
    for name, pairs in nics_by_fabric.items():
        yield design.fabric(name), [(profile, nic) for (profile, _), nic in pairs.items()]

"""Which fabrics mark RoCE or pause it, where QoS is stated, what buffers switches have, and with which NICs nodes
attach, for the rules on RoCE and NICs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import wraps
from typing import TypeVar

from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.models import NicProfile
from fabricgen.design.fabric_model import Attachment, FabricDesign, TierDesign
from fabricgen.design.inside.scale_across import SpanFigures, list_spans
from fabricgen.design.model import Design
from fabricgen.design.qos import QosIntent, resolve_qos
from fabricgen.kernel.diagnostics import Diagnostic, Path

R = TypeVar("R")
WHOLE_BUFFER = "egress_lossless_pool"
"""The buffer pool whose size in SONiC's device files is that of the chip's whole packet buffer."""


def list_marking_fabrics(design: Design) -> Iterator[tuple[FabricDesign, QosIntent]]:
    """Yield (fabric, its QoS settings) for each fabric with own switches, not InfiniBand, that marks RoCE as
    a class.
    """
    for fabric in design.fabrics:
        qos = resolve_qos(design, fabric)
        if fabric.tiers and qos.marks and fabric.protocol != "infiniband":
            yield fabric, qos


def list_lossless_fabrics(design: Design) -> Iterator[tuple[FabricDesign, QosIntent]]:
    """Yield (fabric, its QoS settings) for each fabric of `list_marking_fabrics` that pauses RoCE instead of dropping
    it.
    """
    return ((fabric, qos) for fabric, qos in list_marking_fabrics(design) if qos.lossless)


def is_scale_across(design: Design, fabric: FabricDesign) -> bool:
    """Whether a fabric spans sites and has no nodes, so that it carries the traffic of other fabrics."""
    return bool(design.loaded.blueprint.fabrics[fabric.name].spans) and not fabric.attachments


def list_pausing_spans(design: Design, fabric: FabricDesign) -> list[tuple[TierDesign, SpanFigures]]:
    """Return (tier, figures of a span that joins it) for each span of a fabric that is stated to be lossless."""
    stated = design.loaded.blueprint.fabrics[fabric.name].spans
    return [(tier, figures) for tier, figures in list_spans(design, fabric) if stated[figures.span.name].lossless]


def merge_fabrics(check: Callable[[R, Design], Iterator[Diagnostic]]) -> Callable[[R, Design], Iterator[Diagnostic]]:
    """Decorate the `check` of a rule that yields a finding `FABRIC: text` for each fabric: findings that differ in the
    fabric alone, as those on one setting of the cluster do, become one finding that names all of the fabrics.
    """

    @wraps(check)
    def check_merged(rule: R, design: Design) -> Iterator[Diagnostic]:
        fabrics_by_finding: dict[Diagnostic, list[str]] = {}
        for finding in check(rule, design):
            name, _, text = finding.message.partition(": ")
            fabrics_by_finding.setdefault(replace(finding, message=text), []).append(name)
        for finding, names in fabrics_by_finding.items():
            yield replace(finding, message=f"{', '.join(names)}: {finding.message}")

    return check_merged


def find_qos_path(design: Design, fabric: FabricDesign, *names: str) -> Path:
    """Return the path of the first of some QoS settings (`names`) that the fabric states, or else that the cluster
    states.

    If neither states any of them, it is the path of the fabric's QoS.
    """
    blueprint = design.loaded.blueprint
    for base, qos in ((fabric.path, blueprint.fabrics[fabric.name].qos), ((), blueprint.qos)):
        stated = next((name for name in names if name in qos.model_fields_set), None)
        if stated:
            return (*base, "qos", stated)
    return (*fabric.path, "qos")


def find_buffer_bytes(catalog: Catalog, switch: str) -> int | None:
    """Return the packet buffer of a switch in bytes, from SONiC's device files; None if they do not tell it."""
    platform = catalog.sonic_platform(switch)
    roles = (role for scheme in (platform.buffers if platform else ()) for role in scheme.roles.values())
    return max((role.pools[WHOLE_BUFFER].size for role in roles), default=None)


def find_lossy_queue_bytes(catalog: Catalog, switch: str) -> int | None:
    """Return the bytes that a lossy queue of RoCE may hold before packets are dropped or trimmed; None if no buffers of
    the switch are published.

    A dynamic threshold of n lets one queue take 2^n / (1 + 2^n) of its pool (SONiC, `dynamic_th` of BUFFER_PROFILE). If
    buffers for lossless traffic alone are published, it is half of them, as for lossless traffic.
    """
    platform = catalog.sonic_platform(switch)
    limits = []
    for buffers in platform.lossy_buffers if platform else ():
        profile = buffers.profiles[buffers.cabled.queues["0"]]
        alpha = 2.0 ** (profile.dynamic_th or 0)
        limits.append(int(buffers.pools[profile.pool].size * alpha / (1 + alpha)))
    buffer = find_buffer_bytes(catalog, switch)
    return min(limits) if limits else buffer and buffer // 2


SET_UP = ("ionic", "mlx5")
"""Drivers of the NICs that the files for hosts have commands for."""


def list_attachments(design: Design) -> Iterator[tuple[FabricDesign, Attachment]]:
    """Yield (fabric, attachment) for each way in which nodes or extra devices attach to a fabric; attachments of BMCs
    and of external devices are left out.
    """
    for fabric in design.fabrics:
        attachments = [*(attachment for _, attachment in fabric.attachments), *(e.attachment for e in fabric.extras)]
        for attachment in {id(attachment): attachment for attachment in attachments}.values():
            if attachment.role != "bmc" and not attachment.profile.external:
                yield fabric, attachment


def list_node_nics(
    design: Design, *, marking: bool = False
) -> Iterator[tuple[FabricDesign, list[tuple[str, NicProfile | None]]]]:
    """Yield (fabric, [(node profile, NIC of its ports there)]); the NIC is None if the catalogue does not say which.

    With `marking`, only fabrics that mark RoCE as a class are yielded.
    """
    nics_by_fabric: dict[str, dict[tuple[str, str], NicProfile | None]] = {}
    for fabric, attachment in list_attachments(design):
        if marking and (fabric.protocol == "infiniband" or not resolve_qos(design, fabric).marks):
            continue
        ports = {port.name: port.nic for port in attachment.profile.roles[attachment.role].ports}
        for leg in attachment.legs:
            # the legs of a split port are called PORT/NUMBER
            nic = ports.get(leg.name) or ports.get(leg.name.rpartition("/")[0], "")
            nics_by_fabric.setdefault(fabric.name, {})[attachment.profile.id, nic] = design.catalog.nic(nic)
    for name, nics in nics_by_fabric.items():
        yield design.fabric(name), [(profile, nic) for (profile, _), nic in nics.items()]

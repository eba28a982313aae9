"""FG768: PFC pauses a class that is lossy elsewhere in the same network."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.model import Design
from fabricgen.design.qos import resolve_qos
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.rules.design.lossless.fg708_qos_differs import (
    find_stating_fabric,
    is_lossy_on_purpose,
    list_linked_pairs,
)
from fabricgen.lint.subjects.lossless import find_qos_path, list_marking_fabrics


class PfcBesideLossy(DesignRule):
    """RoCE is lossy in one fabric, and paused by PFC in a fabric or over a span that is joined to it.

    Both carry the same class. Switches that pause it promise that nothing is lost, and the next hop loses it; pauses
    spread into what was to be free of them, and stop paths that NICs believe to be idle (Guo et al., RDMA over
    Commodity Ethernet at Scale, SIGCOMM 2016, on how pauses spread). A fabric that only spans sites and states a lossy
    profile itself is lossy on purpose.

    Give linked fabrics one profile, and spans of a lossy fabric no `lossless: true`.
    """

    counts_ports = False
    severity = Severity.ERROR
    bad = """
        pods: {p1: {site: east}, p2: {site: west}}
        qos: {profile: roce-lossy}
        fabrics: {across: {protocol: roce, oversubscription: "2:1",
          tiers: {border: {switch: sn5600, count: 2, above: compute.spine}},
          spans: {haul: {between: [east, west], km: 8, links: 8 x 400G,
            lossless: true}}}}  # <-
    """
    good = """
        pods: {p1: {site: east}, p2: {site: west}}
        qos: {profile: roce-lossy}
        fabrics: {across: {protocol: roce, oversubscription: "2:1",
          tiers: {border: {switch: sn5600, count: 2, above: compute.spine}},
          spans: {haul: {between: [east, west], km: 8, links: 8 x 400G}}}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag lossless spans of lossy fabrics, and linked fabrics one of which pauses RoCE and the other does not."""
        for fabric, qos in list_marking_fabrics(design):
            for name, span in sorted(design.loaded.blueprint.fabrics[fabric.name].spans.items()):
                if span.lossless and not qos.lossless:
                    path = (*fabric.path, "spans", name, "lossless")
                    message = f"{name} is to pause RoCE, and {fabric.name} is lossy: it has no class that PFC pauses"
                    yield self.flag(path, message, "remove it, or set `profile: roce-lossless`")
        for lower, upper in list_linked_pairs(design):
            lower_qos, upper_qos = resolve_qos(design, lower), resolve_qos(design, upper)
            if not (lower_qos.marks and upper_qos.marks) or lower_qos.lossless == upper_qos.lossless:
                continue
            if not any(is_lossy_on_purpose(design, fabric) for fabric in (lower, upper)):
                lossy, paused = (lower, upper) if upper_qos.lossless else (upper, lower)
                path = find_qos_path(design, find_stating_fabric(design, (upper, lower), "profile"), "profile")
                message = (
                    f"{lossy.name} is linked with {paused.name}: RoCE is lossy in the one, and paused in the other"
                )
                yield self.flag(path, message, "set `qos` once, for the cluster")

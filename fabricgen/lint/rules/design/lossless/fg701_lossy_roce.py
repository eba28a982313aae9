"""FG701: a RoCE fabric runs without PFC and ECN."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.model import Design
from fabricgen.design.qos import resolve_qos
from fabricgen.design.srv6 import uses_srv6
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.subjects.lossless import is_scale_across, merge_fabrics


class LossyRoce(DesignRule):
    """A RoCE fabric has the QoS profile `best-effort`: no PFC, no ECN marking.

    RoCE v2 recovers from loss by resending everything since the lost packet, so one drop stalls a whole collective;
    vendors' guides ask for ECN and PFC together. Use `roce-lossless`; for NICs that are built for lossy
    networks (MRC, Ultra Ethernet) `roce-lossy`, which marks and does not pause.

    Two kinds of fabrics that set the profile themselves are lossy on purpose: those with `underlay: srv6`, whose NICs
    leave a path that loses packets, and those that only span sites, since few buffers hold the packets in flight on
    fibre that long. A carried fabric has the QoS of its carrier, whose switches it uses.
    """

    counts_ports = False
    severity = Severity.WARNING
    bad = """
        fabrics: {compute: {qos: {
          profile: best-effort}}}  # <-
    """
    good = """
        qos: {profile: roce-lossless}
    """

    @merge_fabrics
    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag RoCE fabrics on switches whose QoS has no class of RoCE, unless a span or SRv6 fabric states that."""
        blueprint = design.loaded.blueprint
        for fabric in design.fabrics:
            owner = design.fabric(fabric.carrier) if fabric.carrier else fabric
            stated_profile = blueprint.fabrics[owner.name].qos.profile
            is_meant = stated_profile and (is_scale_across(design, fabric) or uses_srv6(design, owner))
            if fabric.protocol == "roce" and not resolve_qos(design, owner).marks and not is_meant:
                path = (*owner.path, "qos", "profile") if stated_profile else ("qos", "profile")
                yield self.flag(
                    path, f"{fabric.name}: RoCE has no PFC and no ECN", "use `profile: roce-lossless`, or `roce-lossy`"
                )

"""FG318: nodes with accelerators form no scale-up domain, and others do."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.model import Design
from fabricgen.design.scale_up.domains import can_join
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule


class KindWithoutDomain(DesignRule):
    """`scale_up` states domains for some kinds of nodes with accelerators, and for another kind none.

    The NVLink, UALink or mesh of these nodes is then in no list, bill or picture; racks lack their switch trays, and
    collectives, topology files and schedulers take their accelerators for single ones that meet in the fabric alone.
    It happens when a generation is added to a cluster: each kind of node names a domain of its own.

    State a domain for them in `scale_up`. Where they truly have none, waive the finding.
    """

    counts_ports = False
    severity = Severity.WARNING
    bad = """
        scalable_unit:
          nodes: {old: 2 x dgx-h100, new: 2 x dgx-b200}  # <-
        scale_up: {nvlink: {domain: hgx-h100}}
    """
    good = """
        scalable_unit: {nodes: {old: 2 x dgx-h100, new: 2 x dgx-b200}}
        scale_up: {nvlink: {domain: hgx-h100}, nvlink-5: {domain: hgx-b200}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag nodes with accelerators whose profile no stated scale-up domain joins, if there are domains."""
        for nodes in design.layout.node_sets if design.scale_up else ():
            profile = nodes.profile
            if profile.accelerators and not any(can_join(profile, domain.profile) for domain in design.scale_up):
                domains = " and ".join(domain.profile.id for domain in design.scale_up)
                yield self.flag(
                    nodes.path,
                    f"{profile.id} nodes form no scale-up domain; those of {domains} are other nodes'",
                    f"state `scale_up: {{{profile.scale_up}: {{domain: {profile.scale_up}}}}}` for them, too",
                )

"""FG817: at a phase a node has no link into a fabric that is there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import PlanRule

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster
    from fabricgen.wiring.arrays import Flags
    from fabricgen.wiring.tables import WiringPlan


class CutOffAtAPhase(PlanRule):
    """At a phase nodes are there and a fabric is there, but none of their links into it: its leaves come later.

    Their jobs cannot use that fabric until then, whatever the schedulers are told. Let the switches that these nodes
    attach to come with them, leave the fabric out of that phase with `fabrics`, or waive the finding.

    With `--phase` only that phase is judged, without it every phase of the blueprint.
    """

    severity = Severity.WARNING
    bad = """
        scalable_unit: {nodes: 4 x dgx-h100}
        fabrics:
          compute:
            protocol: roce
            tiers: {leaf: {switch: sn5600, count: 2}}
        phases:
          now: {switches: {compute.leaf: 1}}  # <-
          end: {}
    """
    good = """
        scalable_unit: {nodes: 4 x dgx-h100}
        fabrics:
          compute:
            protocol: roce
            tiers: {leaf: {switch: sn5600, count: 2}, spine: {switch: sn5600, count: 2}}
        phases:
          now: {switches: {compute.spine: 1}}
          end: {}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Flag fabrics of a phase into which nodes of the phase have no link, while they have one in the
        whole cluster.
        """
        import numpy as np

        from fabricgen.lint.subjects.after_loss import list_judged_phases

        full, phases = list_judged_phases(cluster)
        for name, selection, present in phases:
            for fabric in sorted(selection.fabrics):
                linked_in_the_end = _find_linked(full.plan, fabric, np.ones_like(present.links))
                is_cut_off = linked_in_the_end & ~_find_linked(full.plan, fabric, present.links)
                rows = np.flatnonzero(is_cut_off & present.devices).tolist()
                if rows:
                    nodes = f"{len(rows):,} nodes, {full.names[rows[0]]} first, have" if rows[1:] else ""
                    message = f"at phase '{name}' {nodes or f'{full.names[rows[0]]} has'} no link into {fabric}"
                    hint = "let its leaf switches come with its nodes, or leave it out of `fabrics` of that phase"
                    yield self.flag(("phases", name), message, hint)


def _find_linked(plan: WiringPlan, fabric: str, present: Flags) -> Flags:
    """Return a flag for each device: whether it is a node with a link into a fabric among the links that are
    `present`.
    """
    import numpy as np

    from fabricgen.wiring.tables import NODE

    devices, links = plan.devices, plan.links
    linked = np.zeros(len(devices), dtype=bool)
    for i, segment in enumerate(links.segments):
        if segment.fabric == fabric:
            rows = links.find_rows(i)
            linked[links.a_device[rows][present[rows]]] = True
    nodes = np.array([cls.kind == NODE for cls in devices.classes], dtype=bool)
    linked_nodes: Flags = linked & nodes[devices.device_class]
    return linked_nodes

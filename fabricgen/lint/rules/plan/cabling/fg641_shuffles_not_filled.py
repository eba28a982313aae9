"""FG641: fibre shuffles have ports that nothing uses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.documented import ToDo
from fabricgen.lint.rule import PlanRule

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster


class ShufflesNotFilled(PlanRule):
    """Shuffles of a policy take fewer cables than they have ports in, or lead to fewer connectors than ports out.

    A shuffle of n ports is filled by n connectors of NICs whose n lanes go to n switches. With fewer, connectors of
    switches carry dark pairs, and shuffles are bought for ports that stay empty: nodes of a unit that do not divide by
    n, or NICs with fewer planes than a shuffle has ports. Omitted nodes leave such gaps, too.
    """

    severity = Severity.INFO
    to_do = ToDo.WEIGH_CAPACITY
    bad = """
        scalable_unit: {nodes: 6 x dgx-b300-8p}
        pods: {p1: {su: 1}}
        fabrics: {compute: {planes: 8, tiers: {
          leaf: {switch: sn5640, per: [su, rail, plane]},
          spine: {switch: sn5640, per: plane}}}}
        cabling: {copper_to_m: 0, patch: {planes: {between: node-leaf,
          panel: shuffle-4x4-mpo12}}}  # <-
    """
    good = """
        scalable_unit: {nodes: 8 x dgx-b300-8p}
        pods: {p1: {su: 1}}
        fabrics: {compute: {planes: 8, tiers: {
          leaf: {switch: sn5640, per: [su, rail, plane]},
          spine: {switch: sn5640, per: plane}}}}
        cabling: {copper_to_m: 0, patch: {planes: {between: node-leaf,
          panel: shuffle-4x4-mpo12}}}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Compare the fibre pairs in use of each shuffle with the pairs that it has."""
        patching = cluster.plan.patching
        if patching is None or not len(patching.shuffles):
            return
        import numpy as np

        shuffles = patching.shuffles
        policy_of_port = patching.panels.policy[shuffles.panel]
        for number, policy in enumerate(patching.policies):
            rows = policy_of_port == number
            if not rows.any():
                continue
            # how often each (panel, shuffle of the panel) occurs: the pairs in use of the shuffle
            pair_counts = np.unique(
                np.stack([shuffles.panel[rows], shuffles.shuffle[rows]]), axis=1, return_counts=True
            )[1]
            full = policy.panel.shuffle**2
            unfilled = pair_counts[pair_counts < full]
            if len(unfilled):
                yield self.flag(
                    (*policy.path, "panel"),
                    f"{len(unfilled)} of {len(pair_counts)} shuffles of {policy.panel.shuffle} x "
                    f"{policy.panel.shuffle} ports are not filled: {int(unfilled.min())} of {full} pairs in use "
                    "on the emptiest",
                    f"multiples of {policy.panel.shuffle} NICs on every leaf fill them",
                )

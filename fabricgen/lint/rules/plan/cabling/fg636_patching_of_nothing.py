"""FG636: a patching policy patches nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import PlanRule
from fabricgen.lint.subjects.reach import find_segments_of_cables

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster
    from fabricgen.design.media.patching import PatchPolicy


class PatchingOfNothing(PlanRule):
    """A policy under `cabling.patch` selects links, but none of their cables goes through a panel.

    Only fibre between two places is patched: between two racks with `at: rack`, between two rows with `at:
    row-end`. Links within the reach of copper stay direct, and so do those within a place or to another site. Such
    a policy writes and orders nothing, and the cables are pulled from switch to switch.

    Forbid copper there (`cabling: {copper_to_m: 0}`, or `media` of fibre), put panels at racks, or remove the
    policy.
    """

    severity = Severity.WARNING
    bad = """
        cabling: {patch: {
          all: {between: node-leaf, at: row-end}}}  # <-
    """
    good = """
        cabling: {copper_to_m: 0, patch: {
          all: {between: leaf-spine, at: rack}}}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Flag policies by which no cable is patched, with the number of cables of the links that they select."""
        from fabricgen.design.media.patching import list_patch_policies

        patching = cluster.plan.patching
        for number, policy in enumerate(list_patch_policies(cluster.design)):
            if patching is None or not (patching.policy == number).any():
                selected, electrical = _count_cables(cluster, policy)
                kept_in = policy.spec.across or ("rack" if policy.spec.at == "rack" else "row")
                yield self.flag(
                    policy.path,
                    f"none of {selected} cables is patched: {electrical} are copper, "
                    f"{selected - electrical} stay in their {kept_in} or go to another site",
                    "forbid copper (`cabling: {copper_to_m: 0}`), set `at: rack`, remove `across`, or the policy"
                    if policy.spec.across
                    else "forbid copper (`cabling: {copper_to_m: 0}`), set `at: rack`, or remove the policy",
                )


def _count_cables(cluster: Cluster, policy: PatchPolicy) -> tuple[int, int]:
    """Return (how many cables the links that a policy selects have, how many of these cables are electrical)."""
    import numpy as np

    cables, segments = cluster.plan.cables, cluster.plan.links.segments
    is_covered = np.array([s.tier is not None and policy.covers_links(s.fabric, s.key) for s in segments], dtype=bool)
    is_selected = is_covered[find_segments_of_cables(cluster)]
    is_electrical = np.array([m.copper or m.medium == "COPPER" for m in cables.media], dtype=bool)[cables.medium]
    return int(is_selected.sum()), int((is_selected & is_electrical).sum())

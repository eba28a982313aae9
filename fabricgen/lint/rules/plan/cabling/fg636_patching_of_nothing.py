"""FG636: a patching policy patches nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import PlanRule

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

    id = "FG636"
    severity = Severity.WARNING
    title = "a patching policy patches nothing"
    bad = """
        cabling: {patch: {
          all: {between: node-leaf, at: row-end}}}  # <-
    """
    good = """
        cabling: {copper_to_m: 0, patch: {
          all: {between: leaf-spine, at: rack}}}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Count the cables of each policy's links, and those that are patched."""
        from fabricgen.design.media.patching import list_patch_policies

        patching = cluster.plan.patching
        for number, policy in enumerate(list_patch_policies(cluster.design)):
            if patching is None or not (patching.policy == number).any():
                selected, electrical = _count_cables(cluster, policy)
                where = policy.spec.across or ("rack" if policy.spec.at == "rack" else "row")
                yield self.flag(
                    policy.path,
                    f"none of {selected} cables is patched: {electrical} are copper, "
                    f"{selected - electrical} stay in their {where} or go to another site",
                    "forbid copper (`cabling: {copper_to_m: 0}`), set `at: rack`, remove `across`, or the policy"
                    if policy.spec.across
                    else "forbid copper (`cabling: {copper_to_m: 0}`), set `at: rack`, or remove the policy",
                )


def _count_cables(cluster: Cluster, policy: PatchPolicy) -> tuple[int, int]:
    """(cables of the links that a policy takes, those of them that are electrical)."""
    import numpy as np

    table, links = cluster.plan.cables, cluster.plan.links
    takes = np.array([s.tier is not None and policy.covers_links(s.fabric, s.key) for s in links.segments], dtype=bool)
    selected = np.zeros(len(table), dtype=bool)
    selected[table.end_cable] = takes[links.segment[table.end_link]]
    electrical = np.array([m.copper or m.medium == "COPPER" for m in table.media], dtype=bool)[table.medium]
    return int(selected.sum()), int((selected & electrical).sum())

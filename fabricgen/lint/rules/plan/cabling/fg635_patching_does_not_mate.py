"""FG635: jumpers, panels and trunks do not plug into each other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabricgen.design.media.gearing import explain_mismatch
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import PlanRule
from fabricgen.lint.subjects.reach import list_patched_kinds

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster


class PatchingDoesNotMate(PlanRule):
    """The connectors of a policy's panel do not fit the optics it patches, or its trunks do not fit behind it.

    A jumper has the connectors of its transceiver at both ends: MPO-12/APC for parallel single-mode optics and for
    multimode at 100G per lane, MPO-12 with a flat face for slower multimode, LC duplex for FR4, LR4 and 10G optics.
    Flat and angled faces damage each other; of two MPO connectors in an adapter, one needs pins, that of the trunk;
    and an adapter that joins key up to key up does not align angled faces.

    Give links with other optics a policy of their own, with a panel that fits: `mpo-apc-72`, `mpo-72` for flat
    faces, `lc-72` for cassettes.
    """

    severity = Severity.ERROR
    impossible = True
    bad = """
        fabrics: {compute: {media: FR}}
        cabling: {patch: {uplinks: {between: leaf-spine,
          panel: mpo-apc-72}}}  # <-
    """
    good = """
        fabrics: {compute: {media: FR}}
        cabling: {patch: {uplinks: {between: leaf-spine, panel: lc-72}}}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Compare the connectors of the optics, panels and trunks of each kind of channel."""
        for kind in list_patched_kinds(cluster):
            policy = kind.policy
            mismatch = explain_mismatch(kind.medium.connector, policy.panel, policy.find_trunk(kind.medium))
            if mismatch:
                yield self.flag(
                    (*policy.path, "panel") if "panel" in policy.spec.model_fields_set else policy.path,
                    f"{kind.cables} {kind.medium.id} ({kind.medium.medium}) cables are patched, but {mismatch}",
                    "use a `panel` for these connectors, or exclude such links by `fabrics` and `between`",
                )
        yield from self._check_single_lanes(cluster)

    def _check_single_lanes(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Flag patched cables that end in modules of one lane, since their splitters end in LC and not in a panel's
        plug.
        """
        import numpy as np

        patching, cables, links = cluster.plan.patching, cluster.plan.cables, cluster.plan.links
        if patching is None:
            return
        policy, segment = patching.policy[cables.end_cable], links.segment[cables.end_link]
        for number, s in enumerate(links.segments):
            modules = (s.find_gearbox(end) for end in (s.a, s.b))
            module = next((gearbox for gearbox in modules if gearbox and gearbox.splits_of), None)
            patched_ends = np.flatnonzero((segment == number) & (policy >= 0))
            if module and len(patched_ends):
                yield self.flag(
                    patching.policies[int(policy[patched_ends[0]])].path,
                    f"{len(patched_ends)} ends of {s.fabric} {s.key} cables have {module.id}, which takes one lane by "
                    f"{module.connector} from a splitter, and jumpers of panels end in {module.splits_of}",
                    "exclude such links by `fabrics` and `between`",
                )

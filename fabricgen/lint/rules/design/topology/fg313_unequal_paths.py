"""FG313: devices of one kind attach to different tiers."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.fabric_model import ExtraSet
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule


class UnequalPaths(DesignRule):
    """Extra devices of one kind, or accelerators, attach to different tiers of one fabric.

    Paths from a node to them then differ in length: some are on its leaf, others a tier above. Whatever is striped
    over all of them, such as a file system over its arrays or a collective over its ranks, runs at the pace of the
    longest path (a lockstep job waits for its slowest member), and the nearer devices see different buffers and ECN
    marks.

    Attach them to the same tier (`to`).
    """

    severity = Severity.WARNING
    bad = """
        fabrics: {storage: {protocol: roce,
          tiers: {leaf: {switch: sn5600, per: [su, rail]}, spine: {switch: sn5600, count: 4}},
          extra: {
            near: {device: storage-array, count: 2},
            far: {device: storage-array, count: 2, to: spine}}}}  # <-
    """
    good = """
        fabrics: {storage: {protocol: roce,
          tiers: {leaf: {switch: sn5600, per: [su, rail]}, spine: {switch: sn5600, count: 4}},
          extra: {
            near: {device: storage-array, count: 2},
            far: {device: storage-array, count: 2, to: leaf}}}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Compare the tiers of extra devices of one profile and role, and the tier of extra accelerators with the
        nodes'.
        """
        for fabric in design.fabrics:
            lowest_extras: dict[tuple[str, str], ExtraSet] = {}
            # from the lowest tier up, so that the first set of a kind is the lowest
            for extra in sorted(fabric.extras, key=lambda e: design.levels[e.tier]):
                profile = extra.attachment.profile
                lowest = lowest_extras.setdefault((profile.id, extra.attachment.role), extra)
                if lowest.tier.name != extra.tier.name:
                    expected = lowest.tier.name
                    comparison = f"{lowest.name} of the same kind to {expected}"
                elif profile.accelerators and fabric.leaves and extra.tier not in fabric.leaves:
                    expected = fabric.leaves[0].name
                    comparison = f"the nodes' accelerators to {expected}"
                else:
                    continue
                message = f"{fabric.name} attaches {extra.name} to {extra.tier.name}, but {comparison}"
                yield self.flag((*extra.path, "to"), message, f"set `to: {expected}`")

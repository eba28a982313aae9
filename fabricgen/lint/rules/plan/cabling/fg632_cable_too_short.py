"""FG632: a cable as built is shorter than its run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import PlanRule

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster


class CableTooShort(PlanRule):
    """A cable of a stated length is shorter than its run from rack to rack on the floor, slack included. So is one of
    the planned length that is on another device than planned, farther away.

    Either the length is a typing mistake, or the floor of the blueprint is not the real one: then the lengths of
    all other cables are wrong too. A cable that is pulled tight also bends below its radius at the ends.

    Measure again; correct `length_m`, or `floor`.
    """

    severity = Severity.WARNING
    bad = """
        cable_of:
          "compute-leaf-p1-su01-r1-01:63":
            length_m: 0.5  # <-
    """
    good = """
        cable_of:
          "compute-leaf-p1-su01-r1-01:63":
            length_m: 60
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Compare stated lengths, and planned lengths of cables on another device, with the runs along the trays."""
        cables, planned = cluster.plan.cables, cluster.planned.plan.cables
        for cable, override in cluster.planned.overrides.items():
            path, run_m = ("cable_of", cluster.cable_ids[cable]), cables.run_m[cable]
            if override.length_m is not None and override.length_m < run_m:
                yield self.flag(
                    (*path, "length_m"),
                    f"{override.length_m:g} m is shorter than the {run_m:.1f} m that this cable runs, slack included",
                    f"the plan has {planned.length_m[cable]:g} m; correct `length_m` or `floor`",
                )
            elif override.length_m is None and run_m > max(planned.run_m[cable], cables.length_m[cable]):
                yield self.flag(
                    path,
                    f"where it is now this cable runs {run_m:.1f} m, slack included, and "
                    f"{planned.length_m[cable]:g} m are planned",
                    "state the `length_m` that was pulled",
                )

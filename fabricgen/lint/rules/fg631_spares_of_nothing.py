"""FG631: spares are requested for parts that nothing needs."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from fabricgen.kernel.diagnostics import Diagnostic, Severity, did_you_mean
from fabricgen.lint.rule import PlanRule

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster


class SparesOfNothing(PlanRule):
    """A pattern under `spares.parts` matches no part of the bill of materials.

    Part numbers change with lengths, media and product lists: a pattern that matched last year orders nothing
    today, and a switch or cable that fails then waits for a delivery. Spares of parts that are not installed are
    never ordered.

    Copy the part number from `fabricgen bom`, or remove the pattern.
    """

    id = "FG631"
    severity = Severity.WARNING
    title = "spares are requested for parts that nothing needs"
    bad = """
        spares:
          parts:
            sn5601: 10%  # <-
    """
    good = """
        spares:
          parts:
            sn5600: 10%
            "*": {minimum: 2}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Compare the patterns with the parts of the bill."""
        patterns = cluster.design.loaded.blueprint.spares.parts
        if not patterns:
            return
        from fabricgen.bom.bill import bill_of
        from fabricgen.bom.sets import pieces_of

        lines = bill_of(cluster).lines
        parts = [part for line in lines for part in dict.fromkeys((line.part, pieces_of(line.part)[1]))]
        for pattern in patterns:
            if not any(fnmatchcase(part, pattern) for part in parts):
                message = f"no part of the bill of materials matches '{pattern}'"
                yield self.flag(("spares", "parts", pattern), message, did_you_mean(pattern, parts))

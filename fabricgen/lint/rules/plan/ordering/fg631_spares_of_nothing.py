"""FG631: spares are requested for parts that nothing needs."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from fabricgen.blueprint.sections.spares import USUAL
from fabricgen.kernel.diagnostics import Diagnostic, Severity, did_you_mean
from fabricgen.lint.rule import PlanRule

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster


class SparesOfNothing(PlanRule):
    """A pattern under `spares.parts` matches no part of the bill of materials, or a kind of part has none in it.

    Part numbers change with lengths, media and product lists: a pattern that matched last year orders nothing
    today, and a switch or cable that fails then waits for a delivery. Spares of parts that are not installed are
    never ordered.

    Copy the part number from `fabricgen bom`, or remove the pattern.
    """

    severity = Severity.WARNING
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
        """Flag patterns that match no part of the bill, and stated kinds of parts of which the bill has none."""
        loaded = cluster.design.loaded
        spares, patterns = loaded.blueprint.spares, loaded.blueprint.spares.parts
        stated = spares.model_fields_set - {"parts"} if loaded.source.data.get("spares") != USUAL else set()
        kinds = {key for key in stated if getattr(spares, key).percent or getattr(spares, key).minimum}
        if not patterns and not kinds:
            return
        from fabricgen.bom.bill import POLICY_OF_KIND, make_bill
        from fabricgen.bom.sets import split_set

        lines = make_bill(cluster).lines
        for kind in sorted(kinds - {POLICY_OF_KIND.get(line.kind, "") for line in lines}):
            yield self.flag(("spares", kind), f"the bill of materials has no {kind.replace('_', ' ')}", "remove it")
        parts = [part for line in lines for part in dict.fromkeys((line.part, split_set(line.part)[1]))]
        for pattern in patterns:
            if not any(fnmatchcase(part, pattern) for part in parts):
                message = f"no part of the bill of materials matches '{pattern}'"
                yield self.flag(("spares", "parts", pattern), message, did_you_mean(pattern, parts))

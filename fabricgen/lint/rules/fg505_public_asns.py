"""the AS number pool is not private."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.blueprint.routing import AsnPlan
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Path, Severity
from fabricgen.lint.rule import DesignRule

PRIVATE = ((64512, 65534), (4200000000, 4294967294))
"""Private AS numbers (RFC 6996)."""


class PublicAsns(DesignRule):
    """AS numbers outside the private ranges belong to somebody.

    Routes that leak with a borrowed number are dropped or blamed on its owner. Private numbers are 64512-65534 and
    4200000000-4294967294 (RFC 6996); RFC 7938 recommends the four-byte range for data centers.
    """

    id = "FG505"
    severity = Severity.WARNING
    title = "the AS number pool is not private"
    bad = """
        routing:
          asn: {pool: 1000-2000}  # <-
    """
    good = """
        routing:
          asn: {pool: 4200000000-4200099999}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag stated pools that leave the private ranges."""
        blueprint = design.loaded.blueprint
        plans: list[tuple[Path, AsnPlan | None]] = [(("routing", "asn"), blueprint.routing.asn)]
        plans += [(("fabrics", n, "routing", "asn"), f.routing.asn) for n, f in sorted(blueprint.fabrics.items())]
        for path, plan in plans:
            if plan is not None and not any(low <= plan.range[0] and plan.range[1] <= high for low, high in PRIVATE):
                yield self.flag(
                    (*path, "pool"), f"AS numbers {plan.pool} are not all private", "use 4200000000-4294967294"
                )

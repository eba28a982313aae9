"""the AS number pool is not private."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.blueprint.asn import parse_asns
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
        """Flag stated pools, and numbers of tiers and devices, that leave the private ranges."""
        blueprint = design.loaded.blueprint
        plans: list[tuple[Path, AsnPlan | None]] = [(("routing", "asn"), blueprint.routing.asn)]
        plans += [(("fabrics", n, "routing", "asn"), f.routing.asn) for n, f in sorted(blueprint.fabrics.items())]
        stated: list[tuple[Path, str]] = []
        for path, plan in plans:
            if plan is not None:
                stated += [((*path, "pool"), plan.pool)]
                stated += [((*path, "tiers", tier), text) for tier, text in sorted(plan.tiers.items())]
        for name, own in sorted(blueprint.address_of.items()):
            stated += [(("address_of", name, "asn"), str(own.asn))] if own.asn is not None else []
        for path, text in stated:
            first, last = parse_asns(text)
            if not any(low <= first and last <= high for low, high in PRIVATE):
                yield self.flag(path, f"AS numbers {text} are not all private", "use 4200000000-4294967294")

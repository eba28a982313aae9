"""FG510: ranges of AS numbers overlap."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.blueprint.sections.asn import parse_asns
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Path, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.subjects.addressing import list_stated_asns
from fabricgen.models.validation import format_path


class AsnPoolsOverlap(DesignRule):
    """Two separately stated ranges of AS numbers overlap: the pools of two fabrics, or the ranges of two tiers.

    No number is assigned twice, but one range fills up with the numbers of the other, and a filter by range passes
    both: `^4200001` no longer says which fabric a route is from (in RFC 7938, 5.2.1, numbers tell where a route
    comes from). A tier's range inside its own pool is fine: the pool leaves it out. Use separate ranges.
    """

    counts_ports = False
    severity = Severity.WARNING
    bad = """
        routing:
          asn: {pool: 4200000000-4200009999}
        fabrics:
          compute:
            routing: {asn: {pool: 4200005000-4200014999}}  # <-
    """
    good = """
        routing:
          asn: {pool: 4200000000-4200009999}
        fabrics:
          compute:
            routing: {asn: {pool: 4200010000-4200019999}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Compare pools of AS numbers with each other, and ranges of tiers with each other."""
        stated = list(list_stated_asns(design))
        for kind in ("pool", "tiers"):
            ranges: list[tuple[Path, int, int]] = []
            for path, text in stated:
                if kind not in path[-2:] or path[0] == "address_of":
                    continue
                first, last = parse_asns(text)
                for other_path, low, high in ranges:
                    if first <= high and low <= last:
                        shared = f"{max(first, low)}-{min(last, high)}"
                        yield self.flag(path, f"AS numbers {text} share {shared} with {format_path(other_path)}")
                        break
                ranges.append((path, first, last))

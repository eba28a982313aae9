"""FG714: BFD is no faster than BGP itself."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.blueprint.sections.exits import EXIT_HOLD_S
from fabricgen.blueprint.sections.routing import HOLD_S, Bfd
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Path, Severity
from fabricgen.lint.rule import DesignRule


class SlowBfd(DesignRule):
    """BFD takes as long as BGP's own hold time to detect a dead neighbour, or longer.

    BFD exists to detect failures in less than a second (RFC 5880, 1); sessions here have a hold time of 9 s, those of
    exits one of 30 s. A slower BFD costs packets and changes nothing. Use 100 to 300 ms times 3, or leave `bfd` out:
    sessions over a link that loses light end at once anyway.
    """

    id = "FG714"
    counts_ports = False
    severity = Severity.WARNING
    title = "BFD is no faster than BGP itself"
    bad = """
        routing: {bfd: {
          interval_ms: 3000, multiplier: 3}}  # <-
    """
    good = """
        routing: {bfd: {interval_ms: 300, multiplier: 3}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Compare the stated detection times, of the cluster, each fabric and each exit, with the hold time."""
        blueprint = design.loaded.blueprint
        places: list[tuple[Path, Bfd | bool | None, int]] = [(("routing", "bfd"), blueprint.routing.bfd, HOLD_S)]
        for name, spec in blueprint.fabrics.items():
            places.append((("fabrics", name, "routing", "bfd"), spec.routing.bfd, HOLD_S))
            places += [(("fabrics", name, "exits", e, "bfd"), own.bfd, EXIT_HOLD_S) for e, own in spec.exits.items()]
        for path, bfd, hold_s in places:
            if isinstance(bfd, Bfd) and bfd.interval_ms * bfd.multiplier >= 1000 * hold_s:
                took = f"{bfd.interval_ms} ms x {bfd.multiplier}"
                message = (
                    f"BFD detects a dead neighbour after {took}, no sooner than BGP by itself ({1000 * hold_s} ms)"
                )
                yield self.flag((*path, "interval_ms"), message, "use `interval_ms: 300` and `multiplier: 3`")

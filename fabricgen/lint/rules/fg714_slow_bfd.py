"""FG714: BFD is no faster than BGP itself."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.blueprint.sections.routing import HOLD_S, Bfd, Routing
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Path, Severity
from fabricgen.lint.rule import DesignRule


class SlowBfd(DesignRule):
    """BFD takes as long as BGP's own hold time to detect a dead neighbour, or longer.

    BFD exists to detect failures in less than a second (RFC 5880, 1); sessions here have a hold time of 9 s. A
    slower BFD costs packets and changes nothing. Use 100 to 300 ms times 3, or leave `bfd` out: sessions over a
    link that loses light end at once anyway.
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
        """Compare the stated detection times, of the cluster and of each fabric, with the hold time."""
        blueprint = design.loaded.blueprint
        places: list[tuple[Path, Routing]] = [(("routing", "bfd"), blueprint.routing)]
        places += [(("fabrics", name, "routing", "bfd"), spec.routing) for name, spec in blueprint.fabrics.items()]
        for path, routing in places:
            if isinstance(routing.bfd, Bfd) and routing.bfd.interval_ms * routing.bfd.multiplier >= 1000 * HOLD_S:
                took = f"{routing.bfd.interval_ms} ms x {routing.bfd.multiplier}"
                message = (
                    f"BFD detects a dead neighbour after {took}, no sooner than BGP by itself ({1000 * HOLD_S} ms)"
                )
                yield self.flag((*path, "interval_ms"), message, "use `interval_ms: 300` and `multiplier: 3`")

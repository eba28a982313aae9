"""BFD is no faster than BGP itself."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.blueprint.sections.routing import HOLD_S, Bfd, Routing
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Path, Severity
from fabricgen.lint.rule import DesignRule


class SlowBfd(DesignRule):
    """BFD takes as long to notice a silent neighbour as BGP's own hold time, or longer.

    BFD is there to notice in less than a second (RFC 5880, 1); sessions here hold for 9 s. Slower than that it costs
    packets and changes nothing. Use 100 to 300 ms times 3, or leave `bfd` out: links that lose their light end
    sessions at once anyway.
    """

    id = "FG714"
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
        """Multiply what is stated for the cluster and for each fabric."""
        blueprint = design.loaded.blueprint
        places: list[tuple[Path, Routing]] = [(("routing", "bfd"), blueprint.routing)]
        places += [(("fabrics", name, "routing", "bfd"), spec.routing) for name, spec in blueprint.fabrics.items()]
        for path, routing in places:
            if isinstance(routing.bfd, Bfd) and routing.bfd.interval_ms * routing.bfd.multiplier >= 1000 * HOLD_S:
                took = f"{routing.bfd.interval_ms} ms x {routing.bfd.multiplier}"
                message = f"BFD gives a neighbour up after {took}, BGP by itself after {1000 * HOLD_S} ms"
                yield self.flag((*path, "interval_ms"), message, "300 ms x 3 is usual")

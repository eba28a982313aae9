"""FG718: neighbours announce more prefixes than the limit allows."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Path, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.subjects.route_counts import count_announced


class PrefixLimitTooLow(DesignRule):
    """A session carries more prefixes than `max_prefixes`, so it is closed as soon as the fabric is up.

    A switch above the leaves announces to each of them the loopbacks of all others, and their prefixes of hosts. All
    three NOSes end the session of a neighbour that announces one more than the limit; it comes up again, and ends
    again. The finding counts what a leaf is announced at least.

    Leave `max_prefixes` out: the default is the next power of two above twice what the fabric can hold.
    """

    severity = Severity.ERROR
    bad = """
        routing:
          max_prefixes: 8  # <-
    """
    good = """
        routing: {max_prefixes: 4096}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Compare each limit with the prefixes that a leaf of its fabrics is announced; one finding for each limit, on
        the fabric with the most.
        """
        worst: dict[Path, tuple[int, str]] = {}
        blueprint = design.loaded.blueprint
        for fabric in design.fabrics:
            fabric_limit = blueprint.fabrics[fabric.name].routing.max_prefixes
            limit = blueprint.routing.max_prefixes if fabric_limit is None else fabric_limit
            routes = count_announced(design, fabric) if limit else None
            if not limit or routes is None or routes.prefixes <= limit:
                continue
            path: Path = (*(() if fabric_limit is None else fabric.path), "routing", "max_prefixes")
            message = f"a {fabric.name} {routes.leaf} is announced {routes.text}, and `max_prefixes` is {limit:,}"
            worst[path] = max(worst.get(path, (0, "")), (routes.prefixes, message))
        for path, (prefixes, message) in worst.items():
            usual = 1 << (2 * prefixes).bit_length()
            yield self.flag(path, message, f"leave it out or set it to {max(4096, usual)} or more")

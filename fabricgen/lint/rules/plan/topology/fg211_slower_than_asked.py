"""FG211: accelerators are farther apart, or their traffic is slower, than allowed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.kernel.units import format_number
from fabricgen.lint.rule import PlanRule

if TYPE_CHECKING:
    from fabricgen.analyze.expected import WiredFigures
    from fabricgen.blueprint.sections.lint_settings import Limits
    from fabricgen.cluster import Cluster

_HINTS = {
    "hops": "switches of more ports, or more planes, join as many accelerators with fewer tiers",
    "paths": "more switches in the tier above, or more uplinks, give more paths",
    "latency_us": "fewer tiers, quicker switches or shorter cables: `analyze --section structure` tells each",
    "slowdown": "widen the tier that `analyze --section collectives` names",
    "busbw_gbytes": "`analyze --section collectives` tells what it is made of",
}


class SlowerThanAsked(PlanRule):
    """Between accelerators there are more switches, fewer paths or more latency, or less bandwidth, than allowed.

    `lint.limits` has the figures of `analyze`: `hops`, `paths`, `latency_us`, `slowdown` and `busbw_gbytes`. They are
    of all accelerators of a fabric that joins them, with the usual constants, without queues, and without what else
    runs on the hosts. Nothing is judged that no limit is stated for.

    The hint says what helps; `analyze BLUEPRINT --set PATH=VALUE` says what a change brings.
    """

    severity = Severity.WARNING
    bad = """
        fabrics:
          compute:
            oversubscription: "2:1"
            tiers:  # <-
              leaf: {switch: sn5600, per: [su, rail], uplinks: 2 x 400G}
        lint: {limits: {slowdown: {everyone: 1}}}
    """
    good = """
        lint: {limits: {hops: 3, paths: 4, latency_us: 2.5, slowdown: {ring: 1, everyone: 1},
                        busbw_gbytes: {all-reduce: {8G: 300}}}}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Compare the figures of each fabric that joins accelerators with the limits that are stated."""
        limits = cluster.design.loaded.limits
        if not any(getattr(limits, key) for key in _HINTS):
            return
        from fabricgen.analyze.expected import find_wired_figures

        for figures in find_wired_figures(cluster).values():
            fabric = figures.network.fabric
            for key, subject, figure, limit in _list_figures(figures, limits):
                is_minimum = key in ("paths", "busbw_gbytes")
                if figure is not None and (figure < limit - 1e-9 if is_minimum else figure > limit + 1e-9):
                    words = f"{subject} in {fabric.name}: {format_number(figure)}, `lint.limits` asks for at "
                    text = f"{words}{'least' if is_minimum else 'most'} {format_number(limit)}"
                    yield self.flag((*fabric.path, "tiers"), text, _HINTS[key])


def _list_figures(figures: WiredFigures, limits: Limits) -> Iterator[tuple[str, str, float | None, float]]:
    """Yield (key of a limit, what is limited in words, the figure of a fabric, the limit) for each limit that is
    stated.
    """
    from fabricgen.design.capacity.expected import WORDS

    for key in ("hops", "paths", "latency_us"):
        if limit := getattr(limits, key):
            yield key, WORDS[key], figures.find_figure(key), limit
    for pattern, limit in limits.slowdown.items():
        yield "slowdown", f"slowdown of {pattern}", figures.find_slowdown(pattern), limit
    for collective, sizes in limits.busbw_gbytes.items():
        for size, limit in sizes.items():
            yield "busbw_gbytes", f"bus GB/s of {collective} at {size}", figures.busbw_gbytes(collective, size), limit

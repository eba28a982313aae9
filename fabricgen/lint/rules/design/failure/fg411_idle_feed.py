"""FG411: a power feed has no load."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.capacity.failure_domains import list_feeds_in_use
from fabricgen.design.floor.floor_plan import FloorPlan
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule


class IdleFeed(DesignRule):
    """A power feed that `floor.feeds` names feeds no rack.

    Racks take as many feeds as they have `cords`, in turn from rack to rack, row to row or site to site
    (`feed_per`). Where all racks come out on the same ones, the feed that was paid for protects nothing: a failure
    of the other takes all racks with one cord.

    Set `cords: 2`, or `feed_per: rack`, or name only the feeds that the hall has.
    """

    severity = Severity.WARNING
    bad = """
        floor: {cords: 1, feed_per: site,
          feeds: [A, B]}  # <-
    """
    good = """
        floor: {cords: 2, feeds: [A, B]}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag power feeds that feed no rack, if there are several feeds."""
        floor = design.loaded.blueprint.floor
        if len(floor.feeds) < 2:
            return
        used = list_feeds_in_use(design, FloorPlan(design))
        idle = [feed for feed in floor.feeds if feed not in used]
        if idle:
            yield self.flag(
                ("floor", "feeds"),
                f"feed{'s' * (len(idle) > 1)} {' and '.join(idle)} feed{'s' * (len(idle) == 1)} no rack: racks have "
                f"{floor.cords} cord{'s' * (floor.cords > 1)}, in turn by {floor.feed_per}",
                "set `cords: 2`" if floor.cords == 1 else "name only the feeds that the hall has",
            )

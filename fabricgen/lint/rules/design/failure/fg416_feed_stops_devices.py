"""FG416: a lost power feed stops devices that are on two."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.catalog.profile import PowerSupplies
from fabricgen.design.advice.switches import list_powered_devices
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule

MOST_FEEDS = 4
"""How many feeds a rack may hang on (`floor.cords`)."""


class FeedStopsDevices(DesignRule):
    """Devices have cords on several feeds, and stop all the same when one of these is lost.

    Power supplies are in groups, one a feed: six on two feeds are 3 + 3. What needs more than stay fed goes down with
    either feed: a DGX H100 has six, runs with four, and so needs three feeds of two each, or a feed that does not
    fail. The whole hall then stops with a feed that was to be redundant. Only judged where `floor.feeds` is set and the
    profile has `psu: {needed}`.

    Give racks cords on more feeds (`floor: {feeds: [A, B, C], cords: 3}`), or waive the finding where each feed is
    redundant in itself.
    """

    severity = Severity.WARNING
    bad = """
        scalable_unit: {nodes: 4 x dgx-h100}
        floor: {cords: 2,
          feeds: [A, B]}  # <-
    """
    good = """
        scalable_unit: {nodes: 4 x dgx-h100}
        floor: {cords: 3, feeds: [A, B, C]}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag devices whose power supplies, spread over the cords of their rack, are too few without one feed."""
        floor = design.loaded.blueprint.floor
        if not floor.feeds or floor.cords < 2:
            return
        counts: dict[str, tuple[PowerSupplies, int]] = {}
        for profile, _, count in list_powered_devices(design):
            if count and profile.psu and profile.psu.stop_without_feed(floor.cords):
                counts[profile.id] = profile.psu, counts.get(profile.id, (profile.psu, 0))[1] + count
        for name, (psu, count) in sorted(counts.items()):
            # the fewest cords with which a device survives the loss of one feed, 0 if no number helps
            cords = next((n for n in range(floor.cords, MOST_FEEDS + 1) if not psu.stop_without_feed(n)), 0)
            feeds = f", and {cords - len(floor.feeds)} more in `feeds`" if cords > len(floor.feeds) else ""
            yield self.flag(
                ("floor", "feeds"),
                f"a lost feed stops all {count} {name}: it leaves {psu.count_left_without_feed(floor.cords)} of their "
                f"{psu.count} power supplies on {floor.cords} feeds, and {psu.needed} are needed",
                f"give racks cords on {cords} feeds: `cords: {cords}`{feeds}" if cords else "make each feed redundant",
            )

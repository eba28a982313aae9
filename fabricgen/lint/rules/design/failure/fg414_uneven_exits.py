"""FG414: exits of one preference differ in speed, or a backup backs nothing up."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_network

from fabricgen.design.extras.exits import ExitDesign
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.subjects.addressing import is_within
from fabricgen.lint.subjects.ways_out import group_exits


class UnevenExits(DesignRule):
    """Exits of equal preference have links of unequal speed, or a `backup` is the only way to where it leads.

    Flows are dealt evenly to all default routes of one length: the slow link takes as many as the fast one, and is
    full while the other idles. Make the slow exit the backup (`prefer: backup`).

    A backup without a primary exit to the same prefix is used all the time, with long paths for nothing. One that
    announces parts of what the primary announces draws all that comes in: the more specific route wins, however long
    its path is.
    """

    severity = Severity.WARNING
    bad = """
        fabrics:
          compute:
            extra:
              wan: {device: external-router, count: 2, ports: 1, attach: inband, to: spine, speed: 400G}
              isp: {device: external-router, count: 2, ports: 1, attach: inband, to: spine, speed: 200G}
            exits:
              fast: {to: wan, asn: 64496}
              slow:
                to: isp  # <-
                asn: 64497
    """
    good = """
        fabrics:
          compute:
            extra:
              wan: {device: external-router, count: 2, ports: 1, attach: inband, to: spine, speed: 400G}
              isp: {device: external-router, count: 2, ports: 1, attach: inband, to: spine, speed: 200G}
            exits:
              fast: {to: wan, asn: 64496}
              slow: {to: isp, asn: 64497, prefer: backup}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Compare the exits that share a VRF."""
        for exits in group_exits(design):
            for prefer in ("primary", "backup"):
                yield from self._compare_speeds([e for e in exits if e.spec.prefer == prefer and e.spec.default])
            primary = [exit_ for exit_ in exits if exit_.spec.prefer == "primary"]
            for exit_ in exits:
                has_primary = any(p.spec.default for p in primary) if exit_.spec.default else bool(primary)
                if exit_.spec.prefer == "backup" and not has_primary:
                    route = "the default route" if exit_.spec.default else exit_.spec.accept[0]
                    message = f"{exit_.name} is a backup, and no primary exit has {route}"
                    yield self.flag((*exit_.path, "prefer"), message, "make one primary")
                elif exit_.spec.prefer == "backup":
                    yield from self._check_announcements(exit_, primary)

    def _check_announcements(self, backup: ExitDesign, primary: list[ExitDesign]) -> Iterator[Diagnostic]:
        """A finding for each prefix of a backup that is a part of one that a primary exit announces as a whole: the
        more specific one draws what comes in.
        """
        announced_by_primary = {ip_network(text) for exit_ in primary for text in exit_.spec.announce or ()}
        for prefix in map(ip_network, backup.spec.announce or ()):
            around = next(
                (
                    announced
                    for announced in announced_by_primary
                    if announced != prefix and is_within(prefix, announced)
                ),
                None,
            )
            if around and prefix not in announced_by_primary:
                message = (
                    f"what is sent to {prefix} comes in by the backup {backup.name}: the primary announces {around}"
                )
                yield self.flag((*backup.path, "announce"), message, f"announce {around} by both")

    def _compare_speeds(self, alike: list[ExitDesign]) -> Iterator[Diagnostic]:
        """Exits that are slower than the fastest of those with one preference; static routes win where they are."""
        for routing in ("ebgp", "static"):
            exits = [exit_ for exit_ in alike if exit_.spec.routing == routing]
            fast = max(exits, key=_sum_speed, default=None)
            for exit_ in exits:
                if fast and _sum_speed(exit_) < _sum_speed(fast):
                    message = (
                        f"links of {exit_.name} have {_sum_speed(exit_)}G and take as many flows as those of "
                        f"{fast.name}, of {_sum_speed(fast)}G"
                    )
                    hint = "state `prefer: backup`, or links of one speed" if routing == "ebgp" else ""
                    yield self.flag((*exit_.path, "to"), message, hint or "use links of one speed")


def _sum_speed(exit_: ExitDesign) -> int:
    return exit_.extra.kind.speed_gbps

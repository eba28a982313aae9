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
        """Flag, among exits that share a VRF, slower exits of one preference, backups of nothing, and backups that draw
        traffic in.
        """
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
        """Flag each prefix of a backup that is a part of a prefix which a primary exit announces: the more specific
        prefix draws traffic in by the backup.
        """
        of_primary = {ip_network(text) for exit_ in primary for text in exit_.spec.announce or ()}
        for prefix in map(ip_network, backup.spec.announce or ()):
            wider = next((other for other in of_primary if other != prefix and is_within(prefix, other)), None)
            if wider and prefix not in of_primary:
                way_in = f"what is sent to {prefix} comes in by the backup {backup.name}"
                message = f"{way_in}: the primary announces {wider}"
                yield self.flag((*backup.path, "announce"), message, f"announce {wider} by both")

    def _compare_speeds(self, alike: list[ExitDesign]) -> Iterator[Diagnostic]:
        """Flag exits that are slower than the fastest exit of their preference; static routes are compared with each
        other alone, as they win over BGP.
        """
        for routing, hint in (
            ("ebgp", "state `prefer: backup`, or links of one speed"),
            ("static", "use links of one speed"),
        ):
            speeds = [(exit_.extra.kind.speed_gbps, exit_) for exit_ in alike if exit_.spec.routing == routing]
            if not speeds:
                continue
            highest_gbps, fastest = max(speeds, key=lambda speed: speed[0])
            for gbps, exit_ in (speed for speed in speeds if speed[0] < highest_gbps):
                flows = f"links of {exit_.name} have {gbps}G and take as many flows as those of {fastest.name}"
                yield self.flag((*exit_.path, "to"), f"{flows}, of {highest_gbps}G", hint)

"""FG753: static routes hide a lost link from the switches that send over it."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Path, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.numbering.underlay import loses_flows_for_good


class StaticHidesLosses(DesignRule):
    """Switches have static routes, and NICs have no other path to take: what hashes to a lost link is lost for good.

    A static route goes with its own link alone (SONiC and FRR: a route is usable while the interface of its next hop
    is up). A leaf that has lost a spine takes the others, but every other leaf still sends it a share of its flows over
    that spine, which has nowhere to send them. BGP withdraws the route within the time of its timers.

    Use an eBGP underlay, or let the NICs choose paths: with several `planes` a NIC leaves a plane that loses packets
    (OCP Multipath Reliable Connection). Waive this where your NICs change paths within one plane. `analyze --section
    failures` counts the flows that each loss takes.
    """

    severity = Severity.WARNING
    bad = """
        fabrics:
          compute:
            routing: {underlay: static}  # <-
    """
    good = """
        fabrics:
          compute:
            routing: {underlay: ebgp-numbered}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag tiers of several switches with links to several upper switches, in fabrics whose static routes keep
        sending flows to lost links.
        """
        blueprint = design.loaded.blueprint
        for fabric in design.fabrics:
            if not loses_flows_for_good(design, fabric):
                continue
            is_stated = blueprint.fabrics[fabric.name].routing.underlay is not None
            path: Path = (*(fabric.path if is_stated else ()), "routing", "underlay")
            for lower in fabric.tiers:
                uplink = lower.uplink
                several = uplink.upper_groups * uplink.upper_count if uplink else 0
                if uplink is None or several < 2 or lower.switches < 2:
                    continue
                upper = uplink.upper.name
                yield self.flag(
                    path,
                    f"{fabric.name} has static routes: where a {lower.name} loses its links to one of {several} "
                    f"{upper} switches, 1/{several} of the flows to it are lost until these are mended, since the "
                    f"others that send by that {upper} are not told",
                    "use an ebgp underlay, or `planes` whose NICs choose paths",
                )

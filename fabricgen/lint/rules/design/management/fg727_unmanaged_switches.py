"""FG727: the management ports of switches are not connected."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.capacity.failure import is_for_management
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule


class UnmanagedSwitches(DesignRule):
    """There is an out-of-band network for BMCs, and the management ports of the switches have no link to it.

    Every switch is given a management address, and its configuration puts it on a port that no cable leads to: after
    the first push the switches can be reached over the fabric at best, and not at all when it is down, which is when
    they must be.

    Say `also: switches` in the out-of-band fabric. If the management ports go to a network outside of this
    blueprint, waive the finding and say so.
    """

    severity = Severity.WARNING
    bad = """
        fabrics:
          oob:  # <-
            protocol: ethernet
            attach: bmc
            tiers: {leaf: {switch: sn2201}}
    """
    good = """
        fabrics:
          oob: {protocol: ethernet, attach: bmc, also: switches, tiers: {leaf: {switch: sn2201}}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag a fabric for BMCs if no fabric takes the management ports of switches."""
        for_bmcs = [fabric for fabric in design.fabrics if is_for_management(fabric) and fabric.tiers]
        if not for_bmcs or any(fabric.managed_devices for fabric in design.fabrics):
            return
        owners = {fabric.name for fabric in for_bmcs}
        switches = sum(tier.switches for tier in design.tiers if tier.fabric not in owners)
        if switches:
            yield self.flag(
                for_bmcs[0].path,
                f"{switches:,} switches have management addresses and no link to {for_bmcs[0].name}, which serves BMCs "
                "alone",
                f"say `also: switches` in {for_bmcs[0].name}",
            )

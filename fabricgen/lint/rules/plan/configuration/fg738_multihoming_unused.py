"""FG738: no bond uses the EVPN multihoming of its switches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import PlanRule

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster


class MultihomingUnused(PlanRule):
    """A tier states `pair: evpn`, and no bond of hosts is over two of its switches, so that it says nothing.

    An Ethernet segment is a bond over two switches (RFC 7432, section 8). A bond whose ports land on one switch is lost
    with it. State `bond` of the fabric, and let the ports of a node land on two switches (`count: 2`,
    `spread: stripe`), or take `pair` away.
    """

    severity = Severity.WARNING
    bad = """
        routing: {overlay: evpn}
        nos: eos
        fabrics:
          inband:
            protocol: ethernet
            speed: 100G
            tiers:
              leaf: {switch: 7060dx5-32, count: 2, spread: stripe, pair: evpn}  # <-
              spine: {switch: 7060dx5-32, count: 2}
    """
    good = """
        routing: {overlay: evpn}
        nos: eos
        fabrics:
          inband:
            protocol: ethernet
            speed: 100G
            bond: node
            tiers:
              leaf: {switch: 7060dx5-32, count: 2, spread: stripe, pair: evpn}
              spine: {switch: 7060dx5-32, count: 2}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Flag tiers that state `pair: evpn` and have no bond over two switches."""
        bonds, devices = cluster.plan.bonds, cluster.plan.devices
        used = {
            (cls.fabric, cls.key.name)
            for cls in devices.classes
            if cls.fabric and bonds is not None and (bonds.mate[cls.rows] >= 0).any()
        }
        for name, fabric in cluster.design.loaded.blueprint.fabrics.items():
            for tier, spec in fabric.tiers.items():
                if spec.pair == "evpn" and (name, tier) not in used:
                    yield self.flag(
                        ("fabrics", name, "tiers", tier, "pair"),
                        f"no bond is over two switches of {name} {tier}",
                        "state `bond`, with ports on two switches (`spread: stripe`), or take `pair` away",
                    )

"""FG737: the image of SONiC switches may have no MCLAG."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabricgen.design.linked import is_multihomed
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import PlanRule

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster


class MclagNotInImage(PlanRule):
    """Bonds are over two SONiC switches, and the blueprint does not say that their image has MCLAG; or it says so of
    switches that are no such pairs.

    The daemon of MCLAG, ICCPd, is not in community images (sonic-buildimage, rules/config: INCLUDE_ICCPD = n), and
    without it each switch takes the bond for its own: hosts see two partners and use one port. Build the image with
    `INCLUDE_ICCPD = y`, or ask the vendor, and state `pair: mclag` of the tier. Else run another NOS, or let the ports
    of a bond land on one switch.
    """

    severity = Severity.ERROR
    bad = """
        fabrics:
          inband:
            protocol: ethernet
            bond: node
            nos: sonic
            tiers: {leaf: {switch: sn4600c, count: 2, spread: stripe, peer: 2 x 100G}}  # <-
    """
    good = """
        fabrics:
          inband:
            protocol: ethernet
            bond: node
            nos: sonic
            tiers: {leaf: {switch: sn4600c, count: 2, spread: stripe, peer: 2 x 100G, pair: mclag}}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Compare the tiers that state `pair: mclag` with the tiers of SONiC whose switches are MCLAG pairs."""
        design, bonds = cluster.design, cluster.plan.bonds
        stated = {
            (name, tier)
            for name, fabric in design.loaded.blueprint.fabrics.items()
            for tier, spec in fabric.tiers.items()
            if spec.pair == "mclag"
        }
        paired = Counter[tuple[str, str]]()
        for cls in cluster.plan.devices.classes if bonds is not None else ():
            if not cls.fabric or is_multihomed(design.loaded.blueprint, cls.key):
                continue
            is_by_image = design.catalog.naming(cls.nos).configuration.pairs.mlag_by_image
            if is_by_image and bonds is not None and (bonds.mate[cls.rows] >= 0).any():
                paired[cls.fabric, cls.key.name] += cls.count
        for (name, tier), count in paired.items():
            if (name, tier) not in stated:
                yield self.flag(
                    ("fabrics", name, "tiers", tier),
                    f"bonds are over pairs of the {count} SONiC switches of {name} {tier}, and community images have "
                    "no MCLAG",
                    "state `pair: mclag` if the image is built with INCLUDE_ICCPD = y, or run another NOS",
                )
        for name, tier in sorted(stated - paired.keys()):
            yield self.flag(
                ("fabrics", name, "tiers", tier, "pair"),
                f"no bonds are over pairs of SONiC switches of {name} {tier}",
                "take `pair: mclag` away, or state `bond`, `peer` and `nos: sonic`",
            )

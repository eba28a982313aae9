"""FG143: cages are split so that most of their bandwidth is idle."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.catalog.models import CageClass
from fabricgen.design.model import Design
from fabricgen.design.ports import PortRun
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.documented import ToDo
from fabricgen.lint.rule import DesignRule

LITTLE = 4
"""Cages are reported if they carry less than their bandwidth divided by this."""


class CagesLittleUsed(DesignRule):
    """A stated `breakout` leaves more than three quarters of the bandwidth of some cages idle.

    A port has the lane rate of its far end: 100G from a NIC of 25G lanes takes four of the eight lanes of an 800G
    cage, and with one cable to a cage the rest is not used. That is how a few slow devices reach fast switches (the
    port table of an SN5600 in sonic-buildimage has 1 x 100G), and it has a price in cages and bandwidth: the finding
    says which. Where a finer split fits the lanes, it is named; otherwise many such ports are cheaper on a switch
    with slower cages.
    """

    severity = Severity.INFO
    to_do = ToDo.WEIGH_CAPACITY
    bad = """
        scalable_unit: {nodes: 4 x generic-server}
        fabrics: {compute: {tiers: {
          leaf: {switch: sn5600, per: [su, rail], breakout: 1x100},  # <-
          spine: {switch: sn5600, count: 4}}}}
    """
    good = """
        scalable_unit: {nodes: 4 x generic-server}
        fabrics: {compute: {tiers: {
          leaf: {switch: sn5600, per: [su, rail], breakout: 2x100},
          spine: {switch: sn5600, count: 4}}}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Compare the bandwidth of down ports of stated breakouts with the highest bandwidth of their cages."""
        for tier in design.tiers:
            stated = design.loaded.blueprint.fabrics[tier.fabric].tiers[tier.name]
            for run in tier.downs if stated.breakout else ():
                cage, cages = tier.profile.cages[run.cage_class], -(-run.count // run.ways)
                carried_gbps = run.ways * run.speed_gbps
                if cages and carried_gbps * LITTLE < max(cage.speeds):
                    yield self.flag(
                        (*tier.path, "breakout"),
                        f"{cages} of the {max(cage.speeds)}G cages of each {tier.fabric} {tier.name} {tier.profile.id} "
                        f"carry {run.ways} x {run.speed_gbps}G: {cages * (max(cage.speeds) - carried_gbps):,} Gb/s are "
                        "idle",
                        _suggest_finer_split(cage, run),
                    )


def _suggest_finer_split(cage: CageClass, run: PortRun) -> str:
    """Return the hint with the finest split into ports of the same speed and lanes that disables no neighbouring cage;
    if none is finer than the stated split, the advice to use another switch.
    """
    finer = [w for w in cage.breakouts if cage.block(w) == 1 and cage.carries(w, run.speed_gbps, run.lane_gbps)]
    if max(finer, default=run.ways) > run.ways:
        return f"`{max(finer)} x {run.speed_gbps}G` fits the lanes and takes fewer cages"
    return "many such ports are better on a switch with slower cages"

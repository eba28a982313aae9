"""A breakout disables the cages that would be needed."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class NeighbourDisabled(Fault):
    """Cages are split so finely that the ones beside them are disabled, and the ports that are left are too few.

    Spectrum switches serve as many ports with every second cage split into eight as with all split into four (NVIDIA
    Cumulus Linux user guide, Switch Port Attributes, Breakout Ports): the cage after a split one stays empty, and
    `cages` must keep both. State a coarser breakout, keep whole pairs of cages, or use more switches.
    """

    id = "FG121"
    title = "a breakout disables cages that are needed"
    bad = """
        scalable_unit: {nodes: 16 x dgx-b300-8p}
        pods: {p1: {su: 1}}
        fabrics: {compute: {planes: 8, tiers: {
          leaf: {switch: sn5600, per: [su, plane], count: 1, breakout: 8x100, cages: {down: 2-32}}}}}  # <-
        nos: cumulus
    """
    good = """
        scalable_unit: {nodes: 16 x dgx-b300-8p}
        pods: {p1: {su: 1}}
        fabrics: {compute: {planes: 8, tiers: {
          leaf: {switch: sn5600, per: [su, plane], count: 1, breakout: 8x100, cages: {down: 1-32}}}}}
        nos: cumulus
    """

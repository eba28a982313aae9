"""A switch has fewer ports than are needed."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class RadixExceeded(Fault):
    """A tier needs more ports of a speed than its switch has, after breakout and beside what is kept free.

    A switch of k ports reaches k nodes alone, k²/2 in two tiers and k³/4 in three (Al-Fares et al., SIGCOMM 2008):
    beyond that no cabling helps. The message counts what is needed and there. The hint tries single changes, each
    of which wires: a count, a breakout, another grouping, a tier above.
    """

    id = "FG101"
    title = "a switch has fewer ports than are needed"
    bad = """
        fabrics: {compute: {tiers: {
          leaf: {switch: sn5600, per: su, count: 1, uplinks: 128 x 400G}}}}  # <-
    """
    good = """
        fabrics: {compute: {tiers: {
          leaf: {switch: sn5600, per: su, count: 1, uplinks: 32 x 400G}}}}
    """

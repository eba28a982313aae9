"""Peer links or spans cannot be shared out."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class PeerLinksUneven(Fault):
    """Peer links are asked for in a group of an odd number of switches, or a span's links do not divide by the
    switches that carry it, or start from a tier that is not per site.

    Peer links join pairs (MLAG, the DRNI of IEEE 802.1AX-2020), and links of a span that land unevenly fill the thin
    side first. State an even count; put a border tier per site under a span, and a number of links that its
    switches divide.
    """

    id = "FG107"
    title = "peer links or spans cannot be shared out"
    bad = """
        fabrics: {compute: {tiers: {
          leaf: {switch: sn5600, per: su, count: 3, peer: 2 x 400G}}}}  # <-
    """
    good = """
        fabrics: {compute: {tiers: {
          leaf: {switch: sn5600, per: su, count: 2, peer: 2 x 400G}}}}
    """

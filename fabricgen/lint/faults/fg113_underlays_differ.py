"""Linked fabrics have different underlays, or static routes cannot run."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class UnderlaysDiffer(Fault):
    """Two fabrics that share switches or links have different underlays, or static routes are asked for over peer
    links, spans or VRFs.

    One switch runs one routing design; static routes know no neighbour that fails, so they are made only where the
    next hop is the link itself. State one underlay for both, or an eBGP one.
    """

    id = "FG113"
    title = "linked fabrics have different underlays, or static routes cannot run"
    bad = """
        routing: {underlay: static}
        fabrics:
          compute: {tiers: {leaf: {per: su, count: 2, peer: 2 x 400G}}}  # <-
    """
    good = """
        routing: {underlay: ebgp-numbered}
        fabrics:
          compute: {tiers: {leaf: {per: su, count: 2, peer: 2 x 400G}}}
    """

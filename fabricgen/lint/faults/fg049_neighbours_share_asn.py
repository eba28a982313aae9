"""Two eBGP neighbours would have one AS number."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class NeighboursShareAsn(Fault):
    """Two switches that speak eBGP with each other have the same AS number.

    A session between equal numbers is iBGP (RFC 4271, 1.1): it comes up without passing routes on, or does not come
    up at all. Give one of them another number, or take a plan that keeps neighbours apart: `rfc7938` or
    `per-switch`.
    """

    id = "FG049"
    title = "two eBGP neighbours would have one AS number"
    bad = """
        fabrics: {compute: {tiers: {border: {switch: sn5600, below: spine, count: 2, peer: 2 x 400G}}}}
        routing: {asn: {tiers: {border: 65000}}}  # <-
    """
    good = """
        fabrics: {compute: {tiers: {border: {switch: sn5600, below: spine, count: 2, peer: 2 x 400G}}}}
        routing: {asn: {tiers: {border: 65000-65001}}}
    """

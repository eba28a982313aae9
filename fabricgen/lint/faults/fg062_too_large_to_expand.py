"""A cluster has more links or devices than are expanded."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class TooLargeToExpand(Fault):
    """Link by link a cluster takes about 340 bytes a link: 50,000,000 of them 17 GB, and as many rows in every list.

    The largest training clusters have a million accelerators and a few million links; what is far beyond is usually a
    figure with a digit too many in `pods`, `count` or `nodes`. The design alone is still sized and judged:
    `fabricgen show` and `fabricgen lint --fast` expand nothing.

    Lower the figure, or build sites or pods from blueprints of their own.
    """

    id = "FG062"
    title = "a cluster has more links or devices than are expanded"
    bad = """
        scalable_unit: {nodes: 128 x dgx-b200}
        pods: {p1: {su: 60000}}  # <-
        fabrics: {compute: {tiers: {leaf: {switch: sn5600, per: [su, rail]}, spine: null}}}
    """
    good = """
        scalable_unit: {nodes: 4 x dgx-b200}
        pods: {p1: {su: 2}}
        fabrics: {compute: {tiers: {leaf: {switch: sn5600, per: [su, rail]}, spine: null}}}
    """

"""A tier is grouped by what it cannot be grouped by."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class BadGrouping(Fault):
    """`per` names no dimension, or a tier is grouped more finely than the tier below it.

    Switches are wired with those that they share coordinates with. A spine per pod cannot serve a leaf of the whole
    fabric: there would be no saying to which pod's spines it belongs. Group the lower tier as finely, or the upper
    one more widely.
    """

    id = "FG017"
    title = "a tier is grouped by what it cannot be grouped by"
    bad = """
        fabrics: {compute: {tiers: {
          leaf: {switch: sn5600, per: [su, rial]}}}}  # <-
    """
    good = """
        fabrics: {compute: {tiers: {
          leaf: {switch: sn5600, per: [su, rail]}}}}
    """

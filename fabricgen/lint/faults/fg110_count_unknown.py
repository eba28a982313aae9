"""A tier has nothing below it to be sized by, and no count."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class CountUnknown(Fault):
    """A tier without nodes or switches below it has no `count`.

    How many switches a group has follows from what they carry; a border that only looks outward carries nothing
    that is known here. State its `count`.
    """

    id = "FG110"
    title = "a tier has nothing below it to be sized by, and no count"
    bad = """
        fabrics: {compute: {tiers: {
          border: {switch: sn5600, below: spine}}}}  # <-
    """
    good = """
        fabrics: {compute: {tiers: {
          border: {switch: sn5600, below: spine, count: 2}}}}
    """

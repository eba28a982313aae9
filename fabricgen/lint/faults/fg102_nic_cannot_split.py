"""A NIC cannot be run, or dealt over planes, as asked."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class NicCannotSplit(Fault):
    """A NIC is asked for a mode that it does not have, or its ports do not divide by the number of planes.

    A NIC runs its cage as a few fixed numbers of ports (for ConnectX-8: one of 800G or two of 400G); each plane
    needs the same number of them. State a mode or a number of planes that the profile allows.
    """

    id = "FG102"
    title = "a NIC cannot be run, or dealt over planes, as asked"
    bad = """
        fabrics:
          compute:
            planes: 2  # <-
    """
    good = """
        scalable_unit: {nodes: 4 x dgx-b300}
        fabrics:
          compute:
            planes: 2
            nic: 2x400
            tiers: {leaf: {per: [su, rail, plane]}, spine: {per: plane}}
    """

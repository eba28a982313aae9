"""A scale-up domain is larger than its switches or its standard allow."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class ScaleUpTooLarge(Fault):
    """A domain has more accelerators than one tier of its switches has lanes for, than a torus has places, or than its
    standard numbers.

    Scale-up fabrics are one tier deep: UALink 200G 1.0 numbers 1,024 accelerators, and a switch of so many lanes
    ends earlier. The message counts lanes. Take smaller domains and join them by the scale-out network.
    """

    id = "FG302"
    title = "a scale-up domain is larger than its switches or its standard allow"
    bad = """
        scalable_unit: {nodes: 4 x dgx-b200, racks: {nodes_per_rack: 4}}
        scale_up:
          nvlink: {domain: hgx-b200, per: rack}  # <-
    """
    good = """
        scalable_unit: {nodes: 4 x dgx-b200, racks: {nodes_per_rack: 4}}
        scale_up:
          nvlink: {domain: hgx-b200, per: node}
    """

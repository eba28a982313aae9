"""Scale-up domains."""

from __future__ import annotations

from fabricgen.lint.fault import Fault

FG301 = Fault(
    id="FG301",
    name="NoScaleUpDomain",
    title="nodes do not form the scale-up domain",
    text="""
    Accelerators cannot form the domain as stated: nodes of another kind, a number that the places (`per`, `racks`)
    do not hold, switches on the board for a rack or trays for a node, a backplane across racks, or a domain across
    sites.

    Scale-up links are short and fixed: NVLink of an NVL72 runs in the rack's copper backplane (NVIDIA GB200 NVL72),
    that of an HGX board never leaves it. Check `per`, `racks` and `nodes_per_rack` against the domain's profile.
    """,
    bad="""
    scale_up:
      nvlink: {domain: nvl72-gb200, per: node}  # <-
    """,
    good="""
    scale_up:
      nvlink: {domain: hgx-b200, per: node}
    """,
)

FG302 = Fault(
    id="FG302",
    name="ScaleUpTooLarge",
    title="a scale-up domain is larger than its switches or its standard allow",
    text="""
    A domain has more accelerators than one tier of its switches has lanes for, than a torus has places, or than its
    standard numbers.

    Scale-up fabrics are one tier deep: UALink 200G 1.0 numbers 1,024 accelerators, and a switch of so many lanes
    ends earlier. The message counts lanes. Take smaller domains and join them by the scale-out network.
    """,
    bad="""
    scalable_unit: {nodes: 4 x dgx-b200, racks: {nodes_per_rack: 4}}
    scale_up:
      nvlink: {domain: hgx-b200, per: rack}  # <-
    """,
    good="""
    scalable_unit: {nodes: 4 x dgx-b200, racks: {nodes_per_rack: 4}}
    scale_up:
      nvlink: {domain: hgx-b200, per: node}
    """,
)

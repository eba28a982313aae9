"""Nodes do not form the scale-up domain."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class NoScaleUpDomain(Fault):
    """Accelerators cannot form the domain as stated: nodes of another kind, a number that the places (`per`, `racks`)
    do not hold, switches on the board for a rack or trays for a node, a backplane across racks, or a domain across
    sites.

    Scale-up links are short and fixed: NVLink of an NVL72 runs in the rack's copper backplane (NVIDIA GB200 NVL72),
    that of an HGX board never leaves it. Check `per`, `racks` and `nodes_per_rack` against the domain's profile.
    """

    id = "FG301"
    title = "nodes do not form the scale-up domain"
    bad = """
        scale_up:
          nvlink: {domain: nvl72-gb200, per: node}  # <-
    """
    good = """
        scale_up:
          nvlink: {domain: hgx-b200, per: node}
    """

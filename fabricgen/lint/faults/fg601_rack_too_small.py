"""A rack has fewer units than what stands in it."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class RackTooSmall(Fault):
    """Nodes, trays and switches of a rack need more rack units than it has.

    A rack unit is 44.45 mm (EIA-310-E); what does not fit is found when it is delivered. Lower `nodes_per_rack`,
    raise `units`, or group rack switches per scalable unit.
    """

    id = "FG601"
    title = "a rack has fewer units than what stands in it"
    bad = """
        scalable_unit:
          nodes: 8 x dgx-b200
          racks: {nodes_per_rack: 8}  # <-
    """
    good = """
        scalable_unit:
          nodes: 8 x dgx-b200
          racks: {nodes_per_rack: 4}
    """

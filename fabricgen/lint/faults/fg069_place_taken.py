"""Two things have one place."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class PlaceTaken(Fault):
    """Two racks stand in one place of the floor, or two devices use one rack unit, as the blueprint states it.

    Only stated places are ever shared: `floor.racks` and `floor.devices` win over what would be chosen, and move
    nothing else out of the way. State another place for one of the two.
    """

    id = "FG069"
    title = "two things have one place"
    bad = """
        floor:
          racks:
            net-compute-spine-01: {row: 1, column: 1}  # <-
    """
    good = """
        floor:
          racks:
            net-compute-spine-01: {row: 9, column: 1}
    """

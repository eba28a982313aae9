"""Something is to stand where nothing can."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class PlaceUnknown(Fault):
    """A rack, a device or the switches of a tier are put where there is no such place.

    A row beyond the hall, a rack unit over the top of the rack, a rack or device whose name is that of none, switches
    that serve several units in the racks of one. Names are those of racks.csv and devices.csv.
    """

    id = "FG068"
    title = "something is to stand where nothing can"
    bad = """
        floor:
          racks:
            p1-su01-net01: {row: 1, column: 17}  # <-
    """
    good = """
        floor:
          racks:
            p1-su01-net01: {row: 2, column: 16}
    """

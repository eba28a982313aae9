"""Halls, places on the floor, and racks."""

from __future__ import annotations

from fabricgen.lint.fault import Fault

FG067 = Fault(
    id="FG067",
    name="HallFull",
    title="a hall has no room for what is to stand in it",
    text="""
    The scalable units of a site, reserved ones included, or its rows of network racks do not fit in its halls.

    A unit never stands in two halls, since its leaves stand with it. Without `floor.halls` a site has one hall without
    end. Give the hall more `rows`, add a hall, or reserve less.
    """,
    bad="""
    floor:
      racks_per_row: 2
      halls: {h1: {rows: 2}}  # <-
    """,
    good="""
    floor:
      racks_per_row: 2
      halls: {h1: {rows: 2}, h2: {rows: 1, at_m: [12, 0]}}
    """,
)

FG068 = Fault(
    id="FG068",
    name="PlaceUnknown",
    title="something is to stand where nothing can",
    text="""
    A rack, a device or the switches of a tier are put where there is no such place.

    A row beyond the hall, a rack unit over the top of the rack, a rack or device whose name is that of none, switches
    that serve several units in the racks of one. Names are those of racks.csv and devices.csv.
    """,
    bad="""
    floor:
      racks:
        p1-su01-net01: {row: 1, column: 17}  # <-
    """,
    good="""
    floor:
      racks:
        p1-su01-net01: {row: 2, column: 16}
    """,
)

FG069 = Fault(
    id="FG069",
    name="PlaceTaken",
    title="two things have one place",
    text="""
    Two racks stand in one place of the floor, or two devices use one rack unit, as the blueprint states it.

    Only stated places are ever shared: `floor.racks` and `floor.devices` win over what would be chosen, and move
    nothing else out of the way. State another place for one of the two.
    """,
    bad="""
    floor:
      racks:
        net-compute-spine-01: {row: 1, column: 1}  # <-
    """,
    good="""
    floor:
      racks:
        net-compute-spine-01: {row: 9, column: 1}
    """,
)

FG601 = Fault(
    id="FG601",
    name="RackTooSmall",
    title="a rack has fewer units than what stands in it",
    text="""
    Nodes, trays and switches of a rack need more rack units than it has.

    A rack unit is 44.45 mm (EIA-310-E); what does not fit is found when it is delivered. Lower `nodes_per_rack`,
    raise `units`, or group rack switches per scalable unit.
    """,
    bad="""
    scalable_unit:
      nodes: 8 x dgx-b200
      racks: {nodes_per_rack: 8}  # <-
    """,
    good="""
    scalable_unit:
      nodes: 8 x dgx-b200
      racks: {nodes_per_rack: 4}
    """,
)

"""A hall has no room for what is to stand in it."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class HallFull(Fault):
    """The scalable units of a site, reserved ones included, or its rows of network racks do not go into its halls.

    A unit never stands in two halls, since its leaves stand with it. Without `floor.halls` a site has one hall without
    end. Give the hall more `rows`, add a hall, or reserve less.
    """

    id = "FG067"
    title = "a hall has no room for what is to stand in it"
    bad = """
        floor:
          racks_per_row: 2
          halls: {h1: {rows: 2}}  # <-
    """
    good = """
        floor:
          racks_per_row: 2
          halls: {h1: {rows: 2}, h2: {rows: 1, at_m: [12, 0]}}
    """

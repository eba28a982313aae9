"""Cages are kept twice, or beyond the switch's face."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class CagesOverlap(Fault):
    """`cages` keeps a cage for two uses, or one with a number that the switch does not have.

    Cages are numbered from 1 as on the front panel. Keep ranges apart and within the panel.
    """

    id = "FG109"
    title = "cages are kept twice, or beyond the switch's face"
    bad = """
        fabrics: {compute: {tiers: {
          leaf: {switch: sn5600, cages: {down: 1-32, up: 33-72}}}}}  # <-
    """
    good = """
        fabrics: {compute: {tiers: {
          leaf: {switch: sn5600, cages: {down: 1-32, up: 33-64}}}}}
    """

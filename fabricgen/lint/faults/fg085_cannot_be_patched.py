"""A patching policy names what does not exist, or asks for what no trunk or panel is made for."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class CannotBePatched(Fault):
    """A policy below `cabling.patch` names a fabric or a pair of tiers that there is none of, or asks for a trunk that
    the catalogue does not have, that no panel takes, or for links that another policy has patched already.

    Pairs of tiers are named as in summary.json: node-leaf, leaf-spine. Trunks lie below `catalog/trunks`; each is
    offered with some fibre counts, polarity types and connectors, and those have to be the ones of the panel's rear.
    """

    id = "FG085"
    title = "a patching policy cannot be carried out"
    bad = """
        cabling: {patch: {uplinks: {
          trunk_fibres: 145}}}  # <-
    """
    good = """
        cabling: {patch: {uplinks: {trunk_fibres: 144}}}
    """

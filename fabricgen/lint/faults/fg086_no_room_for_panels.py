"""A rack has too few free units for its patch panels."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class NoRoomForPanels(Fault):
    """Panels stand in the free units of the racks whose cables they take, from the top down, with those that reserved
    units of the cluster will need; a rack of switches has more fibres than its last two units have ports for.

    Let panels stand at the end of the row (`at: row-end`), take panels with more ports, or deal the switches of the
    tier over more racks with its `racks`.
    """

    id = "FG086"
    title = "a rack has no room for its patch panels"
    bad = """
        scalable_unit: {nodes: 4 x dgx-b200, racks: {nodes_per_rack: 4, units: 40}}
        cabling: {patch: {
          all: {between: node-leaf}}}  # <-
    """
    good = """
        scalable_unit: {nodes: 4 x dgx-b200, racks: {nodes_per_rack: 4, units: 48}}
        cabling: {patch: {all: {between: node-leaf}}}
    """

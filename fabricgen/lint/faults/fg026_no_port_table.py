"""The catalogue has no port table of the switch for its NOS."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class NoPortTable(Fault):
    """A switch runs a NOS for which the catalogue has no table of its ports, or none with the split that is needed.

    What a NOS calls a port follows from its lanes (SONiC: platform.json and port_config.ini of the device), and a
    guess would cable a name that is not there. Take another switch, NOS or speed, or add
    catalog/platforms/NOS/SWITCH.yaml beside the blueprint.
    """

    id = "FG026"
    title = "the catalogue has no port table of the switch for its NOS"
    bad = """
        fabrics: {compute: {tiers: {
          leaf: {switch: ds5000}}}}  # <-
    """
    good = """
        fabrics: {compute: {tiers: {
          leaf: {switch: sn5600}}}}
    """

"""Configuration is stated for no switch, or for no cabled port."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class ConfiguredNobody(Fault):
    """`config_of` names a device that is no switch of this cluster, or a port that has no cable.

    What is stated for a misspelt name would be applied nowhere. The hint has the nearest name; devices.csv and
    links.csv list all of them.
    """

    id = "FG053"
    title = "configuration is stated for no switch, or for no cabled port"
    bad = """
        config_of:
          compute-leaf-p1-su01-r1-1: {ports: {}}  # <-
    """
    good = """
        config_of:
          compute-leaf-p1-su01-r1-01: {ports: {}}
    """

"""The catalogue has no such profile."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class UnknownProfile(Fault):
    """A switch, node or scale-up domain is named that is neither built in nor in the blueprint's own catalogue.

    Ports, speeds and power come from profiles; without one nothing can be sized. `fabricgen catalog` lists what is
    there. Correct the name, or add the device as catalog/switches/ID.yaml (or nodes, scale_up) beside the
    blueprint.
    """

    id = "FG011"
    title = "the catalogue has no such profile"
    bad = """
        fabrics: {compute: {tiers: {leaf: {switch: sn5601}}}}  # <-
    """
    good = """
        fabrics: {compute: {tiers: {leaf: {switch: sn5610}}}}
    """

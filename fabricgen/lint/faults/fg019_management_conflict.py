"""Two fabrics claim the same management ports or devices."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class ManagementConflict(Fault):
    """Two fabrics take the management ports of switches (`also: switches`), a fabric takes those of one that it is
    linked with, or the same extra device is described differently in two fabrics.

    A switch has one management port, and a management network that runs over the fabric it manages is gone when it
    is needed. Extra devices of one name are the same devices. Let one fabric take the ports, and give other devices
    other names.
    """

    id = "FG019"
    title = "two fabrics claim the same management ports or devices"
    bad = """
        fabrics:
          oob: {protocol: ethernet, attach: bmc, also: switches, tiers: {leaf: {switch: sn2201}}}
          oob2: {protocol: ethernet, attach: bmc, also: switches, tiers: {leaf: {switch: sn2201}}}  # <-
    """
    good = """
        fabrics:
          oob: {protocol: ethernet, attach: bmc, also: switches, tiers: {leaf: {switch: sn2201}}}
    """

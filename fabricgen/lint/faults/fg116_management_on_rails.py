"""A management fabric has subnets of rails."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class ManagementOnRails(Fault):
    """A fabric that takes the management ports of switches (`also: switches`) has `hosts: rail-subnets`.

    Subnets of rails tell the NICs of a node apart; a management port is on no rail. Let hosts of such a fabric be
    `bridged`.
    """

    id = "FG116"
    title = "a management fabric has subnets of rails"
    bad = """
        fabrics:
          oob:
            protocol: ethernet
            attach: bmc
            also: switches
            hosts: rail-subnets  # <-
            tiers: {leaf: {switch: sn2201}}
    """
    good = """
        fabrics:
          oob: {protocol: ethernet, attach: bmc, also: switches, hosts: bridged, tiers: {leaf: {switch: sn2201}}}
    """

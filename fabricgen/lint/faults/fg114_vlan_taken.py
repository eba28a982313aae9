"""Two fabrics on one switch have one VLAN, or there are too few."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class VlanTaken(Fault):
    """Fabrics that share switches have the same VLAN, or subnets need more VLANs than there are.

    A VLAN is one broadcast domain on a switch, and IEEE 802.1Q numbers 4094 of them. State another `vlan` for one
    fabric, low enough that all of its subnets fit.
    """

    id = "FG114"
    title = "two fabrics on one switch have one VLAN, or there are too few"
    bad = """
        fabrics:
          storage: {protocol: ethernet, attach: storage, vlan: 200, tiers: {leaf: {switch: sn5600}}}
          inband: {protocol: ethernet, attach: inband, vlan: 200, carried_by: storage}  # <-
    """
    good = """
        fabrics:
          storage: {protocol: ethernet, attach: storage, vlan: 200, tiers: {leaf: {switch: sn5600}}}
          inband: {protocol: ethernet, attach: inband, vlan: 201, carried_by: storage}
    """

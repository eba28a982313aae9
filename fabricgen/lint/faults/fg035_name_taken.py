"""Two devices, or two interfaces of a node, would have one name."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class NameTaken(Fault):
    """A name that is stated is also the name of another device, interface or folder.

    Names are how cables, monitoring and host inventories tell devices apart, and a build keeps the configuration of
    each in a folder of its name. Choose another name for one of the two.
    """

    id = "FG035"
    title = "two devices, or two interfaces of a node, would have one name"
    bad = """
        fabrics: {storage: {protocol: roce, attach: storage, tiers: {leaf: {switch: sn5600, per: [su, rail]}}}}
        names:
          switches: {leaf: "leaf-{su}-{rail}"}  # <-
    """
    good = """
        fabrics: {storage: {protocol: roce, attach: storage, tiers: {leaf: {switch: sn5600, per: [su, rail]}}}}
        names:
          switches: {leaf: "{fabric}-{su}-{rail}"}
    """

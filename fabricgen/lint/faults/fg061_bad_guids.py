"""A table of GUIDs cannot be used."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class BadGuids(Fault):
    """The table that `guids` names lacks a column, has a GUID twice or one that no hardware has, or names a device or
    port that there is none of.

    An InfiniBand subnet manager knows devices by their 64-bit GUID alone (InfiniBand Architecture Specification,
    volume 1, chapter 4): with a wrong one the port is routed as somebody else's. Take them from `ibstat` on nodes and
    `ibswitches` for switches.
    """

    id = "FG061"
    title = "a table of GUIDs cannot be used"
    in_words = True
    bad = """
        device,guid
        compute-leaf-1,0xb83fd20300a1b2c
    """
    good = """
        device,guid
        compute-leaf-1,0xb83fd20300a1b2c4
    """

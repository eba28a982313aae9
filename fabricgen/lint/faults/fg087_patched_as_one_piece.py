"""A cable that goes through panels is stated as if it were one piece."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class PatchedAsOnePiece(Fault):
    """`cable_of` states the length, part or medium of a cable that is patched.

    Such a cable is two jumpers and a trunk: patches.csv and trunks.csv have the length and part of each, and a single
    one for all of them would contradict these lists and the order. Its cages may be stated. Leave the rest out, or
    leave its links out of `cabling.patch`.
    """

    id = "FG087"
    title = "a patched cable is stated as if it were one piece"
    bad = """
        cabling: {copper_to_m: 0, patch: {all: {between: leaf-spine}}}
        cable_of:
          "compute-leaf-p1-su01-r1-01:63":
            length_m: 30  # <-
    """
    good = """
        cabling: {copper_to_m: 0}
        cable_of:
          "compute-leaf-p1-su01-r1-01:63":
            length_m: 30
    """

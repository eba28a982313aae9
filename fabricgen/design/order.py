"""The order of fabrics that slots, pools and listings follow."""

from __future__ import annotations

from fabricgen.blueprint.models import natural

USUAL_FABRICS = ("compute", "storage", "inband", "oob")
"""Fabrics in the order that slots, pools and listings follow; others come after, by name, and so move none of these."""


def fabric_order(name: str) -> tuple[int, object]:
    """Sort key of a fabric: the usual ones first, then others by name."""
    usual = USUAL_FABRICS.index(name) if name in USUAL_FABRICS else len(USUAL_FABRICS)
    return usual, natural(name)

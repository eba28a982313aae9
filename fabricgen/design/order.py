"""The order of fabrics that node slots, address pools and listings follow."""

from __future__ import annotations

from fabricgen.blueprint.models import natural

USUAL_FABRICS = ("compute", "storage", "inband", "oob")
"""Fabrics that come first, in this order; others follow by name, so that adding one moves none of these."""


def fabric_order(name: str) -> tuple[int, object]:
    """Sort key of a fabric's name: the usual ones first, then others by name."""
    usual = USUAL_FABRICS.index(name) if name in USUAL_FABRICS else len(USUAL_FABRICS)
    return usual, natural(name)

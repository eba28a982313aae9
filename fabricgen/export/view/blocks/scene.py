"""Where everything of the fabric view is drawn: boxes, bands, ribbons, and the place of every device."""

from __future__ import annotations

from typing import Any

import numpy as np

from fabricgen.export.view.ribbons import ribbons_of
from fabricgen.export.view.source import PageSource, packed_numbers, packed_table

PER_UNIT = 100
"""Coordinates are whole numbers of a hundredth."""


def block(source: PageSource) -> dict[str, Any]:
    """Boxes, bands, ribbons, and the place of every device."""
    scene, places = source.scene, source.scene.places
    boxes = {
        "name": places.names,
        "level": places.level,
        "parent": places.parent,
        **{name: _hundredths(getattr(scene, f"box_{name}")) for name in ("x", "y", "w", "h", "foot")},
    }
    bands = {
        **{
            name: np.array([getattr(b, name) for b in scene.bands])
            for name in ("box", "cls", "first", "last", "columns")
        },
        **{
            name: _hundredths([getattr(b, name) for b in scene.bands])
            for name in ("x", "y", "w", "h", "scale", "header")
        },
    }
    bundles, ribbons = scene.bundles, ribbons_of(source.cluster, scene)
    whole = ("box", "child", "lower", "other", "upper", "target", "segment", "links")
    counted: dict[str, Any] = {n: np.array([getattr(b, n) for b in bundles], dtype=np.int64) for n in whole}
    drawn = {
        "bundle": np.array([r.bundle for r in ribbons], dtype=np.int64),
        **{n: _hundredths([getattr(r, n) for r in ribbons]) for n in ("x0", "y0", "w0", "x1", "y1", "w1", "arc")},
    }
    return {
        "w": scene.width,
        "h": scene.height,
        "boxes": packed_table(boxes),
        "bands": packed_table(bands),
        "bundles": packed_table(counted),
        "ribbons": packed_table(drawn),
        "order": packed_numbers(scene.order),
        "devices": packed_table({"x": _hundredths(scene.device_x), "y": _hundredths(scene.device_y)}),
    }


def _hundredths(values: Any) -> Any:
    return np.round(np.asarray(values, dtype=np.float64) * PER_UNIT).astype(np.int64)

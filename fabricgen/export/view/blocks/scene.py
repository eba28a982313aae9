"""The layout of the fabric view, in hundredths of its units."""

from __future__ import annotations

from typing import Any

import numpy as np

from fabricgen.export.view.ribbons import draw_ribbons
from fabricgen.export.view.source import PageSource, pack_numbers, pack_table

PER_UNIT = 100
"""Coordinates are whole numbers of hundredths of a unit."""


def block(source: PageSource) -> dict[str, Any]:
    """Return the drawing for the page: its size, tables of boxes, bands, bundles and ribbons, the rows of devices in
    the order of bands (`order`), and the position of every device. Lengths are in parts of a unit of the layout,
    `PER_UNIT` to a unit, except `w` and `h`, which are in units.
    """
    scene, places = source.scene, source.scene.places
    bundles, ribbons = scene.bundles, draw_ribbons(source.cluster, scene)
    whole_numbers = ("box", "child", "lower", "other", "upper", "target", "segment", "links")
    return {
        "w": scene.width,
        "h": scene.height,
        "boxes": pack_table(
            {
                "name": places.names,
                "level": places.level,
                "parent": places.parent,
                **{name: _to_hundredths(getattr(scene, f"box_{name}")) for name in ("x", "y", "w", "h", "foot")},
            }
        ),
        "bands": pack_table(
            {
                **{
                    name: np.array([getattr(b, name) for b in scene.bands])
                    for name in ("box", "cls", "first", "last", "columns")
                },
                **{
                    name: _to_hundredths([getattr(b, name) for b in scene.bands])
                    for name in ("x", "y", "w", "h", "scale", "header")
                },
            }
        ),
        "bundles": pack_table({n: np.array([getattr(b, n) for b in bundles], dtype=np.int64) for n in whole_numbers}),
        "ribbons": pack_table(
            {
                "bundle": np.array([r.bundle for r in ribbons], dtype=np.int64),
                **{
                    n: _to_hundredths([getattr(r, n) for r in ribbons])
                    for n in ("x0", "y0", "w0", "x1", "y1", "w1", "arc")
                },
            }
        ),
        "order": pack_numbers(scene.order),
        "devices": pack_table({"x": _to_hundredths(scene.device_x), "y": _to_hundredths(scene.device_y)}),
    }


def _to_hundredths(values: Any) -> Any:
    return np.round(np.asarray(values, dtype=np.float64) * PER_UNIT).astype(np.int64)

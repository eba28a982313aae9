"""What overlays (colourings of the picture) need and no other block has: the power that devices draw, what the links of
each bundle have in common, and the colours themselves.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fabricgen.catalog.loads import planned_w
from fabricgen.export.palette import KNOWN, OTHERS
from fabricgen.export.view.boxes import ALIKE
from fabricgen.export.view.source import Packed, PageSource, pack_numbers, pack_table
from fabricgen.wiring.arrays import Ints64

SCALE = ("#DDEBF7", "#A9CBE6", "#6FA3CF", "#376FA8", "#123E73")
"""Steps of one blue from light to dark, for lengths, speeds and power: they can be told apart in grey and by any eye.
"""


def block(source: PageSource) -> dict[str, Any]:
    """Return the power each device draws in W, the colours of overlays, and what the links of each bundle have in
    common.
    """
    return {
        "drawn_w": pack_numbers(_sum_drawn(source)),
        "palette": [fill for fill, _, _ in KNOWN.values()] + [fill for fill, _ in OTHERS],
        "scale": SCALE,
        "bundles": _pack_common_values(source),
    }


def _sum_drawn(source: PageSource) -> Ints64:
    """Return what each device draws with its optics, W, int64; 0 if its model has no figure."""
    devices = source.cluster.plan.devices
    own_w = np.array([planned_w(cls.profile) or 0 for cls in devices.classes])[devices.device_class]
    return np.where(own_w > 0, np.round(own_w + source.optics.added_w), 0).astype(np.int64)


def _pack_common_values(source: PageSource) -> Packed:
    """Return, by bundle, the rail, plane and medium that all its links have (0 or "" if they differ), the length of its
    longest cable in m, and the speed of a link in Gb/s.
    """
    bundles, plan = source.scene.bundles, source.cluster.plan
    # by property: the least and the greatest value of each bundle
    ranges = {name: [(bundle.least[i], bundle.most[i]) for bundle in bundles] for i, name in enumerate(ALIKE)}
    media = [profile.medium for profile in plan.cables.media]
    return pack_table(
        {
            "rail": [least if least == most else 0 for least, most in ranges["rail"]],
            "plane": [least if least == most else 0 for least, most in ranges["plane"]],
            "medium": [media[int(least)] if least == most >= 0 else "" for least, most in ranges["medium"]],
            "length_m": [most for _, most in ranges["length_m"]],
            "speed": [float(plan.links.segments[bundle.segment].speed_gbps) for bundle in bundles],
        }
    )

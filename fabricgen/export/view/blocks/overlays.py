"""What overlays colour by that no list says: watts of devices, and the colours."""

from __future__ import annotations

from typing import Any

from fabricgen.catalog.loads import planned_w
from fabricgen.export.palette import KNOWN, OTHERS
from fabricgen.export.view.source import PageSource

SCALE = ("#DDEBF7", "#A9CBE6", "#6FA3CF", "#376FA8", "#123E73")
"""Steps of one blue from light to dark, for lengths, speeds and power: they stay apart in grey and to any eye."""


def block(source: PageSource) -> dict[str, Any]:
    """What overlays colour by that no list says."""
    return {
        "watts": [planned_w(cls.profile) for cls in source.cluster.plan.devices.classes],
        "palette": [fill for fill, _, _ in KNOWN.values()] + [fill for fill, _ in OTHERS],
        "scale": SCALE,
    }

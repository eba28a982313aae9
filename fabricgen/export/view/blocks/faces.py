"""The front of each model: rack units, and its cages as [x, y, w, h, label, ports], in shares of the front."""

from __future__ import annotations

from dataclasses import astuple
from typing import Any

from fabricgen.export.view.fronts import fronts
from fabricgen.export.view.source import PageSource


def block(source: PageSource) -> dict[str, Any]:
    """By model: its rack units, and its cages; `ports` is the most that any of its devices has in use there."""
    units = {cls.profile.id: cls.profile.rack_units for cls in source.cluster.plan.devices.classes}
    return {
        model: {"units": units[model], "cages": [list(astuple(cage)) for cage in cages]}
        for model, cages in fronts(source.cluster).items()
    }

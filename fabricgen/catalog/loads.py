"""What devices draw, and where the heat of it goes."""

from __future__ import annotations

from typing import TypeAlias

from fabricgen.catalog.models import NodeProfile, SwitchProfile

Device: TypeAlias = NodeProfile | SwitchProfile


def planned_w(profile: Device) -> float | None:
    """What a device is planned to draw, W, without optics; 0 for one that is somebody else's; None for unknown."""
    return 0 if getattr(profile, "external", False) else profile.power_w.planning_w


def liquid_w(profile: Device) -> float | None:
    """The heat of it that coolant takes, W; None where the share is not known; 0 where nothing is drawn that is."""
    share = profile.liquid_share
    return None if share is None else share * (planned_w(profile) or 0)


def air_w(profile: Device) -> float | None:
    """The heat of it that air takes, W; None where the share is not known."""
    liquid = liquid_w(profile)
    return None if liquid is None else (planned_w(profile) or 0) - liquid

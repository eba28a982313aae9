"""What devices draw, and whether air or coolant takes the heat of it."""

from __future__ import annotations

from typing import TypeAlias

from fabricgen.catalog.models import NodeProfile, SwitchProfile
from fabricgen.catalog.profile import Basis

Device: TypeAlias = NodeProfile | SwitchProfile

HALF_A_WATT = 0.0005
"""What the draw of a device may differ from its figure, kW: powers are stated in whole watts."""


def planned_w(profile: Device) -> float | None:
    """Return what a device is planned to draw, W; None if unknown.

    Optics are included only if its stated maximum includes them. 0 for somebody else's device, and for one whose draw
    is in the figure of another.
    """
    return 0 if getattr(profile, "external", False) else profile.power_w.planning_w


def has_optics(profile: Device) -> bool:
    """Whether the planned draw of a device includes optics in all of its cages."""
    return profile.power_w.max_with_optics and not getattr(profile, "external", False)


def find_power_basis(profile: Device) -> Basis | None:
    """Return what kind of figure the planned draw of a device is: maximum, estimate, typical.

    None for a device that adds nothing: it is somebody else's, or the figure of another includes its draw.
    """
    adds_nothing = getattr(profile, "external", False) or profile.power_w.counted_in
    return None if adds_nothing else profile.power_w.basis


def liquid_w(profile: Device) -> float | None:
    """Return the heat of a device that coolant takes, W; None if its share is not known, 0 if its draw is not."""
    share = profile.liquid_share
    return None if share is None else share * (planned_w(profile) or 0)


def air_w(profile: Device) -> float | None:
    """Return the heat of a device that air takes, W; None if that of coolant is not known, 0 if its draw is not."""
    liquid = liquid_w(profile)
    return None if liquid is None else (planned_w(profile) or 0) - liquid

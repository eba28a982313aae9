"""What the fabric view says of a class of nodes: its accelerators, and its scale-up domain."""

from __future__ import annotations

from fabricgen.catalog.models import NodeProfile
from fabricgen.design.model import Design
from fabricgen.design.scale_up.model import ScaleUpDesign
from fabricgen.wiring.tables import DeviceClass


def accelerators_of(cls: DeviceClass) -> int:
    """Accelerators of one device; 0 for what has none."""
    own = cls.profile.accelerators if isinstance(cls.profile, NodeProfile) else None
    return own.count if own else 0


def domain_of(cls: DeviceClass, design: Design) -> ScaleUpDesign | None:
    """The scale-up domains that devices of a class form; None where they form none."""
    if not isinstance(cls.profile, NodeProfile):
        return None
    known = (cls.profile.scale_up, *cls.profile.scale_up_too)
    return next((one for one in design.scale_up if one.profile.id in known), None)

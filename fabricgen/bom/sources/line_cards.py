"""Line cards of chassis; their power is part of the chassis's figure."""

from __future__ import annotations

import numpy as np

from fabricgen.bom.cables import CableParts
from fabricgen.bom.need import Needs, OrderedPart, join_needs, make_part_needs
from fabricgen.catalog.models import SwitchProfile
from fabricgen.cluster import Cluster


def needs(cluster: Cluster, cables: CableParts) -> Needs:  # noqa: ARG001 - one signature for all sources
    """Return the line cards of each chassis: one need for each chassis and part number."""
    card_needs = []
    for cls in cluster.plan.devices.classes:
        for cards in cls.profile.line_cards if isinstance(cls.profile, SwitchProfile) else ():
            text = f"{cls.profile.vendor} {cards.model} line card, {cards.cages} cages"
            rows = np.arange(cls.first, cls.first + cls.count, dtype=np.int32)
            part = OrderedPart(cards.part_number, text, "line-card", 0)
            card_needs.append(make_part_needs(part, cards.count, device=rows))
    return join_needs(card_needs)

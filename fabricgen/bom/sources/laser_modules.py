"""External laser modules of switches with co-packaged optics, if it is published how many a switch takes."""

from __future__ import annotations

import numpy as np

from fabricgen.bom.cables import CableParts
from fabricgen.bom.need import Needs, OrderedPart, join_needs, make_part_needs
from fabricgen.bom.sources.devices import name_model
from fabricgen.catalog.models import SwitchProfile
from fabricgen.cluster import Cluster


def needs(cluster: Cluster, cables: CableParts) -> Needs:  # noqa: ARG001 - one signature for all sources
    """Return the laser modules that each switch takes, by the number that its profile publishes."""
    modules = []
    for cls in cluster.plan.devices.classes:
        lasers = cls.profile.lasers if isinstance(cls.profile, SwitchProfile) else None
        if lasers is None or lasers.count is None:
            continue
        open_text = "" if lasers.part_number else ", part number not published"
        text = f"External laser module of {name_model(cls.profile)}{open_text}"
        part = OrderedPart(lasers.part_number or f"laser-module-{cls.profile.id}", text, "laser-module", lasers.power_w)
        rows = np.arange(cls.first, cls.first + cls.count, dtype=np.int32)
        modules.append(make_part_needs(part, lasers.count, device=rows))
    return join_needs(modules)

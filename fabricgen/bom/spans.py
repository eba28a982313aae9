"""What a cable between sites is made of: a leased pair of dark fibre, and a jumper to the distribution frame (ODF) of
each site.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from fabricgen.bom.jumpers import Jumper
from fabricgen.bom.sets import JOINT, as_set
from fabricgen.catalog.models import CableProfile
from fabricgen.catalog.patch_models import Polarity
from fabricgen.cluster import Cluster
from fabricgen.kernel.units import number
from fabricgen.wiring.cabling.shelf import fibres_of
from fabricgen.wiring.tables import Ints, Ints64

LEASED = "leased-pair-"
"""How the part of a leased pair begins; nobody keeps a spare one on the shelf."""

Make = Callable[[CableProfile, Polarity, tuple[int, int], float], Jumper]
"""(medium, polarity type, (far ends, lanes), length in m) -> jumper."""


def span_parts(cluster: Cluster, lanes: Ints, make: Make) -> Iterator[tuple[Ints64, tuple[str, str]]]:
    """(cables, (part, description)) of each span and medium; `lanes` are those of every cable."""
    plan, blueprint = cluster.plan, cluster.design.loaded.blueprint
    if not any(segment.km for segment in plan.links.segments):
        return
    segment = plan.links.segment[plan.cables.end_link[plan.cables.first_rows()]]
    for place, one in enumerate(plan.links.segments):
        for code, medium in enumerate(plan.cables.media) if one.km else ():
            rows = np.flatnonzero((segment == place) & (plan.cables.medium == code))
            if not len(rows):
                continue
            name = str(one.path[-1])
            spec = blueprint.fabrics[one.fabric].spans[name]
            jumper = make(medium, "B", (1, int(lanes[rows[0]])), spec.odf_jumper_m)
            a, b = spec.between
            text = f"Dark fibre, a leased pair, {medium.fibre.upper()}, {a} to {b}, {number(one.km)} km, ODF to ODF"
            pairs = fibres_of(medium, 1, jumper.lanes)
            leased = as_set(f"{LEASED}{name}-{number(one.km)}km", text, pairs[0] if pairs else 1)
            jumpers = jumper.part, jumper.text
            part, described = (JOINT.join((own, of, own)) for own, of in zip(jumpers, leased, strict=True))
            yield rows, (part, described)

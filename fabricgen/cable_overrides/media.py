"""Overrides of the length and medium of single cables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from fabricgen.blueprint.sections.cable_overrides import CableOverride
from fabricgen.cable_overrides.ends import CableIndex
from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.models import CableProfile
from fabricgen.design.media.policy import named
from fabricgen.kernel.diagnostics import Diagnostic, fault
from fabricgen.wiring.cabling.end_numbers import hangs_on_lower
from fabricgen.wiring.cabling.media import fits_segment
from fabricgen.wiring.tables import CableTable, Segment

UNFIT_MEDIUM = "FG083"

MOST_LISTED = 8
"""The most media that a hint lists."""


def with_lengths_and_media(
    catalog: Catalog, cables: CableIndex, stated: Mapping[int, CableOverride], faults: list[Diagnostic]
) -> CableTable:
    """The cable table with stated lengths and media; unsuitable media are added to `faults`.

    A cable of another length keeps its medium, as that is what was pulled; `reaches` is updated for lint.
    """
    table = cables.plan.cables
    length_m, medium, media = table.length_m.copy(), table.medium.copy(), list(table.media)
    for cable, own in stated.items():
        if own.length_m is not None:
            length_m[cable] = own.length_m
        if own.medium is not None:
            found = _medium(catalog, cables, cable, own.medium, float(length_m[cable]), faults)
            if found is not None:
                medium[cable] = _place_in(media, found)
    rows = np.array(sorted(stated), dtype=np.int64)
    reach = np.array([profile.reach_m for profile in media])
    reaches = table.reaches.copy()
    changed = rows[(length_m[rows] != table.length_m[rows]) | (medium[rows] != table.medium[rows])]
    reaches[changed] = length_m[changed] <= reach[medium[changed]]
    return replace(table, media=tuple(media), length_m=length_m, medium=medium, reaches=reaches)


def _place_in(media: list[CableProfile], profile: CableProfile) -> int:
    """The index of a profile in `media`, to which it is appended if it is new."""
    if profile not in media:
        media.append(profile)
    return media.index(profile)


def _medium(
    catalog: Catalog, cables: CableIndex, cable: int, word: str, length_m: float, faults: list[Diagnostic]
) -> CableProfile | None:
    """The cheapest profile of the stated kind that fits both ends and reaches, else the one of the longest reach."""
    fitting = list(_fitting(catalog, cables, cable))
    asked = [profile for profile in fitting if named((word,), profile)]
    reaching = [profile for profile in asked if profile.reach_m >= length_m]
    if asked:
        return reaching[0] if reaching else max(asked, key=lambda profile: profile.reach_m)
    segment = _segments(cables, cable)[0]
    sides = " and ".join(dict.fromkeys(side.form_factor for side in (segment.a, segment.b)))
    listed = ", ".join(profile.id for profile in fitting[:MOST_LISTED])
    faults += fault(
        UNFIT_MEDIUM,
        f"{word} cannot be the medium of {cables.ids[cable]}: {segment.speed_gbps:g}G over lanes of "
        f"{segment.lane_gbps:g}G between {sides} cages",
        path=("cable_of", cables.ids[cable], "medium"),
        hint=f"what fits: {listed}" if listed else "",
    ).diagnostics
    return None


def _segments(cables: CableIndex, cable: int) -> list[Segment]:
    links = cables.plan.links
    return [links.segments[i] for i in sorted(set(links.segment[cables.links_of(cable)].tolist()))]


def _fitting(catalog: Catalog, cables: CableIndex, cable: int) -> Iterator[CableProfile]:
    """The profiles that carry a cable's lanes and fit the cages at its ends, cheapest first."""
    segments = _segments(cables, cable)
    several = len(cables.ends(cable, upper=False)) + len(cables.ends(cable, upper=True)) > 2
    split = several or any(not hangs_on_lower(s) and s.b.per_connector > 1 for s in segments)
    for profile in catalog.cables:
        told = [replace(segment, media=(profile.id,), stated=("cable_of",)) for segment in segments]
        lanes = max(segment.lanes for segment in segments)
        if all(fits_segment(segment, profile) for segment in told) and (not split or profile.splits_for(lanes)):
            yield profile

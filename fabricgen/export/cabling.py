"""Parts of cables: what to order for each, and what plugs into each end."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fabricgen.catalog.models import CableProfile, SwitchProfile
from fabricgen.cluster import Cluster
from fabricgen.design.model import Attachment, PortRun
from fabricgen.export.formats.csv import number
from fabricgen.plan.tables import DeviceClass, Ints, Segment, Side


@dataclass(frozen=True, slots=True)
class EndKind:
    """What one end of a cable plugs into: form factor, and the bandwidth of the whole cage in Gb/s."""

    form_factor: str
    gbps: int
    lane_gbps: float

    def transceiver(self, medium: CableProfile) -> str:
        """Part of the transceiver; "" where the end is part of the cable."""
        return "" if medium.attached else f"{medium.id}-{slug(self.form_factor)}-{self.gbps}g"


def slug(text: str) -> str:
    """Text as it stands in a part number: lower case, dashes."""
    return re.sub(r"[^a-z0-9.]+", "-", text.lower()).strip("-")


def end_kind(cls: DeviceClass, side: Side, segment: Segment) -> EndKind:
    """What an end of the cables of a segment plugs into, on devices of a class."""
    if isinstance(side, PortRun) and isinstance(cls.profile, SwitchProfile):
        cage = cls.profile.cages[side.cage_class]
        return EndKind(cage.form_factor, side.speed_gbps * side.ways, segment.lane_gbps)
    if isinstance(side, Attachment):
        in_cage = max(sum(other.cage == leg.cage for other in side.legs) for leg in side.legs)
        return EndKind(side.form_factor, side.speed_gbps * in_cage, segment.lane_gbps)
    return EndKind("RJ45", int(segment.speed_gbps), segment.lane_gbps)


class CableParts:
    """Parts of every cable of a cluster, made once for each distinct kind."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._cables, self._links = cluster.plan.cables, cluster.plan.links

    @cached_property
    def end_kinds(self) -> tuple[list[EndKind], list[EndKind]]:
        """What the a and b ends of each cable end row plug into."""
        devices, rows = self._cluster.plan.devices, self._cables.end_link
        known: dict[tuple[int, int, int], EndKind] = {}
        found: tuple[list[EndKind], list[EndKind]] = ([], [])
        segments = self._links.segment[rows].tolist()
        for end, column in enumerate((self._links.a_device[rows], self._links.b_device[rows])):
            for number_, cls in zip(segments, devices.device_class[column].tolist(), strict=True):
                key = (number_, cls, end)
                if key not in known:
                    segment = self._links.segments[number_]
                    known[key] = end_kind(devices.classes[cls], segment.b if end else segment.a, segment)
                found[end].append(known[key])
        return found

    @cached_property
    def far_ends(self) -> Ints:
        """How many far ends each cable has; above 1 it is a breakout."""
        return np.bincount(self._cables.end_cable, minlength=len(self._cables)).astype(np.int32)

    @cached_property
    def parts(self) -> tuple[list[str], list[str]]:
        """(part, description) of every cable."""
        _, first = np.unique(self._cables.end_cable, return_index=True)
        a_kind, b_kind = self.end_kinds
        known: dict[tuple[int, EndKind, EndKind, int, float], tuple[str, str]] = {}
        found: list[tuple[str, str]] = []
        rows = zip(
            self._cables.medium.tolist(),
            first.tolist(),
            self.far_ends.tolist(),
            self._cables.length_m.tolist(),
            strict=True,
        )
        for medium, row, far, length in rows:
            key = (medium, a_kind[row], b_kind[row], far, length)
            if key not in known:
                known[key] = part(self._cables.media[medium], *key[1:])
            found.append(known[key])
        return [p for p, _ in found], [d for _, d in found]


def part(medium: CableProfile, a: EndKind, b: EndKind, far_ends: int, length_m: float) -> tuple[str, str]:
    """(part, description) of a cable between two kinds of cage; `far_ends` above 1 makes it a breakout."""
    length = number(length_m)
    split = f"-1x{far_ends}" if far_ends > 1 else ""
    if "RJ45" in medium.form_factors:
        return f"{medium.id}-{length}m", f"{medium.name}, RJ45, {length} m"
    if medium.attached:
        ends = "-".join(sorted({slug(a.form_factor), slug(b.form_factor)}))
        gbps = max(a.gbps, b.gbps)
        text = f"{medium.name}, {gbps}G {a.form_factor} to {b.form_factor}"
        what = f", breakout to {far_ends}" if split else ""
        return f"{medium.id}-{ends}-{gbps}g{split}-{length}m", f"{text}{what}, {length} m"
    connector = medium.connector.removeprefix("2x ") or "MPO-12"
    what = f"breakout 1 to {far_ends}" if split else "straight"
    name = f"{medium.fibre or 'smf-os2'}-{slug(connector)}"
    return f"fibre-{name}{split}-{length}m", f"Fibre {medium.fibre.upper()}, {connector}, {what}, {length} m"

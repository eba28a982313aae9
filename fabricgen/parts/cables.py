"""Parts of cables: what to order for each, and what plugs into each end."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from fabricgen.catalog.models import CableProfile, SwitchProfile
from fabricgen.cluster import Cluster
from fabricgen.design.fabric_model import Attachment
from fabricgen.design.ports import PortRun
from fabricgen.kernel.units import number
from fabricgen.plan.lanes import lanes_of, splits_of
from fabricgen.plan.scale_up_ports import ScaleUpPort
from fabricgen.plan.tables import DeviceClass, Ints, Segment, Side, Wide

if TYPE_CHECKING:
    from fabricgen.parts.jumpers import Channels


@dataclass(frozen=True, slots=True)
class EndKind:
    """What one end of a cable plugs into: form factor, and the bandwidth of the whole cage in Gb/s.

    `takes_fibre` where a fibre plugs in without a transceiver.
    """

    form_factor: str
    gbps: int
    lane_gbps: float
    takes_fibre: bool = False

    def transceiver(self, medium: CableProfile) -> str:
        """Part of the transceiver; "" where the end is part of the cable."""
        return "" if medium.attached or self.takes_fibre else f"{medium.id}-{slug(self.form_factor)}-{self.gbps}g"


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
    if isinstance(side, ScaleUpPort):
        return EndKind(side.form_factor, round(segment.speed_gbps), segment.lane_gbps, side.takes_fibre)
    return EndKind("RJ45", int(segment.speed_gbps), segment.lane_gbps)


def distinct(*columns: Any) -> tuple[Wide, Wide]:
    """(a row of each distinct combination of numbers, the combination of every row); columns of one length."""
    code = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        values, place = np.unique(column, return_inverse=True)
        _, code = np.unique(code * len(values) + place, return_inverse=True)
    _, first = np.unique(code, return_index=True)
    return first, code


class CableParts:
    """Parts of every cable of a cluster, made once for each distinct kind."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._cables, self._links = cluster.plan.cables, cluster.plan.links

    @cached_property
    def kinds(self) -> tuple[tuple[EndKind, ...], Wide, Wide]:
        """(distinct kinds, that of the a end and that of the b end of each cable end row)."""
        devices, rows = self._cluster.plan.devices, self._cables.end_link
        known: dict[EndKind, int] = {}
        found: list[Wide] = []
        segments = self._links.segment[rows]
        for end, column in enumerate((self._links.a_device[rows], self._links.b_device[rows])):
            classes = devices.device_class[column]
            first, code = distinct(segments, classes)
            numbers = np.zeros(len(first), dtype=np.int64)
            for i, (number_, cls) in enumerate(zip(segments[first].tolist(), classes[first].tolist(), strict=True)):
                segment = self._links.segments[number_]
                kind = end_kind(devices.classes[cls], segment.b if end else segment.a, segment)
                numbers[i] = known.setdefault(kind, len(known))
            found.append(numbers[code])
        return tuple(known), found[0], found[1]

    def transceivers(self) -> tuple[list[str], list[str]]:
        """Part of the transceiver at the a and b end of each cable end row; "" for none."""
        kinds, *ends = self.kinds
        media = self._cables.media
        table = np.array([[kind.transceiver(medium) for medium in media] for kind in kinds], dtype=object)
        medium = self._cables.medium[self._cables.end_cable]
        a, b = (table.reshape(len(kinds), len(media))[end, medium].tolist() for end in ends)
        return a, b

    @cached_property
    def splits(self) -> Ints:
        """Into how many far ends each cable splits; 1 for a straight one. A spare leg of a breakout counts.

        Where one end takes several links of a split cage, as a DGX does those of a switch, it is straight.
        """
        cables = self._cables
        return splits_of(self._links, cables.end_cable, cables.end_link, cables.end_links, len(cables))

    @cached_property
    def lanes(self) -> Ints:
        """Electrical lanes of each cable at its common end, those of spare legs too."""
        cables = self._cables
        return lanes_of(self._links, cables.end_cable, cables.end_link, cables.end_links, self.splits)

    @cached_property
    def parts(self) -> tuple[list[str], list[str]]:
        """(part, description) of every cable."""
        cables = self._cables
        _, row = np.unique(cables.end_cable, return_index=True)
        kinds, a_kind, b_kind = self.kinds
        columns = (cables.medium, a_kind[row], b_kind[row], self.splits, self.lanes, cables.length_m)
        first, code = distinct(*columns)
        made = [
            part(cables.media[medium], kinds[a], kinds[b], split, lanes, length)
            for medium, a, b, split, lanes, length in zip(*(c[first].tolist() for c in columns), strict=True)
        ]
        texts = [np.array(column, dtype=object) for column in zip(*made, strict=True)] or [
            np.empty(0, dtype=object)
        ] * 2
        names, descriptions = (column[code].tolist() for column in texts)
        channels = self.channels
        for cable, made_ in zip(channels.cable.tolist(), channels.texts, strict=True) if channels else ():
            names[cable], descriptions[cable] = made_
        for cable, own in self._cluster.planned.own.items():
            if own.part:
                names[cable], descriptions[cable] = own.part, f"{own.part}, as built"
        return names, descriptions

    @cached_property
    def channels(self) -> Channels | None:
        """The jumpers of patched cables, which have these in place of a direct fibre; None where nothing is patched."""
        patching = self._cluster.plan.patching
        if patching is None:
            return None
        from fabricgen.parts.jumpers import channels_of

        return channels_of(self._links, self._cables, patching, self.splits, self.lanes, fibre_part)


def part(medium: CableProfile, a: EndKind, b: EndKind, far_ends: int, lanes: int, length_m: float) -> tuple[str, str]:
    """(part, description) of a cable of so many lanes between two kinds of cage.

    `far_ends` above 1 makes it a breakout; fibres need a connector for every few lanes.
    """
    length = number(length_m)
    split = f"-1x{far_ends}" if far_ends > 1 else ""
    if "RJ45" in medium.form_factors:
        return f"{medium.id}-{length}m", f"{medium.name}, RJ45, {length} m"
    if medium.attached:
        ends = "-".join(sorted({slug(a.form_factor), slug(b.form_factor)}))
        gbps = round(lanes * a.lane_gbps)
        what = f", breakout to {far_ends}" if split else ""
        text = f"{medium.name}, {gbps}G {b.form_factor} to {a.form_factor}"
        return f"{medium.id}-{ends}-{gbps}g{split}-{length}m", f"{text}{what}, {length} m"
    return fibre_part(medium, far_ends, lanes, length_m)


def fibre_part(medium: CableProfile, far_ends: int, lanes: int, length_m: float) -> tuple[str, str]:
    """(part, description) of fibre of so many lanes that plugs in at both ends, a few lanes a connector."""
    length = number(length_m)
    split = f"-1x{far_ends}" if far_ends > 1 else ""
    fibres = -(-lanes // medium.lanes_per_connector)
    connector = f"{fibres}x {medium.connector}" if fibres > 1 else medium.connector
    what = f"from 1 cage to {far_ends}" if split else "straight"
    name = f"{medium.fibre}-{slug(connector)}"
    return f"fibre-{name}{split}-{length}m", f"Fibre {medium.fibre.upper()}, {connector}, {what}, {length} m"

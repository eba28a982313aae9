"""Part numbers of cables, and of the transceivers at each end."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.bom.sets import JOINT, format_set
from fabricgen.catalog.models import CableProfile
from fabricgen.cluster import Cluster
from fabricgen.kernel.units import format_number
from fabricgen.numbering.lazy_columns import EncodedColumn, encode_column
from fabricgen.wiring.arrays import Ints, Ints64, unique_combinations
from fabricgen.wiring.cabling.end_kinds import EndKind, make_end_kind, make_slug
from fabricgen.wiring.cabling.far_ends import are_common_ends_lower, count_ends_and_lanes
from fabricgen.wiring.cabling.offers import make_shelf
from fabricgen.wiring.cabling.shelf import CableOrder, split_into_fibres

if TYPE_CHECKING:
    from fabricgen.bom.jumpers import Make, PatchedChannels


class CablePart(NamedTuple):
    """The part for one kind of cable: the order that it fills, its length in m, its part number and description.

    `listed` says whether it is a product of a list; the part number of any other cable is a generic one.
    """

    wanted: CableOrder
    length_m: float
    part: str
    text: str
    listed: bool


class CableParts:
    """Parts of every cable of a cluster, computed once for each distinct kind."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._cables, self._links = cluster.plan.cables, cluster.plan.links
        self._shelf = make_shelf(cluster.design)

    @property
    def media(self) -> tuple[CableProfile, ...]:
        """The media of all cables."""
        return self._cables.media

    @cached_property
    def kinds(self) -> tuple[tuple[EndKind, ...], Ints, Ints]:
        """(kinds, a, b): the distinct kinds of cable end, and the index in them of both ends of each row of cable ends;
        int32.
        """
        segment = self._links.segment[self._cables.end_link]
        numbers_by_kind: dict[EndKind, int] = {}
        columns: list[Ints] = []
        for upper in (False, True):
            ends = (make_end_kind(s.b if upper else s.a, s, self._shelf) for s in self._links.segments)
            numbers = [numbers_by_kind.setdefault(end, len(numbers_by_kind)) for end in ends]
            columns.append(np.array(numbers, dtype=np.int32)[segment])
        return tuple(numbers_by_kind), columns[0], columns[1]

    def list_transceivers(self) -> tuple[EncodedColumn, EncodedColumn]:
        """Return the parts of the transceivers at the a end and at the b end of each row of cable ends; "" for none."""
        kinds, *ends = self.kinds
        media, medium = self._cables.media, self._cables.medium[self._cables.end_cable]
        # the part for (kind of end, medium) is at kind * number of media + medium
        table = [kind.find_transceiver_part(profile) for kind in kinds for profile in media]
        a, b = (encode_column(table, end * len(media) + medium) for end in ends)
        return a, b

    @cached_property
    def widths(self) -> tuple[Ints, Ints]:
        """(far ends, lanes) of each cable, int32: number of far ends, 1 for a straight cable, and electrical lanes at
        its common end.
        """
        if self._cluster.phase:  # a breakout has its legs of later phases already
            legs, lanes = CableParts(self._cluster.phase.whole).widths
            return legs[self._cluster.phase.cables], lanes[self._cluster.phase.cables]
        cables = self._cables
        return count_ends_and_lanes(self._links, cables.end_cable, cables.end_link, cables.end_links, cables.connectors)

    @cached_property
    def made(self) -> tuple[list[CablePart], Ints64]:
        """(parts, kind): the part for each distinct kind of cable, and the kind of each cable, an index into them."""
        cables, row = self._cables, self._cables.find_first_rows()
        kinds, a_kind, b_kind = self.kinds
        lower = are_common_ends_lower(self._links, cables)
        columns = (cables.medium, a_kind[row], b_kind[row], lower, *self.widths, cables.length_m)
        first_rows, code = unique_combinations(*columns)
        distinct = []
        for medium, a, b, common_is_a, far_ends, lanes, length in zip(
            *(column[first_rows].tolist() for column in columns), strict=True
        ):
            common, far = (kinds[a], kinds[b]) if common_is_a else (kinds[b], kinds[a])
            order = CableOrder(cables.media[medium], common, far, far_ends, lanes, common.lane_gbps)
            distinct.append(self._make_part(order, (kinds[a], kinds[b]), length))
        return distinct, code

    def _make_part(self, order: CableOrder, ends: tuple[EndKind, EndKind], length_m: float) -> CablePart:
        """Return the part to buy for an order: the product of the lists that has `length_m`, else a generic part.

        `ends` are the kinds of end at a and at b.
        """
        piece = self._shelf.find_piece(order, length_m) if self._shelf else None
        # `piece` is (product, length, how many). The wiring plan has chosen the length; a list without it has no part
        if piece is None or piece[1] != length_m:
            return CablePart(
                order, length_m, *describe_cable(order.medium, *ends, order.far_ends, order.lanes, length_m), False
            )
        product, length, pieces = piece
        part, text = format_set(product.part_number(length), f"{product.name}, {format_number(length)} m", pieces)
        return CablePart(order, length, part, text, True)

    @cached_property
    def parts(self) -> tuple[EncodedColumn, EncodedColumn]:
        """(part, description) of every cable; a patched one has those of all its jumpers, joined by " + "."""
        distinct, code = self.made
        entries, entry_of_cable, channels = [(m.part, m.text) for m in distinct], code.copy(), self.channels
        if channels:
            entry_of_cable[channels.cable] = len(entries) + channels.kind
            entries += channels.texts
        for rows, entry in list_span_parts(self._cluster, self.widths[1], self._make_jumper):
            entry_of_cable[rows] = len(entries)
            entries.append(entry)
        for cable, built in self._cluster.planned.overrides.items():
            if built.part:
                entry_of_cable[cable] = len(entries)
                entries.append((built.part, f"{built.part}, as built"))
        return (
            encode_column([part for part, _ in entries], entry_of_cable),
            encode_column([text for _, text in entries], entry_of_cable),
        )

    @property
    def lengths(self) -> EncodedColumn:
        """The length of every cable, m."""
        distinct, code = self.made
        return encode_column([m.length_m for m in distinct], code)

    @cached_property
    def channels(self) -> PatchedChannels | None:
        """The jumpers of patched cables, which replace a direct fibre; None if no cable is patched."""
        patching = self._cluster.plan.patching
        if patching is None:
            return None
        from fabricgen.bom.jumpers import make_channels

        return make_channels(self._links, self._cables, patching, self.widths, self._make_jumper)

    @property
    def _make_jumper(self) -> Make:
        """The function that makes a jumper: a product of the lists, else a generic part."""
        from fabricgen.bom.jumpers import make_jumper

        return partial(make_jumper, self._shelf, describe_fibre)


def describe_cable(
    medium: CableProfile, a: EndKind, b: EndKind, far_ends: int, lanes: int, length_m: float
) -> tuple[str, str]:
    """Return (part, description) of a generic cable of `lanes` lanes between the kinds of end `a` and `b`.

    With more than one far end it is a breakout. For fibre see `describe_fibre`.
    """
    length = format_number(length_m)
    split = f"-1x{far_ends}" if far_ends > 1 else ""
    if "RJ45" in medium.form_factors:
        return f"{medium.id}-{length}m", f"{medium.name}, RJ45, {length} m"
    if medium.attached:
        ends = "-".join(sorted({make_slug(a.form_factor), make_slug(b.form_factor)}))
        gbps = round(lanes * a.lane_gbps)
        split_text = f", breakout to {far_ends}" if split else ""
        text = f"{medium.name}, {gbps}G {b.form_factor} to {a.form_factor}"
        return f"{medium.id}-{ends}-{gbps}g{split}-{length}m", f"{text}{split_text}, {length} m"
    single_lane_connector = next(
        (module.connector for end in (a, b) if (module := end.find_module_or_medium(medium)).splits_of), ""
    )
    return describe_fibre(medium, far_ends, lanes, length_m, single_lane_connector)


def describe_fibre(
    medium: CableProfile, far_ends: int, lanes: int, length_m: float, single_lane_connector: str = ""
) -> tuple[str, str]:
    """Return (part, description) of the generic fibre for `lanes` lanes: a set with a piece for each connector of the
    cage, since nobody sells two connectors of a cage as one cord; or a single assembly if the lanes do not divide
    evenly.

    `single_lane_connector` is the connector of far ends that take one lane of a wider module; with "" the far ends have
    the medium's connector.
    """
    pieces, legs = split_into_fibres(medium, far_ends, lanes) or (1, far_ends)
    near, length = medium.describe_connectors(lanes / pieces), format_number(length_m)
    far = f"{legs}x {single_lane_connector or medium.find_connector(lanes / pieces / legs)}" if legs > 1 else near
    crossed = f", {medium.polarity}" if medium.polarity else ""
    legs_suffix = f"-1x{legs}" if legs > 1 else ""
    connector_suffix = f"-{make_slug(single_lane_connector)}" if single_lane_connector else ""
    name = f"{medium.fibre}-{make_slug(near)}{legs_suffix}{connector_suffix}"
    text = f"Fibre {medium.fibre.upper()}, {near} to {far}{crossed}, {length} m"
    return format_set(f"fibre-{name}-{length}m", text, pieces)


# A cable between sites consists of a leased pair of dark fibre, and of a jumper to the optical distribution frame (ODF)
# of each site.

LEASED = "leased-pair-"
"""How the part of a leased pair begins; nobody keeps a spare one on the shelf."""


def list_span_parts(cluster: Cluster, lanes: Ints, make: Make) -> Iterator[tuple[Ints64, tuple[str, str]]]:
    """Yield (rows of the cables, (part, description)) for each medium of each span, which is a run of links between
    sites.

    `lanes` are the lanes of every cable, int32; `make` makes a jumper.
    """
    plan, blueprint = cluster.plan, cluster.design.loaded.blueprint
    if not any(segment.km for segment in plan.links.segments):
        return
    segment = plan.links.segment[plan.cables.end_link[plan.cables.find_first_rows()]]
    for index, span_segment in enumerate(plan.links.segments):
        for code, medium in enumerate(plan.cables.media) if span_segment.km else ():
            rows = np.flatnonzero((segment == index) & (plan.cables.medium == code))
            if not len(rows):
                continue
            name = str(span_segment.path[-1])
            spec = blueprint.fabrics[span_segment.fabric].spans[name]
            jumper = make(medium, "B", (1, int(lanes[rows[0]])), spec.odf_jumper_m)
            a, b = spec.between
            text = (
                f"Dark fibre, a leased pair, {medium.fibre.upper()}, {a} to {b}, "
                f"{format_number(span_segment.km)} km, ODF to ODF"
            )
            pairs = split_into_fibres(medium, 1, jumper.lanes)
            leased = format_set(f"{LEASED}{name}-{format_number(span_segment.km)}km", text, pairs[0] if pairs else 1)
            jumpers = jumper.part, jumper.text
            part, described = (
                JOINT.join((jumper_text, leased_text, jumper_text))
                for jumper_text, leased_text in zip(jumpers, leased, strict=True)
            )
            yield rows, (part, described)

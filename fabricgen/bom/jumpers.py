"""Jumpers: the parts of a patched cable other than its trunk."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from fabricgen.bom.sets import JOINT, format_set
from fabricgen.catalog.models import CableProfile
from fabricgen.catalog.patch_models import Polarity
from fabricgen.design.media.patching import PatchPolicy
from fabricgen.kernel.units import format_number
from fabricgen.wiring.arrays import Ints, Ints64, unique_combinations
from fabricgen.wiring.cabling.far_ends import are_common_ends_lower, count_link_lanes
from fabricgen.wiring.cabling.shelf import Shelf
from fabricgen.wiring.patching.tables import AT_COMMON_END, AT_FAR_END, IN_SHUFFLE, NOWHERE, Patching
from fabricgen.wiring.tables import CableTable, LinkTable


class Jumper(NamedTuple):
    """A jumper of a patched cable, a fibre between a device and a panel.

    It splits into `far_ends` ends (1: it is straight). `listed` says whether it is a product of a list; the part number
    of any other jumper is a generic one.
    """

    part: str
    text: str
    medium: CableProfile
    kind: Polarity
    far_ends: int
    lanes: int
    listed: bool


Jumpers = tuple[tuple[Jumper, ...], tuple[Jumper, ...]]
"""The jumpers at the a end and at the b end of a cable."""

Fibre = Callable[[CableProfile, int, int, float], tuple[str, str]]
"""(medium, far ends, lanes, length in m) -> (part, description) of a direct fibre."""

Make = Callable[[CableProfile, Polarity, tuple[int, int], float], Jumper]
"""(medium, polarity type, (far ends, lanes), length in m) -> jumper."""


class _Channel(NamedTuple):
    """One kind of patched channel, which is a cable from device to device through panels: all that its jumpers depend
    on.

    `common_is_a` says whether the a end is its common end, from which it leads to one or several far ends. `split` is
    where the channel splits: `AT_FAR_END`, `AT_COMMON_END`, `IN_SHUFFLE` or `NOWHERE`. `legs` are its cable end rows.
    `a_m` and `b_m` are the lengths of the jumpers, m.
    """

    medium: CableProfile
    policy: PatchPolicy
    common_is_a: bool
    far_ends: int
    legs: int
    split: int
    lanes: int
    leg_lanes: int
    a_m: float
    b_m: float

    def make_end_jumpers(self, make: Make) -> Jumpers:
        """Return (jumpers at the a end, jumpers at the b end) of a channel of this kind; `make` makes a
        single jumper.
        """
        common_m, far_m = (self.a_m, self.b_m) if self.common_is_a else (self.b_m, self.a_m)
        common_polarity, far_polarity = self.policy.jumpers if self.common_is_a else self.policy.jumpers[::-1]
        straight, leg, splitter = (1, self.lanes), (1, self.leg_lanes), (self.far_ends, self.lanes)
        # widths are (far ends, lanes) of a jumper, by where the channel splits
        common_widths, far_widths, common_count, far_count = {
            AT_FAR_END: (straight, splitter, 1, 1),
            AT_COMMON_END: (splitter, leg, 1, self.legs),
            NOWHERE: (leg, leg, self.legs, self.legs),
            IN_SHUFFLE: (straight, straight, 1, 1),
        }[self.split]
        at_common_end = (make(self.medium, common_polarity, common_widths, common_m),) * common_count
        at_far_end = (make(self.medium, far_polarity, far_widths, far_m),) * far_count
        return (at_common_end, at_far_end) if self.common_is_a else (at_far_end, at_common_end)


class PatchedChannels(NamedTuple):
    """The patched cables: their rows, ascending, and of each the kind of channel, an index into `kinds`.

    `kinds` has the jumpers of every kind of channel.
    """

    cable: Ints64
    kind: Ints64
    kinds: tuple[Jumpers, ...]

    @property
    def texts(self) -> list[tuple[str, str]]:
        """(part numbers, descriptions) of the jumpers of each kind of channel, joined by `JOINT`, a end first."""
        jumpers_by_kind = [(*a, *b) for a, b in self.kinds]
        return [(JOINT.join(j.part for j in kind), JOINT.join(j.text for j in kind)) for kind in jumpers_by_kind]


def make_channels(
    links: LinkTable, cables: CableTable, patching: Patching, widths: tuple[Ints, Ints], make: Make
) -> PatchedChannels:
    """Return the jumpers of every patched cable, computed once for each distinct kind of channel.

    `widths` are (number of far ends, number of lanes) of each cable, int32; `make` makes a jumper.
    """
    splits, lanes = widths
    rows = np.flatnonzero(patching.policy >= 0)
    legs = np.bincount(cables.end_cable, minlength=len(cables))
    leg_lanes = np.zeros(len(cables), dtype=np.int64)
    np.maximum.at(
        leg_lanes, cables.end_cable, count_link_lanes(links)[links.segment[cables.end_link]] * cables.end_links
    )
    columns: list[Any] = [cables.medium, patching.policy, splits, legs, patching.split, lanes, leg_lanes]
    # whole millimetres, so that lengths that differ by rounding alone are one kind
    lengths = [np.rint(column * 1000).astype(np.int64) for column in (patching.a_jumper_m, patching.b_jumper_m)]
    keys = (are_common_ends_lower(links, cables)[rows], *(column[rows] for column in (*columns, *lengths)))
    first_rows, kind = unique_combinations(*keys)
    jumpers = []
    kinds: Iterable[tuple[int, ...]] = zip(*(key[first_rows].tolist() for key in keys), strict=True)
    for common_is_a, medium, policy, far_ends, leg_count, split, lane_count, lanes_of_leg, a_mm, b_mm in kinds:
        # both in the order of the fields of `_Channel`
        settings = cables.media[medium], patching.policies[policy], bool(common_is_a)
        counts = far_ends, leg_count, split, lane_count, lanes_of_leg
        jumpers.append(_Channel(*settings, *counts, a_mm / 1000, b_mm / 1000).make_end_jumpers(make))
    return PatchedChannels(rows, kind, tuple(jumpers))


def make_jumper(
    shelf: Shelf | None,
    make_fibre: Fibre,
    medium: CableProfile,
    polarity: Polarity,
    ends_and_lanes: tuple[int, int],
    length_m: float,
) -> Jumper:
    """Return a jumper: a product of the lists, else a generic part. `ends_and_lanes` are (far ends, lanes).

    The name of a generic part has the polarity unless it is B, the type of direct fibres. A jumper to a panel always
    has the medium's standard connector, never that of a module with fewer lanes.
    """
    has_default_polarity = polarity == "B" or not medium.connector.startswith("MPO")
    sold = shelf.find_jumper(medium, *ends_and_lanes, length_m) if shelf and has_default_polarity else None
    if sold:
        product, pieces = sold
        part_and_text = format_set(
            product.part_number(length_m), f"{product.name}, {format_number(length_m)} m", pieces
        )
    else:
        part_and_text = make_fibre(medium.model_copy(update={"narrow": ()}), *ends_and_lanes, length_m)
    if not has_default_polarity:
        length = f"{format_number(length_m)}m"
        part_and_text = (
            f"{part_and_text[0].removesuffix(length)}type-{polarity.lower()}-{length}",
            part_and_text[1].replace("type B", f"type {polarity}"),
        )
    return Jumper(*part_and_text, medium, polarity, *ends_and_lanes, sold is not None)

"""Needs: what needs which part, as columns; bills, totals and traces are all sums of these, so they cannot disagree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np

from fabricgen.bom.cables import CableParts
from fabricgen.cluster import Cluster
from fabricgen.wiring.arrays import Ints, Ints64

KINDS = (
    *("node", "switch", "line-card", "laser-module", "transceiver", "cable", "trunk", "panel", "shuffle"),
    *("rack", "power-cord", "rack-pdu", "whip", "blanking-panel", "cable-manager", "rails", "console-server"),
)
"""Kinds of parts, in the order that a bill lists them."""


class OrderedPart(NamedTuple):
    """A part that is ordered: part number, description, kind (one of `KINDS`), and maximum power of one piece, W.

    The power is None where the catalogue has no figure.
    """

    part: str
    description: str
    kind: str
    power_w: float | None = None


@dataclass(frozen=True, eq=False)
class Needs:
    """Needs of parts, as int32 columns of one length; `part` indexes `parts`.

    Each row says how many pieces of the part (1 or more) a cable, a device or a rack needs. `cable`, `device` and
    `rack` are rows of the wiring plan's tables, -1 for none. A piece that plugs into a device for a cable, such as a
    transceiver, has a device, a cable and an `end`: the number of the cable's end there, counted over all a ends and
    then all b ends in the order of the plan's rows of cable ends.
    """

    parts: tuple[OrderedPart, ...]
    part: Ints
    quantity: Ints
    cable: Ints
    device: Ints
    rack: Ints
    end: Ints

    def __len__(self) -> int:
        return len(self.part)

    @cached_property
    def quantities(self) -> list[int]:
        """Total pieces of each part, in the order of `parts`."""
        return sum_pieces(self.part, self.quantity, len(self.parts))

    def select_part(self, part: int) -> Needs:
        """Return the needs of the part of index `part`; it becomes the only one of `parts`."""
        rows = np.flatnonzero(self.part == part)
        columns = (getattr(self, name)[rows] for name in COLUMNS)
        return Needs((self.parts[part],), np.zeros(len(rows), dtype=np.int32), *columns)


COLUMNS = ("quantity", "cable", "device", "rack", "end")
"""The columns other than the part."""


class NeedSource(Protocol):
    """The interface of a module in `bom.sources`; every module in that folder is used."""

    def needs(self, cluster: Cluster, cables: CableParts) -> Needs:
        """Return what a cluster needs of the source's parts.

        `cables` are the parts of the cluster's cables, which are computed once for all sources.
        """


def make_needs(
    parts: Sequence[OrderedPart],
    part: Ints,
    *,
    quantity: Ints | None = None,
    cable: Ints | None = None,
    device: Ints | None = None,
    rack: Ints | None = None,
    end: Ints | None = None,
) -> Needs:
    """Return needs from columns of one length, which are converted to int32.

    `part` has the index in `parts` of each need; the other columns are those of `Needs`. By default a need has one
    piece, and no cable, device, rack or end.
    """
    none = np.full(len(part), -1, dtype=np.int32)
    quantities = np.ones(len(part), dtype=np.int32) if quantity is None else quantity.astype(np.int32, copy=False)
    locations = (
        none if column is None else column.astype(np.int32, copy=False) for column in (cable, device, rack, end)
    )
    return Needs(tuple(parts), part.astype(np.int32, copy=False), quantities, *locations)


def make_part_needs(
    part: OrderedPart, pieces: Ints | Ints64 | int, *, device: Ints | None = None, rack: Ints | None = None
) -> Needs:
    """Return the needs of one part for some devices or for some racks: rows of the wiring plan, int32, of one length.

    `pieces` is how many each of them needs, or a column with a number for each of them.
    """
    count = len(next(rows for rows in (device, rack) if rows is not None))
    quantity: Ints = np.broadcast_to(pieces, count)
    return make_needs([part], np.zeros(count, dtype=np.int32), quantity=quantity, device=device, rack=rack)


def join_needs(sources: Sequence[Needs]) -> Needs:
    """Return several needs as one. Parts of one number are merged and have the description of the first of them."""
    parts: dict[str, OrderedPart] = {}
    for needs in sources:
        for part in needs.parts:
            parts.setdefault(part.part, part)
    if len(sources) == 1 and len(parts) == len(sources[0].parts):
        return sources[0]
    # each need has the index of its part among the parts of all sources
    index = {name: i for i, name in enumerate(parts)}
    codes = [np.array([index[p.part] for p in n.parts], dtype=np.int32)[n.part] for n in sources if len(n)]
    columns = (
        np.concatenate([getattr(n, name) for n in sources if len(n)] or [np.empty(0, dtype=np.int32)])
        for name in COLUMNS
    )
    return Needs(tuple(parts.values()), np.concatenate(codes or [np.empty(0, dtype=np.int32)]), *columns)


def count_installed(sources: Sequence[Needs]) -> dict[OrderedPart, int]:
    """Return the total pieces of each part over several needs, by part; parts and order are those of `join_needs`."""
    parts: dict[str, OrderedPart] = {}
    counts: Counter[str] = Counter()
    for needs in sources:
        for part, count in zip(needs.parts, needs.quantities, strict=True):
            parts.setdefault(part.part, part)
            counts[part.part] += count
    return {part: counts[name] for name, part in parts.items()}


def sum_pieces(group: Ints | Ints64, quantity: Ints, groups: int) -> list[int]:
    """Return the sum of `quantity` for each of `groups` groups; `group` has the group of each entry.

    Sums are exact, since they stay far below 2**53.
    """
    sums: list[int] = np.bincount(group, weights=quantity, minlength=groups).astype(np.int64).tolist()
    return sums

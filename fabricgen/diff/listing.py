"""Lists of one side as text columns, and matching of rows between sides; by numpy, without a Python object for each
row.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from fabricgen.diff.texts import Flags, Texts, known_in, places_in
from fabricgen.numbering.lazy_columns import Strings

if TYPE_CHECKING:
    import numpy.typing as npt

Column: TypeAlias = "Strings | Texts"
"""The text of every row; indexing gives a text or an object array of texts."""

Rows: TypeAlias = "npt.NDArray[np.int64]"

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "devices": (
        *("device", "fabric", "tier", "model", "nos", "site", "pod", "su", "rack", "u", "rail", "plane"),
        *("asn", "loopback", "mgmt"),
    ),
    "links": ("fabric", "cable", "a_device", "a_port", "a_ip", "b_device", "b_port", "b_ip", "speed_gbps"),
    "cables": (
        *("cable", "fabric", "part", "medium", "length_m", "a_device", "a_cage", "a_transceiver"),
        *("b_device", "b_cage", "b_transceiver", "label_a", "label_b"),
    ),
    "addresses": ("prefix", "kind", "device", "port"),
    "patches": (*("cable", "end", "device", "socket", "rack", "u", "panel", "port", "trunk", "connector", "fibres"),),
    "bom": ("part", "description", "kind", "quantity", "spares", "unit_price", "power_w"),
}
"""The columns that are read of each list; further columns are ignored."""

NUMBERS = frozenset({"u", "asn", "length_m", "speed_gbps", "quantity", "spares", "unit_price", "power_w"})
"""Columns of numbers, normalized to the spelling that a build writes."""


@dataclass(frozen=True, slots=True)
class Listing:
    """Columns of equal length; cells are text, "" where a row has no value."""

    columns: Mapping[str, Column]

    @classmethod
    def of(cls, columns: Mapping[str, Sequence[Any]]) -> Listing:
        """A listing from plain sequences."""
        return cls({name: column_of(values) for name, values in columns.items()})

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def __getitem__(self, name: str) -> Column:
        return self.columns[name]

    def row(self, number: int) -> dict[str, Any]:
        """One row, as column -> cell."""
        return {name: column[number] for name, column in self.columns.items()}

    def rows(self, numbers: Rows) -> Iterator[dict[str, Any]]:
        """Some rows, as column -> cell, in the given order."""
        picked = [column[numbers].tolist() for column in self.columns.values()]
        return (dict(zip(self.columns, row, strict=True)) for row in zip(*picked, strict=True))

    def picked(self, numbers: Rows) -> Listing:
        """A listing of some rows only."""
        return Listing({name: column[numbers] for name, column in self.columns.items()})


@dataclass(frozen=True)
class Lists:
    """The lists of one side. `addresses` and `bom` are None where a folder lacks them, `patches` where nothing is
    patched.

    `in_devices_w` is the power of optics that the maxima of their devices have in them, W, so that the lines of the
    bill name it twice; None where a folder does not say.
    """

    devices: Listing
    links: Listing
    cables: Listing
    addresses: Listing | None = None
    bom: Listing | None = None
    patches: Listing | None = None
    in_devices_w: float | None = None


def column_of(values: Sequence[Any]) -> Strings:
    """An object array, also for sequences of tuples."""
    found = np.empty(len(values), dtype=object)
    found[:] = values if isinstance(values, np.ndarray) else list(values)
    return found


def place_of(names: Sequence[Any]) -> dict[Any, int]:
    """Value -> its row; for repeated values the last row."""
    return {name: i for i, name in enumerate(names)}


def among(wanted: Collection[str], values: Column) -> Flags:
    """Which values are in `wanted`; bool."""
    known = frozenset(wanted)
    if not known:
        return np.zeros(len(values), dtype=bool)
    return values.among(known) if isinstance(values, Texts) else known_in(known, values)


def lookup(rows: Mapping[Any, int], values: Column) -> Rows:
    """The row of each value, -1 where there is none; int64."""
    return values.places(rows) if isinstance(values, Texts) else places_in(rows, values)


def coded(*pairs: tuple[Strings, Strings]) -> tuple[Rows, Rows]:
    """(old, new): int64 codes for the rows of two sides, from pairs of columns; rows with equal cells
    have equal codes.
    """
    size, length = 1, len(pairs[0][0])
    codes = np.zeros(length + len(pairs[0][1]), dtype=np.int64)
    for was, now in pairs:
        values = was.tolist() + now.tolist()
        number = {value: i for i, value in enumerate(dict.fromkeys(values))}
        if size * len(number) >= _MOST:
            _, codes = np.unique(codes, return_inverse=True)
            size = len(codes)
        codes = codes * len(number) + np.fromiter(map(number.__getitem__, values), dtype=np.int64, count=len(values))
        size *= max(1, len(number))
    return codes[:length], codes[length:]


_MOST = 2**62


def matched(old: Rows, new: Rows) -> tuple[Rows, Rows, Rows, Rows]:
    """(rows only in old, rows only in new, common rows: in old, in new) by codes; of equal codes the n-th with the
    n-th.
    """
    order = np.argsort(new, kind="stable")
    ordered = new[order]
    if _repeats(ordered) or _repeats(np.sort(old)):
        _, codes = np.unique(np.concatenate([old, new]), return_inverse=True)
        old, new = codes[: len(old)], codes[len(old) :]
        old, new = _rank(old) * len(codes) + old, _rank(new) * len(codes) + new
        order = np.argsort(new, kind="stable")
        ordered = new[order]
    place = np.searchsorted(ordered, old)
    found = np.full(len(old), -1, dtype=np.int64)
    inside = np.flatnonzero(place < len(new))
    candidates = order[place[inside]]
    found[inside] = np.where(new[candidates] == old[inside], candidates, -1)
    only_new = np.ones(len(new), dtype=bool)
    only_new[found[found >= 0]] = False
    return np.flatnonzero(found < 0), np.flatnonzero(only_new), np.flatnonzero(found >= 0), found[found >= 0]


def _repeats(ordered: Rows) -> bool:
    return bool((ordered[1:] == ordered[:-1]).any())


def _rank(numbers: Rows) -> Rows:
    """The position of each row among the rows with the same code."""
    order = np.argsort(numbers, kind="stable")
    ordered = numbers[order]
    rank = np.empty(len(numbers), dtype=np.int64)
    rank[order] = np.arange(len(numbers)) - np.searchsorted(ordered, ordered)
    return rank

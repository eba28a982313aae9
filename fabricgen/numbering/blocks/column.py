"""Columns of addresses: an int64 array for IPv4, two uint64 arrays for IPv6 (numpy has no integers of 128 bits)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import numpy as np

from fabricgen.kernel.intervals import Intervals
from fabricgen.numbering.blocks.family import V4, V6, Family, find_family
from fabricgen.numbering.lazy_columns import (
    ComputedColumn,
    ConcatenatedColumn,
    EncodedColumn,
    LazyColumn,
    Strings,
    object_array,
)
from fabricgen.wiring.arrays import Flags, Ints64, unique_below

if TYPE_CHECKING:
    import numpy.typing as npt

HALF = 64
"""Bits of each of the two words of an IPv6 address."""

_LOW = (1 << HALF) - 1
_NO_HALF = 1 << 16
"""Stands for both halves of a missing IPv4 address."""
_HALVES = _NO_HALF + 1
_Words: TypeAlias = "npt.NDArray[np.uint64]"


class AddressColumn(ABC):
    """Addresses of one family, one a row; 0 for none."""

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def __getitem__(self, rows: Any) -> Self:
        """The addresses of some rows: a slice, a mask or an array of indexes."""

    @abstractmethod
    def __setitem__(self, rows: Any, addresses: Self) -> None: ...

    @abstractmethod
    def at(self, row: int) -> int:
        """The address of one row."""

    @property
    @abstractmethod
    def present(self) -> Flags:
        """Where there is an address; bool."""

    @abstractmethod
    def same(self, other: Self) -> Flags:
        """Where the addresses of two columns are equal; bool."""

    @abstractmethod
    def equals(self, address: int) -> Flags:
        """Where the address equals a given one; bool."""

    @abstractmethod
    def within(self, address: int, lengths: Ints64) -> Flags:
        """Where the address lies in the prefix of `address` with the length of the row (1 or more); bool."""

    def copy(self) -> Self:
        """A copy that can be written to."""
        return self[np.arange(len(self))]

    @abstractmethod
    def plus(self, count: Ints64 | int, size: int = 1) -> Self:
        """Each address plus `count` times `size`; `size` is a power of two."""

    @abstractmethod
    def followed_by(self, other: Self) -> Self:
        """The rows of both columns, one after the other."""

    @abstractmethod
    def cells(self, lengths: Ints64 | None = None) -> LazyColumn:
        """The addresses as text, with prefix lengths if `lengths` (one a row) are given; "" for none."""

    def texts(self) -> list[str]:
        """The addresses as text; "" for none."""
        return list(self.cells())

    def prefixes(self, lengths: Ints64) -> list[str]:
        """The addresses as text with their prefix lengths; "" for none."""
        return list(self.cells(lengths))


@dataclass(frozen=True, slots=True, eq=False)
class IPv4Column(AddressColumn):
    """IPv4 addresses as int64."""

    values: Ints64

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, rows: Any) -> IPv4Column:
        return IPv4Column(self.values[rows])

    def __setitem__(self, rows: Any, addresses: IPv4Column) -> None:
        self.values[rows] = addresses.values

    def at(self, row: int) -> int:
        """The address of one row."""
        return int(self.values[row])

    @property
    def present(self) -> Flags:
        """Where there is an address."""
        flags: Flags = self.values != 0
        return flags

    def same(self, other: IPv4Column) -> Flags:
        """Where the addresses of two columns are equal; bool."""
        flags: Flags = self.values == other.values
        return flags

    def equals(self, address: int) -> Flags:
        """Where it is an address."""
        flags: Flags = self.values == address
        return flags

    def within(self, address: int, lengths: Ints64) -> Flags:
        """Where the address lies in the prefix of `address` with the length of the row; bool."""
        # two addresses are in one prefix if no bit of it differs
        flags: Flags = ((self.values ^ address) >> (32 - lengths) == 0) & self.present
        return flags

    def plus(self, count: Ints64 | int, size: int = 1) -> IPv4Column:
        """Each address plus `count` times `size`."""
        return IPv4Column(self.values + count * size)

    def followed_by(self, other: IPv4Column) -> IPv4Column:
        """The rows of both."""
        return IPv4Column(np.concatenate([self.values, other.values]))

    def cells(self, lengths: Ints64 | None = None) -> ConcatenatedColumn:
        """Addresses in dotted form, as two encoded columns: most addresses share their upper or lower 16 bits."""
        none = ~self.present
        # a row without an address has a half that no address has, whose text is ""
        halves, head = unique_below(np.where(none, _NO_HALF, self.values >> 16), _HALVES)
        heads = _format_halves(halves) + np.where(halves < _NO_HALF, object_array("."), "")
        low, endings = np.where(none, _NO_HALF, self.values & 0xFFFF), object_array([""])
        if lengths is not None:
            distinct_lengths, number = unique_below(lengths, V4.bits + 1)
            low += number * np.int64(_HALVES)  # one code for the lower half and the length together
            endings = object_array([f"/{length}" for length in distinct_lengths.tolist()])
        distinct_lows, tail = unique_below(low, len(endings) * _HALVES)
        halves = distinct_lows % _HALVES
        tails = _format_halves(halves) + np.where(halves < _NO_HALF, endings[distinct_lows // _HALVES], "")
        return ConcatenatedColumn((EncodedColumn(heads, head), EncodedColumn(tails, tail)))


def _format_halves(half: Ints64) -> Strings:
    """The dotted text of halves of 16 bits; "" for `_NO_HALF`."""
    numbers = object_array([*map(str, range(256)), ""])
    texts: Strings = numbers[half >> 8] + ("." + numbers)[half & 255]
    texts[half == _NO_HALF] = ""
    return texts


@dataclass(frozen=True, slots=True, eq=False)
class IPv6Column(AddressColumn):
    """IPv6 addresses as (high, low) uint64 arrays of one length."""

    high: _Words
    low: _Words

    def __len__(self) -> int:
        return len(self.low)

    def __getitem__(self, rows: Any) -> IPv6Column:
        return IPv6Column(self.high[rows], self.low[rows])

    def __setitem__(self, rows: Any, addresses: IPv6Column) -> None:
        self.high[rows], self.low[rows] = addresses.high, addresses.low

    def at(self, row: int) -> int:
        """The address of one row."""
        return int(self.high[row]) << HALF | int(self.low[row])

    @property
    def present(self) -> Flags:
        """Where there is an address."""
        flags: Flags = (self.high | self.low) != 0
        return flags

    def same(self, other: IPv6Column) -> Flags:
        """Where the addresses of two columns are equal; bool."""
        flags: Flags = (self.high == other.high) & (self.low == other.low)
        return flags

    def equals(self, address: int) -> Flags:
        """Where it is an address."""
        flags: Flags = (self.high == np.uint64(address >> HALF)) & (self.low == np.uint64(address & _LOW))
        return flags

    def within(self, address: int, lengths: Ints64) -> Flags:
        """Where the address lies in the prefix of `address` with the length of the row; bool."""
        # shifts by 64 bits and more are undefined, and are clipped; `flags` leaves out the lower word where none of it
        # is in the prefix
        last = HALF - 1
        upper = (self.high ^ np.uint64(address >> HALF)) >> np.clip(HALF - lengths, 0, last).astype(np.uint64)
        lower = (self.low ^ np.uint64(address & _LOW)) >> np.clip(2 * HALF - lengths, 0, last).astype(np.uint64)
        flags: Flags = (upper == 0) & ((lengths <= HALF) | (lower == 0)) & self.present
        return flags

    def plus(self, count: Ints64 | int, size: int = 1) -> IPv6Column:
        """Each address plus `count` times `size`, a power of two; a `size` of 2^64 or more counts in the high word."""
        steps = np.asarray(count).astype(np.uint64)
        if size > _LOW:
            return IPv6Column(self.high + steps * np.uint64(size >> HALF), self.low + np.zeros_like(steps))
        shift = np.uint64(size.bit_length() - 1)
        low = self.low + (steps << shift)
        carried = (low < self.low).astype(np.uint64)  # unsigned sums wrap: less than a summand is beyond 2^64
        # a shift by 64 is undefined, so none is made where nothing is shifted out of the low word
        past = steps >> (np.uint64(HALF) - shift) if shift else np.zeros_like(steps)
        return IPv6Column(self.high + past + carried, low)

    def followed_by(self, other: IPv6Column) -> IPv6Column:
        """The rows of both."""
        return IPv6Column(np.concatenate([self.high, other.high]), np.concatenate([self.low, other.low]))

    def cells(self, lengths: Ints64 | None = None) -> ComputedColumn:
        """Addresses in the text form of RFC 5952."""
        return ComputedColumn(len(self), partial(self._format_rows, lengths))

    def _format_rows(self, lengths: Ints64 | None, start: int, stop: int) -> list[str]:
        """The addresses of rows `start` to `stop` - 1 as text, with their prefix lengths if these are given."""
        from socket import AF_INET6, inet_ntop

        words = np.empty((len(range(len(self))[start:stop]), 2), dtype=">u8")
        words[:, 0], words[:, 1] = self.high[start:stop], self.low[start:stop]
        raw, none = words.tobytes(), bytes(16)
        cut = (raw[i : i + 16] for i in range(0, len(raw), 16))
        ends = [""] * len(words) if lengths is None else [f"/{n}" for n in lengths[start:stop].tolist()]
        return [
            "" if address == none else inet_ntop(AF_INET6, address) + end
            for address, end in zip(cut, ends, strict=True)
        ]


def no_addresses(family: Family, count: int) -> AddressColumn:
    """A column of `count` rows without addresses."""
    if family.bits == V6.bits:
        return IPv6Column(np.zeros(count, dtype=np.uint64), np.zeros(count, dtype=np.uint64))
    return IPv4Column(np.zeros(count, dtype=np.int64))


def make_column(family: Family, addresses: Sequence[int]) -> AddressColumn:
    """A column of addresses given as integers."""
    if family is not V6:
        return IPv4Column(np.array(addresses, dtype=np.int64))
    high = np.fromiter((a >> HALF for a in addresses), dtype=np.uint64, count=len(addresses))
    return IPv6Column(high, np.fromiter((a & _LOW for a in addresses), dtype=np.uint64, count=len(addresses)))


def pick_addresses(kind: str, intervals: Intervals, index: Ints64, size: int) -> AddressColumn:
    """The addresses at each `index` (int64), counted in steps of `size` over some intervals, one after the other.

    `kind` is the family as the lock names it; intervals are aligned to `size`.
    """
    family = find_family(kind)
    addresses = no_addresses(family, len(index))
    start = 0
    for interval in intervals:
        end = start + interval.size // size
        rows = (index >= start) & (index < end)
        addresses[rows] = make_column(family, [interval.first]).plus(index[rows] - start, size)
        start = end
    return addresses


def format_ipv4(address: int) -> str:
    """An IPv4 address given as an integer, in dotted form."""
    return f"{address >> 24}.{address >> 16 & 255}.{address >> 8 & 255}.{address & 255}"


def format_address(family: Family, address: int) -> str:
    """An address given as an integer, as text."""
    if family.bits != V6.bits:
        return format_ipv4(address)
    from socket import AF_INET6, inet_ntop

    return inet_ntop(AF_INET6, address.to_bytes(16, "big"))


def merge_families(families: Sequence[LazyColumn]) -> LazyColumn:
    """In each row the first text that is not empty, of columns of one family each."""
    if len(families) == 1:
        return families[0]

    def read_rows(start: int, stop: int) -> list[str]:
        return [
            next(filter(None, row), "") for row in zip(*(cells.read(start, stop) for cells in families), strict=True)
        ]

    return ComputedColumn(len(families[0]), read_rows)

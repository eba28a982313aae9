"""Columns of addresses: an int64 array for IPv4, two uint64 arrays for IPv6 (numpy has no integers of 128 bits)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Self, TypeAlias, cast

import numpy as np

from fabricgen.kernel.intervals import Intervals
from fabricgen.numbering.blocks.family import V6, Family, find_family
from fabricgen.numbering.lazy_columns import (
    ConcatenatedColumn,
    EncodedColumn,
    Strings,
    make_object_array,
)
from fabricgen.wiring.arrays import Flags, Ints64, unique_below, unique_combinations

if TYPE_CHECKING:
    import numpy.typing as npt

HALF = 64
"""Bits of each of the two words of an IPv6 address."""

_LOW = (1 << HALF) - 1
_NO_HALF = 1 << 16
"""The value that stands for either half of a missing IPv4 address."""
_HALVES = _NO_HALF + 1
_Words: TypeAlias = "npt.NDArray[np.uint64]"
Encoded: TypeAlias = tuple[EncodedColumn, EncodedColumn]


class AddressColumn(ABC):
    """Addresses of one family, one a row; 0 for none."""

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def __getitem__(self, rows: Any) -> Self:
        """Return the addresses of some rows: a slice, a mask or an array of indexes."""

    @abstractmethod
    def __setitem__(self, rows: Any, addresses: Self) -> None:
        """Write addresses into some rows, as many as these or a single one for all."""

    @abstractmethod
    def at(self, row: int) -> int:
        """Return the address of one row, as an integer."""

    @property
    @abstractmethod
    def present(self) -> Flags:
        """Whether there is an address in each row; bool."""

    @abstractmethod
    def number(self) -> Ints64:
        """Return a number for each row, int64; rows have equal numbers if they have equal addresses."""

    @abstractmethod
    def same(self, other: Self) -> Flags:
        """Return whether the addresses of two columns are equal in each row; bool."""

    @abstractmethod
    def equals(self, address: int) -> Flags:
        """Return whether the address of each row equals a given one; bool."""

    @abstractmethod
    def within(self, address: int, lengths: Ints64) -> Flags:
        """Return whether the address of each row lies in the prefix of `address` with the length (1 or more) of the
        row; bool.
        """

    def copy(self) -> Self:
        """Return a copy that can be written to."""
        return self[np.arange(len(self))]

    @abstractmethod
    def plus(self, count: Ints64 | int, size: int = 1) -> Self:
        """Return each address plus `count` times `size`, a power of two."""

    @abstractmethod
    def followed_by(self, other: Self) -> Self:
        """Return a column of the rows of this one, then those of the other."""

    @abstractmethod
    def encode(self, lengths: Ints64 | None = None) -> Encoded:
        """Return the addresses as two columns of text to be joined, with prefix lengths if `lengths` (one a row) are
        given; "" for none.

        Most addresses share all but their lower 16 bits, so that both columns have few distinct texts.
        """

    def cells(self, lengths: Ints64 | None = None) -> ConcatenatedColumn:
        """Return the addresses as text, with prefix lengths if `lengths` (one a row) are given; "" for none."""
        return ConcatenatedColumn(self.encode(lengths))

    def texts(self) -> list[str]:
        """Return the addresses as text; "" for none."""
        return list(self.cells())

    def prefixes(self, lengths: Ints64) -> list[str]:
        """Return the addresses as text with their prefix lengths; "" for none."""
        return list(self.cells(lengths))


class IPv4Column(AddressColumn):
    """IPv4 addresses as int64."""

    def __init__(self, values: Ints64) -> None:
        self.values = values

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, rows: Any) -> IPv4Column:
        return IPv4Column(self.values[rows])

    def __setitem__(self, rows: Any, addresses: IPv4Column) -> None:
        self.values[rows] = addresses.values

    def at(self, row: int) -> int:
        """Return the address of one row, as an integer."""
        return int(self.values[row])

    @property
    def present(self) -> Flags:
        """Whether there is an address in each row; bool."""
        # 0.0.0.0 is no address of a device, and stands for none
        return cast("Flags", self.values != 0)

    def number(self) -> Ints64:
        """Return the addresses themselves, which are int64."""
        return self.values

    def same(self, other: IPv4Column) -> Flags:
        """Return whether the addresses of two columns are equal in each row; bool."""
        return cast("Flags", self.values == other.values)

    def equals(self, address: int) -> Flags:
        """Return whether the address of each row equals a given one; bool."""
        return cast("Flags", self.values == address)

    def within(self, address: int, lengths: Ints64) -> Flags:
        """Return whether each address lies in the prefix of `address` with the length of the row; bool."""
        # two addresses are in one prefix if no bit of it differs
        return cast("Flags", ((self.values ^ address) >> (32 - lengths) == 0) & self.present)

    def plus(self, count: Ints64 | int, size: int = 1) -> IPv4Column:
        """Return each address plus `count` times `size`."""
        return IPv4Column(self.values + count * size)

    def followed_by(self, other: IPv4Column) -> IPv4Column:
        """Return a column of the rows of this one, then those of the other."""
        return IPv4Column(np.concatenate([self.values, other.values]))

    def encode(self, lengths: Ints64 | None = None) -> Encoded:
        """Return the addresses in dotted form; see `AddressColumn.encode`."""
        none = ~self.present
        # a row without an address has a half that no address has, whose text is ""
        halves, head = unique_below(np.where(none, _NO_HALF, self.values >> 16), _HALVES)
        heads = _format_halves(halves) + np.where(halves < _NO_HALF, make_object_array("."), "")
        tails = _encode_tails(np.where(none, _NO_HALF, self.values & 0xFFFF), lengths, _format_halves)
        return EncodedColumn(heads, head), tails


def _encode_tails(low: Ints64, lengths: Ints64 | None, write: Callable[[Ints64], Strings]) -> EncodedColumn:
    """Return the lower 16 bits of addresses as `write` writes them, with prefix lengths if given; `_NO_HALF` stands
    for no address.
    """
    if lengths is None:
        distinct_lows, tail = unique_below(low, _HALVES)
        return EncodedColumn(write(distinct_lows), tail)
    distinct_lengths, number = unique_below(lengths, V6.bits + 1)
    # one code for the lower half and the length together
    codes, tail = unique_below(low + number * _HALVES, len(distinct_lengths) * _HALVES)
    halves, endings = codes % _HALVES, make_object_array([f"/{length}" for length in distinct_lengths.tolist()])
    return EncodedColumn(write(halves) + np.where(halves < _NO_HALF, endings[codes // _HALVES], ""), tail)


def _format_halves(half: Ints64) -> Strings:
    """Return the dotted text of halves of 16 bits; "" for `_NO_HALF`."""
    numbers = make_object_array([*map(str, range(256)), ""])
    texts: Strings = numbers[half >> 8] + ("." + numbers)[half & 255]
    texts[half == _NO_HALF] = ""
    return texts


class IPv6Column(AddressColumn):
    """IPv6 addresses as (high, low) uint64 arrays of one length."""

    def __init__(self, high: _Words, low: _Words) -> None:
        self.high, self.low = high, low

    def __len__(self) -> int:
        return len(self.low)

    def __getitem__(self, rows: Any) -> IPv6Column:
        return IPv6Column(self.high[rows], self.low[rows])

    def __setitem__(self, rows: Any, addresses: IPv6Column) -> None:
        self.high[rows], self.low[rows] = addresses.high, addresses.low

    def at(self, row: int) -> int:
        """Return the address of one row, as an integer."""
        return int(self.high[row]) << HALF | int(self.low[row])

    @property
    def present(self) -> Flags:
        """Whether there is an address in each row; bool."""
        return cast("Flags", (self.high | self.low) != 0)

    def number(self) -> Ints64:
        """Return the number, from 0, of each address among the distinct ones; int64."""
        # seen as int64, which is what the sort takes; equal bits stay equal
        return unique_combinations(self.high.view(np.int64), self.low.view(np.int64))[1]

    def same(self, other: IPv6Column) -> Flags:
        """Return whether the addresses of two columns are equal in each row; bool."""
        return cast("Flags", (self.high == other.high) & (self.low == other.low))

    def equals(self, address: int) -> Flags:
        """Return whether the address of each row equals a given one; bool."""
        return cast("Flags", (self.high == np.uint64(address >> HALF)) & (self.low == np.uint64(address & _LOW)))

    def within(self, address: int, lengths: Ints64) -> Flags:
        """Return whether each address lies in the prefix of `address` with the length of the row; bool."""
        # shifts by 64 bits and more are undefined, and are clipped; the lower word is not asked where none of it is in
        # the prefix
        last = HALF - 1
        upper = (self.high ^ np.uint64(address >> HALF)) >> np.clip(HALF - lengths, 0, last).astype(np.uint64)
        lower = (self.low ^ np.uint64(address & _LOW)) >> np.clip(2 * HALF - lengths, 0, last).astype(np.uint64)
        return cast("Flags", (upper == 0) & ((lengths <= HALF) | (lower == 0)) & self.present)

    def plus(self, count: Ints64 | int, size: int = 1) -> IPv6Column:
        """Return each address plus `count` times `size`, a power of two; a `size` of 2^64 or more counts in the high
        word.
        """
        steps = np.asarray(count).astype(np.uint64)
        # the step has no bits in the low word
        if size > _LOW:
            return IPv6Column(self.high + steps * np.uint64(size >> HALF), self.low + np.zeros_like(steps))
        shift = np.uint64(size.bit_length() - 1)
        low = self.low + (steps << shift)
        carried = (low < self.low).astype(np.uint64)  # unsigned sums wrap: less than a summand is beyond 2^64
        # a shift by 64 is undefined, so none is made where nothing is shifted out of the low word
        shifted_out = steps >> (np.uint64(HALF) - shift) if shift else np.zeros_like(steps)
        return IPv6Column(self.high + shifted_out + carried, low)

    def followed_by(self, other: IPv6Column) -> IPv6Column:
        """Return a column of the rows of this one, then those of the other."""
        return IPv6Column(np.concatenate([self.high, other.high]), np.concatenate([self.low, other.low]))

    def encode(self, lengths: Ints64 | None = None) -> Encoded:
        """Return the addresses in the text form of RFC 5952; see `AddressColumn.encode`."""
        # What is before the last hextet is formatted once for all addresses that share it: with 1 as the last hextet,
        # which is cut off again, and the real one is put behind: 2001:db8::1 -> `2001:db8::` + `2a`. A last hextet of
        # 0 may be part of `::`, and addresses of a low word alone may end like IPv4 (::1.2.3.4): both are taken whole.
        is_whole = (self.low & _LAST == 0) | (self.high == 0)
        low_with_mark = np.where(is_whole, self.low, self.low & ~_LAST | np.uint64(1))
        samples, head_of_row = unique_combinations(self.high.view(np.int64), low_with_mark.view(np.int64))
        texts = zip(_format_ipv6(self.high[samples], low_with_mark[samples]), is_whole[samples].tolist(), strict=True)
        heads = make_object_array([text if whole else text[:-1] for text, whole in texts])
        last_hextet = np.where(is_whole, np.uint64(0), self.low & _LAST).astype(np.int64)
        last_hextet[~self.present] = _NO_HALF
        return EncodedColumn(heads, head_of_row), _encode_tails(last_hextet, lengths, _format_hextets)


_LAST = np.uint64(0xFFFF)


def _format_ipv6(high: _Words, low: _Words) -> list[str]:
    """Return addresses, given as two words each, as text; "" for none."""
    from socket import AF_INET6, inet_ntop

    raw = np.stack([high, low], axis=1).astype(">u8").tobytes()
    return [inet_ntop(AF_INET6, raw[i : i + 16]) if any(raw[i : i + 16]) else "" for i in range(0, len(raw), 16)]


def _format_hextets(last_hextet: Ints64) -> Strings:
    """Return the last 16 bits in hexadecimal digits; "" for 0, which the text before them has, and for `_NO_HALF`."""
    return make_object_array([f"{number:x}" if 0 < number < _NO_HALF else "" for number in last_hextet.tolist()])


def no_addresses(family: Family, count: int) -> AddressColumn:
    """Return a column of `count` rows without addresses."""
    if family.bits == V6.bits:
        return IPv6Column(np.zeros(count, dtype=np.uint64), np.zeros(count, dtype=np.uint64))
    return IPv4Column(np.zeros(count, dtype=np.int64))


def make_column(family: Family, addresses: Sequence[int]) -> AddressColumn:
    """Return a column of addresses given as integers."""
    if family is not V6:
        return IPv4Column(np.array(addresses, dtype=np.int64))
    high = np.fromiter((a >> HALF for a in addresses), dtype=np.uint64, count=len(addresses))
    return IPv6Column(high, np.fromiter((a & _LOW for a in addresses), dtype=np.uint64, count=len(addresses)))


def pick_addresses(kind: str, intervals: Intervals, index: Ints64, size: int) -> AddressColumn:
    """Return the addresses at each `index` (int64), counted in steps of `size` through some intervals, one after the
    other.

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
    """Return an IPv4 address, given as an integer, in dotted form."""
    return f"{address >> 24}.{address >> 16 & 255}.{address >> 8 & 255}.{address & 255}"


def format_address(family: Family, address: int) -> str:
    """Return an address, given as an integer, as text."""
    if family.bits != V6.bits:
        return format_ipv4(address)
    from socket import AF_INET6, inet_ntop

    return inet_ntop(AF_INET6, address.to_bytes(16, "big"))


def merge_families(families: Sequence[AddressColumn], lengths: Sequence[Ints64] = ()) -> ConcatenatedColumn:
    """Return a column with each row's text of the first family that has an address there, with prefix length if
    lengths are given.
    """
    head, tail = families[0].encode(*lengths[:1])
    missing = ~families[0].present
    for i, column in enumerate(families[1:], 1):
        other_head, other_tail = column.encode(*lengths[i : i + 1])
        head, tail = _fill_in(missing, head, other_head), _fill_in(missing, tail, other_tail)
        missing &= ~column.present
    return ConcatenatedColumn((head, tail))


def _fill_in(missing: Flags, column: EncodedColumn, other: EncodedColumn) -> EncodedColumn:
    """Return a column whose missing rows have the texts of another column."""
    codes = np.where(missing, other.codes + len(column.vocabulary), column.codes)
    return EncodedColumn(np.concatenate([column.vocabulary, other.vocabulary]), codes)

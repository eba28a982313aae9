"""The block allocator: each name has the block that the lock keeps for it, else the next free numbers of a pool."""

from bisect import bisect_right
from collections.abc import Callable, Container, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeVar

import numpy as np

from fabricgen.blueprint.beside.adopted import ADOPTED, list_taken_numbers
from fabricgen.blueprint.beside.lock import CODE, Lock, show_interval
from fabricgen.kernel.diagnostics import InputError, fault
from fabricgen.kernel.intervals import (
    AllocationRequest,
    Allocations,
    Interval,
    Intervals,
    NoRoomError,
    allocate_intervals,
    count_numbers,
    make_intervals,
)
from fabricgen.kernel.units import round_up_to_power_of_two
from fabricgen.numbering.blocks import column
from fabricgen.numbering.blocks.column import AddressColumn
from fabricgen.numbering.blocks.pools import Need, NumberPool
from fabricgen.wiring.arrays import Ints, Ints64, unique_values


@dataclass(frozen=True, slots=True, eq=False)
class Slots:
    """The slot `number` of each device of a tier, int64 from 0, and the `count` of all slots, reserved ones included.

    `layer` (int64, usually 0) is above 0 for devices that have outgrown the numbers first reserved: each layer has
    blocks of its own. `name` is that of the tier and its shape in the lock.
    """

    name: str
    number: Ints64
    count: int
    layer: Ints64


class DeviceBlocks(NamedTuple):
    """One block of `size` addresses, a power of two, for each device, and further ones if devices outgrew the first.

    Each column of `first` has one row a device: the first address of its first block, of its second block, and so on.
    """

    size: int
    first: tuple[AddressColumn, ...]

    def find_addresses_at(self, device: Ints, index: Ints64) -> AddressColumn:
        """Return, for each row, the address at `index` in the blocks of `device`, counted through one block after
        the other.
        """
        # nearly always: no device has outgrown its block
        if len(self.first) == 1:
            return self.first[0][device].plus(index)
        addresses = self.first[0][device]
        for number, first in enumerate(self.first):
            rows = index // self.size == number
            addresses[rows] = first[device[rows]].plus(index[rows] % self.size)
        return addresses


class BlockAllocator:
    """Allocates blocks of numbers from pools, and records them so that they can be written to the lock."""

    def __init__(self, lock: Lock) -> None:
        self._lock = lock
        # a copy, as the lock is a frozen value that others read on
        self._held: dict[str, Allocations] = dict(lock.held)
        self._capacities = dict(lock.rooms)
        # numbers that a running cluster had already are in no block, and nobody else may get them
        self._adopted = _find_adopted_outside(lock)
        self.used: set[tuple[str, str]] = set()
        """The (kind of number, name) of everything that asked for numbers: `("ipv4", "compute leaf loopback")`."""

    def make_lock(self) -> Lock:
        """Return the lock with all allocations, those of earlier builds included."""
        return replace(self._lock, held=dict(self._held), rooms=dict(self._capacities))

    def remember_capacity(self, name: str, size: int) -> int:
        """Return for how many numbers the lock has made room under a name; if it has no such name, remember `size` and
        return it.
        """
        return self._capacities.setdefault(name, size)

    def find_largest_block(self, pool: NumberPool, slots: Slots, purpose: str) -> int:
        """Return the largest block size that the lock remembers for a purpose, whatever its prefix length; 0 for
        none.
        """
        # names end with the prefix length, which may have been another
        names = (n for n in self._lock.find_allocations(pool.kind) if n.startswith(f"{slots.name} {purpose}"))
        return max((self._lock.rooms[name] for name in names if name in self._lock.rooms), default=0)

    def take_numbers(
        self, pool: NumberPool, name: str, size: int, need: Need, *, aligned: bool = False, fewest: int = 0
    ) -> Intervals:
        """Return the numbers of a name: those that it has in the lock, if they are `fewest` (default: `size`) or more.

        Else it gets `size` in all, or `fewest` if the pool has no room for so many. `aligned` asks for a block that
        begins at a multiple of its size. `need` says in messages whom the numbers are for. Raises InputError if the
        lock holds numbers outside of the pool, and if the pool has no room.
        """
        numbers_of_names = self._held.get(pool.kind, {})
        self.used.add((pool.kind, name))
        numbers = numbers_of_names.get(name, ())
        self._check_windows(pool, name, numbers)
        # what the lock has stays, even if today's rule would give more
        if numbers and count_numbers(numbers) >= (fewest or size):
            return numbers
        try:
            allocated = allocate_intervals(
                # both are in use, but only `numbers_of_names` are written back to the lock
                {**numbers_of_names, **self._adopted.get(pool.kind, {})},
                [AllocationRequest(name, size, pool.windows, aligned=aligned)],
            )
        except NoRoomError as error:
            # the reserve of growth does not fit, but what is needed does
            if 0 < fewest < size and not aligned:
                return self.take_numbers(pool, name, fewest, need)
            raise self._explain_overflow(pool, error, need) from None
        self._held[pool.kind] = {**numbers_of_names, **allocated}
        return allocated[name]

    @property
    def before(self) -> Lock:
        """The lock as it was read."""
        return self._lock

    def allocate_places(
        self, kind: str, counts: Mapping[str, int], preferred: Container[str], places: int
    ) -> dict[str, Intervals]:
        """Return for each name as many of the numbers from 0 to `places` - 1 as `counts` says.

        `kind` is the kind of number under which the lock keeps them, such as `hosts compute leaf`. A name keeps its
        numbers of the lock, and takes the next free ones; names in `preferred` are served before the others, else in
        their order. If too few numbers are free, those of names that are gone are given to others, and in the end all
        are given anew.
        """
        # false sorts first, and the sort is stable: otherwise the order is kept
        names = sorted(counts, key=lambda name: name not in preferred)
        requests = [AllocationRequest(name, counts[name], (Interval(0, places),)) for name in names]
        self.used |= {(kind, name) for name in counts}
        places_of_names = self._held.get(kind, {})
        # places of names that are gone are kept as long as there is room, in case they come back
        for remaining in (places_of_names, {name: places_of_names[name] for name in places_of_names if name in counts}):
            with suppress(NoRoomError):
                allocations = allocate_intervals(remaining, requests)
                break
        else:
            remaining, allocations = {}, allocate_intervals({}, requests)
        if allocations:
            self._held[kind] = {**remaining, **allocations}
        return allocations

    def allocate_numbers(self, pool: NumberPool, slots: Slots, need: Need, piece: int = 0) -> Ints64:
        """Return one number for each device, int64, from the interval, or intervals, of its group.

        A group with more slots than `piece` (0: no bound) first takes as many intervals of `piece` numbers as fit below
        its size, and then what is missing to a power of two: with 256 and 600 slots, 256 and 256, and 512 more up to
        1,024. If the pool has no room for that, the slots suffice, or else those up to the last device that exists.
        """

        def allocate_for_name(name: str) -> Ints64:
            count = count_numbers(self._held.get(pool.kind, {}).get(name, ()))
            # in pieces, as free numbers of that many in a row are found more often than of the whole group
            while piece and count + piece < slots.count:
                count += piece
                self.take_numbers(pool, name, count, need)
            # a power of two, so that a group may grow to it and its block still reads as one prefix or range
            size, in_use = round_up_to_power_of_two(slots.count), int(slots.number.max(initial=0)) + 1
            try:
                intervals = self.take_numbers(pool, name, size, need, fewest=slots.count)
            except InputError:
                # no room for a power of two: as many as are in use may still fit
                if in_use == slots.count:
                    raise
                intervals = self.take_numbers(pool, name, in_use, need)
            return pick_numbers(intervals, slots.number)

        return _allocate_by_layer(slots, slots.name, allocate_for_name)

    def allocate_addresses(self, pool: NumberPool, slots: Slots, purpose: str, need: Need) -> AddressColumn:
        """Return one address for each device, from a block of a power of two whose first address stays unused.

        The block of a layer of `slots` has the name of the slots and `purpose` in the lock.
        """

        def allocate_for_name(name: str) -> AddressColumn:
            # one more, for the first address, which reads as that of the subnet
            size = round_up_to_power_of_two(slots.count + 1)
            intervals = self.take_numbers(pool, name, size, need, aligned=True, fewest=slots.count + 1)
            return column.pick_addresses(pool.kind, intervals, slots.number + 1, 1)

        return _allocate_by_layer(slots, f"{slots.name} {purpose}", allocate_for_name)

    def allocate_device_blocks(
        self, pool: NumberPool, slots: Slots, purpose: str, addresses: int, need: Need
    ) -> DeviceBlocks:
        """Return a block of at least `addresses` addresses for each device, from a pool.

        The size of a block is a power of two, and stays as the lock has it: a device that needs more gets further
        blocks.
        """
        base_name = f"{slots.name} {purpose}"
        size = self.remember_capacity(base_name, round_up_to_power_of_two(addresses))

        def allocate_for_name(name: str) -> AddressColumn:
            # the first address of each device's block, from the block of its group that has this name
            group_size = round_up_to_power_of_two(slots.count) * size
            intervals = self.take_numbers(pool, name, group_size, need, aligned=True, fewest=slots.count * size)
            return column.pick_addresses(pool.kind, intervals, slots.number, size)

        # a device that needs more than the blocks which its lock has gets further ones, of a name each
        names = [f"{base_name} +{i}" if i else base_name for i in range(-(-addresses // size))]
        return DeviceBlocks(size, tuple(_allocate_by_layer(slots, name, allocate_for_name) for name in names))

    def _check_windows(self, pool: NumberPool, name: str, intervals: Intervals) -> None:
        """Raise InputError (FG038) if the lock keeps numbers of a name outside of its pool."""
        for interval in intervals:
            if not any(w.first <= interval.first and interval.end <= w.end for w in pool.windows):
                raise fault(
                    CODE,
                    f"the lock keeps {show_interval(pool.kind, interval)} for {name}, outside of {pool.name} "
                    f"({pool.text})",
                    path=pool.path,
                    hint=f"put the pool back, or let it have new numbers: fabricgen lock --release '{name}', with "
                    "the option once more for every further holder that it names then",
                )

    def _explain_overflow(self, pool: NumberPool, error: NoRoomError, need: Need) -> InputError:
        """Return the error of a pool without room: what it has, how much is used and asked for, and how much to add."""
        intervals_of_names = [*self._held.get(pool.kind, {}).values(), *self._adopted.get(pool.kind, {}).values()]
        intervals = [interval for intervals_of_name in intervals_of_names for interval in intervals_of_name]
        # Negative where an interval and a window are apart.
        overlaps = (min(i.end, w.end) - max(i.first, w.first) for i in intervals for w in pool.windows)
        used = sum(overlap for overlap in overlaps if overlap > 0)
        missing, bits = error.missing, {"ipv4": 32, "ipv6": 128}.get(pool.kind)
        addition = max(missing, pool.wanted - used)
        size = count_numbers(pool.windows)
        unit = ("address" + "es" * (size != 1)) if bits else ("number" + "s" * (size != 1))
        prefix = f"add a prefix of /{bits - (addition - 1).bit_length()} or shorter to the pool" if bits else ""
        is_whole_need = missing == need.numbers
        return fault(
            pool.code,
            f"{pool.name} ({pool.text}) has {_spell_count(size)} {unit}: "
            f"{_spell_count(used)} used, {_spell_count(error.largest)} free in one block; "
            f"{need.what} {need.verb} {_spell_count(missing)}"
            + (f" ({need.size})" if is_whole_need and need.size else ""),
            path=pool.path,
            hint=(pool.hint or prefix)
            + (f"; less is needed with {need.smaller}" if is_whole_need and need.smaller else ""),
        )


def _spell_count(count: int) -> str:
    """Return a count as text; beyond 32 bits as a power of two, exact or rounded down."""
    if count < 1 << 32:
        return str(count)
    power = count.bit_length() - 1
    return f"2^{power}" if count == 1 << power else f"over 2^{power}"


def _find_adopted_outside(lock: Lock) -> dict[str, Allocations]:
    """Return the adopted numbers that are in no block of the lock, so that no block is allocated over them.

    They are allocations by kind of number (`ipv4`, `asn` and so on), all under the one name "".
    """
    numbers_outside: dict[str, Allocations] = {}
    for kind, numbers in list_taken_numbers(lock.find_words(ADOPTED)).items():
        block_intervals = sorted(
            interval for intervals in lock.find_allocations(kind).values() for interval in intervals
        )
        starts = [interval.first for interval in block_intervals]
        # the last interval that begins at or before the number; -1 is none
        indexes = [bisect_right(starts, n) - 1 for n in numbers]
        unheld = [n for n, index in zip(numbers, indexes, strict=True) if index < 0 or n >= block_intervals[index].end]
        # under a name that no tier has
        numbers_outside[kind] = {"": make_intervals(unheld)}
    return numbers_outside


_Given = TypeVar("_Given", Ints64, AddressColumn)


def _allocate_by_layer(slots: Slots, name: str, allocate_for_name: Callable[[str], _Given]) -> _Given:
    """Return the numbers of all devices, which `allocate_for_name` gives for each layer of `slots` under a name of its
    own.

    Layer 0 has `name`, layer 1 `name *1` and so on; of each result only the rows of the layer are taken.
    """
    values = allocate_for_name(name)
    for layer in unique_values(slots.layer[slots.layer > 0]):
        rows = slots.layer == layer
        values[rows] = allocate_for_name(f"{name} *{layer}")[rows]
    return values


def pick_numbers(intervals: Intervals, indexes: Ints64) -> Ints64:
    """Return the numbers, int64, at some indexes (int64) of intervals that are counted one after the other."""
    numbers = np.zeros(len(indexes), dtype=np.int64)
    start = 0
    for interval in intervals:
        rows = (indexes >= start) & (indexes < start + interval.size)
        numbers[rows] = interval.first + indexes[rows] - start
        start += interval.size
    return numbers

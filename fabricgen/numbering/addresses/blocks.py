"""Blocks of numbers by name: as the lock has them, and for what is new the next free ones of a pool."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from fabricgen.blueprint.beside.adopted import ADOPTED, taken_by
from fabricgen.blueprint.beside.lock import CODE, Lock, extent_text
from fabricgen.kernel.diagnostics import InputError, fault
from fabricgen.kernel.extents import Demand, Extent, Extents, Held, NoRoomError, compressed, settle, total
from fabricgen.kernel.units import power_of_two_at_least
from fabricgen.numbering.addresses import column
from fabricgen.numbering.addresses.column import Column
from fabricgen.numbering.addresses.pools import Source
from fabricgen.wiring.tables import Ints, Wide, distinct


@dataclass(frozen=True, slots=True)
class Slots:
    """Which slot each device of a tier has, int64, and how many slots are numbered, reserved ones included.

    `layer` is above 0, int64, for devices that what was first numbered has no room for: those have blocks of their own.
    """

    name: str
    number: Wide
    count: int
    layer: Wide


@dataclass(frozen=True, slots=True)
class Rooms:
    """Rooms of `size` addresses, a power of two, one for each device; where one is not enough (it grew), further ones.

    `first` holds the first address of each device's, room after room.
    """

    size: int
    first: tuple[Column, ...]

    def at(self, device: Ints, place: Wide) -> Column:
        """The addresses at places (int64) of the rooms of some devices."""
        if len(self.first) == 1:
            return self.first[0][device].plus(place)
        found = self.first[0][device]
        for number, first in enumerate(self.first):
            here = place // self.size == number
            found[here] = first[device[here]].plus(place[here] % self.size)
        return found


class Blocks:
    """Gives blocks away, and keeps what is given."""

    def __init__(self, lock: Lock) -> None:
        self._lock = lock
        self._held: dict[str, Held] = dict(lock.held)
        self._rooms = dict(lock.rooms)
        self._adopted = _outside(lock)
        self.used: set[tuple[str, str]] = set()
        """(kind, name) of everyone who took something."""

    def lock(self) -> Lock:
        """What the lock had and all that is given."""
        return replace(self._lock, held=dict(self._held), rooms=dict(self._rooms))

    def room(self, name: str, size: int) -> int:
        """The room that each part of a name has: as it was first, however it grows; else `size`."""
        return self._rooms.setdefault(name, size)

    def largest_before(self, source: Source, slots: Slots, purpose: str) -> int:
        """The largest room, by the lock, of a purpose whose name ends in a prefix length; 0 for none."""
        start, found = f"{slots.name} {purpose}", [0]
        for name in self._lock.of(source.kind):
            if name.startswith(start) and name in self._lock.rooms:
                found.append(self._lock.rooms[name])
        return max(found)

    def take(
        self, source: Source, name: str, size: int, what: str, *, aligned: bool = False, least: int = 0
    ) -> Extents:
        """Numbers for a name: what it has if that is `least` (default `size`) or more, else `size`, else `least`.

        Raises InputError where what the lock holds lies outside of the pool, or when the pool has no room: with what
        is needed and what there is.
        """
        held = self._held.get(source.kind, {})
        self.used.add((source.kind, name))
        have = held.get(name, ())
        self._check(source, name, have)
        if have and total(have) >= (least or size):
            return have
        try:
            found = settle(
                {**held, **self._adopted.get(source.kind, {})}, [Demand(name, size, source.windows, aligned=aligned)]
            )
        except NoRoomError as error:
            if 0 < least < size and not aligned:
                return self.take(source, name, least, what)
            raise self._overflow(source, error, what) from None
        self._held[source.kind] = {**held, **found}
        return found[name]

    def numbers(self, source: Source, slots: Slots, what: str, piece: int = 0) -> Wide:
        """One number for each slot, int64; what is added later in pieces of at most `piece`, if that is not 0."""

        def given(name: str) -> Wide:
            have = total(self._held.get(source.kind, {}).get(name, ()))
            while piece and have + piece < slots.count:
                have += piece
                self.take(source, name, have, what)
            size = power_of_two_at_least(slots.count)
            return at_places(self.take(source, name, size, what, least=slots.count), slots.number)

        return _by_layer(slots, slots.name, given)

    def addresses(self, source: Source, slots: Slots, purpose: str, what: str) -> Column:
        """One address for each slot, from a block of a power of two whose first address is left out."""

        def given(name: str) -> Column:
            size = power_of_two_at_least(slots.count + 1)
            extents = self.take(source, name, size, what, aligned=True, least=slots.count + 1)
            return column.at_places(source.kind, extents, slots.number + 1, 1)

        return _by_layer(slots, f"{slots.name} {purpose}", given)

    def rooms(self, source: Source, slots: Slots, purpose: str, places: int, what: str) -> Rooms:
        """A room of at least so many places, a power of two, for each slot."""
        name = f"{slots.name} {purpose}"
        size = self.room(name, power_of_two_at_least(places))

        def given(name: str) -> Column:
            block = power_of_two_at_least(slots.count) * size
            extents = self.take(source, name, block, what, aligned=True, least=slots.count * size)
            return column.at_places(source.kind, extents, slots.number, size)

        names = [f"{name} +{i}" if i else name for i in range(-(-places // size))]
        return Rooms(size, tuple(_by_layer(slots, name, given) for name in names))

    def _check(self, source: Source, name: str, extents: Extents) -> None:
        for extent in extents:
            if not any(w.first <= extent.first and extent.end <= w.end for w in source.windows):
                raise fault(
                    CODE,
                    f"the lock keeps {extent_text(source.kind, extent)} for {name}, outside of {source.name} "
                    f"({source.text})",
                    path=source.path,
                    hint=f"put the pool back, or let it have new numbers: fabricgen lock --release '{name}', with "
                    "the option once more for every further holder that it names then",
                )

    def _overflow(self, source: Source, error: NoRoomError, what: str) -> InputError:
        held = [*self._held.get(source.kind, {}).values(), *self._adopted.get(source.kind, {}).values()]
        taken = sum(_inside(extent, source.windows) for extents in held for extent in extents)
        missing, bits = error.missing, {"ipv4": 32, "ipv6": 128}.get(source.kind)
        more = max(missing, source.wanted - taken)
        size = total(source.windows)
        unit = ("address" + "es" * (size != 1)) if bits else ("number" + "s" * (size != 1))
        need = "need" if what.startswith("nodes ") else "needs"
        prefix = f"add a prefix of /{bits - (more - 1).bit_length()} or shorter to the pool" if bits else ""
        return fault(
            source.code,
            f"{source.name} ({source.text}) has {_said(size)} {unit}: "
            f"{_said(taken)} used, {_said(error.largest)} free in one block; {what} {need} {_said(missing)}",
            path=source.path,
            hint=source.hint or prefix,
        )


def _said(count: int) -> str:
    """A count for people: beyond 32 bits as a power of two, or about one."""
    if count < 1 << 32:
        return str(count)
    power = count.bit_length() - 1
    return f"2^{power}" if count == 1 << power else f"over 2^{power}"


def _outside(lock: Lock) -> dict[str, Held]:
    """By kind, what is adopted outside of the blocks that the lock holds: no block is given there."""
    found: dict[str, Held] = {}
    for kind, numbers in taken_by(lock.words_of(ADOPTED)).items():
        held = sorted(extent for extents in lock.of(kind).values() for extent in extents)
        starts = [extent.first for extent in held]
        at = [bisect_right(starts, n) - 1 for n in numbers]
        left = [n for n, i in zip(numbers, at, strict=True) if i < 0 or n >= held[i].end]
        found[kind] = {"": compressed(left)}
    return found


def _inside(extent: Extent, windows: Extents) -> int:
    return sum(max(0, min(extent.end, w.end) - max(extent.first, w.first)) for w in windows)


_Given = TypeVar("_Given", Wide, Column)


def _by_layer(slots: Slots, name: str, given: Callable[[str], _Given]) -> _Given:
    """What is given to each slot, layer by layer."""
    found = given(name)
    for layer in distinct(slots.layer[slots.layer > 0]):
        here = slots.layer == layer
        found[here] = given(f"{name} *{layer}")[here]
    return found


def at_places(extents: Extents, places: Wide) -> Wide:
    """The numbers at places of extents laid one after the other; int64."""
    found = np.zeros(len(places), dtype=np.int64)
    start = 0
    for extent in extents:
        here = (places >= start) & (places < start + extent.size)
        found[here] = extent.first + places[here] - start
        start += extent.size
    return found

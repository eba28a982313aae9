"""Totals of a bill by fabric, tier, unit, site and the like: every piece is in one of them, so they add up to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from fabricgen.bom.bill import Bill
from fabricgen.bom.money import power_units, price_units
from fabricgen.bom.need import KINDS, pieces
from fabricgen.bom.owners import KEYS, NONE, Key
from fabricgen.bom.sets import price_of
from fabricgen.wiring.groups import unique_combinations

SPARES = "(spares)"
"""What stands for the fabric, tier or unit of spares, which are of none; they have a kind, and perhaps a site."""

Amounts: TypeAlias = Mapping[int, int]


@dataclass(frozen=True, slots=True)
class Total:
    """Sums of a group, whose `key` has a name for each thing that is added up by.

    `price` is of pieces and spares in ten-thousandths, `power` of pieces in milliwatts; `unpriced` and `unpowered` are
    pieces (and spares) without such a figure.
    """

    key: tuple[str, ...]
    quantity: int = 0
    spares: int = 0
    price: int = 0
    power: int = 0
    unpriced: int = 0
    unpowered: int = 0

    def plus(self, other: Total) -> Total:
        """Both together, under the key of this one."""
        return Total(
            self.key,
            self.quantity + other.quantity,
            self.spares + other.spares,
            self.price + other.price,
            self.power + other.power,
            self.unpriced + other.unpriced,
            self.unpowered + other.unpowered,
        )


def totals(bill: Bill, by: Sequence[str], prices: Mapping[str, float]) -> list[Total]:
    """Sums by one or several of `KEYS`, in the order of their names; spares that are of no group come last.

    Raises KeyError for a key that there is none of.
    """
    keys = [KEYS[name](bill.owners) for name in by]
    found: dict[tuple[int, ...], Total] = {}
    for place, part, count in _counted(bill, keys):
        names = tuple(key.names[i] for key, i in zip(keys, place, strict=True))
        _add(found, place, _sums(names, bill, part, quantity=count, prices=prices))
    for spare in bill.spares:
        place = tuple(_of_spare(bill, name, key, spare.part, spare.site) for name, key in zip(by, keys, strict=True))
        names = tuple(key.names[i] if i < len(key.names) else SPARES for key, i in zip(keys, place, strict=True))
        _add(found, place, _sums(names, bill, spare.part, spares=spare.pieces, prices=prices))
    return [found[place] for place in sorted(found)]


def whole_of(found: Sequence[Total]) -> Total:
    """All totals together; the key is empty."""
    total = Total(())
    for each in found:
        total = total.plus(each)
    return total


def _add(found: dict[tuple[int, ...], Total], place: tuple[int, ...], total: Total) -> None:
    found[place] = found[place].plus(total) if place in found else total


def _sums(
    key: tuple[str, ...], bill: Bill, part: int, *, prices: Mapping[str, float], quantity: int = 0, spares: int = 0
) -> Total:
    about = bill.needs.parts[part]
    price, each = price_of(about.part, prices), about.power_w
    return Total(
        key,
        quantity,
        spares,
        price=0 if price is None else price_units(price) * (quantity + spares),
        power=0 if each is None else power_units(each) * quantity,
        unpriced=quantity + spares if price is None else 0,
        unpowered=quantity if each is None else 0,
    )


def _of_spare(bill: Bill, name: str, key: Key, part: int, site: int) -> int:
    """The place of a spare among the names of a key; beyond the last where it is of none of them."""
    if name == "kind":
        return KINDS.index(bill.needs.parts[part].kind)
    return key.names.index(NONE) + 1 + site if name == "site" and site >= 0 else len(key.names)


def _counted(bill: Bill, keys: Sequence[Key]) -> list[tuple[tuple[int, ...], int, int]]:
    """(place among the names of each key, part, pieces) of all combinations that there are."""
    needs = bill.needs
    columns = (*(key.code for key in keys), needs.part)
    first, code = unique_combinations(*columns)
    counts = pieces(code, needs.quantity, len(first))
    rows = zip(*(column[first].tolist() for column in columns), counts, strict=True)
    return [(tuple(place), part, count) for *place, part, count in rows]

"""Totals of a bill by fabric, tier, unit, site and so on: every piece is in exactly one total, so they
sum to the bill.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fabricgen.bom.bill import Bill
from fabricgen.bom.need import KINDS, sum_pieces
from fabricgen.bom.owners import GROUPINGS, NONE, Grouping
from fabricgen.bom.prices import power_units, price_units
from fabricgen.bom.sets import find_price
from fabricgen.wiring.arrays import unique_combinations

SPARES = "(spares)"
"""The name for spares in groupings by fabric, tier, unit and so on, which spares lack.

Spares have a kind, and may have a site.
"""


@dataclass(frozen=True, slots=True)
class GroupTotal:
    """The sums of a group; `key` has its name in each grouping.

    `price` is that of pieces and spares, in ten-thousandths of the currency's unit; `power` is that of pieces, in
    milliwatts. `unpriced` counts pieces and spares without a price, `unpowered` pieces without a power figure.
    """

    key: tuple[str, ...]
    quantity: int = 0
    spares: int = 0
    price: int = 0
    power: int = 0
    unpriced: int = 0
    unpowered: int = 0

    def add_group(self, other: GroupTotal) -> GroupTotal:
        """Return the sums of both groups, under the key of this one."""
        return GroupTotal(
            self.key,
            self.quantity + other.quantity,
            self.spares + other.spares,
            self.price + other.price,
            self.power + other.power,
            self.unpriced + other.unpriced,
            self.unpowered + other.unpowered,
        )


def sum_totals(bill: Bill, by: Sequence[str], prices: Mapping[str, float]) -> list[GroupTotal]:
    """Return the total of each group of a bill, in the order of the names of the groupings.

    `by` has one or several names of `GROUPINGS`; `prices` has prices by part. Spares that a grouping has no group for
    come last in it. Raises KeyError for an unknown grouping.
    """
    keys = [GROUPINGS[name](bill.owners) for name in by]
    totals_by_index: dict[tuple[int, ...], GroupTotal] = {}
    for indexes, part, count in _count_combinations(bill, keys):
        names = tuple(key.names[i] for key, i in zip(keys, indexes, strict=True))
        _add_total(totals_by_index, indexes, _make_total(names, bill, part, quantity=count, prices=prices))
    for spare in bill.spares:
        indexes = tuple(
            _find_spare_index(bill, name, key, spare.part, spare.site) for name, key in zip(by, keys, strict=True)
        )
        names = tuple(key.names[i] if i < len(key.names) else SPARES for key, i in zip(keys, indexes, strict=True))
        _add_total(totals_by_index, indexes, _make_total(names, bill, spare.part, spares=spare.pieces, prices=prices))
    return [totals_by_index[indexes] for indexes in sorted(totals_by_index)]


def sum_all(group_totals: Sequence[GroupTotal]) -> GroupTotal:
    """Return the sum of all totals, with an empty key."""
    total = GroupTotal(())
    for addend in group_totals:
        total = total.add_group(addend)
    return total


def _add_total(totals_by_index: dict[tuple[int, ...], GroupTotal], indexes: tuple[int, ...], total: GroupTotal) -> None:
    totals_by_index[indexes] = totals_by_index[indexes].add_group(total) if indexes in totals_by_index else total


def _make_total(
    key: tuple[str, ...], bill: Bill, part: int, *, prices: Mapping[str, float], quantity: int = 0, spares: int = 0
) -> GroupTotal:
    """Return the total of `quantity` pieces and `spares` spares of a part; `part` is its index in the needs."""
    ordered = bill.needs.parts[part]
    price, piece_w = find_price(ordered.part, prices), ordered.power_w
    return GroupTotal(
        key,
        quantity,
        spares,
        price=0 if price is None else price_units(price) * (quantity + spares),
        power=0 if piece_w is None else power_units(piece_w) * quantity,
        unpriced=quantity + spares if price is None else 0,
        unpowered=quantity if piece_w is None else 0,
    )


def _find_spare_index(bill: Bill, name: str, key: Grouping, part: int, site: int) -> int:
    """Return the index, in a grouping, of the group that a spare is counted in.

    `key` is the grouping, `name` what it is called. Only groupings by kind and by site have groups for spares: for
    others, and without a site, the index is one past the last. `part` and `site` are indexes, -1 for no site.
    """
    if name == "kind":
        return KINDS.index(bill.needs.parts[part].kind)
    # the names of the grouping by site are `NONE`, then the sites in order
    return key.names.index(NONE) + 1 + site if name == "site" and site >= 0 else len(key.names)


def _count_combinations(bill: Bill, keys: Sequence[Grouping]) -> list[tuple[tuple[int, ...], int, int]]:
    """Return (indexes of the names in each grouping, part, pieces) of each combination that occurs."""
    needs = bill.needs
    columns = (*(key.code for key in keys), needs.part)
    first_rows, code = unique_combinations(*columns)
    counts = sum_pieces(code, needs.quantity, len(first_rows))
    rows = zip(*(column[first_rows].tolist() for column in columns), counts, strict=True)
    return [(tuple(indexes), part, count) for *indexes, part, count in rows]

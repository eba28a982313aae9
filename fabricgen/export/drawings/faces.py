"""The front of a switch: which cage is where, in columns from left to right, each from the top down.

Numbers run down the columns unless the catalogue says otherwise, as on most fronts (Gigamon, White Box Port and
Faceplate Labeling, docs.gigamon.com; SN5400: NVIDIA SN5000 hardware user manual, Data Interfaces, by which every fourth
cage, the uppermost of its column, may draw more).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fabricgen.catalog.models import CageClass, SwitchProfile

ACROSS = {"RJ45": 24, "SFP": 24, "OSFP": 18, "QSFP": 20, "CPO": 36, "LC": 36}
"""Cages side by side on a 19-inch front, by prefix of their form factor; derived from 450 mm (EIA-310) and the widths
of modules with the walls between them: OSFP 22.6 mm, QSFP-DD 18.4 mm, SFP 13.4 mm, RJ45 about 16 mm with its magnetics.
"""

OTHERWISE = 16

IN_A_ROW = 2
"""The most cages of a kind in one row, such as service ports; more stand in two rows, four and so on."""


@dataclass(frozen=True, slots=True)
class Column:
    """Cages above one another, by number from the top; `kind` is the index of their class in the profile."""

    kind: int
    cages: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Panel:
    """The front of a switch, or a line card of a chassis (`slot`; 0 for a fixed box): its columns from
    left to right.
    """

    slot: int
    columns: tuple[Column, ...]

    @property
    def rows(self) -> int:
        """Cages in its highest column."""
        return max(len(column.cages) for column in self.columns)


def rows_of(cage: CageClass, count: int) -> int:
    """Rows for so many cages of a kind: as in the catalogue, else as few as fit: 1, 2, 4 and so on."""
    if cage.rows:
        return min(cage.rows, count)
    if count <= IN_A_ROW:
        return 1
    across = next((most for start, most in ACROSS.items() if cage.form_factor.startswith(start)), OTHERWISE)
    return 2 * -(-count // (2 * across))


def panels(profile: SwitchProfile) -> tuple[Panel, ...]:
    """The panels of a switch: one for a fixed box, one for each line card of a chassis."""
    slots = [slot for slot, _ in profile.cards] or [0]
    return tuple(
        Panel(slot, tuple(_columns(profile, cages))) for slot, cages in zip(slots, profile.cages_by_card, strict=True)
    )


def _columns(profile: SwitchProfile, cages: tuple[int, ...]) -> Iterator[Column]:
    for kind, cage in enumerate(profile.cages):
        first = profile.first_cage(kind)
        mine = [number for number in cages if first <= number < first + cage.count]
        if not mine:
            continue
        rows = rows_of(cage, len(mine))
        columns = -(-len(mine) // rows)
        for i in range(columns):
            held = mine[i * rows : (i + 1) * rows] if cage.numbered == "down" else mine[i::columns]
            yield Column(kind, tuple(held))

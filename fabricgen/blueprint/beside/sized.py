"""What a lock says of the size of a tier: `1 x qm9700, 32 x 400g to compute core for 29 at 1, down 2 x 400g`.

The first part is the number of switches in a group; for a lowest tier, the number of node ports that they were derived
for may follow. The second part is the number of uplinks of each switch, the tier that they lead to, the fewest uplinks
that were needed (29), and the oversubscription that was allowed (1). The last part says into how many ports a cage is
split. Another section, `stacked`, has the steps in which tiers in shared racks grew.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

SIZED = "sized"
"""The section of the lock."""

PARTS = ("count", "uplinks", "breakout")
"""The parts of a tier's size that can be released one by one."""

_MOST = 1 << 40
_FORMS = (
    ("count", r"(\d{1,12}) x ([a-z0-9.+-]+)( uneven)?(?: for (\d{1,12}))?"),
    ("uplinks", r"(\d{1,12}) x (\d{1,6})g to (\S+ \S+) for (\d{1,12}) at (\d{1,9}(?:/\d{1,9})?)"),
    ("down", r"down (\d{1,3} x \d{1,6}g(?: \+ \d{1,3} x \d{1,6}g)*)"),
    ("up", r"up (\d{1,3}) x (\d{1,6})g"),
)


@dataclass(frozen=True, slots=True)
class SizedBefore:
    """The size that a lock remembers of a tier, so that a later build keeps it. Speeds are in Gb/s.

    A part (`PARTS`) that the lock does not say has its default here, and is derived anew.
    """

    count: int = 0
    """Switches of a group; 0 if the lock does not say it."""
    model: str = ""
    slots: int = 0
    """Node ports of the fullest group that a lowest tier was sized for; 0 for other tiers."""
    uplinks: int = 0
    """Uplinks of each switch; 0 if there are none or the lock does not say it."""
    speed_gbps: int = 0
    upper: str = ""
    """Fabric and name of the tier above."""
    needed: int = 0
    """The fewest uplinks that the oversubscription called for."""
    allowed: Fraction = Fraction(1)
    """The oversubscription that was allowed."""
    downs: Mapping[int, int] = field(default_factory=dict)
    """Ports that a cage is split into, by the speed of the down ports."""
    up_ways: int = 0
    """Ports that a cage of uplinks is split into; 0 if the lock does not say it."""
    uneven: bool = False
    """Whether links from below might land unequally (`12 x sn5600 uneven`)."""

    def forget_part(self, part: str) -> SizedBefore:
        """Return the size with the fields of one of `PARTS` (`count`, `uplinks`, `breakout`) unset: that part is
        derived anew.
        """
        fields = {name: getattr(self, name) for name in self.__dataclass_fields__ if name not in _FIELDS[part]}
        return SizedBefore(**fields)

    def text(self) -> str:
        """Return the line of the lock; "" if no part is known."""
        parts = []
        if self.count:
            words = (" uneven" if self.uneven else "") + (f" for {self.slots}" if self.slots else "")
            parts.append(f"{self.count} x {self.model}{words}")
        if self.uplinks:
            parts.append(f"{self.uplinks} x {self.speed_gbps}g to {self.upper} for {self.needed} at {self.allowed}")
        if self.downs:
            parts.append("down " + " + ".join(f"{ways} x {speed}g" for speed, ways in sorted(self.downs.items())))
        if self.up_ways:
            parts.append(f"up {self.up_ways} x {self.speed_gbps}g")
        return ", ".join(parts)


_FIELDS = {
    "count": ("count", "slots", "uneven"),
    "uplinks": ("uplinks", "upper", "needed", "allowed"),
    "breakout": ("downs", "up_ways"),
}


def name_holder(tier: str, per: tuple[str, ...]) -> str:
    """Return the holder of a tier's line, such as `compute leaf (su, rail)`, for the tier `compute leaf` and its `per`.

    Another `per` makes another tier, and so another line.
    """
    return tier + (f" ({', '.join(per)})" if per else "")


def parse_sized(word: str) -> SizedBefore:
    """Return the size that a line of the lock says. Raises ValueError for any other text."""
    sized = SizedBefore()
    last_form = -1
    for part in word.split(", "):
        for index, (kind, form) in enumerate(_FORMS):
            match = re.fullmatch(form, part)
            if match and index > last_form:
                sized, last_form = _add_part(sized, kind, match.groups()), index
                break
        else:
            raise ValueError(f"'{part}' is not the size of a tier, such as `8 x qm9700` or `down 2 x 400g`")
    return sized


def _add_part(size: SizedBefore, kind: str, values: tuple[str | None, ...]) -> SizedBefore:
    """Return a size with one part of a line added: `kind` is that of the part in `_FORMS`, `values` are the groups of
    its match.
    """
    if kind == "count":
        count, model, uneven, slots = values
        return replace(
            size, count=_parse_count(count), model=str(model), slots=int(slots or 0), uneven=uneven is not None
        )
    if kind == "uplinks":
        numerator, _, denominator = str(values[4]).partition("/")
        allowed = Fraction(_parse_count(numerator), _parse_count(denominator or "1"))
        uplinks, speed, needed = (_parse_count(values[i]) for i in (0, 1, 3))
        return replace(size, uplinks=uplinks, speed_gbps=speed, upper=str(values[2]), needed=needed, allowed=allowed)
    if kind == "down":
        pairs = (pair.split(" x ") for pair in str(values[0]).split(" + "))
        return replace(size, downs={_parse_count(speed.rstrip("g")): _parse_count(ways) for ways, speed in pairs})
    return replace(size, up_ways=_parse_count(values[0]), speed_gbps=_parse_count(values[1]))


def _parse_count(text: str | None) -> int:
    """Return a count of the line. Raises ValueError for 0 and for more than any cluster has."""
    number = int(text or "0")
    if not 0 < number <= _MOST:
        raise ValueError(f"'{text}' is no count")
    return number


# In which steps tiers in shared racks grew: `4x8, 6x8` is first 4, then 6 groups of 8 switches.

STACKED = "stacked"
"""The section of the lock."""

_MOST_STACKED = 1 << 24
"""More groups or switches than a cluster can have."""


class Step(NamedTuple):
    """A step of growth: how many groups the tier had then, and how many switches each of them had."""

    groups: int
    switches: int


def parse_history(word: str) -> tuple[Step, ...]:
    """Return the steps in a text such as `4x8, 6x8`. Raises ValueError for any other text, and for steps that do not
    grow.
    """
    if not word:
        return ()
    try:
        steps = tuple(Step(*map(int, part.split("x"))) for part in word.split(","))
        is_count = all(1 <= count <= _MOST_STACKED for step in steps for count in step)
    except (ValueError, TypeError):
        is_count = False
    if not is_count:
        raise ValueError(f"'{word}' is no count of groups and switches such as 4x8, 6x8")
    if any(after.groups < before.groups or after.switches < before.switches for before, after in pairwise(steps)):
        raise ValueError(f"'{word}' does not grow from step to step")
    return steps


def format_history(steps: Iterable[Step]) -> str:
    """Return the steps as the lock writes them."""
    return ", ".join(f"{step.groups}x{step.switches}" for step in steps)


def add_step(steps: tuple[Step, ...], groups: int, switches: int) -> tuple[Step, ...]:
    """Return the steps and, if there are more groups or switches now, a further step with these."""
    last = steps[-1] if steps else Step(0, 0)
    current = Step(max(last.groups, groups), max(last.switches, switches))
    return steps if current == last else (*steps, current)

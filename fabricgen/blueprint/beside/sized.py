"""What a lock says of the size of a tier: `1 x qm9700, 32 x 400g to compute core for 29 at 1, down 2 x 400g`.

That is the switches of a group (with the node ports that they were derived for, on a lowest tier), the uplinks of each
(with the tier above, the fewest that were needed, and the oversubscription that this follows from), and into how many
ports cages are split.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

SIZED = "sized"
"""The section of the lock."""

PARTS = ("count", "uplinks", "breakout")
"""What of a tier's size can be released, each alone."""

_MOST = 1 << 40
_FORMS = (
    ("count", r"(\d{1,12}) x ([a-z0-9.+-]+)( uneven)?(?: for (\d{1,12}))?"),
    ("uplinks", r"(\d{1,12}) x (\d{1,6})g to (\S+ \S+) for (\d{1,12}) at (\d{1,9}(?:/\d{1,9})?)"),
    ("down", r"down (\d{1,3} x \d{1,6}g(?: \+ \d{1,3} x \d{1,6}g)*)"),
    ("up", r"up (\d{1,3}) x (\d{1,6})g"),
)


@dataclass(frozen=True, slots=True)
class SizedBefore:
    """A tier as it was sized: every part may be missing, and is derived anew then. Speeds are in Gb/s."""

    count: int = 0
    """Switches of a group; 0 where it is not said."""
    model: str = ""
    slots: int = 0
    """Node ports of the fullest group that a lowest tier was sized for; 0 for other tiers."""
    uplinks: int = 0
    """Uplinks of each switch; 0 where it is not said, or there are none."""
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
    """The same for uplinks; 0 where it is not said."""
    uneven: bool = False
    """Whether links from below might land unequally (`12 x sn5600 uneven`)."""

    def forget_part(self, part: str) -> SizedBefore:
        """Return the same with one of PARTS forgotten."""
        fields = {name: getattr(self, name) for name in self.__dataclass_fields__ if name not in _FIELDS[part]}
        return SizedBefore(**fields)

    def text(self) -> str:
        """Return the line of the lock; "" if nothing is said."""
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
    """Return the holder of a tier's line, by fabric and name in words: another `per` is another tier."""
    return tier + (f" ({', '.join(per)})" if per else "")


def parse_sized(word: str) -> SizedBefore:
    """Return the size in a line of the lock; raises ValueError for one that is none."""
    sized = SizedBefore()
    order = -1
    for part in word.split(", "):
        for index, (kind, form) in enumerate(_FORMS):
            match = re.fullmatch(form, part)
            if match and index > order:
                sized, order = _add_part(sized, kind, match.groups()), index
                break
        else:
            raise ValueError(f"'{part}' is not the size of a tier, such as `8 x qm9700` or `down 2 x 400g`")
    return sized


def _add_part(before: SizedBefore, kind: str, values: tuple[str | None, ...]) -> SizedBefore:
    """Add what one part of the line says, by its kind in `_FORMS` and the groups of its form."""
    from dataclasses import replace

    if kind == "count":
        sized = replace(before, count=_parse_count(values[0]), model=str(values[1]), slots=int(values[3] or 0))
        sized = replace(sized, uneven=values[2] is not None)
    elif kind == "uplinks":
        numerator, _, denominator = str(values[4]).partition("/")
        allowed = Fraction(_parse_count(numerator), _parse_count(denominator or "1"))
        uplinks, speed, needed = (_parse_count(values[i]) for i in (0, 1, 3))
        sized = replace(before, uplinks=uplinks, speed_gbps=speed, upper=str(values[2]), needed=needed, allowed=allowed)
    elif kind == "down":
        pairs = (pair.split(" x ") for pair in str(values[0]).split(" + "))
        sized = replace(before, downs={_parse_count(speed.rstrip("g")): _parse_count(ways) for ways, speed in pairs})
    else:
        sized = replace(before, up_ways=_parse_count(values[0]), speed_gbps=_parse_count(values[1]))
    return sized


def _parse_count(text: str | None) -> int:
    """Read a count of the line; raises ValueError for 0 and for more than any cluster has."""
    number = int(text or "0")
    if not 0 < number <= _MOST:
        raise ValueError(f"'{text}' is no count")
    return number

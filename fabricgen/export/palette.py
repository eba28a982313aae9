"""Colours of cables, ports and devices: a colour for each fabric, a shade for each rail, a pattern for each plane.

Colour is never the only sign: each fabric also has a code, each rail a number, each plane a letter. The twelve colours
were searched so that any two differ by a CIE76 distance of 20 or more for normal, protan and deutan sight (matrices:
Machado, Oliveira and Fernandes, A Physiologically-based Model for Simulation of Color Vision Deficiency, IEEE TVCG
15(6), 2009, severity 1.0), and in lightness, so that a greyscale print still has twelve steps.

Well-known fabrics always have the same colour. Others take the remaining colours in order of age: by their VLANs, which
the lock keeps, so that adding a fabric changes the colour of none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import count
from string import ascii_uppercase
from types import MappingProxyType

from fabricgen.cluster import Cluster
from fabricgen.design.model import Design

DARK, LIGHT = "#000000", "#FFFFFF"
"""Text colours."""

KNOWN: Mapping[str, tuple[str, str, str]] = MappingProxyType(
    {
        "compute": ("#206699", "blue", "C"),
        "storage": ("#EF8E25", "orange", "S"),
        "inband": ("#14A556", "green", "I"),
        "frontend": ("#64D7F5", "sky", "F"),
        "oob": ("#70786A", "grey", "O"),
        "nvlink": ("#6F1C54", "plum", "N"),
        "scale-across": ("#BF89B0", "mauve", "X"),
    }
)
"""Fabrics by their usual names: fill, colour name (for tape and jackets), code."""

OTHERS: tuple[tuple[str, str], ...] = (
    ("#E9F538", "yellow"),
    ("#BE4614", "rust"),
    ("#2C1F85", "indigo"),
    ("#B4E9C0", "mint"),
    ("#4F4728", "umber"),
)
"""(fill, colour name) for all other fabrics; after the last one they repeat, with new codes."""

SHADES = 8
"""Shades of a colour; rail 9 has the shade of rail 1."""

PATTERNS = ("solid", "diagonal", "backslash", "cross", "horizontal", "vertical", "dots", "grid")
"""Patterns of planes 1 to 8; plane 9 has the pattern of plane 1, but another letter."""


@dataclass(frozen=True, slots=True)
class Swatch:
    """The colour of a fabric: fill and ink as `#RRGGBB`, the name of the colour, and a code of one or two letters to
    print on it.
    """

    fill: str
    ink: str
    word: str
    code: str


@dataclass(frozen=True, slots=True)
class PlaneMark:
    """The mark of a plane: a letter (A is plane 1, AA plane 27) and a pattern."""

    letter: str
    pattern: str


def choose_swatches(names: Iterable[str]) -> dict[str, Swatch]:
    """Return the swatch of each fabric; `names` are in order of age, because older fabrics keep their colours."""
    swatches: dict[str, Swatch] = {}
    codes = {code for _, _, code in KNOWN.values()}
    other_count = 0
    for name in names:
        if name in KNOWN:
            fill, word, code = KNOWN[name]
        else:
            fill, word = OTHERS[other_count % len(OTHERS)]
            code = next(code for code in _propose_codes(name) if code not in codes)
            codes.add(code)
            other_count += 1
        swatches[name] = Swatch(fill, choose_ink(fill), word, code)
    return swatches


def order_by_age(design: Design) -> list[str]:
    """Return the names of fabrics in the order of their VLAN numbers, then of scale-up domains in the blueprint's
    order.
    """
    held = design.layout.numbering.held["vlans"]
    fabrics = sorted((held[fabric.name][0].first, fabric.name) for fabric in design.fabrics)
    return [name for _, name in fabrics] + [domain.name for domain in design.scale_up]


def choose_cluster_swatches(cluster: Cluster) -> dict[str, Swatch]:
    """Return the swatch of every fabric and scale-up domain of a cluster, by name."""
    return choose_swatches(order_by_age(cluster.design))


@cache
def shade_for_rail(fill: str, rail: int) -> str:
    """Return the shade of a fabric's fill for a rail (from 1), lighter with each rail; the fill itself for rails 0 and
    1.
    """
    share_of_white = (rail - 1) % SHADES * 0.07 if rail > 0 else 0.0
    channels = (int(fill[start : start + 2], 16) for start in (1, 3, 5))
    return "#" + "".join(f"{round(value + (255 - value) * share_of_white):02X}" for value in channels)


@cache
def choose_ink(fill: str) -> str:
    """Return black or white, whichever has the greater contrast on a fill (WCAG 2.2, relative luminance)."""
    channels = [int(fill[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    # sRGB to linear light (IEC 61966-2-1); then the weights of the eye for red, green and blue
    linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return DARK if (luminance + 0.05) / 0.05 >= 1.05 / (luminance + 0.05) else LIGHT


def make_plane_mark(plane: int) -> PlaneMark | None:
    """Return the mark of a plane (from 1); None for 0, a link without a plane."""
    if plane < 1:
        return None
    letter, number = "", plane
    while number:
        # A to Z, then AA: digits without a zero, hence one less before each division
        number, at = divmod(number - 1, len(ascii_uppercase))
        letter = ascii_uppercase[at] + letter
    return PlaneMark(letter, PATTERNS[(plane - 1) % len(PATTERNS)])


def _propose_codes(name: str) -> Iterator[str]:
    """Yield candidate codes of a fabric, in order of preference: a letter, two letters, then a letter and a number."""
    letters: Sequence[str] = [letter for letter in name.upper() if letter in ascii_uppercase] or ["Z"]
    yield letters[0]
    yield from (letters[0] + second for second in letters[1:])
    yield from (f"{letters[0]}{number}" for number in count(2))

"""Cables of several pieces, as their part is written.

Sets are equal pieces that make one cable, such as `2x MFP7E10-N010`, the two fibres between twin-port transceivers.
Channels over panels have a jumper at each end, or more: `A + B`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

JOINT = " + "
"""Between the parts of a channel of several pieces, and between their descriptions."""

_SET = r"(?s)([2-9]|[1-9][0-9]+)x (.+)"
_EACH = r"[0-9]+ pieces, each: "


def as_set(part: str, text: str, pieces: int) -> tuple[str, str]:
    """(part, description) of so many pieces of a part."""
    return (part, text) if pieces == 1 else (f"{pieces}x {part}", f"{pieces} pieces, each: {text}")


def pieces_of(part: str) -> tuple[int, str]:
    """(how many pieces, the part of each) of what is pulled as one."""
    found = re.fullmatch(_SET, part)
    return (int(found[1]), found[2]) if found else (1, part)


def price_of(part: str, prices: Mapping[str, float]) -> float | None:
    """The price of a part, or of a set by that of its pieces; None where there is none."""
    count, piece = pieces_of(part)
    each = prices.get(piece)
    return prices.get(part, None if each is None else each * count)


def text_of_piece(text: str) -> str:
    """What the description of a set says of each piece."""
    return re.sub(_EACH, "", text, count=1)

"""Cables of several pieces, as the part column has them.

A set is several equal pieces for one cable: `2x MFP7E10-N010`, the two fibres between twin-port transceivers. A patched
channel has at least one jumper at each end: `A + B`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

JOINT = " + "
"""Separates the parts of a channel, and their descriptions."""

_SET = r"(?s)([2-9]|[1-9][0-9]+)x (.+)"
_EACH = r"[0-9]+ pieces, each: "


def format_set(part: str, text: str, pieces: int) -> tuple[str, str]:
    """Return (part, description) of a set of `pieces` equal pieces; those of the piece itself if there is only one."""
    return (part, text) if pieces == 1 else (f"{pieces}x {part}", f"{pieces} pieces, each: {text}")


def split_set(part: str) -> tuple[int, str]:
    """Return (number of pieces, part of one piece) of a set; (1, part) for any other part."""
    match = re.fullmatch(_SET, part)
    return (int(match[1]), match[2]) if match else (1, part)


def find_price(part: str, prices: Mapping[str, float]) -> float | None:
    """Return the price of a part; for a set without a price, that of all its pieces; None if there is no price."""
    count, piece = split_set(part)
    piece_price = prices.get(piece)
    return prices.get(part, None if piece_price is None else piece_price * count)


def strip_set_text(text: str) -> str:
    """Return the description of one piece of a set from the description of the set."""
    return re.sub(_EACH, "", text, count=1)

"""Breakout modes as platform.json spells them: `2x400G(8)[200G,100G]`.

`WAYSxSPEED(lanes used)[other speeds]`, Gb/s with a G and else Mb/s (SONiC, dynamic port breakout design).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

_MODE = re.compile(r"(?P<ways>\d+)x(?P<main>\d+G?)(?:\((?P<lanes>\d+)\))?(?:\[(?P<others>[^\]]*)\])?")


@dataclass(frozen=True, slots=True)
class BreakoutMode:
    """A way to split a cage: speeds in Mb/s, the main one first; `lanes` it uses, None: all of the cage."""

    text: str
    ways: int
    speeds_mbps: tuple[int, ...]
    lanes: int | None


@lru_cache(maxsize=1024)
def parse_mode(text: str) -> BreakoutMode | None:
    """Read a mode; None for text of another form."""
    found = _MODE.fullmatch(text)
    if found is None:
        return None
    others = [speed for speed in (found["others"] or "").split(",") if speed]
    speeds = tuple(_mbps(speed) for speed in (found["main"], *others))
    return BreakoutMode(text, int(found["ways"]), speeds, int(found["lanes"]) if found["lanes"] else None)


def _mbps(text: str) -> int:
    text = text.strip()
    return int(text[:-1]) * 1000 if text.endswith("G") else int(text)

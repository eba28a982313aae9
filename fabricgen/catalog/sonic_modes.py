"""Breakout modes as platform.json spells them: `2x400G(8)[200G,100G]`.

`WAYSxSPEED(lanes used)[other speeds]`, Gb/s with a G and else Mb/s (SONiC, dynamic port breakout design).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from fabricgen.catalog.sonic_models import SonicPlatform
from fabricgen.catalog.switch_models import CageClass

_MODE = re.compile(r"(?P<ways>\d+)x(?P<main>\d+G?)(?:\((?P<lanes>\d+)\))?(?:\[(?P<others>[^\]]*)\])?")


_LANE_MBPS = (1_000, 10_000, 25_000, 50_000, 100_000, 200_000)
"""Rates at which a lane runs: a mode that names no lanes takes all of them, at one of these."""


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


def breakout_mode(platform: SonicPlatform, cage_class: CageClass, ways: int, speed_gbps: int) -> str:
    """The breakout mode of platform.json, as spelled there, that splits a cage so; "" when the platform lists none.

    Of several that fit, the one of the cage's own speed wins: an SFP28's 10G is `1x25G[10G]`, an OSFP's `1x800G[...]`.
    A platform lists the modes of all its cages together: one whose lanes would run at no known rate is another
    cage's, as `1x100G` of a QSFP28 is on eight lanes.
    """
    own, wanted = 1000 * max(cage_class.breakouts[ways]), 1000 * speed_gbps
    fitting: list[tuple[bool, bool, bool, int, str]] = []
    for mode in map(parse_mode, platform.breakout_modes.get(ways, ())):
        if mode is None or mode.ways != ways or wanted not in mode.speeds_mbps:
            continue
        if mode.lanes is None and mode.speeds_mbps[0] * ways / cage_class.lanes not in _LANE_MBPS:
            continue
        whole, main = mode.lanes in (None, cage_class.lanes), mode.speeds_mbps[0]
        fitting.append((not whole, main != own, main != wanted, len(fitting), mode.text))
    return min(fitting)[-1] if fitting else ""

"""Breakout modes of SONiC: which of a platform's own runs a cage so.

Spelled `WAYSxSPEED(lanes)[other speeds]`, Gb/s with a G and else Mb/s (SONiC, dynamic port breakout design).
"""

from __future__ import annotations

import re

from fabricgen.catalog.models import CageClass, SonicPlatform

_MODE = re.compile(r"(?P<ways>\d+)x(?P<main>\d+G?)(?:\((?P<lanes>\d+)\))?(?:\[(?P<others>[^\]]*)\])?")


_LANE_GBPS = (1, 10, 25, 50, 100, 200)
"""Rates at which a lane runs: a mode that names no lanes takes all of them, at one of these."""


def breakout_mode(platform: SonicPlatform, cage_class: CageClass, ways: int, speed_gbps: int) -> str:
    """The breakout mode of platform.json, as spelled there, that runs a cage so; "" when the platform lists none.

    Of several that fit, the one of all lanes and of the cage's own speed wins: an SFP28's 10G is `1x25G[10G]`, an
    OSFP's `1x800G[...]`. A platform lists the modes of all its cages together: one whose lanes would run at no known
    rate is another cage's, as `1x100G` of a QSFP28 is on eight lanes.
    """
    own = max(cage_class.breakouts[ways])
    fitting: list[tuple[bool, bool, bool, int, str]] = []
    for text in platform.breakout_modes.get(ways, ()):
        found = _MODE.fullmatch(text)
        if found is None or int(found["ways"]) != ways:
            continue
        main = _gbps(found["main"])
        if found["lanes"] is None and main * ways / cage_class.lanes not in _LANE_GBPS:
            continue
        others = [_gbps(speed) for speed in (found["others"] or "").split(",") if speed]
        if speed_gbps in (main, *others):
            whole = found["lanes"] is None or int(found["lanes"]) == cage_class.lanes
            fitting.append((not whole, main != own, main != speed_gbps, len(fitting), text))
    return min(fitting)[-1] if fitting else ""


def lanes_of(mode: str) -> int | None:
    """How many of a cage's lanes a mode takes, `1x100G(4)` the first four; None: all of them."""
    found = _MODE.fullmatch(mode)
    return int(found["lanes"]) if found and found["lanes"] else None


def _gbps(text: str) -> int:
    text = text.strip()
    return int(text[:-1]) if text.endswith("G") else int(text) // 1000

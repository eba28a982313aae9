"""Ranges in keys of NVUE: `nv config show` writes settings that ports or VLANs share once, at `swp1-4,7` or `10-20`."""

from __future__ import annotations

import re
from collections.abc import Iterator

MOST = 4096
"""More ports or VLANs than a range can mean."""

_RUN = re.compile(r"([A-Za-z_.]*)(?:(\d+)([s.]))?(\d+)(?:-(\d+))?")
"""swp1, swp1s0-3, swp1.10-12, or digits, which take the letters of the name before them."""
_NAME = re.compile(r"[A-Za-z][\w.]*")


def expand_range(key: str) -> Iterator[str]:
    """What a key means: `swp1-2,5` is swp1, swp2 and swp5, `swp1s0-1` swp1s0 and swp1s1; another key itself."""
    parts = key.split(",")
    if not re.search("[-,]", key) or not all(_RUN.fullmatch(part) or _NAME.fullmatch(part) for part in parts):
        yield key
        return
    letters = ""
    for part in parts:
        run = _RUN.fullmatch(part)
        if run is None:
            yield part
            continue
        letters = run[1] or letters
        cage = f"{run[2]}{run[3]}" if run[3] else ""
        yield from (f"{letters}{cage}{n}" for n in range(int(run[4]), int(run[5] or run[4]) + 1)[:MOST])

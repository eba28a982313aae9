"""Ranges in keys of NVUE: `nv config show` writes settings that ports or VLANs share once, at `swp1-4,7` or `10-20`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from fabricgen.running.tree import UnknownTextError

MOST = 4096
"""More ports or VLANs than a range can mean."""
MOST_KEYS, MOST_DEEP = 500_000, 40
"""More settings than a switch has, and deeper: YAML may repeat itself without end."""
_RANGED = {"interface", "vlan", "member"}
"""Maps of NVUE whose keys may be ranges."""
_RUN = re.compile(r"([a-z]*)(?:(\d+)(s))?(\d+)(?:-(\d+))?")


def expanded(tree: Mapping[str, Any]) -> dict[str, Any]:
    """The same settings with a key for each port and VLAN; what several keys say of one is joined.

    Raises UnknownTextError for more of them than a switch has.
    """
    return _expanded(tree, "set", 0, iter(range(MOST_KEYS)))


def _expanded(tree: Mapping[str, Any], name: str, depth: int, left: Iterator[int]) -> dict[str, Any]:
    if depth > MOST_DEEP:
        raise UnknownTextError("settings lie too deep in each other")
    found: dict[str, Any] = {}
    for key, value in tree.items():
        for each in names(key) if name in _RANGED else (key,):
            if next(left, None) is None:
                raise UnknownTextError(f"more than {MOST_KEYS:,} settings")
            below = _expanded(value, str(key), depth + 1, left) if isinstance(value, Mapping) else value
            found[each] = _joined(found[each], below) if each in found else below
    return found


def names(key: Any) -> Iterator[Any]:
    """What a key means: `swp1-2,5` is swp1, swp2 and swp5, `swp1s0-1` swp1s0 and swp1s1; another key itself."""
    runs = [_RUN.fullmatch(each) for each in str(key).split(",")]
    if not all(runs) or not re.search("[-,]", str(key)):
        yield key
        return
    before = ""
    for run in runs:
        if run is not None:
            before = run[1] or before
            cage = f"{run[2]}{run[3]}" if run[3] else ""
            yield from (f"{before}{cage}{n}" for n in range(int(run[4]), int(run[5] or run[4]) + 1)[:MOST])


def _joined(one: Any, other: Any) -> Any:
    if not (isinstance(one, Mapping) and isinstance(other, Mapping)):
        return other
    return {**one, **other} | {key: _joined(one[key], other[key]) for key in one.keys() & other.keys()}

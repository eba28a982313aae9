"""Names in Slurm's short form: `n[001-031,033]`.

Source: github.com/SchedMD/slurm@284c3b95: src/common/hostlist.c (_hostlist_create_bracketed, _parse_single_range: a
range keeps the width of its lower end, MAX_RANGE) and slurm/slurm.h (MAX_SLURM_NODES). Brackets are at the end of a
name only, as Slurm 22.05 refuses them elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

MOST_NODES = 65_536
"""Nodes of a Slurm cluster."""
_MOST_DIGITS = 9
_NUMBERED = re.compile(rf"(.*?)([0-9]{{1,{_MOST_DIGITS}}})")


def hostlist(names: Iterable[str]) -> str:
    """All names in one text, between commas."""
    return ",".join(hostlists(names))


def hostlists(names: Iterable[str]) -> list[str]:
    """All names, those that differ in a last number only in brackets, in the order of the first one of each kind."""
    numbers: dict[tuple[str, int], list[int]] = {}
    for name in names:
        match = _NUMBERED.fullmatch(name)
        key, number = ((match[1], len(match[2])), int(match[2])) if match else ((name, 0), 0)
        numbers.setdefault(key, []).append(number)
    return [_ranged(prefix, width, sorted(of)) for (prefix, width), of in numbers.items()]


def _ranged(prefix: str, width: int, numbers: list[int]) -> str:
    if len(numbers) == 1:
        return f"{prefix}{numbers[0]:0{width}d}" if width else prefix
    ranges = (f"{low:0{width}d}" + (f"-{high:0{width}d}" if high > low else "") for low, high in _runs(numbers))
    return f"{prefix}[{','.join(ranges)}]"


def _runs(numbers: list[int]) -> Iterator[tuple[int, int]]:
    """(first, last) of consecutive numbers."""
    low = high = numbers[0]
    for number in numbers[1:]:
        if number > high + 1:
            yield low, high
            low = number
        high = number
    yield low, high

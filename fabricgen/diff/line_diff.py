"""Unified diffs as difflib writes them, computed once for files that differ in the same way.

A change affects many switches alike: their files differ in names and addresses, not in which lines change. Which lines
change depends only on which lines are equal, so the diff is computed on integer codes of lines, and cached.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TypeAlias

CONTEXT = 3
"""Lines of context around a difference."""

_REMEMBERED = 64
"""Size of the cache."""

_Hunk: TypeAlias = Sequence[tuple[str, int, int, int, int]]
"""(opcode, start and stop in the old file, start and stop in the new one) of neighbouring changes, as difflib gives
them.
"""


def unified(old: Sequence[str], new: Sequence[str], name: str) -> list[str]:
    """The unified diff of two files; their common first and last lines are left out of it, as difflib is
    slow on them.
    """
    most = min(len(old), len(new))
    head = next((i for i in range(most) if old[i] != new[i]), most)
    tail = next((i for i in range(most - head) if old[-1 - i] != new[-1 - i]), most - head)
    head, tail = max(0, head - CONTEXT), max(0, tail - CONTEXT)
    was, now = old[head : len(old) - tail], new[head : len(new) - tail]
    number: dict[str, int] = {}
    before, after = (tuple([number.setdefault(line, len(number)) for line in lines]) for lines in (was, now))
    found = [line for hunk in _hunks(before, after) for line in _written(hunk, was, now, head)]
    return [f"--- old/{name}", f"+++ new/{name}", *found] if found else []


@lru_cache(_REMEMBERED)
def _hunks(old: tuple[int, ...], new: tuple[int, ...]) -> tuple[_Hunk, ...]:
    """The hunks of two files given as line codes, equal for equal lines."""
    return tuple(difflib.SequenceMatcher(None, old, new).get_grouped_opcodes(CONTEXT))


def _written(hunk: _Hunk, old: Sequence[str], new: Sequence[str], skipped: int) -> Iterator[str]:
    """The lines of a hunk; `skipped` is the number of common first lines that were left out."""
    first, last = hunk[0], hunk[-1]
    yield f"@@ -{_span(first[1], last[2], skipped)} +{_span(first[3], last[4], skipped)} @@"
    for what, i, i_end, j, j_end in hunk:
        if what == "equal":
            yield from (f" {line}" for line in old[i:i_end])
            continue
        yield from (f"-{line}" for line in old[i:i_end])
        yield from (f"+{line}" for line in new[j:j_end])


def _span(start: int, stop: int, skipped: int) -> str:
    """`start,count` of a hunk, from 1; without the count if it is one.

    An empty range names the line before it (POSIX, diff -u).
    """
    count = stop - start
    first = start + skipped + (count > 0)
    return str(first) if count == 1 else f"{first},{count}"

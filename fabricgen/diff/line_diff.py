"""Unified diffs of files, as difflib writes them, found once for files that differ alike.

A change reaches many switches in the same way: their files differ in names and addresses, not in which lines are kept.
What is kept depends on which lines are equal and on nothing else, so it is worked out on numbers of lines and
remembered.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TypeAlias

CONTEXT = 3
"""Lines around a difference that are shown with it."""

_REMEMBERED = 64
"""Ways in which files differ that are kept."""

_Hunk: TypeAlias = Sequence[tuple[str, int, int, int, int]]
"""(what becomes of them, first and past the last line of the old file, of the new one) of neighbouring lines."""


def unified(old: Sequence[str], new: Sequence[str], name: str) -> list[str]:
    """The unified diff of two files; what they begin and end with alike is set aside first, as finding that is slow."""
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
    """What differs between two files whose equal lines have equal numbers."""
    return tuple(difflib.SequenceMatcher(None, old, new).get_grouped_opcodes(CONTEXT))


def _written(hunk: _Hunk, old: Sequence[str], new: Sequence[str], skipped: int) -> Iterator[str]:
    """The lines of a hunk of files of which so many lines at the beginning were set aside."""
    first, last = hunk[0], hunk[-1]
    yield f"@@ -{_span(first[1], last[2], skipped)} +{_span(first[3], last[4], skipped)} @@"
    for what, i, i_end, j, j_end in hunk:
        if what == "equal":
            yield from (f" {line}" for line in old[i:i_end])
            continue
        yield from (f"-{line}" for line in old[i:i_end])
        yield from (f"+{line}" for line in new[j:j_end])


def _span(start: int, stop: int, skipped: int) -> str:
    """First line, from 1, and count if not one; an empty span is named by the line before it (POSIX, diff -u)."""
    count = stop - start
    first = start + skipped + (count > 0)
    return str(first) if count == 1 else f"{first},{count}"

"""What a lock says of tiers in shared racks: in which steps they grew, `4x8, 6x8` of so many groups of so many."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

STACKED = "stacked"
"""The section of the lock."""

_MOST = 1 << 24
"""More groups or switches than a cluster can have."""


class Step(NamedTuple):
    """So many groups of so many switches."""

    groups: int
    switches: int


def parse_history(word: str) -> tuple[Step, ...]:
    """Return the steps in a text; raises ValueError for one that is no such history."""
    if not word:
        return ()
    try:
        steps = tuple(Step(*map(int, part.split("x"))) for part in word.split(","))
    except (ValueError, TypeError):
        raise ValueError(f"'{word}' is no count of groups and switches such as 4x8, 6x8") from None
    if any(min(step) < 1 or max(step) > _MOST for step in steps):
        raise ValueError(f"'{word}' is no count of groups and switches such as 4x8, 6x8")
    if any(after.groups < before.groups or after.switches < before.switches for before, after in pairwise(steps)):
        raise ValueError(f"'{word}' does not grow from step to step")
    return steps


def format_history(steps: Iterable[Step]) -> str:
    """Return the steps as the lock has them."""
    return ", ".join(f"{step.groups}x{step.switches}" for step in steps)


def add_step(steps: tuple[Step, ...], groups: int, switches: int) -> tuple[Step, ...]:
    """Return the steps with what there is now."""
    last = steps[-1] if steps else Step(0, 0)
    current = Step(max(last.groups, groups), max(last.switches, switches))
    return steps if current == last else (*steps, current)

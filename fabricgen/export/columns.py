"""Columns of text from columns of numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from fabricgen.allocate.pools import dotted
from fabricgen.plan.tables import Ints, Wide


def counted(column: Ints) -> list[str]:
    """Numbers from 1 for a column that counts from 0; "" where it is negative."""
    return [str(value + 1) if value >= 0 else "" for value in column.tolist()]


def positive(column: Ints) -> list[str]:
    """Numbers as they are; "" for 0."""
    return [str(value) if value else "" for value in column.tolist()]


def addresses(column: Wide) -> list[str]:
    """Dotted addresses; "" for 0."""
    return [dotted(value) if value else "" for value in column.tolist()]


def prefixes(column: Wide, length: Wide) -> list[str]:
    """Dotted addresses with their prefix length, "" for 0; halves are spelled once, as most are shared."""
    high, head = np.unique(column >> 16, return_inverse=True)
    low, tail = np.unique((column & 0xFFFF) << 6 | length, return_inverse=True)
    heads = np.array([f"{n >> 8}.{n & 255}." for n in high.tolist()], dtype=object)
    tails = np.array([f"{n >> 14}.{n >> 6 & 255}/{n & 63}" for n in low.tolist()], dtype=object)
    texts = heads[head] + tails[tail]
    texts[column == 0] = ""
    found: list[str] = texts.tolist()
    return found


def picked(names: Any, indexes: Ints) -> list[str]:
    """Names by index, as a list of str; `names` is an object array."""
    found: list[str] = names[indexes].tolist()
    return found

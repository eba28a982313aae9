"""Columns of text from columns of numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from fabricgen.numbering.lazy_columns import EncodedColumn, encoded, encoded_or_empty
from fabricgen.wiring.tables import Ints


def counted(column: Ints) -> EncodedColumn:
    """Numbers from 1 as text, for a column that counts from 0; "" where it is negative."""
    return encoded_or_empty([str(n + 1) for n in range(int(column.max(initial=-1)) + 1)], column)


def positive(column: Ints) -> EncodedColumn:
    """Numbers as text; "" for 0 and below."""
    number = np.maximum(column, 0)
    return encoded(["", *map(str, range(1, int(number.max(initial=0)) + 1))], number)


def picked(names: Any, indexes: Ints) -> list[str]:
    """Names by index, as a list of str; `names` is an object array."""
    found: list[str] = names[indexes].tolist()
    return found


def plain_text(text: str) -> str:
    """Free text changed so that no spreadsheet reads it as a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@")) else text


def end_place(cage: str, port: str, several: bool) -> str:
    """Where a cable end is on its device: the cage, and the port unless the connector carries `several` links."""
    return cage if several else port if port.startswith(cage) else f"{cage} {port}"

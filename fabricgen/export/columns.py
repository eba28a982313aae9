"""Columns of text from columns of numbers."""

from __future__ import annotations

from typing import Any

from fabricgen.plan.tables import Ints


def counted(column: Ints) -> list[str]:
    """Numbers from 1 for a column that counts from 0; "" where it is negative."""
    return [str(value + 1) if value >= 0 else "" for value in column.tolist()]


def positive(column: Ints) -> list[str]:
    """Numbers as they are; "" for 0."""
    return [str(value) if value else "" for value in column.tolist()]


def picked(names: Any, indexes: Ints) -> list[str]:
    """Names by index, as a list of str; `names` is an object array."""
    found: list[str] = names[indexes].tolist()
    return found


def plain_text(text: str) -> str:
    """Free text that no spreadsheet takes for a formula, whatever it begins with."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@")) else text


def end_place(cage: str, port: str, several: bool) -> str:
    """Where an end is on its device: the cage, and its port unless the connector there carries `several`."""
    return cage if several else port if port.startswith(cage) else f"{cage} {port}"

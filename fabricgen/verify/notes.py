"""Notes on what was seen: boxes in words, and long lists cut short."""

from __future__ import annotations

from fabricgen.verify.dumps.sighting import Box

NOTED = 20
"""Notes of one sort are given one by one up to so many."""


def box_text(box: Box, port: str = "") -> str:
    """A box in words."""
    known = [text for text in (box.name, box.chassis, box.address) if text] or [box.file or "a box without a name"]
    told = known[0] + (f" ({', '.join(known[1:])})" if known[1:] else "")
    return f"{told} port {port}" if port else told


def capped(notes: list[str], what: str) -> tuple[str, ...]:
    """Notes of one sort, the last of many as a number."""
    if len(notes) <= NOTED:
        return tuple(notes)
    return (*notes[:NOTED], f"and {len(notes) - NOTED:,} more {what}")


def counted(number: int, what: str, several: str = "") -> str:
    """`1 plug`, `2 plugs`, `1,988 plugs`."""
    return f"{number:,} {what if number == 1 else several or what + 's'}"

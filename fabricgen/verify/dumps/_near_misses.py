"""Outputs that are often kept in place of a dump, and how the dump is made instead."""

from __future__ import annotations

import re

_MADE_SO = (
    (r"^LLDP neighbors:|^lldp\.\S+\.via=|<lldp label=", "text of lldpctl: make the dump with `lldpctl -f json0`"),
    (r"^Last table change time|^Interface \S+ detected \d+ LLDP", "text of EOS: put `| json` behind the command"),
    (
        r"^(?:Device ID|Local Interface) +Local Int",
        "a table that is not read: write it as CSV with the columns device, port, neighbor, neighbor_port",
    ),
)
_LOOKED_AT = 65_536


def suggest_dump(text: str) -> str:
    """A sentence on how to make a dump of which the text says the same; "" where that is not known."""
    for pattern, advice in _MADE_SO:
        if re.search(pattern, text[:_LOOKED_AT], re.MULTILINE):
            return f"this is {advice}"
    return ""

"""What LLDP tells about a neighbour, read into one form."""

from __future__ import annotations

import re
from functools import lru_cache

from fabricgen.verify.dumps.sighting import Box

_MAC = re.compile(r"(?:[0-9a-f]{2}([:-]))(?:[0-9a-f]{2}\1){4}[0-9a-f]{2}|[0-9a-f]{4}(?:[.][0-9a-f]{4}){2}|[0-9a-f]{12}")
_GUID = re.compile(r"(?:0x)?([0-9a-f]{16})|[0-9a-f]{2}(?:[:][0-9a-f]{2}){7}")


@lru_cache(maxsize=100_000)
def make_neighbor(name: str, chassis: str, *addresses: str) -> Box:
    """Make the box of a neighbour from its host name, chassis id and management addresses; "" for what is not told.

    A chassis id that is neither a MAC nor a GUID is taken for the name if there is no other. The first address that is
    not link-local is used.
    """
    number = read_hardware(chassis)
    stripped = (text.strip() for text in addresses)
    # a link-local address means something on its own link only
    address = next((text for text in stripped if text and not text.lower().startswith("fe80:")), "")
    return Box(name.strip() or ("" if number else chassis.strip()), number, address)


def read_hardware(chassis: str) -> str:
    """Return a MAC as aa:bb:cc:dd:ee:ff, a GUID as 0x and 16 digits; "" for any other text."""
    lower = chassis.strip().lower()
    # vendors write colons, dashes, Cisco's dots, or nothing between the digits
    digits = re.sub(r"[^0-9a-f]", "", lower.removeprefix("0x"))
    if _MAC.fullmatch(lower):
        return ":".join(digits[i : i + 2] for i in range(0, 12, 2))
    return f"0x{digits}" if _GUID.fullmatch(lower) else ""

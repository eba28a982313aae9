"""What LLDP tells of a neighbour, in one spelling."""

from __future__ import annotations

import re
from functools import lru_cache

from fabricgen.verify.dumps.sighting import Box

_MAC = re.compile(r"(?:[0-9a-f]{2}([:-]))(?:[0-9a-f]{2}\1){4}[0-9a-f]{2}|[0-9a-f]{4}(?:[.][0-9a-f]{4}){2}|[0-9a-f]{12}")
_GUID = re.compile(r"(?:0x)?([0-9a-f]{16})|[0-9a-f]{2}(?:[:][0-9a-f]{2}){7}")


@lru_cache(maxsize=100_000)
def make_neighbor(name: str, chassis: str, *addresses: str) -> Box:
    """A neighbour of a host name, a chassis id and management addresses as they were told; "" for what was not.

    A chassis id that is neither a MAC nor a GUID is taken for a name where no other was told. Of addresses counts the
    first that others can reach.
    """
    number = read_hardware(chassis)
    stripped = (text.strip() for text in addresses)
    # a link-local address means something on its own link only
    address = next((text for text in stripped if text and not text.lower().startswith("fe80:")), "")
    return Box(name.strip() or ("" if number else chassis.strip()), number, address)


def read_hardware(chassis: str) -> str:
    """A MAC as aa:bb:cc:dd:ee:ff, a GUID as 0x and 16 digits, else ""."""
    lower = chassis.strip().lower()
    # vendors write colons, dashes, dots as Cisco does, or nothing between the digits
    digits = re.sub(r"[^0-9a-f]", "", lower.removeprefix("0x"))
    if _MAC.fullmatch(lower):
        return ":".join(digits[i : i + 2] for i in range(0, 12, 2))
    return f"0x{digits}" if _GUID.fullmatch(lower) else ""

"""NVUE's words for what other NOSes call otherwise."""

from __future__ import annotations

WORDS = {False: "ipv4", True: "ipv6"}
"""NVUE's word for a family, by whether it is IPv6."""


def family(address: str) -> str:
    """NVUE's word for the address family of an address or prefix: `ipv4` or `ipv6`."""
    return WORDS[":" in address]

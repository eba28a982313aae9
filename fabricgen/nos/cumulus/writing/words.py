"""NVUE's words for what other NOSes call otherwise."""

from __future__ import annotations

from fabricgen.render.bgp import is_v6


def family(address: str) -> str:
    """NVUE's word for the address family of an address or prefix: `ipv4` or `ipv6`."""
    return "ipv6" if is_v6(address) else "ipv4"

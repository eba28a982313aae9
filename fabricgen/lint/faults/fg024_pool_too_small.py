"""An address pool is too small."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class PoolTooSmall(Fault):
    """A pool has no free block of the size that is needed.

    Addresses are given in blocks of a power of two, with room for reserves, so that growth changes none; a pool
    must hold the largest of them in a row. Add a prefix of the length that the hint names to the pool (a list may
    have several), or lower a reserve.
    """

    id = "FG024"
    title = "an address pool is too small"
    bad = """
        pools: {hosts: 10.9.0.0/28}  # <-
    """
    good = """
        pools: {hosts: 10.9.0.0/16}
    """

"""FG514: a prefix of a pool is too small to be used."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_network

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Path, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.numbering.addresses.demand import list_pool_demands
from fabricgen.numbering.blocks.family import Family
from fabricgen.numbering.blocks.pools import find_pool_prefixes


class PrefixTooSmall(DesignRule):
    """A pool is a list of prefixes, and one of them is smaller than the smallest block assigned from the pool.

    Blocks are powers of two and lie within one prefix, so this prefix stays empty, and the pool is smaller than it
    looks. Join it with a neighbouring prefix, use it for something else, or remove it.
    """

    severity = Severity.WARNING
    bad = """
        pools:
          hosts: [10.128.0.0/9, 10.64.0.0/30]  # <-
    """
    good = """
        pools: {hosts: [10.128.0.0/9, 10.64.0.0/16]}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag prefixes of pools that are smaller than the smallest block that is taken from the pool."""
        # the smallest block, in addresses, of each pool by its path and the word of the address family
        smallest: dict[tuple[Path, str], tuple[int, Family, tuple[str, ...]]] = {}
        for demand in list_pool_demands(design):
            prefixes, _, path = find_pool_prefixes(design.loaded.blueprint, demand.fabric, demand.pool, demand.family)
            key = (path, demand.family.word)
            block = min(demand.block, smallest[key][0]) if key in smallest else demand.block
            smallest[key] = (block, demand.family, prefixes)
        for (path, _), (block, family, prefixes) in smallest.items():
            length = family.prefix_length(block)
            for prefix in (prefix for prefix in prefixes if ip_network(prefix).num_addresses < block):
                message = f"{prefix} is too small: the smallest block of its pool is a /{length}"
                yield self.flag(path, message, f"use a /{length} or shorter, or remove it")

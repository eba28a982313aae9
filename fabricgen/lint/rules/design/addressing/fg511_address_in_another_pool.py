"""FG511: a device's own address lies in a pool for something else."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.subjects.addressing import is_overlapping, list_drawn_prefixes, list_override_addresses
from fabricgen.models.validation import format_path

_OTHERS = {"loopback": ("fabric", "hosts", "management"), "port": ("loopback",)}
"""The pools that a device's own address must not lie in, by its kind; a management address may lie anywhere."""


class AddressInAnotherPool(DesignRule):
    """`address_of` gives a switch a loopback from a pool for something else, or a link an address of the loopback pool.

    When the pool grows to that address or the block around it, the build stops; until then, filters by pool match
    an address that is not of their kind. Use an address of the right pool, or of no pool.
    """

    severity = Severity.WARNING
    bad = """
        pools: {hosts: 10.128.0.0/9}
        address_of:
          compute-spine-01: {loopback: 10.200.0.1}  # <-
    """
    good = """
        pools: {hosts: 10.128.0.0/9}
        address_of:
          compute-spine-01: {loopback: 10.32.0.1}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag addresses stated for single devices that lie in a pool of `_OTHERS` that is in use."""
        pools = list_drawn_prefixes(design)
        for path, kind, address in list_override_addresses(design):
            for pool, prefix in pools:
                if pool[-1] in _OTHERS.get(kind, ()) and is_overlapping(prefix, address):
                    message = (
                        f"{address.network_address} is in {prefix} of {format_path(pool)}, a pool for something else"
                    )
                    right_pool = "loopback" if kind == "loopback" else "fabric"
                    yield self.flag(path, message, f"use an address of `pools.{right_pool}`, or of no pool")

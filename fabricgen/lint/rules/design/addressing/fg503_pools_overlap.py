"""FG503: two address pools overlap."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.subjects.addressing import is_overlapping, list_default_pools, list_stated_pools


class PoolsOverlap(DesignRule):
    """Two pools that addresses are assigned from share addresses.

    No address is assigned twice, but one pool fills up with the addresses of the other, and filters by pool can no
    longer separate router ids, links and nodes: a filter that passes router ids passes the others too. Use separate
    prefixes.
    """

    counts_ports = False
    severity = Severity.ERROR
    bad = """
        pools:
          loopback: 10.0.0.0/16
          hosts: 10.0.128.0/17  # <-
          fabric: "fd00:1::/48"
          management: "fd00:1:0:8000::/49"  # <-
    """
    good = """
        pools:
          loopback: 10.0.0.0/16
          hosts: [10.128.0.0/9, "fd00:1::/48"]
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Compare all pools of the cluster and its fabrics with each other, and with the defaults in use."""
        stated, defaults = list(list_stated_pools(design)), list(list_default_pools(design))
        for i, (path, prefix) in enumerate(stated):
            for other_path, other_prefix in stated[:i]:
                if is_overlapping(prefix, other_prefix):
                    yield self.flag(path, f"{prefix} overlaps {other_prefix} of {'.'.join(map(str, other_path))}")
            for name, other_prefix in defaults:
                if is_overlapping(prefix, other_prefix):
                    hint = f"set `pools.{name}` too, to another prefix"
                    yield self.flag(path, f"{prefix} overlaps {other_prefix}, the default of pools.{name}", hint)

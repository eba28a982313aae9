"""two address pools overlap."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Network

from fabricgen.blueprint.fabric import Pools
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Path, Severity
from fabricgen.lint.rule import DesignRule


def stated_pools(design: Design) -> Iterator[tuple[Path, IPv4Network]]:
    """(path, prefix) of every pool the blueprint states."""
    blueprint = design.loaded.blueprint
    places: list[tuple[Path, Pools]] = [(("pools",), blueprint.pools)]
    places += [(("fabrics", name, "pools"), fabric.pools) for name, fabric in sorted(blueprint.fabrics.items())]
    for path, pools in places:
        for name, prefixes in pools:
            for prefix in prefixes or ():
                yield (*path, name), IPv4Network(prefix)


class PoolsOverlap(DesignRule):
    """Two pools that addresses are carved from share addresses.

    Each pool is carved by itself, so that an overlap gives two devices one address. Separate the prefixes.
    """

    id = "FG503"
    severity = Severity.ERROR
    title = "two address pools overlap"
    bad = """
        pools:
          loopback: 10.0.0.0/16
          hosts: 10.0.0.0/8  # <-
    """
    good = """
        pools:
          loopback: 10.0.0.0/16
          hosts: 10.128.0.0/9
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Compare all pools stated for the cluster and for its fabrics with each other."""
        stated = list(stated_pools(design))
        for i, (path, prefix) in enumerate(stated):
            for other, taken in stated[:i]:
                if prefix.overlaps(taken):
                    yield self.flag(path, f"{prefix} overlaps {taken} of {'.'.join(map(str, other))}")

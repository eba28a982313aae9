"""two address pools overlap."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Network

from fabricgen.allocate.pools import DEFAULT_POOLS
from fabricgen.allocate.underlay import numbers_links
from fabricgen.blueprint.routing import Pools
from fabricgen.design.fabric_model import FabricDesign
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


def default_pools(design: Design) -> Iterator[tuple[str, IPv4Network]]:
    """(name, prefix) of the built-in pools that a fabric may draw on: neither it nor the cluster states one."""
    blueprint = design.loaded.blueprint
    for name, prefixes in DEFAULT_POOLS.items():
        fabrics = [f.name for f in design.fabrics if f.protocol != "infiniband" and _draws(design, f, name)]
        own = (getattr(blueprint.fabrics[f].pools, name) for f in fabrics)
        if getattr(blueprint.pools, name) is None and (name == "management" or not all(own)):
            yield from ((name, IPv4Network(prefix)) for prefix in prefixes)


def _draws(design: Design, fabric: FabricDesign, pool: str) -> bool:
    """Whether a routed fabric takes addresses from a pool: links between switches only do where they are numbered."""
    if pool != "fabric":
        return True
    return len(fabric.tiers) > 1 and numbers_links(design, fabric)


class PoolsOverlap(DesignRule):
    """Two pools that addresses are carved from share addresses.

    No address is given twice, but one pool fills up with what the other gives away, and filters by pool no longer tell
    router ids, links and nodes apart: what lets router ids out lets those out as well. Separate the prefixes.
    """

    id = "FG503"
    severity = Severity.ERROR
    title = "two address pools overlap"
    bad = """
        pools:
          loopback: 10.0.0.0/16
          hosts: 10.0.128.0/17  # <-
    """
    good = """
        pools:
          loopback: 10.0.0.0/16
          hosts: 10.128.0.0/9
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Compare all pools stated for the cluster and for its fabrics with each other, and with defaults in use."""
        stated = list(stated_pools(design))
        for i, (path, prefix) in enumerate(stated):
            for other, taken in stated[:i]:
                if prefix.overlaps(taken):
                    yield self.flag(path, f"{prefix} overlaps {taken} of {'.'.join(map(str, other))}")
            for name, taken in default_pools(design):
                if prefix.overlaps(taken):
                    hint = f"state `pools.{name}` too, elsewhere"
                    yield self.flag(path, f"{prefix} overlaps {taken}, the default of pools.{name}", hint)

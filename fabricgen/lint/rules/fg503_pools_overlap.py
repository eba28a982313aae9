"""two address pools overlap."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Network, IPv6Network, ip_network

from fabricgen.allocate.family import FAMILIES, ROUTER_ID_BITS, Family, Network, of_family
from fabricgen.allocate.underlay import families, numbers_links
from fabricgen.blueprint.routing import Pools
from fabricgen.design.fabric_model import FabricDesign
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Path, Severity
from fabricgen.lint.rule import DesignRule


def stated_pools(design: Design) -> Iterator[tuple[Path, Network]]:
    """(path, prefix) of every pool the blueprint states."""
    blueprint = design.loaded.blueprint
    places: list[tuple[Path, Pools]] = [(("pools",), blueprint.pools)]
    places += [(("fabrics", name, "pools"), fabric.pools) for name, fabric in sorted(blueprint.fabrics.items())]
    for path, pools in places:
        for name, prefixes in pools:
            for prefix in prefixes or ():
                yield (*path, name), ip_network(prefix)


def overlap(one: Network, other: Network) -> bool:
    """Whether two prefixes share addresses; those of different families never do."""
    if isinstance(one, IPv4Network):
        return isinstance(other, IPv4Network) and one.overlaps(other)
    return isinstance(other, IPv6Network) and one.overlaps(other)


def default_pools(design: Design) -> Iterator[tuple[str, Network]]:
    """(name, prefix) of the built-in pools that a fabric may draw on: neither it nor the cluster states one."""
    return (found for family in FAMILIES for found in _defaults_of(design, family))


def _defaults_of(design: Design, family: Family) -> Iterator[tuple[str, Network]]:
    blueprint = design.loaded.blueprint
    routed = [f for f in design.fabrics if f.protocol != "infiniband"]
    for name, prefixes in family.default_pools.items():
        fabrics = [f.name for f in routed if _draws(design, f, name, family)]
        own = (of_family(getattr(blueprint.fabrics[f].pools, name), family) for f in fabrics)
        in_use = (name == "management" and _manages(design, family)) or not all(own)
        if not of_family(getattr(blueprint.pools, name), family) and in_use:
            yield from ((name, ip_network(prefix)) for prefix in prefixes)


def _manages(design: Design, family: Family) -> bool:
    """Whether management ports may have addresses of a family: of the cluster, or of a fabric that reaches them."""
    return family.word in (design.loaded.blueprint.ip, *(f for each in design.fabrics for f in families(design, each)))


def _draws(design: Design, fabric: FabricDesign, pool: str, family: Family) -> bool:
    """Whether a routed fabric takes addresses of a family from a pool.

    Links between switches only do where they are numbered; router ids are IPv4 whatever the family.
    """
    if family.word not in families(design, fabric):
        return pool == "loopback" and family.bits == ROUTER_ID_BITS
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
          fabric: "fd00:1::/48"
          management: "fd00:1:0:8000::/49"  # <-
    """
    good = """
        pools:
          loopback: 10.0.0.0/16
          hosts: [10.128.0.0/9, "fd00:1::/48"]
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Compare all pools stated for the cluster and for its fabrics with each other, and with defaults in use."""
        stated = list(stated_pools(design))
        for i, (path, prefix) in enumerate(stated):
            for other, taken in stated[:i]:
                if overlap(prefix, taken):
                    yield self.flag(path, f"{prefix} overlaps {taken} of {'.'.join(map(str, other))}")
            for name, taken in default_pools(design):
                if overlap(prefix, taken):
                    hint = f"state `pools.{name}` too, elsewhere"
                    yield self.flag(path, f"{prefix} overlaps {taken}, the default of pools.{name}", hint)

"""Number pools: where addresses and AS numbers are allocated from."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass

from fabricgen.blueprint.beside.lock import interval_text
from fabricgen.blueprint.models import Blueprint
from fabricgen.kernel.diagnostics import Path
from fabricgen.kernel.intervals import Interval, Intervals
from fabricgen.numbering.blocks.family import Family, of_family


@dataclass(frozen=True, slots=True)
class NumberPool:
    """A pool: the kind of number, its name in messages, the intervals it consists of, and its path in the blueprint.

    `code` and `hint` are those of the error for a pool that is too small.
    """

    kind: str
    name: str
    windows: Intervals
    path: Path
    code: str
    hint: str = ""
    wanted: int = 0
    """The numbers that all users of the pool together ask for; 0 where that is not known."""

    @property
    def text(self) -> str:
        """The intervals of the pool, as text."""
        return ", ".join(interval_text(self.kind, window) for window in self.windows)


def pool_prefixes(blueprint: Blueprint, fabric: str, name: str, family: Family) -> tuple[tuple[str, ...], str, Path]:
    """(prefixes, name, path) of a pool in one family: the fabric's own, the cluster's, or the default one.

    `fabric` is "" for the cluster.
    """
    own = of_family(getattr(blueprint.fabrics[fabric].pools, name), family) if fabric else ()
    if own:
        return own, f"{fabric}.{name}", ("fabrics", fabric, "pools", name)
    return of_family(getattr(blueprint.pools, name), family) or family.default_pools[name], name, ("pools", name)


def pool(blueprint: Blueprint, fabric: str, name: str, family: Family) -> NumberPool:
    """The pool of a name that a fabric draws on in one family: its own, the cluster's (for fabric ""), the default."""
    prefixes, shown, path = pool_prefixes(blueprint, fabric, name, family)
    networks = [ipaddress.ip_network(prefix) for prefix in prefixes]
    windows = tuple(Interval(int(network.network_address), network.num_addresses) for network in networks)
    return NumberPool(family.kind, f"pool {shown}", windows, path, "FG024")

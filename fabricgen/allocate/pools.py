"""Pools: the prefixes that addresses come from."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass

from fabricgen.blueprint.lock import extent_text
from fabricgen.blueprint.models import Blueprint
from fabricgen.kernel.diagnostics import Path
from fabricgen.kernel.extents import Extent, Extents

DEFAULT_POOLS: dict[str, tuple[str, ...]] = {
    "loopback": ("10.0.0.0/12",),
    "management": ("10.16.0.0/12",),
    "fabric": ("10.64.0.0/10",),
    "hosts": ("10.128.0.0/9",),
}
"""Pools where a blueprint states none (RFC 1918 space)."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where numbers come from: a pool by its name in the blueprint, the windows it consists of, and its place."""

    kind: str
    name: str
    windows: Extents
    path: Path
    code: str
    hint: str = ""

    @property
    def text(self) -> str:
        """Its windows, in words."""
        return ", ".join(extent_text(self.kind, window) for window in self.windows)


def pool(blueprint: Blueprint, fabric: str, name: str) -> Source:
    """The pool of a name that a fabric draws on: its own, the cluster's (also for fabric ""), or the default."""
    own = getattr(blueprint.fabrics[fabric].pools, name) if fabric else None
    prefixes = own or getattr(blueprint.pools, name) or DEFAULT_POOLS[name]
    networks = [ipaddress.IPv4Network(prefix) for prefix in prefixes]
    windows = tuple(Extent(int(network.network_address), network.num_addresses) for network in networks)
    return Source(
        "ipv4",
        f"pool {fabric + '.' if own else ''}{name}",
        windows,
        ("fabrics", fabric, "pools", name) if own else ("pools", name),
        "FG024",
    )


def dotted(address: int) -> str:
    """An IPv4 address held as an integer, in dotted form."""
    return f"{address >> 24}.{address >> 16 & 255}.{address >> 8 & 255}.{address & 255}"

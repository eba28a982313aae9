"""Pools: prefixes from which blocks of a power of two are carved, in a fixed order."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field

from fabricgen.kernel.diagnostics import Path, fault

DEFAULT_POOLS: dict[str, tuple[str, ...]] = {
    "loopback": ("10.0.0.0/12",),
    "management": ("10.16.0.0/12",),
    "fabric": ("10.64.0.0/10",),
    "hosts": ("10.128.0.0/9",),
}
"""Pools where a blueprint states none (RFC 1918 space)."""


@dataclass
class Carver:
    """Hands out aligned blocks of IPv4 addresses from a pool's prefixes."""

    name: str
    prefixes: tuple[str, ...]
    path: Path
    _prefix: int = field(default=0, init=False)
    _next: int = field(default=0, init=False)

    def take(self, size: int, what: str) -> int:
        """Return the first address of the next free block of `size` addresses, a power of two.

        Raises InputError, with what is needed and what is there, when the pool has no such block left.
        """
        networks = [ipaddress.IPv4Network(prefix) for prefix in self.prefixes]
        for i in range(self._prefix, len(networks)):
            first = int(networks[i].network_address)
            free = max(first, self._next) if i == self._prefix else first
            start = -(-free // size) * size
            if start + size <= first + networks[i].num_addresses:
                self._prefix, self._next = i, start + size
                return start
        total = sum(n.num_addresses for n in networks)
        largest = max(n.num_addresses for n in networks)
        raise fault(
            "FG024",
            f"pool {self.name} ({', '.join(self.prefixes)}, {total} addresses) has no free block of {size} for {what}",
            path=self.path,
            hint=f"add a prefix of /{32 - (max(size, largest) - 1).bit_length()} or shorter to the pool",
        )


class Pools:
    """The carvers of a cluster: a fabric with a pool of its own draws from that, the others share."""

    def __init__(self, shared: dict[str, tuple[str, ...] | None]) -> None:
        self._shared = {
            name: Carver(name, shared.get(name) or default, ("pools", name)) for name, default in DEFAULT_POOLS.items()
        }
        self._own: dict[tuple[str, str], Carver] = {}

    def get(self, name: str, fabric: str = "", own: tuple[str, ...] | None = None) -> Carver:
        """The carver of a pool, or of a fabric's own pool of that name."""
        if own is None:
            return self._shared[name]
        return self._own.setdefault((fabric, name), Carver(f"{fabric}.{name}", own, ("fabrics", fabric, "pools", name)))


def dotted(address: int) -> str:
    """An IPv4 address held as an integer, in dotted form."""
    return f"{address >> 24}.{address >> 16 & 255}.{address >> 8 & 255}.{address & 255}"

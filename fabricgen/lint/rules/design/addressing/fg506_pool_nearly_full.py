"""FG506: a pool is nearly full with the declared growth."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from ipaddress import ip_network
from typing import NamedTuple

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Path, Severity
from fabricgen.kernel.intervals import Intervals, count_numbers
from fabricgen.lint.rule import DesignRule
from fabricgen.numbering.addresses.demand import list_pool_demands
from fabricgen.numbering.asn import list_asn_demands
from fabricgen.numbering.blocks.family import Family
from fabricgen.numbering.blocks.pools import find_pool_prefixes


class PoolUse(NamedTuple):
    """How many addresses or AS numbers of a pool are used now, and with every reserved slot filled."""

    path: Path
    name: str
    family: Family | None
    """The address family; None for AS numbers."""
    size: int
    now: int = 0
    reserved: int = 0
    """How many are used with every reserved slot filled."""

    @property
    def share(self) -> Fraction:
        """The share of the pool, between 0 and 1 or above, that is used with every reserved slot filled."""
        return Fraction(self.reserved, self.size)

    def add(self, now: int, reserved: int) -> PoolUse:
        """Return the use with further numbers."""
        return self._replace(now=self.now + now, reserved=self.reserved + reserved)


def list_pool_uses(design: Design) -> tuple[PoolUse, ...]:
    """Return the use of every address pool, by address family."""
    uses: dict[tuple[Path, str], PoolUse] = {}
    for demand in list_pool_demands(design):
        prefixes, name, path = find_pool_prefixes(design.loaded.blueprint, demand.fabric, demand.pool, demand.family)
        size = sum(ip_network(prefix).num_addresses for prefix in prefixes)
        unused = PoolUse(path, f"pool {name} ({', '.join(prefixes)})", demand.family, size)
        key = (path, demand.family.word)
        uses[key] = uses.get(key, unused).add(demand.now, demand.reserved)
    return tuple(uses.values())


def list_asn_uses(design: Design) -> tuple[PoolUse, ...]:
    """Return the use of every range of AS numbers."""
    uses: dict[tuple[Path, Intervals], PoolUse] = {}
    for demand in list_asn_demands(design):
        subject = f"AS numbers of {demand.tier}" if demand.path[-1] != "pool" else "AS number pool"
        ranges = ", ".join(f"{window.first}-{window.end - 1}" for window in demand.windows)
        unused = PoolUse(demand.path, f"{subject} ({ranges})", None, count_numbers(demand.windows))
        key = (demand.path, demand.windows)
        uses[key] = uses.get(key, unused).add(demand.now, demand.reserved)
    return tuple(use for use in uses.values() if use.size)


class PoolNearlyFull(DesignRule):
    """With all reserved slots filled, a pool is used beyond a share: 80%, or `lint.limits.pool_use`.

    A fabric, tier or unit that comes later then finds no contiguous block left, and a running fabric has to be
    renumbered, which an address plan is there to avoid (RFC 6177 and RFC 3531 argue for room at every level). State
    a shorter prefix, or another one, while the pool is empty.
    """

    severity = Severity.WARNING
    bad = """
        pods: {p1: {su: 1, reserve: 16}}
        pools:
          hosts: 10.128.0.0/17  # <-
        routing:
          asn: {pool: 64512-64650}  # <-
    """
    good = """
        pods: {p1: {su: 1, reserve: 16}}
        pools: {hosts: 10.128.0.0/16}
        routing: {asn: {pool: 64512-65534}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Compare the demand on each pool, with every reserved slot filled, with the limit."""
        limit = Fraction(design.loaded.limits.pool_use).limit_denominator(10_000)
        for use in (*list_pool_uses(design), *list_asn_uses(design)):
            if use.share > limit:
                unit = "addresses" if use.family else "numbers"
                yield self.flag(
                    use.path,
                    f"{use.name} has {_write_count(use.size)} {unit}: {_write_count(use.now)} are used now "
                    f"({_format_share(Fraction(use.now, use.size))}), {_write_count(use.reserved)} with reserved slots "
                    f"({_format_share(use.share)}; the limit is {_format_share(limit)})",
                    _suggest_size(use, limit),
                )


def _suggest_size(use: PoolUse, limit: Fraction) -> str:
    """Return the hint with the least size of a pool that keeps the limit: how many AS numbers, or a prefix length."""
    if not limit:
        return "raise `lint: {limits: {pool_use}}`: no pool is large enough for a limit of 0%"
    needed = -(-use.reserved // limit)
    if use.family is None:
        return f"state {needed} numbers or more; 4200000000-4294967294 is private (RFC 6996)"
    length = use.family.bits - (int(needed) - 1).bit_length()
    or_fill_it = "; where that is all there will be, `lint: {limits: {pool_use: 100%}}`" if use.share <= 1 else ""
    return f"state a /{length} or shorter{or_fill_it}"


def _format_share(share: Fraction) -> str:
    return f"{float(share):.0%}"


def _write_count(count: int) -> str:
    """Return a count in digits; from 2^40 on the power of two below it, with "+" unless it is that power."""
    return str(count) if count < 1 << 40 else f"2^{count.bit_length() - 1}" + ("" if count & count - 1 == 0 else "+")

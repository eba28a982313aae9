"""The fewest prefixes that cover all nodes of a fabric; they stay the same when the fabric grows."""

from __future__ import annotations

from collections.abc import Collection
from ipaddress import IPv4Address, IPv4Network, IPv6Address, collapse_addresses, ip_network, summarize_address_range
from typing import cast

from fabricgen.blueprint.beside.lock import Lock
from fabricgen.design.fabric_model import FabricDesign
from fabricgen.design.model import Design
from fabricgen.kernel.intervals import Interval
from fabricgen.numbering.blocks.family import ROUTER_ID_BITS, Family, Network
from fabricgen.numbering.blocks.pools import pool_prefixes
from fabricgen.numbering.underlay import families, is_management


def nodes_in(fabric: str) -> str:
    """The part of a block's name by which the blocks of a fabric's nodes are recognised."""
    return f"nodes of {fabric} in "


def node_prefixes(
    design: Design, lock: Lock, used: Collection[tuple[str, str]], fabric: FabricDesign, family: Family
) -> tuple[str, ...]:
    """Prefixes of one family that cover all nodes of a fabric and no node of another; as text, ascending.

    They are the fabric's pool if no other fabric uses it, else the fabric's blocks in the lock, reserved slots
    included. `used` are (kind of number, name) of the holders in the lock that are in use.
    """
    if family.word not in families(design, fabric):
        return ()
    own = _pools(design, fabric, family)
    others = [f for f in design.fabrics if f is not fabric and family.word in families(design, f)]
    if any(a.overlaps(b) for f in others for a in own for b in _pools(design, f, family)):
        names = [n for n in lock.of(family.kind) if f" {nodes_in(fabric.name)}" in n and (family.kind, n) in used]
        own = [prefix for n in names for interval in lock.of(family.kind)[n] for prefix in _prefixes(family, interval)]
    # All are of one family, which the type of a network does not say.
    return tuple(str(prefix) for prefix in collapse_addresses(cast("list[IPv4Network]", own)))


def _pools(design: Design, fabric: FabricDesign, family: Family) -> list[Network]:
    name = "management" if is_management(fabric) else "hosts"
    return [ip_network(text) for text in pool_prefixes(design.loaded.blueprint, fabric.name, name, family)[0]]


def _prefixes(family: Family, interval: Interval) -> list[Network]:
    """The fewest prefixes that make up consecutive addresses."""
    first, last = interval.first, interval.end - 1
    if family.bits == ROUTER_ID_BITS:
        return [*summarize_address_range(IPv4Address(first), IPv4Address(last))]
    return [*summarize_address_range(IPv6Address(first), IPv6Address(last))]

"""The ways out of a design by what they are ways out of, for the rules on exits."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_network

from fabricgen.design.extras.exits import ExitDesign, list_exits
from fabricgen.design.linked import group_linked_fabrics
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Path
from fabricgen.lint.subjects.addressing import is_within
from fabricgen.numbering.addresses.demand import list_pool_demands
from fabricgen.numbering.blocks.family import Network
from fabricgen.numbering.blocks.pools import find_pool_prefixes


def group_exits(design: Design) -> list[list[ExitDesign]]:
    """Return groups of exits that share a VRF of linked fabrics, so that one exit may stand in for another."""
    groups: dict[tuple[int, str], list[ExitDesign]] = {}
    parts = {name: i for i, part in enumerate(group_linked_fabrics(design.loaded.blueprint.fabrics)) for name in part}
    for exit_ in list_exits(design):
        groups.setdefault((parts[exit_.fabric.name], exit_.vrf), []).append(exit_)
    return list(groups.values())


def is_led_out(design: Design, fabric: str, vrf: str, address: Network) -> bool:
    """Whether an exit of a fabric, or of one linked with it, leads from a VRF to an address."""
    return any(list_exits_towards(design, fabric, vrf, address))


def list_exits_towards(design: Design, fabric: str, vrf: str, address: Network) -> Iterator[tuple[ExitDesign, Network]]:
    """Yield (exit, accepted prefix) by which a VRF reaches an address, through this fabric or one linked with it."""
    linked = next(part for part in group_linked_fabrics(design.loaded.blueprint.fabrics) if fabric in part)
    for exit_ in list_exits(design):
        if exit_.fabric.name in linked and exit_.vrf == vrf:
            from fabricgen.views.exits import list_accepted_prefixes

            prefixes = (ip_network(outside.prefix) for outside in list_accepted_prefixes(exit_))
            yield from ((exit_, prefix) for prefix in prefixes if is_within(address, prefix))


def list_host_prefixes(design: Design, exit_: ExitDesign) -> Iterator[Network]:
    """Yield the pool prefixes of the hosts in the exit's own fabric; linked fabrics may keep their hosts inside."""
    demands = (
        d for d in list_pool_demands(design) if d.pool in ("hosts", "management") and d.fabric == exit_.fabric.name
    )
    takers = {(d.pool, d.family.word): d.family for d in demands}
    for (pool, _), family in sorted(takers.items(), key=lambda taker: taker[0]):
        yield from map(ip_network, find_pool_prefixes(design.loaded.blueprint, exit_.fabric.name, pool, family)[0])


def make_entry_path(exit_: ExitDesign, key: str, index: int, count: int) -> Path:
    """The path of an entry of a list, or of the key where it has one entry, which may stand without brackets."""
    return (*exit_.path, key, index) if count > 1 else (*exit_.path, key)

"""The exits of a design, which addresses they lead to, and which VRFs and hosts they serve, for the rules on exits."""

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
    linked_fabrics = group_linked_fabrics(design.loaded.blueprint.fabrics)
    group_of_fabric = {name: i for i, names in enumerate(linked_fabrics) for name in names}
    for exit_ in list_exits(design):
        groups.setdefault((group_of_fabric[exit_.fabric.name], exit_.vrf), []).append(exit_)
    return list(groups.values())


def is_led_out(design: Design, fabric: str, vrf: str, address: Network) -> bool:
    """Whether an exit of a fabric, or of a fabric linked with it, leads from a VRF to an address."""
    return any(list_exits_towards(design, fabric, vrf, address))


def list_exits_towards(design: Design, fabric: str, vrf: str, address: Network) -> Iterator[tuple[ExitDesign, Network]]:
    """Yield (exit, accepted prefix) by which a VRF reaches an address, through this fabric or one linked with it."""
    linked = next(names for names in group_linked_fabrics(design.loaded.blueprint.fabrics) if fabric in names)
    for exit_ in list_exits(design):
        if exit_.fabric.name in linked and exit_.vrf == vrf:
            from fabricgen.views.exits import list_accepted_prefixes

            prefixes = (ip_network(outside.prefix) for outside in list_accepted_prefixes(exit_))
            yield from ((exit_, prefix) for prefix in prefixes if is_within(address, prefix))


def list_host_prefixes(design: Design, exit_: ExitDesign) -> Iterator[Network]:
    """Yield the prefixes of the pools that the hosts in the exit's own fabric take addresses from.

    Hosts of linked fabrics are left out, since these may keep them inside.
    """
    fabric = exit_.fabric.name
    demands = (d for d in list_pool_demands(design) if d.pool in ("hosts", "management") and d.fabric == fabric)
    families = {(d.pool, d.family.word): d.family for d in demands}
    for pool, word in sorted(families):
        prefixes = find_pool_prefixes(design.loaded.blueprint, fabric, pool, families[pool, word])[0]
        yield from map(ip_network, prefixes)


def make_entry_path(exit_: ExitDesign, key: str, index: int, count: int) -> Path:
    """Return the path of entry `index` of a list with `count` entries under a key of an exit.

    For a list of one entry, which may be written without brackets, it is the path of the key.
    """
    return (*exit_.path, key, index) if count > 1 else (*exit_.path, key)

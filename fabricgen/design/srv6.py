"""What SRv6 requires of a fabric: IPv6 addresses, routed hosts, and paths whose identifiers fit into one address.

An address holds the block and then identifiers, of which each switch removes the first (NEXT-C-SID, RFC 9800, 4.1). Up
to six identifiers of 16 bits stand behind a block of 32, and no header but the outer IPv6 header is needed (RFC 8986,
5.2: H.Encaps.Red with one segment). From the sender's leaf to the receiver each switch of the path has an identifier,
and so has the last port (draft-filsfils-srv6ops-srv6-ai-backend; srv6-sonic/oss-eu-2025, use-cases/SRv6-AI-Backend).
"""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_network

from fabricgen.blueprint.sections.routing import Srv6
from fabricgen.design.fabric_model import FabricDesign
from fabricgen.design.linked import find_fabric_ip, find_fabric_underlay
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Path, fault

CODE = "FG127"

IDENTIFIER_BITS = 16

FIRST_LOCAL, LOCALS = 0xE000, 0x2000
"""The first identifier that is local to a switch, and how many local ones there are: FRR divides them in this way
(usid-f3216: zebra, zebra_srv6.h), and so do other vendors (GIB and LIB of RFC 9800, 10)."""

CAGE_LOCALS = 8
"""How many local identifiers are kept for each cage: the most ports that a cage has."""

NO_SRV6 = Srv6.model_construct()


def find_srv6(design: Design, fabric: FabricDesign) -> Srv6:
    """Return the SRv6 settings of a fabric: its own, else those of the cluster."""
    blueprint = design.loaded.blueprint
    return blueprint.fabrics[fabric.name].routing.srv6 or blueprint.routing.srv6 or NO_SRV6


def uses_srv6(design: Design, fabric: FabricDesign) -> bool:
    """Whether the underlay of a fabric is SRv6: NICs write the switches of its path into each packet."""
    return fabric.protocol != "infiniband" and find_fabric_underlay(design.loaded.blueprint, fabric.name) == "srv6"


def names_each_link(design: Design, fabric: FabricDesign) -> bool:
    """Whether the identifiers that NICs name fix every link of a path: links have identifiers, or one link joins two
    switches.
    """
    links_of_pairs = (tier.uplink.count_links_to(0) for tier in fabric.tiers if tier.uplink)
    return uses_srv6(design, fabric) and (find_srv6(design, fabric).links or max(links_of_pairs, default=1) == 1)


def count_path_identifiers(design: Design, fabric: FabricDesign) -> int:
    """Return how many identifiers the longest path has: for the switches up and down again, or with `links` for the
    links between them, and for the port at its end.
    """
    levels_up = max((design.levels[tier.key] for tier in fabric.tiers), default=0)
    return 2 * levels_up + (1 if find_srv6(design, fabric).links else 2)


def check_srv6(design: Design) -> None:
    """Raise InputError (FG127) for the first fabric in which SRv6 cannot run as it is stated."""
    for fabric in design.fabrics:
        if uses_srv6(design, fabric) and (faults := list(_list_faults(design, fabric))):
            raise InputError(faults)


def _list_faults(design: Design, fabric: FabricDesign) -> Iterator[Diagnostic]:
    """Yield the faults that prevent SRv6 in a fabric, each with its place."""
    name, blueprint = fabric.name, design.loaded.blueprint
    ip, srv6 = find_fabric_ip(blueprint, name), find_srv6(design, fabric)
    of_fabric = blueprint.fabrics[name].routing.underlay is not None
    underlay_path: Path = (*(fabric.path if of_fabric else ()), "routing", "underlay")
    if ip == "v4":
        hint = "state `ip: v6`, or `dual` for hosts with both"
        yield from fault(CODE, f"{name} has no IPv6, in which SRv6 travels", path=underlay_path, hint=hint).diagnostics
    if fabric.hosts != "routed":
        message = f"hosts of {name} are not routed (`hosts: {fabric.hosts}`), and SRv6 ends at a port of each"
        hint = "state `hosts: routed`, or `underlay: srv6` in the fabrics alone that have it"
        yield from fault(CODE, message, path=underlay_path, hint=hint).diagnostics
    sharing = [f.name for f in design.fabrics if name in (f.carrier, f.name) and (f.carrier or f.vrf)]
    if sharing:
        message = f"{sharing[0]} shares switches with another fabric, and SRv6 is that of one"
        yield from fault(CODE, message, path=("fabrics", sharing[0])).diagnostics
    max_identifiers, needed = (128 - srv6.block_bits) // IDENTIFIER_BITS, count_path_identifiers(design, fabric)
    if needed > max_identifiers:
        message = (
            f"the longest path of {name} has {needed} identifiers, and {srv6.format} has room for {max_identifiers}"
        )
        hint = "take fewer tiers" + (", or f3216" if srv6.block_bits > 32 else "")
        yield from fault(CODE, message, path=underlay_path, hint=hint).diagnostics
    for tier in fabric.tiers:
        runs = [*tier.downs, *([tier.up] if tier.up else [])]
        cages = max((max(run.cages, default=0) for run in runs), default=0)
        if cages * CAGE_LOCALS > LOCALS or any(run.ways > CAGE_LOCALS for run in runs):
            message = f"{tier.text} has {cages} cages, or more than {CAGE_LOCALS} ports in one, and SRv6 has {LOCALS} "
            yield from fault(CODE, message + "identifiers for the ports of a switch", path=tier.path).diagnostics
    yield from _check_block(design, fabric, srv6)


def _check_block(design: Design, fabric: FabricDesign, srv6: Srv6) -> Iterator[Diagnostic]:
    """Yield a fault if the block of identifiers is not one IPv6 prefix of the format's length."""
    blueprint = design.loaded.blueprint
    fabric_prefixes = blueprint.fabrics[fabric.name].pools.srv6
    path: Path = (*(fabric.path if fabric_prefixes else ()), "pools", "srv6")
    prefixes = fabric_prefixes or blueprint.pools.srv6
    if not prefixes and srv6.block_bits != 32:
        message = f"{fabric.name} has identifiers of {srv6.format}, and no block of {srv6.block_bits} bits"
        hint = f"state `pools: {{srv6: ...}}` with a /{srv6.block_bits}"
        yield from fault(CODE, message, path=(*fabric.path, "routing"), hint=hint).diagnostics
    elif prefixes and [(p.version, p.prefixlen) for p in map(ip_network, prefixes)] != [(6, srv6.block_bits)]:
        message = f"the block of SRv6 identifiers is one IPv6 prefix of /{srv6.block_bits} in {srv6.format}"
        yield from fault(CODE, f"{message}, not {', '.join(prefixes)}", path=path).diagnostics

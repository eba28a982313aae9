"""The ports of a tier's switches that are kept for a named purpose."""

from typing import NamedTuple

from fabricgen.design.fabric_model import TierDesign, find_port
from fabricgen.design.model import Design
from fabricgen.design.sizing.spread import make_run_ports
from fabricgen.kernel.diagnostics import fault


class ReservedPort(NamedTuple):
    """A reserved port, the same on every switch of a tier."""

    cage: int
    sub: int
    """Its number in the cage, from 0."""
    ways: int
    """Into how many ports the cage is split."""
    purpose: str


def list_reserved_ports(design: Design, tier: TierDesign) -> tuple[ReservedPort, ...]:
    """Return the reserved ports of a tier in the order of the front panel; raises InputError (FG064) if too few are
    free.

    A purpose states its cages, or how many ports it wants. Wanted ports are the last ones of the first kind of down
    ports that nothing uses on any switch, on free connectors first.
    """
    reserved = [ReservedPort(cage, 0, 1, purpose) for purpose, _, cages in tier.reserved for cage in cages]
    purposes = [purpose for purpose, port_count, _ in tier.reserved for _ in range(port_count)]
    free = _list_free_ports(design, tier) if purposes else []
    if len(free) < len(purposes):
        raise fault(
            "FG064",
            f"{len(purposes)} ports are reserved on each {tier.name} switch, and {len(free)} are free on all of them",
            path=(*tier.path, "reserved_ports"),
            hint="reserve fewer, state the cages, or move devices that the lock keeps on the last ports",
        )
    for purpose, port in zip(purposes, sorted(free[: len(purposes)]), strict=True):
        run = tier.downs[0]
        reserved.append(ReservedPort(run.cages[port // run.ways], port % run.ways, run.ways, purpose))
    return tuple(sorted(reserved, key=lambda port: (port.cage, port.sub)))


def _list_free_ports(design: Design, tier: TierDesign) -> list[int]:
    """Return the down ports of the first kind that nothing uses on any switch: those on connectors without a port in
    use, then the others, each from the last port downwards.
    """
    if not tier.downs:
        return []
    run = tier.downs[0]
    used = {port for feed in tier.feeds if feed.run == 0 for port in make_run_ports(tier, 0).list_ports_of(feed)}
    for fabric in design.fabrics:
        for node_feed in fabric.feeds_of(tier.key):
            if node_feed.run == 0:
                used |= {find_port(node_feed.first, node_feed.jumps, index) for index in range(node_feed.per_switch)}
        for extra in fabric.extras:
            if extra.tier == tier.key and extra.run == 0:
                used |= {link.slot for link in extra.links}
    free = [port for port in range(run.numbers) if port not in used and run.cages[port // run.ways]]
    used_connectors = {port // run.links_per_connector for port in used}
    # False sorts before True: connectors that nothing uses come first, and of each kind the last ports
    return sorted(free, key=lambda port: (port // run.links_per_connector in used_connectors, -port))


def check_reserved(design: Design) -> None:
    """Raise InputError (FG064) if ports that are to be kept for a purpose are in use."""
    for tier in design.tiers:
        list_reserved_ports(design, tier)


def count_spare_ports(tier: TierDesign) -> int:
    """Return how many down ports, of all kinds, of the fullest switch are neither in use, nor numbered for reserved
    slots, nor kept for a purpose.
    """
    free = sum(run.capacity - max(numbered, run.count) for run, numbered in zip(tier.downs, tier.numbered, strict=True))
    return free - sum(ports for _, ports, _ in tier.reserved)


def count_ports(tier: TierDesign) -> int:
    """Return how many ports a switch has as its cages are split: down, peer and up."""
    return sum(run.capacity for run in (*tier.downs, *tier.switch_runs))

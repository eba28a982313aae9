"""A consequence in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from fabricgen.verify.actions import Consequence
from fabricgen.verify.sightings import format_count

MOST_PAIRS = 2
"""The most pairs of switches that are named for having more or fewer links; an exchanged switch has hundreds."""


def describe_consequence(consequence: Consequence) -> str:
    """Return a consequence in words; "" if it was not computed."""
    return "; ".join(_list_parts(consequence))


def _list_parts(consequence: Consequence) -> Iterator[str]:
    """Yield the phrases of a consequence, the costliest kind first: crossings, Gb/s, uplinks, pairs, GPUs, nodes."""
    if not consequence.links:
        return
    yield from _list_crossings(consequence)
    yield from (f"{amount} lost" for amount in _format_amounts(consequence.lost_gbps))
    yield from (f"{amount} on a wrong path" for amount in _format_amounts(consequence.astray_gbps))
    for switch, lost, planned in consequence.uplinks:
        yield f"{switch} has {planned - lost} of {planned} uplinks ({lost / planned:.1%} less)"
    for switch, other_switch, links_there, planned in consequence.uneven[:MOST_PAIRS]:
        are = "is" if planned == 1 else "are"
        yield f"{switch} has {format_count(links_there, 'link')} to {other_switch} where {planned} {are} planned"
    if len(consequence.uneven) > MOST_PAIRS:
        more_pairs = format_count(len(consequence.uneven) - MOST_PAIRS, "more pair")
        yield f"{more_pairs} of switches with other numbers of links"
    if not consequence.lost_gbps and not consequence.astray_gbps:
        yield "no bandwidth lost: the same devices are joined, by other ports"
        yield "where these have addresses of their own, sessions stay down"
    if consequence.accelerators:
        yield f"{format_count(consequence.accelerators, 'GPU')} of {format_count(consequence.nodes, 'node')} affected"
    elif consequence.nodes:
        yield f"{format_count(consequence.nodes, 'node')} affected"


def _list_crossings(consequence: Consequence) -> Iterator[str]:
    """Yield a phrase for crossed rails, for crossed planes and for each pair of crossed fabrics, with the effect."""
    if consequence.rails:
        of_nodes = any(" node-" in tiers for tiers in (*consequence.lost_gbps, *consequence.astray_gbps))
        effect = "collectives on them leave their leaf" if of_nodes else "traffic of one reaches switches of another"
        yield f"rails crossed ({_format_pairs(consequence.rails)}): {effect}"
    if consequence.planes:
        planes = _format_pairs(consequence.planes)
        yield f"planes crossed ({planes}): these ports reach no other port of their own plane"
    for planned, seen_fabric in consequence.fabrics:
        yield f"cables of {planned} end in ports of {seen_fabric}"


def _format_pairs(crossed: Iterable[tuple[str, int, int]]) -> str:
    """Return crossings in words: `compute 1<->3` if both directions are crossed, else `compute 1->3`."""
    pairs = set(crossed)
    return ", ".join(
        f"{fabric} {planned}{'<->' if (fabric, seen, planned) in pairs else '->'}{seen}"
        for fabric, planned, seen in sorted(pairs)
        # of a pair that is crossed in both directions only the lower first
        if (fabric, seen, planned) not in pairs or planned < seen
    )


def _format_amounts(gbps: Mapping[str, float]) -> Iterator[str]:
    for fabric_and_tiers, amount in gbps.items():
        fabric, _, tiers = fabric_and_tiers.rpartition(" ")
        yield f"{amount:,.10g} Gb/s of {fabric} ({tiers})"

"""A consequence in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from fabricgen.verify.actions import Consequence
from fabricgen.verify.sightings import counted

MOST_PAIRS = 2
"""Pairs of switches with other numbers of links are named so many; an exchanged switch has hundreds."""


def consequence_text(consequence: Consequence) -> str:
    """What it costs, for people; "" where that was not computed."""
    return "; ".join(_parts(consequence))


def _parts(found: Consequence) -> Iterator[str]:
    if not found.links:
        return
    yield from _crossed(found)
    yield from (f"{amount} lost" for amount in _amounts(found.lost_gbps))
    yield from (f"{amount} on a wrong path" for amount in _amounts(found.astray_gbps))
    for switch, lost, planned in found.uplinks:
        yield f"{switch} has {planned - lost} of {planned} uplinks ({lost / planned:.1%} less)"
    for switch, other, there, planned in found.uneven[:MOST_PAIRS]:
        are = "is" if planned == 1 else "are"
        yield f"{switch} has {counted(there, 'link')} to {other} where {planned} {are} planned"
    if len(found.uneven) > MOST_PAIRS:
        yield f"{counted(len(found.uneven) - MOST_PAIRS, 'more pair')} of switches with other numbers of links"
    if not found.lost_gbps and not found.astray_gbps:
        yield "no bandwidth lost: the same devices are joined, by other ports"
        yield "where these have addresses of their own, sessions stay down"
    if found.accelerators:
        yield f"{counted(found.accelerators, 'GPU')} of {counted(found.nodes, 'node')} affected"
    elif found.nodes:
        yield f"{counted(found.nodes, 'node')} affected"


def _crossed(found: Consequence) -> Iterator[str]:
    if found.rails:
        of_nodes = any(" node-" in tiers for tiers in (*found.lost_gbps, *found.astray_gbps))
        what = "collectives on them leave their leaf" if of_nodes else "traffic of one reaches switches of another"
        yield f"rails crossed ({_pairs(found.rails)}): {what}"
    if found.planes:
        yield f"planes crossed ({_pairs(found.planes)}): these ports reach no other port of their own plane"
    for planned, seen in found.fabrics:
        yield f"cables of {planned} end in ports of {seen}"


def _pairs(crossed: Iterable[tuple[str, int, int]]) -> str:
    """`compute 1<->3`, where both are crossed, else `compute 1->3`."""
    found = set(crossed)
    both = sorted(one for one in found if (one[0], one[2], one[1]) not in found or one[1] < one[2])
    return ", ".join(f"{f} {a}{'<->' if (f, b, a) in found else '->'}{b}" for f, a, b in both)


def _amounts(gbps: Mapping[str, float]) -> Iterator[str]:
    for where, amount in gbps.items():
        fabric, _, tiers = where.rpartition(" ")
        yield f"{amount:,.10g} Gb/s of {fabric} ({tiers})"

"""Groups of nodes as a tree for each network: logical leaves with their nodes, and what joins them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from fabricgen.export.locality.model import Locality


@dataclass(frozen=True, slots=True)
class Leaf:
    """A logical leaf: names of the groups that it is in, itself first, its nodes by index, and its network's number."""

    path: tuple[str, ...]
    nodes: tuple[int, ...]
    root: int


@dataclass(frozen=True, slots=True)
class Branch:
    """A group with the nodes of a logical leaf by index, or with the names of the branches that it joins."""

    name: str
    nodes: tuple[int, ...] = ()
    below: tuple[str, ...] = ()


def leaves(found: Locality) -> Iterator[Leaf]:
    """The logical leaves, those of a group beside each other."""
    held: dict[int, list[int]] = {}
    for node, group in zip(found.order.tolist(), found.tiers[0].group[found.order].tolist(), strict=True):
        held.setdefault(group, []).append(node)
    for nodes in held.values():
        groups = [(tier, int(tier.group[nodes[0]])) for tier in found.tiers]
        path = tuple(tier.names[group] for tier, group in groups if tier.there[group])
        yield Leaf(path, tuple(nodes), groups[-1][1])


def trees(found: Locality) -> list[list[Branch]]:
    """The branches of each network, lower ones first; a group that joins but one below it is that one."""
    networks: dict[int, list[Leaf]] = {}
    for leaf in leaves(found):
        networks.setdefault(leaf.root, []).append(leaf)
    return [list(_branches(of)) for of in networks.values()]


def _branches(network: list[Leaf]) -> Iterator[Branch]:
    below: dict[str, dict[str, None]] = {}
    for leaf in network:
        yield Branch(leaf.path[0], nodes=leaf.nodes)
        for lower, upper in pairwise(leaf.path):
            below.setdefault(upper, {})[lower] = None

    def shown(name: str) -> str:
        while len(below.get(name, ())) == 1:
            (name,) = below[name]
        return name

    heights = range(1, max(len(leaf.path) for leaf in network))
    for name in dict.fromkeys(leaf.path[at] for at in heights for leaf in network if at < len(leaf.path)):
        if len(below[name]) > 1:
            yield Branch(name, below=tuple(map(shown, below[name])))


# Names in Slurm's short form: `n[001-031,033]`.
# Source: github.com/SchedMD/slurm@284c3b95: src/common/hostlist.c (_hostlist_create_bracketed, _parse_single_range: a
# range keeps the width of its lower end, MAX_RANGE) and slurm/slurm.h (MAX_SLURM_NODES). Brackets are at the end of a
# name only, as Slurm 22.05 refuses them elsewhere.

MOST_NODES = 65_536
"""Nodes of a Slurm cluster."""
_MOST_DIGITS = 9
_NUMBERED = re.compile(rf"(.*?)([0-9]{{1,{_MOST_DIGITS}}})")


def hostlist(names: Iterable[str]) -> str:
    """All names in one text, between commas."""
    return ",".join(hostlists(names))


def hostlists(names: Iterable[str]) -> list[str]:
    """All names, those that differ in a last number only in brackets, in the order of the first one of each kind."""
    numbers: dict[tuple[str, int], list[int]] = {}
    for name in names:
        match = _NUMBERED.fullmatch(name)
        key, number = ((match[1], len(match[2])), int(match[2])) if match else ((name, 0), 0)
        numbers.setdefault(key, []).append(number)
    return [_ranged(prefix, width, sorted(of)) for (prefix, width), of in numbers.items()]


def _ranged(prefix: str, width: int, numbers: list[int]) -> str:
    if len(numbers) == 1:
        return f"{prefix}{numbers[0]:0{width}d}" if width else prefix
    ranges = (f"{low:0{width}d}" + (f"-{high:0{width}d}" if high > low else "") for low, high in _runs(numbers))
    return f"{prefix}[{','.join(ranges)}]"


def _runs(numbers: list[int]) -> Iterator[tuple[int, int]]:
    """(first, last) of consecutive numbers."""
    low = high = numbers[0]
    for number in numbers[1:]:
        if number > high + 1:
            yield low, high
            low = number
        high = number
    yield low, high

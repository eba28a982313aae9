"""Which part is at fault, by what slow runs share and right ones clear.

Each part that could be at fault is a set of links: a link, the links of a module, of a node, of a switch, of a plane.
A run passes a part for certain, or by chance where it takes one of several links. The part is sought that makes what
was measured the most probable (Bayes; the more a part has in it, the less probable it is before); what it explains is
taken away, and the next one is sought for what is left.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log1p
from typing import NamedTuple

from fabricgen.api import ClusterView

KINDS = ("link", "module", "host", "switch", "plane")
PRIOR = 1.0
"""How much less probable, as a logarithm, each kind is than the one before: what has more in it must explain more."""
_SEEN, _FALSE = 0.97, 0.003
"""How probable a run is slow that passes a part at fault, and one that passes none. Chosen: a run in 300 is slow by
itself, and a part at half its rate is missed by one in 33.
"""
MOST_SUSPECTS = 2
_ENOUGH = 2.0
"""The least evidence, as a logarithm, for a part to be named."""
_NEAR = 7.0
"""How much less a second suspect may have than the first: a thousandth of its probability."""
_ALIKE = 0.1
"""How much less evidence parts may have that runs do not tell apart."""


class Part(NamedTuple):
    """What could be at fault: its kind, its name as people read it, and the rows of its links."""

    kind: str
    name: str
    links: frozenset[int]


class Suspect(NamedTuple):
    """A part, and how many of its runs were slow, and right.

    Where runs do not tell which of several parts it is, `among` is how many: these are of the `kind`, and in the part.
    """

    part: Part
    slow: int
    right: int
    among: int = 1
    kind: str = ""


@dataclass(frozen=True)
class Cause:
    """Slow runs (their numbers) that share parts, the most probable first; without any, those that share none."""

    runs: tuple[int, ...]
    suspects: tuple[Suspect, ...]


def list_parts(view: ClusterView, rows: Iterable[int], links_of_nodes: set[int]) -> Iterator[Part]:
    """The parts that some links make up. Modules are those of sockets with several links; hosts have links to nodes."""
    links, devices = view.links, view.devices
    kind = devices.kind.tolist()
    sets: dict[tuple[str, str], set[int]] = defaultdict(set)
    for row in rows:
        near, far = f"{links.a_device[row]}:{links.a_port[row]}", f"{links.b_device[row]}:{links.b_port[row]}"
        sets["link", f"{near} to {far}"].add(row)
        for device, cage in ((links.a, links.a_cage), (links.b, links.b_cage)):
            name, is_switch = devices.name[device[row]], kind[device[row]] == "switch"
            sets["module", f"{name} socket {cage[row]}"].add(row)
            if is_switch or row in links_of_nodes:
                sets["switch" if is_switch else "host", name].add(row)
        if links.plane[row]:
            sets["plane", f"{links.fabric[row]} plane {links.plane[row]}"].add(row)
    planes: dict[str, int] = defaultdict(int)
    for kind_name, name in sets:
        planes[name.partition(" plane ")[0]] += kind_name == "plane"
    for (kind_name, name), members in sets.items():
        alone = len(members) == 1 and kind_name != "link"
        if not alone and not (kind_name == "plane" and planes[name.partition(" plane ")[0]] == 1):
            yield Part(kind_name, name, frozenset(members))


def find_causes(parts: Iterable[Part], chances: Sequence[Mapping[int, float]], slow: Sequence[bool]) -> list[Cause]:
    """What is at fault, as runs tell: by run the chance that it passed each link (row), and whether it was slow."""
    parts_by_link: dict[int, list[Part]] = defaultdict(list)
    for part in parts:
        for row in part.links:
            parts_by_link[row].append(part)
    runs_by_link: dict[int, list[int]] = defaultdict(list)
    for number, passed in enumerate(chances):
        for row in passed:
            runs_by_link[row].append(number)
    left = {number for number, is_slow in enumerate(slow) if is_slow}
    touched = {part for number in left for row in chances[number] for part in parts_by_link[row]}
    every = {part: _find_passes(part, chances, runs_by_link) for part in touched}
    # of a module that no run passes for certain, runs tell no more than of its links
    passes_by_part = {p: passes for p, passes in every.items() if p.kind != "module" or max(passes.values()) > 1 / 2}
    clear = {part: _clear(part, passes, slow) for part, passes in passes_by_part.items()}
    slow_by_part = {part: {n: c for n, c in passes.items() if slow[n]} for part, passes in passes_by_part.items()}
    causes = list[Cause]()
    while left:
        scores = {part: clear[part] + _accuse(passes, left) for part, passes in slow_by_part.items()}
        ranked = sorted(scores, key=lambda part: (-scores[part], KINDS.index(part.kind), part.name))
        if not ranked or scores[ranked[0]] < _ENOUGH:
            return [*causes, Cause(tuple(sorted(left)), ())]
        explained = tuple(sorted(left.intersection(passes_by_part[ranked[0]])))
        near = (part for part in ranked if scores[part] > scores[ranked[0]] - _ALIKE)
        alike = [part for part in near if left.intersection(passes_by_part[part]) == set(explained)]
        if len(alike) > MOST_SUSPECTS:
            suspects = _find_holders(alike, passes_by_part)
        else:
            least = max(_ENOUGH, scores[ranked[0]] - _NEAR)
            named = [part for part in ranked[:MOST_SUSPECTS] if scores[part] >= least]
            suspects = [Suspect(part, *_count_runs(passes_by_part[part], slow)) for part in named]
        causes.append(Cause(explained, tuple(suspects)))
        left.difference_update(explained)
    return causes


def _find_holders(alike: Sequence[Part], parts: Iterable[Part]) -> list[Suspect]:
    """What many parts lie in of which runs do not tell one: a switch or two that have all of their links, else one of
    them for all.
    """
    kind, links = alike[0].kind, frozenset().union(*(part.links for part in alike))
    switches = sorted((part for part in parts if part.kind == "switch"), key=lambda part: part.name)
    holders = list[Suspect]()
    while links and switches and len(holders) < MOST_SUSPECTS:
        holder = max(switches, key=lambda part: len(part.links & links))
        among = sum(bool(part.links & holder.links) for part in alike)
        holders.append(Suspect(holder, 0, 0, among, kind))
        links -= holder.links
    return holders if not links else [Suspect(alike[0], 0, 0, len(alike), kind)]


def _find_passes(
    part: Part, chances: Sequence[Mapping[int, float]], runs_by_link: Mapping[int, list[int]]
) -> dict[int, float]:
    """By run the chance that it passed a part: links of which it takes one exclude each other."""
    passes: dict[int, float] = defaultdict(float)
    for row in part.links:
        for number in runs_by_link.get(row, ()):
            passes[number] += chances[number][row]
    return {number: min(1.0, chance) for number, chance in passes.items()}


def _clear(part: Part, passes: Mapping[int, float], slow: Sequence[bool]) -> float:
    """How much more probable right runs are if a part is at fault than if nothing is, as a logarithm: never more."""
    right = (chance for number, chance in passes.items() if not slow[number])
    return sum(log1p(-chance * (_SEEN - _FALSE) / (1 - _FALSE)) for chance in right) - PRIOR * KINDS.index(part.kind)


def _accuse(passes: Mapping[int, float], left: set[int]) -> float:
    """The same of slow runs that no other cause explains: never less."""
    return sum(log1p(chance * (_SEEN / _FALSE - 1)) for number, chance in passes.items() if number in left)


def _count_runs(passes: Mapping[int, float], slow: Sequence[bool]) -> tuple[int, int]:
    """(slow, right) runs that are likely to have passed a part."""
    likely = [slow[number] for number, chance in passes.items() if chance > 1 / 2]
    return sum(likely), len(likely) - sum(likely)

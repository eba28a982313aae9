"""Which end of each chain is moved, and which chains have one cause and are mended by one action.

Chains of single plugs can be mended at either of two sides with as many plugs. Taken together it matters which: two
jumpers of one cage that go to one other cage are one pull, and a row of uplinks that sit two cages low is one shift of
their leaf, not a swap at each spine.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from fabricgen.verify.diagnosis.chains import Chain
from fabricgen.verify.diagnosis.explaining import Explainer
from fabricgen.verify.diagnosis.moving import Group, Mended, Repair, repairs, side_order
from fabricgen.verify.diagnosis.shifts import Shift, shifts_among

NODE = "node"
"""The tier of nodes in devices.csv."""


def group_chains(explainer: Explainer, found: Sequence[Chain]) -> list[Group]:
    """Chains in groups of one cause, each with the side where it is mended best, in the order of their lowest ports."""
    sides = [
        [way for way in repairs(explainer.topology, explainer.plugs, chain) if not explainer.is_risky(way)]
        for chain in found
    ]
    mended = [Mended(chain, tuple(ways)) for chain, ways in zip(found, _best_first(explainer, sides), strict=True)]
    joined = [
        *_joined_by_pull(explainer, mended),
        *_joined_by_shift(explainer, mended),
        *_joined_by_node(explainer, mended),
    ]
    return [Group(tuple(mended[at] for at in members)) for members in merge_groups(len(mended), joined)]


def merge_groups(count: int, joined: Iterable[Sequence[int]]) -> list[list[int]]:
    """The numbers below `count` in groups that share a member with each other, each sorted, by their lowest number."""
    from networkx.utils import UnionFind  # networkx loads in a fifth of a second, and halls are mostly as planned

    groups = UnionFind(range(count))
    for members in joined:
        groups.union(*members)
    return sorted(sorted(members) for members in groups.to_sets())


class _Class(NamedTuple):
    """What ways have in common that may be one shift: the device, and by how far its plugs are off."""

    device: int
    offsets: frozenset[int]


def _best_first(explainer: Explainer, sides: list[list[Repair]]) -> list[list[Repair]]:
    """The ways of each chain: that first which takes the fewest pulls beside all others, then that which others share.

    Ways of more plugs than the best are left out.
    """
    pulls: Counter[object] = Counter()
    classes: Counter[_Class] = Counter()
    for ways in sides:
        pulls.update({pull for way in ways for pull in explainer.pulls(way.places)})
        classes.update({same for way in ways if (same := _class(explainer, way))})

    def order(way: Repair) -> tuple[object, ...]:
        work = sum(1 / pulls[pull] for pull in explainer.pulls(way.places))
        side = side_order(explainer.topology, way)
        same = _class(explainer, way)
        shared = classes[same] if same and len(same.offsets) <= 2 else 0
        return (
            side.plugs,
            round(work, 6),  # a sum of thirds must not decide by its last bit
            side.takes_place,
            side.several_racks,
            -shared if shared > 1 else 0,
            side.several_devices,
            side.plugs_at_a,
            side.lowest_port,
        )

    ordered = [sorted(ways, key=order) for ways in sides]
    ordered = [[way for way in ways if len(way.moves) == len(ways[0].moves)] for ways in ordered]
    _turn_to_shared_pulls(explainer, ordered)
    return ordered


def _turn_to_shared_pulls(explainer: Explainer, ordered: list[list[Repair]]) -> None:
    """Put first that way of each chain which adds the fewest pulls to those that are told first of all others.

    What was weighed above are pulls that might be shared; here are those that will be. Each turn takes a pull less in
    all, so that turns come to an end.
    """
    needed = [[explainer.pulls(way.places) for way in ways] for ways in ordered]
    taken = Counter(pull for pulls in needed if pulls for pull in pulls[0])
    several = [at for at, ways in enumerate(ordered) if len(ways) > 1]
    turned = True
    while turned:
        turned = False
        for at in several:
            taken.subtract(needed[at][0])
            added = [sum(taken[pull] <= 0 for pull in pulls) for pulls in needed[at]]
            best = added.index(min(added))
            if best:
                turned = True
                ordered[at].insert(0, ordered[at].pop(best))
                needed[at].insert(0, needed[at].pop(best))
            taken.update(needed[at][0])


def _class(explainer: Explainer, way: Repair) -> _Class | None:
    devices = {int(explainer.topology.device[place]) for places in way.places for place in places}
    if len(devices) != 1:
        return None
    device = devices.pop()
    ranks = explainer.ranks(device)
    return _Class(device, frozenset(ranks[source] - ranks[target] for source, target in way.places))


def _joined_by_pull(explainer: Explainer, mended: Sequence[Mended]) -> Iterator[list[int]]:
    """Chains, by index, of which both plugs of a cage go to one other cage."""
    by_pull: dict[object, list[int]] = defaultdict(list)
    for at, each in enumerate(mended):
        for pull in explainer.pulls(each.ways[0].places) if each.ways else ():
            by_pull[pull].append(at)
    yield from by_pull.values()


def _joined_by_shift(explainer: Explainer, mended: Sequence[Mended]) -> Iterator[list[int]]:
    """Chains, by index, of one device whose plugs are off by as much, in a row."""
    by_class: dict[_Class, list[int]] = defaultdict(list)
    for at, each in enumerate(mended):
        if each.ways and each.ways[0].moves and (same := _class(explainer, each.ways[0])):
            by_class[same].append(at)
    for same, members in by_class.items():
        ranks = explainer.ranks(same.device)
        rows = [
            Shift(
                [(ranks[source], ranks[target]) for source, target in mended[at].ways[0].places],
                mended[at].chain.closed,
            )
            for at in members
        ]
        for together in shifts_among(rows):
            yield [members[at] for at in together]


def _joined_by_node(explainer: Explainer, mended: Sequence[Mended]) -> Iterator[list[int]]:
    """Chains, by index, that cross the rails, or the planes, of one node: NICs exchanged in groups are one mistake."""
    by_node: dict[tuple[int, str], list[int]] = defaultdict(list)
    for at, each in enumerate(mended):
        what = explainer.crossed(each.chain).partition(" ")[0] if each.ways and each.chain.closed else ""
        for device in _lone_devices(explainer, each) if what else ():
            if explainer.topology.cabling.of_device("tier", device) == NODE:
                by_node[device, what].append(at)
    yield from by_node.values()


def _lone_devices(explainer: Explainer, mended: Mended) -> set[int]:
    """The devices on which alone a chain can be mended, with as many plugs."""
    sides = [
        {int(explainer.topology.device[place]) for places in way.places for place in places} for way in mended.ways
    ]
    return {device for devices in sides if len(devices) == 1 for device in devices}

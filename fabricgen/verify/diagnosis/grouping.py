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
from fabricgen.verify.diagnosis.moving import ChainGroup, MendableChain, Repair, list_repairs, rate_repair
from fabricgen.verify.diagnosis.shifts import Shift, shifts_among

NODE = "node"
"""The tier of nodes in devices.csv."""


def group_chains(explainer: Explainer, chains: Sequence[Chain]) -> list[ChainGroup]:
    """Chains in groups of one cause, each with the side where it is mended best, in the order of their lowest ports."""
    sides = [
        [repair for repair in list_repairs(explainer.after, explainer.plugs, chain) if not explainer.is_risky(repair)]
        for chain in chains
    ]
    mendable_chains = [
        MendableChain(chain, tuple(repairs))
        for chain, repairs in zip(chains, _order_repairs(explainer, sides), strict=True)
    ]
    joined = [
        *_join_by_pull(explainer, mendable_chains),
        *_join_by_shift(explainer, mendable_chains),
        *_join_by_node(explainer, mendable_chains),
    ]
    return [
        ChainGroup(tuple(mendable_chains[at] for at in members))
        for members in merge_groups(len(mendable_chains), joined)
    ]


def merge_groups(count: int, joined: Iterable[Sequence[int]]) -> list[list[int]]:
    """The numbers below `count` in groups that share a member with each other, each sorted, by their lowest number."""
    from networkx.utils import UnionFind  # networkx loads in a fifth of a second, and halls are mostly as planned

    groups = UnionFind(range(count))
    for members in joined:
        groups.union(*members)
    return sorted(sorted(members) for members in groups.to_sets())


class _ShiftClass(NamedTuple):
    """What ways have in common that may be one shift: the device, and by how far its plugs are off."""

    device: int
    offsets: frozenset[int]


def _order_repairs(explainer: Explainer, sides: list[list[Repair]]) -> list[list[Repair]]:
    """The repairs of each chain, the best first: of the fewest pulls beside those of all chains, then those that other
    chains share.

    Repairs of more plugs than the best one are left out.
    """
    # counted over all chains first: a pull that several share is paid once
    pulls: Counter[object] = Counter()
    classes: Counter[_ShiftClass] = Counter()
    for repairs in sides:
        # a set for each chain: its two ways are alternatives, and a pull of both is needed once
        pulls.update({pull for repair in repairs for pull in explainer.list_pulls(repair.places)})
        classes.update({shift_class for repair in repairs if (shift_class := _classify_shift(explainer, repair))})

    def rank_repair(repair: Repair) -> tuple[object, ...]:
        # a pull that n chains may share costs each of them the n-th part
        work = sum(1 / pulls[pull] for pull in explainer.list_pulls(repair.places))
        rating = rate_repair(explainer.after, repair)
        shift_class = _classify_shift(explainer, repair)
        # a row that is shifted round has two offsets, one of them for those that come round its end
        shared = classes[shift_class] if shift_class and len(shift_class.offsets) <= 2 else 0
        return (
            rating.plugs,
            round(work, 6),  # a sum of thirds must not decide by its last bit
            rating.takes_place,
            rating.several_racks,
            -shared if shared > 1 else 0,
            rating.several_devices,
            rating.plugs_at_a,
            rating.lowest_port,
        )

    ordered = [sorted(repairs, key=rank_repair) for repairs in sides]
    # after the sort the first has the fewest plugs
    ordered = [
        [repair for repair in repairs if len(repair.plug_moves) == len(repairs[0].plug_moves)] for repairs in ordered
    ]
    _turn_to_shared_pulls(explainer, ordered)
    return ordered


def _turn_to_shared_pulls(explainer: Explainer, ordered: list[list[Repair]]) -> None:
    """Put first that way of each chain which adds the fewest pulls to those that are told first of all others.

    What was weighed above are pulls that might be shared; here are those that will be. Each turn takes a pull less in
    all, so that turns come to an end.
    """
    needed = [[explainer.list_pulls(repair.places) for repair in repairs] for repairs in ordered]
    uses = Counter(pull for pulls in needed if pulls for pull in pulls[0])
    several = [nth for nth, repairs in enumerate(ordered) if len(repairs) > 1]
    turned = True
    while turned:
        turned = False
        for nth in several:
            uses.subtract(needed[nth][0])
            added = [sum(uses[pull] <= 0 for pull in pulls) for pulls in needed[nth]]
            best = added.index(min(added))
            if best:
                turned = True
                ordered[nth].insert(0, ordered[nth].pop(best))
                needed[nth].insert(0, needed[nth].pop(best))
            uses.update(needed[nth][0])


def _classify_shift(explainer: Explainer, repair: Repair) -> _ShiftClass | None:
    # (Device, by how many places its plugs are off) of a repair on one device; None of one on several
    devices = {int(explainer.after.device[port]) for places in repair.places for port in places}
    if len(devices) != 1:
        return None
    device = devices.pop()
    ranks = explainer.rank_plugs(device)
    return _ShiftClass(device, frozenset(ranks[source] - ranks[target] for source, target in repair.places))


def _join_by_pull(explainer: Explainer, mendable_chains: Sequence[MendableChain]) -> Iterator[list[int]]:
    """Chains, by index, of which both plugs of a cage go to one other cage."""
    by_pull: dict[object, list[int]] = defaultdict(list)
    for at, mendable in enumerate(mendable_chains):
        for pull in explainer.list_pulls(mendable.repairs[0].places) if mendable.repairs else ():
            by_pull[pull].append(at)
    yield from by_pull.values()


def _join_by_shift(explainer: Explainer, mendable_chains: Sequence[MendableChain]) -> Iterator[list[int]]:
    """Chains, by index, of one device whose plugs are off by as much, in a row."""
    by_class: dict[_ShiftClass, list[int]] = defaultdict(list)
    for at, mendable in enumerate(mendable_chains):
        if (
            mendable.repairs
            and mendable.repairs[0].plug_moves
            and (shift_class := _classify_shift(explainer, mendable.repairs[0]))
        ):
            by_class[shift_class].append(at)
    for shift_class, members in by_class.items():
        ranks = explainer.rank_plugs(shift_class.device)
        rows = [
            Shift(
                [(ranks[source], ranks[target]) for source, target in mendable_chains[at].repairs[0].places],
                mendable_chains[at].chain.closed,
            )
            for at in members
        ]
        for together in shifts_among(rows):
            yield [members[at] for at in together]


def _join_by_node(explainer: Explainer, mendable_chains: Sequence[MendableChain]) -> Iterator[list[int]]:
    """Chains, by index, that cross the rails, or the planes, of one node: NICs exchanged in groups are one mistake."""
    by_node: dict[tuple[int, str], list[int]] = defaultdict(list)
    for at, mendable in enumerate(mendable_chains):
        crossing = explainer.find_crossing(mendable.chain) if mendable.repairs and mendable.chain.closed else None
        for device in _find_lone_devices(explainer, mendable):
            if crossing and explainer.after.cabling.read_device("tier", device) == NODE:
                by_node[device, crossing.dimension].append(at)
    yield from by_node.values()


def _find_lone_devices(explainer: Explainer, mendable: MendableChain) -> set[int]:
    """The devices on which alone a chain can be mended, with as many plugs."""
    sides = [
        {int(explainer.after.device[port]) for places in repair.places for port in places}
        for repair in mendable.repairs
    ]
    return {device for devices in sides if len(devices) == 1 for device in devices}

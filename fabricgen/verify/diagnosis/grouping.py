"""At which ends each chain is mended, and which chains have one cause and are mended by one action.

A chain of single plugs can be mended at either end of its cables, often with equally many plugs. For several chains
together it matters at which: two jumpers that go from one cage to one other cage are one pull, and a row of uplinks
that sits two cages too low is one shift at the leaf rather than a swap at each spine.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from fabricgen.verify.diagnosis.chain_actions import NODE, Explainer
from fabricgen.verify.diagnosis.chains import Chain
from fabricgen.verify.diagnosis.moving import ChainGroup, MendableChain, Repair, list_repairs, rate_repair
from fabricgen.verify.diagnosis.shifts import Shift, shifts_among


def group_chains(explainer: Explainer, chains: Sequence[Chain]) -> list[ChainGroup]:
    """Group chains by their cause, each with its best repair first; groups are in the order of their first chains."""
    repairs_by_chain = [
        [repair for repair in list_repairs(explainer.after, explainer.plugs, chain) if not explainer.is_risky(repair)]
        for chain in chains
    ]
    mendable_chains = [
        MendableChain(chain, tuple(repairs))
        for chain, repairs in zip(chains, _order_repairs(explainer, repairs_by_chain), strict=True)
    ]
    joined = [
        *_join_by_pull(explainer, mendable_chains),
        *_join_by_shift(explainer, mendable_chains),
        *_join_by_node(explainer, mendable_chains),
    ]
    return [
        ChainGroup(tuple(mendable_chains[chain_index] for chain_index in members))
        for members in merge_groups(len(mendable_chains), joined)
    ]


def merge_groups(count: int, joined: Iterable[Sequence[int]]) -> list[list[int]]:
    """Merge groups of the numbers below `count` that share a member; a number in no group is one of its own.

    Members are sorted, and groups are sorted by their lowest member.
    """
    from networkx.utils import UnionFind  # networkx loads in a fifth of a second, and halls are mostly as planned

    groups = UnionFind(range(count))
    for members in joined:
        groups.union(*members)
    return sorted(sorted(members) for members in groups.to_sets())


class _ShiftClass(NamedTuple):
    """What repairs that may be one shift have in common: the device, and by how many places its plugs are off."""

    device: int
    offsets: frozenset[int]


def _order_repairs(explainer: Explainer, repairs_by_chain: list[list[Repair]]) -> list[list[Repair]]:
    """Sort the repairs of each chain, the best first: fewest plugs, then least work, then a free place, then one rack.

    Then come repairs that are part of a shift, and so on as `RepairRating` has it. Work is the number of pulls; a pull
    that several chains may share counts for a part in each. Repairs that move more plugs than the best one are left
    out.
    """
    # counted over all chains first, since a pull that several chains share is done once
    pull_counts: Counter[object] = Counter()
    class_counts: Counter[_ShiftClass] = Counter()
    for repairs in repairs_by_chain:
        # a set for each chain: its repairs are alternatives, so that a pull in both of them counts once
        pull_counts.update({pull for repair in repairs for pull in explainer.list_pulls(repair.source_targets)})
        class_counts.update({shift_class for repair in repairs if (shift_class := _classify_shift(explainer, repair))})

    def rank_repair(repair: Repair) -> tuple[object, ...]:
        # a pull that n chains may share costs each of them the n-th part
        work = sum(1 / pull_counts[pull] for pull in explainer.list_pulls(repair.source_targets))
        rating = rate_repair(explainer.after, repair)
        shift_class = _classify_shift(explainer, repair)
        # a row that is shifted round has two offsets, one of them for the plugs that come round its end
        chains_in_shift = class_counts[shift_class] if shift_class and len(shift_class.offsets) <= 2 else 0
        return (
            rating.plugs,
            round(work, 6),  # a sum of thirds must not decide by its last bit
            rating.takes_place,
            rating.several_racks,
            -chains_in_shift if chains_in_shift > 1 else 0,
            rating.several_devices,
            rating.plugs_at_a,
            rating.lowest_port,
        )

    ordered = [sorted(repairs, key=rank_repair) for repairs in repairs_by_chain]
    # the first one of each chain has the fewest plugs
    ordered = [
        [repair for repair in repairs if len(repair.plug_moves) == len(repairs[0].plug_moves)] for repairs in ordered
    ]
    _turn_to_shared_pulls(explainer, ordered)
    return ordered


def _turn_to_shared_pulls(explainer: Explainer, ordered: list[list[Repair]]) -> None:
    """Move to the front, for each chain, the repair that adds the fewest pulls to the first repairs of other chains.

    `ordered` has the repairs of each chain, and is changed in place. `_order_repairs` weighed pulls that might be
    shared; here those count that will be. Each change reduces the total number of pulls, so that the loop ends.
    """
    pulls_of_repairs = [[explainer.list_pulls(repair.source_targets) for repair in repairs] for repairs in ordered]
    uses_of_pull = Counter(pull for pulls in pulls_of_repairs if pulls for pull in pulls[0])
    chains_with_choice = [chain for chain, repairs in enumerate(ordered) if len(repairs) > 1]
    has_changed = True
    while has_changed:
        has_changed = False
        for chain in chains_with_choice:
            uses_of_pull.subtract(pulls_of_repairs[chain][0])
            # by repair, how many of its pulls no other chain's first repair makes
            added_pulls = [sum(uses_of_pull[pull] <= 0 for pull in pulls) for pulls in pulls_of_repairs[chain]]
            best_repair = added_pulls.index(min(added_pulls))
            if best_repair:
                has_changed = True
                ordered[chain].insert(0, ordered[chain].pop(best_repair))
                pulls_of_repairs[chain].insert(0, pulls_of_repairs[chain].pop(best_repair))
            uses_of_pull.update(pulls_of_repairs[chain][0])


def _classify_shift(explainer: Explainer, repair: Repair) -> _ShiftClass | None:
    """Return the device of a repair, and by how many places its plugs are off; None if it is on several devices."""
    devices = {int(explainer.after.device[port]) for source_target in repair.source_targets for port in source_target}
    if len(devices) != 1:
        return None
    device = devices.pop()
    ranks = explainer.rank_plugs(device)
    return _ShiftClass(device, frozenset(ranks[source] - ranks[target] for source, target in repair.source_targets))


def _join_by_pull(explainer: Explainer, mendable_chains: Sequence[MendableChain]) -> Iterator[list[int]]:
    """Yield indexes of chains that share a pull: their plugs go from one cage to one other cage."""
    by_pull: dict[object, list[int]] = defaultdict(list)
    for chain_index, mendable in enumerate(mendable_chains):
        for pull in explainer.list_pulls(mendable.repairs[0].source_targets) if mendable.repairs else ():
            by_pull[pull].append(chain_index)
    yield from by_pull.values()


def _join_by_shift(explainer: Explainer, mendable_chains: Sequence[MendableChain]) -> Iterator[list[int]]:
    """Yield lists of indexes of chains that are one shift: plugs in a row of one device, off by the same places.

    Chains without a repair, and chains whose repair is no row of plugs on one device, are in no list.
    """
    by_class: dict[_ShiftClass, list[int]] = defaultdict(list)
    for chain_index, mendable in enumerate(mendable_chains):
        if (
            mendable.repairs
            and mendable.repairs[0].plug_moves
            and (shift_class := _classify_shift(explainer, mendable.repairs[0]))
        ):
            by_class[shift_class].append(chain_index)
    for shift_class, chain_indexes in by_class.items():
        ranks = explainer.rank_plugs(shift_class.device)
        chain_rows = [
            Shift(
                [
                    (ranks[source], ranks[target])
                    for source, target in mendable_chains[chain_index].repairs[0].source_targets
                ],
                mendable_chains[chain_index].chain.closed,
            )
            for chain_index in chain_indexes
        ]
        for shifted_rows in shifts_among(chain_rows):
            yield [chain_indexes[row] for row in shifted_rows]


def _join_by_node(explainer: Explainer, mendable_chains: Sequence[MendableChain]) -> Iterator[list[int]]:
    """Yield indexes of chains that cross rails (or planes) of one node: NICs exchanged in groups are one mistake."""
    by_node: dict[tuple[int, str], list[int]] = defaultdict(list)
    for chain_index, mendable in enumerate(mendable_chains):
        crossing = explainer.find_crossing(mendable.chain) if mendable.repairs and mendable.chain.closed else None
        for device in _find_lone_devices(explainer, mendable):
            if crossing and explainer.after.cabling.read_device("tier", device) == NODE:
                by_node[device, crossing.dimension].append(chain_index)
    yield from by_node.values()


def _find_lone_devices(explainer: Explainer, mendable: MendableChain) -> set[int]:
    """Return the devices at which a chain can be mended without touching another device."""
    devices_by_repair = [
        {int(explainer.after.device[port]) for source_target in repair.source_targets for port in source_target}
        for repair in mendable.repairs
    ]
    return {device for devices in devices_by_repair if len(devices) == 1 for device in devices}

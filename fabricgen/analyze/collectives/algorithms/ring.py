"""Ring: pieces pass from rank to rank through all domains, a ring for each rail (Patarasuk and Yuan, Bandwidth optimal
all-reduce algorithms for clusters of workstations, 2009).
"""

from __future__ import annotations

from fabricgen.analyze.collectives.model import CollectiveStage, Team

KIND = "ring"
_LOOPS = {"all-reduce": 2, "all-gather": 1, "reduce-scatter": 1, "broadcast": 1}


def stages(collective: str, team: Team) -> list[CollectiveStage] | None:
    """In each of n - 1 steps a rank passes on a piece of 1/n, twice as many in an all-reduce; a broadcast flows from
    the first rank to the last, and leaves each domain but the last once.

    All rings but the one that leaves a domain at a rank go to another rank of the domain.
    """
    if collective not in _LOOPS or not team.reaches_its_domain:
        return None
    hops = (team.ranks - 1) * _LOOPS[collective]
    flow = collective == "broadcast"
    # one hop of as many as a domain has ranks leaves it, rounded up
    across = team.domains - 1 if flow else -(-hops // team.ranks_per_domain)
    sent = 1.0 if flow else hops / team.ranks
    leaves, beyond = 1 / team.rails, team.tiers.of_ring
    if team.domains == 1:
        return [CollectiveStage(0, hops, scale_up_bytes=sent, beyond=beyond, flow=flow)]
    far = team.ring_us[:across] if flow else team.ring_us
    return [CollectiveStage(across, hops - across, sent * leaves, sent * (1 - leaves), beyond, team.ring, far, flow)]

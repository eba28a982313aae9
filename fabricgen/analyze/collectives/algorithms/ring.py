"""Ring: pieces pass from rank to rank through all domains, a ring for each rail (Patarasuk and Yuan, Bandwidth optimal
all-reduce algorithms for clusters of workstations, 2009).
"""

from __future__ import annotations

from fabricgen.analyze.collectives.model import CollectiveStage, Team

KIND = "ring"
_ROUNDS = {"all-reduce": 2, "all-gather": 1, "reduce-scatter": 1, "broadcast": 1}


def stages(collective: str, team: Team) -> list[CollectiveStage] | None:
    """Return the one stage of a collective over rings; None for an all-to-all, or if ranks of a scale-up domain do not
    reach each other within it.

    In each of n - 1 steps, with n ranks, a rank passes on a piece of 1/n; an all-reduce takes twice as many steps. A
    broadcast flows from the first rank to the last, and leaves each domain but the last once. At each rank, the ring
    of one rail leaves the domain; the rings of other rails go to another rank of the domain.
    """
    if collective not in _ROUNDS or not team.reaches_its_domain:
        return None
    hops = (team.ranks - 1) * _ROUNDS[collective]
    flow = collective == "broadcast"
    # a ring leaves a domain once for all ranks in it: hops over ranks of a domain, rounded up
    across = team.domains - 1 if flow else -(-hops // team.ranks_per_domain)
    sent = 1.0 if flow else hops / team.ranks
    leaving_fraction, beyond = 1 / team.rails, team.tiers.of_ring
    if team.domains == 1:
        return [CollectiveStage(0, hops, scale_up_bytes=sent, beyond=beyond, flow=flow)]
    hop_us = team.ring_us[:across] if flow else team.ring_us
    in_network, in_domain = sent * leaving_fraction, sent * (1 - leaving_fraction)
    return [CollectiveStage(across, hops - across, in_network, in_domain, beyond, team.ring, hop_us, flow)]

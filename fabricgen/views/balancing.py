"""How the switches of a fabric choose among equal paths: what the blueprint states, then defaults.

A switch that hashes like the one below it sees all packets that come up a link in one bucket, and so uses few of its
own links (polarisation). A different seed for each tier prevents that. The seeds of `auto` follow only from the level
of a tier, so that growth changes none, and are at most 15, which every chip accepts (sonic-buildimage,
dockers/docker-orchagent/switch.json.j2: "the range of hash_seed is 0-15").
"""

from __future__ import annotations

from fabricgen.blueprint.sections.routing import LoadBalance, Routing

_FIRST, _STEP, _RANGE = 3, 5, 16
"""Of the seeds of `auto`: the step has no divisor with the range, so that sixteen levels have sixteen seeds."""


def find_balancing(of_fabric: Routing, of_cluster: Routing) -> LoadBalance:
    """Return how a fabric chooses among equal paths: as it states, else as the cluster states, else by hash.

    A setting that is a single word is the mode; all else then has its default.
    """
    stated = of_fabric.load_balance or of_cluster.load_balance or "hash"
    return LoadBalance.model_construct(mode=stated) if isinstance(stated, str) else stated


def choose_hash_seed(balancing: LoadBalance, tier: str, level: int) -> int | None:
    """Return the hash seed of a tier; None if its NOS chooses the seed.

    With seeds `auto` it follows from `level`, the number of tiers below; else it is what is stated for the name `tier`.
    """
    if balancing.seeds == "auto":
        return (_FIRST + _STEP * level) % _RANGE
    return balancing.seeds.get(tier) if balancing.seeds else None

"""Load balancing of Cumulus Linux: adaptive routing, and the seed of its hash.

Adaptive routing sends each packet to the port with the least load, of RoCE packets whose NIC says that they may (user
guide, Equal Cost Multipath Load Sharing; Spectrum-X is what sets NICs up for it). Without a seed, switchd draws one at
random (the same page, Unique Hash Seed), so that no two switches hash alike.
"""

from __future__ import annotations

from typing import Any

from fabricgen.switch.balancing import Balancing


def balancing_values(balancing: Balancing) -> dict[str, Any]:
    """What the templates name of load balancing; `hash_seed` is none where switchd draws one."""
    return {"adaptive": balancing.by_load, "hash_seed": balancing.seed}

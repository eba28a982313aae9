"""Load balancing of Cumulus Linux: adaptive routing, and the seed of its hash.

Adaptive routing sends each packet to the port with the least load, of RoCE packets whose NIC says that they may (user
guide, Equal Cost Multipath Load Sharing; Spectrum-X is what sets NICs up for it). Without a seed, switchd draws one at
random (the same page, Unique Hash Seed), so that no two switches hash alike.
"""

from __future__ import annotations

from typing import Any

from fabricgen.catalog.naming import NosNaming
from fabricgen.views.switch import SwitchView


def is_adaptive(switch: SwitchView, naming: NosNaming) -> bool:
    """Whether a switch routes by the load of links: its chip can, and that or spraying packets is asked."""
    return switch.fabric.balancing.by_load and not naming.configuration.explain_refusal(
        "packet-spray", switch.profile.asic
    )


def balancing_values(switch: SwitchView, naming: NosNaming) -> dict[str, Any]:
    """What the templates name of load balancing; `hash_seed` is none where switchd draws one."""
    seed = switch.fabric.balancing.seed(switch.tier.name, switch.level)
    return {"adaptive": is_adaptive(switch, naming), "hash_seed": seed}

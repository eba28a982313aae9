"""Patched channels by patching policy and medium, for the rules on patching."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fabricgen.catalog.models import CableProfile
    from fabricgen.cluster import Cluster
    from fabricgen.design.media.patching import PatchPolicy


@dataclass(frozen=True, slots=True)
class PatchedKind:
    """Channels of one policy and medium: how many there are, and the length of the longest, m."""

    policy: PatchPolicy
    medium: CableProfile
    cables: int
    longest_m: float

    @property
    def parallel(self) -> bool:
        """Whether the transceivers have multi-fibre connectors."""
        return self.medium.connector.startswith("MPO")


def patched_kinds(cluster: Cluster, *, shuffled: bool = False) -> Iterator[PatchedKind]:
    """Every kind of channel over trunks, by policy and medium; with `shuffled` those through fibre shuffles, too."""
    patching = cluster.plan.patching
    if patching is None:
        return
    import numpy as np

    from fabricgen.wiring.tables import unique_values

    cables = cluster.plan.cables
    for number, policy in enumerate(patching.policies):
        if policy.shuffles and not shuffled:
            continue
        mine = np.flatnonzero(patching.policy == number)
        for medium in unique_values(cables.medium[mine]):
            of = mine[cables.medium[mine] == medium]
            yield PatchedKind(policy, cables.media[medium], len(of), float(cables.length_m[of].max()))

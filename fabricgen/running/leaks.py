"""Leaks between VRFs as they are read: what is brought into one, through which maps."""

from __future__ import annotations

from collections.abc import Mapping

from fabricgen.running.policy import Policies, carried
from fabricgen.running.tree import unfit
from fabricgen.switch.routing import Policy

Imports = Mapping[str, tuple[set[str], set[str]]]
"""By family, the VRFs whose routes are brought in, and the maps that these pass."""


def leaks_of(policies: Policies, imports: Imports) -> dict[str, Policy]:
    """What is brought in from each VRF, of all families.

    Raises UnknownTextError where a map does not say from which VRF, or that is not brought in.
    """
    found: dict[str, Policy] = {}
    for family, (sources, maps) in imports.items():
        every = [one for name in sorted(maps) for one in policies.from_vrfs(name)]
        said = [(vrf, mine) for vrf, permits in every if (mine := carried((family,), permits))]
        if not maps or {vrf for vrf, _ in said} != sources:
            unfit(f"{sorted(sources)} are brought in, and maps name {sorted(str(vrf) for vrf, _ in said)}")
        for vrf, permits in said:
            before = found.get(vrf, Policy(frozenset())).permits
            found[vrf] = Policy(before | permits, all(map(policies.brings_own_only, maps)))
    return found

"""What k8s-launch-kit makes of a topology file: pools with an address for each node, after its source.

NVIDIA/k8s-launch-kit, pkg/spectrumx (as of 2026-08): each link has two ends, of the roles host and leaf; a host needs
`rail`, its leaf `plane`, and with three tiers the host `pod`. Hosts count in the order of their first link, among those
with the same plane, pod and su. An address is made of these numbers, of as many bits as are asserted here; one of
several planes is that of plane 0, unless each plane has its own.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from ipaddress import IPv4Address
from typing import Any


@dataclass(frozen=True)
class Kit:
    """How l8k was called: `--multiplane-mode`, and `--topology-scheme 3-tier`."""

    mode: str
    three_tiers: bool = False


def read_pools(topology: dict[str, Any], kit: Kit) -> dict[str, dict[str, str]]:
    """The address of each node by pool, IPv4; raises AssertionError where l8k refuses the file."""
    assert topology["links"]
    hosts: dict[tuple[Any, ...], dict[str, int]] = defaultdict(dict)
    pools: dict[str, dict[str, str]] = defaultdict(dict)
    for link in topology["links"]:
        assert len(link) == 2
        (leaf,), (host,) = ([end for end in link if end["attributes"]["role"] == role] for role in ("leaf", "host"))
        of_leaf, of_host = leaf["attributes"], host["attributes"]
        assert "plane" in of_leaf
        assert "rail" in of_host
        assert "pod" in of_host or not kit.three_tiers
        rail, pod, su = (of_host.get(name, 0) for name in ("rail", "pod", "su"))
        known = hosts[of_host.get("plane"), of_host.get("pod"), of_host.get("su")]
        number = known.setdefault(host["node"], len(known))
        plane = of_leaf["plane"] if kit.mode == "swplb" else 0
        name = f"rail-{rail}-plane-{plane}" if kit.mode == "swplb" else f"rail-{rail}"
        pools[name].setdefault(host["node"], _make_address(kit, plane, rail, pod, su, number))
    return dict(pools)


def _make_address(kit: Kit, plane: int, rail: int, pod: int, su: int, host: int) -> str:
    by_plane = kit.mode != "none"
    assert rail < 8
    assert host < 128
    assert plane < 4
    if kit.three_tiers:
        assert pod < 32
        assert su < (64 if by_plane else 256)
        second, third = (plane << 6 | rail << 3 | pod >> 2, (pod & 3) << 6 | su) if by_plane else (rail << 5 | pod, su)
        return str(IPv4Address(bytes([10, second, third, host << 1])))
    assert pod == 0
    assert su < 64
    second, third = (16 | plane << 2 | rail >> 2, (rail & 3) << 6 | su) if by_plane else (16 | rail << 1, su)
    return str(IPv4Address(bytes([172, second, third, host << 1])))

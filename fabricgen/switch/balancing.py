"""How a switch chooses among equal paths, in words that belong to no NOS."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Balancing:
    """How equal paths are chosen: `by_load` by that of the links (adaptive routing, DLB), else by hash alone.

    `queue_pairs` are the families, "v4" and "v6", in which RoCE is hashed by its destination queue pair, too; `seed` is
    that of the hash, None for the NOS's own. `groups` are the ports of hosts whose flows are dealt over the uplinks in
    turn, by name; such a flow is forgotten after `aging_s`, and destinations are told apart by `prefix_length`.
    """

    by_load: bool = False
    queue_pairs: frozenset[str] = frozenset()
    seed: int | None = None
    groups: Mapping[str, Set[str]] = field(default_factory=dict)
    aging_s: int = 0
    prefix_length: int = 0

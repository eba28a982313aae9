"""A host's ports of RDMA, in words of no NIC."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class HostPort:
    """A port: the priority of each of the 64 DSCPs, the class of each of the 8 priorities, which are paused (`pfc`),
    sent first (`strict`), and slow down for marked packets (`ecn`); the share of a busy port by class, percent.

    `traffic_class` is the byte of IP with the DSCP of what applications send that say nothing themselves; 0: not set.
    `firmware` holds settings that last, by name without the number of the port.
    """

    device: str
    priority_of: tuple[int, ...]
    class_of: tuple[int, ...]
    pfc: frozenset[int]
    strict: frozenset[int]
    shares: Mapping[int, int]
    ecn: frozenset[int]
    cnp_dscp: int
    traffic_class: int
    cnp_priority: int | None = None
    """Stated for notifications alone; None where the priority of their DSCP says it."""
    cable_m: int = 0
    firmware: Mapping[str, str] | None = None

    @property
    def classes_of(self) -> tuple[int, ...]:
        """The class of each of the 64 DSCPs."""
        return tuple(self.class_of[priority] for priority in self.priority_of)

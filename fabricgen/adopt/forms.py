"""The types of what is inferred of tiers and fabrics: their coordinates, groups, links and cages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from fabricgen.adopt.facts import Inference
from fabricgen.adopt.networks import Network, group_by

PLACES = ("rack", "su", "pod")
"""Places that nest, from narrow to wide."""
LEGS = ("rail", "plane", "port")
KM_OF_SPAN = 10
"""The length of links between sites in a page: no source tells it, and a page must."""
Coordinate: TypeAlias = str | int | tuple[str | int, ...]
Coordinates: TypeAlias = dict[str, Coordinate]
"""By dimension, where a device is. A place is a tuple from wide to narrow: su ("p1", 2) is the second unit of
pod p1.
"""


@dataclass
class TierForm:
    """A tier as it was inferred: what it is grouped by, and `at`, the coordinates of its switches by their names.

    The number of a switch in its group, from 1, is the coordinate with the name of the tier. `count` is the number of
    switches of most groups. `uplinks`, `peers` and `downlinks` are the links of most switches to the tier above, to
    others of the tier, and to the tier below.
    """

    name: str
    per: tuple[str, ...]
    at: dict[str, Coordinates]
    count: int
    profile: str
    nos: str
    uplinks: int = 0
    peers: int = 0
    downlinks: int = 0
    of_pod: dict[str, int] = field(default_factory=dict)
    """The uplinks of a switch by pod if pods differ; then the page does not state those of all."""
    profile_of_pod: dict[str, str] = field(default_factory=dict)
    """The profile of the switches of a pod if all of them have another than those of most pods."""
    uneven: bool = False
    """Whether many groups have other than `count` switches; then the page does not state their number."""
    grid: dict[str, int] = field(default_factory=dict)
    """The section `grid` of the page: how many switches of a group lie along each dimension; {} for one dimension."""
    mesh: dict[str, Any] = field(default_factory=dict)
    """The section `mesh` of the page: links within the tier, by dimension."""
    tables: dict[str, tuple[int, list[tuple[tuple[int, int], ...]]]] = field(default_factory=dict)
    """By dimension along which no rule says who meets: links of every two that do, and tables that may say it."""
    cages: dict[str, list[int]] = field(default_factory=dict)
    """The cages that are in use, by purpose as in `cages` of a page."""


@dataclass
class FabricForm:
    """A fabric as it was inferred: its tiers from the lowest up, rails that share leaves, and planes."""

    network: Network
    tiers: dict[str, TierForm] = field(default_factory=dict)
    rail_groups: list[list[int]] = field(default_factory=list)
    planes: int = 1
    ways: int = 1
    """The legs of a NIC port, 1 if it is not split; each has `leg_gbps` Gb/s."""
    leg_gbps: float = 0
    carried: dict[str, list[list[int]]] = field(default_factory=dict)
    """By carried role, the rails of each rail group of leaves; [] if all rails share a group."""
    spans: Counter[tuple[str, str]] = field(default_factory=Counter)
    """The links between switches of one tier at two sites; by default they are as fast as its fastest cages."""
    span_gbps: int = 0
    inferences: list[Inference] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def group_members(at: Mapping[str, Coordinates], per: Sequence[str]) -> dict[tuple[Coordinate | None, ...], list[str]]:
    """Return the switches of each group of a tier, by the coordinates in `per`; groups are of one site, if any."""
    return dict(group_by(at, {switch: tuple(c.get(d) for d in (*per, "site")) for switch, c in at.items()}))


def make_tuple(place: Coordinate) -> tuple[str | int, ...]:
    """Return the coordinate of a place as a tuple (pod, unit, rack), also that of a pod, which is its name alone."""
    return place if isinstance(place, tuple) else (place,)

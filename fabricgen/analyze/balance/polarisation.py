"""Polarisation: which of its links a switch uses that hashes as the switch below it does.

A switch with n uplinks takes that of number h mod n for a flow whose hash is h. What comes up one of them has one
remainder, and the switch above, which chooses among m with the same hash, uses just m / gcd(n, m) of its own for it.
What comes up several links uses the sum. FG747 tells where seeds are alike.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from fabricgen.analyze.balance.routes import Routes
from fabricgen.design.fabric_model import TierKey
from fabricgen.wiring.tables import Floats, Ints64, unique_values


@dataclass(frozen=True, slots=True)
class Polarised:
    """The links among which the switches of a tier choose, up or down to one place, and the share of them in use."""

    tier: TierKey
    way: str
    links: int
    share: float


def polarised(routes: Routes) -> Iterator[Polarised]:
    """For each tier above the leaves that has a choice, the share of its links in use where all hash alike.

    The mean over its switches; of those that differ in links, the most common number of these.
    """
    network, uplinks = routes.network, routes.network.uplinks
    number, many = routes.ordinals()
    up = np.bincount(uplinks.lower, minlength=len(routes.labels[0]))
    devices = network.cluster.plan.devices
    for height in range(routes.heights):
        here = np.flatnonzero(uplinks.height == height)
        upper = uplinks.upper[here]
        for way, members in (("up", up), ("down", routes.parallel(height))):
            share = _share(upper, number[here], many[here], members[upper])
            choosing = np.flatnonzero(np.bincount(upper) * (members[: len(share)] > 1))
            for cls in unique_values(devices.device_class[choosing]):
                mine = choosing[devices.device_class[choosing] == cls]
                links = int(np.bincount(members[mine]).argmax())
                yield Polarised(devices.classes[cls].key, way, links, float(share[mine].mean()))


def _share(upper: Ints64, number: Ints64, many: Ints64, members: Ints64) -> Floats:
    """By row of a switch, the share of its links in use; where lower switches differ, the most that those alike use."""
    divisor, base = np.gcd(many, members), int(many.max(initial=0)) + 1
    found = np.sort((upper * base + divisor) * base + number % np.maximum(divisor, 1))
    distinct = found[np.flatnonzero(np.diff(found, prepend=-1))]
    alike, count = np.unique(distinct // base, return_counts=True)
    share = np.zeros(int(upper.max(initial=-1)) + 1)
    np.maximum.at(share, alike // base, count / np.maximum(alike % base, 1))
    return share

"""Cable ends, links and devices that differ between two sides; only these are compared in detail, as most are
unchanged.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from fabricgen.diff.delta import Delta
from fabricgen.diff.listing import COLUMNS, Listing, Lists, Rows, among
from fabricgen.diff.matching import match_rows


@dataclass(frozen=True)
class ChangedCables:
    """Rows of cable ends that only one side has (`gone`: old, `come`: new), and the ids of their cables."""

    gone: Rows
    come: Rows
    cables: frozenset[str]


def changed_cables(old: Listing, new: Listing) -> ChangedCables:
    """Compare cable end rows of two sides in all columns of `COLUMNS`."""
    gone, come, _, _ = match_rows([(old[name], new[name]) for name in COLUMNS["cables"]])
    return ChangedCables(gone, come, frozenset([*old["cable"][gone].tolist(), *new["cable"][come].tolist()]))


def links_to_compare(lists: Lists, changed: Rows, devices: Collection[str], cables: Collection[str]) -> Rows:
    """Rows of links that changed, or whose device or cable did, ascending."""
    links = lists.links
    found = among(devices, links["a_device"]) | among(devices, links["b_device"]) | among(cables, links["cable"])
    found[changed] = True
    return np.flatnonzero(found)


def changed_devices(delta: Delta) -> frozenset[str]:
    """Names of devices that are added, removed or changed."""
    names = delta.old["device"][np.concatenate([delta.removed, delta.was])], delta.new["device"][delta.added]
    return frozenset(name for column in names for name in column.tolist())

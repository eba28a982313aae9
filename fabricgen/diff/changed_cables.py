"""What two sides do not have alike: only this is looked at closely, as a change leaves most of a fabric as it is."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from fabricgen.diff.delta import Delta
from fabricgen.diff.listing import COLUMNS, Listing, Lists, Rows, among
from fabricgen.diff.matching import match_rows


@dataclass(frozen=True)
class ChangedCables:
    """Cable end rows that only one side has, and the cables that they are of, by id."""

    gone: Rows
    come: Rows
    cables: frozenset[str]


def changed_cables(old: Listing, new: Listing) -> ChangedCables:
    """Compare cable end rows, as a build lists them, in all that is read of them."""
    gone, come, _, _ = match_rows([(old[name], new[name]) for name in COLUMNS["cables"]])
    return ChangedCables(gone, come, frozenset([*old["cable"][gone].tolist(), *new["cable"][come].tolist()]))


def links_to_compare(lists: Lists, changed: Rows, devices: Collection[str], cables: Collection[str]) -> Rows:
    """Links that changed, end on devices or hang on cables that did; rows in order."""
    links = lists.links
    found = among(devices, links["a_device"]) | among(devices, links["b_device"]) | among(cables, links["cable"])
    found[changed] = True
    return np.flatnonzero(found)


def changed_devices(delta: Delta) -> frozenset[str]:
    """Names of devices that are new, gone or changed."""
    names = delta.old["device"][np.concatenate([delta.removed, delta.was])], delta.new["device"][delta.added]
    return frozenset(name for column in names for name in column.tolist())

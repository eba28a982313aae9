"""Accessories of racks, listed by specification, or as the product that the blueprint names for a specification."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from fabricgen.bom.need import Needs, OrderedPart
from fabricgen.catalog.models import RackProfile
from fabricgen.cluster import Cluster
from fabricgen.wiring.arrays import Flags, Ints64


def make_accessory(cluster: Cluster, spec: str, text: str, kind: str) -> OrderedPart:
    """Return the part to order for a specification such as `blanking-panel-1u`.

    Its number is that of the product that the blueprint names for the specification, else the specification itself.
    `text` is its description; accessories draw no power.
    """
    products = cluster.design.loaded.blueprint.accessories.parts
    return OrderedPart(products.get(spec, spec), text, kind, 0)


# Racks that have no room at their sides for the vertical cable managers and zero-U PDUs that are planned there.

NETWORK_M = 0.75
"""The width from which racks have room for cables beside 19 inches, m: makers sell cabinets of 600 mm for servers, and
of 750 or 800 mm for networks (NetShelter SX AR3357, Conteg iSEVEN; github.com/netbox-community/devicetype-library)."""


class NarrowRacks(NamedTuple):
    """Racks of one type that are too narrow, by their rows, and the most pieces at the sides of one of them."""

    rack: RackProfile
    rows: Ints64
    most_pieces: int

    @property
    def text(self) -> str:
        """How many racks there are, how wide they are, and what stands at their sides."""
        beside = f"vertical cable managers and zero-U PDUs, up to {self.most_pieces} at their sides"
        return f"{len(self.rows):,} of {1000 * self.rack.width_m:.0f} mm have {beside}"


def find_narrow_racks(cluster: Cluster, needs: Needs) -> Iterator[NarrowRacks]:
    """Yield the racks of each type below `NETWORK_M` in which vertical cable managers and zero-U PDUs both stand.

    `needs` are those of the whole bill.
    """
    racks = cluster.plan.racks
    kinds = np.array([part.kind for part in needs.parts])[needs.part]
    managers, pdus = (_count_by_rack(needs, kinds == kind, len(racks)) for kind in ("cable-manager", "rack-pdu"))
    for number, rack in enumerate(racks.kinds):
        rows = np.flatnonzero((managers > 0) & (pdus > 0) & (racks.kind == number))
        if len(rows) and rack.width_m < NETWORK_M and not {"cable-manager", "rack-pdu"} & set(rack.reserved):
            yield NarrowRacks(rack, rows, int((managers + pdus)[rows].max()))


def _count_by_rack(needs: Needs, mask: np.ndarray[tuple[int], np.dtype[np.bool_]], racks: int) -> Ints64:
    """Return the pieces in each of `racks` racks, of the needs where `mask` is true."""
    return np.bincount(needs.rack[mask], weights=needs.quantity[mask], minlength=racks).astype(np.int64)


# Racks with a busbar feed their devices with DC: they have power shelves, and no outlets for cords.

SHELF = "power-shelf"
"""The fixture of a rack profile with a busbar."""


def has_busbar(kind: RackProfile) -> bool:
    """Whether racks of a type have a busbar."""
    return SHELF in kind.fixed


def flag_busbar_racks(cluster: Cluster) -> Flags:
    """Return for each rack of the plan whether it has a busbar; bool."""
    racks = cluster.plan.racks
    flags: Flags = np.array([has_busbar(kind) for kind in racks.kinds], dtype=bool)[racks.kind]
    return flags

"""Which rack units of a rack devices can take, and the types of racks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import repeat
from typing import Any

from fabricgen.blueprint.models import Blueprint, Racks
from fabricgen.blueprint.sections.floor import Floor
from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.models import RackProfile
from fabricgen.kernel.diagnostics import Path

TOP_UNITS_FREE = 2
"""Rack units left free at the top of network racks, for patching and air."""


class FreeUnits:
    """Which rack units of a rack are free."""

    def __init__(self, units: int, used_units: Iterable[int] = ()) -> None:
        self.units = units
        self._taken = {u for u in used_units if 1 <= u <= units}

    def copy(self) -> FreeUnits:
        """Return a copy whose rack units are taken without effect on this one."""
        return FreeUnits(self.units, self._taken)

    def is_free(self, u: int, height: int) -> bool:
        """Whether a device of this height fits with `u` as its lowest rack unit."""
        return u >= 1 and u + height - 1 <= self.units and self._taken.isdisjoint(range(u, u + height))

    def take_units(self, u: int, height: int) -> int:
        """Mark the rack units of a device as taken, and return the lowest of them."""
        self._taken.update(range(u, u + height))
        return u

    def find_next(self, end: int, height: int, *, hung: bool) -> int | None:
        """Return the lowest rack unit of the next device: above `end`, or, with `hung`, below it; None if it fits
        nowhere.

        `end` is the last rack unit that was taken, 0 if none was.
        """
        if self.units - len(self._taken) < height:
            return None  # the rack is full, as most of several side by side are
        # with nothing taken, hanging starts at the top: unit `units` is the highest
        downwards, upwards = range((end or self.units + 1) - height, 0, -1), range(end + 1, self.units - height + 2)
        return next((u for u in (downwards if hung else upwards) if self.is_free(u, height)), None)

    def list_stacked(self, heights: Iterable[int], *, hung: bool) -> Iterator[int]:
        """Yield the lowest rack unit of each device if devices of these heights are stacked from the bottom up or, with
        `hung`, from the top down, up to the first that does not fit; takes no rack units.
        """
        end = 0
        for height in heights:
            u = self.find_next(end, height, hung=hung)
            if u is None:
                return
            yield u
            end = u if hung else u + height - 1


def make_network_units(rack: RackProfile) -> FreeUnits:
    """Return the free rack units of an empty network rack."""
    return FreeUnits(rack.units - TOP_UNITS_FREE, rack.reserved_units)


def list_network_places(rack: RackProfile, height: int, *, hung: bool) -> tuple[int, ...]:
    """Return the lowest rack units of the devices of one height that fill a network rack, from the bottom up or, with
    `hung`, from the top down; (1,) if the rack is too low for any.
    """
    return tuple(make_network_units(rack).list_stacked(repeat(height), hung=hung)) or (1,)


def list_panel_places(rack: RackProfile, height: int) -> tuple[int, ...]:
    """Return the lowest rack units of the patch panels that fill a rack, from the top down; (1,) if it is too low for
    any.
    """
    return tuple(FreeUnits(rack.units, rack.reserved_units).list_stacked(repeat(height), hung=True)) or (1,)


def count_node_slots(rack: RackProfile, height: int) -> int:
    """Return how many nodes of a height a rack takes if two rack units are left for a switch; at least one."""
    free = FreeUnits(rack.units - 2, rack.reserved_units)
    return max(1, sum(1 for _ in free.list_stacked(repeat(height), hung=False)))


# The two rack types of a cluster, for nodes and for networks: from the catalogue, with what the blueprint states.


def choose_node_rack(racks: Racks, path: Path, floor: Floor, catalog: Catalog) -> RackProfile:
    """Return the type of the node racks of a kind of unit; `path` is where the blueprint states `racks`.

    Raises InputError for a type that the catalogue lacks.
    """
    rack_type = catalog.rack(racks.type, (*path, "type")) if racks.type else make_plain_rack(racks.units, floor)
    return _override_figures(
        rack_type, power_kw=racks.power_kw, load_kg=racks.weight_kg, air_kw=racks.air_kw, liquid_kw=racks.liquid_kw
    )


def choose_network_rack(blueprint: Blueprint, catalog: Catalog, units: int) -> RackProfile:
    """Return the type of racks that hold switches and extra devices only; `units` is their height unless a type is
    stated.

    Raises InputError for a type that the catalogue lacks.
    """
    floor = blueprint.floor
    rack_type = (
        catalog.rack(floor.network_rack, ("floor", "network_rack"))
        if floor.network_rack
        else make_plain_rack(units, floor)
    )
    return _override_figures(rack_type, power_kw=floor.network_rack_kw, load_kg=floor.network_rack_kg)


def make_plain_rack(units: int, floor: Floor) -> RackProfile:
    """Return a rack type that states only its height, in rack units, and its floor space."""
    return RackProfile.model_construct(
        id=f"rack-{units}u",
        source="the blueprint",
        tag="D",
        name=f"{units}U rack",
        units=units,
        width_m=floor.rack_pitch_m,
        depth_m=floor.rack_depth_m,
    )


def _override_figures(rack: RackProfile, **stated: Any) -> RackProfile:
    changed = {key: value for key, value in stated.items() if value is not None}
    return rack.model_copy(update=changed) if changed else rack

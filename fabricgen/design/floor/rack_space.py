"""Which rack units of a rack devices can take."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
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
        """The same rack units, to be taken for themselves."""
        return FreeUnits(self.units, self._taken)

    def is_free(self, u: int, height: int) -> bool:
        """Whether a device of a height fits with `u` as its lowest rack unit."""
        return u >= 1 and u + height - 1 <= self.units and self._taken.isdisjoint(range(u, u + height))

    def take_units(self, u: int, height: int) -> int:
        """Use the rack units of a device; returns the lowest."""
        self._taken.update(range(u, u + height))
        return u

    def find_lowest(self, height: int, first: int = 1) -> int | None:
        """The lowest rack unit, from `first` up, at which a device fits; None where it fits nowhere."""
        return next((u for u in range(first, self.units - height + 2) if self.is_free(u, height)), None)

    def find_highest(self, height: int) -> int | None:
        """The highest rack unit at which a device fits; None where it fits nowhere."""
        return next((u for u in range(self.units - height + 1, 0, -1) if self.is_free(u, height)), None)

    def find_next(self, end: int, height: int, *, hung: bool) -> int | None:
        """The next place after `end`, a rack unit that is taken: above it, or, `hung`, below it; 0: none is taken."""
        if self.units - len(self._taken) < height:
            return None  # full: of racks side by side most are
        if not hung:
            return self.find_lowest(height, end + 1)
        # with nothing taken, hanging starts at the top: unit `units` is the highest
        below = range((end or self.units + 1) - height, 0, -1)
        return next((u for u in below if self.is_free(u, height)), None)


def make_network_units(rack: RackProfile) -> FreeUnits:
    """The free rack units of an empty network rack."""
    return FreeUnits(rack.units - TOP_UNITS_FREE, rack.reserved_units)


def list_network_places(rack: RackProfile, height: int, *, hung: bool) -> tuple[int, ...]:
    """Lowest rack units of the devices of a height that a network rack takes, from the bottom up or, `hung`, from the
    top down; one where it is too low for any.
    """
    return tuple(_list_places(make_network_units(rack), height, hung=hung)) or (1,)


def list_panel_places(rack: RackProfile, height: int) -> tuple[int, ...]:
    """Lowest rack units of the patch panels that a rack of its own takes, from the top down; at least one."""
    return tuple(_list_places(FreeUnits(rack.units, rack.reserved_units), height, hung=True)) or (1,)


def _list_places(free: FreeUnits, height: int, *, hung: bool) -> Iterator[int]:
    end = 0
    while (u := free.find_next(end, height, hung=hung)) is not None:
        yield u
        end = u if hung else u + height - 1


def count_node_slots(rack: RackProfile, height: int) -> int:
    """How many nodes of a height a rack takes beside two rack units for a switch; at least one."""
    free = FreeUnits(rack.units - 2, rack.reserved_units)
    return max(1, sum(1 for _ in _list_places(free, height, hung=False)))


# The two rack types of a cluster, for nodes and for networks: from the catalogue, with what the blueprint states.


def choose_node_rack(racks: Racks, path: Path, floor: Floor, catalog: Catalog) -> RackProfile:
    """The type of the node racks of a kind of unit, stated at `path`; raises InputError for one that the catalogue
    lacks.
    """
    rack_type = catalog.rack(racks.type, (*path, "type")) if racks.type else make_plain_rack(racks.units, floor)
    return _override_figures(
        rack_type, power_kw=racks.power_kw, load_kg=racks.weight_kg, air_kw=racks.air_kw, liquid_kw=racks.liquid_kw
    )


def choose_network_rack(blueprint: Blueprint, catalog: Catalog, units: int) -> RackProfile:
    """The type of racks for switches and extra devices only, `units` high unless stated; raises InputError as above."""
    floor = blueprint.floor
    rack_type = (
        catalog.rack(floor.network_rack, ("floor", "network_rack"))
        if floor.network_rack
        else make_plain_rack(units, floor)
    )
    return _override_figures(rack_type, power_kw=floor.network_rack_kw, load_kg=floor.network_rack_kg)


def make_plain_rack(units: int, floor: Floor) -> RackProfile:
    """A rack type known only by its height in rack units and the space that the floor gives it."""
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

"""What the catalogue says of a rack: its size, what it carries, feeds and cools, and what is fixed in it."""

from collections import Counter
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from fabricgen.catalog.profile import Profile
from fabricgen.models.forms import FieldError

Unit = Annotated[int, Field(ge=1, le=60, description="A rack unit, counted from the bottom, from 1.")]

Reserve = Literal["cable-manager", "rack-pdu", "blank"]
"""What stands in reserved rack units, one unit high each."""


NODE_PLACES, TRAY_PLACES, SWITCH_PLACES = "node", "tray", "switch"
"""What `fixed` calls the places of nodes, of the switch trays of a scale-up domain, and of switches on top."""


class RackProfile(Profile):
    """A rack as it is ordered. What is not stated of its budgets is not judged.

    `fixed` says at which rack units what belongs there stands, from the first of it on: `node`, `tray` (the switch
    trays of a scale-up domain), `switch` (those on top of the rack), or what stands beside the nodes by its profile.
    With `complete_kg` that is the weight of a rack that holds any of these, whether or not all of them are there.
    `reserved` are rack units that no device takes.
    """

    kind: Annotated[Literal["rack"], Field(description="What the file describes.")] = "rack"
    name: Annotated[str, Field(description="What it is, for people.")]
    vendor: Annotated[str, Field(description="Who makes it; empty: many.")] = ""
    units: Annotated[int, Field(ge=10, le=60, description="Height inside, rack units.")]
    width_m: Annotated[float, Field(gt=0, le=3, description="Width, m.")]
    depth_m: Annotated[float, Field(gt=0, le=3, description="Depth, m.")]
    weight_kg: Annotated[float | None, Field(gt=0, description="Weight of the empty rack, kg.")] = None
    complete_kg: Annotated[
        float | None,
        Field(gt=0, description="Weight of the rack as it is sold, with all that is fixed in it, kg."),
    ] = None
    load_kg: Annotated[float | None, Field(gt=0, description="What may stand in it, kg, without itself.")] = None
    power_kw: Annotated[float | None, Field(gt=0, description="What it may draw, kW.")] = None
    air_kw: Annotated[float | None, Field(ge=0, description="Heat that air may take from it, kW.")] = None
    liquid_kw: Annotated[
        float | None, Field(ge=0, description="Heat that its coolant may take, kW; 0: it has none.")
    ] = None
    cords: Annotated[int, Field(ge=1, le=8, description="Power feeds that it has cords for.")] = 2
    fixed: Annotated[
        dict[str, tuple[Unit, ...]],
        Field(description="What stands where: lowest rack units of each of its kind, in their order."),
    ] = Field(default_factory=dict)
    reserved: Annotated[
        dict[Reserve, tuple[Unit, ...]],
        Field(
            description="Rack units without devices, by what stands in them: horizontal cable managers, rack PDUs, or "
            "blanking panels."
        ),
    ] = Field(default_factory=dict)
    includes: Annotated[
        tuple[str, ...],
        Field(
            description="What of `fixed` is sold with the rack, e.g. [power-shelf, node, tray]: its line in the bill "
            "says so, and it has none where the blueprint does not name it."
        ),
    ] = ()
    powers: Annotated[
        tuple[str, ...],
        Field(
            description="Switches, by profile, whose draw on its `switch` places is in the power of the rack, "
            "which is the figure of its nodes together: they add 0 W."
        ),
    ] = ()
    part_number: Annotated[str, Field(description="What is ordered.")] = ""

    @property
    def reserved_units(self) -> frozenset[int]:
        """The rack units that no device takes."""
        return frozenset(u for places in self.reserved.values() for u in places)

    @property
    def included_units(self) -> dict[str, tuple[int, ...]]:
        """Rack units of what is always in the rack, since it is sold with it, by its name in `fixed`, such as
        `power-shelf`.

        Nodes are left out: they are there only if the blueprint names them.
        """
        return {name: self.fixed[name] for name in self.includes if name != NODE_PLACES}

    @model_validator(mode="after")
    def _check_places(self) -> Self:
        """Raise ValueError if a rack unit holds two things, or is not in the rack."""
        held = Counter(u for places in (*self.fixed.values(), *self.reserved.values()) for u in places)
        crowded = sorted(u for u, count in held.items() if count > 1 or u > self.units)
        if crowded:
            raise ValueError(f"rack units hold one thing each, from 1 to {self.units}; got {crowded}")
        return self

    @model_validator(mode="after")
    def _check_complete_weight(self) -> Self:
        """Raise ValueError if the weight of the complete rack is stated although nothing is `fixed` in it, or is not
        above that of the empty rack.
        """
        if self.complete_kg is not None and not self.fixed:
            raise FieldError("complete_kg", "nothing is `fixed` in it that could be in this weight: add `fixed`")
        if self.complete_kg is not None and self.weight_kg is not None and self.complete_kg <= self.weight_kg:
            raise FieldError(
                "complete_kg", f"{self.complete_kg:g} kg with its contents, {self.weight_kg:g} kg when it is empty"
            )
        return self

    @model_validator(mode="after")
    def _check_fixed(self) -> Self:
        """Raise ValueError if what is sold with the rack, or switches counted in its power, have no place in it."""
        required = [("includes", name) for name in self.includes] + [("powers", SWITCH_PLACES)] * bool(self.powers)
        for key, name in required:
            if name not in self.fixed:
                raise FieldError(key, f"'{name}' is not `fixed` in it; fixed are {', '.join(self.fixed)}")
        return self

    @model_validator(mode="after")
    def _check_heat(self) -> Self:
        """Raise ValueError if air and coolant together do not take the heat of what the rack may draw."""
        cooled = (self.air_kw or 0) + (self.liquid_kw or 0)
        if self.power_kw and self.air_kw is not None and self.liquid_kw and cooled < self.power_kw:
            raise FieldError(
                "power_kw",
                f"it may draw {self.power_kw:g} kW, and air and coolant take {cooled:g} kW of heat "
                f"({self.air_kw:g} + {self.liquid_kw:g})",
            )
        return self

"""Names of switches from their coordinates: a name never depends on other devices of the cluster."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product

from fabricgen.blueprint.dimensions import WHOLE, dimension_of, leg_dimensions, scopes
from fabricgen.blueprint.models import Blueprint
from fabricgen.design.fabric_model import TierDesign
from fabricgen.design.floor.floor_plan import FloorPlan
from fabricgen.design.floor.network_runs import stands_in_run
from fabricgen.design.layout import Layout
from fabricgen.design.model import Design
from fabricgen.design.names.templates import Naming, Values, stated
from fabricgen.design.shape import (
    inner,
    is_part_of_unit,
    place_names,
    place_numbers,
    scope_count,
    scope_of,
    spans_units,
)
from fabricgen.kernel.diagnostics import Path, did_you_mean, fault


class SwitchNames:
    """Names of the switches of a tier.

    The default is `fabric-tier-place-...-01`, without the site where that was the only one. Numbers grow wider, never
    narrower, so that growth renames nothing.
    """

    def __init__(
        self,
        blueprint: Blueprint,
        layout: Layout,
        fabric: str,
        tier: str,
        per: tuple[str, ...],
        racks: Callable[[], Sequence[int]] | None = None,
    ) -> None:
        """`racks` gives the rack of each switch of a unit, in their order, by its number; None where it is not known
        or they stand in no rack of a unit.
        """
        self._layout, self._per, self._scope, self._racks = layout, per, scope_of(per), racks
        self._tiers = blueprint.fabrics[fabric].tiers
        self._own = {"cluster": blueprint.name, "fabric": fabric, "tier": tier}
        alone = self._scope == "site" and layout.sites == (layout.unnamed_site,)
        self.naming = self._naming(blueprint, () if alone else self._telling)
        self._without_site = self._naming(blueprint, ())

    def _naming(self, blueprint: Blueprint, places: Sequence[str]) -> Naming:
        """The naming of the switches, the default template telling some places."""
        fabric, tier = self._own["fabric"], self._own["tier"]
        template, path = stated(blueprint, fabric, tier)
        usual = self._usual(places)
        return Naming(
            who=f"{fabric} {tier} switches",
            template=template.replace("{default}", usual) or usual,
            path=path or ("fabrics", fabric, "tiers", tier),
        )

    def _usual(self, places: Sequence[str]) -> str:
        """The default template, which tells some places."""
        known = (*places, *(d for d in inner(self._per) if d in leg_dimensions()))
        tiers = [f"-{d}{{{d}}}" for d in inner(self._per) if d not in known]
        return "{fabric}-{tier}" + "".join([*(f"-{dimension_of(d).template}" for d in known), *tiers]) + "-{n:02}"

    @property
    def _telling(self) -> tuple[str, ...]:
        """The places that identify a place of the scope: itself, the unit of a part of a unit, and the pod."""
        if self._scope in (WHOLE, "site"):
            return (self._scope,) if self._scope != WHOLE else ()
        unit = ("su",) if is_part_of_unit(self._scope) else ()
        return tuple(dict.fromkeys(("pod", *unit, self._scope)))

    def check(self, sizes: Mapping[str, int], count: int) -> None:
        """Check the template; `sizes` are those of the tier's fabric, `count` the switches in a group.

        Raises InputError for fields that these switches lack, and for a template that gives two of them one name.
        """
        places, used = self._places(), self.naming.fields
        fields = [field for field in scopes() if field in places]
        texts = [*self._own, *(field for field in fields if dimension_of(field).is_named)]
        numbers = [*(field for field in fields if not dimension_of(field).is_named), *inner(self._per), "n", "index"]
        standing = [] if "rack" in (*texts, *numbers) or self._racks is None else ["rack"]
        varied = {field for field in self._telling if len(set(places.get(field, ()))) > 1}
        varied |= {d for d in inner(self._per) if sizes[d] > 1} | ({"n"} if count > 1 else set())
        if "index" in used:
            self._check_running()
            varied = set()
        elif standing and "rack" in used and self._told_apart(sizes, count):
            varied &= {field for field in self._telling if not is_part_of_unit(field)}
        self.naming.check(texts, [*numbers, *standing], [field for field in (*texts, *numbers) if field in varied])

    def _told_apart(self, sizes: Mapping[str, int], count: int) -> bool:
        """Whether the racks and the other fields tell the switches of a unit apart."""
        fields = self._fields(sizes, count)
        every = [fields[f] for f in sorted(self.naming.fields - {"pod", "su", "site", "cluster"}) if f in fields]
        columns = [column[: len(self._racks())] for column in every] if self._racks else []
        told = list(zip(*(column for column in columns if not isinstance(column, str)), strict=True))
        return len(set(told)) == len(told)

    def _check_running(self) -> None:
        """Raise InputError where growth would change the running number of a switch: only what is counted last may
        grow, and a derived count does.
        """
        within = self._scope != WHOLE and not spans_units(self._per)
        counted = [d for d in inner(self._per) if d in self._tiers] + ([] if within else [self._own["tier"]])
        fixed = self._scope != WHOLE or any(d not in self._tiers for d in inner(self._per))
        growing = [tier for tier in (counted if fixed else counted[1:]) if not self._tiers[tier].count]
        if growing:
            raise fault(
                "FG039",
                f"the count of {growing[0]} is derived and may grow, which would change {{index}} of {self.naming.who}",
                path=self.naming.path,
                hint=f"state `count` of {growing[0]}, or number them in their group with {{n}}",
            )

    def of(self, sizes: Mapping[str, int], count: int) -> list[str]:
        """Names of all switches, group by group."""
        fields = self._fields(sizes, count)
        total = len(fields["index"])
        names = self.naming.names(fields, total)
        if self._scope == "site" and self._layout.unnamed_site:
            plain = self._without_site.names(fields, total)
            at = zip(fields["site"], plain, names, strict=True)
            names = [short if site == self._layout.unnamed_site else long for site, short, long in at]
        return names

    def _fields(self, sizes: Mapping[str, int], count: int) -> dict[str, Values]:
        """The value of every field for all switches, group by group."""
        places = self._places()
        dimensions = inner(self._per)
        tails = list(product(*(range(1, sizes[d] + 1) for d in dimensions), range(1, count + 1)))
        each, places_count = len(tails), len(places["place"])
        fields: dict[str, Values] = dict(self._own)
        fields |= {field: [v for v in values for _ in range(each)] for field, values in places.items()}
        fields |= {d: [tail[i] for tail in tails] * places_count for i, d in enumerate((*dimensions, "n"))}
        slots = place_numbers(self._layout, self._scope) if "index" in self.naming.fields else range(places_count)
        fields["index"] = [slot * each + i + 1 for slot in slots for i in range(each)]
        if self._racks is not None and "rack" in self.naming.fields and "rack" not in fields:
            racks = list(self._racks())
            fields["rack"] = racks * (each * places_count // len(racks))
        return fields

    def _places(self) -> dict[str, Sequence[str | int]]:
        """Columns of the fields for where a group stands, one item for each place of the scope; `place` numbers the
        places.
        """
        layout = self._layout
        if self._scope in (WHOLE, "site"):
            sites = list(layout.sites) if self._scope == "site" else [layout.sites[0]]
            known = self._scope == "site" or len(layout.sites) == 1
            return {"place": range(len(sites))} | ({"site": sites} if known else {})
        return {"place": range(scope_count(layout, self._scope)), **place_names(layout, self._scope)}


def names_of_tier(design: Design, tier: TierDesign) -> SwitchNames:
    """The names of the switches of a tier, which may tell the rack that they stand in."""

    def racks() -> list[int]:
        nodes = tier.layout.racks_per_su
        spots = FloorPlan(design).spots[tier.key]
        return [rack + 1 if rack < nodes else rack - nodes + 1 for rack, _ in spots]

    standing = not stands_in_run(design, tier)
    blueprint = design.loaded.blueprint
    return SwitchNames(blueprint, tier.layout, tier.fabric, tier.name, tier.per, racks if standing else None)


def check_switch_names(design: Design) -> None:
    """Check every template of switches; raises InputError at the template."""
    blueprint, fabrics = design.loaded.blueprint, design.fabrics
    tiers = {tier.name for fabric in fabrics for tier in fabric.tiers}
    _check_tiers(blueprint.names.switches, ("names", "switches"), tiers)
    for fabric in fabrics:
        own = blueprint.fabrics[fabric.name].names
        _check_tiers(own, ("fabrics", fabric.name, "names"), {tier.name for tier in fabric.tiers})
        for tier in fabric.tiers:
            names_of_tier(design, tier).check(tier.sizes, tier.count)


def _check_tiers(templates: Mapping[str, str], path: Path, tiers: set[str]) -> None:
    for name in sorted(set(templates) - tiers - {"all"}):
        raise fault("FG016", f"there is no tier '{name}' to name", path=(*path, name), hint=did_you_mean(name, tiers))

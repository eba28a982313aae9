"""Names of switches from their coordinates: a name never depends on other devices of the cluster."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

from fabricgen.blueprint.dimensions import WHOLE, dimension_of, leg_dimensions, scopes
from fabricgen.blueprint.models import Blueprint
from fabricgen.design.fabric_model import FabricDesign
from fabricgen.design.layout import Layout
from fabricgen.design.names.templates import Naming, Values, stated
from fabricgen.design.shape import inner, is_part_of_unit, place_names, scope_count, scope_of
from fabricgen.kernel.diagnostics import Path, did_you_mean, fault


class SwitchNames:
    """Names of the switches of a tier.

    The default is `fabric-tier-place-...-01`, without the site where there is only one. Numbers grow wider, never
    narrower, so that growth renames nothing.
    """

    def __init__(self, blueprint: Blueprint, layout: Layout, fabric: str, tier: str, per: tuple[str, ...]) -> None:
        self._layout, self._per, self._scope = layout, per, scope_of(per)
        self._own = {"cluster": blueprint.name, "fabric": fabric, "tier": tier}
        template, path = stated(blueprint, fabric, tier)
        usual = self._usual()
        self.naming = Naming(
            who=f"{fabric} {tier} switches",
            template=template.replace("{default}", usual) or usual,
            path=path or ("fabrics", fabric, "tiers", tier),
        )

    def _usual(self) -> str:
        """The default template."""
        places = [] if self._scope == "site" and len(self._layout.sites) == 1 else self._telling
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
        places = self._places()
        fields = [field for field in scopes() if field in places]
        texts = [*self._own, *(field for field in fields if dimension_of(field).is_named)]
        numbers = [*(field for field in fields if not dimension_of(field).is_named), *inner(self._per), "n"]
        varied = {field for field in self._telling if len(set(places.get(field, ()))) > 1}
        varied |= {d for d in inner(self._per) if sizes[d] > 1} | ({"n"} if count > 1 else set())
        self.naming.check(texts, numbers, [field for field in (*texts, *numbers) if field in varied])

    def of(self, sizes: Mapping[str, int], count: int) -> list[str]:
        """Names of all switches, group by group."""
        places = self._places()
        dimensions = inner(self._per)
        tails = list(product(*(range(1, sizes[d] + 1) for d in dimensions), range(1, count + 1)))
        each, places_count = len(tails), len(places["place"])
        fields: dict[str, Values] = dict(self._own)
        fields |= {field: [v for v in values for _ in range(each)] for field, values in places.items()}
        fields |= {d: [tail[i] for tail in tails] * places_count for i, d in enumerate((*dimensions, "n"))}
        return self.naming.names(fields, each * places_count)

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


def check_switch_names(blueprint: Blueprint, layout: Layout, fabrics: Sequence[FabricDesign]) -> None:
    """Check every template of switches; raises InputError at the template."""
    tiers = {tier.name for fabric in fabrics for tier in fabric.tiers}
    _check_tiers(blueprint.names.switches, ("names", "switches"), tiers)
    for fabric in fabrics:
        own = blueprint.fabrics[fabric.name].names
        _check_tiers(own, ("fabrics", fabric.name, "names"), {tier.name for tier in fabric.tiers})
        for tier in fabric.tiers:
            names = SwitchNames(blueprint, layout, fabric.name, tier.name, tier.per)
            names.check(fabric.tier_sizes, tier.count)


def _check_tiers(templates: Mapping[str, str], path: Path, tiers: set[str]) -> None:
    for name in sorted(set(templates) - tiers - {"all"}):
        raise fault("FG016", f"there is no tier '{name}' to name", path=(*path, name), hint=did_you_mean(name, tiers))

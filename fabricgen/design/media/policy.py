"""The media policy: which cable profiles may carry links without stated media, and in what order of preference."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from fabricgen.blueprint.models import Blueprint
from fabricgen.blueprint.sections.cabling import OTHERS, Cabling, MediaPolicy
from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.models import COPPER, CableProfile
from fabricgen.catalog.product_models import make_vendor_key
from fabricgen.design.floor.halls import halls_of
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Path, did_you_mean, fault

T = TypeVar("T")

LINEAR = ("LPO", "LRO", "NPO")
"""Optics without retimers, which work only with ports made for them at both ends."""

_FIBRES = {"single-mode": "smf", "multi-mode": "mmf"}


@dataclass(frozen=True, slots=True)
class CablePolicy:
    """A blueprint's media policy. The default takes the cheapest standard medium that reaches.

    `linear`: the ports at both ends drive linear optics. `path` is where the policy is stated; () where nothing is.
    """

    allow: tuple[str, ...] = ()
    avoid: tuple[str, ...] = ()
    prefer: tuple[str, ...] = ()
    fibre: str = "any"
    copper_to_m: float | None = None
    linear: bool = False
    path: Path = ()

    def permits(self, cable: CableProfile) -> bool:
        """Whether a medium may be used. Twisted pair for RJ45 cages is always permitted."""
        if "RJ45" in cable.form_factors:
            return cable.selectable
        usual = cable.selectable or named(self.allow, cable)
        return usual and not self.explain_refusal(cable)

    def explain_refusal(self, cable: CableProfile) -> str:
        """The key of the policy that forbids a medium; "" where none does."""
        if named(self.avoid, cable):
            return "avoid"
        wanted = _FIBRES.get(self.fibre)
        if wanted and cable.fibre and not cable.fibre.startswith(wanted):
            return "fibre"
        if cable.copper and self.copper_to_m == 0:
            return "copper_to_m"
        if cable.medium in LINEAR and not self.linear:
            return "linear_hosts"
        return ""

    @property
    def wants_copper(self) -> bool:
        """Whether the policy asks for copper, up to a length or by name."""
        return bool(self.copper_to_m) or any(word in COPPER for word in self.prefer)

    def most_m(self, cable: CableProfile) -> float:
        """The longest cable of a medium that the policy allows, m."""
        if cable.copper and self.copper_to_m is not None:
            return min(cable.reach_m, self.copper_to_m)
        return cable.reach_m

    def place(self, cable: CableProfile) -> int:
        """The rank of a medium in `prefer`, from 0; media that are not named rank last."""
        places = (i for i, word in enumerate(self.prefer) if named((word,), cable))
        return next(places, len(self.prefer))


OPEN = CablePolicy()
"""The policy where a blueprint states none."""


def named(words: tuple[str, ...], cable: CableProfile) -> bool:
    """Whether a cable profile is among those that `words` name, by medium or by id."""
    return cable.medium in words or cable.id in words


def policy_of(blueprint: Blueprint, fabric: str, ends: Iterable[str]) -> CablePolicy:
    """The policy for links of a fabric between devices of some profiles: each key from the fabric, else from the
    cluster.
    """
    top, own = blueprint.cabling, blueprint.fabrics[fabric].cabling
    keys = set(MediaPolicy.model_fields)
    stated = {("cabling",): keys & top.model_fields_set, ("fabrics", fabric, "cabling"): keys & own.model_fields_set}
    if not any(stated.values()):
        return OPEN
    return CablePolicy(
        allow=_first(own.allow, top.allow, ()),
        avoid=_first(own.avoid, top.avoid, ()),
        prefer=_first(own.prefer, top.prefer, ()),
        fibre=_first(own.fibre, top.fibre, "any"),
        copper_to_m=top.copper_to_m if own.copper_to_m is None else own.copper_to_m,
        linear=all(end in top.linear_hosts for end in ends),
        path=[path for path, told in stated.items() if told][-1],
    )


def _first(own: T | None, top: T | None, default: T) -> T:
    """The fabric's value, else the cluster's, else the default."""
    return own if own is not None else top if top is not None else default


def stock_of(blueprint: Blueprint, catalog: Catalog) -> tuple[CableProfile, ...]:
    """The cable profiles, the cheapest first, with the lengths that the blueprint says are in stock."""
    stock = blueprint.cabling.stock_m
    if not stock:
        return catalog.cables
    found = []
    for cable in catalog.cables:
        lengths = stock.get(cable.id) or stock.get(cable.medium)
        found.append(cable.model_copy(update={"stock_m": lengths}) if lengths else cable)
    return tuple(found)


# Names of device profiles and halls in the cabling sections of a blueprint.


def check_cabling_names(blueprint: Blueprint, catalog: Catalog, sites: tuple[str, ...]) -> None:
    """Raise InputError for each unknown product list or device profile (FG011) or hall (FG016).

    Likewise for each vendor with product lists of which the catalogue has no device (FG011); and, as
    `Catalog.products` does, for a product list that cannot be used.
    """
    for path, name in product_lists(blueprint):
        catalog.products(name, path)
    trays = blueprint.floor.trays
    faults = [
        *_unknown_vendors(blueprint.cabling, catalog),
        *_unknown(("cabling", "linear_hosts"), blueprint.cabling.linear_hosts, catalog),
        *_unknown(("floor", "trays", "cold_ports"), trays.cold_ports or (), catalog),
    ]
    halls = {hall.name for hall in halls_of(blueprint.floor, sites, blueprint.site)} if trays.exits else set()
    for name in sorted(set(trays.exits) - halls):
        faults += fault(
            "FG016",
            f"there is no hall '{name}' whose exit this could be",
            path=("floor", "trays", "exits", name),
            hint=f"halls are {', '.join(sorted(halls))}",
        ).diagnostics
    if faults:
        raise InputError(faults)


def product_lists(blueprint: Blueprint) -> Iterator[tuple[Path, str]]:
    """(where, name) of each product list that a blueprint orders from."""
    for vendor, names in blueprint.cabling.products.items():
        for number, name in enumerate(names):
            yield ("cabling", "products", *((vendor,) if vendor else ()), number), name


def _unknown_vendors(cabling: Cabling, catalog: Catalog) -> Iterator[Diagnostic]:
    stated = [vendor for vendor in cabling.products if vendor not in ("", OTHERS)]
    if not stated:
        return
    known = {make_vendor_key(catalog.switch(name).vendor) for name in catalog.ids("switches")}
    known |= {make_vendor_key(catalog.node(name).vendor) for name in catalog.ids("nodes")}
    for vendor in stated:
        if vendor not in known:
            message = f"no switch or node of the catalogue is of the vendor '{vendor}'"
            yield from fault(
                "FG011", message, path=("cabling", "products", vendor), hint=did_you_mean(vendor, {*known, OTHERS})
            ).diagnostics


def _unknown(path: Path, names: Iterable[str], catalog: Catalog) -> Iterator[Diagnostic]:
    for name in names:
        known = {*catalog.ids("switches"), *catalog.ids("nodes")}
        if name not in known:
            message = f"no switch or node profile '{name}' in the catalogue"
            yield from fault("FG011", message, path=path, hint=did_you_mean(name, known)).diagnostics

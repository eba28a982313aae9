"""Names of device profiles and halls in the cabling sections of a blueprint."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fabricgen.blueprint.models import Blueprint
from fabricgen.blueprint.sections.cabling import OTHERS, Cabling
from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.product_models import word_of
from fabricgen.design.floor.halls import halls_of
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Path, did_you_mean, fault


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
    known = {word_of(catalog.switch(name).vendor) for name in catalog.ids("switches")}
    known |= {word_of(catalog.node(name).vendor) for name in catalog.ids("nodes")}
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

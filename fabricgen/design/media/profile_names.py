"""Names of device profiles and halls in the cabling sections of a blueprint."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fabricgen.blueprint.models import Blueprint
from fabricgen.catalog.loader import Catalog
from fabricgen.design.floor.halls import halls_of
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Path, did_you_mean, fault


def check_cabling_names(blueprint: Blueprint, catalog: Catalog, sites: tuple[str, ...]) -> None:
    """Raise InputError for each unknown product list or device profile (FG011) or hall (FG016).

    Also, as `Catalog.products` does, for a product list that cannot be used.
    """
    for number, name in enumerate(blueprint.cabling.products):
        catalog.products(name, ("cabling", "products", number))
    trays = blueprint.floor.trays
    faults = [
        *_unknown(("cabling", "linear_hosts"), blueprint.cabling.linear_hosts, catalog),
        *_unknown(("floor", "trays", "cold_ports"), trays.cold_ports, catalog),
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


def _unknown(path: Path, names: Iterable[str], catalog: Catalog) -> Iterator[Diagnostic]:
    for name in names:
        known = {*catalog.ids("switches"), *catalog.ids("nodes")}
        if name not in known:
            message = f"no switch or node profile '{name}' in the catalogue"
            yield from fault("FG011", message, path=path, hint=did_you_mean(name, known)).diagnostics

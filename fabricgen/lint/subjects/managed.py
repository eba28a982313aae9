"""Shared by the rules on management: the settings of each fabric's switches, and how those are reached."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Iterator

from fabricgen.blueprint.sections.management import Management
from fabricgen.design.fabric_model import FabricDesign, TierDesign
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Path
from fabricgen.numbering.underlay import list_families


def is_configured(design: Design, tier: TierDesign) -> bool:
    """Whether a configuration is written for each switch of a tier: not for those of a subnet manager."""
    return bool(design.catalog.naming(tier.nos).configuration.places)


def list_managed_fabrics(design: Design) -> Iterator[tuple[FabricDesign, tuple[TierDesign, ...], Management]]:
    """(fabric, its tiers that are configured, its settings over the cluster's) of each fabric that has such tiers."""
    blueprint = design.loaded.blueprint
    for fabric in design.fabrics:
        tiers = tuple(tier for tier in fabric.tiers if is_configured(design, tier))
        if tiers:
            yield fabric, tiers, blueprint.fabrics[fabric.name].management.over(blueprint.management)


def find_setting_path(design: Design, fabric: FabricDesign, *keys: str) -> Path:
    """The path of a management setting where it is stated, in the fabric, else in the cluster."""
    settings = design.loaded.blueprint.fabrics[fabric.name].management
    stated = bool(getattr(settings, keys[0]))
    return (*(fabric.path if stated else ()), "management", *keys)


def find_nos_path(design: Design, tier: TierDesign) -> Path:
    """The path of the statement of a tier's NOS; of its switch where that alone decides."""
    blueprint = design.loaded.blueprint
    for base, nos in ((("fabrics", tier.fabric), blueprint.fabrics[tier.fabric].nos), ((), blueprint.nos)):
        for name in (tier.name, "all"):
            if nos.get(name) == tier.nos:
                return (*base, "nos", tier.name)
    return (*tier.path, "switch")


def list_management_families(design: Design) -> tuple[str, ...]:
    """Address families of the switches' management ports: `v4`, `v6` or both."""
    oob = next((fabric for fabric in design.fabrics if fabric.managed_devices), None)
    if oob is not None:
        return list_families(design, oob)
    ip = design.loaded.blueprint.ip
    return ("v4", "v6") if ip == "dual" else (ip,)


def is_name(server: str) -> bool:
    """Whether a server is given by name, not by address."""
    try:
        ipaddress.ip_address(server)
    except ValueError:
        return True
    return False


def name_tiers(tiers: Iterable[TierDesign]) -> str:
    """Tiers in words, those of a fabric together: `compute leaf and spine, oob leaf`."""
    by_fabric: dict[str, list[str]] = {}
    for tier in tiers:
        by_fabric.setdefault(tier.fabric, []).append(tier.name)
    return ", ".join(f"{fabric} {' and '.join(names)}" for fabric, names in by_fabric.items())

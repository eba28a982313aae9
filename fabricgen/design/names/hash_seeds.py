"""Checks that seeds of hashes are stated for tiers that exist."""

from __future__ import annotations

from collections.abc import Mapping

from fabricgen.blueprint.models import Blueprint
from fabricgen.blueprint.sections.routing import LoadBalance, Routing
from fabricgen.design.fabric_model import FabricDesign
from fabricgen.kernel.diagnostics import Path, did_you_mean, fault


def check_seeds(blueprint: Blueprint, fabrics: Mapping[str, FabricDesign]) -> None:
    """Raise InputError (FG009) if a seed is stated for a tier that no fabric has, or that its fabric does not have."""
    _check_routing(blueprint.routing, (), {tier.name for fabric in fabrics.values() for tier in fabric.tiers})
    for name, fabric in fabrics.items():
        _check_routing(blueprint.fabrics[name].routing, ("fabrics", name), {tier.name for tier in fabric.tiers})


def _check_routing(routing: Routing, path_prefix: Path, tiers: set[str]) -> None:
    """Raise InputError (FG009) for a seed of a tier that is not in `tiers`."""
    load_balance = routing.load_balance
    seeds = load_balance.seeds if isinstance(load_balance, LoadBalance) and isinstance(load_balance.seeds, dict) else {}
    for name in sorted(set(seeds) - tiers):
        path = (*path_prefix, "routing", "load_balance", "seeds", name)
        raise fault("FG009", f"there is no tier '{name}' to have a seed", path=path, hint=did_you_mean(name, tiers))

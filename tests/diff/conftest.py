from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from fabricgen.blueprint.load import load_blueprint
from fabricgen.cluster import Cluster, build_cluster
from fabricgen.design.build import build_design
from fabricgen.diff.compare import Change, compare
from fabricgen.diff.inventory import Inventory, from_cluster

BLUEPRINTS = Path(__file__).parents[2] / "blueprints"


def compiled(name: str, *sets: str) -> Cluster:
    return build_cluster(build_design(load_blueprint(str(BLUEPRINTS / f"{name}.yaml"), sets)))


cluster_of = cache(compiled)


@cache
def inventory_of(name: str, *sets: str) -> Inventory:
    return from_cluster(cluster_of(name, *sets))


@pytest.fixture
def cluster() -> Callable[..., Cluster]:
    """Compile a shipped blueprint by name, with `--set` changes."""
    return cluster_of


@pytest.fixture
def fresh() -> Callable[..., Cluster]:
    """The same, compiled once more."""
    return compiled


@pytest.fixture
def inventory() -> Callable[..., Inventory]:
    """The facts of a shipped blueprint by name, with `--set` changes."""
    return inventory_of


@pytest.fixture
def change() -> Callable[[str, tuple[str, ...], tuple[str, ...]], Change]:
    """What it does to a shipped blueprint when one set of changes gives way to another."""
    return lambda name, old, new: compare(inventory_of(name, *old), inventory_of(name, *new))

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from fabricgen.blueprint.load import load_blueprint
from fabricgen.cli.sides import make_lists
from fabricgen.cluster import Cluster, build_cluster
from fabricgen.design.build import build_design
from fabricgen.diff.compare import ClusterChange, Side, compare_sides
from fabricgen.diff.listing import Listing, Lists, make_column
from fabricgen.diff.sizing_figures import read_sizing_figures

BLUEPRINTS = Path(__file__).parents[2] / "blueprints"


def compiled(name: str, *sets: str) -> Cluster:
    return build_cluster(build_design(load_blueprint(str(BLUEPRINTS / f"{name}.yaml"), sets)))


cluster_of = cache(compiled)


@cache
def side_of(name: str, *sets: str) -> Side:
    cluster = cluster_of(name, *sets)
    return Side(name, make_lists(cluster, {}), read_sizing_figures(cluster))


def changed(lists: Lists, name: str, row: int, **cells: object) -> Lists:
    """The same lists with some cells of one row changed."""
    listing: Listing = getattr(lists, name)
    columns = {key: make_column(column[:]) for key, column in listing.columns.items()}
    for key, value in cells.items():
        columns[key][row] = value
    return replace(lists, **{name: Listing(columns)})


@pytest.fixture
def change() -> Callable[[str, tuple[str, ...], tuple[str, ...]], ClusterChange]:
    """What it does to a shipped blueprint when one set of changes gives way to another."""
    return lambda name, old, new: compare_sides(side_of(name, *old), side_of(name, *new))

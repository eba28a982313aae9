"""Switches of a cluster with their files, a few of each tier where there are many; and readers by NOS."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from itertools import groupby

from fabricgen.cluster import Cluster
from fabricgen.kernel.nos_rooms import load_part
from fabricgen.render.engine import Renderer, make_render_options
from fabricgen.switch.model import Switch
from fabricgen.views.model.switch import model_switch
from fabricgen.views.switch import SwitchView
from tests.conftest import SMALLER
from tests.render.rendered import cluster_of

Files = Mapping[str, str]
Case = tuple[str, tuple[str, ...]]

PER_TIER = 4
"""So many switches of a tier are read, the first and the last among them: a tier is one pattern, repeated."""


def spread(rows: list[int], most: int) -> list[int]:
    """At most so many of some rows, evenly, with the first and the last."""
    if len(rows) <= most:
        return rows
    return sorted({rows[round(n * (len(rows) - 1) / (most - 1))] for n in range(most)})


def switches_of(
    name: str, sets: tuple[str, ...] = (), per_tier: int = PER_TIER
) -> tuple[tuple[SwitchView, Files], ...]:
    """Switches of an example blueprint, each with its files by name; rendered once, however they are asked for."""
    return _switches_of(name, sets or SMALLER.get(name, ()), per_tier)


@cache
def _switches_of(name: str, sets: tuple[str, ...], per_tier: int) -> tuple[tuple[SwitchView, Files], ...]:
    return tuple(rendered(cluster_of(name, *sets), per_tier))


def rendered(cluster: Cluster, per_tier: int = PER_TIER) -> Iterator[tuple[SwitchView, Files]]:
    """Yield switches of each tier with their files."""
    renderer = Renderer(make_render_options(cluster))
    devices = cluster.plan.devices
    for _, rows in groupby(cluster.switch_rows(), key=lambda row: int(devices.device_class[row])):
        for row in spread(list(rows), per_tier):
            switch = cluster.switch(row)
            files = renderer.files(switch, cluster.design.catalog)
            yield switch, {path.rpartition("/")[2]: content.decode() for path, content in files}


def read(switch: SwitchView, files: Files) -> Switch:
    """The model that the files of a switch come to; the module of that name reads those of a NOS."""
    return _read(switch.tier.nos, tuple(files.items()))


@cache
def _read(nos: str, files: tuple[tuple[str, str], ...]) -> Switch:
    reader: Callable[[Files], Switch] = load_part(nos, "reader").read
    return reader(dict(files))


def wanted(cluster: Cluster, switch: SwitchView) -> Switch:
    """The model of a switch, with secrets as its files have them."""
    key = id(cluster)
    if key not in _renderers:
        _renderers[key] = cluster, Renderer(make_render_options(cluster))
    return model_switch(_renderers[key][1].fill_in_secrets(switch), cluster.design.catalog)


_renderers: dict[int, tuple[Cluster, Renderer]] = {}


def first(lines: Iterable[str], most: int = 10) -> str:
    """The first lines of many, for a message."""
    found = list(lines)
    return "\n".join([*found[:most], *([f"and {len(found) - most} more"] if len(found) > most else [])])

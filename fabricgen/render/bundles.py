"""Configurations as bundles: a switch or whole fabric each, all made by one maker that keeps what they share."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, partial

from fabricgen.cluster import Cluster
from fabricgen.kernel.publish import Bundle
from fabricgen.render.engine import Renderer, RenderOptions, Subject, render_rows, subjects_of


def config_bundles(cluster: Cluster, options: RenderOptions, part: str) -> list[Bundle]:
    """Bundles of the files of all switches, in the order of the device table, and then of whole fabrics.

    Raises InputError where two of these would share a folder.
    """
    subjects = subjects_of(cluster)
    maker = ConfigMaker(cluster, options)
    for row in subjects.values():
        if isinstance(row, int):
            # Fills what a cluster computes once, so that no worker has to.
            cluster.switch(row)
            break
    return [Bundle(part, name, partial(maker.files, subject)) for name, subject in subjects.items()]


class ConfigMaker:
    """Renders any switch of a cluster; what was rendered for one and holds for others is kept, in each process."""

    def __init__(self, cluster: Cluster, options: RenderOptions) -> None:
        self._cluster = cluster
        self._options = options

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in self.__dict__.items() if name != "_renderer"}

    @cached_property
    def _renderer(self) -> Renderer:
        return Renderer(self._options)

    def files(self, subject: Subject) -> Iterator[tuple[str, bytes]]:
        """Yield (path in the output folder, content); raises InputError as `render_rows` does."""
        return render_rows(self._cluster, [subject], self._options, self._renderer)

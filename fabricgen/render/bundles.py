"""Configurations as bundles: a switch or whole fabric each, all made by one maker that keeps what they share."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from functools import cached_property, partial

from fabricgen.cluster import Cluster
from fabricgen.publish import Bundle
from fabricgen.render.engine import RenderOptions, Subject, subject_files, subjects_of


def config_bundles(cluster: Cluster, options: RenderOptions, part: str) -> list[Bundle]:
    """Bundles of the files of all switches, in the order of the device table, and then of whole fabrics.

    Raises InputError where two of these would share a folder.
    """
    subjects = subjects_of(cluster)
    maker = ConfigMaker(cluster, options)
    prepare = partial(maker.prepare, next(iter(subjects.values()), None))
    return [
        Bundle(
            part,
            name,
            partial(maker.files, subject),
            prepare=prepare,
        )
        for name, subject in subjects.items()
    ]


class ConfigMaker:
    """Renders any switch of a cluster; what was rendered for one and holds for others is kept, in each process."""

    def __init__(self, cluster: Cluster, options: RenderOptions) -> None:
        self._cluster = cluster
        self._options = options

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in self.__dict__.items() if name != "_files_of"}

    @cached_property
    def _files_of(self) -> Callable[[Subject], Iterator[tuple[str, bytes]]]:
        return subject_files(self._cluster, list(subjects_of(self._cluster).values()), self._options)

    def prepare(self, subject: Subject | None) -> None:
        """Compute what a cluster knows once, by rendering the first of its subjects; raises as `files` does."""
        if subject is not None:
            deque(self.files(subject), maxlen=0)

    def files(self, subject: Subject) -> Iterator[tuple[str, bytes]]:
        """Yield (path in the output folder, content); raises InputError as `render_configs` does."""
        return self._files_of(subject)

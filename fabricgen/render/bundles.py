"""Configurations as bundles: a switch or whole fabric each, all made by one maker that keeps what they share."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, partial
from hashlib import blake2b
from itertools import islice

from fabricgen.cluster import Cluster
from fabricgen.kernel.publish import Bundle
from fabricgen.render.engine import RenderOptions, Subject, subject_files, subjects_of


def config_bundles(cluster: Cluster, options: RenderOptions, part: str, *, digests: bool = False) -> list[Bundle]:
    """Bundles of the files of all switches, in the order of the device table, and then of whole fabrics.

    With `digests`, those of switches say what they follow from. Raises InputError where two of these would share a
    folder.
    """
    subjects = subjects_of(cluster)
    maker = ConfigMaker(cluster, options)
    for subject in islice(subjects.values(), 1):
        deque(maker.files(subject), maxlen=0)  # computes what a cluster knows once, so that no worker has to
    inputs = _inputs(cluster, options, [s for s in subjects.values() if isinstance(s, int)]) if digests else {}
    return [
        Bundle(part, name, partial(maker.files, subject), inputs.get(subject)) for name, subject in subjects.items()
    ]


def _inputs(cluster: Cluster, options: RenderOptions, rows: list[int]) -> Mapping[Subject, bytes | None]:
    """By switch, a digest of what its files follow from; none where the user's own templates make them."""
    if options.overrides is not None:
        return {}
    managements = sorted((name, asked.model_dump_json()) for name, asked in options.managements.items())
    common = blake2b(repr(managements).encode() + cluster.design.catalog.own_digest()).digest()
    return dict(zip(rows, cluster.inputs_of(rows, common), strict=True))


class ConfigMaker:
    """Renders any switch of a cluster; what was rendered for one and holds for others is kept, in each process."""

    def __init__(self, cluster: Cluster, options: RenderOptions) -> None:
        self._cluster = cluster
        self._options = options

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in self.__dict__.items() if name != "_files_of"}

    @cached_property
    def _files_of(self) -> Callable[[Subject], Iterator[tuple[str, bytes]]]:
        return subject_files(self._cluster, self._options)

    def files(self, subject: Subject) -> Iterator[tuple[str, bytes]]:
        """Yield (path in the output folder, content); raises InputError as `render_configs` does."""
        return self._files_of(subject)

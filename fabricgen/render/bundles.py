"""Configurations as bundles: a switch or whole fabric each, all made by one maker that keeps what they share."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from hashlib import blake2b

from fabricgen.cluster import Cluster
from fabricgen.kernel.model_data import plain_data
from fabricgen.kernel.publish import Bundle
from fabricgen.render.ahead import Ahead
from fabricgen.render.engine import RenderOptions, Subject, subject_files, subjects_of


def config_bundles(cluster: Cluster, options: RenderOptions, part: str, *, digests: bool = False) -> list[Bundle]:
    """Bundles of the files of all switches, in the order of the device table, and then of whole fabrics.

    With `digests`, those of switches say what they follow from. Raises InputError where two of these would share a
    folder.
    """
    subjects = subjects_of(cluster)
    maker = ConfigMaker(cluster, options)
    prepare = partial(maker.prepare, next(iter(subjects.values()), None))
    inputs = SwitchDigests(cluster, options) if digests and options.overrides is None else None
    return [
        Bundle(
            part,
            name,
            partial(maker.files, subject),
            partial(inputs.of, subject) if inputs and isinstance(subject, int) else None,
            prepare=prepare,
            expect=maker.expect,
        )
        for name, subject in subjects.items()
    ]


_DIGESTED = 512
"""Switches whose digests are made together: what numpy is asked costs more than what it does for fewer."""


class SwitchDigests:
    """Digests of what the files of switches follow from, where no templates of the user's own make them."""

    def __init__(self, cluster: Cluster, options: RenderOptions) -> None:
        self._cluster = cluster
        self._options = options

    @cached_property
    def _digests(self) -> Ahead[bytes | None]:
        cluster, managements = self._cluster, self._options.managements
        told = sorted((name, plain_data(asked)) for name, asked in managements.items())
        common = blake2b(repr(told).encode() + cluster.design.catalog.own_digest()).digest()
        return Ahead(cluster.switch_rows(), partial(cluster.inputs.digests, common=common), _DIGESTED)

    def of(self, row: int) -> bytes | None:
        """The digest of a switch, by its row in the device table; None where none can tell. Ask for them in order."""
        return self._digests.of(row)


class ConfigMaker:
    """Renders any switch of a cluster; what was rendered for one and holds for others is kept, in each process."""

    def __init__(self, cluster: Cluster, options: RenderOptions) -> None:
        self._cluster = cluster
        self._options = options
        self._expected: Sequence[str] | None = None

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in self.__dict__.items() if name != "_files_of"}

    @cached_property
    def _files_of(self) -> Callable[[Subject], Iterator[tuple[str, bytes]]]:
        subjects = subjects_of(self._cluster)
        names = subjects if self._expected is None else self._expected
        return subject_files(self._cluster, [subjects[name] for name in names], self._options)

    def prepare(self, subject: Subject | None) -> None:
        """Compute what a cluster knows once, by rendering the first of its subjects; raises as `files` does."""
        if subject is not None:
            deque(self.files(subject), maxlen=0)

    def expect(self, names: Sequence[str]) -> None:
        """Look at no other subjects than these, in their order, when the first of them is rendered."""
        self._expected = names

    def files(self, subject: Subject) -> Iterator[tuple[str, bytes]]:
        """Yield (path in the output folder, content); raises InputError as `render_configs` does."""
        return self._files_of(subject)

"""Configurations as bundles: a switch or whole fabric each, all made by one maker that keeps what they share.

A NOS whose files must be installed in some order has a template README.md.j2 that says which: one file for all of its
switches, beside their folders.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, partial

from fabricgen.cluster import Cluster
from fabricgen.kernel.discovery import find_resource_dir
from fabricgen.publish import FileBundle, Private
from fabricgen.render.engine import Renderer, RenderOptions, Subject, list_subjects, make_subject_renderer

READ_ME = "README.md.j2"


def make_config_bundles(cluster: Cluster, options: RenderOptions, part: str) -> list[FileBundle]:
    """Bundles of the files of all switches, in the order of the device table, then of whole fabrics, then of READMEs.

    Raises InputError where two of these would share a folder.
    """
    subjects = list_subjects(cluster)
    maker = ConfigMaker(cluster, options)
    # switches share what is computed for the first; a whole fabric shares nothing, and takes as long again
    prepare = partial(maker.prepare, next((subject for subject in subjects.values() if isinstance(subject, int)), None))
    return [
        FileBundle(
            part,
            name,
            partial(maker.files, subject),
            prepare=prepare,
        )
        for name, subject in subjects.items()
    ] + [
        FileBundle(part, nos, partial(_render_read_me, nos, options))
        for nos in _list_nos_with_read_me(cluster, subjects.values())
    ]


def _list_nos_with_read_me(cluster: Cluster, subjects: Iterable[Subject]) -> list[str]:
    """The NOSes of some switches that have a README, sorted."""
    devices, folder = cluster.plan.devices, find_resource_dir("templates")
    used = {devices.device_class[row] for row in subjects if isinstance(row, int)}
    return sorted(nos for nos in {devices.classes[cls].nos for cls in used} if (folder / nos / READ_ME).is_file())


def _render_read_me(nos: str, options: RenderOptions) -> Iterator[tuple[str, bytes]]:
    yield f"configs/README-{nos}.md", Renderer(options).render_text(f"{nos}/{READ_ME}", {}).encode()


class ConfigMaker:
    """Renders any switch of a cluster; what was rendered for one and holds for others is kept, in each process."""

    def __init__(self, cluster: Cluster, options: RenderOptions) -> None:
        self._cluster = cluster
        self._options = options

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in self.__dict__.items() if name != "_files_of"}

    @cached_property
    def _files_of(self) -> Callable[[Subject], Iterator[tuple[str, bytes]]]:
        return make_subject_renderer(self._cluster, list(list_subjects(self._cluster).values()), self._options)

    def prepare(self, subject: Subject | None) -> None:
        """Compute what a cluster knows once, by rendering the first of its subjects; raises as `files` does."""
        if subject is not None:
            deque(self.files(subject), maxlen=0)

    def files(self, subject: Subject) -> Iterator[tuple[str, bytes]]:
        """Yield (path in the output folder, content), in which a secret is private; raises InputError as
        `render_configs` does.
        """
        for path, content in self._files_of(subject):
            has_secret = any(secret in content for secret in self._options.secrets)
            yield path, Private(content) if has_secret else content
